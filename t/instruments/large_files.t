#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Reasons against a large file: the ones that are listed are the first in the order of its
# rows, as if all rows had been looked at, and errors beyond the first rows are found too.
use strict;
use warnings;

use LIMS::Files::Instrument;
use LIMS::Service::Laboratory;
use LIMS::Test;

use constant MANY => 20_010;    # more than are sent to be judged at first

my $lims = LIMS::Test->new(conf => LIMS::Service::Laboratory::patience());
my $lab  = LIMS::Service::Laboratory->new($lims);
my $pc   = LIMS::Files::Instrument->new($lab);

$pc->profile;

sub nobody { return [ sprintf('NOBODY-%07d', $_[0]), 'NO3', '1.5' ] }

# "row code" of each.
sub told {
    my ($answer) = @_;
    return [ map {"$_->{row} $_->{code}"} @{ $answer->json->{reasons} } ];
}

# Tracking ids of received samples with a test each.
sub plant {
    my ($count) = @_;
    my $db      = $lims->superuser;
    my $sample  = $pc->sample('NO3');
    my $like    = 'WHERE organization_id = ? AND id = ?';
    my @like    = ($lims->fixture->{id}, $sample->{id});
    my $first   = $db->selectrow_array('SELECT max(id) FROM lims.sample');

    $db->do(qq{INSERT INTO lims.sample (organization_id, material_type_id, client_name, collected_at)
        SELECT organization_id, material_type_id, 'Large', collected_at FROM lims.sample,
               generate_series(1, ?) $like}, undef, $count, @like);
    $db->do(q{UPDATE lims.sample SET status = 'received' WHERE id > ?}, undef, $first);
    $db->do(q{INSERT INTO lims.sample_test (organization_id, sample_id, test_definition_id)
        SELECT organization_id, id, ? FROM lims.sample WHERE id > ?}, undef,
        $pc->{definition}{NO3}, $first);
    return @{ $db->selectcol_arrayref(
        'SELECT tracking_id FROM lims.sample WHERE id > ? ORDER BY id', undef, $first) };
}

my @known = plant(2_050);

subtest 'a large file with errors from its first row on' => sub {
    my @rows = map { nobody($_) } 1 .. MANY;
    $rows[-1] = [ $rows[3][0], 'NO3', '1.6' ];
    my $answer = $pc->send($pc->csv(@rows));
    is($answer->status, 202, 'it is kept for a person') or diag(substr $answer->body, 0, 500);
    is($answer->json->{counts}{results}, MANY, 'all its results are counted');
    is_deeply(told($answer), [ MANY + 1 . ' duplicate_row',
            (map {"$_ unknown_tracking_id"} 2 .. 5), '5 duplicate_row',
            map {"$_ unknown_tracking_id"} 6 .. 500 ],
        'the first reasons are told, and that the last row says the same as one of the first');
    my ($least) = $answer->json->{reasons}[-1]{message}
        =~ /\(500 reasons of this kind are listed; at least (\d+) values of the file have/;
    cmp_ok($least, '>=', 500, 'the last says of how many values at least there are some');
    cmp_ok($least, '<', MANY, 'only values that were judged are counted');
};

subtest 'a large file whose first rows have no error' => sub {
    my @rows = map { nobody($_) } 1 .. MANY;
    @rows[ 0 .. $#known ] = map { [ $_, 'NO3', '2.5' ] } @known;
    my $answer = $pc->send($pc->csv(@rows));
    is($answer->status, 202, 'it is kept too') or diag(substr $answer->body, 0, 500);
    my $first = 2 + @known;
    is_deeply(told($answer), [ map {"$_ unknown_tracking_id"} $first .. $first + 499 ],
        'the listed reasons are those of the later rows');
    my $wrong = MANY - @known;
    like($answer->json->{reasons}[-1]{message},
        qr/\(500 reasons of this kind are listed; $wrong values of the file have one or more\.\)$/,
        'the last says of how many values there are some');
    is($lab->value(q{SELECT count(*) FROM lims.sample_test WHERE status <> 'pending'}), 0,
        'no result of either file is entered');
};

done_testing();
