#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Reference data as CSV files: out with codes in place of ids and nothing that a spreadsheet
# computes; in by a dry run that shows every difference and every mistake at its line and
# column, then as it was shown, all or nothing.
use strict;
use warnings;

use Encode qw(encode);
use LIMS::Service::CommandLine;
use LIMS::Service::Laboratory;
use LIMS::Service::Person;
use LIMS::Test;
use MIME::Base64 qw(decode_base64 encode_base64);

my $lims  = LIMS::Test->new;
my $lab   = LIMS::Service::Laboratory->new($lims);
my $ann   = LIMS::Service::CommandLine->new($lims, 'Ann Lee');
my $mia   = LIMS::Service::Person->new($lims);
my $rex   = LIMS::Service::Person->new($lims, roles => ['analyst']);
my $other = LIMS::Service::Laboratory->new($lims, $lims->organization(code => 'other-laboratory'));

my $lead   = $lab->definition(code => 'PB', name => 'Lead', specification_high => '10.50');
my $ph     = $lab->definition(code => 'PH', name => 'pH', specification_low => 6.5);
my $water  = $lab->material(code => 'DW', name => '=Water');
my $sludge = $lab->material(code => 'SL', name => 'Sludge');
my $permit = $lab->project(code => 'P-1', name => 'Permit');
$other->material(code => 'XX', name => 'Somebody else');
$ann->done('specification create', testDefinitionId => $lead, materialTypeId => $water,
    high => '7.10');
$ann->done('specification create', testDefinitionId => $lead, materialTypeId => $water,
    projectId => $permit, low => 1, decisionRule => 'simple, "w" = 0');
$ann->done('panel create', code => 'METALS', name => 'Metals', testDefinitionIds => [ $ph, $lead ]);

sub file {
    my ($noun) = @_;
    my $answer = $mia->get("/reference-data/export?noun=$noun");
    is($answer->status, 200, "the file of $noun");
    return $answer->body;
}

sub import_file {
    my ($noun, $text, %option) = @_;
    my $who = delete $option{who} || $mia;
    return $who->post('/reference-data/import', { noun => $noun, %option,
            (utf8::is_utf8($text) || $text !~ /[^\x00-\x7f]/ ? (content => $text)
                : (contentBase64 => encode_base64($text, ''))) });
}

sub tried {
    my ($noun, $text) = @_;
    my $answer = import_file($noun, $text, dryRun => LIMS::Service::JSONSchema::decode('true'));
    is($answer->status, 200, "a dry run of $noun") or diag($answer->body);
    return $answer->json;
}

