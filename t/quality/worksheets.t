#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The gate of an incomplete worksheet: enforced by the REST API, cleared by filling in and
# signing at the command line; a worksheet is locked when its result is verified.
use strict;
use warnings;

use LIMS::Test;

use LIMS::Service::CommandLine;
use LIMS::Service::Laboratory;
use LIMS::Service::Person;

my $lims = LIMS::Test->new;
my $lab  = LIMS::Service::Laboratory->new($lims);
my $ann  = LIMS::Service::CommandLine->new($lims, 'Ann Lee', roles => ['analyst', 'lab_manager']);
my $rita = LIMS::Service::CommandLine->new($lims, 'Rita Ortiz', roles => ['lab_manager', 'qa_officer']);

my $definition = $lab->definition(code => 'HEM', requires_worksheet => 't');
my $sample     = $lab->sample(testDefinitionIds => [$definition]);
my ($test)     = $lab->tests($sample);
$lab->enter($test, '7.2');

# Verifying is refused, with what is missing and who has to sign.
sub incomplete {
    my ($missing, $signoff, $name) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my $body = refused($lims->post("/sample-tests/$test/verify"), 409, 'worksheet_incomplete',
        $name);
    is_deeply([ $body->{missing}, $body->{needsSignoff} ], [ $missing, $signoff ],
        'the refusal names missing fields and signatures');
    return $body;
}

sub fill {
    my (%value) = @_;
    return (sampleTestId => $test,
        values => [ map { { field => $_, value => $value{$_} } } sort keys %value ]);
}

incomplete([], [], 'without a template');
$ann->refused('invalid_reference', 'worksheet fill', fill(volume => '1000'));

# --- Templates ------------------------------------------------------------------------

my @fields = (
    { name => 'volume', label => 'Initial volume', unit => 'mL', kind => 'number' },
    { name => 'extractedOn', kind => 'date' },
    { name => 'remark', required => JSON::PP::false },
);
my @steps = ({ name => 'Analyst' }, { name => 'Reviewer', role => 'qa_officer' });
my $first = $rita->done('worksheet-template create', testDefinitionId => $definition,
    name => 'HEM extraction', fields => [ $fields[0] ]);
my $second = $rita->done('worksheet-template create', testDefinitionId => $definition,
    name => 'HEM extraction', fields => \@fields, signoffSteps => \@steps);
is_deeply([ $first->{version}, $second->{version} ], [ 1, 2 ],
    'a second template is version 2');
is_deeply([ map { $_->{name} } @{ $second->{fields} } ], [qw(volume extractedOn remark)],
    'the template has its fields in order');
is_deeply($second->{signoffSteps},
    [ { name => 'Analyst', role => undef }, { name => 'Reviewer', role => 'qa_officer' } ],
    'the template has its sign-off steps');
$rita->refused('invalid_reference', 'worksheet-template create', testDefinitionId => 999_999,
    name => 'none', fields => \@fields);
is($rita->call('worksheet-template create', testDefinitionId => $definition, name => 'twice',
        fields => [ $fields[0], $fields[0] ])->{exit}, 2,
            'a field with the same name twice is refused');

# --- Filling ----------------------------------------------------------------------------

incomplete([ 'Initial volume', 'extractedOn' ], [ 'Analyst', 'Reviewer' ], 'not begun');
is($lims->get("/sample-tests/$test")->json->{worksheetStatus}, 'missing',
    'the test shows the worksheet as missing');

$ann->refused('invalid_body', 'worksheet fill', fill(volume => 'a lot'));
$ann->refused('invalid_body', 'worksheet fill', fill(extractedOn => '2026-02-30'));
$ann->refused('invalid_body', 'worksheet fill', fill(weight => '1'));
is($lims->get("/sample-tests/$test")->json->{worksheetStatus}, 'missing',
    'a refused worksheet stores no value');

my $sheet = $ann->done('worksheet fill', fill(volume => '1000'));
is($sheet->{templateId}, $second->{id}, 'the worksheet is of the latest template');
is_deeply([ $sheet->{status}, $sheet->{missing} ], [ 'incomplete', ['extractedOn'] ],
    'the worksheet lists the missing fields');
is_deeply(incomplete(['extractedOn'], [ 'Analyst', 'Reviewer' ], 'begun')
        ->{blockers}[0]{worksheetIds}, [ $sheet->{id} ], 'the answer names the worksheet');
$ann->refused('worksheet_incomplete', 'worksheet sign-off', $sheet->{id}, step => 'Analyst',
    meaning => 'performed');

$ann->done('worksheet fill', fill(extractedOn => '2026-11-19'));
is($ann->done('worksheet fill', fill(extractedOn => '2026-11-20'))->{values}[1]{value},
    '2026-11-20', 'a value is corrected');
$ann->refused('precondition_failed', 'worksheet fill', sampleTestId => $test, values => [
    { field => 'volume', value => '990', was => '1000' },
    { field => 'extractedOn', value => '2026-11-21', was => '2026-11-19' } ]);
$ann->refused('precondition_failed', 'worksheet fill', sampleTestId => $test, values => [
    { field => 'volume', value => '990', was => undef } ]);
my $pat = LIMS::Service::Person->new($lims, roles => ['analyst'], name => 'Pat Moss');
refused($pat->post('/worksheets', { sampleTestId => $test,
        values => [ { field => 'volume', value => '990', was => '980' } ] }), 412,
    'precondition_failed', 'a value that stands there no more');
is_deeply([ map { $_->{value} } @{ $ann->done('worksheet fill', sampleTestId => $test,
        values => [ { field => 'volume', value => '1000', was => '1000' },
            { field => 'remark', value => 'cloudy', was => undef } ])->{values} } ],
    [ '1000', '2026-11-20', 'cloudy' ], 'a value is entered over the one that was read, and no other');
