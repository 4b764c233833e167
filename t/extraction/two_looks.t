#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Files that are sent to the model twice, the second time with the samples in another
# order: values on which both answers agree keep their confidence, values of one answer
# get less, and contradictions are left to a person.
use strict;
use warnings;

use JSON::PP ();
use LIMS::Peers::ModelService;
use LIMS::Service::Laboratory;
use LIMS::Test;
use Time::HiRes qw(time);

my $json  = JSON::PP->new->utf8->canonical;
my $model = LIMS::Peers::ModelService->new;
my $lims  = LIMS::Test->new(conf => $model->conf(timeout => 6000, more => { Looks => 2 }));
my $lab   = LIMS::Service::Laboratory->new($lims);
my ($nitrate, $chloride) = map { $lab->definition(code => $_, name => "Name of $_", unit => 'mg/L') }
    qw(NO3N CL);

$lab->policy(ai_data_access => 'true');

# Tracking ids in their order, so that candidates 1 and 2 are the first sample's.
sub samples { return sort map { $lab->sample(testDefinitionIds => [ $nitrate, $chloride ])
        ->{trackingId} } 1 .. $_[0] }

sub pointer {
    my (%member) = @_;
    return { sheet => 1, idRow => 2, idColumn => 1, candidate => 1, valueRow => 2,
        valueColumn => 2, kind => 'sample', map({ $_ => undef } qw(unitRow unitColumn qualifierRow
            qualifierColumn)), %member };
}

# Extracts with two looks; returns status and confidence of each row.
sub judged {
    my ($file, $first, $second, %field) = @_;
    $model->say('looks ' . $json->encode([ [ map { pointer(%$_) } @$first ],
        [ map { pointer(%$_) } @$second ] ]));
    $model->forget;
    my $response = $model->upload($lims, $file, dryRun => 'true', confidenceThreshold => '0.5',
        %field);
    is($response->status, 200) or diag($response->body);
    return join ' ', map { "$_->{status} $_->{confidence}" } @{ $response->json->{rows} };
}

subtest 'the order of samples in the second request' => sub {
    my @ids  = samples(9);
    my $file = "Sample,NO3N (mg/L)\n" . join '', map {"$_,7.1\n"} @ids;

    $model->say('right');
    is($model->upload($lims, $file)->json->{summary}{applied}, 9, 'both answers agree');
    my ($first, $second) = $model->seen;
    is(scalar $model->seen, 2, 'two requests are sent');
    my @orders = map { [ $_->{data} =~ /^R(\d+) /mg ] } $first, $second;
    is_deeply($orders[0], [ 1 .. 10 ], 'the first has the file in its order');
    is($orders[1][0], 1, 'the second begins with its header too,');
    isnt("@{ $orders[1] }", "@{ $orders[0] }", 'the second look has the samples in another order');
    is_deeply([ sort map { /^(R\d+ .*)/ ? $1 : () } split /\n/, $second->{data} ],
        [ sort map { /^(R\d+ .*)/ ? $1 : () } split /\n/, $first->{data} ],
        'both looks have the same rows, under the same numbers');
    is_deeply([ sort map { /^(\d+ S.*)/ ? $1 : () } split /\n/, $second->{data} ],
        [ sort map { /^(\d+ S.*)/ ? $1 : () } split /\n/, $first->{data} ],
            'the second look shows the same tests');
    is($lab->value('SELECT count(*) FROM lims.extraction_row WHERE (features ->> ?)::numeric = 1',
        'looks'), 9, 'the agreement is stored');
    is($lab->value('SELECT max(looks) FROM lims.extraction'), 2, 'the number of looks is stored');
};

subtest 'rows of a block stay together' => sub {
    my @ids = samples(6);

    $model->say('text {"rows":[]}');
    $model->forget;
    $model->upload($lims, join "\n\n", map {"Sample:\t$_\nNO3N:\t7.1"} @ids);
    my ($first, $second) = map { [ $_->{data} =~ /^R(\d+) /mg ] } $model->seen;
    is(scalar @$second, 12, 'the second request has all rows');
    my %behind = map { $first->[ 2 * $_ ] => $first->[ 2 * $_ + 1 ] } 0 .. 5;
    is_deeply({@$second}, \%behind, 'each value behind its sample');
};

