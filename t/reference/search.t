#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# People find reference data by a part of its code and name, in any case; and the records that
# were made with one: the orders of a panel, the batches of an instrument and of a QC template,
# the worksheets of a template. Keys have neither filter.
use strict;
use warnings;

use LIMS::Service::Laboratory;
use LIMS::Service::Person;
use LIMS::Test;

my $lims = LIMS::Test->new(demo => 1);
my ($lab, $other) = map { { id => $_->[0], code => $_->[1] } } @{ $lims->db->selectall_arrayref(
    q{SELECT id, code FROM lims.organization WHERE code IN ('cedar-basin', 'harborview')
    ORDER BY code}) };
my $ada = LIMS::Service::Person->new($lims, organization => $lab, name => 'Ada Stone',
    roles => [qw(administrator lab_manager)]);

# Records that the demonstration lacks: an order by a panel, batches on an instrument and of a
# template.
sub id_of { return $ada->get("/$_[0]?limit=1")->json->{data}[0]{id} }
sub make {
    my ($path, $body) = @_;
    my $answer = $ada->post($path, $body);
    is($answer->status, 201, "POST $path") or diag($answer->body);
    return $answer->json;
}
my $panel = make('/panels', { code => 'WEEKLY', name => 'Weekly sample',
    testDefinitionIds => [ id_of('test-definitions') ] });
make('/orders', { clientId => id_of('clients'), samples => [
    { materialTypeId => id_of('material-types'), priority => 'routine', panelIds => [ $panel->{id} ] } ] });
my $template = make('/qc-templates', { method => 'EPA 245.1', name => 'Cold vapour', perSamples => 20,
    controls => [ { type => 'LRB', criterion => 'maximum', upperLimit => 1 } ] });
make('/qc-batches', { batchNumber => 'CARB-1', qcTemplateId => $template->{id} });
make('/qc-batches', { batchNumber => 'CARB-2', method => 'EPA 531.1', instrumentId => id_of('instruments') });

sub found {
    my ($path, %query) = @_;
    my $query = join '&', 'limit=500', map { "$_=" . ($query{$_} =~ s/([^\w])/sprintf '%%%02X', ord $1/egr) }
        sort keys %query;
    my $answer = $ada->get("$path?$query");
    is($answer->status, 200, "$path?$query") or diag($answer->body);
    return @{ $answer->json->{data} || [] };
}

# Text of a record that is searched, by noun.
my %text = (
    'qc-templates'        => sub { "$_[0]{method}, $_[0]{name}" },
    'worksheet-templates' => sub { $_[0]{name} },
    map { $_ => sub { "$_[0]{code}, $_[0]{name}" } }
        qw(clients projects material-types storage-locations instruments test-definitions panels),
);

for my $noun (sort keys %text) {
    my $text = $text{$noun};
    my @all  = found("/$noun");
    my $one  = $all[-1];
    my $part = uc substr $text->($one), 1, 9;
    my @ids  = map { $_->{id} } grep { index(uc $text->($_), $part) >= 0 } @all;
    is_deeply([ map { $_->{id} } found("/$noun", q => lc $part) ], \@ids,
        "$noun: those whose text contains '$part', in any case");
    is_deeply([ grep { $_->{id} == $one->{id} } found("/$noun", q => $part, active => 'false') ], [],
        "$noun: a search keeps to the other filters");
    is_deeply([ found("/$noun", q => '_%') ], [], "$noun: no character is a wildcard");
    refused($ada->get("/$noun?q=%20"), 400, 'invalid_query', "$noun: a search for blanks");
    refused($ada->get("/$noun?q=" . 'x' x 65), 400, 'invalid_query', "$noun: a text of 65 characters");
}

my ($theirs) = $lims->db->selectrow_array(q{SELECT min(name) FROM lims.client
    WHERE organization_id = ?}, undef, $other->{id});
is_deeply([ found('/clients', q => $theirs) ], [], 'a client of another laboratory is not found');
refused($lims->get('/clients?q=riv'), 400, 'invalid_query', 'a key that searches clients');

