#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Certificates of analysis: issued of a reported sample, followed by another version through
# an amendment, never changed.
use strict;
use warnings;

use LIMS::Test;

use Digest::SHA qw(sha256_hex);

use LIMS::Service::CommandLine;
use LIMS::Service::Laboratory;

my $lims = LIMS::Test->new;
my $lab  = LIMS::Service::Laboratory->new($lims);
my $ann  = LIMS::Service::CommandLine->new($lims, 'Ann Lee', roles => ['qa_officer']);

my $lead = $lab->definition(code => 'PB', name => 'Lead', method => 'EPA 200.8', unit => 'ug/L',
    specification_high => 15);
my $copper = $lab->definition(code => 'CU', name => 'Copper');
my $sample = $lab->sample(testDefinitionIds => [ $lead, $copper ], collectionDate => '2026-01-05');
my ($first, $second) = $lab->tests($sample);
my @about = (sampleId => $sample->{id});

# --- Of a reported sample ---------------------------------------------------------------

$lab->enter($first, '<0.5');
$ann->refused('invalid_transition', 'certificate issue', @about);
$lab->enter($second, '1.20');
$lab->verify($_) for $first, $second;
$ann->refused('invalid_transition', 'certificate issue', @about);
$ann->refused('invalid_reference', 'certificate issue', sampleId => 999_999);
is($ann->done('certificate list')->{nextCursor}, 0, 'no certificate was issued');
is($lims->post("/samples/$sample->{id}/report")->status, 200, 'the sample is reported');

# --- Issued -----------------------------------------------------------------------------

my $certificate;
is_deeply([ $lab->events_in(sub { $certificate = $ann->done('certificate issue', @about) }) ],
    [ [ 'coa.generated', { sampleId => $sample->{id}, trackingId => $sample->{trackingId},
        sampleIdentifier => $sample->{sampleIdentifier} } ] ], 'a certificate is an event');
is_deeply($certificate->{deliveries}, [], 'nobody has subscribed to it');
like($certificate->{certificateNumber}, qr/\ACOA-\d\d-\d{7}\z/, 'the certificate has a number');
is_deeply([ @$certificate{qw(version status supersedesId amendment issuedBy)} ],
    [ 1, 'issued', undef, undef, $ann->{id} ], 'it is version 1, issued by the user');

my $answer  = $ann->call('certificate content', $certificate->{id});
my $content = $answer->{json};
is($content->{sample}{trackingId},     $sample->{trackingId}, 'the content names the sample');
is($content->{sample}{collectionDate}, '2026-01-05',
    'the content has the date of collection');
is_deeply([ map { [ @$_{qw(testCode method result unit specification)} ] }
        @{ $content->{results} } ],
    [ [ 'PB', 'EPA 200.8', '<0.5', 'ug/L', 'at most 15 ug/L' ],
        [ 'CU', undef, '1.20', undef, undef ] ],
    'the content has the results as entered');
is_deeply([ map { $_->{verifiedBy} } @{ $content->{results} } ], [ ('Administrator') x 2 ],
    'the content names who verified them');
is(sha256_hex($answer->{output} =~ s/\s+\z//r), $certificate->{sha256},
    'the SHA-256 is that of the content');

# --- Amended ----------------------------------------------------------------------------

$ann->refused('invalid_transition', 'certificate issue', @about,
    reason => 'no amendment is open');
$ann->done('sample amend', $sample->{id}, reason => 'name of the client corrected',
    changes => { clientName => 'City of Riverbend, Water Department' });
my $amended = $ann->done('certificate issue', @about);
is_deeply([ @$amended{qw(certificateNumber version status supersedesId amendment)} ],
    [ $certificate->{certificateNumber}, 2, 'issued', $certificate->{id},
        'name of the client corrected' ],
    'the next version supersedes it, with the reason of the amendment');
is($ann->done('certificate show', $certificate->{id})->{status}, 'superseded',
    'the first version is superseded');
is_deeply([ map { $_->{version} }
        @{ $ann->done('certificate list', @about, status => 'issued')->{data} } ],
    [2], 'one version is issued');

# Two versions, an event for each: of the first the delivery stands with the first alone.
my ($event) = $lims->db->selectrow_array(q{SELECT min(id) FROM lims.event WHERE type = 'coa.generated'});
$lab->act(sub {
    my $endpoint = $lims->insert('webhook_endpoint', { name => 'the ERP',
        url => 'https://erp.example/hook', events => '{coa.generated}', secret => 'x' });
    $lims->insert('webhook_delivery', { endpoint_id => $endpoint, event_id => $event,
        state => 'delivered', attempts => 1, finished_at => '2026-01-02T03:04:05Z',
        next_attempt_at => undef });
});
is_deeply([ map { [ map { "@$_{qw(endpointName state finishedAt)}" } @{ $_->{deliveries} } ] }
        @{ $ann->done('certificate list', @about)->{data} } ],
    [ ['the ERP delivered 2026-01-02T03:04:05.000Z'], [] ], 'to whom each version was sent');

ok($content->{sample}{reportedAt}, 'the content has the time of the report');
is($ann->call('certificate content', 999_999)->{exit}, 3, 'an unknown one is not found');

done_testing();
