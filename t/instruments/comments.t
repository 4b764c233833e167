#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# A comment in a file becomes a result's note, but never takes the place of a remark that
# is to be printed on the certificate.
use strict;
use warnings;

use LIMS::Files::Instrument;
use LIMS::Service::Laboratory;
use LIMS::Test;

my $lims = LIMS::Test->new;
my $lab  = LIMS::Service::Laboratory->new($lims);
my $pc   = LIMS::Files::Instrument->new($lab);

$pc->profile(
    columns => { trackingId => 'Sample', test => 'Test', value => 'Value', comment => 'Time' },
    write => { existing => 'overwriteUnverified' });

my $sample = $pc->sample('NO3', 'PO4');
my ($remarked, $plain) = map { $pc->test($sample, $_)->{id} } qw(NO3 PO4);
$lims->patch("/sample-tests/$remarked", { notes => 'sample was turbid', noteOnReport => \1 });
$lims->patch("/sample-tests/$plain", { notes => 'see bench sheet 4' });

sub notes_after {
    my ($value, $comment) = @_;
    my $other  = $pc->sample('NO3');    # or the same values again would be a known file
    my $answer = $pc->send($pc->csv((map { [ $sample, $_, $value, '', $comment ] } qw(NO3 PO4)),
            [ $other, 'NO3', '1' ]));
    is($answer->status, 201, "the file with the comment \"$comment\" is imported")
        or diag($answer->body);
    return [ map { [ @$_{qw(result notes)}, $_->{noteOnReport} ? 1 : 0 ] }
            map { $pc->test($sample, $_) } qw(NO3 PO4) ];
}

is_deeply(notes_after('7', 're-inj., MK, column dirty'),
    [ [ '7', 'sample was turbid', 1 ], [ '7', 're-inj., MK, column dirty', 0 ] ],
    'a remark that is to be printed stays, another note is replaced');
is_deeply(notes_after('7', 'again'),
    [ [ '7', 'sample was turbid', 1 ], [ '7', 'again', 0 ] ],
    'the same values again leave the remark, too');
is_deeply(notes_after('8', 'third'),
    [ [ '8', 'sample was turbid', 1 ], [ '8', 'third', 0 ] ],
    'other values leave the remark, too');

done_testing();
