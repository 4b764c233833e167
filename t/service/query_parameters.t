#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Query strings: an unknown parameter or a value of the wrong kind is 400 invalid_query that
# names it; the bounds of limit, cursor and times are those of the contract. The parameters
# are those of the OpenAPI document.
use strict;
use warnings;

use LIMS::Service::RouteRecords;
use LIMS::Test;

my $lims    = LIMS::Test->new;
my $records = LIMS::Service::RouteRecords->new($lims);

# Lists and their parameters: { '/clients' => { limit => schema, ... } }.
my %list;
for my $each ($lims->api->operations) {
    my %parameter = map { $_->{name} => $_->{schema} }
        grep { ($_->{in} || '') eq 'query' } @{ $each->{operation}{parameters} || [] };
    (my $path = $each->{template}) =~ s{\A/([^/]+)/\{id\}}{"/$1/" . $records->id($1)}e;
    $list{$path} = \%parameter if exists $parameter{limit};
}
cmp_ok(scalar keys %list, '>=', 7, 'the document names the lists');

sub refused {
    my ($path, $query, $name, $names) = @_;
    my $answer = $lims->get("$path?$query");
    my $said   = $answer->json || {};

    is($answer->status . ' ' . ($said->{error} || '?'), '400 invalid_query', $name)
        or diag("$path?$query: " . $answer->body);
    like($said->{message} || '', qr/\b\Q$names\E\b/, "the message names $names") if defined $names;
    return;
}

sub accepted {
    my ($path, $query, $name) = @_;
    my $answer = $lims->get("$path?$query");

    is($answer->status, 200, $name) or diag("$path?$query: " . $answer->body);
    return $answer->json || {};
}

# Invalid and valid values for a parameter of each kind, percent-encoded.
my %bad = (
    integer => [ '', 'a', '1a', '1.0', '1e2', '+1', '%2B1', '-1', '-0', '01', '%201', '1%20', '0x1',
        '9' x 40 . 'x', '%D9%A1', '1,2', 'null', '--1', '9223372036854775808%00' ],
    id      => [ '0', '9223372036854775808', '18446744073709551617' ],
    boolean => [ '', '1', '0', 'yes', 'TRUE', 'True', 't', 'truee', 'null', '%20true' ],
    enum    => [ '', 'Pending', 'PENDING', 'unknown', 'pending,received', '%20pending', 'null' ],
    moment  => [ '', 'today', '2026', '2026-11', '2026-11-31', '2026-02-29', '2026-13-01',
        '2026-00-10', '2026-1-1', '20261121', '2026-11-21T', '2026-11-21T07:48:00',
        '2026-11-21T07:48', '2026-11-21T24:01:00Z', '2026-11-21T07:60:00Z', '2026-11-21T07:48:61Z',
        '2026-11-21%2007:48:00Z', '2026-11-21T07:48:00+01:00', '2026-11-21T07:48:00%2B1',
        '2026-11-21T07:48:00%2B25:00', '2026-11-21T07:48:00CET', '2026-11-21t07:48:00y',
        '1763711280', '11/21/2026',
        '2026-11-21Z', '0000-01-01', '-infinity', 'infinity', 'epoch', 'now' ],
    text    => [ '', 'xx', 'x' x 65, '%20%20%20' ],
    string  => [ '', 'x' x 256, '%C3%A9' x 256 ],
    date    => [ '', 'today', '2026-11', '2026-11-31', '2026-02-29', '2026-11-21T07:48:00Z' ],
);
my %good = (
    date    => [ '2026-11-21', '2024-02-29', '1999-12-31' ],
    moment => [ '2026-11-21', '2024-02-29', '2026-11-21T07:48:00Z', '2026-11-21T07:48:00.5Z',
        '2026-11-21T07:48:00.000Z', '2026-11-21T07:48:00.123456Z', '2026-11-21T07:48:00%2B01:00',
        '2026-11-21T07:48:00-05:00', '2026-11-21t07:48:00z', '1999-12-31' ],
    string  => [ 'x', 'x' x 255, '%C3%A9' x 255, 'a+b', 'a%20b', '%27%3B--', '%25', '%5C',
        '%F0%9F%A7%AA' ],
    boolean => [ 'true', 'false' ],
    text    => [ 'xxx', 'x' x 64, 'a%20b', '%25%25%25', '%5C%5C%5C' ],
    id      => [ '1', '9223372036854775807' ],
);
# Lists of an enumeration's values, separated by commas.
$bad{list} = [ '', 'Pending', 'unknown', '%20pending', 'null', ',', ',pending' ];

sub kind_of {
    my ($schema) = @_;
    return $schema->{enum}              ? 'enum'
        : $schema->{anyOf}              ? 'moment'
        : ($schema->{format} || '') eq 'date' ? 'date'
        : $schema->{type} eq 'boolean'  ? 'boolean'
        : ($schema->{maxLength} || 0) == 64 ? 'text'
        : $schema->{type} eq 'string'   ? 'string'
        : $schema->{type} eq 'array'    ? 'list'
        : defined $schema->{default}    ? 'integer'
                                        : 'id';
}

