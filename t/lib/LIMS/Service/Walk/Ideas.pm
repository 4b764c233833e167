# SPDX-License-Identifier: Apache-2.0
package LIMS::Service::Walk::Ideas;

=head1 NAME

LIMS::Service::Walk::Ideas - for every route, what somebody of a walk may ask of it at random

=head1 SYNOPSIS

    my $ask = LIMS::Service::Walk::Ideas::of($route) or die "nobody has an idea of it";
    my ($id, %values) = $ask->($actor);    # nothing: there is no record to ask about

=head1 DESCRIPTION

    of($route)       the sub that makes an id (undef: none) and values for the route
    not_taken($route)    the reason for which a walk leaves this route alone, or nothing

What only reads needs no idea of its own: it is asked about any record of its noun. A new
route that changes something has to be added here.

=cut

use strict;
use warnings;

use JSON::PP ();
use List::Util qw(shuffle);
use MIME::Base64 qw(encode_base64);

my ($true, $false) = (JSON::PP::true, JSON::PP::false);
my @why    = (reason => 'a walk');
my @values = ('7.1', '7.5', '9.4', '12', '<1', '0', '40', 'not read');

# The name of a route without a command is its method and path.
my %NOT_TAKEN = (
    'organization create' => 'it is the owner of the service who creates laboratories',
    'organization list'   => 'it is the owner of the service who lists laboratories',
    (map { ("POST /session/$_" => 'a password is changed once, for which t/application has a place') }
        qw(password signature-password)),
    'POST /session/link'     => 'a link is spent once, for which t/application has a place',
    (map { ("$_ /identity" => 'a module of httpd says who it is, for which t/application has a place') }
        qw(GET POST)),
    'POST /instrument-uploads' => 'a model answers, for which t/extraction has a place',
    'POST /audit-blocks/compare' => 'a file of heads is compared, for which t/trail has a place',
    'audit verify-export' => 'an exported file is verified, for which t/trail has a place',
    'document retry' => 'a printer has failed, for which t/documents has a place',
    (map { ($_ => 'a printer is at work, for which t/documents and t/quality have a place') }
        'order certificates-pdf', (map { "organization $_" } qw(preview-layout logo set-logo remove-logo)),
        (map { ("$_ package-pdf", "$_ package-zip") } qw(investigation qc-batch))),
);

sub not_taken { return $NOT_TAKEN{ $_[0]{name} } }

sub _one { return $_[ int rand @_ ] }

# A record of which nothing more has to be said.
sub _on { my ($table, @more) = @_; return sub { my $id = $_[0]->one($table); $id && ($id, @more) } }

# Any sample, any of its tests.
sub _sample { my ($values) = @_; return sub { ($_[0]->sample, $values ? $values->($_[0]) : ()) } }

sub _test {
    my ($values) = @_;
    return sub { my $test = $_[0]->test; $test && ($test, $values ? $values->($_[0]) : ()) };
}

# A new record of reference data.
sub _named { my ($more) = @_; return sub { my $code = $_[0]->name;
        (undef, code => $code, name => "Name of $code", $more ? $more->($_[0]) : ()) } }

# --- Samples, orders and amendments ---------------------------------------------------

sub _new_sample {
    my ($actor) = @_;
    my $known = $actor->{definitions};
    return (clientName => 'Riverbend', materialTypeId => $actor->{material},
        testDefinitionIds => [ (shuffle @$known)[ 0 .. int rand 3 ] ],
        rand() < 0.2 ? (externalId => $actor->name) : ());
}

# Received, and nothing was entered yet.
my $without_results = q{received_at IS NOT NULL AND status IN ('received', 'processing')
    AND NOT EXISTS (SELECT FROM lims.sample_test t
                     WHERE t.organization_id = sample.organization_id
                       AND t.sample_id = sample.id AND t.result IS NOT NULL)};

