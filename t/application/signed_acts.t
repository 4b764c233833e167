#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Each act that is signed, over HTTP: without a signature, without what was seen, with what
# has changed or another record's, and with a wrong password nothing is signed; then one
# signature covers exactly what was shown.
use strict;
use warnings;

use LIMS::Instance;
use LIMS::Service::CommandLine;
use LIMS::Service::OpenAPI;
use LIMS::Service::Laboratory;
use LIMS::Service::Person;
use LIMS::Service::SignedActs;
use LIMS::Test;
use LIMS::Test::Printer;

my $lims = LIMS::Test->new(conf => LIMS::Service::Laboratory->patience
        . 'LimsPrinter ' . LIMS::Test::Printer->real->program . "\n");
my $lab  = LIMS::Service::Laboratory->new($lims);
my @all  = qw(lab_manager qa_officer administrator);
my $ann  = LIMS::Service::CommandLine->new($lims, 'Ann Lee', roles => \@all);
my $mia  = LIMS::Service::Person->new($lims, roles => \@all, name => 'Mia Brand');
my $acts = LIMS::Service::SignedActs->new($lims, $ann);

# The operation, and the route of each command.
my %route = (
    'sample-test verify'      => [ verifyResult => 'POST /sample-tests/:id/verify' ],
    'sample-test verify-many' => [ verifyResults => 'POST /sample-tests/verify' ],
    'sample-test reopen'      => [ reopenResult => 'POST /sample-tests/:id/reopen' ],
    'sample-test choose'      => [ chooseSampleTest => 'POST /sample-tests/:id/choose' ],
    'confirmation outcome'    => [ decideConfirmation => 'POST /confirmations/:id/outcome' ],
    'worksheet sign-off'      => [ signOffWorksheet => 'POST /worksheets/:id/sign-offs' ],
    'qc-batch override'       => [ overrideQcBatch => 'POST /qc-batches/:id/override' ],
    'sample override-lot'     => [ overrideLot => 'POST /samples/:id/override-lot' ],
    'investigation advance'   => [ advanceInvestigation => 'POST /investigations/:id/advance' ],
    'investigation approve-retest-plan' => [ approveRetestPlan =>
            'POST /investigations/:id/approve-retest-plan' ],
    'sample amend'            => [ amendSample => 'POST /samples/:id/amend' ],
    'certificate issue'       => [ issueCertificate => 'POST /certificates' ],
    'organization update'     => [ updateOrganization => 'PATCH /organization' ],
    'organization set-logo'    => [ setLogo => 'POST /organization/logo' ],
    'organization remove-logo' => [ removeLogo => 'DELETE /organization/logo' ],
    'permission update'       => [ updatePermissions => 'PATCH /permissions' ],
    'approval decide'         => [ decideApproval => 'PATCH /approval-records/:id' ],
    'approval decide-many'    => [ decideApprovals => 'POST /approval-records/decide' ],
);

# Changes by somebody else of content that was shown. No other act changes the content of a
# verified result, of a report or of the organization.
sub of_sample { return $mia->patch("/samples/$_[0]", { notes => 'changed', reason => 'a test' }) }
sub of_result { return $mia->patch("/sample-tests/$_[0]", { result => '8', reason => 'a test' }) }
sub of_approval {
    return of_sample($lab->value('SELECT sample_id FROM lims.approval WHERE id = ?', $_[0]));
}
my %change = (
    'verify' => \&of_result, 'verify many' => \&of_result, 'confirm' => \&of_result,
    'accept a lot' => \&of_sample, 'approve' => \&of_approval, 'approve many' => \&of_approval,
    'override a QC batch' => sub { $lab->qc_control($_[0], 60) },
    'close an investigation' => sub {
        $ann->done('investigation update', $_[0], title => 'Another') },
    'sign a retest plan' => sub {
        $ann->done('investigation update', $_[0], retestPlan => 'Three') },
    'issue an amendment' => sub {
        $ann->done('sample update', $lab->value('SELECT sample_id FROM lims.amendment WHERE id = ?',
            $_[0]), plantLocation => 'Well 8', reason => 'a test') },
);

sub hash_of {
    my ($table, $id) = @_;
    return $mia->get("/signed-contents?table=$table&recordId=$id")->json->{data}[0]{contentHash};
}

sub signatures { return $lab->value('SELECT count(*) FROM lims.electronic_signature') }

