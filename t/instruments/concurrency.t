#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Concurrent uploads: one file is imported once, however many send it; a verification
# meanwhile holds the whole file back; an imported result differs from one entered by hand
# only in where it says that it comes from.
use strict;
use warnings;

use LIMS::Files::Instrument;
use LIMS::Service::Laboratory;
use LIMS::Test;

my $lims = LIMS::Test->new(conf => LIMS::Service::Laboratory::patience());
my $lab  = LIMS::Service::Laboratory->new($lims);
my $pc   = LIMS::Files::Instrument->new($lab);

$pc->profile;

subtest 'twenty clients send the same file' => sub {
    my @samples = map { $pc->sample('NO3') } 1 .. 5;
    my $file    = $pc->csv(map { [ $_, 'NO3', '1.5' ] } @samples);
    my @answers;
    my @events = $lab->events_in(sub {
        @answers = $lims->parallel(20, sub {
            my $answer = $pc->send($file, name => 'run.csv');
            return [ $answer->status, $answer->body ];
        });
    });
    my @codes = sort map { $_->[0] } @answers;
    is_deeply(\@codes, [ (200) x 19, 201 ],
        'one of twenty imports the file') or diag(map { $_->[1] } @answers);
    is(scalar(grep { $_->[0] eq 'result.entered' } @events), 5, 'each result is told once');
    is($lab->value(q{SELECT count(*) FROM lims.instrument_file WHERE file_name = 'run.csv'}), 1,
        'one file is stored');
    is($lab->value('SELECT count(*) FROM lims.instrument_file_row'), 5,
        'the rows of the file are stored once');
    my %ids = map { JSON::PP::decode_json($_->[1])->{id} => 1 } @answers;
    is(scalar keys %ids, 1, 'all are answered with the same file');
};

subtest 'twenty clients send the same results in other bytes' => sub {
    my @samples = map { $pc->sample('NO3') } 1 .. 3;
    my $file    = $pc->csv(map { [ $_, 'NO3', '2.5' ] } @samples);
    my @answers = $lims->parallel(20, sub {
        my ($number) = @_;
        return $pc->send($file . "\n" x $number)->status;
    });
    is_deeply([ sort @answers ], [ (200) x 19, 201 ], 'one of twenty writes the results');
    is($lab->value('SELECT count(*) FROM lims.instrument_file WHERE duplicate_of IS NOT NULL'), 19,
        'the others are its duplicates');
};

subtest 'a result is verified while a file is imported' => sub {
    my @samples = map { $pc->sample('NO3') } 1 .. 3;
    my ($test)  = $lab->tests($samples[1]);
    my $file    = $pc->csv(map { [ $_, 'NO3', '7' ] } @samples);
    $lab->enter($test, '7');
    $pc->profile(write => { existing => 'sameValueOk' });
    my ($met, @done) = $lab->overlapping(2, 'sample_test', $test, sub {
        my ($number) = @_;
        my $answer = $number ? $pc->send($file)
            : $lims->post("/sample-tests/$test/verify", {});
        return [ $answer->status, $answer->body ];
    });
    is($met, 2, 'both waited for the same row');
    is($done[0][0], 200, 'the result is verified') or diag($done[0][1]);
    # Whichever came first: a file of the same value may be entered before.
    if ($done[1][0] == 202) {
        is_deeply([ map { $_->{code} } @{ JSON::PP::decode_json($done[1][1])->{reasons} } ],
            ['test_verified_locked'], 'the file is held back for that reason');
        is($pc->test($samples[$_], 'NO3')->{status}, 'pending', "nothing of it in sample $_")
            for 0, 2;
    }
    else {
        is($done[1][0], 201, 'or it was faster');
        is($pc->test($samples[$_], 'NO3')->{result}, '7', "sample $_") for 0, 2;
    }
    is($pc->test($samples[1], 'NO3')->{status}, 'verified', 'the result stays verified');
    $pc->profile;
};

# Verifies in a transaction that ends when somebody waits for it.
sub verify_slowly {
    my ($test) = @_;
    my $db = LIMS::Instance::connect_database($lims->{database}, 'lims_owner');
    $db->begin_work;
    $db->do('SELECT lims.act_as(?, ?, NULL, NULL, NULL)', undef, $lims->fixture->{id},
        $lims->fixture->{user_id});
    $db->do(q{UPDATE lims.sample_test SET status = 'verified' WHERE id = ?}, undef, $test);
    my $waiting = wait_until {
        # A transaction would go on seeing the activity that it saw first.
        $db->do('SELECT pg_stat_clear_snapshot()');
        $db->selectrow_array(q{SELECT count(*) FROM pg_stat_activity
            WHERE datname = current_database() AND wait_event_type = 'Lock'});
    };
    $db->commit;
    $db->disconnect;
    return $waiting;
}

