#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Reasons against importing a file that depend on the laboratory's records: every reason in
# a file of its own, all of them at once, and none of the rest entered. An upload-only key
# cannot tell an existing sample from a missing one.
use strict;
use warnings;

use LIMS::Files::Instrument;
use LIMS::Service::CommandLine;
use LIMS::Service::Laboratory;
use LIMS::Test;

my $lims = LIMS::Test->new;
my $lab  = LIMS::Service::Laboratory->new($lims);
my $pc   = LIMS::Files::Instrument->new($lab);
my $ann  = LIMS::Service::CommandLine->new($lims, 'Ann Lee', roles => ['qa_officer']);

$pc->profile;
my $good = $pc->sample('PH');

# A file whose first row is fine, so that what is refused is seen to be the whole.
sub file { return $pc->csv([ $good, 'PH', '7.0' ], @_) }

sub quarantined {
    my ($name, $codes, @rows) = @_;
    my $answer;
    local $Test::Builder::Level = $Test::Builder::Level + 1;

    my @events = $lab->events_in(sub { $answer = $pc->send(file(@rows)) });
    is($answer->status . ' ' . $answer->json->{status}, '202 quarantined', $name)
        or diag($answer->body);
    is_deeply($pc->codes($answer), [ sort @$codes ],
        'the file is held for these reasons') or diag($answer->body);
    is($answer->json->{counts}{written}, 0, 'no result is counted as written');
    is_deeply($answer->json->{results}, [], 'the answer lists no result');
    is(scalar @events, 0, 'no event is emitted');
    is($pc->test($good, 'PH')->{status}, 'pending', 'a result without faults is not entered while its file is held');
    return $answer->json;
}

sub reason {
    my ($json, $code) = @_;
    my ($found) = grep { $_->{code} eq $code } @{ $json->{reasons} };
    return $found;
}

subtest 'samples' => sub {
    my $json = quarantined('no such sample', ['unknown_tracking_id'],
        [ 'LAB-26-0000001-A', 'PH', '1' ]);
    my $why = reason($json, 'unknown_tracking_id');
    is_deeply([ @$why{qw(severity row column cell)} ],
        [ 'blocking', 3, undef, 'LAB-26-0000001-A' ], 'with its place, which is not the value\'s');
    like($why->{message}, qr/mistyped/, 'a wrong check character is told');

    my $pending = $lab->sample(testDefinitionIds => [ $pc->{definition}{PH} ]);
    quarantined('a sample that is not received', ['sample_status_not_allowed'],
        [ $pending, 'PH', '1' ]);
};

subtest 'tests' => sub {
    my $sample = $pc->sample('NO3');
    $pc->{definition}{PO4} //= $lab->definition(code => 'PO4');
    quarantined('a definition that there is not', ['unknown_test_code'], [ $sample, 'ABSENT', '1' ]);
    my $json = quarantined('a test that is not scheduled', ['test_not_scheduled'],
        [ $sample, 'PO4', '1' ]);
    is_deeply([ @{ reason($json, 'test_not_scheduled') }{qw(column cell expected)} ],
        [ undef, $sample->{trackingId}, 'PO4' ], 'the reason has the name of the sample, and the test');
    $lab->insert('sample_test', sample_id => $sample->{id},
        test_definition_id => $pc->{definition}{NO3});
    $json = quarantined('a test that is there twice', ['ambiguous_test'], [ $sample, 'NO3', '1' ]);
    is_deeply([ @{ reason($json, 'ambiguous_test') }{qw(column cell)} ], [ 3, '1' ],
        'the reason has the place of the value');
    my $verified = $pc->sample('NO3');
    my ($test)   = $lab->tests($verified);
    $lab->enter($test, '1');
    $lab->verify($test);
    quarantined('a verified one', ['test_verified_locked'], [ $verified, 'NO3', '1' ]);
};

