#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The same results in other bytes: nothing is entered twice, and the answer names the file
# that entered them, or says that they were withdrawn or corrected since.
use strict;
use warnings;

use LIMS::Files::Instrument;
use LIMS::Service::Laboratory;
use LIMS::Test;

my $lims = LIMS::Test->new;
my $lab  = LIMS::Service::Laboratory->new($lims);
my $pc   = LIMS::Files::Instrument->new($lab);
my @as   = ('--organization', 'test-laboratory', '--user', 'administrator@test-laboratory.example');
my $json = JSON::PP->new->utf8->canonical;

$pc->profile;

# Exported again: blank lines tell one export from the other.
sub again { return $_[0] . "\n" x ++$pc->{exports} }

sub reasons { return [ map { "$_->{severity} $_->{code}" } @{ $_[0]{reasons} } ] }

sub released {
    my ($id, @options) = @_;
    my $done = $lims->ctl(@as, '--reason', 'bench sheet', qw(instrument-file release), $id,
        map { ref ? $json->encode($_) : $_ } @options);
    is($done->{exit}, 0, "file $id is released") or diag($done->{output});
    return $done->{json};
}

sub stands {
    my ($sample, $code) = @_;
    return $pc->test($sample, $code)->{result};
}

subtest 'the same results under alias names' => sub {
    my ($x, $y) = map { $pc->sample('NO3') } 1 .. 2;
    my $file = $pc->csv([ 'UNK-1', 'NO3', '0.5' ]);
    my @id   = map { $pc->send($_)->json->{id} } $file, again($file);
    my @made = map {
        released($id[$_], '--aliases', [ { from => 'UNK-1', to => ($x, $y)[$_]{trackingId},
                    reason => 'label' } ])
    } 0, 1;
    is_deeply([ map { $_->{counts}{written} } @made ], [ 1, 1 ], 'each enters its own');
    is_deeply([ map { stands($_, 'NO3') } $x, $y ], [ '0.5', '0.5' ],
        'each result is in its own sample');
    is($made[1]{duplicateOf}, undef, 'the second file is no duplicate of the first');
};

subtest 'the same results with rows left out' => sub {
    my ($x, $y) = map { $pc->sample('NO3') } 1 .. 2;
    my $file = $pc->csv([ $x, 'NO3', '1' ], [ $y, 'NO3', '2' ], [ 'RINSE', 'NO3', '0' ]);
    my @id   = map { $pc->send($_)->json->{id} } $file, again($file);
    my @without = map { { row => $_, reason => 'not meant' } } 3, 4;
    is(released($id[0], '--exclude', \@without)->{counts}{written}, 1,
        'one result of three is entered');
    my $second = $lims->ctl(@as, '--reason', 'the other too', qw(instrument-file release), $id[1],
        '--exclude', $json->encode([ $without[1], { row => 2, reason => 'entered' } ]));
    is($second->{json}{counts}{written}, 1, 'from the second file another of the three');
    is(stands($y, 'NO3'), '2', 'that result is entered');
};

subtest 'the same results, which still stand' => sub {
    my $sample = $pc->sample('NO3');
    my $file   = $pc->csv([ $sample, 'NO3', '3' ]);
    my $first  = $pc->send($file)->json;
    my $second = $pc->send(again($file));
    is($second->status, 200, 'the answer is 200: nothing is entered again');
    my $told = $second->json;
    is_deeply([ @$told{qw(status duplicate duplicateOf)}, $told->{counts}{written} ],
        [ 'imported', JSON::PP::true, $first->{id}, 0 ], 'the answer names the first file');
    is_deeply(reasons($told), ['note already_imported'], 'a note says why nothing was entered');
    like($told->{reasons}[0]{message}, qr/\bfile $first->{id}\b.*nothing was entered/i,
        'the note names the first file');
};

subtest 'the same results, withdrawn since' => sub {
    my ($x, $y) = map { $pc->sample('NO3') } 1 .. 2;
    my $file  = $pc->csv([ $x, 'NO3', '4' ], [ $y, 'NO3', '5' ]);
    my $first = $pc->send($file)->json;
    is($first->{counts}{written}, 2, 'two results are entered');
    my ($withdrawn, $verified) = map { ($lab->tests($_))[0] } $x, $y;
    $lab->enter($withdrawn, '');
    $lab->verify($verified);
    my $again = $pc->send(again($file));
    is($again->status, 201, 'the file is imported again after a withdrawal') or diag($again->body);
    is_deeply([ $again->json->{counts}{written}, @{ $again->json }{qw(duplicate duplicateOf)} ],
        [ 1, JSON::PP::false, undef ], 'the withdrawn result is entered again');
    is_deeply(reasons($again->json), ['note already_imported'],
        'the standing result is noted as already imported');
    is(stands($x, 'NO3'), '4', 'the standing result is unchanged');
    is($pc->test($y, 'NO3')->{status}, 'verified', 'beside the other one, which stood');
    is($pc->send(again($file))->json->{duplicateOf}, $first->{id}, 'the third finds nothing to do');
};

subtest 'the same results, corrected since' => sub {
    $pc->profile(write => { existing => 'overwriteUnverified' });
    for my $is_verified (0, 1) {
        my $sample = $pc->sample('NO3');
        my ($test) = $lab->tests($sample);
        my $file   = $pc->csv([ $sample, 'NO3', '6' ]);
        is($pc->send($file)->status, 201, 'the result is entered');
        $lab->enter($test, '7');
        $lab->verify($test) if $is_verified;
        my $again = $pc->send(again($file));
        is($again->status, 202, 'what a person corrected is not put back');
        is_deeply(reasons($again->json), ['blocking result_conflict'],
            'the file is held back: result_conflict');
        is($again->json->{reasons}[0]{expected}, '7', 'the reason names the corrected result');
        is(stands($sample, 'NO3'), '7', 'the corrected result is unchanged');
    }
    $pc->profile;
};

subtest 'many results in any order' => sub {
    my @samples = map { $pc->sample('NO3') } 1 .. 3;
    my @rows    = map { [ $_, 'NO3', '8' ] } @samples;
    my $first   = $pc->send($pc->csv(@rows))->json;
    is($pc->send($pc->csv(reverse @rows))->json->{duplicateOf}, $first->{id},
        'the same rows in another order are a duplicate');
    is($pc->send($pc->csv(map { [ $_->[0], 'NO3', '8', 'mg/L' ] } @rows))->json->{duplicateOf},
        undef, 'rows with another unit are no duplicate');
};

# The migration computes the digest of results imported before: it has to equal the
# service's.
is($lab->value(q{
    SELECT count(*)
      FROM lims.instrument_file f
     WHERE f.rows_hash IS NOT NULL
       AND f.duplicate_of IS NULL
       AND f.status IN ('imported', 'released')
       AND f.rows_hash IS DISTINCT FROM (
           SELECT sha256(convert_to(string_agg(i.identity, E'\n'
                      ORDER BY i.identity COLLATE "C"), 'UTF8'))
             FROM lims.instrument_file_row r
            CROSS JOIN LATERAL (
                  SELECT lims.reading_identity(r.sample_test_id, NULL, NULL, r.tracking_id,
                             r.result, r.unit, r.qualifier, r.analyzed_at) AS identity) i
            WHERE r.organization_id = f.organization_id
              AND r.file_id = f.id)}), 1,
    'what was entered says what a file brought, but for the one that brought half of it');

done_testing();
