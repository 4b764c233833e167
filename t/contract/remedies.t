#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# How a blocker is cleared stands in kernel/blocker.c by the slug of its gate, and for the
# findings of a sample in the database, by their category: the two say the same, but where
# the database says it more exactly. A message of a finding becomes a sentence by its
# category, whatever the names in it are.
use strict;
use warnings;

use JSON::PP ();
use LIMS::Instance;
use LIMS::Test::SQL;
use LIMS::Test::Source;
use Test::More;

my $c    = JSON::PP::decode_json(LIMS::Instance::run(LIMS::Instance::out() . '/t/contract/tables'));
my %gate = %{ $c->{clearedBy} };
my $base = LIMS::Test::SQL->new;

cmp_ok(scalar keys %gate, '>', 15, 'gates are known');
my %same;
push @{ $same{ $gate{$_} } }, $_ for keys %gate;
is_deeply([ grep { @$_ > 1 } values %same ], [], 'each gate is cleared in its own way');

sub cleared_by {
    my ($category, %of) = @_;
    return $base->value('SELECT lims.finding_cleared_by(?, ?, ?, ?, ?)', $category, $of{subject},
        $of{circumstance}, $of{approval} // 'f', $of{batch} // 'f');
}

# The categories of findings that are refused with, and the slug of each.
my %slug = text('sql/161_gates.sql') =~ /^ {19}\('(\w+)', '(\w+)', \d+\)/mg;
cmp_ok(scalar keys %slug, '>', 10, 'categories that refuse are known');

# Categories that the database says more exactly, and the ways of each by its subject.
my %exact = (
    incomplete_result => [ [ 'scheduling a test', ],
        [ 'entering a result for pH', subject => 'pH' ] ],
    unverified_result => [ ['verifying the result'] ],
    approval_required => [ ['completing the sample, then approving it'],
        [ 'approving the sample', approval => 't' ],
        [ 'resubmitting the amendment, then approving it', circumstance => 'amendment' ],
        [ 'amending the sample', circumstance => 'reported' ] ],
    approval_rejected => [ ['correcting the sample and completing it again'],
        [ 'correcting the sample, or resubmitting the amendment', circumstance => 'amendment' ],
        [ 'amending the sample', circumstance => 'reported' ] ],
    investigation_open => [ ['closing the investigation'] ],
    qc_pending => [ ['covering the test by such a batch'],
        [ 'the missing controls, or a signed override of the batch', batch => 't' ] ],
);
for my $category (sort keys %slug) {
    if (!$exact{$category}) {
        is(cleared_by($category), $gate{ $slug{$category} }, "$category is cleared as its gate is");
        next;
    }
    for my $way (@{ $exact{$category} }) {
        my ($text, %of) = @$way;
        is(cleared_by($category, %of), $text, "$category is cleared by $text");
    }
}
like($gate{approval_required}, qr/\A\Q$exact{approval_required}[1][0]\E.*\Q$exact{approval_rejected}[0][0]\E, or amending a reported one\z/,
    'the gate of approvals names the ways of both categories');
like(text('modules/release/gates.c'), qr/"\Q$exact{approval_required}[0][0]\E"/,
    'a refusal says as the finding how an approval is asked for');

# --- Sentences ------------------------------------------------------------------------

sub sentence {
    return $base->value('SELECT lims.finding_sentence(?, ?, ?, ?)', @_);
}
is(sentence('media_qc_failed', 'media lot M1 failed', 'f', 'f'), 'Media lot M1 failed.',
    'a message that begins with a word gets a capital');
is(sentence('unverified_result', 'the pH is not verified', 't', 'f'), 'the pH is not verified.',
    'the name of a test stays as it is');
is(sentence('approval_required', 'the last look is open', 'f', 't'), 'the last look is open.',
    'the name of an approval step stays as it is');
is(sentence('approval_required', 'approval has not been asked for', 'f', 'f'),
    'Approval has not been asked for.', 'an approval without a step begins with a word');
is(sentence('incomplete_result', 'the sample has no test', 'f', 'f'), 'The sample has no test.',
    'a sample without a test begins with a word');
my @by_wording = map { text($_) =~ /(\bcleared_by\s*=\s*'|\bmessage\s*~)/g } files(qr/\.sql\z/, qw(modules sql));
is_deeply(\@by_wording, [], 'no statement decides by the wording of a message');

done_testing();
