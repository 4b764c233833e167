#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The content of a certificate: who made it and for whom, what was tested, how and by whom,
# and no internal note; a preview says the same before it is issued, and an amendment what
# it changed.
use strict;
use warnings;

use LIMS::Test;

use Digest::SHA qw(sha256_hex);

use LIMS::Service::CommandLine;
use LIMS::Service::Laboratory;
use LIMS::Service::Person;

my $lims  = LIMS::Test->new;
my $lab   = LIMS::Service::Laboratory->new($lims);
my $ann   = LIMS::Service::CommandLine->new($lims, 'Ann Lee', roles => ['lab_manager']);
my $admin = LIMS::Service::CommandLine->new($lims, 'Al Fox', roles => ['administrator']);

$admin->done('organization update', timeZone => 'America/Denver', address => '12 Mill Road',
    logo => 'https://riverbend.example/logo.svg', accreditation => 'ISO/IEC 17025, 4711.01',
    reason => 'letterhead');
is_deeply([ @{ $admin->done('organization show') }{qw(address accreditation)} ],
    [ '12 Mill Road', 'ISO/IEC 17025, 4711.01' ], 'the letterhead is the organization\'s');
is($ann->call('organization update', address => '1', reason => 'mine')->{exit} ? 1 : 0, 1,
    'a laboratory manager does not change it');

# Over HTTP, where each answer is compared with the OpenAPI document.
my $mia = LIMS::Service::Person->new($lims);

my $client = $ann->done('client create', code => 'RB', name => 'City of Riverbend',
    address => '1 Main Street');
my $material = $lab->material;
my $lead = $lab->definition(code => 'PB', name => 'Lead', unit => 'ug/L', method => 'EPA 200.8');
my $bo = LIMS::Service::CommandLine->new($lims, 'Bo Hart', roles => ['analyst']);
my $copper = $lab->definition(code => 'CU', name => 'Copper', method => 'EPA 200.8');
$ann->done('specification create', testDefinitionId => $lead, materialTypeId => $material,
    high => 15, decisionRule => 'simple acceptance');

my $order = $lims->post('/orders', { clientId => $client->{id}, orderNumber => 'PO-17',
        contact => 'Kim', samples => [ { materialTypeId => $material, plantLocation => 'Well 4',
                    collectedAt => '2026-01-05T06:30:00Z', notes => 'bottle smells',
                    testDefinitionIds => [ $lead, $copper ] } ] })->json;
my $sample = $order->{samples}[0];
my $path   = "/samples/$sample->{id}";
$lims->post('/samples/receive', { items => [ { sampleId => $sample->{id}, containers => 2,
                deviations => 'lid loose' } ], receipt => { temperature => 4.5 } });
my ($pb, $cu) = map { $_->{id} } @{ $lims->get($path)->json->{tests} };
$lims->patch("/sample-tests/$pb", { result => '0.5', qualifier => 'J', notes => 'dup',
        analyzedAt => '2026-01-06T05:00:00Z' });
$lims->patch("/sample-tests/$cu", { result => '1.20', notes => 'turbid', noteOnReport => JSON::PP::true() },
    key => $lims->key($lims->fixture, created_by => $bo->{id})->{key});

# --- Before the report ------------------------------------------------------------------

my $preview = $ann->done('certificate preview', $sample->{id});
is_deeply($preview->{certificate}, { number => undef, version => 1, reason => undef,
        issuedAt => undef, replaces => undef }, 'a preview has no number yet');
is_deeply($mia->get("/samples/$sample->{id}/certificate-preview")->json, $preview,
    'the preview over HTTP is the same');
is($ann->call('certificate preview', 999_999)->{exit}, 3, 'of an unknown sample there is none');
is($lab->value('SELECT count(*) FROM lims.certificate'), 0, 'a preview issues nothing');

# --- Issued -----------------------------------------------------------------------------

my $machine = $lims->key($lims->fixture, name => 'ERP', acts_for => $ann->{id})->{key};
$ann->done('sample-test verify', $pb);
is($lims->post("/sample-tests/$cu/verify", {}, key => $machine)->json->{verifiedBy}, $ann->{id},
    'a key verifies for the person it acts for, not for who made it');
