#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Amendments of a reported sample: while one is open, people correct what an unreported
# sample lets them, keys nothing; it ends with the next version of the certificate, or is
# withdrawn when everything is again as it was.
use strict;
use warnings;

use LIMS::Test;

use LIMS::Service::CommandLine;
use LIMS::Service::Laboratory;

my $lims = LIMS::Test->new;
my $lab  = LIMS::Service::Laboratory->new($lims);
my $ann  = LIMS::Service::CommandLine->new($lims, 'Ann Lee', roles => ['lab_manager']);
my $clerk = LIMS::Service::CommandLine->new($lims, 'Cy Orr', roles => ['receiving_clerk']);

my $lead = $lab->definition(code => 'PB', name => 'Lead', unit => 'ug/L',
    specification_high => 15);
my $copper = $lab->definition(code => 'CU', name => 'Copper');

$lab->approval_steps('Technical review');

# A reported sample with two verified tests, and its certificate where that is asked for.
sub reported {
    my ($with_certificate) = @_;
    my $sample = $lab->sample(testDefinitionIds => [$lead], plantLocation => 'Well 4');
    my ($test) = $lab->tests($sample);

    $lab->enter($test, '4.0');
    $lab->verify($test);
    $lab->status($sample, 'completed');
    approve($sample);
    $lims->post("/samples/$sample->{id}/report");
    $ann->done('certificate issue', sampleId => $sample->{id}) if $with_certificate;
    return ($sample, $test);
}

sub pending {
    my ($sample) = @_;
    return grep { $_->{status} eq 'pending' }
        @{ $lims->get("/samples/$sample->{id}/approvals")->json->{data} };
}

# Approved by a person: a key decides nothing while a sample is amended.
sub approve {
    my ($sample) = @_;
    $ann->done('approval decide', (pending($sample))[-1]{id}, status => 'approved');
}

sub state_of {
    my ($sample) = @_;
    return $lims->get("/samples/$sample->{id}")->json;
}

# --- Opened -----------------------------------------------------------------------------

my ($sample, $test) = reported(1);
my @about = (sampleId => $sample->{id});
my $path  = "/samples/$sample->{id}";

$clerk->refused('permission_required', 'sample amend', $sample->{id}, reason => 'mine');
is($ann->call('sample amend', $sample->{id})->{exit}, 2, 'an amendment needs a reason');
$ann->refused('esignature_required', 'sample amend', $sample->{id}, reason => 'unsigned',
    password => undef);
my ($worked) = $lab->worked(1);
$ann->refused('invalid_transition', 'sample amend', $worked->{id}, reason => 'not reported');
refused($lims->patch($path, { plantLocation => 'Well 5' }), 409, 'invalid_transition',
    'a reported sample is final');

my $amendment;
is_deeply([ $lab->events_in(sub {
    $amendment = $ann->done('sample amend', $sample->{id}, reason => 'wrong well',
        changes => { plantLocation => 'Well 4 North' });
}) ], [], 'opening an amendment is no event');
is_deeply([ @$amendment{qw(sampleId status reason openedBy certificateId)} ],
    [ $sample->{id}, 'open', 'wrong well', $ann->{id}, undef ], 'it is open, with its reason');
ok($amendment->{signatureId}, 'opening the amendment is signed');
is_deeply($amendment->{differences},
    [ { member => 'plantLocation', old => 'Well 4', new => 'Well 4 North' } ],
    'it names what differs');
my $open = state_of($sample);
is_deeply([ @$open{qw(status releaseState plantLocation)}, $open->{amendment}{id},
        $open->{amendment}{reason} ],
    [ 'reported', 'reported', 'Well 4 North', $amendment->{id}, 'wrong well' ],
    'the sample shows it, and stays reported');
$ann->refused('invalid_transition', 'sample amend', $sample->{id}, reason => 'again');

# --- Keys -------------------------------------------------------------------------------

refused($lims->patch($path, { plantLocation => 'Well 5' }), 409, 'invalid_transition',
    'a key cannot correct it');
refused($lims->post("$path/tests", { testDefinitionIds => [$copper] }), 409,
    'invalid_transition', 'a key cannot add a test');
refused($lims->patch("$path/status", { status => 'completed' }), 409, 'invalid_transition',
    'a key cannot change its status');
my ($asked) = pending($sample);
refused($lims->patch("/approval-records/$asked->{id}", { status => 'approved' }), 409,
    'invalid_transition', 'a key cannot approve it');
