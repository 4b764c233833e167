#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# GET /samples: each filter finds what it names and nothing else, bounds are
# inclusive, and a walk by cursor sees every sample once while others are added.
use strict;
use warnings;

use LIMS::Service::Laboratory;
use LIMS::Test;

my $lims  = LIMS::Test->new;
my $lab   = LIMS::Service::Laboratory->new($lims);
my $other = LIMS::Service::Laboratory->new($lims, $lims->organization(code => 'other-laboratory'));

my @materials = map { $lab->material } 1 .. 2;
my @projects  = map { $lab->project } 1 .. 2;
my $client    = $lab->client(name => 'City of Riverbend');
my @samples   = map { $lab->sample(
        materialTypeId => $materials[ $_ % 2 ],
        projectId      => $_ < 6 ? $projects[ $_ % 2 ] : undef,
        clientName     => $_ % 3 ? 'Somebody Else' : 'City of Riverbend',
        externalId     => "EXT-$_") } 1 .. 9;
$other->sample(externalId => 'EXT-1');

# The samples' numbers, 1 to 9, in the order of the answer.
my %number_of = map { $samples[$_]{id} => $_ + 1 } 0 .. $#samples;

sub found {
    my ($query) = @_;
    my $response = $lims->get("/samples$query");
    return $response->body unless $response->status == 200;
    return join ' ', map { $number_of{ $_->{id} } // "?$_->{id}" } @{ $response->json->{data} };
}

subtest 'all samples of the organization, ascending' => sub {
    is(found(''), '1 2 3 4 5 6 7 8 9', 'all samples and no other organization\'s');
    my $page = $lims->get('/samples')->json;
    is_deeply([ sort keys %$page ], [qw(data hasMore nextCursor)], 'the members of a page');
    for my $record (@{ $page->{data} }) {
        my $alone = $lims->get("/samples/$record->{id}")->json;
        delete $alone->{tests};
        is_deeply($record, $alone, "sample $record->{id}");
    }
};

subtest 'filters by equal value' => sub {
    is(found("?materialTypeId=$materials[0]"), '2 4 6 8',   'the filter materialTypeId');
    is(found("?materialTypeId=$materials[1]"), '1 3 5 7 9', 'the other material type');
    is(found("?projectId=$projects[0]"),       '2 4',       'the filter projectId');
    is(found("?clientId=$client"),             '3 6 9',     'the filter clientId');
    is(found('?externalId=EXT-7'),             '7',         'the filter externalId');
    is(found('?externalId=ext-7'),             '',          'filters compare with case');
    is(found("?trackingId=$samples[4]{trackingId}"), '5',   'the filter trackingId');
    is(found('?trackingId=LAB-26-0000000-0'),  '',          'an unknown one');
    is(found("?materialTypeId=$materials[1]&clientId=$client"), '3 9', 'two filters at once');
    is(found("?materialTypeId=$materials[0]&clientId=$client&projectId=$projects[0]"), '',
        'three filters that exclude each other');
    is(found('?projectId=987654'), '', 'an id of nothing');
};

subtest 'each status' => sub {
    my %at = (2 => 'received', 3 => 'processing', 4 => 'completed', 5 => 'verified');
    $lab->status($samples[ $_ - 1 ], $at{$_}) for sort keys %at;
    is(found('?status=pending'), '1 6 7 8 9', 'the filter status=pending');
    is(found("?status=$at{$_}"), $_, $at{$_}) for sort keys %at;
    is(found('?status=reported'), '', 'the filter status=reported');
    my ($done, $test) = $lab->worked(1);
    $lab->verify($test);
    $lims->post("/samples/$done->{id}/report", {});
    is(found('?status=reported'), "?$done->{id}", 'the reported sample');
};

# Received at known times, whatever the clock says.
my %received = (6 => '2026-03-08T23:59:59.999Z', 7 => '2026-03-09T00:00:00.000Z',
    8 => '2026-03-09T23:59:59.999Z', 9 => '2026-03-10T00:00:00.000Z');
$lims->db->do('ALTER TABLE lims.sample DISABLE TRIGGER USER');
$lims->db->do(q{UPDATE lims.sample SET status = 'received', received_at = ? WHERE id = ?}, undef,
    $received{$_}, $samples[ $_ - 1 ]{id}) for keys %received;
$lims->db->do('UPDATE lims.sample SET received_at = NULL WHERE id = ?', undef, $samples[1]{id});
$lims->db->do('ALTER TABLE lims.sample ENABLE TRIGGER USER');

# [query, numbers]
my @bounds = (
    [ 'since=2026-03-09',                                      '7 8 9' ],
    [ 'until=2026-03-09',                                      '6 7 8' ],
    [ 'since=2026-03-09&until=2026-03-09',                     '7 8' ],
    [ 'since=2026-03-08&until=2026-03-10',                     '6 7 8 9' ],
    [ 'since=2026-03-10T00:00:00Z',                            '9' ],
    [ 'since=2026-03-10T00:00:00.001Z',                        '' ],
    [ 'until=2026-03-08T23:59:59.999Z',                        '6' ],
    [ 'until=2026-03-08T23:59:59Z',                            '' ],
    [ 'since=2026-03-09T01:00:00%2B01:00&until=2026-03-09',    '7 8' ],
    [ 'since=2026-03-09T01:00:01%2B01:00&until=2026-03-09',    '8' ],
    [ 'since=2026-03-11',                                      '' ],
    [ 'until=2026-03-10&status=pending',                       '' ],
    [ 'since=2026-03-09&status=received&limit=2',              '7 8' ],
);

subtest 'since and until, both inclusive; a day as until is a whole day' => sub {
    is(found("?$_->[0]"), $_->[1], $_->[0]) for @bounds;
};

subtest 'fractions of a millisecond belong to the day' => sub {
    $lims->db->do('ALTER TABLE lims.sample DISABLE TRIGGER USER');
    $lims->db->do('UPDATE lims.sample SET received_at = ? WHERE id = ?', undef,
        '2026-03-09T23:59:59.999999Z', $samples[7]{id});
    $lims->db->do('ALTER TABLE lims.sample ENABLE TRIGGER USER');
    is(found('?until=2026-03-09'), '6 7 8', 'the last microsecond of the day');
};

subtest 'every shown value can be used as a filter' => sub {
    $lims->db->do('ALTER TABLE lims.sample DISABLE TRIGGER USER');
    $lims->db->do('UPDATE lims.sample SET received_at = $1, updated_at = $1 WHERE id = $2', undef,
        '2026-04-01T10:00:00.123999Z', $samples[8]{id});
    $lims->db->do('ALTER TABLE lims.sample ENABLE TRIGGER USER');
    my $shown = '2026-04-01T10:00:00.123Z';
    my $record = $lims->get("/samples/$samples[8]{id}")->json;
    is($record->{$_}, $shown, "$_ is cut to milliseconds") for qw(receivedAt updatedAt);
    is(found("?since=$shown&until=$shown"), '9', 'both bounds include their millisecond');
    like(found("?updatedSince=$shown"), qr/\b9\b/, 'updatedSince includes its millisecond');
    is(found('?since=2026-04-01T10:00:00.124Z&until=2026-04-02'), '',
        'a since one millisecond later excludes it');
    is(found('?until=2026-04-01T10:00:00.122Z&since=2026-04-01'), '',
        'an until one millisecond earlier excludes it');
};

subtest 'updatedSince' => sub {
    my $mark = $lims->get("/samples/$samples[0]{id}")->json->{updatedAt};
    my $after = $lims->patch("/samples/$samples[0]{id}", { notes => 'changed' })->json->{updatedAt};
    isnt($after, $mark, 'the change is dated');
    like(found("?updatedSince=$after"), qr/\A1\b/, 'updatedSince includes its own time');
    unlike(found('?updatedSince=2999-01-01'), qr/\d/, 'a later updatedSince excludes it');
    $lims->patch("/samples/$samples[0]{id}", { notes => 'changed' });
    is($lims->get("/samples/$samples[0]{id}")->json->{updatedAt}, $after,
        'writing the same value keeps updatedAt');
};

subtest 'refused queries' => sub {
    for my $query (qw(status=done status= since=yesterday since=2026-02-30 until=12
        since=2026-03-09T10:00:00 materialTypeId=x materialTypeId=0 projectId=-1 colour=blue
        status=pending&status=received limit=0 limit=-1 limit=x cursor=-1 cursor=x
        updatedSince=now)) {
        my ($name) = $query =~ /(\w+)=[^=]*\z/;
        like(refused($lims->get("/samples?$query"), 400, 'invalid_query', $query)->{message},
            qr/$name/, 'the message names it');
    }
};

sub walk {
    my ($limit, $between) = @_;
    my ($cursor, $more, @ids) = (0, 1);

    while ($more && @ids < 1000) {
        my $page = $lims->get("/samples?limit=$limit&cursor=$cursor")->json;
        push @ids, map { $_->{id} } @{ $page->{data} };
        ($cursor, $more) = ($page->{nextCursor}, $page->{hasMore});
        $between->() if $between;
    }
    return ($cursor, @ids);
}

subtest 'pages' => sub {
    my ($last, @all) = walk(500);
    for my $limit (1, 3, scalar @all, @all + 1) {
        my ($cursor, @ids) = walk($limit);
        is_deeply(\@ids, \@all, "the same samples in pages of $limit");
        is($cursor, $last, 'ending with the last id');
    }
    my $page = $lims->get('/samples?limit=' . @all)->json;
    ok(!$page->{hasMore}, 'an exactly full last page has no more');
    my $empty = $lims->get("/samples?cursor=$last")->json;
    is_deeply($empty, { data => [], nextCursor => $last, hasMore => $page->{hasMore} },
        'an empty page keeps the cursor for the next poll');
    is($lims->get('/samples?projectId=987654')->json->{nextCursor}, 0, '0 when there was none');
    is($lims->get('/samples?cursor=9223372036854775807')->json->{nextCursor},
        9223372036854775807, 'the largest cursor');
};

subtest 'pages are complete while samples are added' => sub {
    my %late;
    my $added = 0;
    my ($cursor, @ids) = walk(2, sub { $late{ $lab->sample->{id} } = 1 if $added++ < 6 });
    my %times;
    $times{$_}++ for @ids;

    is_deeply([ grep { $times{$_} != 1 } keys %times ], [], 'no sample comes twice');
    is_deeply(\@ids, [ sort { $a <=> $b } @ids ], 'ids ascend over all pages');
    is_deeply([ grep { !$times{$_} } keys %late ], [], 'the new ones come at the end');
    my $new = $lab->sample->{id};
    is_deeply([ map { $_->{id} } @{ $lims->get("/samples?cursor=$cursor")->json->{data} } ],
        [$new], 'polling from the last cursor brings what came since');
};

subtest 'a limit above the maximum returns the largest page' => sub {
    $lims->db->do('INSERT INTO lims.sample (organization_id, client_name, material_type_id)'
            . ' SELECT ?, ?, ? FROM generate_series(1, 520)', undef, $lims->fixture->{id},
        'Bulk', $materials[0]);
    for my $limit (500, 501, 2147483647) {
        my $page = $lims->get("/samples?limit=$limit")->json;
        is(scalar @{ $page->{data} }, 500, "limit=$limit gives 500");
        ok($page->{hasMore}, 'hasMore is true');
    }
    is(scalar @{ $lims->get('/samples')->json->{data} }, 50, 'without limit it is 50');
};

done_testing();
