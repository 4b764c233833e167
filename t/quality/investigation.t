#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Investigations: opened by a result out of specification or by hand, taken through their
# phases, closed with a conclusion; shown with the sample, and blocking its report only
# where the policy says so.
use strict;
use warnings;

use Digest::SHA qw(sha256_hex);

use LIMS::Test;

use LIMS::Service::CommandLine;
use LIMS::Service::Laboratory;

my $lims = LIMS::Test->new;
my $lab  = LIMS::Service::Laboratory->new($lims);
my $ann  = LIMS::Service::CommandLine->new($lims, 'Ann Lee', roles => ['qa_officer']);

my $lead   = $lab->definition(code => 'PB', unit => 'ug/L', specification_high => 15);
my $sample = $lab->sample(testDefinitionIds => [$lead]);
my ($test) = $lab->tests($sample);

sub findings {
    return [ map { $_->{category} }
            grep { $_->{category} =~ /investigation|specification/ }
            @{ $lims->get("/samples/$sample->{id}/readiness")->json->{findings} } ];
}

my @events = $lab->events_in(sub { $lab->enter($test, '16.2') });
my ($opened) = map { $_->[1] } grep { $_->[0] eq 'investigation.opened' } @events;
is($opened->{kind},     'oos',         'a result out of specification opens one');
is($opened->{sampleId}, $sample->{id}, 'the investigation names the sample');

my ($oos) = @{ $ann->done('investigation list', open => 'true')->{data} };
is($oos->{id},           $opened->{investigationId}, 'the investigation is listed');
is($oos->{sampleTestId}, $test,                      'the investigation names the test');
is($oos->{status},       'opened',                   'the investigation has the status opened');
is_deeply(findings(), [ 'investigation_open', 'out_of_specification' ], 'the sample says so');
$lab->enter($test, '16.4');
is(scalar @{ $ann->done('investigation list')->{data} }, 1, 'no second one while it is open');
my $twice = $ann->refused('invalid_transition', 'investigation create', kind => 'oos',
    title => 'Once more', sampleTestId => $test);
like($twice->{message}, qr/\AInvestigation \Q$oos->{investigationNumber}\E of this test is open/,
    'whoever opens a second one by hand is told which one is open');

my $noted = $ann->done('investigation show', $oos->{id});
is($noted->{openedValue}, '16.2', 'the value that opened it stays');
is_deeply([ map { $_->{result} } @{ $noted->{values} } ], ['16.4'], 'later values of the test are listed with the investigation');
is_deeply($oos->{values}, [], 'at first there was none');
is($oos->{dueDate}, $lab->value('SELECT ((now() AT TIME ZONE time_zone)::date + 30)::text'
            . ' FROM lims.organization WHERE id = ?', $lims->fixture->{id}), 'it is due in 30 days');
my $clerk = LIMS::Service::CommandLine->new($lims, 'Ben Walsh', roles => ['receiving_clerk']);
$clerk->refused('permission_required', 'investigation advance', $oos->{id}, status => 'phase_1');
$clerk->refused('permission_required', 'investigation advance', $oos->{id}, status => 'closed',
    conclusion => 'nothing');
is($ann->done('investigation update', $oos->{id}, assigneeId => $ann->{id},
        rootCause => 'Old pipes')->{assigneeId}, $ann->{id}, 'somebody works on it');
is_deeply([ @{ $ann->done('investigation update', $oos->{id}, checks => ['instrument'],
            hypotheses => 'A dirty bottle', retestPlan => 'Two, of the bottle that was kept') }
        {qw(checks hypotheses retestPlan)} ],
    [ ['instrument'], 'A dirty bottle', 'Two, of the bottle that was kept' ],
    'what phase 1 looked at, what it may have been, and how it is tested again');
$ann->refused('invalid_body', 'investigation update', $oos->{id}, checks => ['the weather']);

# --- Phases -----------------------------------------------------------------------------

sub advanced {
    my ($id, $status, %option) = @_;
    return $ann->done('investigation advance', $id, status => $status, %option)->{status};
}

$ann->refused('invalid_transition', 'investigation advance', $oos->{id}, status => 'closed',
    conclusion => 'at once');
is(advanced($oos->{id}, 'phase_1'), 'phase_1', 'it goes on to phase 1');
is(advanced($oos->{id}, 'phase_2'), 'phase_2', 'it goes on to phase 2');
is($ann->done('investigation update', $oos->{id}, dueOn => '2026-12-21')->{dueOn}, '2026-12-21',
    'the due date is set');
