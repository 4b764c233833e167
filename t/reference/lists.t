#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The five lists of reference data: every field as stored, pages that together are the
# whole list, and filters.
use strict;
use warnings;

use LIMS::Test;

my $lims  = LIMS::Test->new;
my $other = $lims->organization(code => 'other-laboratory');
my $stamp = qr/\A\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\z/a;

my $client = $lims->insert('client', { code => 'C-0', name => 'Client' });
my $shelf  = $lims->insert('storage_location', { code => 'S-0', name => 'Room' });

# Lists with the columns that are written and the fields that are shown, in their JSON
# spelling.
my %list = (
    'clients' => {
        table => 'client',
        full  => { contact_name => 'Ada', email => 'ada@client.example', phone => '+1 303 555 0100',
            address => "1 Main St\nRiverbend" },
        shown => { contactName => '"Ada"', email => '"ada@client.example"',
            phone => '"+1 303 555 0100"', address => '"1 Main St\nRiverbend"' },
        bare => { contactName => 'null', email => 'null', phone => 'null', address => 'null' },
    },
    'projects' => {
        table => 'project',
        full  => { client_id => $client, composite_sample_identifier => 't' },
        shown => { clientId => $client, compositeSampleIdentifier => 'true' },
        bare  => { clientId => 'null', compositeSampleIdentifier => 'false' },
    },
    'material-types' => { table => 'material_type', full => {}, shown => {}, bare => {} },
    'storage-locations' => {
        table => 'storage_location',
        full  => { parent_id => $shelf, kind => 'refrigerator', min_temperature => '2.0',
            max_temperature => '7.50' },
        shown => { parentId => $shelf, kind => '"refrigerator"', minTemperature => '2.0',
            maxTemperature => '7.50' },
        bare => { parentId => 'null', kind => 'null', minTemperature => 'null',
            maxTemperature => 'null' },
    },
    'test-definitions' => {
        table => 'test_definition',
        full  => { method => 'EPA 300.0', unit => 'mg/L', result_type => 'numeric', decimals => 2,
            specification_low => '0.10', specification_high => '10', reporting_limit => '0.05',
            method_detection_limit => '0.012', uncertainty => '8 %', accredited => 't', holding_time_hours => '48',
            preservation => 'HNO3', requires_worksheet => 't', requires_confirmation => 't', presumptive_minimum => '1', turnaround_days => 5 },
        shown => { method => '"EPA 300.0"', unit => '"mg/L"', resultType => '"numeric"',
            decimals => '2', specificationLow => '0.10', specificationHigh => '10',
            specificationText => 'null', decisionRule => 'null', reportingLimit => '0.05',
            methodDetectionLimit => '0.012', uncertainty => '"8 %"', accredited => 'true',
            holdingTimeHours => '48', preservation => '"HNO3"',
            requiresWorksheet => 'true', requiresConfirmation => 'true',
            presumptiveMinimum => '1', turnaroundDays => '5',
            confirmationPlan => '[]' },
        bare => { method => 'null', unit => 'null', resultType => '"numeric"', decimals => 'null',
            specificationLow => 'null', specificationHigh => 'null', specificationText => 'null', decisionRule => 'null',
            reportingLimit => 'null', methodDetectionLimit => 'null', uncertainty => 'null', accredited => 'false',
            holdingTimeHours => 'null', preservation => 'null',
            requiresWorksheet => 'false', requiresConfirmation => 'false',
            presumptiveMinimum => 'null', turnaroundDays => 'null', confirmationPlan => '[]' },
    },
);

# Members of a record as they stand in the JSON text, numbers to the last digit.
sub members {
    my ($text) = @_;
    my %member;
    my ($record) = $text =~ /(\{"id":.*?\})(?:,\{"id"|\]|\z)/s;

    while ($record =~ /"(\w+)":("(?:[^"\\]|\\.)*"|[^,}]+)/g) {
        $member{$1} = $2;
    }
    return \%member;
}

# All pages of so many, and that each is as long as it can be.
sub walk {
    my ($path, $limit) = @_;
    my (@ids, @sizes);
    my $cursor = 0;

    for (1 .. 2000) {
        my $page = $lims->get("$path?limit=$limit&cursor=$cursor")->json;
        my @here = map { $_->{id} } @{ $page->{data} };
        is_deeply([ sort keys %$page ], [qw(data hasMore nextCursor)], 'a page') if !@sizes;
        push @ids, @here;
        push @sizes, scalar @here;
        is($page->{nextCursor}, $here[-1], 'nextCursor is the last id') if @here && @sizes == 1;
        last unless $page->{hasMore};
        $cursor = $page->{nextCursor};
    }
    pop @sizes;
    is_deeply([ grep { $_ != $limit } @sizes ], [], "every page but the last has $limit");
    return \@ids;
}