$lims->post("$path/report");
my $certificate = $ann->done('certificate issue', sampleId => $sample->{id});
my $answer      = $ann->call('certificate content', $certificate->{id});
my $content     = $answer->{json};

is_deeply($content->{laboratory}, { name => $content->{laboratory}{name},
        address => '12 Mill Road', logo => 'https://riverbend.example/logo.svg',
        accreditation => 'ISO/IEC 17025, 4711.01', logoSha256 => undef,
        timeZone => 'America/Denver' },
    'the laboratory with its letterhead');
is_deeply($content->{client}, { name => 'City of Riverbend', code => 'RB',
        contactName => undef, address => '1 Main Street' }, 'the client with its address');
is_deeply($content->{order}, { orderNumber => 'PO-17', contact => 'Kim' },
    'the order\'s number and contact');
is($content->{sample}{collectedAt}, '2026-01-04T23:30:00-07:00',
    'sampling, in the time zone of the laboratory');
is_deeply([ @{ $content->{receipt} }{qw(temperature containers deviations)} ],
    [ 4.5, 2, 'lid loose' ], 'the receipt with its deviations');
is_deeply([ grep { /^receipt/ } keys %{ $content->{sample} } ], [], 'they are not said twice');
is_deeply($content->{methods}, ['EPA 200.8'], 'each method once');
is_deeply($content->{qualifiers}, [ { qualifier => 'J',
        meaning => 'estimated: detected, but below the reporting limit' } ],
    'qualifiers are explained');
my ($first, $second) = @{ $content->{results} };
is_deeply([ @$first{qw(result qualifier specification conformity decisionRule analyzedAt)} ],
    [ '0.5', 'J', 'at most 15 ug/L', 'within', 'simple acceptance',
        '2026-01-05T22:00:00-07:00' ], 'a result with its limit and the decision rule');
is_deeply([ @$second{qw(conformity decisionRule analyzedAt remark)} ],
    [ undef, undef, undef, 'turbid' ], 'no conformity where there is no limit');
is_deeply([ map { "$_->{enteredBy}, $_->{verifiedBy}" } $first, $second ],
    [ 'Administrator, Ann Lee', 'Bo Hart, Ann Lee' ], 'who entered each result, and who verified it');
unlike($answer->{output}, qr/smells|"dup"/, 'no internal note is printed');
is_deeply($content->{testsDone}, { from => '2026-01-05', to => '2026-01-05' },
    'when tests were done');
is_deeply([ $content->{withoutAnalysisDay}, $certificate->{withoutAnalysisDay} ],
    [ ['CU'], ['CU'] ], 'a test without a day of analysis is named');
