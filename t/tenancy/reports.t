#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Lists on paper have no row and no name of another organization, also where a filter has the
# id of one of its records.
use strict;
use warnings;

use LIMS::Print qw(words);
use LIMS::Service::Laboratory;
use LIMS::Service::Person;
use LIMS::Test;
use LIMS::Test::Printer;

my $lims = LIMS::Test->new(conf => LIMS::Test::Printer->real->conf);
my $lab  = LIMS::Service::Laboratory->new($lims);
my $them = LIMS::Service::Laboratory->new($lims, $lims->organization(code => 'other-laboratory'));
my $ana  = LIMS::Service::Person->new($lims, roles => ['lab_manager']);

# The same of both, each with a name of its own.
my %client = map { $_->[0] => $_->[1]->client(code => 'SAME', name => $_->[2]) }
    [ ours => $lab, 'Oakfield Brewery' ], [ theirs => $them, 'Riverbend Waterworks' ];
for ([ $lab, 'ours', 'Oakfield' ], [ $them, 'theirs', 'Riverbend' ]) {
    my ($at, $whose, $place) = @$_;
    $at->_ask('POST', '/orders', { clientId => $client{$whose}, samples => [ { materialTypeId => $at->material,
        plantLocation => "$place inlet" } ] }, 201);
}
for my $list (qw(samples orders)) {
    my $text = words($ana->get("/$list/export.pdf")->body);
    like($text, qr/Oakfield/, "$list: the list has what is ours");
    unlike($text, qr/Riverbend/, "$list: the list has nothing of theirs");
}
my $sample = $lab->value('SELECT id FROM lims.sample WHERE organization_id = ?', $them->{organization}{id});
for my $path ("/orders/export.pdf?clientId=$client{theirs}", "/sample-tests/export.pdf?sampleId=$sample", "/certificates/export.pdf?sampleId=$sample") {
    my $answer = $ana->get($path);
    is($answer->status, 200, "a list by the id of their record: $path") or diag($answer->body);
    unlike(words($answer->body), qr/Riverbend|Oakfield|other-lab/i, "it has no row, and no name of theirs: $path");
}

done_testing();
