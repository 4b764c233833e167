#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# POST /sample-tests/judge says of up to 500 results what entering them would give or be
# refused for, and writes nothing; entered, each result has the same warnings.
use strict;
use warnings;

use LIMS::Service::Laboratory;
use LIMS::Test;
use Time::HiRes qw(time);

my $lims = LIMS::Test->new(conf => LIMS::Service::Laboratory::patience());
my $lab  = LIMS::Service::Laboratory->new($lims);
my $lead = $lab->definition(specification_high => 10, decimals => 2, reporting_limit => '0.10',
    method_detection_limit => '0.05', unit => 'mg/L');
my $coli = $lab->definition(result_type => 'presence', requires_confirmation => 't');

sub tests { return map { $lab->tests($lab->sample(testDefinitionIds => [$lead])) } 1 .. $_[0] }
sub judge { return $lims->post('/sample-tests/judge', { results => [@_] }) }
sub codes { return join ' ', map { $_->{code} } @{ $_[0]{entryWarnings} } }

sub given {
    my ($test, $result, %more) = @_;
    return { sampleTestId => $test, result => $result, %more };
}

# [result, members, codes]
my @values = (
    [ '4.2',       {},                     '' ],
    [ '18,0',      {},                     'decimal_comma' ],
    [ 'TNTC',      {},                     'not_a_number' ],
    [ '0.0412345', {}, 'below_reporting_limit below_detection_limit too_many_decimals' ],
    [ '0.07',      {},                     'below_reporting_limit' ],
    [ '0.07',      { qualifier => 'J' },   '' ],
    [ '0.01',      { qualifier => 'J' },   'below_detection_limit' ],
    [ '<0.05',     {},                     '' ],
    [ '0.05',      { qualifier => 'U' },   '' ],
    [ '4.200',     {},                     'too_many_decimals' ],
    [ '>100',      { qualifier => '<' },   'contradictory_qualifier' ],
    [ '>100',      { qualifier => 'ND' },  'contradictory_qualifier' ],
    [ ' >4',       { qualifier => 'U' },   'contradictory_qualifier' ],
    [ '<4',        { qualifier => '>' },   'contradictory_qualifier' ],
    [ '<4',        { qualifier => 'ND' },  '' ],
    [ '>4',        { qualifier => '>' },   '' ],
    [ ' ',         {},                     '' ],
);

