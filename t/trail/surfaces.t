#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# One result changed through the REST API, the application, the command line and a file of an
# instrument: an auditor who is signed in finds each change by the record, by the person and
# by the period, with its surface.
use strict;
use warnings;

use LIMS::Files::Instrument;
use LIMS::Service::CommandLine;
use LIMS::Service::Laboratory;
use LIMS::Service::Person;
use LIMS::Test;

my $lims    = LIMS::Test->new;
my $lab     = LIMS::Service::Laboratory->new($lims);
my $pc      = LIMS::Files::Instrument->new($lab);
my $auditor = LIMS::Service::Person->new($lims, roles => ['auditor'], name => 'Ada Park');
my $ana     = LIMS::Service::Person->new($lims, roles => ['analyst'], name => 'Ana Ruiz');
my $ben     = LIMS::Service::CommandLine->new($lims, 'Ben Walsh', roles => ['analyst']);
my $key     = $lims->key($lims->fixture, created_by => $ana->id)->{key};
$pc->profile;
$_->sign_in for $auditor, $ana;

my $sample = $pc->sample('NO3');
my $test   = $pc->test($sample, 'NO3')->{id};
my ($begun) = $lims->db->selectrow_array(
    q{SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')});
is($pc->send($pc->csv([ $sample, 'NO3', '1.0' ]), key => $key)->json->{status}, 'imported',
    'a file is read');
is($lims->patch("/sample-tests/$test", { result => '2.0' }, key => $key)->status, 200, 'by a key');
is($ana->patch("/sample-tests/$test", { result => '3.0' })->status, 200, 'in the application');
$ben->done('sample-test enter', $test, result => '4.0');

# The changes of the result, oldest first: surface, person and new value.
sub found {
    my ($query) = @_;
    my $answer = $auditor->get("/audit-entries?limit=500&$query");
    is($answer->status, 200, "audit-entries?$query") or diag($answer->body);
    return [ reverse map {
        my $entry = $_;
        map { "$entry->{surface}, $entry->{person}: $_->{new}" }
            grep { $_->{field} eq 'result' } @{ $entry->{changes} };
    } grep { $_->{table} eq 'sample_test' && $_->{recordId} == $test } @{ $answer->json->{data} } ];
}

my @all = ('instrument file, Ana Ruiz: "1.0"', 'api, Ana Ruiz: "2.0"', 'application, Ana Ruiz: "3.0"',
    'command line, Ben Walsh: "4.0"');
is_deeply(found("table=sample_test&recordId=$test"), \@all, 'by the record');
is_deeply(found("from=$begun"), \@all, 'by the period');
is_deeply(found("from=$begun&userId=" . $ana->id), [ @all[ 0 .. 2 ] ], 'by the person');
is_deeply(found("from=$begun&userId=$ben->{id}"), [ $all[3] ], 'entries are found by person');
is_deeply(found("from=$begun&surface=instrument%20file"), [ $all[0] ], 'by the surface');
is_deeply(found("table=sample_test&recordId=$test&surface=api"), [ $all[1] ],
    'entries of a record are found by surface');

my ($named) = @{ $auditor->get("/audit-entries?table=sample_test&recordId=$test&surface=api")
        ->json->{data} };
like($named->{record}, qr{\ANO3 of \S+-\S\z}, 'the record has a name that tells which it is');
my ($by) = grep { $_->{field} eq 'entered_by' }
    map { @{ $_->{changes} } } @{ $auditor->get("/audit-entries?from=$begun&userId=$ben->{id}")
        ->json->{data} };
is($by && "$by->{oldName} -> $by->{newName}", 'Ana Ruiz -> Ben Walsh',
    'a person that a value refers to is named');
refused($ana->get("/audit-entries?table=sample_test&recordId=$test"), 403, 'permission_required',
    'not by an analyst');
done_testing();