subtest 'results that are there already' => sub {
    my $sample = $pc->sample('NO3');
    my ($test) = $lab->tests($sample);
    $lab->enter($test, '1.0');
    my $json = quarantined('another value', ['result_conflict'], [ $sample, 'NO3', '2' ]);
    is(reason($json, 'result_conflict')->{expected}, '1.0', 'the reason names the standing result');
    quarantined('the same value, unless the profile lets it', ['result_conflict'],
        [ $sample, 'NO3', '1.0' ]);

    $pc->profile(write => { existing => 'sameValueOk' });
    quarantined('another value still', ['result_conflict'], [ $sample, 'NO3', '3' ]);
    my $other = $pc->sample('NO3');
    my $same  = $pc->send($pc->csv([ $sample, 'NO3', '1.0' ], [ $other, 'NO3', '4' ]));
    is($same->status, 201, 'the same value again is no conflict') or diag($same->body);
    is($same->json->{counts}{written}, 1, 'a value that is entered already is not written again');
    is($lab->value('SELECT string_agg(status, $$ $$ ORDER BY row_number)
        FROM lims.instrument_file_row WHERE file_id = ?', $same->json->{id}), 'unchanged written',
        'the row is recorded as unchanged');

    $pc->profile(write => { existing => 'overwriteUnverified' });
    my $over = $pc->send($pc->csv([ $sample, 'NO3', '9' ]));
    is($over->status . ' ' . $pc->test($sample, 'NO3')->{result}, '201 9',
        'replaced, if it may be');
    $lab->verify($test);
    quarantined('but not when it is verified', ['test_verified_locked'], [ $sample, 'NO3', '8' ]);
    $pc->profile;
};

subtest 'lots' => sub {
    my $sample = $pc->sample('NO3');
    my ($test) = $lab->tests($sample);
    my $lot    = $lab->reagent_lot(expires_on => '2020-01-01');
    $lab->act(sub { $_[0]->do('UPDATE lims.sample_test SET reagent_lot_id = ? WHERE id = ?', undef,
                $lot, $test) });
    my $json = quarantined('an expired lot', ['reagent_lot_expired'], [ $sample, 'NO3', '1' ]);
    like(reason($json, 'reagent_lot_expired')->{message}, qr/2020-01-01/,
        'the message says since when the lot is expired');
    $lab->policy(reagent_expiry_policy => 'warn');
    is($pc->send($pc->csv([ $sample, 'NO3', '2' ]))->status, 201, 'where that only warns');
    $lab->policy(reagent_expiry_policy => 'block');
    my $waiting = $pc->sample('NO3');
    my ($other) = $lab->tests($waiting);
    my $medium  = $lab->media_lot($other);
    $lims->db->do(q{UPDATE lims.media_lot SET qc_status = 'quarantined',
        quarantine_reason = 'recalled' WHERE id = ?}, undef, $medium);
    $lab->policy(lot_qc_policy => 'block');
    $json = quarantined('a quarantined lot', ['lot_not_released'], [ $waiting, 'NO3', '3' ]);
    like(reason($json, 'lot_not_released')->{message}, qr/is quarantined/,
        'the message says that the lot is quarantined');
    $lab->policy(lot_qc_policy => 'off');
};

subtest 'the file itself' => sub {
    my $sample = $pc->sample('NO3');
    quarantined('two results for one test', ['duplicate_row'], [ $sample, 'NO3', '1' ],
        [ $sample, 'NO3', '2' ]);
    quarantined('the future', ['timestamp_in_future'],
        [ $sample, 'NO3', '1', undef, '2999-01-01T00:00:00Z' ]);
    my $json = quarantined('before there was a sample', ['timestamp_before_collection'],
        [ $sample, 'NO3', '1', undef, '2001-01-01T00:00:00Z' ])
        if $lab->act(sub { $_[0]->do(q{UPDATE lims.sample SET collection_date = current_date
            WHERE id = ?}, undef, $sample->{id}) });
};

subtest 'units' => sub {
    $pc->{definition}{TEXT} //= $lab->definition(code => 'TEXT', unit => "\x{b5}g/L");
    my $sample = $pc->sample('TEXT');
    quarantined('another unit', ['unit_mismatch'], [ $sample, 'TEXT', '1', 'mg/L' ]);
    is($pc->send($pc->csv([ $sample, 'TEXT', '1', 'ug/l' ]))->status, 201,
        'the same, spelt otherwise');
};

subtest 'all reasons of a file at once' => sub {
    my $verified = $pc->sample('NO3');
    my ($test)   = $lab->tests($verified);
    $lab->enter($test, '1');
    $lab->verify($test);
    my $json = quarantined('three reasons', [qw(test_verified_locked test_not_scheduled
        unknown_tracking_id)], [ 'NOBODY', 'PH', '1' ], [ $verified, 'NO3', '2' ],
        [ $good, 'PO4', '1' ]);
    is_deeply([ map { "$_->{row} $_->{code}" } @{ $json->{reasons} } ],
        [ '3 unknown_tracking_id', '4 test_verified_locked', '5 test_not_scheduled' ],
        'the reasons are in the order of the rows');
};

subtest 'more reasons than are listed' => sub {
    my $sample = $pc->sample('NO3');
    my $json   = $pc->send($pc->csv([ $sample, 'NO3', '1' ],
            map { [ "X-$_", 'NO3', 'high' ] } 1 .. 612))->json;
    my @told = grep { $_->{code} eq 'non_numeric' } @{ $json->{reasons} };
    is(scalar @told, 500, 'the first are listed');
    like($told[-1]{message}, qr/\(112 more reasons of the file are not listed\.\)$/,
        'the last says how many more there are');
    unlike($_->{message}, qr/not listed/,
        'only the last reason says that there are more') for $told[0];
    is($ann->done('instrument-file show', $json->{id})->{reasons}[499]{message}, $told[-1]{message},
        'limsctl shows it too');

    # Reasons that the database finds, about unknown samples.
    $json = $pc->send($pc->csv(map { [ "X-$_", 'NO3', '1' ] } 1 .. 612))->json;
    @told = grep { $_->{code} eq 'unknown_tracking_id' } @{ $json->{reasons} };
    is(scalar @told, 500, 'the first unknown samples are listed');
    like($told[-1]{message}, 
        qr/\(500 reasons of this kind are listed; 612 values of the file have one or more\.\)$/,
        'the last says of how many values there are some');
    unlike($told[0]{message}, qr/are listed/, 'only the last reason says that there are more');
};

subtest 'one test with several values' => sub {
    my $sample = $pc->sample('NO3');
    my $json   = $pc->send($pc->csv(map { [ $sample, 'NO3', $_ ] } 1 .. 3))->json;
    is_deeply([ map {"$_->{row} $_->{column} $_->{code}: $_->{message}"} @{ $json->{reasons} } ],
        [ map {"$_ 3 duplicate_row: The file has 3 results for NO3 of sample $sample->{trackingId}."}
            2 .. 4 ],
        'is told once of each place, in the same words');
    $json = $pc->send($pc->csv(map { [ $sample, 'NO3', $_ ] } 'high', 'low'))->json;
    is_deeply([ map {"$_->{row} $_->{code}"} @{ $json->{reasons} } ],
        [ '2 non_numeric', '3 non_numeric', '3 duplicate_row' ],
        'also for values that cannot be read');
};

# While the code runs, a rule refuses every change of a test with this slug.
sub with_rule {
    my ($slug, $code) = @_;
    $lims->db->do(qq{CREATE FUNCTION lims.test_refuse() RETURNS trigger LANGUAGE plpgsql
        AS \$\$ BEGIN PERFORM lims.refuse('$slug', 'no'); END \$\$});
    $lims->db->do('CREATE TRIGGER zz_refuse BEFORE UPDATE ON lims.sample_test
        FOR EACH ROW EXECUTE FUNCTION lims.test_refuse()');
    $code->();
    $lims->db->do('DROP TRIGGER zz_refuse ON lims.sample_test');
    $lims->db->do('DROP FUNCTION lims.test_refuse()');
    return;
}

subtest 'refusals of the database while results are entered' => sub {
    my $sample = $pc->sample('NO3');
    with_rule('media_qc_failed', sub {
        quarantined('a gate in the middle of entering', ['media_qc_failed'], [ $sample, 'NO3', '1' ]);
    });
};

subtest 'an upload-only key' => sub {
    my $key  = $lims->key($lims->fixture, upload_only => 1)->{key};
    my $send = sub { $pc->send($pc->csv(@_), key => $key, name => 'x.csv') };
    my $done = $pc->sample('NO3');
    my $ok   = $send->([ $done, 'NO3', '1' ]);
    is($ok->status . ' ' . $ok->json->{counts}{written}, '201 1',
        'the same file without the reason is imported');
    is_deeply($ok->json->{results}, [], 'an upload-only key sees no results');
    unlike($ok->body, qr/\Q$done->{trackingId}\E/, 'an upload-only key sees no tracking id');

    my $verified = $pc->sample('NO3');
    my ($test)   = $lab->tests($verified);
    $lab->enter($test, '1');
    $lab->verify($test);
    my $pending = $lab->sample(testDefinitionIds => [ $pc->{definition}{NO3} ]);
    my %seen;
    my $try = sub {
        my ($sample) = @_;
        my $answer = $send->([ $sample, 'NO3', '17' ]);
        is($answer->status, 202, 'the file is kept in quarantine');
        my $json = $answer->json;
        delete @$json{qw(id sha256)};
        $seen{ JSON::PP->new->canonical->encode($json) }++;
    };
    $try->($_) for 'NOBODY', $verified, $pending, $done, $pc->sample('PH');
    for my $slug (qw(sample_on_hold reason_required)) {
        my $sample = $pc->sample('NO3');
        with_rule($slug, sub { $try->($sample) });
    }
    is(scalar keys %seen, 1, 'whether there is such a sample cannot be told') or diag(keys %seen);
    my ($one) = map { JSON::PP::decode_json($_) } keys %seen;
    is_deeply([ map { [ @$_{qw(code severity message row column cell expected sheet)} ] }
                @{ $one->{reasons} } ],
        [ [ 'unknown_tracking_id', 'blocking', (undef) x 6 ] ],
            'without contents a reason has its code alone');
    refused($lims->post('/instrument-ingest', { fileName => 'x', content => 'x',
                dryRun => JSON::PP::true }, key => $key), 403, 'upload_only_key',
        'an upload-only key may not make dry runs');
};

done_testing();