subtest 'values' => sub {
    my @tests   = tests(scalar @values);
    my @results = map { given($tests[$_], $values[$_][0], %{ $values[$_][1] }) } 0 .. $#values;
    my ($judged, $entered);
    my $changes = $lab->changes_of(sub { $judged = judge(@results) });
    is($judged->status, 200) or diag($judged->body);
    is($changes, 0, 'nothing is written');
    $entered = $lims->post('/sample-tests/bulk-results', { updates => \@results });
    is($entered->status, 200) or diag($entered->body);
    for my $i (0 .. $#values) {
        my ($said, $done) = ($judged->json->{results}[$i], $entered->json->{updated}[$i]);
        my $what = "'$values[$i][0]' " . join ' ', %{ $values[$i][1] };
        is(codes($said), $values[$i][2], "$what: judged");
        is_deeply($done->{entryWarnings}, $said->{entryWarnings}, "$what: entering it warns alike");
        is_deeply([ map { "" . ($_ // 'null') } @$done{qw(status outOfSpecification specification)} ],
            [ map { "" . ($_ // 'null') } @$said{qw(status outOfSpecification specification)} ],
            "$what: entering is judged as before");
        is_deeply($said->{refusals}, [], "$what: nothing refuses it");
    }
    my ($unsure) = grep { $values[$_][0] eq '<4' } 0 .. $#values;
    is($entered->json->{updated}[$unsure]{outOfSpecification}, undef,
        'a value whose sign and qualifier contradict each other is not judged within its limit');
    $lims->patch("/sample-tests/$tests[0]", { result => '18,0' });
    is(codes($lims->get("/sample-tests/$tests[0]")->json), 'decimal_comma',
        'entered alone, it has the warning too');
};

subtest 'limits, presumptive positives' => sub {
    my ($test) = tests(1);
    my ($micro) = $lab->tests($lab->sample(testDefinitionIds => [$coli]));
    my ($high, $found) = @{ judge(given($test, '10.01'), given($micro, 'Present'))->json->{results} };
    ok($high->{outOfSpecification}, 'out of specification');
    cmp_ok($high->{numericValue}, '==', 10.01, 'the number');
    is($high->{specification}, 'at most 10 mg/L', 'the limit in words');
    ok(!$high->{presumptive}, 'no presumptive positive');
    ok($found->{presumptive}, 'a presumptive positive');
};

subtest 'refusals' => sub {
    my ($test, $verified) = tests(2);
    $lab->enter($verified, '1');
    $lab->verify($verified);
    my $expired = $lab->reagent_lot(code => 'HCL-PAST', expires_on => '2020-01-01');
    my @said = map { join ' ', map { $_->{error} } @{ $_->{refusals} } }
        @{ judge(given($verified, '2'), given(987654, '1'),
            given($test, '1', reagentLotId => $expired))->json->{results} };
    is_deeply(\@said, [qw(test_verified_locked invalid_reference reagent_lot_expired)],
        'locked, unknown, an expired lot');
    my ($lot) = @{ judge(given($test, '1', mediaLotId => 987654))->json->{results} };
    is($lot->{refusals}[0]{error}, 'invalid_reference', 'a lot that there is not');
    my ($late) = @{ judge(given($test, '1', analyzedAt => '2999-01-01T00:00:00Z'))->json->{results} };
    is($late->{refusals}[0]{error}, 'invalid_body', 'a time in the future');
};

subtest 'lots of many results' => sub {
    my ($test, $had, @others) = tests(7);
    my $old  = $lab->reagent_lot(code => 'OLD', expires_on => '2020-01-01');
    my $good = $lab->reagent_lot;
    my ($failed, $sound) = ($lab->media_lot, $lab->media_lot);
    $lab->enter($had, '1');
    $lab->set_tests('media_lot_id', $failed, $had);
    $lab->media_test($failed, 'sterility', 'failed');
    $lab->policy(lot_qc_policy => 'block');

    # [what, result, refusals, warnings]
    my @lots = (
        [ reagentLotId => $old,  mediaLotId => $failed ],
        [ reagentLotId => $good, mediaLotId => $sound ],
    );
    my @said = (
        [ 'expired and failed', given($test, '1', @{ $lots[0] }),
            'reagent_lot_expired lot_not_released', 'lot_expired lot_failed' ],
        [ 'usable',             given($others[0], '1', @{ $lots[1] }), '', '' ],
        [ 'without a result',   given($others[1], ' ', @{ $lots[0] }), '', '' ],
        [ 'failed alone',       given($others[2], '1', mediaLotId => $failed),
            'lot_not_released', 'lot_failed' ],
        [ 'unknown', given($others[3], '1', reagentLotId => 987654, mediaLotId => 987654),
            'invalid_reference invalid_reference', '' ],
        [ 'the same again',     given($others[4], '1', @{ $lots[0] }),
            'reagent_lot_expired lot_not_released', 'lot_expired lot_failed' ],
        [ 'another lot, but the same result', given($had, '1', mediaLotId => $sound),
            'media_qc_failed', '' ],
    );
    my @judged = @{ judge(map { $_->[1] } @said)->json->{results} };
    for my $i (0 .. $#said) {
        my ($what, undef, $refusals, $warnings) = @{ $said[$i] };
        is(join(' ', map { $_->{error} } @{ $judged[$i]{refusals} }), $refusals, "$what: refused");
        is(codes($judged[$i]), $warnings, "$what: the warnings are the same");
    }
    is_deeply($judged[5]{refusals}, $judged[0]{refusals}, 'the same lots, the same words');
    my ($changed) = @{ judge(given($had, '2', mediaLotId => $sound))->json->{results} };
    is_deeply($changed->{refusals}, [], 'another lot with another result');
    $lab->policy(lot_qc_policy => 'off');
};

subtest 'two hundred results' => sub {
    my ($first, @tests) = tests(200);
    my @lots  = (reagentLotId => $lab->reagent_lot, mediaLotId => $lab->media_lot,
        analyzedAt => '2026-01-02T00:00:00Z');
    my %asked = (
        'a value each'    => [ map { given($_, '0.07') } $first, @tests ],
        'with their lots' => [ map { given($_, '0.07', @lots) } $first, @tests ],
    );
    for my $what (sort keys %asked) {
        my @results = @{ $asked{$what} };
        judge(@results);    # prepares
        my $least = 9;
        for (1 .. 5) {
            my $begin = time;
            is(judge(@results)->status, 200, "judged, $what");
            my $took = time - $begin;
            $least = $took if $took < $least;
        }
        note(sprintf '%s: %.0f ms', $what, 1000 * $least);
        cmp_ok($least, '<', 1, 'in a fraction of a second');
    }
};

refused(judge(map { given($_, '1') } 1 .. 501), 400, 'invalid_body', '501 results');
done_testing();