subtest 'a result that was verified before' => sub {
    my @samples = map { $pc->sample('NO3') } 1 .. 3;
    my ($test)  = $lab->tests($samples[1]);
    my $file    = $pc->csv(map { [ $_, 'NO3', '8' ] } @samples);
    $lab->enter($test, '8');
    $pc->profile(write => { existing => 'sameValueOk' });
    my ($waited, $answer) = $lims->parallel(2, sub {
        my ($number) = @_;
        return verify_slowly($test) unless $number;
        # Not before the other has it. The copies of a database number their tables
        # alike, and other tests are at work in theirs.
        wait_until {
            !$lims->superuser->selectrow_array(q{SELECT count(*) FROM (SELECT FROM
                lims.sample_test WHERE id = ? FOR UPDATE SKIP LOCKED) free}, undef, $test);
        };
        my $sent = $pc->send($file);
        return [ $sent->status, $sent->json ];
    });
    is($waited, 1, 'the import waited for it');
    is($answer->[0], 202, 'the file is kept');
    is_deeply([ map { "$_->{row} $_->{code}" } @{ $answer->[1]{reasons} } ],
        ['3 test_verified_locked'], 'the verified result is the only reason');
    is_deeply([ map { $pc->test($_, 'NO3')->{status} } @samples ], [qw(pending verified pending)],
        'no result of the file is entered');
    $pc->profile;
};

# Returns the rows that a change of a test has written, without user, time and ids.
sub trace {
    my ($test) = @_;
    my $db = $lims->db;
    my @of = ($test);
    return {
        test => $db->selectrow_hashref(q{SELECT status, result, numeric_value, qualifier, notes,
            out_of_specification, spec_low, spec_high, spec_text, confirmation_status,
            analyzed_at, entered_by, entered_at IS NOT NULL AS entered,
            first_entered_at = entered_at AS at_first FROM lims.sample_test WHERE id = ?}, undef, @of),
        audit => $db->selectall_arrayref(q{SELECT action, changes::jsonb
            - '{entered_at,first_entered_at,sample_id}'::text[], user_id, api_key_id, reason, signature_id
            FROM lims.audit_entry WHERE table_name = 'sample_test' AND record_id = ? ORDER BY id},
            undef, @of),
        history => $db->selectall_arrayref(q{SELECT (to_jsonb(h)
            - '{id,sample_test_id,request_id}'::text[]) - '{changed_at,recorded_at,occurred_at,
            entered_at,created_at,replaced_at}'::text[] FROM lims.result_history h
            WHERE sample_test_id = ? ORDER BY id}, undef, @of),
        events => $db->selectall_arrayref(q{SELECT type, data::jsonb - 'sampleTestId'
            - 'investigationId' - 'investigationNumber' - 'sampleId' - 'title' FROM lims.event
            WHERE data ->> 'sampleTestId' = ?::text ORDER BY id}, undef, @of),
        due => $db->selectrow_array('SELECT count(*) FROM lims.sample_dirty d JOIN lims.sample_test t
            ON t.sample_id = d.sample_id WHERE t.id = ?', undef, @of),
    };
}

subtest 'an imported result equals one entered by hand' => sub {
    $pc->{definition}{PH} //= $lab->definition(code => 'PH', specification_low => 6,
        specification_high => 8, unit => '1');
    for my $value ('7.10', '12.50', '<1', '6') {
        my ($hand, $machine) = map { $pc->sample('PH') } 1 .. 2;
        my ($by_hand) = $lab->tests($hand);
        my ($by_file) = $lab->tests($machine);
        # Bulk entry takes no qualifier.
        my $hand_entry = $value =~ /^</
            ? $lims->patch("/sample-tests/$by_hand", { result => $value, qualifier => '<' })
            : $lims->post('/sample-tests/bulk-results',
                { updates => [ { sampleTestId => $by_hand, result => $value } ] });
        is($hand_entry->status, 200, "'$value' by hand");
        my $answer = $pc->send($pc->csv([ $machine, 'PH', $value ]));
        is($answer->status, 201, "'$value' by a file") or diag($answer->body);
        my $expected = trace($by_hand);
        my $found    = trace($by_file);
        is_deeply($found, $expected, 'every order leaves the same rows');
        is($lab->value('SELECT count(*) FROM lims.instrument_file_row WHERE sample_test_id = ?',
                $by_file), 1, 'the place of the value in the file is kept');
    }
};

done_testing();
