#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Texts that all values of a file share do not make the file larger than the database can
# take: a text that is longer than any of its kind is refused, and a file is held whose
# values are too many with all that they share.
use strict;
use warnings;

use LIMS::Files::Instrument;
use LIMS::Service::Laboratory;
use LIMS::Test;

my $lims = LIMS::Test->new(conf => LIMS::Service::Laboratory::patience());
my $lab  = LIMS::Service::Laboratory->new($lims);
my $pc   = LIMS::Files::Instrument->new($lab);
my %own  = %{ $pc->definition->{columns} };

$pc->profile(columns => { %own, operator => { key => 'Operator' }, comment => { key => 'Remark' } });
my $good = $pc->sample('PH');

sub file {
    my ($operator, $remark, @rows) = @_;
    return "Operator;$operator\nRemark;$remark\n" . $pc->csv(@rows);
}

subtest 'a text that is longer than any of its kind' => sub {
    my $answer = $pc->send(file('x' x 4_001, 'fine', [ $good, 'PH', '7.0' ]));
    is_deeply($pc->codes($answer), ['structure_mismatch'], 'it holds the file back')
        or diag(substr $answer->body, 0, 500);
    my ($reason) = @{ $answer->json->{reasons} };
    like($reason->{message}, qr/longer than 4000 bytes/, 'the reason says how long it may be');
    is($reason->{row}, 1, 'the reason has the place of the text');
    cmp_ok(length $reason->{cell}, '<', 4_002, 'the reason has as much of it as people need');
    is($pc->test($good, 'PH')->{status}, 'pending', 'no result is entered');
};

subtest 'a remark' => sub {
    my $answer = $pc->send(file('MK', "\x{e9}" x 4_100, [ $good, 'PH', '7.1' ]));
    is($answer->json->{status}, 'imported', 'a long one does not hold the file back')
        or diag(substr $answer->body, 0, 500);
    is($pc->test($good, 'PH')->{notes}, "\x{e9}" x 4_000, 'as much of it is kept as a record can have');
};

subtest 'an operator' => sub {
    my $other  = $pc->sample('PH');
    my $answer = $pc->send(file('x' x 1_001, 'fine', [ $other, 'PH', '7.2' ]));
    is_deeply($pc->codes($answer), ['value_too_long'], 'a name that is not kept holds the file back')
        or diag(substr $answer->body, 0, 500);
    my ($reason) = @{ $answer->json->{reasons} };
    like($reason->{message}, qr/operator.*1000 characters/, 'the reason says what is too long');
    is($reason->{row}, 4, 'the reason says where a value has it');
    is($pc->test($other, 'PH')->{result}, undef, 'no result is entered');
};

subtest 'many values that share a text' => sub {
    my @rows = map { [ sprintf('NOBODY-%07d', $_), 'PH', '1.5' ] } 1 .. 17_000;
    my $answer = $pc->send(file('x' x 4_000, 'fine', @rows));
    is($answer->status, 202, 'the file is held') or diag(substr $answer->body, 0, 500);
    is_deeply($pc->codes($answer), ['archive_limits'], 'the reason is how much that is');
    is($answer->json->{counts}{results}, 17_000, 'its results are counted all the same');
};

done_testing();
