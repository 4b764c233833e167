#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The rate limit: 120 requests in any 60 seconds for each key, exact over all
# child processes and graceful restarts, told on every answer; what it refuses
# does not count.
use strict;
use warnings;

use LIMS::Service::RawRequest qw(message send_raw);
use LIMS::Test;
use Time::HiRes qw(time sleep);

sub of { return $_[0]->header("RateLimit-$_[1]") }

# The real limit; only who asked is noted beside.
my $lims = LIMS::Test->new(
    children => 4,
    conf     => "LimsRateLimit 120\nCustomLog log/children.log \"%P %>s\"",
);

subtest 'the default is 120 in 60 seconds' => sub {
    my $plain = LIMS::Test->new(conf => '# LimsRateLimit is not set');
    my $answer = $plain->get('/whoami');
    is(of($answer, 'Limit'), 120, '120 requests');
    is(of($answer, 'Remaining'), 119, 'one of 120 requests is used');
    is(of($answer, 'Reset'), 60, 'the window is of 60 seconds');
    ok($plain->finish, 'the log is clean');
};

subtest 'sequential requests' => sub {
    my $key = $lims->key($lims->fixture)->{key};
    my (@remaining, @reset);
    for (1 .. 120) {
        my $answer = $lims->get('/whoami', key => $key);
        push @remaining, $answer->status == 200 ? of($answer, 'Remaining') : 'refused';
        push @reset, of($answer, 'Reset');
        is($answer->header('Retry-After'), undef, 'no Retry-After yet') if @reset == 1;
    }
    is_deeply(\@remaining, [ reverse 0 .. 119 ], '120 requests, one less remaining each time');
    is_deeply([ grep { $_ < 1 || $_ > 60 } @reset ], [], 'Reset is seconds of the window');
    for my $time (1 .. 3) {
        my $answer = $lims->get('/whoami', key => $key);
        is($answer->status, 429, "number " . (120 + $time) . ' is refused');
        is($answer->json->{error}, 'rate_limited', 'the refusal has the slug rate_limited');
        is(of($answer, 'Remaining'), 0, 'no request remains');
        cmp_ok($answer->header('Retry-After'), '>=', 1, 'Retry-After is at least a second');
        cmp_ok($answer->header('Retry-After'), '<=', 60, 'Retry-After lies within the window');
        like($answer->json->{message}, qr/120.*60/, 'the refusal says what the limit is');
    }
    is($lims->get('/whoami')->status, 200, 'another key of the same organization goes on');
};

subtest 'every response has the RateLimit headers' => sub {
    my $key    = $lims->key($lims->fixture)->{key};
    my $narrow = $lims->key($lims->fixture, scopes => ['events:read'])->{key};
    my $etag   = $lims->get('/openapi.json', key => $key)->header('ETag');
    my @answers = (
        $lims->get('', key => $key),
        $lims->get('/samples', key => $key),
        $lims->head('/samples', key => $key),
        $lims->get('/openapi.json', key => $key, headers => { 'If-None-Match' => $etag }),
        $lims->post('/clients', { code => 'RATE', name => 'Rate' }, key => $key),
        $lims->post('/clients', '{', key => $key),
        $lims->get('/samples/0', key => $key),
        $lims->get('/samples/999999', key => $key),
        $lims->get('/nowhere', key => $key),
        $lims->put('/samples', '{}', key => $key),
        $lims->post('/clients', 'x', key => $key, headers => { 'Content-Type' => 'text/plain' }),
        $lims->post('/clients', 'x' x 1_100_000, key => $key, connection => 'new'),
    );
    my $left = 119;
    for my $answer (@answers) {
        is(of($answer, 'Remaining'), --$left, 'status ' . $answer->status . ' counts');
        is(of($answer, 'Limit'), 120, 'every status has the limit');
    }
    is(of($lims->get('/samples', key => $narrow), 'Remaining'), 119, '403 as well');
    is(of($lims->get('/samples', key => undef), 'Limit'), undef, 'without a key there is no limit');
    is(of($lims->get('/samples', key => LIMS::Test::Fixture::make_key()), 'Limit'), undef,
        'no limit is shown for an unknown key');
};

# Returns the child processes that have answered since the last call.
sub children_at_work {
    my $file = "$lims->{instance}{home}/log/children.log";
    open my $in, '+<', $file or die "$file: $!\n";
    my %child = map { /^(\d+) (?:200|429)$/ ? ($1 => 1) : () } <$in>;
    truncate $in, 0;
    close $in;
    return keys %child;
}

# The kernel chooses which child takes a connection: repeat until there was more than one.
subtest 'the limit is exact over all child processes' => sub {
    my $children = 0;
    children_at_work();
    for my $round (1 .. 10) {
        my $key      = $lims->key($lims->fixture)->{key};
        my @statuses = $lims->parallel(20, sub {
            return [ map {
                    $lims->get('/whoami', key => $key, connection => 'new')->status
                } 1 .. 10 ];
        });
        my %count;
        $count{$_}++ for map {@$_} @statuses;
        is_deeply(\%count, { 200 => 120, 429 => 80 }, 'of 200 requests at once 120 are admitted');
        $children = () = children_at_work();
        last if $children > 1;
    }
    cmp_ok($children, '>', 1, 'more than one child answered');
};