for my $noun (sort keys %list) {
    my $kind = $list{$noun};
    subtest "/$noun" => sub {
        my %common = (code => 'FULL', name => 'All of it');
        my $full = $lims->insert($kind->{table}, { %{ $kind->{full} }, %common });
        my $bare = $lims->insert($kind->{table}, { code => 'BARE', name => 'Bare', active => 'f' });
        my $theirs = $lims->insert($kind->{table}, { %common, code => 'THEIRS' }, $other);

        for my $case ([ $full, 'FULL', 'All of it', 'true', 'shown' ],
            [ $bare, 'BARE', 'Bare', 'false', 'bare' ]) {
            my ($id, $code, $name, $active, $which) = @$case;
            my %expected = (id => $id, code => "\"$code\"", name => "\"$name\"",
                active => $active, %{ $kind->{$which} });
            for my $path ("/$noun?code=$code", "/$noun/$id") {
                my $members = members($lims->get($path)->body);
                like(substr(delete $members->{$_}, 1, -1), $stamp, "$path: $_")
                    for qw(createdAt updatedAt);
                is_deeply($members, \%expected, "$path: every field is as it is kept");
            }
        }

        my $ids = sub { return [ map { $_->{id} } @{ $lims->get("/$noun?$_[0]")->json->{data} } ] };
        is_deeply($ids->('code=FULL'), [$full], 'code: the one');
        is_deeply($ids->('code=full'), [], 'the filter code tells upper from lower case');
        is_deeply($ids->('code=FUL'), [], 'a part of a code finds nothing');
        is_deeply($ids->('code=%25'), [], 'a percent sign is no wildcard');
        is_deeply($ids->('code=THEIRS'), [], 'the code of another organization finds nothing');
        is_deeply($ids->('active=false'), [$bare], 'active: the inactive');
        is_deeply([ grep { $_ == $bare } @{ $ids->('active=true') } ], [],
            'the filter active finds no inactive record');
        ok(scalar(grep { $_ == $full } @{ $ids->('active=true') }),
            'the filter active finds the active record');
        is_deeply($ids->('active=true&code=BARE'), [], 'two filters together');

        my @more = map { $lims->insert($kind->{table}, { code => "N-$_", name => 'N' }) } 1 .. 57;
        my $all = $lims->db->selectcol_arrayref(
            "SELECT id FROM lims.$kind->{table} WHERE organization_id = ? ORDER BY id", undef,
            $lims->fixture->{id});
        cmp_ok(scalar @$all, '>=', 59, 'a list of some length');
        for my $limit (1, 2, 7, 50, scalar @$all, 500) {
            is_deeply(walk("/$noun", $limit), $all, "pages of $limit are all of it, in order");
        }
        is_deeply($ids->('active=true&limit=500'),
            [ grep { $_ != $bare } @$all ], 'a filter on the whole list');

        # Whoever polls from the last cursor sees what came after it, once.
        my $end   = $lims->get("/$noun?limit=500")->json->{nextCursor};
        my $again = $lims->get("/$noun?cursor=$end")->json;
        is_deeply($again->{data}, [], 'after the last page there is nothing');
        is($again->{nextCursor}, $end, 'the cursor stays at the last record');
        my $new = $lims->insert($kind->{table}, { code => 'NEW', name => 'New' });
        is_deeply($ids->("cursor=$end"), [$new], 'a new record comes behind the cursor');

        my $answer = $lims->get("/$noun/$theirs");
        is($answer->status, 404, 'another organization\'s is not there');
        is($lims->get("/$noun/$theirs", key => $other->{key})->status, 200,
            'the other organization reads its record');
    };
}

subtest 'changes at the command line appear in the lists' => sub {
    for my $noun (qw(material-types storage-locations test-definitions)) {
        my $answer = $lims->post("/$noun", { code => 'X', name => 'X' });
        is($answer->status, 405, "POST /$noun");
        is($answer->header('Allow'), 'GET, HEAD', "/$noun can only be read");
    }
};

done_testing();
