#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# A schema that does not match the module, older, newer or another: its host answers 503
# and says what to do, until the schema matches; the rest of httpd goes on, at a start as
# well as at a restart.
use strict;
use warnings;

use HTTP::Tiny;
use LIMS::Test;

my $port = LIMS::Instance::reserve_port();
my $lims = LIMS::Test->new(conf => <<"END");
Listen 127.0.0.1:$port
<VirtualHost *:$port>
    ServerName intranet.lab.example
    LimsEnable off
</VirtualHost>
END
my ($version) = $lims->db->selectrow_array('SELECT max(version) FROM lims.schema_migration');
cmp_ok($version, '>', 0, 'the schema has a version');

my %columns = map { $_->{version} => $_ } @{ $lims->db->selectall_arrayref(
    'SELECT version, name, checksum, compatible_since FROM lims.schema_migration', { Slice => {} }) };

sub record {
    my ($of) = @_;
    my @names = sort keys %$of;
    $lims->db->do(sprintf('INSERT INTO lims.schema_migration (%s) VALUES (?, ?, ?, ?)',
            join ', ', @names), undef, @$of{@names});
    return;
}

sub forget {
    $lims->db->do('DELETE FROM lims.schema_migration WHERE version = ?', undef, @_);
    return;
}

sub older { return forget($version) }

sub newer {
    my ($compatible_since) = @_;
    return record({ version => $version + 1, name => 'future', checksum => 'none',
            compatible_since => $compatible_since });
}

# As many as there should be, and one of them is another.
sub other {
    $lims->db->do(q{UPDATE lims.schema_migration SET checksum = 'other' WHERE version = 151});
    return;
}

# One is missing in their midst, and one more is at the end.
sub gap {
    forget(151);
    return newer($version);
}

# Made by other files than these.
sub foreign {
    $lims->db->do('DELETE FROM lims.schema_migration');
    record({ version => $_, name => "other_$_", checksum => 'none', compatible_since => $_ }) for 1 .. 36;
    return;
}

sub restore {
    $lims->db->do('DELETE FROM lims.schema_migration');
    record($columns{$_}) for sort keys %columns;
    return;
}

sub elsewhere { return HTTP::Tiny->new->get("http://127.0.0.1:$port/ready")->{status} }

sub ready {
    my $answer = HTTP::Tiny->new(SSL_options => { SSL_ca_file => LIMS::Instance::ca_file() })
        ->get($lims->url . '/lims/ready');
    return "$answer->{status} $answer->{content}";
}

my $next   = $version + 1;
my %misfit = (
    'older' => [ \&older,
        qr/schema version \d+, this mod_lims needs $version: run "limsctl migrate"/ ],
    'newer' => [ sub { newer($version + 1) },
        qr/schema\ version\ $next,\ which\ needs\ a\ mod_lims\ made\ for\ version\ $next\ or\ later,
           \ this\ one\ is\ made\ for\ $version:\ install\ the\ newer\ mod_lims/x ],
    'another, by one text' => [ \&other,
        qr/migration 151 \(approvals\) was applied with another text .*: install the mod_lims that/ ],
    'lacking one of them' => [ \&gap,
        qr/lacks migration 151 \(approvals\): run "limsctl migrate"/ ],
    'made by other files' => [ \&foreign,
        qr/made by other migrations, of which 001 \(other_1\) is not known here: install the/ ],
);