my %samples = (
    'sample create'  => sub { (undef, _new_sample($_[0])) },
    'sample receive' => sub {
        my ($actor) = @_;
        my $waits = $actor->one('sample', "status = 'pending'") || $actor->sample;
        (undef, sampleIds => [$waits], rand() < 0.3 ? (receipt => { note => 'a walk' }) : ());
    },
    'sample unreceive' => sub { ($_[0]->one('sample', $without_results) || $_[0]->sample, @why) },
    'sample receipt'   => _sample(sub { (deviations => 'cap ' . int rand 9, @why) }),
    'sample update'    => _sample(sub { (plantLocation => 'Well ' . int rand 9, @why) }),
    'sample status'    => _sample(sub { (@why, status =>
                _one(qw(pending received processing completed completed completed verified))) }),
    'sample report'      => _sample(),
    'sample add-tests'   => _sample(sub {
        (@why, testDefinitionIds => [ _one(@{ $_[0]{definitions} }) ]) }),
    'sample disposition' => _sample(sub { (@why, disposition =>
                _one(qw(on_hold active on_hold active cancelled active rejected disposed))) }),
    'sample override-lot' => _sample(sub { (@why, rand() < 0.5
                ? (reagentLotId => $_[0]->one('reagent_lot'))
                : (mediaLotId => $_[0]->one('media_lot'))) }),
    'sample amend' => sub {
        my ($actor) = @_;
        my $reported = $actor->one('sample', "status = 'reported'") or return;
        ($reported, @why,
            rand() < 0.5 ? (changes => { plantLocation => 'Well ' . int rand 9 }) : ());
    },
    'amendment withdraw' => _on('amendment', @why),
    'amendment resubmit' => _on('amendment', @why),
    'certificate issue'  => sub {
        my ($actor) = @_;
        (undef, @why, sampleId => $actor->one('sample', "status = 'reported'") || $actor->sample);
    },
    'order create' => sub {
        my ($actor) = @_;
        my $client = $actor->one('client', 'active') or return;
        (undef, clientId => $client, rand() < 0.2 ? (dryRun => $true) : (),
            samples => [ map { my %sample = _new_sample($actor); delete $sample{clientName};
                    \%sample } 0 .. int rand 3 ]);
    },
    'order update' => _on('sample_order', notes => 'a walk'),
);

# --- Results and approvals --------------------------------------------------------------

sub _result {
    my ($actor) = @_;
    return (result => _one(@values),
        rand() < 0.2 ? (reagentLotId => _one(@{ $actor->{reagents} })) : (),
        rand() < 0.2 ? (mediaLotId => _one(@{ $actor->{media} })) : ());
}

sub _decision { return (status => _one(qw(approved approved approved rejected)), comment => 'a walk') }

my %results = (
    'sample-test enter' => _test(sub { (_result($_[0]), @why) }),
    'sample-test verify' => _test(),
    (map { ("sample-test $_" => _test(sub { @why })) }
        qw(reopen cancel restore retest choose return)),
    'sample-test verify-many' => sub { my ($actor) = @_;
        (undef, items => [ map { { sampleTestId => $_ } } $actor->tests ],
            atomic => _one($true, $false)) },
    'sample-test bulk-enter' => sub { my ($actor) = @_;
        (undef, updates => [ map { { sampleTestId => $_, result => _one(@values), @why } }
                $actor->tests ]) },
    'sample-test judge' => sub { my ($actor) = @_;
        (undef, results => [ map { { sampleTestId => $_, _result($actor) } } $actor->tests ]) },
    'sample-test assign' => sub { my ($actor) = @_;
        (undef, sampleTestIds => [ $actor->tests ], assignedTo => $actor->somebodys_id) },
    'sample advance' => sub { my ($actor) = @_; (undef, sampleIds => [ $actor->sample ]) },
    'approval decide' => sub { my ($actor) = @_;
        my $open = $actor->one('approval', "status = 'pending'") or return;
        ($open, _decision()) },
    'approval decide-many' => sub { my ($actor) = @_;
        my @open = $actor->some('approval', "status = 'pending'") or return;
        (undef, items => [ map { { id => $_, _decision() } } @open ], atomic => _one($true, $false)) },
    'worksheet fill' => sub { my ($actor) = @_;
        (undef, sampleTestId => $actor->test || return,
            values => [ { field => 'weight', value => _one('1.2', '1.3') } ]) },
    'worksheet sign-off' => _on('worksheet', step => 'Analyst', meaning => 'performed'),
    'worksheet withdraw' => _on('worksheet', @why),
    'confirmation step' => sub { my ($actor) = @_;
        my $test = $actor->one('sample_test', "confirmation_status = 'pending'") || $actor->test;
        $test && ($test, reading => 'growth', outcome => 'typical') },
    'confirmation outcome' => _test(sub { (outcome => _one(qw(confirmed refuted))) }),
);

