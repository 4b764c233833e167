#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Two people sign the same act at once: one of them does it, one signature is kept, and it
# stands after its own act and after a migration that adds columns to what was signed.
use strict;
use warnings;

use LIMS::Service::CommandLine;
use LIMS::Service::Laboratory;
use LIMS::Service::SignedActs;
use LIMS::Test;

my $rounds = 2;
my $lims = LIMS::Test->new(conf => LIMS::Service::Laboratory::patience());
my $lab  = LIMS::Service::Laboratory->new($lims);
my @both = map { LIMS::Service::CommandLine->new($lims, $_, roles =>
        [qw(lab_manager qa_officer administrator)]) } 'Ann Lee', 'Bob Ray';
my $ann  = $both[0];
my $acts = LIMS::Service::SignedActs->new($lims, $ann);
my @kept;

for my $name ($acts->names) {
    subtest $name => sub {
        for my $round (1 .. $rounds) {
            my ($held, $meaning, $signed, @command) = $acts->prepare($name);
            $lab->policy(esignature_required => 't');
            my $last = $lab->value('SELECT coalesce(max(id), 0) FROM lims.electronic_signature');
            my ($met, @answers) = $lab->overlapping(2, @$held, sub {
                my $answer = $both[ $_[0] ]->call(@command);
                return $answer->{exit} ? $answer->{json}{error} // $answer->{json}{code} // 'each'
                    : 'done';
            });
            my @found = grep { $_->{meaning} eq $meaning && $_->{id} > $last } @{ $ann->done('signature list',
                    table => $signed->[0], recordId => $signed->[1])->{data} };

            is($met, 2, "round $round: both wait for the same record");
            is(scalar(grep { $_ eq 'done' } @answers), 1,
                "round $round: one of them signs") or diag("@answers");
            is(scalar @found, 1, "round $round: one signature is kept");
            ok($found[0]{stands}, "round $round: the signature fits after its own act");
            push @kept, $found[0];
        }
    };
}

# Once more, of what no further act has touched since.
my @stood = grep { $ann->done('signature show', $_->{id})->{stands} } @kept;
is(scalar @stood, scalar @kept, 'all of them stand');
$lims->db->do("ALTER TABLE lims.$_ ADD COLUMN added_later text DEFAULT 'x'")
    for qw(sample sample_test approval qc_batch qc_control qc_coverage worksheet worksheet_value
    investigation amendment certificate test_definition organization);
is_deeply([ map { "$_->{meaning} $_->{table}" }
        grep { !$ann->done('signature show', $_->{id})->{stands} } @kept ], [],
    'all signatures fit after columns were added');

done_testing();
