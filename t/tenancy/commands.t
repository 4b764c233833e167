#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Tenant isolation of limsctl and of the application: every command and every route that takes
# an id, given another laboratory's, answers as if there were none and changes nothing of
# theirs, and no list or file has anything of theirs; once as it runs, once with row-level
# security off. A new command, noun or parameter has to be added here.
# (Ids in bodies: bodies.t.)
use strict;
use warnings;

use File::Temp ();
use LIMS::Database::RowSecurity;
use LIMS::Instance;
use LIMS::Service::Bodies;
use LIMS::Service::Demo;
use LIMS::Service::OpenAPI;
use LIMS::Service::Person;
use LIMS::Service::Roles;
use LIMS::Test;

# Responses are checked by other tests; here are thousands of them.
local $ENV{LIMS_TEST_CONTRACT} = 0;

my $demo = LIMS::Service::Demo->new(conf => "LimsRateLimitSessions 100000\nLimsRateKeys 64");
my $lims = $demo->lims;
# Reports that are printed are compared by their refusals.
$lims->allow_log(qr/There is no printer on this server/);
my $db   = $lims->db;
my $them = $demo->laboratory('cedar-basin');
my $us   = $demo->laboratory('tiny-lab');
my $absent = 987_654;

# The demonstration has one of everything but these.
my $endpoint = $them->done('omar.haddad', qw(webhook create --name ERP --url
    https://erp.example/ --events sample.created))->{id};
my $delivery = $them->done('omar.haddad', qw(webhook test), $endpoint)->{id};
my $recovery = $them->done('omar.haddad', qw(webhook recover), $endpoint,
    qw(--since 2026-01-01T00:00:00Z))->{id};
# A job finishes it, which the trail records too.
wait_until { $db->selectrow_array('SELECT finished_at IS NOT NULL FROM lims.webhook_recovery'
        . ' WHERE id = ?', undef, $recovery) };
$them->done('omar.haddad', qw(sample-name add --name Theirs --tracking-id),
    $db->selectrow_array(q{SELECT tracking_id FROM lims.sample WHERE organization_id = ?
        AND status = 'received' ORDER BY id LIMIT 1}, undef, $them->id), qw(--reason x));
$us->done('eva.novak', qw(user update), $db->selectrow_array(
    'SELECT id FROM lims.user_account WHERE organization_id = ?', undef, $us->id),
    '--roles', 'administrator,lab_manager,analyst,qa_officer,microbiologist', qw(--reason x));

my $panel = $them->done('omar.haddad', qw(panel create --code WEEK --name Weekly),
    '--test-definition-ids', scalar $db->selectrow_array('SELECT min(id) FROM'
        . ' lims.test_definition WHERE organization_id = ? AND active', undef, $them->id));
$them->done('omar.haddad', qw(order create --samples), JSON::PP::encode_json(
        [ { materialTypeId => 0 + $db->selectrow_array('SELECT min(id) FROM lims.material_type'
            . ' WHERE organization_id = ? AND active', undef, $them->id) } ]),
    '--client-id', scalar $db->selectrow_array('SELECT min(id) FROM lims.client'
        . ' WHERE organization_id = ? AND active', undef, $them->id));

my ($defined, $method) = $db->selectrow_array('SELECT id, method FROM lims.test_definition
    WHERE organization_id = ? AND method IS NOT NULL AND active ORDER BY id LIMIT 1', undef,
    $them->id);
$them->done('omar.haddad', qw(qc-template create --name x --method), $method, '--controls',
    JSON::PP::encode_json([ { type => 'LRB', criterion => 'maximum', upperLimit => 1,
        testDefinitionId => 0 + $defined } ]));

my $on = sprintf '{"table":"sample","id":%d}', $db->selectrow_array(
    'SELECT min(id) FROM lims.sample WHERE organization_id = ?', undef, $them->id);
$them->done('omar.haddad', qw(comment add --text x --on), $on);
$them->done('omar.haddad', qw(attachment add --file-name x --content-base64 eA== --on), $on);
$them->done('omar.haddad', qw(saved-view create --name x --page samples --query x));

# One who is signed in to the application.
$db->begin_work;
$db->do('SELECT lims.act_as(?, NULL, $$a test$$, NULL, NULL)', undef, $them->id);
$db->do(q{INSERT INTO lims.user_session (organization_id, user_id, token_hash, address)
    SELECT organization_id, max(id), sha256('x'), '::1' FROM lims.user_account
     WHERE organization_id = ? GROUP BY 1}, undef, $them->id);
$db->commit;

# Tables of ids by noun, where the noun is not the name of the table.
my %table = (
    'sample-test' => 'sample_test', confirmation => 'sample_test', user => 'user_account',
    key => 'api_key', profile => 'instrument_profile', webhook => 'webhook_endpoint',
    'approval list' => 'sample', order => 'sample_order', 'webhook delivery' => 'webhook_delivery',
    'webhook body'  => 'webhook_delivery', 'webhook redeliver' => 'webhook_delivery',
    'webhook recovery' => 'webhook_recovery', signature => 'electronic_signature',
    session => 'user_session', 'session list' => 'user_account',
);

# Further options that commands need.
my $password = File::Temp->new;
print {$password} "correct horse battery\n";
close $password;
my %options = (
    'sample update' => [qw(--notes x)], 'sample status' => [qw(--status received)],
    'sample-test enter' => [qw(--result 1)], 'approval decide' => [qw(--status approved)],
    'storage-location update' => [qw(--name x)], 'specification update' => [qw(--low 1)],
    'media-lot test' => [qw(--kind sterility --outcome passed)],
    'media-lot update' => [qw(--supplier x)], 'reagent-lot update' => [qw(--name x)],
    'qc-batch update' => [qw(--method x)], 'qc-control update' => [qw(--measured-value 1)],
    'qc-batch cover'   => [ '--sample-test-ids', $absent ],
    'sample override-lot' => [ '--reagent-lot-id', $absent ],
    'qc-batch uncover' => [ '--sample-test-ids', $absent ],
    'user set-password' => [ '--password-file', $password->filename ],
    'worksheet sign-off' => [qw(--step x --meaning performed)],
    'confirmation step' => [qw(--outcome x)],
    'confirmation outcome' => [qw(--outcome confirmed)],
    'investigation update' => [qw(--title x)],
    'investigation advance' => [qw(--status phase_2)],
    'investigation approve-retest-plan' => [],
    'investigation add-action' => [qw(--text x)],
    'investigation finish-action' => [qw(--action-id 1 --done-at 2026-11-20T10:00:00Z)],
    'order update' => [qw(--notes x)],
    'saved-view update' => [qw(--name x)],
    'qc-series update' => [qw(--rules 1-3s)],
    'instrument update' => [qw(--name x)],
    'instrument-file candidates' => [qw(--row 2)],
    'instrument-file decide' => [qw(--decisions {})],
    'sample unreceive' => [],
    'sample receipt'   => [qw(--containers 2)],
    'sample disposition' => [qw(--disposition on_hold)],
    'user update' => [qw(--display-name x)],
    'key update'  => [qw(--file-storage-megabytes 1)],
    'profile test' => [qw(--content x)],
    'webhook recover' => [qw(--since 2026-01-01T00:00:00Z)],
    (map { ("$_ update" => [qw(--name x)]) } qw(test-definition material-type project client
        worksheet-template webhook panel label-size qc-template)),
);

# An answer with one word for an id. By chance, its digits may be part of a signature, of a digest
# or of the name of a key.
sub without_id {
    my ($text, $id) = @_;
    return $text =~ s/""signature"":""[^"]+/""signature"":""/gr =~ s/(?<![\w-])$id(?![\w-])/ID/gr;
}

my @commands = grep { $lims->ctl((split / /), '--help')->{output} =~ /\Alimsctl \Q$_\E ID/ }
    $lims->ctl('--help')->{output} =~ /^  ([a-z-]+ [a-z-]+) /mg;
cmp_ok(scalar @commands, '>', 60, scalar(@commands) . ' commands take an id');

sub answer {
    my ($command, $id) = @_;
    my $done = $us->ctl('eva.novak', (split / /, $command), $id, '--reason', 'x',
        @{ $options{$command} || [] });
    return [ $done->{exit}, without_id($done->{output}, $id) ];
}

sub apart {
    my $before = $db->selectrow_array('SELECT max(id) FROM lims.audit_entry');

    for my $command (@commands) {
        my ($noun) = split / /, $command;
        my $table = $table{$command} || $table{$noun} || $noun =~ tr/-/_/r;
        my $id = $db->selectrow_array("SELECT max(id) FROM lims.$table WHERE organization_id = ?",
            undef, $them->id) or return fail("there is no $table to try $command with");
        my $answer = answer($command, $id);

        is($answer->[0], 3, $command) or diag($answer->[1]);
        is_deeply($answer, answer($command, $absent), "$command: theirs is as if it were not there");
    }
    return is($db->selectrow_array('SELECT max(id) FROM lims.audit_entry'), $before,
        'nothing changed, here or there');
}

# --- The application --------------------------------------------------------------

my $api    = LIMS::Service::OpenAPI::decoded(LIMS::Instance::application_openapi());
my $bodies = LIMS::Service::Bodies->new($api);
my ($here, $there) = map {
    LIMS::Service::Person->new($lims, organization => { id => $_->[0]->id, code => $_->[1] },
        roles => [ grep { $_ ne 'nobody' } keys %LIMS::Service::Roles::matrix ])
} [ $us, 'tiny-lab' ], [ $them, 'cedar-basin' ];

# Tables of nouns, and of parameters that name a record.
my %of_noun = (users => 'user_account', sessions => 'user_session', keys => 'api_key',
    orders => 'sample_order', confirmations => 'sample_test', signatures => 'electronic_signature',
    'approval-records' => 'approval', 'qc-batches' => 'qc_batch', 'qc-series' => 'qc_series',
    'webhook-deliveries' => 'webhook_delivery', 'webhook-recoveries' => 'webhook_recovery');
my %of_name = (orderId => 'sample_order', templateId => 'worksheet_template',
    endpointId => 'webhook_endpoint', userId => 'user_account', parentId => 'storage_location');
# Options that name no record, or of which another option says the table.
my %no_record = map { $_ => 1 } qw(trackingId externalId requestId recordId keyId);

sub id_of {
    my ($table) = @_;
    return scalar $db->selectrow_array("SELECT max(id) FROM lims.$table WHERE organization_id = ?",
        undef, $them->id) // die "there is no $table of theirs\n";
}

sub theirs_at {
    my ($path) = @_;
    my ($noun) = $path =~ m{\A/([^/]+)/};
    return id_of($of_noun{$noun} // $noun =~ s/s\z//r =~ tr/-/_/r);
}

my @operations = map {
    my $path = $_;
    map { { method => uc, path => $path =~ s{\A/app/api}{}r, %{ $api->{paths}{$path}{$_} } } }
        grep { /\A(?:get|post|patch|put|delete)\z/ } sort keys %{ $api->{paths}{$path} }
} sort keys %{ $api->{paths} };

# Values that a route needs beyond those its document requires.
my %given = (releaseInstrumentFile => { reason => 'x' },
    overrideLot => { reagentLotId => $absent });
my %query = (listInstrumentFileCandidates => '?row=2');
my %signed = map { $_ => 1 } qw(overrideQcBatch overrideLot reopenResult amendSample signOffWorksheet
    approveRetestPlan);

# Returns an answer with the id that was sent replaced by a fixed one.
sub seen {
    my ($operation, $method, $path, $id) = @_;
    my $name = $operation->{operationId};
    my $body = $bodies->of($operation, given => $given{$name});
    $body->{signature} = { password => $here->password, contentHash => 'a' x 64 } if $signed{$name};
    $path .= $query{$name} // '';
    my $answer = $here->request($method, $path, $body && $method ne 'HEAD' ? (body => $body) : ());
    my $length = $method eq 'HEAD' && $answer->status == 200
        ? $answer->header('Content-Length') // '' : '';
    return $answer->status . ' ' . $length . without_id($answer->body // '', $id);
}

sub by_path {
    my @odd;
    my @with_id = grep { $_->{path} =~ /\{id\}/ } @operations;

    for my $operation (@with_id) {
        my ($method, $path) = @$operation{qw(method path)};
        my $theirs = theirs_at($path);

        for my $asked ($method, $method eq 'GET' ? 'HEAD' : ()) {
            my ($strange, $none) = map { seen($operation, $asked,
                    $path =~ s/\{id\}/$_/r =~ s/\{\w+\}/1/gr, $_) } $theirs, $absent;
            push @odd, "$asked $path: $strange, not $none" if $strange ne $none;
            push @odd, "$asked $path: $strange" if $strange !~ /\A404 /;
        }
    }
    cmp_ok(scalar @with_id, '>', 100, scalar(@with_id) . ' routes take an id');
    return is(join("\n", @odd), '', 'routes answer as if theirs were not there');
}

sub by_parameter {
    my ($tried, @odd) = (0);

    for my $operation (grep { $_->{method} eq 'GET' && $_->{path} !~ /\{/ } @operations) {
        for my $name (map { $_->{name} // '' } @{ $operation->{parameters} || [] }) {
            next if $name !~ /Id\z/ || $no_record{$name};
            my $theirs = id_of($of_name{$name} // lc($name =~ s/Id\z//r =~ s/([A-Z])/_$1/gr));
            for my $asked (qw(GET HEAD)) {
                my ($strange, $none) = map { seen($operation, $asked,
                        "$operation->{path}?$name=$_", $_) } $theirs, $absent;
                push @odd, "$asked $operation->{path}?$name=: $strange, not $none"
                    if $strange ne $none;
            }
            $tried++;
        }
    }
    cmp_ok($tried, '>', 30, "$tried parameters name a record");
    return is(join("\n", @odd), '', 'parameters find nothing of theirs');
}

# Every list and file, of which theirs have their tracking ids or addresses.
sub by_list {
    my $own = qr/CB-\d\d-\d|cedarbasin/;
    my (@shown, @odd);

    for my $path (map { $_->{path} } grep { $_->{method} eq 'GET' && $_->{path} !~ /\{/ }
        @operations) {
        # Examples in the document are of the demonstration.
        next if $path eq '/openapi.json';
        push @shown, $path if ($there->get($path)->body // '') =~ $own;
        my ($get, $head) = ($here->get($path), $here->head($path));
        push @odd, $path if ($get->body // '') =~ $own;
        push @odd, "HEAD $path" if length($head->body // '') || $head->status != $get->status
            || ($head->header('Content-Length') // '') ne ($get->header('Content-Length') // '');
    }
    cmp_ok(scalar @shown, '>', 15, scalar(@shown) . ' lists and files have theirs for them');
    return is(join("\n", @odd), '',
        'lists and files have nothing of theirs for somebody else, nor is HEAD longer');
}

sub all_apart {
    subtest 'limsctl' => \&apart;
    my $before = $db->selectrow_array('SELECT max(id) FROM lims.audit_entry');
    subtest 'ids in paths' => \&by_path;
    subtest 'ids in parameters' => \&by_parameter;
    subtest 'lists and files' => \&by_list;
    return is($db->selectrow_array('SELECT max(id) FROM lims.audit_entry'), $before,
        'nothing changed, here or there');
}

subtest 'as it runs' => \&all_apart;
LIMS::Database::RowSecurity::disable($db);
subtest 'by the statements alone' => \&all_apart;

done_testing();