# --- Quality control, lots and investigations ----------------------------------------------

my @lfb = (controlType => 'LFB', criterion => 'recovery', expectedValue => 50, lowerLimit => 85,
    upperLimit => 115);

sub _lot { my ($table, @values) = @_; return sub { my ($actor) = @_;
        (_one(@{ $actor->{ $table eq 'media_lot' ? 'media' : 'reagents' } }), @values) } }

my %quality = (
    'qc-template create' => sub { my ($actor) = @_; my $method = $actor->name;
        (undef, method => "Method $method", name => "QC of $method", controls => [
                { type => 'LRB', testDefinitionId => $actor->{definitions}[1],
                    criterion => 'maximum', upperLimit => 1 } ]) },
    'qc-template update' => sub { my $id = $_[0]->one('qc_template'); $id && ($id, name => $_[0]->name) },
    'qc-batch create' => sub { my ($actor) = @_;
        (undef, batchNumber => $actor->name, method => 'EPA 200.8',
            $actor->tests ? (sampleTestIds => [ $actor->tests ]) : ()) },
    'qc-batch update'   => _on('qc_batch', notes => 'a walk'),
    'qc-batch evaluate' => _on('qc_batch'),
    'qc-batch override' => _on('qc_batch', @why),
    'qc-batch cover' => sub { my ($actor) = @_;
        my $batch = $actor->one('qc_batch') or return;
        ($batch, sampleTestIds => [ $actor->test || return ]) },
    'qc-batch uncover' => sub { my ($actor) = @_;
        my $covered = $actor->one('qc_coverage') or return;
        my ($batch, $test) = map { $actor->value("SELECT $_ FROM lims.qc_coverage WHERE id = ?",
                $covered) } qw(qc_batch_id sample_test_id);
        ($batch, @why, sampleTestIds => [$test]) },
    'qc-control add' => sub { my ($actor) = @_;
        (undef, qcBatchId => $actor->one('qc_batch') || return, @lfb,
            testDefinitionId => $actor->{definitions}[1], measuredValue => _one(49, 51, 50, 70)) },
    'qc-control update' => sub { my $id = $_[0]->one('qc_control');
        $id && ($id, measuredValue => _one(49, 50, 51, 70), @why) },
    'qc-control exclude' => sub { my $id = $_[0]->one('qc_control');
        $id && ($id, excluded => _one($true, $false), @why) },
    'qc-control judge' => sub { my ($actor) = @_;
        (undef, controls => [ { qcBatchId => $actor->one('qc_batch') || return, @lfb,
                testDefinitionId => $actor->{definitions}[1], measuredValue => 60 } ]) },
    'qc-series update' => _on('qc_series', rules => ['1-3s'], @why),
    'reagent-lot create' => _named(sub { (lotNumber => '1', qcStatus => 'passed') }),
    'media-lot create'   => _named(sub { (lotNumber => '1', medium => 'R2A') }),
    (map { ("$_->[0] update" => _lot($_->[1], notes => 'a walk'), "$_->[0] open" => _lot($_->[1]),
            "$_->[0] quarantine" => _lot($_->[1], @why), "$_->[0] release" => _lot($_->[1], @why)) }
        [ 'reagent-lot', 'reagent_lot' ], [ 'media-lot', 'media_lot' ]),
    'media-lot test' => sub { (_one(@{ $_[0]{media} }), kind => 'sterility', @why,
            outcome => _one(qw(passed passed failed))) },
    'investigation create' => sub { my ($actor) = @_;
        (undef, title => 'A walk', kind => 'deviation', rand() < 0.5 ? (sampleId => $actor->sample)
            : (sampleTestId => $actor->test || return)) },
    'investigation update' => sub { my $id = $_[0]->one('investigation');
        $id && ($id, rand() < 0.5 ? (rootCause => 'a walk')
            : (retestPlan => _one(undef, 'Two, by another person', 'Three, of what is kept'))) },
    'investigation approve-retest-plan' => _on('investigation'),
    'investigation advance' => sub { my $id = $_[0]->one('investigation');
        $id && ($id, conclusion => 'a walk', status =>
            _one(qw(phase_1 phase_2 conclusion capa_required closed cancelled))) },
    'investigation add-action' => sub { my $id = $_[0]->one('investigation');
        $id && ($id, text => 'Look again', ownerId => $_[0]->somebodys_id, dueDate => '2030-01-01') },
    'investigation finish-action' => sub { my $id = $_[0]->one('investigation_action') or return;
        ($_[0]->value('SELECT investigation_id FROM lims.investigation_action WHERE id = ?', $id),
            actionId => $id, doneAt => '2026-01-02T10:00:00Z') },
);
# --- Reference records and the laboratory itself ---------------------------------------------