# Does the act over HTTP. `hash`: what was seen.
sub act {
    my ($command, %option) = @_;
    my ($name, @rest) = @$command;
    my $id = @rest % 2 ? shift @rest : undef;
    my ($method, $path) = split / /, $route{$name}[1] =~ s/:id/$id/r;
    my %body = @rest;
    my $hash = exists $option{hash} ? { contentHash => $option{hash} } : {};

    $body{lotContentHash} = hash_of(reagent_lot => $body{reagentLotId})
        if $name eq 'sample override-lot' && !exists $body{lotContentHash};
    delete $body{lotContentHash} unless defined $body{lotContentHash};

    if ($body{items}) {
        %body = (items => [ { %{ $body{items}[0] }, %$hash } ], atomic => JSON::PP::false());
        $hash = {};
    }
    $body{signature} = { password => $option{password} // $mia->password, %$hash }
        unless $option{unsigned};
    return $mia->request($method, $path, body => \%body);
}

# A refusal of the act, or of the one item that it has.
sub not_done {
    my ($answer, $slug, $name) = @_;
    my $row = ($answer->json->{results} || [])->[0];
    is(($row ? $row->{error} : $answer->json->{error}) // 'done', $slug, $name)
        or diag($answer->body);
    return;
}

my %tried;
for my $name ($acts->names) {
    subtest $name => sub {
        my (undef, $meaning, $signed, @command) = $acts->prepare($name);
        my $seen = hash_of(@$signed);
        my $gone = $seen;

        $lab->policy(esignature_required => 't');
        $tried{ $route{ $command[0] }[0] } = 1;
        my $before = signatures();
        not_done(act(\@command, unsigned => 1), 'esignature_required', 'without a signature');
        not_done(act(\@command), 'precondition_required', 'without what was seen');
        not_done(act(\@command, hash => 'a' x 64), 'precondition_failed', 'what nobody was shown');
        if ($change{$name}) {
            $lab->policy(esignature_required => 'f');
            $change{$name}->($signed->[1]);
            $lab->policy(esignature_required => 't');
            my $stale = act(\@command, hash => $seen);
            not_done($stale, 'precondition_failed', 'what has changed since');
            $seen = hash_of(@$signed);
            isnt($seen, $gone, 'what has changed has another digest');
            is_deeply([ @{ $stale->json }{qw(mine)}, $stale->json->{theirs}{contentHash} ],
                [ { contentHash => $gone }, $seen ], 'the refusal has both digests, mine and theirs') if $name !~ /many/;
        }
        not_done(act(\@command, hash => $seen, password => 'not that one'), 'signature_invalid',
            'with a wrong password');
        is(signatures(), $before, 'nothing was signed');
        my $done = act(\@command, hash => $seen);
        like($done->status, qr/\A20[01]\z/, 'with what is there now') or diag($done->body);
        is_deeply($lims->db->selectall_arrayref(q{SELECT signer, meaning, table_name, record_id,
            encode(content_hash, 'hex') FROM lims.electronic_signature ORDER BY id DESC LIMIT ?},
            undef, signatures() - $before), [ [ $mia->id, $meaning, @$signed, $seen ] ],
            'one signature is of exactly what is there now');
    };
}

subtest 'a lot that is quarantined anew while it is accepted' => sub {
    my (undef, undef, $signed, @command) = $acts->prepare('accept a lot');
    my %given = @command[ 2 .. $#command ];
    my $lot = $given{reagentLotId};
    my %seen = (hash => hash_of(@$signed));
    my $lot_seen = hash_of(reagent_lot => $lot);
    my $accept = sub { return act([ @command, lotContentHash => $_[0] ], %seen) };
    my $before = signatures();

    not_done(act([ @command, lotContentHash => undef ], %seen), 'precondition_required',
        'without the quarantine that was seen');
    $ann->done('reagent-lot release', $lot, reason => 'a new label');
    $ann->done('reagent-lot quarantine', $lot, reason => 'contaminated');
    my $stale = $accept->($lot_seen);
    not_done($stale, 'precondition_failed', 'another quarantine than was seen is not accepted');
    is_deeply($stale->json->{theirs}{content}{quarantineReason}, 'contaminated',
        'the refusal shows the one that stands');
    is($lab->value('SELECT count(*) FROM lims.lot_override WHERE reagent_lot_id = ?', $lot), 0,
        'nothing is accepted');
    is(signatures(), $before, 'nothing is signed');
    is($accept->(hash_of(reagent_lot => $lot))->status, 200, 'the one that was seen is');
};

my $document = LIMS::Service::OpenAPI::decoded(LIMS::Instance::application_openapi());
my @signed;
for my $at (grep { ref eq 'HASH' } map { values %$_ } values %{ $document->{paths} }) {
    my $schema = $at->{requestBody}{content}{'application/json'}{schema} || {};
    $schema = $document->{components}{schemas}{ $schema->{'$ref'} =~ s{.*/}{}r } if $schema->{'$ref'};
    push @signed, $at->{operationId} if $schema->{properties}{signature};
}
is_deeply([ sort keys %tried ], [ sort @signed ], 'that is every act that can be signed');
done_testing();
