#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# A session ends when nobody uses it, 12 hours after it began, and at once where account or
# organization ends. It outlives restarts of httpd. Requests of a page's own polling do
# not prolong it; many requests have a limit of their own.
use strict;
use warnings;

use LIMS::Service::Laboratory;
use LIMS::Service::Person;
use LIMS::Test;

my $lims = LIMS::Test->new(conf => "LimsRateLimitSessions 40\nLimsRateKeys 64");
my $db   = $lims->db;

sub age {
    my ($person, $column, $by) = @_;
    $db->do("UPDATE lims.user_session SET $column = $column - interval '$by' WHERE id = ?", undef,
        $person->session);
    return;
}

# Not even as the owner is the time of a beginning changed.
sub begun {
    my ($person, $ago) = @_;
    my $super = $lims->superuser;
    $super->do(q{SET session_replication_role = 'replica'});
    $super->do("UPDATE lims.user_session SET created_at = now() - interval '$ago' WHERE id = ?",
        undef, $person->session);
    $super->do(q{SET session_replication_role = 'origin'});
    return;
}

sub last_use {
    my ($person) = @_;
    return $db->selectrow_array(q{SELECT now() - last_used_at < interval '1 minute'
        FROM lims.user_session WHERE id = ?}, undef, $person->session) ? 'now' : 'before';
}

subtest 'without use' => sub {
    my $ana = LIMS::Service::Person->new($lims);

    age($ana, 'last_used_at', '14 minutes');
    is($ana->get('/session', headers => { 'X-Lims-Background' => '1' })->status, 200,
        'within 15 minutes a page may poll');
    is(last_use($ana), 'before', 'polling is no use of the session');
    is($ana->get('/session')->status, 200, 'a person may ask');
    is(last_use($ana), 'now', 'the request counts as a use of the session');
    age($ana, 'last_used_at', '15 minutes');
    refused($ana->get('/session'), 401, 'unauthorized', 'after 15 minutes it has ended');
    refused($ana->get('/session'), 401, 'unauthorized', 'the session stays ended');

    my $bo = LIMS::Service::Person->new($lims);
    $db->do('UPDATE lims.organization SET session_minutes = 5');
    age($bo, 'last_used_at', '6 minutes');
    refused($bo->get('/session'), 401, 'unauthorized', 'the policy says how long');
    $db->do('UPDATE lims.organization SET session_minutes = 15');
};

subtest 'written as sparingly as may be' => sub {
    my $ana = LIMS::Service::Person->new($lims);

    age($ana, 'last_used_at', '50 seconds');
    my $before = $db->selectrow_array('SELECT last_used_at FROM lims.user_session WHERE id = ?',
        undef, $ana->session);
    $ana->get('/session') for 1 .. 3;
    is($db->selectrow_array('SELECT last_used_at FROM lims.user_session WHERE id = ?', undef,
            $ana->session), $before, 'not within a minute');
};

subtest '12 hours after it began' => sub {
    my $ana = LIMS::Service::Person->new($lims);

    begun($ana, '11 hours 59 minutes');
    is($ana->get('/session')->status, 200, 'the session has not ended yet');
    begun($ana, '12 hours');
    refused($ana->get('/session'), 401, 'unauthorized', 'then, in the middle of its use');
};

subtest 'with account or organization' => sub {
    my $ana   = LIMS::Service::Person->new($lims, roles => ['analyst']);
    my $other = $lims->organization(code => 'other');
    my $there = LIMS::Service::Person->new($lims, organization => $other);

    $db->do(q{DELETE FROM lims.user_role WHERE user_id = ?}, undef, $ana->id);
    refused($ana->get('/samples'), 403, 'permission_required', 'roles hold at once');
    $db->do('UPDATE lims.user_account SET active = false WHERE id = ?', undef, $ana->id);
    refused($ana->get('/session'), 401, 'unauthorized', 'a deactivated person');
    $db->do('UPDATE lims.user_account SET active = true WHERE id = ?', undef, $ana->id);
    refused($ana->get('/session'), 401, 'unauthorized', 'an activated person does not come back into the former session');
    is($db->selectrow_array('SELECT end_reason FROM lims.user_session WHERE id = ?', undef,
            $ana->session), 'account changed', 'the session ended because the account was changed');
    is($there->get('/session')->status, 200, 'a person of another organization');
    $db->do('UPDATE lims.organization SET active = false WHERE id = ?', undef, $other->{id});
    refused($there->get('/session'), 401, 'unauthorized', 'a session ends when its organization is no longer active');
};

subtest 'restarts of httpd' => sub {
    my $ana = LIMS::Service::Person->new($lims);

    $lims->graceful;
    is($ana->get('/session', connection => 'new')->status, 200,
        'the session survives a graceful restart');
    $lims->restart;
    is($ana->get('/session', connection => 'new')->status, 200, 'the session survives a restart');
};

subtest 'the rate limit' => sub {
    my $ana    = LIMS::Service::Person->new($lims);
    my $bo     = LIMS::Service::Person->new($lims);
    my @status = map { $ana->get('/session')->status } 1 .. 40;

    is_deeply([ grep { $_ != 200 } @status ], [], 'forty requests are within the limit');
    my $refused = $ana->get('/session');
    refused($refused, 429, 'rate_limited', 'one more');
    ok($refused->header('Retry-After'), 'the refusal says how long to wait');
    like($refused->json->{message}, qr/per session/, 'the refusal says that the limit is that of a session');
    is($bo->get('/session')->status, 200, 'others are not concerned');
    refused($bo->get('/session', session => $ana->session), 401, 'session_changed',
        'another session than the page\'s');
    is($bo->get('/session')->header('RateLimit-Remaining'), 38,
        'a request of another session is not counted');
};

done_testing();