my %reference = (
    (map { ("$_ create" => _named()) } qw(test-definition material-type project client
        storage-location instrument)),
    'panel create' => _named(sub { (testDefinitionIds => [ $_[0]{definitions}[0] ]) }),
    'label-size create' => _named(sub { (map { $_ => 30 } qw(pageWidth pageHeight labelWidth labelHeight)) }),
    'label print' => sub { (undef, ids => [ $_[0]->sample ], format => 'zpl') },    # no printer is at work
    (map { my ($noun, $table) = @$_; ("$noun update" => sub { my $id = $_[0]->one($table);
            $id && ($id, name => $_[0]->name) }) } [ 'test-definition', 'test_definition' ],
        [ 'material-type', 'material_type' ], [ project => 'project' ], [ client => 'client' ],
        [ 'storage-location', 'storage_location' ], [ instrument => 'instrument' ],
        [ panel => 'panel' ], [ 'label-size', 'label_size' ], [ 'worksheet-template', 'worksheet_template' ]),
    'specification create' => sub { my ($actor) = @_;
        (undef, testDefinitionId => $actor->one('test_definition', 'active'),
            materialTypeId => $actor->one('material_type', 'active'), low => 6, high => 8) },
    'specification update' => _on('specification', low => 5),
    'specification delete' => _on('specification', @why),
    'reference-data export' => sub { (undef, noun => _one(qw(clients material-types panels))) },
    'reference-data uses' => sub { (undef, noun => 'clients', id => $_[0]->one('client')) },
    'reference-data import' => sub { my $code = $_[0]->name;
        (undef, noun => 'material-types', dryRun => _one($true, $false),
            content => "code,name\n$code,Name of $code\n") },
    'worksheet-template create' => sub { my ($actor) = @_;
        (undef, testDefinitionId => $actor->one('test_definition', 'NOT requires_worksheet'),
            name => $actor->name, fields => [ { name => 'volume' } ]) },
    'comment add' => sub { (undef, text => 'a walk',
            on => { table => 'sample', id => $_[0]->sample }) },
    'attachment add' => sub { (undef, on => { table => 'sample', id => $_[0]->sample },
            fileName => $_[0]->name, contentBase64 => encode_base64('a walk', '')) },
    'attachment withdraw' => _on('attachment', @why),
    'saved-view create' => sub { (undef, name => $_[0]->name, page => 'samples', query => 'x=1') },
    'saved-view update' => _on('saved_view', query => 'x=2'),
    'saved-view delete' => _on('saved_view'),
);

# Nobody of the walk is deactivated or loses a role, whom a finding may need: guests are.
my $guest = sub { $_[0]->one('user_account', q{email LIKE 'guest-%'}) };