incomplete([], [ 'Analyst', 'Reviewer' ], 'unsigned');

# --- Signing ----------------------------------------------------------------------------

$rita->refused('invalid_transition', 'worksheet sign-off', $sheet->{id}, step => 'Reviewer',
    meaning => 'reviewed');
$ann->refused('invalid_reference', 'worksheet sign-off', $sheet->{id}, step => 'Director',
    meaning => 'reviewed');
$ann->refused('signature_invalid', 'worksheet sign-off', $sheet->{id}, step => 'Analyst',
    meaning => 'performed', password => 'not hers');
is_deeply($ann->done('worksheet sign-off', $sheet->{id}, step => 'Analyst',
        meaning => 'performed')->{needsSignoff}, ['Reviewer'], 'the analyst signs');
incomplete([], ['Reviewer'], 'half signed');
$ann->refused('invalid_transition', 'worksheet sign-off', $sheet->{id}, step => 'Reviewer',
    meaning => 'reviewed');

$ann->refused('invalid_transition', 'worksheet fill', fill(volume => '999'));
is($ann->done('worksheet fill', fill(volume => '1000'))->{status}, 'unsigned',
    'a signed worksheet may be filled with what it says');
my $withdrawn = $ann->done('worksheet withdraw', $sheet->{id}, reason => 'wrong bottle');
is_deeply([ @$withdrawn{qw(needsSignoff signOffs)} ], [ [ 'Analyst', 'Reviewer' ], [] ],
    'sign-offs are withdrawn');
is($ann->done('worksheet fill', fill(volume => '999'))->{values}[0]{value}, '999',
    'after that a value can be corrected');
$ann->done('worksheet sign-off', $sheet->{id}, step => 'Analyst', meaning => 'performed');
my $signed = $rita->done('worksheet sign-off', $sheet->{id}, step => 'Reviewer',
    meaning => 'reviewed');
is($signed->{status}, 'complete', 'the signed worksheet is complete');
is_deeply([ map { [ @$_{qw(step meaning printedName)} ] } @{ $signed->{signOffs} } ],
    [ [ 'Analyst', 'performed', 'Ann Lee' ], [ 'Reviewer', 'reviewed', 'Rita Ortiz' ] ],
    'the worksheet lists who signed what');

is($lims->post("/sample-tests/$test/verify")->status, 200, 'the result can be verified');
$ann->refused('test_verified_locked', 'worksheet fill', fill(volume => '998'));
$ann->refused('test_verified_locked', 'worksheet withdraw', $sheet->{id}, reason => 'too late');

# --- Looking, and taking templates out of use --------------------------------------------

is_deeply([ map { $_->{id} } @{ $ann->done('worksheet list', sampleTestId => $test)->{data} } ],
    [ $sheet->{id} ], 'worksheets are listed');
is($ann->call('worksheet show', 999_999)->{exit}, 3, 'an unknown one is not found');

# --- A sign-off ends with the result it was made for ---------------------------------------

sub signed {
    my ($id) = @_;
    $ann->done('worksheet sign-off', $id, step => 'Analyst', meaning => 'performed');
    return $rita->done('worksheet sign-off', $id, step => 'Reviewer', meaning => 'reviewed')
        ->{status};
}

sub of_sheet { return $lims->get("/sample-tests/$test")->json->{worksheetStatus} }

$rita->done('sample-test reopen', $test, reason => 'contaminated');
is(of_sheet(), 'unsigned', 'reopening the result withdraws the sign-offs');
is_deeply($ann->done('worksheet show', $sheet->{id})->{signOffs}, [],
    'the worksheet has no sign-off');
$lab->enter($test, '3.1');
incomplete([], [ 'Analyst', 'Reviewer' ], 'another analysis, on the first one\'s sheet');
is($ann->done('worksheet fill', fill(volume => '950'))->{values}[0]{value}, '950',
    'the worksheet is filled again');
is(signed($sheet->{id}), 'complete', 'the worksheet is signed again');
$lab->enter($test, '3.1');
is(of_sheet(), 'complete', 'the same result again keeps the sign-offs');
$lab->enter($test, '3.2');
is(of_sheet(), 'unsigned', 'another result ends the sign-offs');
is(signed($sheet->{id}), 'complete', 'the worksheet is signed for the new result');
$lab->enter($test, undef);
is(of_sheet(), 'unsigned', 'withdrawing the result ends the sign-offs');
$ann->refused('invalid_transition', 'worksheet sign-off', $sheet->{id}, step => 'Analyst',
    meaning => 'performed');
$lab->enter($test, '3.2');
incomplete([], [ 'Analyst', 'Reviewer' ], 'the same value after it was withdrawn');
is(signed($sheet->{id}), 'complete', 'the worksheet is signed once more');
is($lims->post("/sample-tests/$test/verify")->status, 200, 'the result can be verified again');

# Signed at the bench, before there is a result.
($test) = $lab->tests($lab->sample(testDefinitionIds => [$definition]));
my $early = $ann->done('worksheet fill', fill(volume => '1000', extractedOn => '2026-11-20'));
is(signed($early->{id}), 'complete', 'a sheet is signed before there is a result');
$lab->enter($test, '4.0');
is(of_sheet(), 'complete', 'the first result keeps the sign-offs made before it');
$lab->enter($test, '5.0');
incomplete([], [ 'Analyst', 'Reviewer' ], 'the next one does not');

$rita->done('worksheet-template update', $second->{id}, active => 'false');
my ($next) = $lab->tests($lab->sample(testDefinitionIds => [$definition]));
is($ann->done('worksheet fill', fill(volume => '1'), sampleTestId => $next)->{templateId},
    $first->{id}, 'an inactive template is not used');

done_testing();
