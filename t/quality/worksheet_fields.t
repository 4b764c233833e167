#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Fields of a worksheet that are more than text: computed ones, whose value nobody enters and
# every signature covers, and those that name a lot or an instrument of the laboratory, by
# the service and in the database alike.
use strict;
use warnings;

use LIMS::Test;

use LIMS::Service::CommandLine;
use LIMS::Service::Laboratory;
use LIMS::Service::Person;

my $lims = LIMS::Test->new;
my $lab  = LIMS::Service::Laboratory->new($lims);
my $ann  = LIMS::Service::CommandLine->new($lims, 'Ann Lee', roles => ['analyst', 'lab_manager']);
my $pat  = LIMS::Service::Person->new($lims, roles => ['analyst'], name => 'Pat Moss');
my $mine = $lims->fixture;
my $no   = JSON::PP::false;

my $definition = $lab->definition(code => 'HEM', requires_worksheet => 't');
my ($test)     = $lab->tests($lab->sample(testDefinitionIds => [$definition]));
$lab->enter($test, '1.7');

sub fill {
    my (%value) = @_;
    return (sampleTestId => $test,
        values => [ map { { field => $_, value => $value{$_} } } sort keys %value ]);
}

# --- Templates ------------------------------------------------------------------------

my @weights = map { { name => $_, label => "Weight, $_", unit => 'mg', kind => 'number' } }
    qw(gross tare);
my @template = (testDefinitionId => $definition, name => 'Gravimetry');
my $refusal  = $ann->refused('invalid_body', 'worksheet-template create', @template,
    fields => [ @weights, { name => 'net', kind => 'computed', decimals => 1,
        formula => 'gross - (tare' } ]);
