#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Turnaround by method and by client: number, median, 90th percentile, and the share that was
# done by its due date, of the samples reported in a period of the laboratory's days. (That the
# samples of other times are not walked, t/database/plans.t says.)
use strict;
use warnings;

use LIMS::Print;
use LIMS::Test;
use MIME::Base64 qw(decode_base64);

my $lims = LIMS::Test->new(demo => 1);
my $db   = $lims->db;
local $ENV{LIMS_PRINTER} = LIMS::Print::printer_path();
my ($id, $code, $zone) = $db->selectrow_array(q{SELECT id, code, time_zone FROM lims.organization
    WHERE name LIKE 'Cedar Basin%'});
my @here = ('--organization', $code);

sub turnaround { return $lims->ctl(@here, 'turnaround', @_) }

# Computes the same row by row, in Perl.
sub expected {
    my ($from, $to) = @_;
    my $rows = $db->selectall_arrayref(q{SELECT s.id AS sample, s.client_name AS client,
            coalesce(t.method, d.method) AS method,
            extract(epoch FROM s.reported_at - s.received_at) / 3600 AS sample_hours,
            extract(epoch FROM t.verified_at - s.received_at) / 3600 AS test_hours,
            (s.reported_at AT TIME ZONE $2)::date <= s.due_date AS sample_due,
            (t.verified_at AT TIME ZONE $2)::date <= s.due_date AS test_due
          FROM lims.sample s
          JOIN lims.sample_test t ON t.organization_id = s.organization_id AND t.sample_id = s.id
           AND t.disposition = 'active' AND t.verified_at IS NOT NULL
          JOIN lims.test_definition d ON d.organization_id = s.organization_id
           AND d.id = t.test_definition_id
         WHERE s.organization_id = $1 AND s.received_at IS NOT NULL
           AND (s.reported_at AT TIME ZONE $2)::date BETWEEN $3 AND $4},
        { Slice => {} }, $id, $zone, $from, $to);
    my (%of, %seen);
    for my $row (@$rows) {
        push @{ $of{ 'method ' . ($row->{method} // '') } }, [ @$row{qw(sample test_hours test_due)} ];
        next if $seen{ $row->{sample} }++;
        push @{ $of{"client $row->{client}"} }, [ @$row{qw(sample sample_hours sample_due)} ];
    }
    return \%of;
}

sub at_share {
    my ($share, @sorted) = @_;
    my $place = $share * $#sorted;
    my $low   = int $place;
    return $sorted[$low] + ($place - $low) * (($sorted[ $low + 1 ] // $sorted[$low]) - $sorted[$low]);
}

my ($first, $last) = $db->selectrow_array(q{SELECT min((reported_at AT TIME ZONE $2)::date),
    max((reported_at AT TIME ZONE $2)::date) FROM lims.sample WHERE organization_id = $1}, undef, $id, $zone);

subtest 'figures' => sub {
    my $answer   = turnaround('--from', $first, '--to', $last);
    my $expected = expected($first, $last);
    is($answer->{exit}, 0, 'the turnaround is answered') or diag($answer->{output});
    my @rows = @{ $answer->{json}{rows} };
    is(join('|', sort map { "$_->{by} " . ($_->{name} // '') } @rows), join('|', sort keys %$expected),
        'each method and each client has its row');
    cmp_ok(scalar(grep { $_->{by} eq 'method' } @rows), '>', 1, 'there are several methods');
    for my $row (@rows) {
        my $of    = $expected->{ "$row->{by} " . ($row->{name} // '') };
        my @hours = sort { $a <=> $b } map { $_->[1] } @$of;
        my @due   = grep { defined $_->[2] } @$of;
        my %samples = map { $_->[0] => 1 } @$of;
        my $label = "$row->{by} " . ($row->{name} // 'none');
        is($row->{samples}, scalar keys %samples, "$label: samples");
        is($row->{tests}, $row->{by} eq 'method' ? scalar @$of : 0, "$label: tests");
        cmp_ok(abs($row->{medianHours} - at_share(0.5, @hours)), '<=', 0.06, "$label: median");
        cmp_ok(abs($row->{p90Hours} - at_share(0.9, @hours)), '<=', 0.06, "$label: 90th percentile");
        is("$row->{withDueDate} $row->{withinDue}", @due . ' ' . grep({ $_->[2] } @due),
            "$label: due dates");
    }
};

subtest 'periods' => sub {
    my $day = $db->selectrow_array('SELECT (now() AT TIME ZONE ?)::date', undef, $zone);
    my $answer = turnaround()->{json};
    is($answer->{to}, $day, 'by default it ends on the laboratory\'s today');
    is($db->selectrow_array('SELECT ?::date - ?::date', undef, @$answer{qw(to from)}), 29,
        'by default the period has 30 days');
    is_deeply(turnaround('--from', '2001-01-01', '--to', '2001-01-31')->{json}{rows}, [],
        'a period without reports has no row');
    is(turnaround('--from', '2024-01-01', '--to', '2024-12-31')->{exit}, 0, 'it may have 366 days');
    like(turnaround('--from', '2024-01-01', '--to', '2025-01-01')->{output}, qr/at most 366 days/,
        'one of 367 days is refused');
    like(turnaround('--from', '2026-02-01', '--to', '2026-01-01')->{output}, qr/from before to/,
        'a period that goes backwards is refused');
};

subtest 'files' => sub {
    my $rows = turnaround('--from', $first, '--to', $last)->{json}{rows};
    my $csv  = decode_base64($lims->ctl(@here, 'turnaround', 'export', '--from', $first, '--to', $last)
        ->{json}{contentBase64});
    is(scalar(() = $csv =~ /\r\n/g), @$rows + 1, 'the CSV file has a line for each row');
    my $text = LIMS::Print::words(decode_base64($lims->ctl(@here, 'turnaround', 'pdf', '--from', $first,
        '--to', $last)->{json}{contentBase64}));
    my $flat = $text =~ s/\s+//gr;
    is(join(' ', grep { index($flat, ($_->{name} // '') =~ s/\s+//gr) < 0 } @$rows), '',
        'the PDF has each method and client');
    like($text, qr/From: \Q$first\E; To: \Q$last\E/, 'the PDF has the period in words');
};

done_testing();