is(advanced($oos->{id}, 'conclusion', conclusion => 'Result confirmed by retest'),
    'conclusion', 'it goes on to the conclusion');

my $capa;
@events = $lab->events_in(sub {
    $capa = $ann->done('investigation create', kind => 'capa', title => 'Replace the service line',
        sampleTestId => $test, parentId => $oos->{id});
});
is_deeply([ map { [ $_->[0], @{ $_->[1] }{qw(investigationId kind)} ] } @events ],
    [ [ 'investigation.opened', $capa->{id}, 'capa' ] ], 'opening one by hand writes an event');
is($capa->{sampleId}, $sample->{id}, 'its sample follows from its test');
like($capa->{investigationNumber}, qr/\ACAPA-\d\d-\d{7}\z/, 'its number begins with its kind');

my $bo = LIMS::Service::CommandLine->new($lims, 'Bo Hart', roles => ['analyst']);
$bo->refused('permission_required', 'investigation advance', $oos->{id}, status => 'closed');
$ann->refused('esignature_required', 'investigation advance', $oos->{id}, status => 'closed',
    password => undef);

my $acted = $bo->done('investigation add-action', $oos->{id}, text => 'train the night shift',
    ownerId => $bo->{id}, dueDate => '2026-12-24');
my ($action) = @{ $acted->{actions} };
is_deeply([ @{$action}{qw(text ownerId dueDate doneAt)} ],
    [ 'train the night shift', $bo->{id}, '2026-12-24', undef ], 'an action with owner and due date');

is(advanced($oos->{id}, 'closed'), 'closed', 'closing takes the conclusion it has');
my $signature = $lims->db->selectrow_hashref(q{
    SELECT s.meaning, s.table_name, s.record_id, lims.signature_fits(s.organization_id, s.id) AS fits
      FROM lims.electronic_signature s ORDER BY s.id DESC LIMIT 1});
is("@{$signature}{qw(meaning table_name record_id fits)}", "closed investigation $oos->{id} 1",
    'closing the investigation is signed, and the signature fits its content');
is($lims->db->selectrow_array('SELECT count(*) FROM lims.electronic_signature'), 1,
    'the phases before closing were not signed');

$bo->refused('invalid_transition', 'investigation add-action', $oos->{id}, text => 'too late');
$bo->refused('invalid_body', 'investigation finish-action', $oos->{id},
    actionId => $action->{id}, doneAt => '2099-01-01T00:00:00Z');
is($bo->done('investigation finish-action', $oos->{id}, actionId => $action->{id},
        doneAt => '2026-11-20T10:00:00Z')->{actions}[0]{doneAt}, '2026-11-20T10:00:00.000Z',
    'what was agreed on may be done after it is closed');
$bo->refused('not_found', 'investigation finish-action', $capa->{id}, actionId => $action->{id},
    doneAt => '2026-11-20T10:00:00Z');
is($ann->done('investigation show', $oos->{id})->{closedBy}, $ann->{id}, 'it names who closed it');
my @told = map { $_->{sentence} } @{ $ann->done('investigation history', $oos->{id})->{data} };
is_deeply([ @told[ -4 .. -1 ] ], [
        "Ann Lee moved the investigation $oos->{investigationNumber} from phase 2 to conclusion:"
            . ' Result confirmed by retest',
        'Bo Hart added the investigation action train the night shift',
        "Ann Lee moved the investigation $oos->{investigationNumber} from conclusion to closed",
        'Bo Hart noted the action as done: train the night shift' ],
    'its history has phases, conclusion and actions') or diag(explain(\@told));
$ann->refused('invalid_transition', 'investigation advance', $oos->{id}, status => 'phase_1');
$ann->refused('invalid_transition', 'investigation update', $oos->{id}, title => 'Another');
$ann->refused('invalid_body', 'investigation advance', $capa->{id}, status => 'cancelled');
is(advanced($capa->{id}, 'cancelled', conclusion => 'Line replaced already'), 'cancelled',
    'cancelling needs to say why');
is_deeply(findings(), ['out_of_specification'], 'the sample has none open');

$ann->refused('invalid_reference', 'investigation create', kind => 'complaint',
    title => 'Odour', sampleId => 999_999);
like($ann->refused('invalid_reference', 'investigation create', kind => 'complaint',
        title => 'Odour', sampleId => $lab->sample->{id}, sampleTestId => $test)->{message},
    qr/sampleTestId/, 'a test of another sample is refused');
is($ann->done('investigation create', kind => 'complaint', title => 'Odour')->{sampleId}, undef,
    'an investigation without a sample');