like($refusal->{message}, qr/fields\[2\]\.formula: at character 14: a \( is not closed/,
    'the refusal names the field and the place');
$ann->refused('invalid_body', 'worksheet-template create', @template,
    fields => [ @weights, { name => 'net', kind => 'computed', decimals => 1,
        formula => 'gross - volume' } ]);
is($ann->call('worksheet-template create', @template, fields => [ @weights,
        { name => 'net', kind => 'computed', decimals => 11, formula => 'gross' } ])->{exit}, 2,
    'more than 10 decimals are refused');
is($ann->call('worksheet-template create', @template, fields => [ @weights,
        { name => 'net', kind => 'computed', decimals => 1, formula => '1' x 501 } ])->{exit}, 2,
    'a formula of more than 500 characters is refused');

my $template = $ann->done('worksheet-template create', @template, fields => [
    @weights,
    { name => 'volume', unit => 'mL', kind => 'number' },
    { name => 'net', unit => 'mg', kind => 'computed', formula => 'gross - tare', decimals => 1 },
    { name => 'result', label => 'Result', unit => 'mg/L', kind => 'computed',
        formula => 'net / volume * 1000', decimals => 2 },
    { name => 'solvent', kind => 'reagent_lot', required => $no },
    { name => 'agar', kind => 'media_lot', required => $no },
    { name => 'balance', kind => 'instrument', required => $no },
], signoffSteps => [ { name => 'Analyst' } ]);
is_deeply([ map { [ @$_{qw(kind formula decimals)} ] } @{ $template->{fields} }[ 2, 3 ] ],
    [ [ 'number', undef, undef ], [ 'computed', 'gross - tare', 1 ] ],
    'a template has the formula with its decimals');

# --- Computed values ------------------------------------------------------------------

is_deeply($lims->post("/sample-tests/$test/verify")->json->{missing},
    [ 'Weight, gross', 'Weight, tare', 'volume', 'net', 'Result' ],
    'of a worksheet that was not begun computed fields are missing, too');

sub computed {
    my ($sheet) = @_;
    return [ map { [ @$_{qw(value problem)} ] } grep { $_->{kind} eq 'computed' }
            @{ $sheet->{values} } ];
}
my $sheet = $ann->done('worksheet fill', fill(gross => '48214.10'));
is_deeply(computed($sheet), [ [ undef, 'needs Weight, tare' ], [ undef, 'needs net, volume' ] ],
    'what a formula needs is told');
is_deeply($sheet->{missing}, [ 'Weight, tare', 'volume', 'net', 'Result' ],
    'fields that cannot be computed yet are missing');
$sheet = $ann->done('worksheet fill', fill(tare => '48212.4', volume => '0'));
is_deeply(computed($sheet), [ [ '1.7', undef ], [ undef, 'divides by zero' ] ],
    'a division by zero is told');
is_deeply($sheet->{missing}, ['Result'], 'a field that cannot be computed is missing');
like($ann->refused('worksheet_incomplete', 'worksheet sign-off', $sheet->{id}, step => 'Analyst',
    meaning => 'performed')->{message}, qr/lacks Result \(divides by zero\)/,
    'who would sign is told why');
$sheet = $ann->done('worksheet fill', fill(volume => '985'));
is_deeply(computed($sheet), [ [ '1.7', undef ], [ '1.73', undef ] ],
    'computed fields follow from what is entered, with their decimals');
is_deeply([ $sheet->{missing}, $sheet->{status}, $sheet->{values}[0]{value} ],
    [ [], 'unsigned', '48214.10' ], 'nothing is missing, and a number stays as it was entered');
is_deeply([ $sheet->{values}[4]{formula}, $sheet->{values}[4]{enteredBy} ],
    [ 'net / volume * 1000', undef ], 'a computed value has a formula, and nobody entered it');

like($ann->refused('invalid_body', 'worksheet fill', fill(result => '9.99'))->{message},
    qr/values\[0\]\.field: the field "result" is computed/, 'a computed value is not entered');
refused($pat->post('/worksheets', { fill(result => undef) }), 400, 'invalid_body',
    'a computed value is not cleared');
like($pat->get('/worksheets/export')->body, qr/1\.73/, 'the list as CSV has computed values');
is_deeply(computed($pat->get("/worksheets?sampleTestId=$test")->json->{data}[0]), computed($sheet),
    'the list has computed values');

# --- In the database ------------------------------------------------------------------

my $app = $lims->app_db($mine->{id}, $lims->value('SELECT id FROM lims.user_account
    WHERE organization_id = ? AND email = ?', $mine->{id}, $ann->{user}));
my %field = map { @$_ } @{ $lims->db->selectall_arrayref('SELECT name, id FROM lims.worksheet_field
    WHERE template_id = ?', undef, $template->{id}) };

# The refusal of an entry by SQL, as "slug: message"; '': none.
sub by_sql {
    my ($field, $value, $of) = @_;
    return '' if eval {
        $app->do('INSERT INTO lims.worksheet_value (organization_id, worksheet_id, field_id, value)
            VALUES (?, ?, ?, ?) ON CONFLICT (organization_id, worksheet_id, field_id)
            DO UPDATE SET value = excluded.value', undef, $mine->{id}, $of // $sheet->{id},
            $field{$field}, $value);
        1;
    };
    my ($words) = $app->errstr =~ /ERROR:\s*(.*)/;
    return ($app->pg_error_field('detail') // $app->state) . ": $words";
}
is(by_sql(result => '9.99'),
    'invalid_body: Result: the field is computed: its value cannot be entered',
    'the database refuses to enter a computed value');
is(by_sql(gross => 'a lot'), 'invalid_body: Weight, gross: "a lot" is no number',
    'the database refuses a number that is none');
is(by_sql(gross => '48214.10'), '', 'a number is entered');

# --- Signatures -----------------------------------------------------------------------

sub hash { return $pat->get("/worksheets/$sheet->{id}")->json->{contentHash} }

my $seen = hash();
is($lims->value(q{SELECT count(*) FROM jsonb_array_elements(lims.signed_content(?, 'worksheet', ?)
    -> 'values') AS v (value) WHERE v.value = jsonb_build_object('fieldId', ?::bigint,
        'value', '1.73', 'enteredBy', NULL)}, $mine->{id}, $sheet->{id}, $field{result}), 1,
    'what is signed has the computed value');
$ann->done('worksheet sign-off', $sheet->{id}, step => 'Analyst', meaning => 'performed');
my $signature = $lims->value(q{SELECT max(id) FROM lims.electronic_signature
    WHERE table_name = 'worksheet' AND record_id = ?}, $sheet->{id});
sub stands { return $lims->value('SELECT lims.signature_fits(?, ?)', $mine->{id}, $signature) }
ok(stands(), 'the signature stands');
is(hash(), $seen, 'signing has not changed what it covers');

# A formula that somebody changed behind all triggers.
sub net_by {
    my ($formula) = @_;
    return $lims->superuser->do('UPDATE lims.worksheet_field SET formula = ? WHERE id = ?', undef,
        $formula, $field{net});
}
$lims->superuser->do('ALTER TABLE lims.worksheet_field DISABLE TRIGGER USER');
net_by('gross + tare');
ok(!stands(), 'the signature does not stand with another computed value');
isnt(hash(), $seen, 'another computed value has another hash');
net_by('gross - tare');
$lims->superuser->do('ALTER TABLE lims.worksheet_field ENABLE TRIGGER USER');
ok(stands(), 'the signature stands with the same value again');
$ann->done('worksheet withdraw', $sheet->{id}, reason => 'the lots were not named');

# --- Lots and instruments -------------------------------------------------------------

my $expired = $lab->reagent_lot(code => 'HEX-25', lot_number => 'H-1', expires_on => '2025-12-31');
$lab->reagent_lot(code => 'HEX-26', lot_number => 'H-2');
$lab->reagent_lot(code => 'HEX-27', lot_number => 'H-3');
$lab->reagent_lot(code => 'HEX-28', lot_number => 'H-3');
$lab->reagent_lot(code => 'H-2X', lot_number => 'HEX-26');
my $agar = $lab->insert('media_lot', code => 'R2A-1', lot_number => '77', name => 'R2A',
    medium => 'R2A');
$lab->insert('instrument', code => 'BAL-1', name => 'Balance');
$lab->insert('instrument', code => 'BAL-0', name => 'Old balance', active => 'f');

sub named {
    my ($field, $value) = @_;
    my $answer = $ann->done('worksheet fill', fill($field => $value));
    return (map { $_->{value} } grep { $_->{field} eq $field } @{ $answer->{values} })[0];
}
is(named(solvent => $_->[0]), $_->[1], "a reagent lot: $_->[0]") for
    [ 'HEX-27', 'HEX-27' ], [ 'H-2', 'HEX-26' ], [ ' hex-27 ', 'HEX-27' ], [ 'HEX-26', 'HEX-26' ];
is(named(agar => '77'), 'R2A-1', 'a media lot by its lot number');
is(named(balance => 'bal-1'), 'BAL-1', 'an instrument');
is(named(balance => ' '), ' ', 'a blank value clears a field of any kind');
is(named(balance => 'BAL-1'), 'BAL-1', 'a cleared field is filled in again');

my $other = $lims->organization(code => 'elsewhere');
$lims->insert($_->[0], { code => 'FOREIGN', name => 'of others', %{ $_->[1] } }, $other) for
    [ reagent_lot => { lot_number => 'F' } ], [ instrument => {} ],
    [ media_lot => { lot_number => 'F', medium => 'R2A' } ];

my @unknown = (
    [ solvent => 'HEX-99', 'solvent: there is no reagent lot "HEX-99"' ],
    [ solvent => 'R2A-1', 'solvent: there is no reagent lot "R2A-1"' ],
    [ solvent => 'H-3', 'solvent: "H-3" names HEX-27, HEX-28: give the code of one' ],
    [ agar => 'HEX-26', 'agar: there is no media lot "HEX-26"' ],
    [ balance => 'BAL-0', 'balance: there is no active instrument "BAL-0"' ],
    map { [ $_->[0] => 'FOREIGN', "$_->[0]: there is no $_->[1] \"FOREIGN\"" ] }
        [ solvent => 'reagent lot' ], [ agar => 'media lot' ], [ balance => 'active instrument' ],
);
for my $case (@unknown) {
    my ($field, $value, $message) = @$case;
    is(by_sql($field, $value), "invalid_reference: $message", "the database refuses $field $value");
    like($ann->refused('invalid_reference', 'worksheet fill', fill($field => $value))->{message},
        qr/\Q$message\E/, "the service refuses $field $value with the same words");
}
is(by_sql(solvent => 'h-2'), '', 'a lot is entered by SQL');
is($lims->value('SELECT value FROM lims.worksheet_value WHERE field_id = ?', $field{solvent}),
    'HEX-26', 'the code of the lot is kept');

# --- Lots that may not be used --------------------------------------------------------

like(by_sql(solvent => 'HEX-25'), qr/^reagent_lot_expired: solvent: reagent lot HEX-25 expired/,
    'the database refuses an expired lot');
refused($pat->post('/worksheets', { fill(solvent => 'HEX-25') }), 409, 'reagent_lot_expired',
    'the service refuses an expired lot');
$lab->policy(reagent_expiry_policy => 'warn');
is(named(solvent => 'HEX-25'), 'HEX-25', 'under the policy that only warns it is entered');
$lab->policy(reagent_expiry_policy => 'block');
is(named(solvent => 'HEX-25'), 'HEX-25', 'what stands is not judged again');
is(named(solvent => 'HEX-26'), 'HEX-26', 'another lot takes its place');

is(named(agar => undef), undef, 'a lot is cleared');
$lab->media_test($agar, 'growth_promotion', 'failed', 'E. coli');
$lab->policy(lot_qc_policy => 'block');
like(by_sql(agar => 'R2A-1'), qr/^lot_not_released: agar: media lot R2A-1 failed its quality/,
    'the database refuses a lot that is not released');
refused($pat->post('/worksheets', { fill(agar => 'R2A-1') }), 409, 'lot_not_released',
    'the service refuses a lot that is not released');
is($ann->done('worksheet show', $sheet->{id})->{values}[6]{value}, undef, 'nothing was entered');

# --- Worksheets of others -------------------------------------------------------------

is($lims->value('SELECT count(*) FROM lims.worksheet_computed(?, ?)', $mine->{id}, $sheet->{id}), 2,
    'computed fields are those of the worksheet');
my $stranger = $lims->app_db($other->{id}, $other->{user_id});
is($stranger->selectrow_array('SELECT count(*) FROM lims.worksheet_computed(?, ?)', undef,
    $_, $sheet->{id}), 0, 'another organization sees none, whatever it asks for')
    for $mine->{id}, $other->{id};
is($stranger->selectrow_array(q{SELECT count(*) FROM lims.records_written(?, 'reagent_lot', 'HEX-26')},
    undef, $mine->{id}), 0, 'another organization finds no lot either');

done_testing();
