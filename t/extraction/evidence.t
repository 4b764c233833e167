#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The file decides, whatever the model says: the unit beside a value, by which it is
# converted exactly or refused; which test a column is of; and whether a row is a sample.
use strict;
use warnings;

use JSON::PP ();
use LIMS::Files::Writer;
use LIMS::Peers::ModelService;
use LIMS::Service::Laboratory;
use LIMS::Test;

my $json  = JSON::PP->new->utf8->canonical;
my $model = LIMS::Peers::ModelService->new;
my $lims  = LIMS::Test->new(conf => $model->conf);
my $lab   = LIMS::Service::Laboratory->new($lims);
my ($nitrate, $chloride) = map { $lab->definition(code => $_, name => "Name of $_", unit => 'mg/L') }
    qw(NO3N CL);
my $odour = $lab->definition(code => 'ODOUR', name => 'Odour', unit => 'mg/L', result_type => 'text');
my $ph = $lab->definition(code => 'PH', name => 'pH');

$lab->policy(ai_data_access => 'true');

sub id { return $lab->sample(testDefinitionIds => [ @_ ? @_ : $nitrate ])->{trackingId} }

# Extracts from a file, in which the column ID has a sample's tracking id, with these
# pointers; returns the judged rows.
sub judged {
    my ($file, @rows) = @_;
    my $null = { map { $_ => undef } qw(unitRow unitColumn qualifierRow qualifierColumn) };

    $model->say('rows ' . $json->encode([ map { { sheet => 1, idRow => 2, idColumn => 1,
        candidate => 1, valueRow => 2, valueColumn => 2, kind => 'sample', %$null, %$_ } } @rows ]));
    my $response = $model->upload($lims, $file, dryRun => 'true', confidenceThreshold => '0.5');
    is($response->status, 200) or diag($response->body);
    return @{ $response->json->{rows} };
}

# Result, unit, what stands in the file, and its unit; or why not.
sub said {
    my ($row) = @_;
    return $row->{status} eq 'proposed'
        ? join ' ', map { $_ // '-' } @$row{qw(result unit)}, '<', @{ $row->{provenance} }{qw(cell
            unit)}, '@', $row->{confidence}
        : "$row->{status}: $row->{message}";
}

my %pointed = (unitRow => 2, unitColumn => 3);

