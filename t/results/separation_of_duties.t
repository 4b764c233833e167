#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Separation of duties where a result did not come by hand, or is chosen among several:
# under selfVerification refused nobody verifies the values of a file that they released, or
# sent without a release, nor chooses an own result; and under openInvestigationBlocks a
# result that is under investigation is neither cancelled nor set aside.
use strict;
use warnings;

use LIMS::Files::Instrument;
use LIMS::Service::CommandLine;
use LIMS::Service::Laboratory;
use LIMS::Test;

my $lims = LIMS::Test->new;
my $lab  = LIMS::Service::Laboratory->new($lims);
my $pc   = LIMS::Files::Instrument->new($lab);
my ($ann, $bob, $eva) = map { LIMS::Service::CommandLine->new($lims, $_, roles => ['lab_manager']) }
    'Ann Lee', 'Bob Ray', 'Eva Novak';
my %key = map { $_->{id} => $lims->key($lims->fixture, created_by => $_->{id})->{key} } $ann, $bob;
$pc->profile;
$lab->policy(self_verification => 'refused');

subtest 'the sender of a file' => sub {
    my $sample = $pc->sample('NO3');
    my $test = $pc->test($sample, 'NO3')->{id};
    is($pc->send($pc->csv([ $sample, 'NO3', '2.0' ]), key => $key{ $ann->{id} })->json->{status},
        'imported', 'Ann\'s key sends a file');
    $ann->refused('self_verification', 'sample-test verify', $test);
    refused($lims->post("/sample-tests/$test/verify", {}, key => $key{ $ann->{id} }), 409,
        'self_verification', 'her key may not verify it either');
    is($bob->done('sample-test verify', $test)->{status}, 'verified',
        'another person verifies the result');
};

subtest 'the sender of a file that another person has read again' => sub {
    my $sample = $pc->sample('NO2');
    my $held = $pc->send($pc->csv([ $sample, 'NO3', '4.0' ]), key => $key{ $ann->{id} })->json;
    is($held->{status}, 'quarantined', 'a file with a test that was not ordered is held');
    $bob->done('sample add-tests', $sample->{id}, testDefinitionIds => [ $pc->{definition}{NO3} ]);
    is($bob->done('instrument-file reevaluate', $held->{id})->{status}, 'imported', 'Bob has it read again');
    $ann->refused('self_verification', 'sample-test verify', $pc->test($sample, 'NO3')->{id});
};

subtest 'who released a file' => sub {
    my $sample = $pc->sample('NO3');
    my $first = $pc->test($sample, 'NO3')->{id};
    my ($again) = map { $_->{id} } @{ $lims->post("/sample-tests/$first/retest",
            { reason => 'doubtful' })->json->{tests} };
    my $held = $pc->send($pc->csv([ $sample, 'NO3', '3.0' ]), key => $key{ $ann->{id} })->json;
    is($held->{status}, 'quarantined', 'a file that Ann sent is held');
    $bob->done('instrument-file release', $held->{id}, reason => 'bench sheet',
        tests => [ { row => 2, sampleTestId => $again } ]);
    $bob->refused('self_verification', 'sample-test verify', $again);
    is($ann->done('sample-test verify', $again)->{status}, 'verified', 'the sender may');
};

subtest 'who enters a result again that was sent back' => sub {
    my ($test) = $lab->tests($lab->sample(testDefinitionIds => [ $lab->definition ]));
    $bob->done('sample-test enter', $test, result => '7.0');
    $eva->done('sample-test return', $test, reason => 'measure it again', assignedTo => $ann->{id});
    $ann->done('sample-test enter', $test, result => '7.0', reason => 'measured again: the same');
    $_->refused('self_verification', 'sample-test verify', $test) for $ann, $bob;
    $eva->done('sample-test return', $test, reason => 'with another flask', assignedTo => $ann->{id});
    $bob->done('sample-test enter', $test, result => '7.1');
    is($ann->done('sample-test verify', $test)->{status}, 'verified',
        'of another value that was entered since, the person may verify');
};

# A repeated test with two verified results, entered by Ann and by Bob, verified by Eva.
sub repeated {
    my ($sample, $first) = @_;
    my ($second) = map { $_->{id} } @{ $lims->post("/sample-tests/$first/retest",
            { reason => 'doubtful' })->json->{tests} };
    $ann->done('sample-test enter', $first,  result => '1');
    $bob->done('sample-test enter', $second, result => '2');
    $eva->done('sample-test verify', $_) for $first, $second;
    return ($first, $second);
}

subtest 'the choice among several results' => sub {
    my $sample = $lab->sample(testDefinitionIds => [ $lab->definition ]);
    my ($first, $second) = repeated($sample, $lab->tests($sample));
    $ann->refused('self_verification', 'sample-test choose', $first, reason => 'mine');
    is($ann->done('sample-test choose', $second, reason => 'the other')->{reported},
        JSON::PP::true, 'of another\'s result it is done');
    refused($lims->post("/sample-tests/$first/choose", { reason => 'mine' },
            key => $key{ $ann->{id} }), 409, 'self_verification', 'by a key for its person');
    is($eva->done('sample-test choose', $first, reason => 'the first after all')->{reported},
        JSON::PP::true, 'who verified may choose');
};

subtest 'a result under investigation' => sub {
    my $limited = $lab->definition(specification_high => 1);
    my $sample = $lab->sample(testDefinitionIds => [$limited]);
    $lab->policy(oos_opens_investigation => 't', open_investigation_blocks => 't');
    my ($first, $second) = repeated($sample, $lab->tests($sample));
    my $opened = sub { return $lab->value(q{SELECT count(*) FROM lims.investigation
        WHERE sample_test_id = ? AND status NOT IN ('closed', 'cancelled')}, $_[0]) };
    is_deeply([ map { $opened->($_) } $first, $second ], [ 0, 1 ], 'one of the two is under investigation');
    $eva->refused('investigation_open', 'sample-test choose', $first, reason => 'it fits');
    $eva->done('sample-test reopen', $second, reason => 'to cancel it');
    $eva->refused('investigation_open', 'sample-test cancel', $second, reason => 'it does not fit');
    $lab->cancel_investigations($second);
    is($eva->done('sample-test cancel', $second, reason => 'the flask was broken')->{disposition},
        'cancelled', 'closed, it is cancelled');
    $lab->policy(oos_opens_investigation => 'f', open_investigation_blocks => 'f');
};

subtest 'the end of the person whom a key acts for' => sub {
    my $made = $lims->key($lims->fixture, acts_for => $bob->{id})->{key};
    is($lims->get('/whoami', key => $made)->status, 200, 'the key works');
    $lims->db->do('UPDATE lims.user_account SET active = false WHERE id = ?', undef, $bob->{id});
    is($lims->get('/whoami', key => $made)->status, 401, 'the key ends with the person');
};
done_testing();
