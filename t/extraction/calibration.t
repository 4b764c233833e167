#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# limsctl extraction calibration: how confident answers compare with what people
# kept.
use strict;
use warnings;

use LIMS::Peers::ModelService;
use LIMS::Service::Laboratory;
use LIMS::Test;

my $model = LIMS::Peers::ModelService->new;
my $lims  = LIMS::Test->new(conf => $model->conf);
my $lab   = LIMS::Service::Laboratory->new($lims);
my $nitrate = $lab->definition(code => 'NO3N', name => 'Nitrate', unit => 'mg/L');
my $code    = $lims->fixture->{code};

$lab->policy(ai_data_access => 'true');
$model->say('right');

sub report {
    my (@option) = @_;
    my $done = $lims->ctl('--organization', $code, '--user', "administrator\@$code.example",
        'extraction', 'calibration', @option);
    is($done->{exit}, 0, "calibration @option") or diag($done->{output});
    return $done->{json};
}

sub counts { return join ' ', map { $_[0]{$_} } qw(found applied right wrong open) }

# Uploads a file of so many samples; their tests.
sub look_at {
    my ($header, $count, %field) = @_;
    my @samples = map { $lab->sample(testDefinitionIds => [$nitrate]) } 1 .. $count;
    my $file = "Sample,$header\n" . join '', map {"$_->{trackingId},7.10\n"} @samples;

    is($model->upload($lims, $file, %field)->status, 200);
    return map { $_->{tests}[0]{id} } @samples;
}

is_deeply(report()->{byConfidence}, [], 'without uploads the report is empty');
is(counts(report()->{total}), '0 0 0 0 0');

my @applied = look_at('NO3N (mg/L)', 5);
my @below   = look_at('NO3N', 4);
is(counts(report()->{total}), '9 5 0 0 9', 'no row is decided yet');
is(report()->{total}{share}, undef, 'without decided rows there is no share');

$lab->verify($_) for @applied[ 0, 1 ];              # as they were found
$lab->enter($applied[2], '8.1');                    # corrected
$lab->verify($applied[2]);
$lab->enter($applied[3], '');                       # taken back
$lab->enter($below[0], '7.1');                      # by hand, the same number
$lab->enter($below[1], '<7.10');                    # another
my $report = report();

is(counts($report->{total}), '9 5 3 3 3', 'right, wrong and open');
is($report->{total}{share}, 0.5, 'the share of what is decided');
cmp_ok($report->{total}{atLeast}, '<', 0.3, 'six decided rows prove little');
is(join(', ', map { "$_->{from}: " . counts($_) } @{ $report->{byConfidence} }),
    '0.97: 5 5 2 2 1, 0.85: 4 0 1 1 2', 'counts by confidence');
is(join(', ', map { "$_->{evidence}{test} $_->{evidence}{unit}: " . counts($_) }
        @{ $report->{byEvidence} }), '0.97 1: 5 5 2 2 1, 1 0.85: 4 0 1 1 2', 'counts by evidence');
is(join(', ', map { "$_->{model} $_->{looks}: " . counts($_) } @{ $report->{byModel} }),
    'stand-in-1 1: 9 5 3 3 3', 'counts by model');

is(counts(report('--model', 'stand-in-2')->{total}), '0 0 0 0 0', 'another model has no counts');
is(counts(report('--since', '2100-01-01')->{total}), '0 0 0 0 0', 'another period has no counts');
is(counts(report('--until', '2100-01-01')->{total}), '9 5 3 3 3');

my $other = $lims->organization(code => 'other-laboratory', ai_data_access => 1);
my $theirs = $lims->ctl('--organization', 'other-laboratory', '--user',
    'administrator@other-laboratory.example', 'extraction', 'calibration');
is(counts($theirs->{json}{total}), '0 0 0 0 0', 'another organization sees none of it');

done_testing();
