#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# A number outside its limits opens an OOS investigation where the policy says so: one while
# it is open, with its event in the result's transaction, and none after a rollback.
use strict;
use warnings;

use LIMS::Service::Laboratory;
use LIMS::Test;
use POSIX qw(strftime);

my $lims  = LIMS::Test->new;
my $lab   = LIMS::Service::Laboratory->new($lims);
my $limit = $lab->definition(code => 'NO3N', specification_high => 10, unit => 'mg/L');

my $entered = [ 'result.entered', 'sampleTestId integer, testDefinitionId integer' ];
my $opened  = [ 'investigation.opened', 'investigationId integer, investigationNumber string, '
        . 'title string, kind string, sampleId integer' ];

sub sample_of { return $lab->sample(testDefinitionIds => [@_]) }

sub investigations {
    my ($test) = @_;
    return scalar $lab->value('SELECT count(*) FROM lims.investigation WHERE sample_test_id = ?',
        $test);
}

subtest 'a result out of specification opens an investigation' => sub {
    my $sample = sample_of($limit);
    my ($test) = $lab->tests($sample);
    my @events = $lab->events_in(sub { $lab->enter($test, '12.5') });
    my ($told) = map { $_->[1] } grep { $_->[0] eq 'investigation.opened' } @events;
    my $row    = $lims->db->selectrow_hashref('SELECT * FROM lims.investigation'
            . ' WHERE sample_test_id = ?', undef, $test);

    is($told->{investigationId},     $row->{id},
        'the event names the investigation');
    is($told->{investigationNumber}, $row->{investigation_number},
        'the event has the number of the investigation');
    my $year = strftime('%y', gmtime);
    like($told->{investigationNumber}, qr/\AOOS-$year-\d{7,}\z/,
        'the number has the prefix of its kind');
    is($told->{kind},     'oos',         'the event has the kind of the investigation');
    is($told->{sampleId}, $sample->{id}, 'the event names the sample');
    like($told->{title}, qr/NO3N.*12\.5.*at most 10 mg\/L.*$sample->{trackingId}/,
        'its title says what');
    is($row->{status},    'opened', 'the investigation is open');
    is($row->{opened_by}, $lims->fixture->{user_id}, 'opened by who entered the result');
    is($lab->value('SELECT i.xmin = t.xmin FROM lims.investigation i, lims.sample_test t'
                . ' WHERE t.id = ? AND i.sample_test_id = t.id', $test), 1,
        'in the transaction of the result');
};

subtest 'one investigation while it is open' => sub {
    my ($test) = $lab->tests(sample_of($limit));
    is_deeply([ sort { $a->[0] cmp $b->[0] } $lab->events_of(sub { $lab->enter($test, '11') }) ],
        [ $opened, $entered ], 'the first value that is out');
    is_deeply([ $lab->events_of(sub { $lab->enter($test, '13') }) ], [$entered],
        'another value out of specification');
    is_deeply([ $lab->events_of(sub { $lab->enter($test, '5') }) ], [$entered], 'back inside');
    is($lab->value('SELECT status FROM lims.investigation WHERE sample_test_id = ?', $test),
        'opened', 'a value within the limits again does not close the investigation');
    is_deeply([ $lab->events_of(sub { $lab->enter($test, '14') }) ], [$entered], 'out again');
    is(investigations($test), 1, 'still the one');
    $lab->cancel_investigations($test);
    is_deeply([ $lab->events_of(sub { $lims->patch("/sample-tests/$test", { notes => 'n' }) }) ],
        [], 'after it ended, a note opens none');
    is_deeply([ sort { $a->[0] cmp $b->[0] } $lab->events_of(sub { $lab->enter($test, '15') }) ],
        [ $opened, $entered ], 'another value out of specification opens one');
    is(investigations($test), 2, 'a second investigation is opened');
};

subtest 'results that open none' => sub {
    my $text = $lab->definition(result_type => 'text', specification_text => 'Clear');
    my @cases = (
        [ $limit,                                      '10',     'inside' ],
        [ $limit,                                      '<11',    'not to be said' ],
        [ $limit,                                      'TNTC',   'no number' ],
        [ $lab->definition,                            '1e9',    'no limit' ],
        [ $text,                                       'Turbid', 'a text' ],
    );
    for my $case (@cases) {
        my ($definition, $result, $name) = @$case;
        my ($test) = $lab->tests(sample_of($definition));
        is_deeply([ $lab->events_of(sub { $lab->enter($test, $result) }) ], [$entered], $name);
    }
    $lab->policy(oos_opens_investigation => 'f');
    my ($test) = $lab->tests(sample_of($limit));
    is_deeply([ $lab->events_of(sub { $lab->enter($test, '99') }) ], [$entered],
        'the policy does not ask for it');
    $lab->policy(oos_opens_investigation => 't');
};

subtest 'bulk results: all or none' => sub {
    my @tests   = map { $lab->tests(sample_of($limit)) } 1 .. 3;
    my @updates = map { { sampleTestId => $_, result => '20' } } @tests;
    $updates[1]{result} = '2';
    is_deeply([ $lab->events_of(sub {
                    refused($lims->post('/sample-tests/bulk-results',
                            { updates => [ @updates, { sampleTestId => 987654, result => '1' } ] }),
                        400, 'invalid_reference', 'one id is wrong') }) ],
        [], 'nothing is opened or told');
    my @events = $lab->events_of(sub {
        is($lims->post('/sample-tests/bulk-results', { updates => \@updates })->status, 200,
            'all are right') });
    is(scalar(grep { $_->[0] eq 'investigation.opened' } @events), 2,
        'one for each result out of specification');
    is(scalar(grep { $_->[0] eq 'result.entered' } @events), 3, 'one event for each result');
};

done_testing();
