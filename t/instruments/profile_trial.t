#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# A version of a profile is tried on a file before files are read by it: also on one that
# is longer than a usual body, with the cells as the profile divides the file, and nothing
# of it is kept. A new version belongs to the instrument of the version before.
use strict;
use warnings;

use LIMS::Files::Instrument;
use LIMS::Service::Laboratory;
use LIMS::Service::Person;
use LIMS::Test;
use MIME::Base64 qw(encode_base64);

my $lims   = LIMS::Test->new;
my $lab    = LIMS::Service::Laboratory->new($lims);
my $pc     = LIMS::Files::Instrument->new($lab);
my $json   = JSON::PP->new->ascii->canonical;
my $person = LIMS::Service::Person->new($lims, roles => ['administrator']);

my $trials = 0;

sub add {
    my (%member) = @_;
    return $person->post('/instrument-profiles',
        { definition => $json->encode($pc->definition(%member)) });
}

sub trial {
    my ($id, %body) = @_;
    return $person->post("/instrument-profiles/$id/test", \%body, headers =>
            { 'Idempotency-Key' => 'trial-' . ++$trials });
}

my $first = add()->json;
my $file  = $pc->csv([ 'S-1', 'NO3', '1.5' ], [ 'S-2', 'NO3', 'broken' ], [ 'S-3', 'NO3', '2' ]);

subtest 'the cells' => sub {
    my $plain = trial($first->{id}, content => $file);
    is($plain->status, 200, 'the profile is tried');
    is($plain->json->{sheets}, undef, 'no cells where none were asked for');
    my $tried = trial($first->{id}, content => $file, gridRows => 2, gridFrom => 2)->json;
    is_deeply([ map { $_->{name} } @{ $tried->{sheets} } ], [''], 'one sheet without a name');
    is($tried->{sheets}[0]{rowCount}, 4, 'the number of its rows');
    is_deeply([ map { [ $_->{row}, @{ $_->{cells} }[0, 2] ] } @{ $tried->{sheets}[0]{rows} } ],
        [ [ 2, 'S-1', '1.5' ], [ 3, 'S-2', 'broken' ] ], 'the rows that were asked for');
    is_deeply([ map { $_->{row} } @{ $tried->{reasons} } ], [3],
        'the reason is about a row of these numbers');
    is_deeply($tried->{readings}, $plain->json->{readings}, 'the readings are the same');
    is_deeply(trial($first->{id}, content => $file, gridRows => 5, gridSheet => 'Other')
            ->json->{sheets}, [], 'there is no sheet of another name');

    my $bars = add(code => 'bars', dialect => { delimiter => '|' })->json;
    is_deeply(trial($bars->{id}, content => $file =~ tr/;/|/r, gridRows => 1)
            ->json->{sheets}[0]{rows}[0]{cells}, [qw(Sample Test Value Unit Time)],
        'the file is divided as the profile says');
};

subtest 'a file that is kept' => sub {
    my $held = $pc->send($file, profile => 'nobody')->json;
    is($held->{status}, 'quarantined', 'a file for an unknown profile is held');
    my $tried = trial($first->{id}, fileId => $held->{id});
    is($tried->status, 200, 'a profile can be tried on it');
    is_deeply([ map { $_->{code} } @{ $tried->json->{reasons} } ], ['non_numeric'],
        'the profile that is tried reads it, whichever its sender asked for');
    is($person->get("/instrument-files/$held->{id}")->json->{status}, 'quarantined',
        'it stays as it was');
    refused(trial($first->{id}, fileId => 999_999), 404, 'not_found', 'a file that there is not');
    refused(trial(999_999, content => $file), 404, 'not_found', 'a profile that there is not');
    refused(trial($first->{id}), 400, 'invalid_body', 'a trial without a file');
};

subtest 'a long file' => sub {
    my $long = $pc->csv(map { [ "S-$_", 'NO3', '1.0', '', '' ] } 1 .. 60_000);
    cmp_ok(length $long, '>', 800_000, 'in base64 it is longer than a usual body may be');
    my $tried = trial($first->{id}, contentBase64 => encode_base64($long, ''));
    is($tried->status, 200, 'it is read');
    is($tried->json->{counts}{results}, 60_000, 'to its end');
};

is($lab->value('SELECT count(*) FROM lims.instrument_file'), 1, 'nothing that was tried is kept');
is($lab->value(q{SELECT count(*) FROM lims.idempotency_record
    WHERE idempotency_key LIKE 'trial-%'}), 0, 'no answer is kept either');

subtest 'a new version' => sub {
    my $instrument = $person->post('/instruments', { code => 'PC-1', name => 'Bench' })->json->{id};
    $lab->act(sub {
        $lims->db->do('UPDATE lims.instrument_profile SET instrument_id = ? WHERE id = ?', undef,
            $instrument, $first->{id});
    });
    my $second = add(name => 'Bench, mended')->json;
    is($second->{version}, 2, 'the same code makes the next version');
    is($second->{instrumentId}, $instrument, 'it belongs to the same instrument');
    is(add(code => 'other')->json->{instrumentId}, undef, 'another code belongs to none');
};

subtest 'activating with a reason' => sub {
    my $id = $lab->value(q{SELECT max(id) FROM lims.instrument_profile WHERE code = 'bench'});
    is($person->post("/instrument-profiles/$id/activate", { reason => 'The export changed' })
            ->json->{status}, 'active', 'it is active');
    is($lab->value(q{SELECT reason FROM lims.audit_entry WHERE table_name = 'instrument_profile'
        AND record_id = ? ORDER BY id DESC LIMIT 1}, $id), 'The export changed',
        'the reason is in the trail');
};

done_testing();