# --- What was made with a record -----------------------------------------------------

for my $case ([ '/orders', panelId => 'panelIds' ], [ '/qc-batches', instrumentId => 'instrumentId' ],
    [ '/qc-batches', qcTemplateId => 'qcTemplateId' ], [ '/worksheets', templateId => 'templateId' ]) {
    my ($path, $filter, $member) = @$case;
    my %made;
    for my $record (found($path)) {
        push @{ $made{$_} }, $record->{id} for grep { defined } ref $record->{$member} ? @{ $record->{$member} } : $record->{$member};
    }
    cmp_ok(scalar keys %made, '>', 0, "$path: some have $member");
    is_deeply([ map { $_->{id} } found($path, $filter => $_) ], $made{$_}, "$path: those of $filter $_, and no others")
        for sort { $a <=> $b } keys %made;
    is_deeply([ found($path, $filter => 987_654_321) ], [], "$path: none of an unknown $filter");
}
# --- What refers to a record ---------------------------------------------------------

# Number of records by noun, as the database has them: at most 1,000 are counted.
sub refers {
    my ($id, %where) = @_;
    my %count = map { $_ => $lims->db->selectrow_array("SELECT least(count(*), 1000)"
            . " FROM lims.$where{$_} AND organization_id = ?", undef, $id, $lab->{id}) } keys %where;
    return { map { $_ => $count{$_} } grep { $count{$_} } keys %count };
}

sub uses {
    my ($noun, $id) = @_;
    my $answer = $ada->get("/reference-data/uses?noun=$noun&id=$id");
    is($answer->status, 200, "what refers to $id of $noun") or diag($answer->body);
    return { map { $_->{noun} => $_->{count} } @{ $answer->json->{data} } };
}

my %refers = (
    'test-definitions' => { 'sample-tests' => 'sample_test WHERE test_definition_id = ?',
        specifications => 'specification WHERE test_definition_id = ?',
        panels => 'panel WHERE active AND ? = ANY (test_definition_ids)',
        'worksheet-templates' => 'worksheet_template WHERE active AND test_definition_id = ?',
        'qc-templates' => 'qc_template t WHERE active AND EXISTS (SELECT FROM lims.qc_template_control c'
            . ' WHERE c.template_id = t.id AND c.test_definition_id = ?)',
        'qc-controls' => 'qc_control WHERE test_definition_id = ?' },
    'material-types' => { samples => 'sample WHERE material_type_id = ?',
        specifications => 'specification WHERE material_type_id = ?' },
    projects => { samples => 'sample WHERE project_id = ?',
        specifications => 'specification WHERE project_id = ?' },
    clients => { samples => 'sample WHERE client_id = ?', orders => 'sample_order WHERE client_id = ?',
        projects => 'project WHERE active AND client_id = ?' },
    'storage-locations' => { samples => 'sample WHERE storage_location_id = ?',
        'storage-locations' => 'storage_location WHERE active AND parent_id = ?',
        instruments => 'instrument WHERE active AND storage_location_id = ?' },
    instruments => { 'qc-batches' => 'qc_batch WHERE instrument_id = ?',
        'qc-series' => 'qc_series WHERE instrument_id = ?',
        profiles => 'instrument_profile WHERE instrument_id = ?' },
);
for my $noun (sort keys %refers) {
    my %seen;
    for my $id (map { $_->{id} } found("/$noun")) {
        my $uses = uses($noun, $id);
        $seen{$_}++ for keys %$uses;
        is_deeply($uses, refers($id, %{ $refers{$noun} }), "$noun: all that refers to $id");
    }
    note("$noun: ", join ', ', sort keys %seen);
}
my ($their_client) = $lims->db->selectrow_array(q{SELECT min(client_id) FROM lims.sample
    WHERE organization_id = ?}, undef, $other->{id});
is_deeply(uses('clients', $their_client), {}, 'of a client of another laboratory nothing is told');

refused($lims->get('/orders?panelId=1'), 400, 'invalid_query', 'a key that asks for the orders of a panel');
done_testing();
