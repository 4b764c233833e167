#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Tenant isolation of the application's bodies: every member of a body that names a record, as
# its OpenAPI document lists them, given another laboratory's id, is refused as if there were no
# such record, and nothing changes; once as it runs, once with row-level security off. A new
# kind of reference has to be added here. (Paths, parameters and lists: commands.t.)
use strict;
use warnings;

use JSON::PP ();

use LIMS::Database::RowSecurity;
use LIMS::Instance;
use LIMS::Service::Bodies;
use LIMS::Service::Demo;
use LIMS::Service::JSONSchema;
use LIMS::Service::OpenAPI;
use LIMS::Service::Person;
use LIMS::Service::Roles;
use LIMS::Test;

# Responses are checked by other tests.
local $ENV{LIMS_TEST_CONTRACT} = 0;

my $demo = LIMS::Service::Demo->new(conf => "LimsRateLimitSessions 100000\nLimsRateKeys 64");
my $lims = $demo->lims;
my $db   = $lims->db;
my ($us, $them) = map { { id => $demo->laboratory($_)->id, code => $_ } }
    qw(cedar-basin harborview);
my $absent = 987_654;
my $here   = LIMS::Service::Person->new($lims, organization => $us,
    roles => [ grep { $_ ne 'nobody' } keys %LIMS::Service::Roles::matrix ]);