my %laboratory = (
    (map { ($_ => sub { (undef) }) } 'POST /session', 'DELETE /session', 'POST /session/statement'),
    'session end' => _on('user_session'),
    'organization update' => sub { (undef, holdingWarningHours => 1 + int rand 48, @why) },
    'permission update'   => sub { (undef, @why, roles => [ { role => 'client_viewer',
                permissions => [ _one('data.read', 'note.add') ] } ]) },
    'user create' => sub { my $name = $_[0]->name;
        (undef, email => "guest-$name\@laboratory.example", displayName => $name,
            roles => ['client_viewer'], passwordFile => $_[0]{password_file}) },
    'user update'       => sub { my $id = $guest->(@_); $id && ($id, displayName => $_[0]->name) },
    'user set-password' => sub { my $id = $guest->(@_);
        $id && ($id, passwordFile => $_[0]{password_file}) },
    (map { ("user $_" => sub { my $id = $guest->(@_); $id && ($id, @why) }) }
        qw(deactivate unlock link)),
    'key create' => sub { (undef, name => $_[0]->name, scopes => ['samples:read']) },
    (map { my ($act, @values) = @$_; ("key $act" => sub {
            my $id = $_[0]->one('api_key', q{name LIKE 'W%'}); $id && ($id, @values) }) }
        [ update => (fileStorageMegabytes => 9) ], ['rotate'], [ revoke => @why ]),
    'webhook create' => sub { (undef, name => $_[0]->name, url => 'https://127.0.0.1:9/hook',
            events => ['sample.reported']) },
    'webhook update' => sub { my $id = $_[0]->one('webhook_endpoint'); $id && ($id, name => $_[0]->name) },
    (map { ("webhook $_" => _on('webhook_endpoint')) } qw(enable rotate test)),
    'webhook disable' => _on('webhook_endpoint', @why),
    'webhook delete'  => sub { my $id = $_[0]->value(q{SELECT min(id) FROM lims.webhook_endpoint
        WHERE organization_id = ? HAVING count(*) > 3}, $_[0]{organization}{id});
        $id && ($id, @why) },
    'webhook recover' => _on('webhook_endpoint', since => '2026-01-01T00:00:00Z'),
    'webhook redeliver' => _on('webhook_delivery'),
);

# --- Instrument files -----------------------------------------------------------------------

# Values of tests of a sample, some of a test or a sample that there is not. With a row of a
# test that there is not, the other is of one that waits for its result: without that row the
# file can be released.
my $waiting = q{SELECT s.tracking_id FROM lims.sample s
      JOIN lims.sample_test t ON t.organization_id = s.organization_id AND t.sample_id = s.id
      JOIN lims.test_definition d ON d.organization_id = t.organization_id
                                 AND d.id = t.test_definition_id
     WHERE s.organization_id = ? AND s.received_at IS NOT NULL AND d.code = 'PH'
       AND t.status = 'pending' AND t.disposition = 'active' AND s.disposition = 'active'
     ORDER BY random() LIMIT 1};

sub file {
    my ($actor) = @_;
    my $absent = rand() < 0.4;
    my $code = ($absent && $actor->value($waiting, $actor->{organization}{id}))
        || (rand() < 0.2 ? 'LAB-26-0000001-A' : $actor->value(
            'SELECT tracking_id FROM lims.sample WHERE id = ?', $actor->sample));
    return join '', "Sample;Test;Value;Unit;Time\n", map { "$code;$_;" . _one('7.1', '7.3', '9.1')
            . ";;\n" } $absent ? ('ABSENT', 'PH') : ('PH', rand() < 0.3 ? 'PB' : ());
}

my $held = sub { $_[0]->one('instrument_file', "status = 'quarantined'") || $_[0]->one('instrument_file') };
my $exclude = [ { row => 2, reason => 'a walk' } ];

# Held for nothing but the row of a test that there is not.
my $only_absent = q{status = 'quarantined' AND reasons @> '[{"code": "unknown_test_code"}]'
    AND NOT jsonb_path_exists(reasons, '$[*] ? (@.code != "unknown_test_code")')};

