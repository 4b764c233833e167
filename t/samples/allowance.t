#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The monthly allowance of samples is exact: also when fifty are registered at once, at the
# turn of a month, and when the plan changes. A refusal has the form, code and message of
# the plan limit.
use strict;
use warnings;

use LIMS::Service::Laboratory;
use LIMS::Service::Person;
use LIMS::Test;

# A worker for each of the fifty and more; each waits as long as it takes for a
# connection to the database, and for those before it.
my $lims     = LIMS::Test->new(children => 5, conf => LIMS::Service::Laboratory::patience());
my $lab      = LIMS::Service::Laboratory->new($lims);
my $other    = LIMS::Service::Laboratory->new($lims,
    $lims->organization(code => 'other-laboratory'));
my $ana      = LIMS::Service::Person->new($lims);
my $material = $lab->material;
my $month    = q{date_trunc('month', now() AT TIME ZONE 'UTC')};

# On a connection of its own: one that is kept is closed when workers get scarce.
sub create {
    my (%more) = @_;
    return $lims->post('/samples', { clientName => 'A', materialTypeId => $material, %more },
        connection => 'new');
}

sub count {
    return $lab->value('SELECT count(*) FROM lims.sample WHERE organization_id = ?',
        $lims->fixture->{id});
}

sub turn_the_month {
    my ($interval) = @_;
    my $db = $lims->db;
    $db->do('ALTER TABLE lims.sample DISABLE TRIGGER USER');
    $db->do("UPDATE lims.sample SET created_at = $month + interval '$interval'");
    $db->do('ALTER TABLE lims.sample ENABLE TRIGGER USER');
    $db->do("UPDATE lims.sample_allowance SET month = (month - interval '1 month')::date");
    return;
}

subtest 'fifty registrations at once with an allowance of twenty-five' => sub {
    $lab->policy(monthly_sample_allowance => 25);
    my ($met, @answers);
    my @events = $lab->events_of(sub {
        ($met, @answers) = $lab->overlapping(50, material_type => $material, sub {
            my $response = create();
            return [ $response->status, $response->json ];
        }, 16);
    });
    my @made    = grep { $_->[0] == 201 } @answers;
    my @refused = grep { $_->[0] == 403 } @answers;

    cmp_ok($met, '>=', 16, "$met of them were in the middle of it together");
    is(scalar @made,    25, 'twenty-five are registered');
    is(scalar @refused, 25, 'twenty-five are refused');
    is(count(),         25, 'as many samples were made');
    is(scalar @events,  25, 'each has its event');
    my %bodies = map { join(' ', sort keys %{ $_->[1] }) . " $_->[1]{code}" => 1 } @refused;
    is_deeply([ keys %bodies ], ['code message SAMPLE_LIMIT_EXCEEDED'], 'a code, and no error');
    like($refused[0][1]{message}, qr/25/, 'the words name the allowance');
};

subtest 'the allowance is used up' => sub {
    my $changes = $lab->changes_of(sub {
        refused(create(), 403, 'SAMPLE_LIMIT_EXCEEDED', 'another one') for 1 .. 2;
    });
    is($changes, 0, 'refused registrations change nothing');
    is($lab->value('SELECT used FROM lims.sample_allowance WHERE organization_id = ?',
            $lims->fixture->{id}), 25, 'refused registrations are not counted');
    is($other->sample->{status}, 'pending', 'another organization has its own allowance');
    my ($id) = $lims->db->selectrow_array('SELECT min(id) FROM lims.sample'
            . ' WHERE organization_id = ?', undef, $lims->fixture->{id});
    is($lims->patch("/samples/$id", { notes => 'x' })->status, 200, 'only creation is limited');
};

# The limit, what is used and what is left, and the ETag by which the organization is changed.
sub allowance {
    my $record = $ana->get('/organization');
    my $with   = $ana->get('/organization?include=allowance');

    isnt($with->header('etag'), $record->header('etag'), 'the ETag is of all that is shown');
    return [ @{ $with->json->{allowance} }{qw(limit used left)} ], $record->header('etag');
}

subtest 'a larger plan' => sub {
    $lab->policy(monthly_sample_allowance => 27);
    my ($before, $etag) = allowance();
    is_deeply($before, [ 27, 25, 2 ], 'people see what is left');
    is(create()->status, 201, "number $_") for 26, 27;
    refused(create(), 403, 'SAMPLE_LIMIT_EXCEEDED', 'number 28');
    my ($after, $same) = allowance();
    is_deeply($after, [ 27, 27, 0 ], 'people see that nothing is left of the allowance');
    is($same, $etag, 'samples do not change the organization that an administrator edits');
};

subtest 'a refused body does not use it up' => sub {
    $lab->policy(monthly_sample_allowance => 28);
    refused(create(testDefinitionIds => [987654]), 400, 'invalid_reference', 'refused late')
        for 1 .. 3;
    is(create()->status, 201, 'number 28');
};

subtest 'the turn of the month (UTC)' => sub {
    turn_the_month('-1 microsecond');
    is(create()->status, 201, "number $_ of the new month") for 1 .. 3;
    $lab->policy(monthly_sample_allowance => 3);
    refused(create(), 403, 'SAMPLE_LIMIT_EXCEEDED', 'the sample above the allowance is refused');
};

subtest 'no allowance, and one that is introduced' => sub {
    $lab->policy(monthly_sample_allowance => undef);
    is(create()->status, 201, 'any number') for 1 .. 2;
    is_deeply((allowance())[0], [ undef, 5, undef ], 'without an allowance the month is counted');
    # Five this month by now; they count from the first second of the month.
    $lab->policy(monthly_sample_allowance => 6);
    is(create()->status, 201, 'the sixth');
    refused(create(), 403, 'SAMPLE_LIMIT_EXCEEDED', 'the seventh');
    $lab->policy(monthly_sample_allowance => undef);
    turn_the_month('0');
    my $this_month = count();
    $lab->policy(monthly_sample_allowance => $this_month + 1);
    is(create()->status, 201, 'the first instant of the month belongs to it');
    refused(create(), 403, 'SAMPLE_LIMIT_EXCEEDED', 'further samples are refused');
};

subtest 'an allowance of 0' => sub {
    $lab->policy(monthly_sample_allowance => 0);
    refused(create(), 403, 'SAMPLE_LIMIT_EXCEEDED', 'an allowance of 0');
};

done_testing();