my $lot   = $lab->reagent_lot(code => 'HNO3-7');
my $about = $ann->done('investigation create', kind => 'deviation', title => 'Blank too high',
    reagentLotId => $lot);
is_deeply([ @$about{qw(reagentLotId mediaLotId lotCode)} ], [ $lot, undef, 'HNO3-7' ],
    'an investigation of a lot names it');
like($ann->done('reagent-lot history', $lot)->{data}[-1]{sentence}, qr/$about->{investigationNumber}/,
    "the history of the lot names its investigation");
$ann->refused('invalid_reference', 'investigation create', kind => 'deviation', title => 'x',
    mediaLotId => 999_999);
ok(!eval { $lab->act(sub { $_[0]->do('UPDATE lims.investigation SET reagent_lot_id = NULL WHERE id = ?',
    undef, $about->{id}) }) }, 'an investigation of a lot never becomes one of another lot');
advanced($about->{id}, 'cancelled', conclusion => 'The blank was mine');

my $file = $lab->act(sub {
    my ($db) = @_;
    my $id = $lims->insert('instrument_file', { file_name => 'noon.csv', sha256 => '\x' . sha256_hex('abc'),
        size => 3 });
    $db->do('INSERT INTO lims.instrument_file_content VALUES (?, ?, ?)', undef,
        $lims->fixture->{id}, $id, 'abc');
    return $id;
});
my $read = $ann->done('investigation create', kind => 'deviation', title => 'Drift',
    instrumentFileId => $file, parentId => $about->{id});
is_deeply([ @$read{qw(instrumentFileId fileName)} ], [ $file, 'noon.csv' ],
    'an investigation of an instrument file names it');
like($ann->done('instrument-file history', $file)->{data}[-1]{sentence},
    qr/$read->{investigationNumber}/, "the history of the instrument file names its investigation");
ok(!eval { $lab->act(sub { $_[0]->do(
    'UPDATE lims.investigation SET instrument_file_id = NULL WHERE id = ?', undef, $read->{id}) }) },
    'an investigation of an instrument file never becomes one of another file');
is_deeply([ map { $_->{id} } @{ $ann->done('investigation list', parentId => $about->{id})->{data} } ],
    [ $read->{id} ], 'what follows from one is listed');
advanced($read->{id}, 'cancelled', conclusion => 'The lamp was cold');
is_deeply([ map { $_->{kind} } @{ $ann->done('investigation list', open => 'true')->{data} } ],
    ['complaint'], 'open ones are listed');
is(scalar @{ $ann->done('investigation list', sampleId => $sample->{id})->{data} }, 2,
    'those of a sample are listed');
is($lims->post("/sample-tests/$test/verify")->status, 200,
    'an open investigation does not refuse the verification');

# --- A result that is typed over until it fits -----------------------------------------

my $admin = LIMS::Service::CommandLine->new($lims, 'Al Fox', roles => ['administrator']);
my $second = LIMS::Service::CommandLine->new($lims, 'Di Ray', roles => ['analyst']);
$admin->done('organization update', reason => 'four eyes', policies => { reasonOnChange => JSON::PP::true,
        selfVerification => 'refused', openInvestigationBlocks => JSON::PP::true });
my $doubted = $lab->sample(testDefinitionIds => [$lead]);
my ($typed) = $lab->tests($doubted);
$bo->done('sample-test enter', $typed, result => '24');
$clerk->refused('permission_required', 'sample-test enter', $typed, result => '1.9');
$bo->refused('reason_required', 'sample-test enter', $typed, result => '1.9');
$bo->done('sample-test enter', $typed, result => '1.9', reason => 'diluted tenfold');
$clerk->refused('permission_required', 'sample-test verify', $typed);
$bo->refused('self_verification', 'sample-test verify', $typed);
$second->done('sample-test verify', $typed);
refused($lims->post("/samples/$doubted->{id}/report"), 409, 'investigation_open', 'the report');
my ($open) = @{ $ann->done('investigation list', sampleId => $doubted->{id})->{data} };
is_deeply([ $open->{openedValue}, map { "$_->{result} $_->{by}" } @{ $open->{values} } ],
    [ '24', "1.9 $bo->{id}" ], 'it has the value that opened it, and who replaced it by which');
advanced($open->{id}, $_) for qw(phase_1 phase_2);
advanced($open->{id}, 'conclusion', conclusion => 'The dilution was forgotten');
advanced($open->{id}, 'closed');
is($lims->post("/samples/$doubted->{id}/report")->status, 200, 'closed, it blocks no more');

done_testing();