for my $name (sort keys %misfit) {
    my ($spoil, $words) = @{ $misfit{$name} };
    subtest "a start on a schema that is $name" => sub {
        $lims->stop;
        $spoil->();
        my $before = length $lims->log;
        ok(eval { $lims->start; 1 }, 'httpd starts') or diag($@);
        is(elsewhere(), 200, 'its other hosts answer');
        my $log = substr $lims->log, $before;
        like($log, qr/:crit\] .*LIMS0112: host localhost:\d+, database \Q$lims->{database}\E\@.*$words/,
            'what to do is said, of which host and which database');
        $lims->allow_log(qr/LIMS0112: |LIMS0039: 503 /);
        my $answer = $lims->get('/whoami');
        is($answer->status . ' ' . $answer->json->{error}, '503 service_unavailable',
            'this one refuses to work on it');
        like(ready(), qr/\A503 .*$words/, 'this one is not ready');
        my $status = $lims->ctl('migrate', '--status');
        my $check  = $lims->ctl('check');
        is("$status->{exit} $check->{exit}", '5 5', 'limsctl says so too, both times');
        restore();
        is($lims->get('/whoami')->status, 200, 'once the schema fits, requests are answered');
        is(ready(), "200 ready\n", 'the host is ready again');
    };
}

subtest 'a newer schema that older modules can use' => sub {
    $lims->stop;
    newer($version);
    ok(eval { $lims->start; 1 }, 'httpd starts') or diag($@);
    is($lims->get('/whoami')->status, 200, 'requests are answered');
    is($lims->ctl('migrate', '--status')->{exit} . ' ' . $lims->ctl('check')->{exit}, '0 0',
        'limsctl agrees, both times');
    restore();
};

subtest 'a schema that changes under a running httpd' => sub {
    my ($pid, @former) = ($lims->pid, $lims->children);
    newer($version + 1);
    ok($lims->graceful, 'a graceful restart does not end httpd');
    # Until they end they may take a request, and know the schema as it was.
    wait_until { !grep { LIMS::Instance::lives($_) } @former };
    is($lims->pid, $pid, 'httpd is the same process after the graceful restart');
    is(elsewhere(), 200, 'its other hosts answer');
    my $answer = $lims->get('/whoami', connection => 'new');
    is($answer->status . ' ' . $answer->json->{error}, '503 service_unavailable',
        'requests are refused on that schema');
    like($answer->header('Retry-After'), qr/\A\d+\z/, 'the refusal on that schema says when to come again');
    $lims->expect_log(qr/LIMS0039: 503 .*install the newer mod_lims/);
    restore();
    is($lims->get('/whoami')->status, 200, 'once it fits, without another restart, it works');
    is($lims->pid, $pid, 'httpd is the same process when the schema fits again');
};

# Each change that a superuser may make to a database, with the service's message.
subtest 'wrong rights are reported at the start' => sub {
    my $said = sub {
        my ($spoil, $words, $mend, @more) = @_;
        $lims->stop;
        $lims->superuser->do($spoil);
        my $before = length $lims->log;
        ok(eval { $lims->start; 1 }, $spoil) or diag($@);
        like(substr($lims->log, $before),
            qr/:crit\] .*LIMS03?\d+: host localhost:\d+, database \Q$lims->{database}\E\@.*$words/,
            "$spoil: the fault is logged at the start");
        my $check = $lims->ctl('check');
        isnt($check->{exit}, 0, "$spoil: limsctl check fails");
        $_->() for @more;
        $lims->superuser->do($mend);
    };
    $lims->allow_log(qr/LIMS0363: /);
    $said->('ALTER TABLE lims.sample DISABLE ROW LEVEL SECURITY',
        qr/row-level security is off on sample; "limsctl check"/,
        'ALTER TABLE lims.sample ENABLE ROW LEVEL SECURITY');
    $said->('REVOKE USAGE ON SCHEMA lims FROM lims_app',
        qr/lims_app has lost its rights on the schema lims: "limsctl migrate"/,
        'SELECT 1', sub {
            is($lims->get('/whoami')->status, 503, 'without the rights on the schema requests get 503');
            my ($usage) = grep { $_->{subject} eq 'usage' }
                @{ $lims->ctl('check')->{json}{findings} };
            is($usage->{state}, 'failed', 'limsctl check names the lost rights');
            is($lims->ctl('migrate')->{exit}, 0, 'limsctl migrate gives it back');
            is($lims->get('/whoami')->status, 200, 'requests are answered when the rights are back');
        });
};

done_testing();
