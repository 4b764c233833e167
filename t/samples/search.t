#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The filters of the list of samples beyond equal values: several statuses, what the
# lifecycle scan last found, priority and disposition, and q, the beginning of a name; alone
# and together, in both orders.
use strict;
use warnings;

use LIMS::Service::CommandLine;
use LIMS::Service::Laboratory;
use LIMS::Test;

my $lims  = LIMS::Test->new;
my $lab   = LIMS::Service::Laboratory->new($lims);
my $other = LIMS::Service::Laboratory->new($lims, $lims->organization(code => 'other-laboratory'));
my $ann   = LIMS::Service::CommandLine->new($lims, 'Ann Lee');

my $ph      = $lab->definition(holding_time_hours => 48);
my $river   = $lab->client(name => 'City of Riverbend');
my $mill    = $lab->client(name => 'Millbrook Dairy');
my @samples = map { $lab->sample(
        clientName => $_ % 2 ? 'City of Riverbend' : 'Millbrook Dairy',
        externalId => "WO-$_/a", priority => $_ == 3 ? 'stat' : $_ == 4 ? 'rush' : 'routine',
        testDefinitionIds => [$ph]) } 1 .. 6;
$other->sample(externalId => 'WO-1/a', clientName => 'City of Riverbend');

my %number_of = map { $samples[$_]{id} => $_ + 1 } 0 .. $#samples;

