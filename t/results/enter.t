#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# PATCH /sample-tests/:id: a result is text and stays as typed, beside its exact number
# where it is one; a blank result is none; a change to the same value makes no event; and
# every replaced value is kept.
use strict;
use warnings;

use LIMS::Service::CommandLine;
use LIMS::Service::Laboratory;
use LIMS::Test;

my $lims  = LIMS::Test->new;
my $lab   = LIMS::Service::Laboratory->new($lims);
my $other = LIMS::Service::Laboratory->new($lims, $lims->organization(code => 'other-laboratory'));
my $user  = $lims->fixture->{user_id};

sub pending { return ($lab->tests($lab->sample(testDefinitionIds => [ $lab->definition ])))[0] }

my $test = pending();
my $path = "/sample-tests/$test";

sub stored {
    return scalar $lims->db->selectrow_hashref('SELECT *, numeric_value::text AS number'
            . ' FROM lims.sample_test WHERE id = ?', undef, $_[0] // $test);
}

# [as typed, its exact number or none]
my @results = (
    [ '7.10', '7.10' ], [ '7.1', '7.1' ], [ '007', '7' ], [ '0', '0' ], [ '-0.5', '-0.5' ],
    [ '+3', '3' ], [ '.5', '0.5' ], [ '5.', '5' ], [ ' 7.1 ', '7.1' ], [ '1e3', '1000' ],
    [ '1.5E-3', '0.0015' ], [ '<0.5', '0.5' ], [ '< 0.5', '0.5' ], [ '>2419.6', '2419.6' ],
    [ '> 8', '8' ], [ '0.1234567890123456789012345', '0.1234567890123456789012345' ],
    [ '123456789012345678901234567890', '123456789012345678901234567890' ],
    [ '1e99', '1' . '0' x 99 ],
    [ 'TNTC', undef ], [ 'ND', undef ], [ 'see note', undef ], [ '1,5', undef ],
    [ '7.1 mg/L', undef ], [ '<', undef ], [ '-', undef ], [ '.', undef ], [ 'e5', undef ],
    [ '1e', undef ], [ '1e1000', undef ], [ '<<5', undef ], [ '>=5', undef ], [ '0x1F', undef ],
    [ 'NaN', undef ], [ 'Infinity', undef ], [ "\x{2212}5", undef ], [ "\x{664}", undef ],
    [ '=1+1', undef ], [ q{'; DROP TABLE lims.sample; --}, undef ], [ '9' x 1000, undef ],
    [ "\x{1F9EA}" x 1000, undef ], [ "two\nlines", undef ],
);

subtest 'a result is kept as typed, with its number' => sub {
    for my $case (@results) {
        my ($text, $number) = @$case;
        my $shown    = substr $text =~ s/[^ -~]/?/gr, 0, 40;
        my $response = $lims->patch($path, { result => $text });

        is($response->status, 200, "$shown is accepted") or diag($response->body);
        is($response->json->{result}, $text,     "$shown is kept to the letter");
        is($response->json->{status}, 'entered', "$shown is entered");
        is($lims->get($path)->json->{result}, $text, "a result is read as it was entered: $shown");
        is(stored()->{number}, $number, "the number of $shown is stored");
    }
};

subtest 'enteredBy and enteredAt' => sub {
    my $before = $lims->get($path)->json->{enteredAt};
    my $entered = $lab->enter($test, '8.01');
    is($entered->{enteredBy}, $user, 'the user of the key');
    like($entered->{enteredAt}, qr/\A\d{4}-.*\.\d{3}Z\z/, 'it is UTC, to the millisecond');
    cmp_ok($entered->{enteredAt}, 'gt', $before, 'later than the one before');
    is($entered->{verifiedBy}, undef, 'the result is not verified');
};

subtest 'a blank result is no result' => sub {
    for my $blank ('', ' ', "\t \n", undef) {
        $lab->enter($test, '5', qualifier => 'J', notes => 'stays');
        my $response;
        my @events = $lab->events_of(sub { $response = $lims->patch($path, { result => $blank }) });
        my $record = $response->json;

        is($record->{status}, 'pending', 'back to pending');
        is($record->{$_}, undef, "a withdrawn result has no $_") for qw(result enteredBy enteredAt
            outOfSpecification confirmationStatus);
        is($record->{notes}, 'stays', 'notes of a withdrawn result stay');
        is_deeply(\@events, [], 'withdrawing a result emits no event');
        is(stored()->{number}, undef, 'a withdrawn result has no number');
    }
    is($lab->changes_of(sub { $lims->patch($path, { result => ' ' }) }), 0,
        'blank again changes nothing');
};

subtest 'result.entered when a value is entered, and only then' => sub {
    my $fresh = pending();
    my @entered = ([ 'result.entered', 'sampleTestId integer, testDefinitionId integer' ]);
    my @cases   = (
        [ 'a first value',          { result => '7.10' },                     1 ],
        [ 'the same',               { result => '7.10' },                     0 ],
        [ 'the same with notes',    { result => '7.10', notes => 'n' },       0 ],
        [ 'another text',           { result => '7.1' },                      1 ],
        [ 'a qualifier',            { qualifier => 'J' },                     1 ],
        [ 'the same qualifier',     { qualifier => 'J', result => '7.1' },    0 ],
        [ 'notes alone',            { notes => 'other' },                     0 ],
        [ 'no qualifier',           { qualifier => undef },                   1 ],
        [ 'a time of analysis',     { analyzedAt => '2026-03-09T10:00:00Z' }, 0 ],
        [ 'none',                   { result => undef },                      0 ],
        [ 'one again',              { result => '7.1' },                      1 ],
    );

    for my $case (@cases) {
        my ($what, $body, $told) = @$case;
        my $before = $lims->get("/sample-tests/$fresh")->json;
        my $after;
        is_deeply([ $lab->events_of(sub {
                        $after = $lims->patch("/sample-tests/$fresh", $body)->json }) ],
            $told ? \@entered : [], $what);
        is($after->{enteredAt} // '', $before->{enteredAt} // '',
            'the correction keeps the time of entry')
            if !$told && defined $after->{result};
    }
    my ($event) = $lab->events_in(sub { $lab->enter($fresh, '9') });
    is($event->[1]{sampleTestId}, $fresh, 'the event names the test');
    is($event->[1]{testDefinitionId}, stored($fresh)->{test_definition_id},
        'the event names the definition');
};

subtest 'a new result clears the qualifier' => sub {
    my $id = pending();
    my $at = "/sample-tests/$id";
    $lims->patch($at, { result => '12', qualifier => 'U' });
    is($lims->patch($at, { notes => 'still the same value' })->json->{qualifier}, 'U',
        'the same value keeps the qualifier');
    is($lims->patch($at, { result => '13' })->json->{qualifier}, undef,
        'another value has no qualifier');
    $lims->patch($at, { result => '14', qualifier => '<' });
    my $bulk = { updates => [ { sampleTestId => $id, result => '15' } ] };
    is($lims->post('/sample-tests/bulk-results', $bulk)->json->{updated}[0]{qualifier}, undef,
        'a value entered in bulk has no former qualifier');
    $lims->patch($at, { result => '16', qualifier => 'J' });
    $lims->patch($at, { result => undef });
    is($lims->patch($at, { result => '17' })->json->{qualifier}, undef,
        'a withdrawn value takes its qualifier along');
};

subtest 'replaced values are kept' => sub {
    my $fresh = pending();
    $lab->enter($fresh, $_) for '1', '2', '3';
    $lims->patch("/sample-tests/$fresh", { result => undef });
    $lab->enter($fresh, '4', qualifier => '<');
    my $history = $lims->db->selectcol_arrayref('SELECT result FROM lims.result_history'
            . ' WHERE sample_test_id = ? ORDER BY id', undef, $fresh);
    is_deeply($history, [ 1, 2, 3 ], 'each that was replaced or withdrawn');
    my $audit = $lims->db->selectcol_arrayref('SELECT changes FROM lims.audit_entry WHERE'
            . q{ table_name = 'sample_test' AND record_id = ? AND action = 'update'}
            . q{ AND changes -> 'result' IS NOT NULL ORDER BY id}, undef, $fresh);
    is_deeply([ map { my $r = LIMS::Service::JSONSchema::decode($_)->{result};
                ($r->{old} // '-') . '>' . ($r->{new} // '-') } @$audit ],
        [qw(->1 1>2 2>3 3>- ->4)], 'the audit trail has each change of the result');
};

subtest 'all fields, and null' => sub {
    my %body = (
        result       => '1.0',
        qualifier    => 'U',
        notes        => "a note \x{b5}",
        reagentLotId => $lab->reagent_lot,
        mediaLotId   => $lab->media_lot,
        analyzedAt   => '2026-03-09T10:00:00.000Z',
    );
    my $record = $lims->patch($path, {%body})->json;
    is($record->{$_}, $body{$_}, $_) for sort keys %body;
    for my $field (qw(notes qualifier reagentLotId mediaLotId analyzedAt)) {
        my $after = $lims->patch($path, { $field => undef })->json;
        is($after->{$field}, undef, "$field is cleared");
        is($after->{result}, '1.0', "clearing $field keeps the result");
    }
    is($lims->patch($path, { qualifier => $_ })->json->{qualifier}, $_, "qualifier $_")
        for '<', '>', 'ND', 'J', 'U';
};

# [body, slug, word]
my @refusals = (
    [ { result => 7.1 },                             'invalid_body', 'result' ],
    [ { result => 'r' x 1001 },                      'invalid_body', 'result' ],
    [ { result => ['1'] },                           'invalid_body', 'result' ],
    [ { qualifier => 'E' },                          'invalid_body', 'qualifier' ],
    [ { qualifier => '' },                           'invalid_body', 'qualifier' ],
    [ { notes => 'n' x 4001 },                       'invalid_body', 'notes' ],
    [ { analyzedAt => '2026-03-09' },                'invalid_body', 'analyzedAt' ],
    [ { analyzedAt => '2999-01-01T00:00:00Z' },      'invalid_body', 'analyzedAt' ],
    [ { reagentLotId => '1' },                       'invalid_body', 'reagentLotId' ],
    [ { reagentLotId => 987654 },                    'invalid_reference', 'reagentLotId' ],
    [ { reagentLotId => $other->reagent_lot },       'invalid_reference', 'reagentLotId' ],
    [ { mediaLotId => 987654 },                      'invalid_reference', 'mediaLotId' ],
    [ { mediaLotId => $other->media_lot },           'invalid_reference', 'mediaLotId' ],
    [ { value => '1' },                              'invalid_body', 'value' ],
    [ {},                                            'no_updatable_fields', '' ],
    (map { [ { $_ => 'x', result => '1' }, 'field_not_patchable', $_ ] }
        qw(id sampleId testDefinitionId testCode testName status unit outOfSpecification
        specification qcBatchId confirmationStatus worksheetStatus holdingStatus holdingExpiresAt
        enteredBy enteredAt verifiedBy verifiedAt warnings createdAt updatedAt)),
);

subtest 'refused changes' => sub {
    my $changes = $lab->changes_of(sub {
        for my $case (@refusals) {
            my ($body, $slug, $word) = @$case;
            my $said = refused($lims->patch($path, $body), 400, $slug,
                shown($body));
            like($said->{message}, qr/$word/, "the message names $word") if $word;
        }
    });
    is($changes, 0, 'no entry, no event');
};

subtest 'unknown tests' => sub {
    my ($foreign) = $other->tests($other->sample(testDefinitionIds => [ $other->definition ]));
    my $absent  = refused($lims->patch('/sample-tests/987654', { result => '1' }), 404,
        'not_found', 'absent');
    my $strange = refused($lims->patch("/sample-tests/$foreign", { result => '1' }), 404,
        'not_found', 'foreign');
    is($strange->{message} =~ s/$foreign/N/r, $absent->{message} =~ s/987654/N/r,
        'both messages are the same but for the id');
};

subtest 'remarks on the report' => sub {
    my $sample = $lab->sample(testDefinitionIds => [ $lab->definition ]);
    my ($test) = $lab->tests($sample);
    my $person = LIMS::Service::CommandLine->new($lims, 'lab_manager');
    my $bulk   = sub {
        return $lims->post('/sample-tests/bulk-results',
            { updates => [ { sampleTestId => $test, result => '7.1', @_ } ] })->json->{updated}[0];
    };
    for my $at ("/sample-tests/$test", "/samples/$sample->{id}") {
        my %printed = (notes => 'turbid', noteOnReport => JSON::PP::true());
        ok($lims->patch($at, \%printed)->json->{noteOnReport}, 'a remark is to be printed');
        ok($lims->patch($at, { notes => 'turbid' })->json->{noteOnReport},
            'the same notes again are still printed');
        ok(!$lims->patch($at, { notes => 'ask Kim' })->json->{noteOnReport},
            'other notes of a program are not printed unless it says so');
        ok($lims->patch($at, \%printed)->json->{noteOnReport}, 'a program may say so');
    }
    ok($bulk->(notes => 'turbid')->{noteOnReport}, 'the same notes in bulk do not change that');
    ok($bulk->()->{noteOnReport}, 'no notes in bulk do not change that');
    ok(!$bulk->(notes => 'see bench sheet 4')->{noteOnReport}, 'other notes in bulk are not printed');
    $lims->patch("/sample-tests/$test", { notes => 'turbid', noteOnReport => JSON::PP::true() });
    ok($person->done('sample-test enter', $test, notes => 'very turbid')->{noteOnReport},
        'a person corrects a remark, which is shown to be printed');
};

done_testing();