for my $path (sort keys %list) {
    subtest "GET $path" => sub {
        accepted($path, '', 'no parameter');
        accepted($path, '&limit=1&&cursor=0&', 'ampersands more than needed');
        for my $name (sort keys %{ $list{$path} }) {
            my $kind = kind_of($list{$path}{$name});
            my @bad = @{ $bad{$kind} };
            push @bad, @{ $bad{integer} } if $kind eq 'id';
            refused($path, "$name=$_", "$name: not \"" . substr($_, 0, 30) . '"', $name) for @bad;
            refused($path, $name, "$name without a value", $name);
            my @good = @{ $kind eq 'enum' ? $list{$path}{$name}{enum}
                : $kind eq 'list' ? $list{$path}{$name}{items}{enum} : $good{$kind} || [] };
            push @good, join ',', @good if $kind eq 'list';
            accepted($path, "$name=$_", "$name: \"" . substr($_, 0, 30) . '"') for @good;
            refused($path, "$name=$good[0]&$name=$good[0]", "$name twice", $name) if @good;
        }
        refused($path, 'nothing=1', 'an unknown parameter', 'nothing');
        refused($path, 'Limit=1', 'a parameter in other letters', 'Limit');
        refused($path, 'limit[]=1', 'brackets', 'limit');
        refused($path, '=1', 'a parameter without a name');
        refused($path, 'page=2', 'pages by number', 'page');
        refused($path, "%6Cimit=1&limit=1", 'a name twice, once escaped', 'limit');
        accepted($path, '%6Cimit=1', 'an escaped name');
        for my $bad ('limit=%', 'limit=%1', 'limit=%zz', 'limit=1%', 'limit=%0', 'limit=%00',
            'limit=1%00', 'code=%FF', 'code=%C0%AF', 'code=%ED%A0%80', '%FF=1', '%=1', '%%') {
            refused($path, $bad, "not percent-encoded UTF-8: $bad");
        }
        refused($path, 'x' x 3000 . '=1', 'a name of 3000 letters');
        refused($path, join('&', map {"limit=$_"} 1 .. 500), 'a parameter 500 times', 'limit');
    };
}

subtest 'limit and cursor' => sub {
    my @made = map { $lims->insert('client', { code => "Q-$_", name => 'Q' }) } 1 .. 505;
    is(scalar @{ accepted('/clients', '', 'no limit')->{data} }, 50,
        'a page has 50 records by default');
    is(scalar @{ accepted('/clients', 'limit=1', 'limit 1')->{data} }, 1,
        'limit 1 gives one record');
    is(scalar @{ accepted('/clients', 'limit=500', 'limit 500')->{data} }, 500,
        'limit 500 gives 500 records');
    for my $more (501, 1000, 2147483647, 2147483648, '9223372036854775807', '9223372036854775808',
        '9' x 60) {
        is(scalar @{ accepted('/clients', "limit=$more", "limit $more")->{data} }, 500,
            "limit $more is taken as 500");
    }
    refused('/clients', 'limit=0', 'limit 0', 'limit');
    refused('/clients', 'limit=-1', 'limit -1', 'limit');

    my $max = '9223372036854775807';
    my $end = $lims->get("/clients?cursor=$max");
    is($end->status, 200, 'the largest cursor');
    like($end->body, qr/"data":\[\],"nextCursor":$max,"hasMore":false/,
        'an empty page names the cursor that was passed, to the last digit');
    my $empty = accepted('/projects', 'code=none', 'an empty page from the beginning');
    is($empty->{nextCursor}, 0, 'an empty page from the beginning has the cursor 0');
    my $last = accepted('/clients', "cursor=$made[-2]", 'the last page');
    is_deeply([ map { $_->{id} } @{ $last->{data} } ], [ $made[-1] ], 'the last page has the rest');
    is($last->{nextCursor}, $made[-1], 'the last page has the cursor of its last record, to poll from');
    ok(!$last->{hasMore}, 'the last page says that there are no more');
};

subtest 'routes without parameters' => sub {
    for my $path ('', '/whoami', '/openapi.json', '/clients/' . $records->id('clients'),
        '/samples/' . $records->id('samples') . '/readiness') {
        refused($path, 'limit=1', "GET $path", 'limit');
        accepted($path, '', "GET $path with an empty query");
    }
    my $answer = $lims->post('/clients?dryRun=true', { code => 'N', name => 'N' });
    is($answer->status . ' ' . $answer->json->{error}, '400 invalid_query',
        'POST /clients takes no query');
    $answer = $lims->patch('/clients/' . $records->id('clients') . '?id=1', { name => 'N' });
    is($answer->status . ' ' . $answer->json->{error}, '400 invalid_query',
        'PATCH /clients/:id takes no query');
};

done_testing();