sub numbers { return join ' ', map { $number_of{ $_->{id} } // "?$_->{id}" } @{ $_[0]{data} } }

sub found {
    my ($query) = @_;
    my $answer = $lims->get("/samples?$query");
    return $answer->status == 200 ? numbers($answer->json) : $answer->body;
}

$lab->status($samples[1], 'received');
$lab->status($samples[2], $_) for qw(received processing);
$lab->status($samples[5], 'received');

subtest 'several statuses' => sub {
    is(found('status=received,processing'),          '2 3 6',       'one or the other');
    is(found('status=processing,received,pending'),  '1 2 3 4 5 6',
        'in order of id, whatever theirs');
    is(found('status=received,processing&order=-id'), '6 3 2',      'samples of several statuses, from the newest on');
    is(found('status=received,processing&limit=2'),  '2 3',         'a page');
    is(found("status=received,processing&limit=2&cursor=$samples[2]{id}"), '6',
        'the cursor gives the next page');
    is(found("status=received,processing&clientId=$river"), '3',
        'several statuses combine with another filter');
    is(found('status=processing'),                   '3',           'a list of one status');
    refused($lims->get("/samples?status=$_"), 400, 'invalid_query', $_)
        for 'received,unknown', ',received', 'received,received';
    like($lims->get("/samples?$_=nonsense")->json->{message}, qr/\A$_ must be one of [a-z]/,
        "one wrong value: what $_ may be") for qw(status disposition);
};

subtest 'priority and disposition' => sub {
    is(found('priority=stat'),                   '3',           'the filter priority=stat');
    is(found('priority=routine'),                '1 2 5 6',     'the filter priority=routine');
    is(found('priority=rush&status=received'),   '',            'with a status of another');
    $lims->db->do('ALTER TABLE lims.sample DISABLE TRIGGER USER');
    $lims->db->do(q{UPDATE lims.sample SET disposition = ?, disposition_reason = 'x' WHERE id = ?}, undef, @$_)
        for [ on_hold => $samples[0]{id} ], [ rejected => $samples[4]{id} ];
    $lims->db->do('ALTER TABLE lims.sample ENABLE TRIGGER USER');
    is(found('disposition=active'),              '2 3 4 6',     'the filter disposition=active');
    is(found('disposition=active,on_hold'),      '1 2 3 4 6',   'the laboratory\'s work');
    is(found('disposition=rejected'),            '5',           'the filter disposition=rejected');
    is(found('status=pending'),                  '1 4 5',       'without the filter all are shown');
};

subtest 'what the scan last found' => sub {
    my $set = sub {
        $lims->db->do(q{INSERT INTO lims.sample_state_cache AS c (organization_id, sample_id,
            release_state, holding_status) SELECT organization_id, id, ?, ? FROM lims.sample WHERE id = ?
            ON CONFLICT (organization_id, sample_id) DO UPDATE SET
            release_state = excluded.release_state, holding_status = excluded.holding_status},
            undef, @_);
    };
    $set->('in_progress', undef,           $samples[$_]{id}) for 0, 3, 4, 5;
    $set->('blocked',     'expired',       $samples[1]{id});
    $set->('blocked',     'expiring_soon', $samples[2]{id});
    is(found('releaseState=blocked'),                  '2 3', 'the filter releaseState');
    is(found('releaseState=blocked&status=received'),  '2',   'the filter combines with a status');
    is(found('releaseState=blocked&status=received,pending,processing&order=-id'), '3 2',
        'the filter combines with several statuses');
    is(found('holdingStatus=expired'),                 '2',   'the filter holdingStatus');
    is(found('releaseState=reported'),                 '',    'no sample is reported');
    my ($done, $test) = $lab->worked(1, clientName => 'Somebody Else');
    $lab->verify($test);
    $lims->post("/samples/$done->{id}/report", {});
    $set->('ready_to_report', 'ok', $done->{id});
    is(found('releaseState=reported'),        "?$done->{id}",
        'a reported one is, whatever was found');
    is(found('releaseState=ready_to_report'), '',             'no other sample is ready to be reported');
    is(found('holdingStatus=ok'),             '',             'a reported sample has no holding status');
};

subtest 'q, the beginning of a name' => sub {
    my $tracking = $samples[3]{trackingId};
    my $plain    = $tracking =~ s/-//gr;
    is(found("q=$tracking"),              '4', 'a tracking id');
    is(found('q=' . lc $tracking),        '4', 'a tracking id in small letters is found');
    is(found('q=' . lc $plain),           '4', 'a tracking id without dashes is found');
    is(found('q=' . substr($plain, 0, -1)), '4', 'a tracking id without its check character is found');
    is(found('q=lab-'),                   found(''), 'what all begin with');
    is(found('q=' . substr($plain, 0, 7)) =~ /\b1 2 3 4 5 6\b/ ? 1 : 0, 1, 'what many begin with');
    is(found('q=WO-4'),                   '4',     'an external id');
    is(found('q=wo-4'),                   '4',     'an external id in small letters is found');
    is(found('q=O-4'),                    '',      'an external id is not found by a text from its middle');
    is(found('q=city'),                   '1 3 5', 'a client');
    is(found('q=Mill&order=-id'),         '6 4 2', 'samples of a client, from the newest on');
    is(found('q=Mill&status=received'),   '2 6',   'the text combines with a status');
    is(found('q=Mill&limit=2'),           '2 4',   'a page');
    is(found("q=Mill&limit=2&cursor=$samples[3]{id}"), '6', 'the cursor gives the next page');
    is(found('q=%25%25%25'),              '',      'no wildcard');
    is(found('q=___'),                    '',      'an underscore is no wildcard');
    is(found('q=%5C%5C%27'),              '',      'a quote is no wildcard');
    refused($lims->get("/samples?q=$_"), 400, 'invalid_query', "q of " . length $_)
        for 'ab', 'x' x 65, '%20%20%20';
};

subtest 'q that more samples have than are listed by id' => sub {
    my $many = $lims->db->selectrow_hashref(
        'SELECT * FROM lims.samples_found(?, ?, 2)', undef, $lab->{organization}{id}, 'mill');
    is($many->{ids}, undef, 'ids of no more than asked for');
    is_deeply($many->{clients}, [$mill], 'the clients are named');
    my $few = $lims->db->selectrow_hashref(
        'SELECT * FROM lims.samples_found(?, ?, 3)', undef, $lab->{organization}{id}, 'mill');
    is_deeply($few->{ids}, [ map { $samples[$_]{id} } 1, 3, 5 ], 'else all, in order');
    $lims->db->do(q{CREATE OR REPLACE FUNCTION lims.samples_found(p_organization bigint, p_text text,
        p_many integer DEFAULT 10000, OUT ids bigint[], OUT names text[], OUT clients bigint[])
        LANGUAGE sql STABLE AS $$ SELECT NULL::bigint[], lims.name_beginnings(p_text),
        ARRAY(SELECT id FROM lims.client WHERE organization_id = p_organization
            AND starts_with(lower(name), lower(p_text))) $$});
    is(found('q=mill'),  '2 4 6', 'a list of many, by client');
    is(found('q=wo-'),   '1 2 3 4 5 6', 'many samples are found by external id');
    is(found('q=' . lc($samples[2]{trackingId} =~ s/-//gr)), '3',
        'many samples are found by tracking id');
};

subtest 'for people' => sub {
    refused($lims->get('/samples?registeredSince=2026-01-01'), 400, 'invalid_query',
        'registeredSince is no parameter of the API');
    my $since = $lims->get("/samples/$samples[4]{id}")->json->{createdAt};
    like(numbers($ann->done('sample list', registeredSince => $since)), qr/\A5 6\b/,
        'limsctl takes the filter registeredSince');
    is(numbers($ann->done('sample list', status => [qw(received processing)], order => '-id')), '6 3 2',
        'a list of statuses at the command line');
};
done_testing();