subtest 'a graceful restart forgets nothing' => sub {
    my $key = $lims->key($lims->fixture)->{key};
    $lims->get('/whoami', key => $key) for 1 .. 100;
    my %before = map { $_ => 1 } $lims->children;
    $lims->graceful;
    is(of($lims->get('/whoami', key => $key, connection => 'new'), 'Remaining'), 19,
        'the new children know of the hundred before');
    $lims->get('/whoami', key => $key) for 1 .. 19;
    is($lims->get('/whoami', key => $key)->status, 429, 'after a graceful restart the limit holds to the last request');
};

# A process that found a key valid within the last second spares the database the
# question when the key is over its limit: it is refused either way.
subtest 'a revoked key over its limit' => sub {
    my $made = $lims->key($lims->fixture);
    $lims->get('/whoami', key => $made->{key}) for 1 .. 120;
    is($lims->get('/whoami', key => $made->{key})->status, 429, 'over the limit');
    $lims->db->do('UPDATE lims.api_key SET revoked_at = now() WHERE id = ?', undef,
        $made->{key_id});
    like($lims->get('/whoami', key => $made->{key})->status, qr/\A(?:401|429)\z/,
        'the next request is refused');
    sleep 1.1;
    for my $time (1 .. 3) {
        my $answer = $lims->get('/whoami', key => $made->{key}, connection => 'new');
        is($answer->status . ' ' . $answer->json->{error}, '401 unauthorized',
            'a second later it is told why: 401, not 429');
        is($answer->header('Retry-After'), undef, 'an unknown key is given no time to come again');
    }
};

# Sends requests of one key, three at once at the beginning of a window of three seconds
# and three in its middle, and returns how many were admitted after that; nothing if the
# machine was too busy to send one of them in time.
sub in_windows {
    my ($window) = @_;
    my $key = $window->key($window->fixture)->{key};
    my $ask = sub { return $window->get('/whoami', key => $key)->status };
    $window->get('/whoami', key => undef);    # connected, and nothing counted
    my $start = time;
    my %found = (first => [ map { $ask->() } 1 .. 3 ]);
    my $three = time;
    sleep $start + 1.5 - time if time < $start + 1.5;
    $found{middle} = [ map { $ask->() } 1 .. 3 ];
    my $middle = time;
    while (time < $start + 2.5) {
        push @{ $found{full} }, $ask->();
        sleep 0.02;
    }
    return if time > $start + 2.9;
    sleep $three + 3.05 - time if time < $three + 3.05;
    $found{later} = [ map { $ask->() } 1 .. 4 ];
    return if time > $start + 4.4;
    $found{told} = $window->get('/whoami', key => $key)->header('Retry-After')
        - ($middle + 3 - time);
    sleep $middle + 3.05 - time if time < $middle + 3.05;
    $found{last} = $ask->();
    return \%found;
}

subtest 'any window, not the clock\'s minute' => sub {
    my $window = LIMS::Test->new(conf => "LimsRateLimit 6\nLimsRateWindow 3");
    my $found;
    for (1 .. 20) {
        last if $found = in_windows($window);
    }
    is_deeply($found->{first}, [ (200) x 3 ], 'three requests at the beginning are admitted');
    is_deeply($found->{middle}, [ (200) x 3 ], 'three more in the middle are admitted');
    cmp_ok(scalar @{ $found->{full} || [] }, '>=', 2, 'the limit is reached then');
    is_deeply([ grep { $_ != 429 } @{ $found->{full} } ], [],
        'every request beyond the limit is refused');
    is_deeply($found->{later}, [ 200, 200, 200, 429 ],
        'when the first three have left the window, three may come: refused ones did not count');
    cmp_ok(abs($found->{told}), '<=', 1, 'Retry-After is when the next one leaves');
    is($found->{last}, 200, 'one request may come after Retry-After');
    ok($window->finish, 'the log is clean');
};

subtest 'more keys than LimsRateKeys' => sub {
    my $small = LIMS::Test->new(conf => "LimsRateLimit 5\nLimsRateKeys 16");
    my %count;
    for (1 .. 40) {
        $count{ $small->get('/whoami', key => $small->key($small->fixture)->{key})->status }++;
    }
    cmp_ok($count{200}, '>=', 14, 'as many keys as LimsRateKeys are counted');
    is($count{200} + $count{503}, 40, 'the others are told to come later, not let through');
    $small->expect_log(qr/LIMS0060: 503 .*raise LimsRateKeys/);
    ok($small->finish, 'the log is clean');
};

done_testing();