$ann->refused('invalid_transition', 'sample receipt', $sample->{id}, containers => 2);

# --- The gates of its certificate ---------------------------------------------------------

$ann->refused('invalid_transition', 'sample status', $sample->{id}, status => 'completed');
$ann->refused('approval_required', 'certificate issue', @about);
$ann->done('sample-test reopen', $test, reason => 'transcription');
refused($lims->patch("/sample-tests/$test", { result => '4.2' }), 409, 'invalid_transition',
    'a key cannot enter a reopened result');
$ann->done('sample-test enter', $test, result => '4.2');
my $added
    = $ann->done('sample add-tests', $sample->{id}, testDefinitionIds => [$copper])->{tests}[0]{id};
approve($sample);
is_deeply([ map { "$_->{round} " . ($_->{current} ? 'current' : 'former') }
        grep { $_->{decidedAt} } @{ $lims->get("$path/approvals")->json->{data} } ],
    [ '1 former', '2 current' ], 'the approval of the corrected content is current, the report\'s is not');
$ann->refused('incomplete_sample', 'certificate issue', @about);
$ann->done('sample-test enter', $added, result => '1.0');
$ann->done('sample-test verify', $_) for $test, $added;
$ann->refused('approval_required', 'certificate issue', @about);

# --- Rejected, and resubmitted ------------------------------------------------------------

$ann->refused('invalid_transition', 'amendment resubmit', $amendment->{id}, reason => 'early');
($asked) = pending($sample);
$ann->done('approval decide', $asked->{id}, status => 'rejected', comment => 'which well?');
$ann->refused('approval_required', 'certificate issue', @about);
is(scalar(pending($sample)), 0, 'nothing is asked for after a rejection');
is($ann->done('amendment resubmit', $amendment->{id}, reason => 'North, by the log')
        ->{submissions}, 2, 'the amendment is resubmitted');
approve($sample);

# --- Withdrawn only as it was ---------------------------------------------------------------

my $differs = $ann->refused('amendment_differs', 'amendment withdraw', $amendment->{id},
    reason => 'never mind');
like($differs->{message}, qr/plantLocation was Well 4 and is Well 4 North/,
    'the refusal names what differs');

# --- Issued -----------------------------------------------------------------------------

$clerk->refused('permission_required', 'certificate issue', @about);
$ann->refused('esignature_required', 'certificate issue', @about, password => undef);
my $next;
is_deeply([ $lab->events_of(sub { $next = $ann->done('certificate issue', @about) }) ],
    [ [ 'coa.generated', 'sampleId integer, trackingId string, sampleIdentifier string' ] ],
    'the next version is one event');
is_deeply([ @$next{qw(version amendment)} ], [ 2, 'wrong well' ], 'it has the reason');
my $closed = $ann->done('amendment show', $amendment->{id});
is_deeply([ @$closed{qw(status certificateId closedBy)} ], [ 'issued', $next->{id}, $ann->{id} ],
    'it ended the amendment');
is_deeply([ map { $_->{member} } @{ $closed->{differences} } ],
    [ 'plantLocation', "tests[$test].result", "tests[$added]" ], 'what it changed is kept');
is(state_of($sample)->{amendment}, undef, 'the sample shows no open amendment any more');
refused($lims->patch($path, { plantLocation => 'Well 5' }), 409, 'invalid_transition',
    'it is final again');
$ann->refused('invalid_transition', 'sample update', $sample->{id}, plantLocation => 'Well 5');
$ann->refused('invalid_transition', 'certificate issue', @about, reason => 'once more');
$ann->refused('invalid_transition', 'amendment withdraw', $amendment->{id}, reason => 'late');
is($lab->value('SELECT count(*) FROM lims.certificate WHERE sample_id = ?', $sample->{id}), 2,
    'there are two versions');
is($lab->value('SELECT content_hash = lims.release_hash(organization_id, id) FROM lims.sample'
            . ' WHERE id = ?', $sample->{id}), 1, 'the hash is that of what is reported now');

# --- Withdrawn --------------------------------------------------------------------------

my ($other, $value) = reported(0);
my $second = $ann->done('sample amend', $other->{id}, reason => 'a doubt');
$ann->done('sample-test reopen', $value, reason => 'a doubt');
$ann->done('sample-test enter', $value, result => '4.5');
$ann->done('sample-test enter', $value, result => '4.0');
$ann->refused('amendment_differs', 'amendment withdraw', $second->{id}, reason => 'no doubt');
$ann->done('sample-test verify', $value);
is($ann->done('amendment withdraw', $second->{id}, reason => 'no doubt')->{status}, 'withdrawn',
    'a value that is typed back and verified anew is what it was');