subtest 'a unit converts, or refuses' => sub {
    my $id   = id();
    my @case = (
        [ 'in its cell', "Sample,NO3N,Unit\n$id,7100,ug/L\n", \%pointed,
            '7.100 mg/L < 7100 ug/L @ 0.95' ],
        [ 'found in the row', "Sample,NO3N,Unit\n$id,7100,ug/L\n", {},
            '7.100 mg/L < 7100 ug/L @ 0.95' ],
        [ 'in the header', "Sample,NO3N (ng/L)\n$id,7100\n", {},
            '0.007100 mg/L < 7100 ng/L @ 0.9215' ],
        [ 'in a row of units', "Sample,NO3N\n,g/L\n$id,0.0071\n", { idRow => 3, valueRow => 3 },
            '7.1 mg/L < 0.0071 g/L @ 0.95' ],
        [ 'behind the number', "Sample,NO3N\n$id,7100 ug/L\n", {},
            '7.100 mg/L < 7100 ug/L ug/L @ 0.95' ],
        [ 'behind the number, the test\'s', "Sample,NO3N\n$id,7.10 mg/L\n", {},
            '7.10 mg/L < 7.10 mg/L mg/L @ 1' ],
        [ 'with a sign', "Sample,NO3N (ug/L)\n$id,<0.5\n", {}, '<0.0005 mg/L < <0.5 ug/L @ 0.9215' ],
        [ 'with an exponent', "Sample,NO3N (ug/L)\n$id,7.1E3\n", {},
            '7.1 mg/L < 7.1E3 ug/L @ 0.9215' ],
        [ 'of what is no number', "Sample,NO3N (ug/L)\n$id,ND\n", {}, 'ND mg/L < ND ug/L @ 0.9215' ],
        [ 'another spelling', "Sample,NO3N,Unit\n$id,7.10,ug/mL\n", \%pointed,
            '7.10 ug/mL < 7.10 ug/mL @ 0.98' ],
        [ 'none', "Sample,NO3N\n$id,7.10\n", {}, '7.10 - < 7.10 - @ 0.85' ],
        [ 'of another quantity', "Sample,NO3N,Unit\n$id,7.1,mmol/L\n", \%pointed,
            qr/^rejected_check: The file has the unit mmol\/L, the test mg\/L/ ],
        [ 'of another quantity, not pointed at', "Sample,NO3N,Unit\n$id,7.1,mmol/L\n", {},
            qr/^rejected_check: .*mmol\/L/ ],
        [ 'of another quantity in the header', "Sample,NO3N (mmol/L)\n$id,7.1\n", {},
            qr/^rejected_check: .*mmol\/L/ ],
        [ 'an area', "Sample,NO3N (counts)\n$id,7100\n", {}, qr/^rejected_check: .*counts/ ],
        [ 'nobody knows', "Sample,NO3N,Unit\n$id,7.1,furlong\n", \%pointed,
            qr/^rejected_check: .*furlong/ ],
        [ 'header and row', "Sample,NO3N (mg/L),Unit\n$id,7.1,ug/L\n", \%pointed,
            qr/^rejected_check: .*two units: mg\/L and ug\/L/ ],
        [ 'header and row, none pointed at', "Sample,NO3N (mg/L),Unit\n$id,7.1,ug/L\n", {},
            qr/^rejected_check: .*two units: mg\/L and ug\/L/ ],
        [ 'header and row, the header pointed at', "Sample,NO3N (mg/L),Unit\n$id,7.1,ug/L\n",
            { unitRow => 1, unitColumn => 2 }, qr/^rejected_check: .*two units: mg\/L and ug\/L/ ],
        [ 'header and a row farther off', "Sample,NO3N (mg/L),Limit,Unit\n$id,7.10,5,ug/L\n", {},
            '7.10 mg/L < 7.10 mg/L @ 0.97' ],
        [ 'the farther of two above', "Sample,NO3N\n,mg/L\n,ug/L\n$id,7.1\n",
            { idRow => 4, valueRow => 4, unitRow => 2, unitColumn => 2 },
            qr/^rejected_check: .*two units: ug\/L and mg\/L/ ],
        [ 'number and row', "Sample,NO3N,Unit\n$id,7.1 mg/L,ug/L\n", \%pointed,
            qr/^rejected_check: .*two units/ ],
        [ 'two in the header', "Sample,NO3N (mg/L or ug/L)\n$id,7.1\n", {},
            qr/^rejected_check: The header has two units/ ],
        [ 'two in the row', "Sample,NO3N,Unit,Limit,Unit\n$id,7.1,ug/L,5,mg/L\n", {},
            qr/^rejected_check: .*several units/ ],
        [ 'the nearer of them', "Sample,NO3N,Unit,Limit,Unit\n$id,7.1,ug/L,5,mg/L\n", \%pointed,
            '0.0071 mg/L < 7.1 ug/L @ 0.95' ],
        [ 'the farther of them', "Sample,NO3N,Unit,Limit,Unit\n$id,7.1,ug/L,5,mg/L\n",
            { unitRow => 2, unitColumn => 5 }, qr/^rejected_check: .*two units: ug\/L and mg\/L/ ],
    );

    for my $case (@case) {
        my ($name, $file, $pointer, $expected) = @$case;
        my $got = said(judged($file, $pointer));
        ref $expected ? like($got, $expected, $name) : is($got, $expected, $name);
    }
    my $words = id($odour);
    for my $cell ({ e => '#N/A' }, { d => '2026-11-20' }) {
        like(said(judged(xlsx([qw(Sample ODOUR)], [ $words, $cell ]), {})),
            qr/^rejected_check: The (?:formula of the cell|workbook) has/,
            'what a workbook calculated or made a date of is no result: ' . (values %$cell)[0]);
    }
    like(said(judged("Sample,ODOUR (ug/L)\n$words,faint\n", {})), qr/^rejected_check: .*ug\/L/,
        'a text is not converted');
};

