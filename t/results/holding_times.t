#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Holding times: from collection (the start of the day in the laboratory's time zone, or the
# exact time) plus the method's hours, down to a quarter of an hour. An analysed test is
# evaluated at its time of analysis, a sample by the worst of its open tests.
use strict;
use warnings;

use LIMS::Service::Laboratory;
use LIMS::Test;
use POSIX qw(strftime);

my $lims = LIMS::Test->new;
my $lab  = LIMS::Service::Laboratory->new($lims);

# A time as the API writes it, some minutes from now.
my $now = time;
sub moment { return strftime('%Y-%m-%dT%H:%M:%S.000Z', gmtime($now + 60 * $_[0])) }

# The record of a test, its method holding for so many hours.
sub held {
    my ($hours, %body) = @_;
    return $lab->sample(testDefinitionIds => [ $lab->definition(holding_time_hours => $hours) ],
        %body)->{tests}[0];
}

sub says { return join ' ', map { $_ // 'null' } @{ $_[0] }{qw(holdingStatus holdingExpiresAt)} }

subtest 'tests without a holding time' => sub {
    is(says(held(undef, collectedAt => moment(-60))), 'null null', 'the method has no limit');
    is(says(held(24)), 'null null', 'without a collection date there is none');
};

# [zone, collection, hours, expiry]
my @expiries = (
    [ 'UTC', { collectedAt => '2026-03-09T14:05:30.250Z' }, 24, '2026-03-10T14:05:30.250Z' ],
    [ 'UTC', { collectedAt => '2026-03-09T14:05:00Z' }, 0.25,   '2026-03-09T14:20:00.000Z' ],
    [ 'UTC', { collectedAt => '2026-03-09T14:05:00Z' }, 4320,   '2026-09-05T14:05:00.000Z' ],
    [ 'UTC', { collectionDate => '2026-03-09' }, 48,            '2026-03-11T00:00:00.000Z' ],
    # Daylight saving began at 02:00 on 8 March: 48 hours are 48 hours.
    [ 'America/Denver', { collectionDate => '2026-03-07' }, 48, '2026-03-09T07:00:00.000Z' ],
    [ 'America/Denver', { collectionDate => '2026-03-09' }, 48, '2026-03-11T06:00:00.000Z' ],
    [ 'America/Denver', { collectedAt => '2026-03-09T14:05:00Z' }, 48,
        '2026-03-11T14:05:00.000Z' ],
);

subtest 'when the holding time expires' => sub {
    for my $case (@expiries) {
        my ($zone, $body, $hours, $expiry) = @$case;
        $lab->policy(time_zone => $zone);
        is(held($hours, %$body)->{holdingExpiresAt}, $expiry,
            join ' ', %$body, "in $zone, $hours h");
    }
    $lab->policy(time_zone => 'UTC');
};

# [hours, collected so many minutes ago, warning in hours, status]
my @standing = (
    [ 48,   60,       24, 'ok' ],
    [ 48,   23 * 60,  24, 'ok' ],
    [ 48,   25 * 60,  24, 'expiring_soon' ],
    [ 48,   47 * 60,  24, 'expiring_soon' ],
    [ 48,   49 * 60,  24, 'expired' ],
    [ 48,   25 * 60,  2,  'ok' ],
    [ 48,   47 * 60,  2,  'expiring_soon' ],
    [ 48,   47 * 60,  0,  'ok' ],
    [ 48,   48 * 60 + 1, 0, 'expired' ],
    [ 0.25, 5,        24, 'expiring_soon' ],
    [ 0.25, 5,        0,  'ok' ],
    [ 0.25, 20,       24, 'expired' ],
    [ 0.25, 20,       0,  'expired' ],
);

subtest 'holding status of a test without a result' => sub {
    for my $case (@standing) {
        my ($hours, $ago, $warning, $status) = @$case;
        $lab->policy(holding_warning_hours => $warning);
        is(held($hours, collectedAt => moment(-$ago))->{holdingStatus}, $status,
            "$hours h, $ago min ago, warned $warning h before");
    }
    $lab->policy(holding_warning_hours => 24);
};

subtest 'the clock stops at the analysis' => sub {
    my $late = held(0.25, collectedAt => moment(-60));
    is($late->{holdingStatus}, 'expired', 'a field test of an hour ago');
    is($lab->enter($late->{id}, '7', analyzedAt => moment(-50))->{holdingStatus}, 'ok',
        'analysed after ten minutes, entered later');
    is($lims->patch("/sample-tests/$late->{id}", { analyzedAt => moment(-45) })
            ->json->{holdingStatus}, 'ok', 'analysed at the last moment');
    is($lims->patch("/sample-tests/$late->{id}", { analyzedAt => moment(-44) })
            ->json->{holdingStatus}, 'expired', 'a minute too late');
    is($lims->patch("/sample-tests/$late->{id}", { analyzedAt => undef })
            ->json->{holdingStatus}, 'expired', 'without the time, by when it was entered');

    my $soon = held(24, collectedAt => moment(-20 * 60));
    is($soon->{holdingStatus}, 'expiring_soon', 'four hours are left');
    is($lims->patch("/sample-tests/$soon->{id}", { analyzedAt => moment(-60) })
            ->json->{holdingStatus}, 'ok', 'analysed, the result to follow');
    is($lims->patch("/sample-tests/$soon->{id}", { analyzedAt => undef })
            ->json->{holdingStatus}, 'expiring_soon', 'with the time of analysis cleared');
    is($lab->enter($soon->{id}, '7')->{holdingStatus}, 'ok', 'entered in time');
    is($lims->patch("/sample-tests/$soon->{id}", { result => undef })->json->{holdingStatus},
        'expiring_soon', 'withdrawn, it runs again');
};

subtest 'a corrected collection time counts' => sub {
    my $sample = $lab->sample(collectedAt => moment(-60),
        testDefinitionIds => [ $lab->definition(holding_time_hours => 48) ]);
    is($sample->{holdingStatus}, 'ok', 'analysed an hour ago the holding time is met');
    is($lims->patch("/samples/$sample->{id}", { collectedAt => moment(-72 * 60) })
            ->json->{holdingStatus}, 'expired', 'collected three days ago');
};

subtest 'a sample has the worst status of its open tests' => sub {
    my @hours   = (200, 30, 10);
    my @kinds   = map { $lab->definition(holding_time_hours => $_) } @hours, undef;
    my $sample  = $lab->sample(collectedAt => moment(-20 * 60), testDefinitionIds => [@kinds]);
    my @tests   = @{ $sample->{tests} };
    my $of_sample = sub {
        my ($listed) = grep { $_->{id} == $sample->{id} } @{ $lims->get('/samples')->json->{data} };
        my $status = $lims->get("/samples/$sample->{id}")->json->{holdingStatus};
        is($listed->{holdingStatus}, $status, 'the list says the same');
        return $status;
    };

    is_deeply([ map { $_->{holdingStatus} } @tests ], [ 'ok', 'expiring_soon', 'expired', undef ],
        'three tests with a status each');
    is($of_sample->(), 'expired', 'the worst');
    $lab->enter($tests[2]{id}, '7', analyzedAt => moment(-15 * 60));
    is($of_sample->(), 'expiring_soon', 'once the expired test was analysed in time');
    $lab->enter($tests[1]{id}, '7');
    is($of_sample->(), 'ok', 'once the next test is verified');
    $lab->enter($tests[$_]{id}, '7') for 0, 3;
    $lab->verify($_->{id}) for @tests;
    is($of_sample->(), undef, 'once no test is open');
};

done_testing();
