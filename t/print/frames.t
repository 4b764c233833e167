#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# lims-print answers job after job by frames, goes on after a refusal, and ends with its
# input. A frame that is broken ends it with a failure.
use strict;
use warnings;

use Test::More;

use LIMS::Print;

my $job     = { kind => 'certificate', content => content() };
my $printer = LIMS::Print->start;

my ($kind, $first) = $printer->answer($job);
is($kind, 'P', 'a job is answered with a document');
like($first, qr/\A%PDF-1\.\d\n/, 'the document is a PDF');

($kind, my $sentence) = $printer->answer('{ "kind": "certificate" ');
is($kind, 'E', 'what is no JSON is refused');
like($sentence, qr/\A[A-Z].*JSON.*[.?]\z/s, 'the refusal is a sentence');
($kind, $sentence) = $printer->answer({ kind => 'poster' });
is("$kind $sentence", 'E The job has no kind that is known.',
    'a kind that is not known is refused');
($kind) = $printer->answer({ kind => 'certificate' });
is($kind, 'E', 'a certificate without content is refused');
($kind) = $printer->answer('');
is($kind, 'E', 'an empty job is refused');

($kind, my $again) = $printer->answer($job);
is($kind, 'P', 'after refusals it goes on');
ok($again eq $first, 'after refusals the printer makes the same bytes');
is($printer->finish, 0, 'it ends well with its input');

# Two jobs in one write, and one in many.
$printer = LIMS::Print->start;
my $bytes = JSON::PP->new->utf8->encode($job);
my $frame = pack('N', length $bytes) . $bytes;
$printer->send_bytes($frame . $frame);
is_deeply([ map { ($printer->next_answer)[0] } 1 .. 2 ], [ 'P', 'P' ], 'jobs may come at once');
$printer->send_bytes($_) for $frame =~ /(.{1,500})/gs;
is(($printer->next_answer)[0], 'P', 'a job may come in pieces');
$printer->send_bytes(substr $frame, 0, 100);
isnt($printer->finish, 0, 'the end of the input within a frame is a failure');

$printer = LIMS::Print->start;
$printer->send_bytes(pack 'N', 16 * 1024 * 1024 + 1);
($kind, $sentence) = $printer->next_answer;
is("$kind $sentence", 'E The job is larger than 16 MB.', 'a job that is too large is refused');
isnt($printer->finish, 0, 'the printer ends after a job that is too large');

my ($document, $refusal) = made($job);
ok($document eq $first, '--once makes the same bytes');
($document, $refusal) = made('nonsense');
ok(!defined $document && $refusal =~ /JSON/, '--once refuses a job on the error stream');
like(command(printer_path(), '--help'), qr/usage: lims-print/, 'its usage is shown');

unlike(command('ldd', printer_path()), qr/libpq|libcurl/, 'it is linked neither with libpq nor with curl');

done_testing();