is_deeply([ map { "$_->{printedName} $_->{meaning} " . ($_->{about} // '-') }
        @{ $content->{people} } ],
    [ 'Ann Lee verified PB', 'Ann Lee verified CU', 'Ann Lee issued -' ],
    'people with the meaning of what they did');
is_deeply([ map { $_->{signed} ? 'signed' : '-' } @{ $content->{people} } ], [ 'signed', '-', '-' ],
    'it says what was signed: nothing by a key');
like($content->{statements}[0], qr/items tested only/, 'the results concern the items tested');
is_deeply([ @{ $content->{certificate} }{qw(number version replaces)} ],
    [ $certificate->{certificateNumber}, 1, undef ], 'number and version');
is(sha256_hex($answer->{output} =~ s/\s+\z//r), $certificate->{sha256}, 'its hash covers them');

# --- Amended ----------------------------------------------------------------------------

$admin->done('organization update', address => '13 Mill Road', reason => 'moved');
$ann->done('sample amend', $sample->{id}, reason => 'wrong well', changes => {
    plantLocation => 'Well 4 North', collectedAt => '2026-01-05T07:30:00Z', notes => 'cap was green' });
$bo->done('sample receipt', $sample->{id}, deviations => undef, temperature => 5);
for ([ $pb, 'read twice' ], [ $cu, 'clear' ]) {
    my ($test, $note) = @$_;
    $ann->done('sample-test reopen', $test, reason => 'a better note');
    $bo->done('sample-test enter', $test, notes => $note, reason => 'a better note');
    $ann->done('sample-test verify', $test);
}
is($ann->done('certificate preview', $sample->{id})->{certificate}{version}, 2,
    'the preview is of the next version');
my $next = $ann->done('certificate issue', sampleId => $sample->{id}, reason => 'well corrected');
my $new  = $ann->done('certificate content', $next->{id});
is_deeply($mia->get("/certificates/$next->{id}/content")->json, $new, 'the next version, over HTTP too');
is_deeply([ @{ $new->{certificate} }{qw(version reason)},
        $new->{certificate}{replaces}{version}, $new->{certificate}{replaces}{sha256} ],
    [ 2, 'well corrected', 1, $certificate->{sha256} ], 'the next version names what it replaces');
isnt($next->{sha256}, $certificate->{sha256}, 'the next version has another hash');
my ($amendment) = @{ $new->{amendments} };
is_deeply([ @$amendment{qw(version reason openedBy)} ], [ 2, 'wrong well', 'Ann Lee' ],
    'the next version says who amended it, and why');
is_deeply([ map { join '|', map { $_ // '-' } @$_{qw(member testName testCode old new)} } @{ $amendment->{changes} } ],
    [ 'collectedAt|-|-|2026-01-04T23:30:00-07:00|2026-01-05T00:30:00-07:00',
        'collectionDate|-|-|2026-01-04|2026-01-05',
        'plantLocation|-|-|Well 4|Well 4 North', 'receiptDeviations|-|-|lid loose|-',
        'receiptTemperature|-|-|4.5|5', "tests[$cu].remark|Copper|CU|turbid|clear" ],
    'it says what the amendment changed, a printed remark too, in the time zone of the laboratory');
unlike($ann->call('certificate content', $next->{id})->{output},
    qr/smells|green|"dup"|read twice|"member": ?"[^"]*(?:notes|noteOnReport|Id)"/,
    'no internal note is printed as a change');
is_deeply([ map { $_->{member} } grep { $_->{member} =~ /notes/ }
        @{ $ann->done('amendment show', $lab->value('SELECT max(id) FROM lims.amendment'))->{differences} } ],
    [ 'notes', map { "tests[$_].notes" } $pb, $cu ], 'the laboratory sees the notes that changed');

# Each member that an amendment compares is printed, or known as one of the laboratory's own.
my %inside = map { $_ => 1 } qw(trackingId clientId projectId materialTypeId notes noteOnReport
    testDefinitionId reagentLotId mediaLotId status reported qcBatchIds);
my $compared = $lims->db->selectcol_arrayref(q{
    SELECT CASE WHEN of = 'sample' THEN key ELSE 'tests[1].' || key END
      FROM (SELECT lims.amendable_content(organization_id, id) AS content FROM lims.sample WHERE id = ?) c
     CROSS JOIN LATERAL (
           SELECT 'sample' AS of, jsonb_object_keys(content -> 'sample') AS key
            UNION SELECT 'test', jsonb_object_keys(t) FROM jsonb_path_query(content, '$.tests.*') t) k}, undef, $sample->{id});
my %printed = map { $_ => $lims->db->selectrow_array('SELECT lims.is_printed_difference(?)', undef, $_) } @$compared;
is_deeply([ grep { !$printed{$_} == !$inside{ s/.*\.//r } } sort keys %printed ], [],
    'a difference is printed, or is of the laboratory alone');
cmp_ok(scalar keys %printed, '>', 25, 'there are members to compare');
is_deeply([ map { "$_->{meaning} " . ($_->{signed} ? 'signed' : '-') }
        grep { $_->{meaning} =~ /amended|approved/ } @{ $new->{people} } ],
    [ 'amended signed', 'approved signed' ], 'who amended and who issued it have signed');
is($ann->done('certificate content', $certificate->{id})->{laboratory}{address},
    '12 Mill Road', 'the first version stays as it was');
is($ann->call('certificate content', $certificate->{id})->{output}, $answer->{output},
    'the first version is unchanged to the byte');

done_testing();
