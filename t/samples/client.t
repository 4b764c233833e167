#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The client of a sample: clientId follows from clientName, compared without case and only
# with active clients of the organization; without a name, the project's client is taken.
use strict;
use warnings;

use LIMS::Service::Laboratory;
use LIMS::Test;

my $lims  = LIMS::Test->new;
my $lab   = LIMS::Service::Laboratory->new($lims);
my $other = LIMS::Service::Laboratory->new($lims, $lims->organization(code => 'other-laboratory'));

my $river   = $lab->client(name => 'City of Riverbend');
my $dairy   = $lab->client(name => "Molkerei S\x{fc}d");
my $former  = $lab->client(name => 'Former Client', active => 'f');
my $foreign = $other->client(name => 'Foreign Client');
my $with    = $lab->project(client_id => $dairy);
my $without = $lab->project;

# [name given, clientId]
my @names = (
    [ 'City of Riverbend',    $river ],
    [ 'CITY OF RIVERBEND',    $river ],
    [ 'city of riverbend',    $river ],
    [ "MOLKEREI S\x{dc}D",    $dairy ],
    [ 'City of Riverbend 2',  undef ],
    [ 'City  of  Riverbend',  undef ],
    [ 'Somebody Else',        undef ],
    [ 'Former Client',        undef ],
    [ 'Foreign Client',       undef ],
);

subtest 'a client\'s name finds its record' => sub {
    for my $case (@names) {
        my ($name, $id) = @$case;
        my $sample = $lab->sample(clientName => $name);
        my $shown  = $name =~ s/[^ -~]/?/gr;

        is($sample->{clientName}, $name, "$shown is kept as given");
        is($sample->{clientId}, $id,
            "$shown has " . (defined $id ? "client $id" : 'no client record'));
    }
};

subtest 'the project names the client' => sub {
    my $material = $lab->material;
    my $sample   = $lims->post('/samples', { materialTypeId => $material, projectId => $with });

    is($sample->status, 201) or diag($sample->body);
    is($sample->json->{clientId}, $dairy, 'the sample has the id of the client');
    is($sample->json->{clientName}, "Molkerei S\x{fc}d", 'the sample has the name of the client');
    is($lab->sample(projectId => $with, clientName => 'Somebody Else')->{clientName},
        'Somebody Else', 'a name given wins');
    like(refused($lims->post('/samples', { materialTypeId => $material, projectId => $without }),
            400, 'invalid_body', 'a project without a client does not help')->{message},
        qr/clientName/, 'the message names the missing field');
};

subtest 'changing the name changes the record' => sub {
    my $sample = $lab->sample(clientName => 'Somebody Else');
    my $path   = "/samples/$sample->{id}";

    is($lims->patch($path, { clientName => 'city of RIVERBEND' })->json->{clientId}, $river,
        'a client by its name');
    is($lims->get($path)->json->{clientName}, 'city of RIVERBEND', 'the name as given');
    is($lims->patch($path, { clientName => 'Nobody Known' })->json->{clientId}, undef,
        'an unknown name clears the client record');
    is($lims->patch($path, { projectId => $with })->json->{clientName}, 'Nobody Known',
        'another project keeps the client');
    refused($lims->patch($path, { clientName => undef }), 400, 'invalid_body', 'null is refused');
    refused($lims->patch($path, { clientName => ' ' }), 400, 'invalid_body',
        'a blank name is refused');
};

subtest 'two clients with the same name' => sub {
    my $first = $lab->client(name => 'Twins');
    $lab->client(name => 'TWINS');
    is($lab->sample(clientName => 'twins')->{clientId}, $first, 'the elder, every time');
    $lims->db->do('UPDATE lims.client SET active = false WHERE id = ?', undef, $first);
    isnt($lab->sample(clientName => 'twins')->{clientId}, $first, 'unless it is inactive');
};

done_testing();