sub id_of {
    my ($table, $where, $organization) = @_;
    return 0 + ($db->selectrow_array("SELECT max(id) FROM lims.$table WHERE organization_id = ?"
                . ' AND ' . ($where // 'true'), undef, ($organization // $us)->{id})
            // die "there is no such $table\n");
}

# Records of which the demonstration has none.
for my $organization ($us, $them) {
    my %of = (instrument => { code => 'ICP', name => 'ICP' },
        reagent_lot => { code => 'R-1', name => 'Buffer', lot_number => '1' },
        panel => { code => 'WEEK', name => 'Weekly',
            test_definition_ids => [ id_of('test_definition', 'active', $organization) ] },
        qc_template => { name => 'Any', method => $db->selectrow_array('SELECT max(method)
            FROM lims.test_definition WHERE organization_id = ?', undef, $organization->{id}) },
        investigation => { investigation_number => 'INV-1', title => 'x', kind => 'deviation' },
        worksheet_template => { name => 'x',
            test_definition_id => id_of('test_definition', 'active', $organization) });
    $lims->insert($_, $of{$_}, $organization) for sort keys %of;
    $db->do(q{WITH file AS (
            INSERT INTO lims.instrument_file (organization_id, file_name, sha256, size)
            VALUES (?, 'a.csv', sha256('a'), 1) RETURNING organization_id, id)
        INSERT INTO lims.instrument_file_content (organization_id, file_id, content)
        SELECT organization_id, id, 'a' FROM file}, undef, $organization->{id});
}

# --- References in bodies -----------------------------------------------------

my $api    = LIMS::Service::OpenAPI::decoded(LIMS::Instance::application_openapi());
my $bodies = LIMS::Service::Bodies->new($api);
my $schema = LIMS::Service::JSONSchema->new($api);

my %of_name = (assigneeId => 'user_account', ownerId => 'user_account',
    assignedTo => 'user_account', actsFor => 'user_account', fileId => 'instrument_file');
# Members by which a sample is named in words: its tracking id.
my %word = map { $_ => 1 } qw(trackingId identifier to);

sub resolved {
    my ($at) = @_;
    $at = $schema->resolve($at->{'$ref'}) while $at->{'$ref'};
    return $at;
}

sub table_of {
    my ($name, $path) = @_;
    return $of_name{$name} if $of_name{$name};
    return $path =~ m{\A/investigations} ? 'investigation' : 'storage_location'
        if $name eq 'parentId';
    return 'sample'   if $word{$name};
    return 'approval' if $name eq 'id' && $path =~ m{\A/approval-records};
    return $name =~ /\A(\w+?)Ids?\z/ && $name ne 'externalId' ? lc($1 =~ s/([A-Z])/_$1/gr) : undef;
}

# Returns the references in a body: { at => [ names, '[]' for an item ], table, and given }.
sub references_in {
    my ($of, $path, @at) = @_;
    my $properties = resolved($of)->{properties} || {};
    my @found;
    for my $name (sort keys %$properties) {
        my $member = resolved($properties->{$name});
        my $item   = $member->{items} && resolved($member->{items});
        if ($name eq 'on') {
            push @found, map { { at => [ @at, 'on' ], table => $_ } }
                @{ resolved($member->{properties}{table})->{enum} };
        }
        elsif (my $table = table_of($name, $path)) {
            push @found, { at => [ @at, $name, $item ? '[]' : () ], table => $table };
        }
        push @found, references_in($member, $path, @at, $name) if $name ne 'on';
        # An exclusion names a cell of the file, whatever is written in it.
        push @found, references_in($item, $path, @at, $name, '[]') if $item && $name ne 'exclude';
    }
    return @found;
}

my @operations;
for my $path (sort keys %{ $api->{paths} }) {
    for my $method (grep { $api->{paths}{$path}{$_} } qw(post patch put delete)) {
        my $operation = $api->{paths}{$path}{$method};
        my $content   = $operation->{requestBody}{content}{'application/json'} or next;
        my $short     = $path =~ s{\A/app/api}{}r;
        my @references = references_in($content->{schema}, $short) or next;
        push @operations, { %$operation, method => uc $method, path => $short,
            references => \@references };
    }
}

# --- Requests -------------------------------------------------------------------

my @why       = (reason => 'a test');
my $material   = id_of('material_type', 'active');
my $definition = id_of('test_definition', 'active');
my $waiting    = id_of('sample_test', q{status = 'pending' AND disposition = 'active'});
my $batch      = id_of('qc_batch');
my %control    = (criterion => 'recovery', expectedValue => 10, lowerLimit => 90,
    upperLimit => 110);
# Members that an operation needs besides the reference to do its work.
my %given = (
    addAttachment => { fileName => 'x', contentBase64 => 'eA==' },
    decideInstrumentFile  => {@why},
    releaseInstrumentFile => {@why},
    addSampleName => { @why, name => 'Well 4' },
    createOrder  => { clientId => id_of('client', 'active'),
        samples => [ { materialTypeId => $material } ] },
    createQcBatch => { batchNumber => 'NEW-1', instrumentId => undef },
    addQcControl => { %control, qcBatchId => $batch, controlType => 'LCS', measuredValue => 10 },
    judgeQcControls  => { controls => [ { %control, measuredValue => 10 } ] },
    updateQcControl  => {@why},
    createQcTemplate => { name => 'New', method => 'EPA 300.0',
        controls => [ { type => 'LCS', %control } ] },
    updateQcTemplate => { controls => [ { type => 'LCS', %control } ] },
    assignSampleTests => { sampleTestIds => [$waiting], assignedTo => $here->id },
    enterResults => { updates => [ { sampleTestId => $waiting, result => '1' } ] },
    judgeResults => { results => [ { sampleTestId => $waiting, result => '1' } ] },
    createSample   => { materialTypeId => $material, clientName => 'A' },
    receiveSamples => { sampleIds => [ id_of('sample', q{status = 'pending'}) ] },
    amendSample => {@why},
    overrideLot => { @why, lotContentHash => 'a' x 64 },
    createSpecification => { testDefinitionId => $definition, materialTypeId => $material },
);
# The record of ours below a path, where any but the newest is needed.
my %state = (
    addConfirmationStep => q{confirmation_status = 'pending'},
    (map { ($_ => q{status = 'quarantined'}) } qw(decideInstrumentFile releaseInstrumentFile)),
    enterResult => q{status = 'pending'},
    returnResult => q{status = 'entered'},
    amendSample => q{status = 'reported'},
);

# Members beside the reference in an item of a list: a row of our file.
my %beside = (tests => { row => 2 }, aliases => { from => 'EFF 002 rep', reason => 'a test' });

sub put_in {
    my ($body, $reference, $id) = @_;
    my ($place, $list) = (\$body);
    for my $name (@{ $reference->{at} }) {
        $place = $name eq '[]' ? \$$place->[0] : \$$place->{$name};
        $$place = { %{ $beside{$list} } } if $name eq '[]' && $beside{$list};
        $list = $name;
    }
    $$place = $list eq 'on' ? { table => $reference->{table}, id => $id } : $id;
    return $body;
}

my %of_noun = ('qc-batches' => 'qc_batch', 'qc-series' => 'qc_series', keys => 'api_key',
    confirmations => 'sample_test');

# Returns the reference to a record of theirs, and to one that does not exist.
sub strange_and_none {
    my ($reference) = @_;
    return (id_of($reference->{table}, undef, $them), $absent)
        unless $word{ $reference->{at}[-1] };
    return @{ $db->selectrow_arrayref('SELECT s.tracking_id,
            lims.tracking_id(o.tracking_prefix, 2026, ?)
        FROM lims.sample s JOIN lims.organization o ON o.id = s.organization_id
       WHERE s.organization_id = ? ORDER BY s.id DESC LIMIT 1', undef, $absent, $them->{id}) };
}

sub path_of {
    my ($operation) = @_;
    my ($noun) = $operation->{path} =~ m{\A/([^/]+)/\{id\}} or return ($operation->{path}, 0);
    my $own = id_of($of_noun{$noun} // $noun =~ s/s\z//r =~ tr/-/_/r,
        $state{ $operation->{operationId} });
    return ($operation->{path} =~ s/\{id\}/$own/r, $own);
}

sub body_of {
    my ($operation, $reference, $id, $own) = @_;
    my $given = JSON::PP::decode_json(
        JSON::PP::encode_json($given{ $operation->{operationId} } || {}));
    delete $given->{sampleIds} if $reference->{at}[0] eq 'items';
    my $body = $bodies->of($operation, given => put_in($given, $reference, $id));
    $body->{signature} = { password => $here->password, contentHash => $here->get(
            "/signed-contents?table=sample&recordId=$own")->json->{data}[0]{contentHash} }
        if $operation->{path} =~ m{/(?:amend|override-lot)\z};
    return $body;
}

# Returns an answer, and what is read of the file whose decisions are kept, with what was sent
# replaced by a fixed word, without times.
sub seen {
    my ($operation, $reference, $id) = @_;
    my ($path, $own) = path_of($operation);
    my $answer = $here->request($operation->{method}, $path,
        body => body_of($operation, $reference, $id, $own));
    my $text = $answer->status . ' ' . $answer->body;
    $text .= join ' ', map { $_->status . ' ' . $_->body }
        map { $here->get("$path/$_") } 'grid', 'candidates?row=2', 'candidates?row=3'
        if $operation->{operationId} eq 'decideInstrumentFile';
    return $text =~ s/"\d{4}-\d\d-\d\dT[^"]*"/TIME/gr =~ s/(?<![\w-])\Q$id\E(?![\w-])/ID/gr;
}

# Whether a refusal is about the reference: names the member, or the id that was sent.
sub is_about {
    my ($answer, $reference) = @_;
    my ($member) = grep { $_ ne '[]' } reverse @{ $reference->{at} };
    return $answer =~ /"(?:error|code)":\s?"(?:invalid_reference|not_found|unknown_tracking_id)"[^{}]*
        (?:\bID\b|\b$member\b|such\ sample)/x
        || $answer =~ /tests: row 2 has no value for sample test ID/;
}

sub last_entry {
    my ($organization) = @_;
    return scalar $db->selectrow_array('SELECT max(id) FROM lims.audit_entry
        WHERE organization_id = ?', undef, $organization->{id});
}

sub apart {
    my (@odd, %tried);
    my @before = map { last_entry($_) } $us, $them;

    for my $operation (@operations) {
        my $is_draft = $operation->{operationId} eq 'decideInstrumentFile';
        for my $reference (@{ $operation->{references} }) {
            my ($strange, $none) = map { seen($operation, $reference, $_) }
                strange_and_none($reference);
            my $text = "$operation->{method} $operation->{path}, @{ $reference->{at} }"
                . " ($reference->{table}): $strange";

            $tried{ $operation->{operationId} }++;
            $tried{references}++;
            push @odd, "$text, not $none" if $strange ne $none;
            push @odd, $text if !$is_draft && !is_about($strange, $reference);
        }
        next unless $is_draft;
        # A decision is a note beside the file; the release refuses those that do not fit.
        $here->patch((path_of($operation))[0], { decisions => {}, @why });
        $before[0] = last_entry($us);
    }
    cmp_ok(delete $tried{references}, '>', 90, 'references are tried');
    cmp_ok(scalar keys %tried, '>', 40, 'operations take a reference');
    is(join("\n", @odd), '', 'theirs is refused as what there is not');
    return is_deeply([ map { last_entry($_) } $us, $them ], \@before,
        'nothing changed, here or there');
}

subtest 'as it runs' => \&apart;
LIMS::Database::RowSecurity::disable($db);
subtest 'by the statements alone' => \&apart;

done_testing();
