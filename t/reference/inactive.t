#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# New samples cannot refer to inactive records or to those of another organization; samples
# that refer to a record keep it when it becomes inactive.
use strict;
use warnings;

use LIMS::Database::Snapshot;
use LIMS::Test;

my $lims  = LIMS::Test->new;
my $other = $lims->organization(code => 'other-laboratory');

# References of a sample: the member that states each, and its form.
my %reference = (
    material_type    => { field => 'materialTypeId', list => 0 },
    project          => { field => 'projectId', list => 0 },
    storage_location => { field => 'storageLocationId', list => 0 },
    test_definition  => { field => 'testDefinitionIds', list => 1 },
);
my %active = map { $_ => $lims->insert($_, { code => "ON-$_", name => $_ }) } keys %reference;

sub body {
    my ($table, $id) = @_;
    my %body = (clientName => 'Riverbend', materialTypeId => $active{material_type});
    my $kind = $reference{$table};

    $body{ $kind->{field} } = $kind->{list} ? [$id] : $id;
    return \%body;
}

for my $table (sort keys %reference) {
    my $field = $reference{$table}{field};
    subtest $field => sub {
        my $gone   = $lims->insert($table, { code => 'GONE', name => 'Gone', active => 'f' });
        my $theirs = $lims->insert($table, { code => 'THEIRS', name => 'Theirs' }, $other);
        my $used   = $lims->insert($table, { code => 'USED', name => 'Used' });
        my $made   = $lims->post('/samples', body($table, $used));
        is($made->status, 201, 'an active one') or diag($made->body);
        my $sample = $made->json->{id};
        my $before = LIMS::Database::Snapshot::take($lims);

        my %bad = (inactive => $gone, foreign => $theirs, absent => 999999999);
        my %said;
        for my $name (sort keys %bad) {
            my $answer = $lims->post('/samples', body($table, $bad{$name}));
            is($answer->status . ' ' . $answer->json->{error}, '400 invalid_reference',
                "$name: creation");
            like($answer->json->{message}, qr/\b$field\b/, "the message names $field");
            $said{$name} = $answer->json->{message} =~ s/$bad{$name}/N/gr;
            next if $reference{$table}{list};
            $answer = $lims->patch("/samples/$sample", { $field => $bad{$name} });
            is($answer->status . ' ' . $answer->json->{error}, '400 invalid_reference',
                "$name: change");
        }
        is($said{foreign}, $said{absent}, 'a foreign one looks like none');
        is_deeply(LIMS::Database::Snapshot::take($lims), $before,
            'nothing changed, and no sample was counted');

        $lims->db->do("UPDATE lims.$table SET active = false WHERE id = ?", undef, $used);
        is($lims->post('/samples', body($table, $used))->status, 400,
            'a record that has just become inactive is refused');
        my $kept = $lims->patch("/samples/$sample", { notes => 'still here' });
        is($kept->status, 200, 'a sample that has it can be changed');
        is($kept->json->{$field}, $used,
            'the sample keeps the inactive record') unless $reference{$table}{list};
        is($lims->patch("/samples/$sample", { $field => $used })->status, 200,
            'naming the same inactive record again is no change') unless $reference{$table}{list};
        $lims->db->do("UPDATE lims.$table SET active = true WHERE id = ?", undef, $used);
        is($lims->post('/samples', body($table, $used))->status, 201,
            'active again, it can be used');
    };
}

subtest 'one inactive definition among active ones' => sub {
    my $gone   = $lims->insert('test_definition', { code => 'OUT', name => 'Out', active => 'f' });
    my $before = LIMS::Database::Snapshot::take($lims);
    my $body   = body('test_definition', $active{test_definition});
    push @{ $body->{testDefinitionIds} }, $gone;
    my $answer = $lims->post('/samples', $body);
    is($answer->status . ' ' . $answer->json->{error}, '400 invalid_reference',
        'the inactive record is refused');
    like($answer->json->{message}, qr/\b$gone\b/, 'the message names the inactive record');
    is_deeply(LIMS::Database::Snapshot::take($lims), $before, 'neither sample nor tests are there');
};

subtest 'an inactive client' => sub {
    my $client = $lims->insert('client', { code => 'CL', name => 'Riverbend Mill' });
    my $make = sub {
        return $lims->post('/samples', { clientName => 'riverbend mill',
                materialTypeId => $active{material_type} })->json;
    };
    is($make->()->{clientId}, $client, 'a name that is a client record\'s refers to it');
    $lims->patch("/clients/$client", { active => LIMS::Service::JSONSchema::decode('false') });
    my $sample = $make->();
    is($sample->{clientId}, undef, 'an inactive one is no longer referred to');
    is($sample->{clientName}, 'riverbend mill', 'the name of the client stands as it was given');
};

done_testing();
