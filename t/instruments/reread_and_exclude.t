#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Reading a file again: as a dry run or for good, over HTTP and at the command line, and
# never importing it twice. And excluding a row, a cell, a test of a row or a sample when a
# file is released, which excludes just the errors of it, and never a QC control.
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
my $key  = $lab->{organization}{key};

sub ctl { return $lims->ctl(@as, @_) }

sub done {
    my ($name, @command) = @_;
    my $result = ctl(@command);
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    is($result->{exit}, 0, $name) or diag($result->{output});
    return $result->{json};
}

sub refused_with {
    my ($name, $words, @command) = @_;
    my $result = ctl(@command);
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    isnt($result->{exit}, 0, $name);
    like($result->{output}, $words, 'the message says why');
    return;
}

sub ingest {
    my ($file, %more) = @_;
    return $lims->post('/instrument-ingest', { fileName => 'run.csv', content => $file, %more },
        key => delete $more{key} // $key);
}

sub outcome {
    my ($answer) = @_;
    my $body = $answer->json;
    return join ' ', $answer->status, $body->{status}, $body->{duplicate} ? 'known' : 'new',
        @{ $pc->codes($answer) };
}

# By the codes of the reasons that hold a file: whether each can be left out.
sub excludable {
    my ($id) = @_;
    return { map { $_->{severity} eq 'note' ? () : ("$_->{row} $_->{code}" => $_->{excludable} ? 1 : 0) }
        @{ ctl('instrument-file', 'show', $id)->{json}{reasons} } };
}

my $true = JSON::PP::true;

subtest 'a file in quarantine' => sub {
    my $sample = $pc->sample('NO3');
    my $file   = $pc->csv([ $sample, 'NO3', '1.5' ]);

    is(outcome(ingest($file)), '202 quarantined new unknown_profile',
        'without a profile the file is held back');
    $pc->profile;
    $pc->profile(code => 'never', name => 'Never', match => { container => 'text', headers => ['Zz'] },
        columns => { trackingId => 'Zz', test => 'Zz', value => 'Zz' });
    is(outcome(ingest($file)), '200 quarantined known unknown_profile',
        'sent again it is answered with what became of it');
    is($lab->changes_of(sub {
        is(outcome(ingest($file, dryRun => $true)), '200 imported new',
            'a dry run says what would become of it now');
        is(outcome(ingest($file, dryRun => $true, profile => 'bench')), '200 imported new',
            'a dry run by the profile that is named is imported');
        is(outcome(ingest($file, dryRun => $true, profile => 'never')),
            '200 quarantined new unknown_profile', 'a dry run by a profile that does not fit is quarantined');
        is(outcome(ingest($file, dryRun => $true, profile => 'nosuch')),
            '200 quarantined new unknown_profile', 'a dry run by a profile that there is not is quarantined');
    }), 0, 'dry runs change nothing');
    is(outcome(ingest($file, again => $true, profile => 'never')),
        '202 quarantined new unknown_profile', 'read again by what does not fit: it stays');
    my $id = $lab->value('SELECT max(id) FROM lims.instrument_file');
    my $imported = ingest($file, again => $true);
    is(outcome($imported), '201 imported new', 'read again: imported');
    is($imported->json->{id}, $id, 'it is imported under its own id');
    is($pc->test($sample, 'NO3')->{result}, '1.5', 'its result stands');
    is($lab->changes_of(sub {
        is(outcome(ingest($file, again => $true)), '200 imported known',
            'once: not again on request');
        is(outcome(ingest($file, dryRun => $true)), '200 imported known',
            'a dry run does not read it again either');
    }), 0, 'reading again and dry runs change nothing');
    is($lab->value('SELECT count(*) FROM lims.instrument_file_row WHERE file_id = ?', $id), 1,
        'its results are there once');
};

subtest 'reading again as a form, and at the command line' => sub {
    my $sample = $pc->sample('PO4');
    my $only   = $lims->key($lab->{organization}, upload_only => 1)->{key};
    my $file   = $pc->csv([ $sample, 'PO4', '2' ]);

    $pc->profile(match => { container => 'text', headers => ['Other'] });
    is($pc->upload($file, key => $only)->status, 202, 'an instrument PC sends a file');
    is($pc->upload($file, key => $only, again => 'true')->status, 202,
        'reading again gives the same reasons');
    $pc->profile;
    is(outcome($pc->upload($file, key => $only)), '200 quarantined known unknown_profile',
        'a mended profile alone changes nothing');
    is($pc->upload($file, key => $only, again => 'true')->status, 201, 'on request it does');
    refused($pc->upload($file, again => 'perhaps'), 400, 'invalid_body', 'yes or no');

    my $other = $pc->sample('NO3');
    my $held  = ingest($pc->csv([ $other, 'NO3', '3' ]), profile => 'never');
    is($held->status, 202, 'a file that was sent for a profile that does not fit');
    my $tried = done('tried by another', 'instrument-file', 'reevaluate', $held->json->{id}, '--profile',
        'bench', qw(--dry-run true));
    is($tried->{status}, 'imported', 'would be imported');
    is(done('left', qw(instrument-file show), $held->json->{id})->{status}, 'quarantined',
        'the file still waits');

    my $rejected = ingest($pc->csv([ 'NOBODY', 'NO3', '4' ]));
    done('rejected', '--reason', 'x', qw(instrument-file reject), $rejected->json->{id});
    is(outcome(ingest($pc->csv([ 'NOBODY', 'NO3', '4' ]), again => $true)),
        '200 quarantined known unknown_tracking_id', 'a rejected file is not read again');
};

# A wide file, of which a person leaves out parts.
my %wide = (
    code => 'wide', name => 'Wide', layout => 'wide', dialect => { delimiter => ';' },
    match => { container => 'text', headers => [ 'Id', 'Cu', 'Pb' ] },
    columns => { trackingId => 'Id', sampleType => 'Type' },
    rows  => { errors => [ { when => [ { column => 'sampleType', equals => 'X' } ] } ] },
    tests => [ { name => 'Cu', testCode => 'CU' }, { name => 'Pb', testCode => 'PB' } ],
);

sub kept {
    my ($name, $content) = @_;
    my $answer = ingest($content);
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    is($answer->status, 202, $name) or diag($answer->body);
    return $answer->json->{id};
}

sub release {
    my ($id, @exclude) = @_;
    return ('--reason', 'bench sheet', qw(instrument-file release), $id, '--exclude',
        $json->encode([ map { { reason => 'x', %$_ } } @exclude ]));
}

sub results_of {
    my ($sample) = @_;
    return join ' ', map { $pc->test($sample, $_)->{result} // '-' } qw(CU PB);
}

subtest 'excluding rows, cells, tests and samples' => sub {
    $pc->profile(%wide);
    my @sample = map { $pc->sample(qw(CU PB)) } 1 .. 6;
    my @id     = map { $_->{trackingId} } @sample;
    my $id     = kept('a value that is none', "Id;Cu;Pb;Type\n$id[0];1;bad;\n$id[1];3;4;\n");

    refused_with('what is not there, and a value that is none', qr/cannot be released so/,
        release($id, { row => 9 }));
    refused_with('of two, one that is not there', qr/exclude\[1\]: nothing that is read of the file/,
        release($id, { row => 2, test => 'PB' }, { cell => 'C9' }));
    refused_with('nothing said', qr/exclude\[0\]: must say what is left out/, release($id, {}));
    refused_with('no cell', qr/exclude\[0\]\.cell: must be letters and a number/,
        release($id, { cell => '12D' }));
    refused_with('a cell twice', qr/cannot stand beside it/, release($id, { cell => 'C2', row => 2 }));
    refused_with('of a sheet that there is not', qr/cannot be released so/,
        release($id, { sheet => 'Other', test => 'PB' }));
    refused_with('another test of the row', qr/bad/, release($id, { row => 2, test => 'CU' }));
    is(results_of($sample[0]), '- -', 'a refused release enters nothing');
    my $made = done('the test of a row', release($id, { row => 2, test => 'PB' }));
    is($made->{status}, 'released', 'the file is released');
    is_deeply($made->{resolution}{exclude}, [ { row => 2, test => 'PB', reason => 'x' } ],
        'the exclusion is on record');
    is(results_of($sample[0]), '1 -', 'the others of the row are entered');
    is(results_of($sample[1]), '3 4', 'the results of other rows of the file are entered');

    $id = kept('another', "Id;Cu;Pb;Type\n$id[2];n.a.;2;\n$id[3];3;n.a.;\n");
    done('by cells', release($id, { cell => 'B2' }, { row => 3, column => 3 }));
    is(results_of($sample[2]) . ' ' . results_of($sample[3]), '- 2 3 -',
        'each result is entered or excluded by itself');

    # A reason about a whole row is removed only with the whole row.
    $id = kept('a row in error', "Id;Cu;Pb;Type\n$id[4];1;2;X\n$id[5];3;4;\n");
    refused_with('a test of it', qr/error/, release($id, { row => 2, test => 'PB' }));
    done('all of it', release($id, { row => 2 }));
    is(results_of($sample[4]) . ' ' . results_of($sample[5]), '- - 3 4', 'the row is left out');

    $id = kept('no tracking id', "Id;Cu;Pb;Type\n;1;2;\n$id[4];8;9;\n");
    refused_with('one of its tests', qr/no tracking id/i, release($id, { row => 2, test => 'CU' }));
    done('the row', release($id, { row => 2 }));
};

# A reason shows the cell that it is about, which need not be that of the value.
subtest 'a value goes with the reason about it, or the reason stays' => sub {
    my $head   = 'Sample;Test;Value;Flag;Status;Time;Sign';
    my %column = (trackingId => 'Sample', test => 'Test', value => 'Value', flag => 'Flag',
        status => 'Status', analysedAt => 'Time', qualifier => 'Sign');
    $pc->profile(columns => \%column,
        rows       => { final => ['F'], errors => [ { when => [ { column => 'flag', equals => 'X' } ] } ] },
        qualifiers => { flags => [ { text => 'FAIL', action => 'block' },
                { text => 'X', action => 'ignore' } ] });

    for my $case (
        [ 'a flag',                 'D2', 'FAIL;F;;',      'instrument_error_flag' ],
        [ 'an error of the row',    'D2', 'X;F;;',         'instrument_error_flag' ],
        [ 'a status',               'E2', ';P;;',          'instrument_error_flag' ],
        [ 'a time that is none',    'F2', ';F;yesterday;', 'timestamp_invalid' ],
        [ 'a qualifier of nobody',  'G2', ';F;;%',         'unknown_qualifier' ],
    ) {
        my ($what, $cell, $rest, $code) = @$case;
        my ($bad, $good) = map { $pc->sample('NO3') } 1 .. 2;
        my $id = kept($what, "$head\n$bad->{trackingId};NO3;5;$rest\n$good->{trackingId};NO3;6;;F;;\n");

        refused_with("$what, by its own cell", qr/\b$code\b/, release($id, { cell => $cell }));
        is($pc->test($bad, 'NO3')->{result}, undef, "$what: the value is not entered");
        done("$what, by its row", release($id, { row => 2 }));
        is_deeply([ map { $pc->test($_, 'NO3')->{result} } $bad, $good ], [ undef, '6' ],
            "$what: the value is left out with its reason");
    }

    my $sample = $pc->sample('NO3');
    my $id = kept('a sign of nobody', "$head\nNOBODY;NO3;0.5;;F;;%\n$sample->{trackingId};NO3;6;;F;;\n");
    done('the cell of the value takes its reasons with it', release($id, { cell => 'C2' }));
    is($pc->test($sample, 'NO3')->{result}, '6', 'the other value is entered');
};

subtest 'a table that does not fit is not left out by its header' => sub {
    $pc->profile(table => { header => { find => [ 'Sample', 'Test' ], repeats => $true } },
        columns => { trackingId => 'Sample', test => 'Test', value => 'Value' });
    my ($one, $two) = map { $pc->sample('NO3') } 1 .. 2;
    my $id = kept('two tables', "Sample;Test;Value\n$one->{trackingId};NO3;1\n"
            . "Sample;Test;Valeu\n$two->{trackingId};NO3;2\n");

    refused_with('its header row', qr/structure_mismatch/, release($id, { row => 3 }));
    refused_with('all of its rows', qr/structure_mismatch/, release($id, { row => 3 }, { row => 4 }));
    is_deeply(excludable($id), { '3 structure_mismatch' => 0 },
        'the reason says so before');
    is($pc->test($one, 'NO3')->{result}, undef, 'a refused release enters nothing');
};

# A control decides about the whole run: whoever releases the file does not choose it.
subtest 'QC controls are not left out' => sub {
    my $rule = sub { my ($name, $type, %more) = @_;
        return { when => [ { column => 'unit', equals => $name } ], controlType => $type,
            route => 'qcBatch', %more } };
    $pc->profile(rows => { controls => [
                $rule->('CCV', 'CCV', criterion => 'recovery', expectedValue => '10',
                    lowerLimit => '90', upperLimit => '110'),
                $rule->('BLK', 'MB', criterion => 'maximum', upperLimit => '0.5'),
                $rule->('MS', 'MS', criterion => 'recovery', expectedValue => '10',
                    lowerLimit => '80', upperLimit => '120') ] });
    my $sample = $pc->sample('NO3');
    my $id = kept('a sample of nobody in a run that failed', $pc->csv([ $sample, 'NO3', '7' ],
            [ 'NOBODY', 'NO3', '1' ], [ 'CCV-1', 'NO3', '19', 'CCV' ], [ 'BLK-1', 'NO3', '', 'BLK' ],
            [ 'BLK-2', 'NO3', '0.1', 'BLK' ]));
    my $nobody = { row => 3 };
    my $blank  = { row => 5 };
    is_deeply(excludable($id), { '3 unknown_tracking_id' => 1, '5 missing_value' => 0 },
        'the reasons say which can be left out');

    for my $case (
        [ 'by its row', { row => 4 } ],      [ 'by its cell', { cell => 'C4' } ],
        [ 'by its name', { trackingId => 'CCV-1' } ],
        [ 'with a test', { test => 'NO3' } ],
        [ 'with its row and column', { row => 4, column => 3 } ],
        [ 'by its row and test', { row => 4, test => 'NO3' } ],
    ) {
        my ($how, $out) = @$case;
        refused_with("a control that failed, $how", qr/CCV NO3 of row 4 is a QC control/,
            release($id, $nobody, $out));
    }
    refused_with('a control without a value', qr/MB NO3 of row 5 is a QC control/,
        release($id, $nobody, $blank));
    my $dry = ctl('instrument-file', 'release', $id, '--dry-run', 'true', '--exclude',
        $json->encode([ map { { reason => 'x', %$_ } } $nobody, $blank, { row => 4 } ]));
    isnt($dry->{exit}, 0, 'a dry run is refused as the release would be');
    is_deeply([ sort map { "$_->{row} $_->{code}" } @{ $dry->{json}{reasons} } ],
        [ '4 control_excluded', '5 control_excluded', '5 missing_value', '5 non_numeric' ],
        'the dry run names the row of each control, with what holds it besides');
    is($pc->test($sample, 'NO3')->{result}, undef, 'a refused release enters nothing');

    my $file = $pc->csv([ $sample, 'NO3', '7' ], [ 'NOBODY', 'NO3', '1' ],
        [ 'CCV-1', 'NO3', '19', 'CCV' ], [ 'BLK-2', 'NO3', '0.1', 'BLK' ]);
    done('what is no control is left out', release(kept('the run again', $file), $nobody));
    is($pc->test($sample, 'NO3')->{result}, '7', 'the result is entered');
    refused($lims->post('/sample-tests/' . $pc->test($sample, 'NO3')->{id} . '/verify', {}), 409,
        'qc_failed', 'the run that failed holds the result');

    # A spike without its sample would be judged as another.
    my $spiked = $pc->sample('NO3');
    $id = kept('a spiked sample', $pc->csv([ $spiked, 'NO3', '4' ], [ $spiked, 'NO3', '11', 'MS' ],
            [ 'NOBODY', 'NO3', '1' ]));
    refused_with('the sample that was spiked', qr/that this MS could be held against/,
        release($id, { row => 2 }, { row => 4 }));
    done('all but nobody', release($id, { row => 4 }));
    is($lab->value(q{SELECT evaluated_value FROM lims.qc_control ORDER BY id DESC LIMIT 1}) + 0, 70,
        'the spike is held against its sample');
};

subtest 'JSON in one line' => sub {
    $pc->profile(code => 'json', name => 'JSON', layout => 'json', match => { container => 'json',
            root => 'samples' }, dialect => undef, table => { element => '/samples' },
        columns => { trackingId => 'id' },
        tests => [ { name => 'cu', testCode => 'CU' }, { name => 'pb', testCode => 'PB' } ]);
    my ($one, $two) = map { $pc->sample(qw(CU PB)) } 1 .. 2;
    my $file   = $json->encode({ samples => [ { id => $one->{trackingId}, cu => '1', pb => '' },
                { id => $two->{trackingId}, cu => '2', pb => '3' } ] });
    my $answer = ingest($file);

    is($answer->status, 202, 'a value is missing') or diag($answer->body);
    my ($reason) = @{ $answer->json->{reasons} };
    like($reason->{message}, qr/\(Test PB of sample \Q$one->{trackingId}\E\.\)/,
        'the reason names the missing value');
    my $id = $answer->json->{id};
    done('that one alone is left out', release($id, { trackingId => $one->{trackingId}, test => 'PB' }));
    is(results_of($one) . ' ' . results_of($two), '1 - 2 3',
        'all results that are not excluded are entered');
};

subtest 'warnings when a profile is added' => sub {
    my $definition = $pc->definition(code => 'fresh', tests => [ { name => 'a', testCode => 'NEVER-1',
                unit => 'mg/L', fileUnit => 'ug/L' }, { name => 'b', testCode => 'NO3' } ]);

    refused_with('a unit without a conversion',
        qr/tests\[0\]\.fileUnit: no conversion from \\?"ug\/L\\?" to/, qw(profile add --definition),
        $json->encode($definition));
    refused_with('a file\'s name', qr/--definition \@photometer\.json/,
        qw(profile add --definition photometer.json));
    $definition->{tests}[0]{convert} = { factor => '0.001' };
    my $made = done('then it is added', qw(profile add --definition), $json->encode($definition));
    is($made->{warning}, 'No active test definition has these of its test codes: NEVER-1.',
        'the answer warns of the unknown test codes');
    is(done('active', qw(profile activate), $made->{id})->{warning}, $made->{warning},
        'activating the profile warns too');
    $definition->{tests} = [ map { { name => $_, testCode => $_ } } qw(NEVER-1 NEVER-2) ];
    is(done('none', qw(profile add --definition), $json->encode($definition))->{warning},
        'No active test definition has any of its 2 test codes: NEVER-1, NEVER-2.',
            'a warning when no code is known');
    $definition->{tests} = [ { name => 'b', testCode => 'NO3' } ];
    is(done('all', qw(profile add --definition), $json->encode($definition))->{warning}, undef,
        'no warning when every code is known');
};

subtest 'what profile test shows' => sub {
    $pc->profile;
    my $id = $lab->value(q{SELECT id FROM lims.instrument_profile WHERE code = 'bench'
        AND status = 'active'});
    my (undef, $output) = LIMS::Instance::capture(LIMS::Instance::out() . '/limsctl', '--database',
        $lims->conninfo, @as, 'profile', 'test', $id, '--content',
        $pc->csv([ 'S-1', 'NO3', '1' ], [ 'S-2', 'NO3', '<2', '', '2026-01-01T00:00:00' ]));
    like($output, qr/^ *sheet +row .* result +qualifier +analysedAt$/m,
        'columns that the first row has not');
    like($output, qr/^ *3 .*S-2 .* <2 +< +2026-01-01T00:00:00$/m,
        'the rows have the values of the columns');
};

done_testing();