subtest 'confidence where both answers agree or differ' => sub {
    my ($one, $other) = samples(2);
    my $file = "Sample,NO3N (mg/L),CL (mg/L)\n$one,7.1,12\n$other,8.1,13\n";
    my %chloride = (candidate => 2, valueColumn => 3);

    is(judged($file, [ {} ], [ {} ]), 'proposed 0.97', 'agreement adds nothing');
    is(judged($file, [ {} ], []), 'proposed 0.582', 'only the first answer has the value');
    is(judged($file, [], [ {} ]), 'proposed 0.582', 'only the second answer has the value');
    is(judged($file, [ {} ], [], confidenceThreshold => '0.9'), 'below_threshold 0.582',
        'with the usual threshold it is not entered');
    is(judged($file, [ {}, \%chloride ], [ \%chloride, {} ]), 'proposed 0.97 proposed 0.97',
        'the order of rows does not matter');
    is(judged($file, [ {} ], [ { kind => 'qc' } ]), 'ambiguous 0', 'a sample or a control');
    is(judged($file, [ { kind => 'qc' } ], [ {} ]), 'unmatched 0', 'a control or a sample');
    is(judged($file, [ {} ], [ { candidate => undef } ]), 'ambiguous 0', 'a test or none');
    is(judged($file, [ {} ], [ { idRow => 3 } ]), 'proposed 0.582', 'a look that fails a check');
    is(judged($file, [ { valueRow => 3 } ], [ {} ]), 'proposed 0.582 rejected_check 0',
        'makes the other no better');
    $file = "Sample,a,b\n$one,7.1,12\n";
    is(judged($file, [ {} ], [ { candidate => 2 } ]), 'ambiguous 0',
        'the answers name different tests');
    is(judged($file, [ {} ], [ { valueColumn => 3 } ]), 'ambiguous 0 ambiguous 0',
        'the answers name different values');
    $file = "Sample,NO3N (mg/L),Flag,Flag\n$one,7.1,,J\n";
    my @flag = map { { qualifierRow => 2, qualifierColumn => $_ } } 3, 4;
    is(judged($file, [ {} ], [ $flag[1] ]), 'rejected_check 0', 'the first passes a qualifier over');
    is(judged($file, [ $flag[1] ], [ $flag[0] ]), 'proposed 0.582', 'the second does');
    $file = "Sample,Sign,NO3N (mg/L),Flag\n$one,<,7.1,J\n";
    is(judged($file, map { [ { %{ $flag[$_] }, valueColumn => 3, qualifierColumn => 4 - 2 * $_ } ] }
            0, 1), 'ambiguous 0', 'the answers name different qualifiers');
};

subtest 'both requests together have one time-out' => sub {
    my ($id) = samples(1);
    my $file = "Sample,NO3N (mg/L)\n$id,7.1\n";

    # Each call would be within LimsExtractionTimeout, both are not.
    $model->forget;
    $model->say('slowly 4');
    my $begin = time;
    refused($model->upload($lims, $file), 503, 'ai_unavailable', 'both calls have one time-out');
    cmp_ok(time - $begin, '>=', 5.9, 'the time-out of both calls is waited for');
    $lims->expect_log(qr/LIMS0140: .*imed out/);
    is(scalar $model->seen, 2, 'the time-out ends the second call');
    $model->forget;
    $model->say('repair');
    is($model->upload($lims, $file)->status, 503, 'one repair request is made at most');
    $lims->expect_log(qr/LIMS0140: .*not JSON/);
    is(scalar $model->seen, 3);
    my $few = LIMS::Test->new(beside => $lims, conf => $model->conf(more => { Looks => 2 })
            =~ s/LimsRateLimitUploads 5000/LimsRateLimitUploads 3/r);
    my $key = $lims->key($lims->fixture, name => 'Busy')->{key};
    $model->say('right');
    is(join(' ', map { $model->upload($few, $file, key => $key)->status } 1 .. 4),
        '200 200 200 429', 'a request counts once, however often it is looked at');
};

done_testing();
