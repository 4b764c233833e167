#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# limsctl at the reception: an order from a file, receipt by scanned tracking ids, a receipt
# undone with a reason, and any record found by what is written on it.
use strict;
use warnings;

use File::Temp ();
use JSON::PP ();
use LIMS::Service::CommandLine;
use LIMS::Service::Laboratory;
use LIMS::Test;

my $lims  = LIMS::Test->new;
my $lab   = LIMS::Service::Laboratory->new($lims);
my $other = LIMS::Service::Laboratory->new($lims, $lims->organization(code => 'other-laboratory'));
my $ben   = LIMS::Service::CommandLine->new($lims, 'Ben Walsh', roles => ['receiving_clerk']);
my $client   = $lab->client(code => 'RIV', name => 'City of Riverbend');
my $material = $lab->material;

my $file = File::Temp->new;
print {$file} JSON::PP::encode_json([ map { { materialTypeId => 0 + $material, externalId => "B-$_" } } 1 .. 3 ]);
close $file;

sub found {
    my ($text) = @_;
    my $answer = $ben->done('lookup', text => $text);
    return join ', ', map { "$_->{noun} $_->{id}" } @{ $answer->{data} };
}

my $made    = $ben->done('order create', clientId => $client, samples => '@' . $file->filename,
    contact => 'Ada Moore');
my @samples = @{ $made->{samples} };
is(scalar @samples, 3, 'an order of three samples from a file');
my $dry = $ben->done('order create', clientId => $client, samples => '@' . $file->filename,
    dryRun => 'true');
is_deeply([ map { $_->{path} } @{ $dry->{errors} } ], [ map { "samples[$_].externalId" } 0 .. 2 ],
    'the same again, as a dry run, names every row');
is($lab->value('SELECT count(*) FROM lims.sample_order'), 1, 'a dry run writes nothing');

my $received = $ben->done('sample receive', items => JSON::PP::encode_json(
        [ { trackingId => lc $samples[0]{trackingId} }, { identifier => 'B-2' } ]));
is(scalar @{ $received->{received} }, 2, 'two are received by what the scanner reads');
$ben->refused('invalid_transition', 'sample unreceive', $samples[2]{id}, reason => 'x');
is($ben->done('sample unreceive', $samples[1]{id}, reason => 'the wrong cooler')->{status}, 'pending',
    'one is undone');

my ($id, $tracking) = @{ $samples[0] }{qw(id trackingId)};
is(found($_), "sample $id", "found by \"$_\"") for $tracking, lc $tracking, $tracking =~ tr/-//dr,
    'B-1', $samples[0]{sampleIdentifier};
is(found($made->{order}{orderNumber}), "order $made->{order}{id}",
    'an order is found by its number');
is(found('riv'), "client $client", 'a client by its code');
my $lot = $lab->reagent_lot(code => 'HNO3', lot_number => 'L-77');
is(found('L-77'), "reagent-lot $lot", 'a lot by its number');
is(found($other->sample->{trackingId}), '', "nothing of another laboratory");

my $pc = $lab->insert('instrument_profile', code => 'icp-ms', name => 'ICP-MS', definition => '{}');
is(found('ICP-MS'), "profile $pc", 'a profile, whatever its case');
my $admin = LIMS::Service::CommandLine->new($lims, 'Ada Moore', roles => ['administrator']);
my $name = 'the scanner';
$lims->key($lims->fixture, name => $name);
my $key = $lab->value('SELECT id FROM lims.api_key WHERE name = ?', $name);
for my $text ('ben.walsh@laboratory.example', $name) {
    is(found($text), '', "\"$text\" is found by nobody but who manages it");
    like(join(' ', map { "$_->{noun} $_->{id}" } @{ $admin->done('lookup', text => $text)->{data} }),
        $text eq $name ? qr/\bkey $key\b/ : qr/\Auser $ben->{id}\z/, "managers find $text");
}

my $wrong = substr($tracking, 0, -1) . ($tracking =~ /A\z/ ? 'B' : 'A');
my $answer = $ben->done('lookup', text => $wrong);
is_deeply($answer->{data}, [], 'a mistyped tracking id finds nothing');
ok($answer->{mistyped}, 'a mistyped tracking id is said to be mistyped');
ok(!$ben->done('lookup', text => 'nothing like it')->{mistyped}, 'another text is not');

done_testing();