subtest 'a qualifier belongs to one value' => sub {
    my $id = id($nitrate, $chloride);
    my ($nitrate, $chloride) = ({ candidate => 1 }, { candidate => 2 });
    my @case = (
        [ 'pointed at', 'CL,Q', '5,U', [ {}, 2, 3 ], 'U' ],
        [ 'pointed at, empty', 'CL,Q', '5,', [ {}, 2, 3 ], '-' ],
        [ 'behind limit and unit', 'CL,Limit,Unit,Q', '5,10,mg/L,J', [ {}, 2, 5 ], 'J' ],
        [ 'not pointed at, behind', 'CL,Q', '5,U', [ {}, 2 ], qr/qualifier U with the value/ ],
        [ 'not pointed at, behind limit and unit', 'CL,Limit,Unit,Q', '5,10,mg/L,J', [ {}, 2 ],
            qr/qualifier J with the value/ ],
        [ 'not pointed at, a sign before', 'S,CL', '<,5', [ {}, 3 ], qr/qualifier < with/ ],
        [ 'not pointed at, a sign behind', 'CL,S', '5,<', [ {}, 2 ], qr/qualifier < with/ ],
        [ 'another pointed at, which is empty', 'CL,A,B', '5,,ND', [ {}, 2, 3 ],
            qr/qualifier ND with/ ],
        [ 'the sign of a limit', 'CL,S,Limit', '5,<,10', [ {}, 2 ], '-' ],
        [ 'each its own', 'CL,Q,NO3N,Q', '5,U,7,J', [ $chloride, 2, 3 ], 'U', [ $nitrate, 4, 5 ],
            'J' ],
        [ 'the next value\'s', 'CL,Q,NO3N,Q', '5,,7,J', [ $chloride, 2, 5 ],
            qr/is another value's/, [ $nitrate, 4, 5 ], 'J' ],
        [ 'the next value\'s, not pointed at', 'CL,Q,NO3N,Q', '5,,7,J', [ $chloride, 2 ], '-',
            [ $nitrate, 4 ], qr/qualifier J with/ ],
        [ 'behind another qualifier', 'CL,Q,R', '5,U,J', [ {}, 2, 4 ], qr/is another value's/ ],
    );

    for my $case (@case) {
        my ($name, $head, $row, @pairs) = @$case;
        my (@pointers, @expected);
        while (my ($pointer, $expected) = splice @pairs, 0, 2) {
            my ($member, $value, $qualifier) = @$pointer;
            push @pointers, { candidate => 2, %$member, valueColumn => $value, $qualifier
                ? (qualifierRow => 2, qualifierColumn => $qualifier) : () };
            push @expected, $expected;
        }
        my @rows = judged("Sample,$head\n$id,$row\n", @pointers);
        for my $i (0 .. $#expected) {
            my $got = $rows[$i]{status} eq 'proposed' ? $rows[$i]{qualifier} // '-'
                : "$rows[$i]{status}: $rows[$i]{message}";
            ref $expected[$i] ? like($got, qr/^rejected_check: .*$expected[$i]/, $name)
                : is($got, $expected[$i], $name);
        }
    }
};

subtest 'the converted result is entered, the original kept' => sub {
    my $id = id();

    $model->say('right');
    my $row = $model->upload($lims, "Sample,NO3N,Unit\n$id,7100,ug/L\n")->json->{rows}[0];
    is($row->{status}, 'applied', 'above the default threshold');
    my $test = $lims->get("/sample-tests/$row->{sampleTestId}")->json;
    is_deeply([ @$test{qw(result unit)} ], [ '7.100', 'mg/L' ], 'the converted number');
    is_deeply($lims->db->selectrow_arrayref('SELECT cell, cell_unit, result, unit
        FROM lims.extraction_row WHERE sample_test_id = ?', undef, $row->{sampleTestId}),
        [ '7100', 'ug/L', '7.100', 'mg/L' ], 'beside what stands in the file');
};

subtest 'messages of ASTM and HL7' => sub {
    my $id = id();
    my @hl7 = ('MSH|^~\&|LAB|SITE|||20260105||ORU^R01|1|P|2.5.1', "OBR|1||$id|X",
        'OBX|1|NM|NO3N^Nitrate^L||7100|ug/L^microgram per litre^UCUM|0-10||||F');
    my %place = (idColumn => 4, valueRow => 3, valueColumn => 6);

    is(said(judged(join("\r", @hl7, ''), \%place)), '7.100 mg/L < 7100 ug/L @ 0.95',
        'a value in HL7');
    is(said(judged(join("\r", @hl7, ''), { %place, unitRow => 3, unitColumn => 7 })),
        '7.100 mg/L < 7100 ug/L @ 0.95',
            'the value is entered with its unit as the model pointed at it');
    like(said(judged(join("\r", $hl7[0], "SPM|1|$id|||||||||Q", @hl7[ 1, 2 ], ''),
                { %place, idRow => 3, valueRow => 4 })), qr/^rejected_check: .*control/,
        'a specimen for quality control (SPM-11)');
    like(said(judged(join("\r", 'H|\^&|||LIS', 'P|1', "O|1|$id||^^^NO3N|||||||Q",
                    'R|1|^^^NO3N|7.1|mg/L||N||F', 'L|1|N', ''),
                { idRow => 3, idColumn => 3, valueRow => 4, valueColumn => 4 })),
        qr/^rejected_check: .*control/, 'a control of ASTM (O-12) is rejected');
};

subtest 'a column is of one test, for all samples' => sub {
    my ($one, $other) = sort(id($nitrate), id($nitrate));
    my $third = id($chloride);
    my $file  = "Sample,NO3N (mg/L)\n$one,7.1\n$other,8.1\n$third,9.1\n";
    my @sorted = sort $one, $other, $third;
    my %number = map { $sorted[$_] => $_ + 1 } 0 .. 2;

    my @rows = judged($file, map { { idRow => $_->[0], valueRow => $_->[0],
        candidate => $number{ $_->[1] } } } [ 2, $one ], [ 3, $other ], [ 4, $third ]);
    is(join(' ', map { $_->{status} } @rows), 'proposed proposed rejected_check',
        'not of one that only another sample has');
    like($rows[2]{message}, qr/names another test there than CL/);
    my $both = id($nitrate, $chloride);
    is(join(' ', map { $_->{status} } judged("Sample,x\n$both,7.1\n", {}, { candidate => 2 })),
        'rejected_check rejected_check', 'one value is not of two tests');
    my $single = id($nitrate);
    is(join(' ', map { $_->{status} } judged("Sample,NO3N (mg/L)\n$single,7.1\n", {}, {})),
        'proposed', 'a value that is pointed at twice is proposed once');
    my $sample = $lab->sample(testDefinitionIds => [$nitrate]);
    $lims->insert('sample_test', { sample_id => $sample->{id}, test_definition_id => $nitrate });
    is(join(' ', map { $_->{status} } judged("Sample,NO3N (mg/L)\n$sample->{trackingId},7.1\n", {},
                { candidate => 2 })), 'ambiguous rejected_check',
        'of two tests of one definition the first is offered, and is ambiguous');
};

subtest 'rows of QC controls' => sub {
    my $id   = id();
    my %file = (
        'a duplicate'       => "Sample,NO3N (mg/L),Type\n$id,7.1,DUP\n",
        'a spike'           => "Sample,NO3N (mg/L)\n$id MS,7.1\n",
        'another duplicate' => "Sample,NO3N (mg/L)\n$id (duplicate),7.1\n",
        'by its type'       => "Sample,NO3N (mg/L),Sample Type\n$id,7.1,Std\n",
        'in another language' => "Probe,NO3N (mg/L),Art\n$id,7.1,Kontrolle\n",
        'a block'           => "Sample,$id,x\nBlank,7.1 mg/L,NO3N\n",
    );

    for my $name (sort keys %file) {
        like(said(judged($file{$name}, $name eq 'a block' ? { idRow => 1, idColumn => 2 } : {})),
            qr/^rejected_check: .*control/, $name);
    }
    for my $type ('Unknown', 'Sample', 'Unbekannt') {
        like(said(judged("Sample,NO3N (mg/L),Sample Type\n$id,7.1,$type\n", {})), qr/^7\.1 mg/, $type);
    }
    like(said(judged("Sample,NO3N (mg/L),Mode\n$id,7.1,Standard\n", {})), qr/^7\.1 mg/,
        'a word that means something else elsewhere');
};

subtest 'pointers across a whole wide row' => sub {
    my $id   = id();
    my $file = "Sample,NO3N" . ',x' x 4000 . "\n$id,7.1" . ',mg/L' x 4000 . "\n";
    my @rows = judged($file, map { { valueColumn => $_ } } 2 .. 4000);

    is(scalar @rows, 3999, 'as many pointers');
};

done_testing();
