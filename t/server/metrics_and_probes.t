#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Pages for operators, configured as in conf/reference.conf: counters move by exactly the
# requests made, Prometheus can read them, and the probes tell a service that can answer
# from one that cannot.
use strict;
use warnings;

use LIMS::Service::JSONSchema;
use LIMS::Service::Response;
use LIMS::Test;
use LIMS::Test::Source;

chomp(my $modules = LIMS::Instance::run('apxs', '-q', 'LIBEXECDIR'));
my $lims = LIMS::Test->new(conf => <<"CONF");
LoadModule status_module "$modules/mod_status.so"
<Location "/server-status">
    SetHandler server-status
    Require local
</Location>
CONF

# The manual's sections of these pages are those of conf/lims.conf, which this server has.
my @sections = map { [ sort map { s/^[ #]+//mgr } /^[# ]*<Location "\/lims.*?<\/Location>\n/msg ] }
    map { text($_) } qw(conf/reference.conf conf/lims.conf);
is_deeply($sections[1], $sections[0], 'conf/lims.conf has the sections of the manual');
is(scalar @{ $sections[0] }, 4, 'each section of the manual is whole');

sub look {
    my ($path, $method, @headers) = @_;
    my $answer = LIMS::Service::Response->parse($lims->raw(join "\r\n", ($method || 'GET')
                . " $path HTTP/1.1", 'Host: localhost', 'Connection: close', @headers, '', ''));

    return $answer || die "no answer to $path\n";
}

# { 'name{labels}' => value } of a text in Prometheus' format, version 0.0.4.
sub metrics {
    my $answer = look('/lims/metrics');
    my (%value, %type);

    is($answer->header('Content-Type'), 'text/plain; version=0.0.4; charset=utf-8', 'the format');
    like($answer->body, qr/\n\z/, 'ends with a line');
    for my $line (split /\n/, $answer->body) {
        if ($line =~ /\A# TYPE (\w+) (counter|gauge|histogram)\z/) {
            ok(!$type{$1}++, "$1 is declared once");
            next;
        }
        next if $line =~ /\A# HELP \w+ \S/;
        my ($name, $labels, $value) = $line =~ /\A
            ([a-zA-Z_:][\w:]*)
            (\{[a-z_]+="(?:[^"\\]|\\.)*"(?:,[a-z_]+="(?:[^"\\]|\\.)*")*\})?
            \ (-?\d+(?:\.\d+)?)\z/x or do { fail("a line is malformed: $line"); next };
        my $family = $name =~ s/_(?:bucket|sum|count)\z//r;
        ok(0, "$name is not declared before it is used") unless $type{$name} || $type{$family};
        my $key = $name . ($labels // '');
        ok(0, "$key is there twice") if exists $value{$key};
        $value{$key} = $value;
    }
    return \%value;
}

# Returns by how much an action has changed each value.
sub moved {
    my ($action) = @_;
    my $before = metrics();

    $action->();
    my $after = metrics();
    return map { $_ => $after->{$_} - ($before->{$_} || 0) }
        grep { $after->{$_} != ($before->{$_} || 0) } keys %$after;
}

subtest 'the counters' => sub {
    # Both processes, so that a sum over them is needed.
    $lims->get('/whoami', connection => 'new') for 1 .. 8;
    my %moved = moved(sub {
        $lims->get('/whoami', connection => 'new') for 1 .. 7;
        $lims->get('/samples/77') for 1 .. 3;
        $lims->get('/nowhere');
        $lims->get('/samples', key => undef) for 1 .. 2;
        $lims->post('/clients', { code => 'A', name => 'A' });
        $lims->http_get('/whoami');
    });
    my $count = sub {
        my ($name, $labels) = @_;
        return { map { $_ => $moved{$_} } grep { /\A\Q$name\E(?:\{|\z)/ } keys %moved };
    };
    my $route = sub { return sprintf '{method="%s",route="%s"', @_ };

    is_deeply($count->('lims_requests_total'), {
            'lims_requests_total' . $route->('GET', '/whoami') . ',status="200"}'       => 7,
            'lims_requests_total' . $route->('GET', '/samples/:id') . ',status="404"}'  => 3,
            'lims_requests_total' . $route->('-', '-') . ',status="404"}'               => 1,
            'lims_requests_total' . $route->('-', '-') . ',status="401"}'               => 2,
            'lims_requests_total' . $route->('-', '-') . ',status="403"}'               => 1,
            'lims_requests_total' . $route->('POST', '/clients') . ',status="201"}'     => 1,
        }, 'requests by route and status');
    is_deeply($count->('lims_refusals_total'), {
            'lims_refusals_total{error="not_found"}'    => 4,
            'lims_refusals_total{error="unauthorized"}' => 2,
            'lims_refusals_total{error="tls_required"}' => 1,
        }, 'refusals by slug');
    is_deeply($count->('lims_request_duration_seconds_count'), {
            'lims_request_duration_seconds_count' . $route->('GET', '/whoami') . '}'      => 7,
            'lims_request_duration_seconds_count' . $route->('GET', '/samples/:id') . '}' => 3,
            'lims_request_duration_seconds_count' . $route->('-', '-') . '}'              => 4,
            'lims_request_duration_seconds_count' . $route->('POST', '/clients') . '}'    => 1,
        }, 'each route\'s durations are counted');
    my $trips = $count->('lims_database_round_trips_total');
    is($trips->{ 'lims_database_round_trips_total' . $route->('GET', '/samples/:id') . '}' }, 3,
        'a read takes one round trip');
    my $lookups = $count->('lims_key_lookups_total');
    is(($lookups->{'lims_key_lookups_total{cache="hit"}'} || 0)
            + ($lookups->{'lims_key_lookups_total{cache="miss"}'} || 0), 12,
        'keys are looked up where one is sent');
};

subtest 'the histogram is consistent' => sub {
    my $metrics = metrics();
    my ($buckets, %bucket) = (0);
    for my $key (grep { /_bucket\{.*route="\/whoami"/ } keys %$metrics) {
        my ($bound) = $key =~ /le="([^"]+)"/;
        $bucket{ $bound eq '+Inf' ? 9e9 : $bound } = $metrics->{$key};
    }
    my @values = map { $bucket{$_} } sort { $a <=> $b } keys %bucket;
    cmp_ok(scalar @values, '>', 5, 'the histogram has buckets');
    is_deeply(\@values, [ sort { $a <=> $b } @values ], 'the buckets ascend');
    my ($total) = map { $metrics->{$_} }
        grep { /_count\{method="GET",route="\/whoami"/ } keys %$metrics;
    is($values[-1], $total, 'the last bucket has all requests');
    ok((grep { /_sum\{method="GET",route="\/whoami"/ && $metrics->{$_} > 0 } keys %$metrics),
        'the histogram has a sum');
};

subtest 'counters outlive a graceful restart' => sub {
    my $before = metrics();
    $lims->graceful;
    my $after = metrics();
    my @lost = grep { /_total/ && $after->{$_} < $before->{$_} } keys %$before;
    is_deeply(\@lost, [], 'no counter is less than before');
    is($after->{lims_database_connections_in_use}, 0, 'no connection is held');
};

subtest 'the short form as JSON' => sub {
    my $sums = sub {
        my $answer = look('/lims/status?json');
        is($answer->header('Content-Type'), 'application/json', 'the status page as JSON');
        return LIMS::Service::JSONSchema::decode($answer->body);
    };
    my $before = $sums->();
    $lims->get('/whoami') for 1 .. 5;
    $lims->get('/samples', key => undef);
    my $after = $sums->();
    my %moved = map { $_ => $after->{$_} - $before->{$_} } qw(requests refusals unauthorized);

    is_deeply(\%moved, { requests => 6, refusals => 1, unauthorized => 1 },
        'the counters moved by the requests made');
    ok($after->{ready}, 'it is ready');
    is($after->{problem}, undef, 'the status names no problem');
    like($after->{version}, qr/\A\d+\.\d+\.\d+\z/, 'it has a version');

    my $page = look('/lims/status');
    like($page->header('Content-Type'), qr{\Atext/html}, 'the page is HTML');
    like($page->body, qr{<h3>Database</h3><table>\n(?:<tr>.*</tr>\n)*<tr><th>Connections in use</th><td>0</td></tr>},
        'the page has sections and words');
    like($page->body, qr{<tr><th>Waited for its answers</th><td>\d+\.\d{3} s</td></tr>},
        'the page has units');
    my ($retention) = $page->body =~ m{<h3>Retention</h3>(.*?)</table>}s;
    like($retention, qr{<tr><th>Last success</th><td>not since httpd started</td></tr>},
        'the page has no number for what never was');
    like($page->body, qr{<meta name="viewport" content="width=device-width},
        'the page fits a telephone');
    like($page->body, qr{<tr><th>Ready</th><td>yes</td></tr>}, 'the page says yes and no in words');
    like($page->body, qr{<tr><th>Requests</th><td>$after->{requests}</td></tr>},
        'the page has the same numbers');
};

subtest 'mod_status shows the counters too' => sub {
    my $page = look('/server-status');
    is($page->status, 200, 'its page');
    like($page->body, qr{<h2>mod_lims</h2>}, 'the page of mod_status has our section');
    my ($json) = look('/server-status?auto')->body =~ /^LimsStatus: (.*)$/m;
    ok(defined $json && LIMS::Service::JSONSchema::decode($json)->{requests} > 0,
        'the short form of mod_status has our figures');
};

subtest 'httpd restricts access to the pages' => sub {
    for my $path (qw(live ready metrics status)) {
        my $answer = look("/lims/$path", 'GET', 'Authorization: Bearer nonsense');
        is($answer->status, 200, "$path needs no key");
        is($answer->header('Cache-Control'), 'no-store', "$path is not cached");
        is(look("/lims/$path", 'HEAD')->body, '', "HEAD of $path has no body");
        my $refused = look("/lims/$path", 'POST', 'Content-Length: 0');
        is($refused->status, 405, "POST of $path is refused");
    }
    is(look('/lims/nothing')->status, 404, 'other pages are 404');
};

sub end_sessions {
    return $lims->superuser->do(q{SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity
        WHERE application_name = 'mod_lims' AND datname = current_database()});
}

subtest 'probes while the schema does not fit' => sub {
    my $set = 'UPDATE lims.schema_migration SET compatible_since =';
    my ($since) = $lims->db->selectrow_array(
        'SELECT max(compatible_since) FROM lims.schema_migration');

    $lims->db->do("$set 9999 WHERE compatible_since = $since");
    end_sessions();
    my $answer = look('/lims/ready');
    is($answer->status, 503, 'it is not ready');
    like($answer->body, qr/needs a mod_lims made for version 9999 .*: install/,
        'the probe says why it is not ready');
    is(LIMS::Service::JSONSchema::decode(look('/lims/status?json')->body)->{problem} . "\n", $answer->body,
        'the status has the problem of the probe');
    like(look('/lims/status')->body, qr{<tr><th>Problem</th><td>.*: install.*</td></tr>},
        'the page has the problem of the probe');
    my ($short) = look('/server-status?auto')->body =~ /^LimsStatus: (.*)$/m;
    ok(!LIMS::Service::JSONSchema::decode($short)->{ready}, 'the page of mod_status says it, too');
    $lims->db->do("$set $since WHERE compatible_since = 9999");
    is(look('/lims/ready')->status, 200, 'once the schema fits, it is ready');
};

subtest 'probes while the database is down' => sub {
    my $admin = LIMS::Instance::connect_database('postgres', 'postgres');

    is(look('/lims/ready')->status . look('/lims/ready')->body, "200ready\n", 'ready before');
    $lims->forget_handles;
    $admin->do("ALTER DATABASE $lims->{database} ALLOW_CONNECTIONS false");
    $admin->do('SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE datname = ?',
        undef, $lims->{database});

    my $answer = look('/lims/ready');
    is($answer->status, 503, 'it is not ready');
    like($answer->header('Retry-After') || '', qr/\A\d+\z/, 'the probe has Retry-After');
    unlike($answer->body, qr/\Aready/, 'the probe does not say ready');
    is(look('/lims/live')->status, 200, 'the probe of liveness is 200');
    my $status = look('/lims/status?json');
    my $sums   = LIMS::Service::JSONSchema::decode($status->body);
    ok(!$sums->{ready}, 'the status says so');
    ok(length $sums->{problem}, 'the status has the reason');
    my $page = look('/lims/status')->body;
    is(() = $page =~ /<tr><th>/g, scalar keys %$sums, 'the HTML page has a row for each figure');
    is($lims->get('/whoami')->status, 503, 'requests are answered 503');
    is(LIMS::Service::JSONSchema::decode(look('/lims/status?json')->body)->{databaseExhausted}, 0,
        'a refusal for another reason does not count as want of connections');

    $admin->do("ALTER DATABASE $lims->{database} ALLOW_CONNECTIONS true");
    $admin->disconnect;
    is(look('/lims/ready')->status, 200, 'ready when it is back');
    $lims->expect_log(qr/LIMS00(?:36|38|51): 503 service_unavailable/);
    $lims->allow_log(qr/\[dbd:error\]/);
};

done_testing();
