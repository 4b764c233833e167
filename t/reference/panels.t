#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Panels: test definitions that are ordered together. They are kept by POST and PATCH
# /panels, and a sample that names them is registered with their tests, each once.
use strict;
use warnings;

use LIMS::Service::Laboratory;
use LIMS::Test;

my $lims  = LIMS::Test->new;
my $lab   = LIMS::Service::Laboratory->new($lims);
my $other = LIMS::Service::Laboratory->new($lims, $lims->organization(code => 'other-laboratory'));
my ($ph, $lead, $tin) = map { $lab->definition } 1 .. 3;
my $gone     = $lab->definition(active => 'f');
my $material = $lab->material;
my $false    = LIMS::Service::JSONSchema::decode('false');
my $number   = 0;

sub panel {
    my (@definitions) = @_;
    my $code = 'PANEL-' . ++$number;
    return $lims->post('/panels', { code => $code, name => $code,
        testDefinitionIds => [@definitions] });
}

sub scheduled {
    my (%body) = @_;
    my $answer = $lims->post('/samples',
        { clientName => 'A', materialTypeId => $material, %body });
    is($answer->status, 201, 'a sample with ' . shown(\%body)) or diag($answer->body);
    return [ map { $_->{testDefinitionId} } @{ $answer->json->{tests} } ];
}

subtest 'a panel is created, listed, changed and switched off' => sub {
    my $made = panel($lead, $ph)->json;
    is_deeply($made->{testDefinitionIds}, [ $lead, $ph ], 'its definitions, in their order');
    is_deeply($lims->get("/panels/$made->{id}")->json, $made, 'it reads as it was answered');
    is($lims->get("/panels?code=$made->{code}")->json->{data}[0]{id}, $made->{id},
        'the panel is found by its code');

    my $changed = $lims->patch("/panels/$made->{id}",
        { name => 'Weekly', testDefinitionIds => [$ph] })->json;
    is("$changed->{name} @{ $changed->{testDefinitionIds} }", "Weekly $ph",
        'name and tests are changed');
    $lims->patch("/panels/$made->{id}", { active => $false });
    is_deeply($lims->get('/panels?active=true')->json->{data}, [], 'an inactive one is left out');
    refused($lims->post('/samples', { clientName => 'A', materialTypeId => $material,
                panelIds => [ $made->{id} ] }), 400, 'invalid_reference', 'a sample with it');
};

subtest 'what a panel cannot have' => sub {
    refused(panel($ph, $gone), 400, 'invalid_reference', 'an inactive definition');
    refused(panel($other->definition), 400, 'invalid_reference', "another laboratory's");
    refused(panel($ph, $ph), 400, 'invalid_body', 'a definition twice');
    refused(panel(), 400, 'invalid_body', 'none at all');
    my $made = panel($ph)->json;
    refused($lims->post('/panels', { code => $made->{code}, name => 'x',
                testDefinitionIds => [$ph] }), 400, 'invalid_body', 'the code of another');
    refused($lims->patch("/panels/$made->{id}", { testDefinitionIds => [987654] }), 400,
        'invalid_reference', 'an unknown definition, by PATCH');
};

subtest 'samples by panels' => sub {
    my ($metals, $weekly) = map { $_->json->{id} } panel($lead, $tin), panel($ph, $lead);
    is_deeply(scheduled(panelIds => [$metals]), [ $lead, $tin ], 'the tests of a panel');
    is_deeply(scheduled(panelIds => [ $weekly, $metals ]), [ $ph, $lead, $tin ],
        'of two panels, each definition once');
    is_deeply(scheduled(testDefinitionIds => [$tin], panelIds => [$weekly]), [ $tin, $ph, $lead ],
        'besides those that are named');
    is_deeply(scheduled(panelIds => []), [], 'no panel, no test');
    my $theirs = $lims->post('/panels', { code => 'X', name => 'X',
            testDefinitionIds => [ $other->definition ] }, key => $other->{organization}{key});
    my $said = refused($lims->post('/samples', { clientName => 'A', materialTypeId => $material,
                panelIds => [ $metals, $theirs->json->{id} ] }), 400, 'invalid_reference',
        "another laboratory's panel");
    my $id = $theirs->json->{id};
    like($said->{message}, qr/panelIds: no active panel $id\b/i, 'the message names the panel');
};

subtest 'a definition that went out of use since' => sub {
    my $definition = $lab->definition;
    my $panel      = panel($ph, $definition)->json->{id};
    $lab->act(sub { $_[0]->do('UPDATE lims.test_definition SET active = false WHERE id = ?', undef,
                $definition) });
    my $said = refused($lims->post('/samples', { clientName => 'A', materialTypeId => $material,
                panelIds => [$panel] }), 400, 'invalid_reference', 'a sample with its panel');
    like($said->{message}, qr/no active test definition $definition\b/i,
        'the message names the definition');
};

subtest 'more than two hundred tests' => sub {
    my @panels = map { my $part = $_;
        panel(map { $lab->definition } 1 .. 101)->json->{id} } 1 .. 2;
    refused($lims->post('/samples', { clientName => 'A', materialTypeId => $material,
                panelIds => \@panels }), 400, 'invalid_body', 'panels of 202 definitions');
};

done_testing();
