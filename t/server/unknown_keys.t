#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Look-ups of unknown keys are limited by address, over all child processes: beyond
# LimsUnknownKeys no unknown key of that address is looked up in the database, and callers
# with a known key are not affected.
use strict;
use warnings;

use LIMS::Service::RawRequest qw(message send_raw);
use LIMS::Test;

chomp(my $modules = LIMS::Instance::run('apxs', '-q', 'LIBEXECDIR'));
my $log = 'CustomLog log/asked.log "%P %>s %{lims-round-trips}n"';

sub stranger { return LIMS::Test::Fixture::make_key() }

# Sends requests; returns for each its child process, status and round trips to the
# database.
sub asked {
    my ($lims) = @_;
    open my $in, '<', "$lims->{instance}{home}/log/asked.log" or die "asked.log: $!\n";
    return map { [split] } <$in>;
}

sub ask {
    my ($lims, $key, %option) = @_;
    return $lims->get('/whoami', key => $key, connection => 'new', %option);
}

# Has every child accept the key.
sub introduce {
    my ($lims, $key) = @_;
    my %child;

    for (1 .. 500) {
        ask($lims, $key);
        $child{ $_->[0] } = 1 for asked($lims);
        return scalar keys %child if keys %child > 1;
    }
    return 1;
}

subtest 'one address over the limit' => sub {
    my $lims = LIMS::Test->new(children => 2, conf => <<"CONF");
LimsUnknownKeys 10
LimsUnknownKeyAddresses 16
LimsRateWindow 3600
$log
CONF
    my $known = $lims->key($lims->fixture)->{key};
    my $later = $lims->key($lims->fixture)->{key};
    is(introduce($lims, $known), 2, 'two children know a key');
    is_deeply([ map { ask($lims, $_)->status } 'lk_mistyped', undef ], [ 401, 401 ],
        'keys of wrong form get 401 and do not count');
    my @answers = map { ask($lims, stranger()) } 1 .. 40;
    is_deeply([ map { $_->status } @answers ], [ (401) x 10, (429) x 30 ],
        'ten unknown ones are looked up, and no more');
    my $refused = $answers[-1];
    is($refused->json->{error}, 'rate_limited', 'the refusal is rate_limited');
    my $after = $refused->header('Retry-After');
    cmp_ok($after, '>', 3000, 'the refusal has Retry-After');
    cmp_ok($after, '<=', 3600, 'Retry-After lies within the window');
    is($refused->header($_), undef, "no $_") for qw(WWW-Authenticate RateLimit-Limit
        RateLimit-Remaining);
    is_deeply([ map { $_->status } map { ask($lims, $_) } 'lk_mistyped', undef ], [ 401, 401 ],
        'keys of wrong form still get 401');
    my @late = grep { $_->[1] == 429 } asked($lims);
    is(scalar @late, 30, 'each in the log');
    is_deeply([ grep { $_->[2] ne '-' && $_->[2] > 0 } @late ], [], 'without a round trip');
    is(scalar(grep { $_->[1] == 401 && $_->[2] =~ /\A[1-9]/ } asked($lims)), 10,
        'the ten requests before took a round trip');
    cmp_ok(scalar keys %{ { map { $_->[0] => 1 } @late } }, '>', 1, 'both children refuse');
    is_deeply([ map { ask($lims, $known)->status } 1 .. 20 ], [ (200) x 20 ],
        'the known key goes on');
    is($lims->post('/clients', { code => 'K', name => 'K' }, key => $known)->status, 201,
        'the known key writes');
    is(ask($lims, $later)->status, 429, 'a good one that nobody has seen waits');
    is($lims->post('/clients', { code => 'L', name => 'L' }, key => stranger())->status, 429,
        'writes are refused too');
    $lims->graceful;
    is(ask($lims, stranger())->status, 429, 'a graceful restart forgets nothing');
    ok($lims->finish, 'the log is clean');
};

subtest 'a key that was valid before' => sub {
    my $lims = LIMS::Test->new(children => 1, conf => <<"CONF");
LimsUnknownKeys 5
LimsUnknownKeyAddresses 16
LimsRateWindow 3600
$log
CONF
    my $key = $lims->key($lims->fixture);
    is(ask($lims, $key->{key})->status, 200, 'the key is known');
    $lims->db->do('UPDATE lims.api_key SET revoked_at = now() WHERE id = ?', undef, $key->{key_id});
    is_deeply([ map { ask($lims, $key->{key})->status } 1 .. 8 ], [ (401) x 5, (429) x 3 ],
        'once revoked, it counts as an unknown key');
    ok($lims->finish, 'the log is clean');
};

subtest 'after the window the address may ask again' => sub {
    my $lims = LIMS::Test->new(conf => <<"CONF");
LimsUnknownKeys 3
LimsUnknownKeyAddresses 16
LimsRateWindow 2
CONF
    my $good = $lims->key($lims->fixture)->{key};
    wait_until { ask($lims, stranger())->status == 429 };
    wait_until { ask($lims, $good)->status == 200 };
    is(ask($lims, $good)->status, 200, 'a good key is looked up again');
    wait_until { ask($lims, stranger())->status == 401 };
    pass('unknown keys get 401 again');
    ok($lims->finish, 'the log is clean');
};

subtest 'addresses behind a proxy' => sub {
    my $conf = "LimsTLS proxy\nDefine LIMS_NO_APPLICATION\n"
        . "LimsUnknownKeys 3\nLimsUnknownKeyAddresses 64\n"
        . "LimsRateWindow 3600\n";
    my $statuses = sub {
        my ($lims, @addresses) = @_;
        return [ map {
            my @field = defined ? "X-Forwarded-For: $_" : ();
            send_raw($lims, message($lims, 'GET', '/whoami', key => stranger(), headers => \@field),
                plain => 1)->status
        } @addresses ];
    };
    my $blind = LIMS::Test->new(conf => $conf);
    is_deeply($statuses->($blind, ('192.0.2.1') x 5, (undef) x 5), [ (401) x 10 ],
        'that names no clients, none is told from another, nor bounded');
    ok($blind->finish, 'the log is clean');

    my $lims = LIMS::Test->new(conf => <<"CONF");
LoadModule remoteip_module "$modules/mod_remoteip.so"
RemoteIPHeader X-Forwarded-For
RemoteIPInternalProxy 127.0.0.1
$conf
CONF
    is_deeply($statuses->($lims, ('192.0.2.1') x 5), [ (401) x 3, (429) x 2 ],
        'one address is held after its bound');
    is_deeply($statuses->($lims, ('192.0.2.2') x 2), [ 401, 401 ], 'is told from another');
    is_deeply($statuses->($lims, map {"2001:db8:1:2::$_"} 1 .. 5), [ (401) x 3, (429) x 2 ],
        'an IPv6 network of 64 bits is one');
    is_deeply($statuses->($lims, '2001:db8:1:3::1', '2001:db8:0:2::1'), [ 401, 401 ],
        'the next network of 64 bits is another one');
    is_deeply($statuses->($lims, (undef) x 5), [ (401) x 5 ], 'the proxy itself is none');
    ok($lims->finish, 'the log is clean');
};

subtest 'the limit switched off' => sub {
    my $lims = LIMS::Test->new(conf => "LimsUnknownKeys 0\n");
    is_deeply([ map { ask($lims, stranger())->status } 1 .. 70 ], [ (401) x 70 ],
        '0 bounds nothing');
    ok($lims->finish, 'the log is clean');
};

done_testing();
