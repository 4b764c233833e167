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
refused($lims->get('/orders?panelId=1'), 400, 'invalid_query', 'a key that asks for the orders of a panel');
done_testing();