my %files = (
    'POST /instrument-ingest' => sub { (undef, fileName => $_[0]->name . '.csv',
            content => file($_[0]) . "\n" x (1 + int rand 50)) },
    'instrument-file release' => sub {
        my $absent = $_[0]->one('instrument_file', $only_absent);
        return ($absent, @why, exclude => $exclude) if $absent;
        my $id = $held->(@_);
        $id && ($id, @why, _one([], [ dryRun => $true ], [ exclude => $exclude ])->@*) },
    'instrument-file decide' => sub { my $id = $held->(@_);
        $id && ($id, decisions => rand() < 0.5 ? {} : { exclude => $exclude }) },
    'instrument-file reevaluate' => sub { my $id = $held->(@_); $id && ($id, @why) },
    'instrument-file reject' => sub { rand() < 0.3 or return; my $id = $held->(@_);
        $id && ($id, @why) },
    'instrument-file reopen' => sub { my $id = $_[0]->one('instrument_file', "status = 'rejected'");
        $id && ($id, @why) },
    'instrument-file reevaluate-some' => sub { (undef, dryRun => _one($true, $false)) },
    'sample-name add' => sub { (undef, @why, name => $_[0]->name, trackingId => $_[0]->value(
                'SELECT tracking_id FROM lims.sample WHERE id = ?', $_[0]->sample)) },
    'sample-name remove' => sub { my $id = $_[0]->one('sample_name'); $id && ($id, @why) },
    'profile add' => sub { my $name = $_[0]->name;
        (undef, definition => JSON::PP->new->encode({ $_[0]{profile}->%*, code => lc $name,
                name => $name, match => { container => 'text', headers => [$name] } })) },
    (map { my $act = $_; ("profile $act" => sub { my $id = $_[0]->one('instrument_profile',
            q{code <> 'bench'}); $id && ($id) }) } qw(activate retire)),
    'profile test' => sub { my $id = $_[0]->one('instrument_profile');
        $id && ($id, content => file($_[0])) },
);

# --- Reading -----------------------------------------------------------------------------------

# Tables of ids by noun, where the noun is not the name of the table.
my %TABLE = (
    'sample-test' => 'sample_test', confirmation => 'sample_test', user => 'user_account',
    key => 'api_key', profile => 'instrument_profile', webhook => 'webhook_endpoint',
    'approval list' => 'sample', 'certificate preview' => 'sample', order => 'sample_order',
    'webhook delivery' => 'webhook_delivery', 'webhook body' => 'webhook_delivery',
    'webhook recovery' => 'webhook_recovery', signature => 'electronic_signature',
    session => 'user_session',
);

my $about = sub { (table => 'sample', recordId => $_[0]->sample) };
my %parameters = (
    'lookup' => sub { (text => $_[0]->value('SELECT tracking_id FROM lims.sample WHERE id = ?',
                $_[0]->sample)) },
    'comment list' => $about, 'attachment list' => $about,
    'audit list' => sub { rand() < 0.5 ? $about->(@_) : () }, 'audit export' => $about,
    'instrument-file candidates' => sub { (row => 2) },
    'signature preview' => $about,
    'policy impact' => sub { (selfVerification => 'refused') },
);

sub _read {
    my ($route) = @_;
    my $more = $parameters{ $route->{name} } || sub { () };
    my ($noun) = split / /, $route->{name};
    my $table = $TABLE{ $route->{name} } || $TABLE{$noun} || $noun =~ tr/-/_/r;

    return $route->{path} =~ /:id/
        ? sub { my $id = $_[0]->one($table); $id && ($id, $more->($_[0])) }
        : sub { (undef, $more->($_[0])) };
}

# Certificates are checked by anybody, by the code that is printed on them.
my %public = (
    'GET /verifications' => sub { my $code = $_[0]->value('SELECT verification_code
            FROM lims.certificate WHERE organization_id = ? LIMIT 1', $_[0]{organization}{id})
            // return;
        (undef, code => $code) },
);

my %IDEA = (%public, %samples, %results, %quality, %reference, %laboratory, %files);

sub of {
    my ($route) = @_;
    return $IDEA{ $route->{name} } || ($route->{reads} ? _read($route) : undef);
}

1;