is_deeply([ $lims->get("/samples/$other->{id}/readiness")->json->{findings} ], [ [] ],
    'what it asked for no longer counts');
$ann->refused('invalid_transition', 'sample-test reopen', $value, reason => 'too late');

# --- Of a sample whose QC batch failed late ----------------------------------------------

my ($doubted, $found) = reported(0);
my $qc = $lab->value('SELECT count(*) FROM lims.qc_batch');
is($qc, 0, 'no QC batch covers a test that is reported without one');
my $late = $ann->done('sample amend', $doubted->{id}, reason => 'the run was not named');
$ann->done('sample-test reopen', $found, reason => 'the run was not named');
my ($failing, $clean) = map { $ann->done('qc-batch create', batchNumber => $_)->{id} } qw(RUN-1 RUN-2);
my %blank = (controlType => 'MB', criterion => 'maximum', upperLimit => 1);
my $control = $ann->done('qc-control add', qcBatchId => $failing, measuredValue => '0.5', %blank)->{id};
$ann->done('qc-control add', qcBatchId => $clean, measuredValue => '0.5', %blank);
$ann->done('qc-batch evaluate', $_) for $failing, $clean;
$ann->done('qc-batch cover', $failing, sampleTestIds => [$found]);
$ann->done('sample-test verify', $found);
like($ann->refused('amendment_differs', 'amendment withdraw', $late->{id}, reason => 'no')->{message},
    qr/qcBatchIds was \[\] and is \[$failing\]/, 'a QC batch that came is a difference');
approve($doubted);
$ann->done('certificate issue', sampleId => $doubted->{id});

$ann->done('qc-control update', $control, measuredValue => '5', reason => 'calculated anew');
ok(state_of($doubted)->{underReview}, 'its batch failed late: the reported sample is under review');
my $evading = $ann->done('sample amend', $doubted->{id}, reason => 'a doubt');
$ann->done('sample-test reopen', $found, reason => 'a doubt');
$ann->done('sample-test enter', $found, result => '');
$ann->refused('qc_failed', 'qc-batch uncover', $failing, sampleTestIds => [$found], reason => 'a doubt');
$ann->done('qc-batch cover', $clean, sampleTestIds => [$found]);
$ann->done('qc-batch uncover', $failing, sampleTestIds => [$found], reason => 'a doubt');
$ann->done('sample-test enter', $found, result => '4.0');
$ann->done('sample-test verify', $found);
like($ann->refused('amendment_differs', 'amendment withdraw', $evading->{id}, reason => 'no doubt')
        ->{message}, qr/qcBatchIds was \[$failing\] and is \[$clean\]/,
    'a sample that was taken out of the failed batch passes the gates of a new version');
approve($doubted);
is($ann->done('certificate issue', sampleId => $doubted->{id})->{version}, 2, 'the new version is issued');

# --- Of a sample without certificate ----------------------------------------------------

$ann->done('sample amend', $other->{id}, reason => 'address', changes => { clientName => 'B' });
approve($other);
is_deeply([ @{ $ann->done('certificate issue', sampleId => $other->{id}) }{qw(version amendment)} ],
    [ 1, 'address' ], 'its first certificate ends the amendment');
is_deeply([ map { $_->{status} }
        @{ $ann->done('amendment list', sampleId => $other->{id})->{data} } ],
    [ 'withdrawn', 'issued' ], 'its amendments are listed');

# --- Of a disposed sample ---------------------------------------------------------------

my $issuer = LIMS::Service::CommandLine->new($lims, 'Di Day', roles => ['client_services']);
my ($gone) = reported(1);
$ann->done('sample disposition', $gone->{id}, disposition => 'disposed', reason => 'retained enough');
$ann->done('sample amend', $gone->{id}, reason => 'well', changes => { plantLocation => 'Well 9' });
$issuer->refused('approval_required', 'certificate issue', sampleId => $gone->{id});
approve($gone);
$issuer->refused('permission_required', 'certificate issue', sampleId => $gone->{id});
is($ann->done('certificate issue', sampleId => $gone->{id})->{version}, 2,
    'a disposed sample is amended too, by who may amend');
is(state_of($gone)->{disposition}, 'disposed', 'the sample stays disposed of');

done_testing();