# "line column: what", for each mistake.
sub mistakes {
    return [ map { "$_->{row} " . ($_->{column} // '-') . " $_->{error}: $_->{message}" }
            @{ $_[0]{errors} } ];
}

# "line name: column old>new, …", for each difference.
sub differences {
    return [ map { my $one = $_; "$one->{row} $one->{name} $one->{outcome}: " . join ', ',
            map { "$_->{column} $_->{old}>$_->{new}" } @{ $one->{changes} } } @{ $_[0]{differences} } ];
}

subtest 'out' => sub {
    is(file('specifications'), join("\r\n",
            'testDefinition,materialType,project,low,high,expectedText,decisionRule',
            '"PB","DW","","","7.10","",""',
            '"PB","DW","P-1","1","","","simple, ""w"" = 0"', ''), 'codes in place of ids');
    like(file('panels'), qr/\r\n"METALS","Metals","PH; PB","true"\r\n\z/, 'several codes in one cell');
    is(file('material-types'), qq{code,name,active\r\n"DW","'=Water","true"\r\n"SL","Sludge","true"\r\n},
        'no text begins a formula, and nothing is of another laboratory');
    is($rex->get('/reference-data/export?noun=clients')->status, 200,
        'everybody who reads records may export');
    is($mia->get('/reference-data/export?noun=users')->status, 400,
        'an unknown noun cannot be exported');
    is(decode_base64($ann->done('reference-data export', noun => 'panels')->{contentBase64}),
        file('panels'), 'the same at the command line');
};

subtest 'what was exported is the same' => sub {
    $lab->client(code => 'CITY', name => 'City', address => "1 Mill Road\nCedar");
    $lab->location(code => 'F1', name => 'Freezer', min_temperature => -20, max_temperature => '-18.0');
    $ann->done('test-definition update', $ph, method => 'EPA 200.8', confirmationPlan => [ { step => 'MUG', afterHours => 24 } ]);
    $ann->done('instrument create', code => 'IC', name => 'Ion chromatograph', calibrationDue => '2027-01-01');
    for my $noun (qw(test-definitions specifications panels material-types projects clients
        storage-locations instruments label-sizes)) {
        my $tried = tried($noun, file($noun));
        is_deeply([ @$tried{qw(created changed)}, differences($tried), mistakes($tried) ], [ 0, 0, [], [] ],
            "the file of $noun changes nothing");
        cmp_ok($tried->{unchanged}, '>', 0, "every record of $noun is in its file");
    }
    is(tried('specifications', "materialType;testDefinition;high\r\nDW;PB;7.1")->{unchanged}, 1,
        'a number that lost its last zero in a spreadsheet is the same');
};

my $changed = "testDefinition\tmaterialType\tproject\tlow\thigh\n"
    . "PB\tDW\t\t\t 5 \nPB\tSL\t\t\t\nPB\tDW\tP-1\t1\t\n\nPH\tDW\t\t6\t9\n";

subtest 'what differs is shown, then done' => sub {
    my $before = file('specifications');
    my $tried  = tried('specifications', $changed);
    is_deeply(differences($tried), [ '2 PB, DW changed: high 7.10>5',
            '3 PB, SL created: testDefinition >PB, materialType >SL',
            '6 PH, DW created: testDefinition >PH, materialType >DW, low >6, high >9' ],
        'line by line, column by column');
    is("@$tried{qw(created changed unchanged)}", '2 1 1', 'the numbers of rows are counted');
    is(file('specifications'), $before, 'a dry run writes nothing');

    my $done = import_file('specifications', $changed, contentHash => $tried->{contentHash},
        reason => 'permit renewed');
    is_deeply($done->json, $tried, 'what was shown is done');
    like(file('specifications'), qr/"PB","DW","","","5","",""\r\n/,
        'the imported limits stand in the file');
    is_deeply($lims->db->selectcol_arrayref(q{SELECT DISTINCT reason FROM lims.audit_entry
         WHERE table_name = 'specification' AND reason IS NOT NULL}), ['permit renewed'],
        'the trail has the reason of the import');
    is(tried('specifications', $changed)->{unchanged}, 4, 'once more, nothing differs');
};

subtest 'no others than were shown' => sub {
    my $file  = "code,name\nDW,Drinking water\n";
    my $tried = tried('material-types', $file);
    $ann->done('material-type update', $water, name => 'Tap water');
    my $answer = import_file('material-types', $file, contentHash => $tried->{contentHash});
    is($answer->status . $answer->json->{error}, '412precondition_failed', 'somebody was faster');
    is($ann->done('material-type show', $water)->{name}, 'Tap water', 'an import that came too late does nothing');
    is(import_file('material-types', $file)->json->{changed}, 1, 'without it, the file as it is');
};

subtest 'mistakes at their line and column' => sub {
    my $file = "testDefinition,materialType,project,low,high\n"
        . "PB,DW,,12,3\nZN,DW,,,\nPH,SL,,\"6,5\",\nPB,DW,,1,2\n,DW,,,\nPH,SL,,1,2,3\n";
    my $before = file('specifications');
    my $tried  = tried('specifications', $file);
    is_deeply(mistakes($tried), [
        '2 low invalid_body: 12 is above high, 3.',
        '3 testDefinition invalid_reference: No record of test-definitions has the code ZN.',
        '4 low invalid_body: low must be a number of at most 40 digits and an exponent within 100.',
        '5 - invalid_body: Line 2 is about PB, DW, too.',
        '6 testDefinition invalid_body: The code is missing.',
        '7 - invalid_body: Cell 6 has no heading.',
    ], 'all of them') or diag(join "\n", @{ mistakes($tried) });
    ok(!$tried->{valid}, 'it cannot be imported');
    my $answer = import_file('specifications', $file);
    is($answer->status, 400, 'the file with mistakes is not imported');
    like($answer->json->{message}, qr/line 2: 12 is above high, 3/, 'the refusal names the first mistake');
    is_deeply([ map { $_->{path} } @{ $answer->json->{errors} } ], [ 'lines[2].low',
            'lines[3].testDefinition', 'lines[4].low', 'lines[5]', 'lines[6].testDefinition',
            'lines[7]' ], 'every other mistake is named by its place');
    is(file('specifications'), $before, 'nothing of it is written');

    is_deeply(mistakes(tried('clients', "name,nmae,Name\nx,y,z\n")), [
        '1 nmae invalid_body: There is no column of this name: the file\'s columns are code, name,'
            . ' contactName, email, phone, address, active.',
        '1 name invalid_body: The column is there twice.',
        '1 code invalid_body: The column is missing: it names the record of each row.',
    ], 'headings');
    is_deeply(mistakes(tried('clients', "code\nNEW\n")),
        ['2 name invalid_body: name is missing: it must be a string of 1 to 255 characters.'],
        'a new record needs what every new one does');
    is_deeply(mistakes(tried('test-definitions', "code,unit,active\nPH,mV,MAYBE\n")),
        ['2 active invalid_body: active must be true or false.'], 'values are those of the record');
    is(import_file('clients', $_)->status, 400, 'no file') for '', "\x00\xff\xfe";
};

subtest 'as spreadsheets write it' => sub {
    my $western = encode('windows-1252', "code;name;active\r\nSE;\"Abw\x{e4}sser; roh\";TRUE\r\n");
    is(import_file('material-types', $western)->json->{created}, 1, 'semicolons and Windows-1252');
    my $utf16 = encode('UTF-16', "code\tname\nTI\t'=Tinte\n");
    is(import_file('material-types', $utf16)->json->{created}, 1, 'tabs and UTF-16');
    my %name = map { $_->{code} => $_->{name} } @{ $mia->get('/material-types')->json->{data} };
    is_deeply([ @name{qw(SE TI)} ], [ "Abw\x{e4}sser; roh", '=Tinte' ], 'no letter is lost');
};

subtest 'records of one file refer to each other' => sub {
    is(import_file('storage-locations', "code,name,parent\nROOM,Room,\nSHELF,Shelf,ROOM\n")
            ->json->{created}, 2, 'a place within one of the line above');
    my $tried = tried('storage-locations', "code,parent,minTemperature,maxTemperature\n"
            . "ROOM,SHELF,,\nSHELF,SHELF,,\nF1,,8,2\n");
    is_deeply([ map { s/.*: //r } @{ mistakes($tried) } ], [ 'ROOM would be within itself.',
            'SHELF would be within itself.', '8 is above maxTemperature, 2.' ],
        'the rules of the database hold');
    is(import_file('panels', "code,name,testDefinitions\nP2,Two,PH;PB\n")->json->{created}, 1, 'a panel');
    is_deeply([ map { $_->{testDefinitionIds} } grep { $_->{code} eq 'P2' }
            @{ $mia->get('/panels')->json->{data} } ], [ [ $ph, $lead ] ], 'the imported panel has tests by their codes');
};

subtest 'who may' => sub {
    my $answer = import_file('clients', "code,name\nA,B\n", who => $rex);
    is($answer->json->{error}, 'permission_required', 'not who may not manage reference data');
    $ann->done('reference-data import', noun => 'clients', content => "code,name\nA,B\n");
    is(@{ $mia->get('/clients?code=A')->json->{data} }, 1, 'a key with limsctl imports, too');
};

# Mistakes that forms can have, too.
my %reversed = (specificationLow => 9, specificationHigh => 8);
for my $refusal ($ann->refused('invalid_body', 'test-definition create', code => 'X', name => 'X', %reversed),
    $ann->refused('invalid_body', 'test-definition update', $lead, specificationLow => 11)) {
    like($refusal->{message}, qr/\ASpecificationLow: \d+ is above specificationHigh, /i,
        'a lower limit above the upper one is said at its field');
}
like($ann->refused('invalid_body', 'qc-template create', method => 'EPA 200.8', name => 'x',
        controls => [ { type => 'LCS', criterion => 'range', lowerLimit => 9, upperLimit => 8 } ])
    ->{message}, qr/controls\[0\]\.lowerLimit: 9 is above upperLimit, 8/i, 'a lower limit of a control above the upper one is said at its field');

subtest 'more records than a file is compared with' => sub {
    $lims->db->do('ALTER TABLE lims.material_type DISABLE TRIGGER USER');
    $lims->db->do(q{INSERT INTO lims.material_type (organization_id, code, name)
        SELECT ?, 'M-' || n, 'Material ' || n FROM generate_series(1, 50001) n}, undef,
        $lims->fixture->{id});
    $lims->db->do('ALTER TABLE lims.material_type ENABLE TRIGGER USER');
    my $answer = import_file('material-types', "code,name\nM-50001,Material 50001\n");
    refused($answer, 400, 'invalid_body', 'a file of a noun with more');
    like($answer->json->{message}, qr/more than 50,000 records/, 'its records are why, not its row');
    is(import_file('clients', "code,name\nA,B\n")->status, 200, 'one of another noun is brought in');
};

done_testing();
