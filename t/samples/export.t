#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Lists as CSV files, for people: the records of the list by its filters, at most 50,000
# rows, in which nothing is a formula, and of which httpd's memory never holds many.
use strict;
use warnings;

use LIMS::Instance;
use LIMS::Service::CommandLine;
use LIMS::Service::Laboratory;
use LIMS::Service::Person;
use LIMS::Test;
use List::Util qw(max);
use MIME::Base64 qw(decode_base64);

my $lims  = LIMS::Test->new;
my $lab   = LIMS::Service::Laboratory->new($lims);
my $other = LIMS::Service::Laboratory->new($lims, $lims->organization(code => 'other-laboratory'));
my $ann   = LIMS::Service::CommandLine->new($lims, 'Ann Lee');

my $mia   = LIMS::Service::Person->new($lims);

my $lead    = $lab->definition(code => 'PB', name => 'Lead');
my @names   = ('=HYPERLINK("http://x")', '@SUM(1)', '-2 is "negative"', "Mill, Dairy\nand Sons");
my @samples = map { $lab->sample(clientName => $names[$_], externalId => $_ ? "-$_.5" : '+1+1',
        testDefinitionIds => [$lead]) } 0 .. 3;
$other->sample(clientName => 'Somebody Else');
$lab->status($samples[1], 'received');
$lab->status($samples[2], 'received');

# The lines of a file, each a hash of its cells by the names of the header.
sub file {
    my ($command, @rest) = @_;
    my $text = decode_base64($ann->done($command, @rest)->{contentBase64});
    like($text, qr/\r\n\z/, "$command: each line ends in CR LF");
    my ($head, @lines) = grep { length } split /\r\n/, $text;
    my @columns = split /,/, $head;
    return map {
        my @cells = map { s/""/"/gr } /"((?:[^"]|"")*)"(?:,|\z)/g;
        is(scalar @cells, scalar @columns, "$command: a cell for each column");
        my %line;
        @line{@columns} = @cells;
        \%line;
    } @lines;
}

sub column { my ($name, @lines) = @_; return [ map { $_->{$name} } @lines ] }

subtest 'samples as a file' => sub {
    my @lines = file('sample export');
    is_deeply(column('id', @lines), [ map { "$_->{id}" } @samples ], 'all, in order, and of nobody else');
    is_deeply(column('trackingId', @lines), [ map { $_->{trackingId} } @samples ],
        'the file has the names of clients and projects');
    is_deeply(column('clientName', @lines), [ (map { "'$names[$_]" } 0 .. 2), $names[3] ],
        'no text begins a formula; quotes, commas and line breaks stay');
    is_deeply(column('externalId', @lines), [ "'+1+1", '-1.5', '-2.5', '-3.5' ], 'numbers in the file stay numbers');
    is_deeply(column('createdAt', @lines), [ map { $_->{createdAt} } @samples ], 'times as the record has them');
    is_deeply(column('noteOnReport', @lines), [ ('false') x 4 ], 'the file has truth values');
    is_deeply(column('receivedAt', @lines)->[0], '', 'null is empty');
    is($mia->get('/samples/export')->body, decode_base64($ann->done('sample export')->{contentBase64}),
        'the same over HTTP');
    is_deeply(column('id', file('sample export', status => [qw(received processing)])),
        [ map { "$samples[$_]{id}" } 1, 2 ], 'the filters of the list');
    is_deeply(column('id', file('sample export', q => $samples[3]{trackingId})), ["$samples[3]{id}"],
        'the filter by the beginning of a name holds for the file');
    is_deeply([ file('sample export', q => 'nothing like it') ], [], 'nothing but the header');
    like($ann->call('sample export', status => 'nonsense')->{output}, qr/status must be one of/,
        'the message names the statuses');
};

subtest 'sample tests as a file' => sub {
    my ($test) = $lab->tests($samples[2]);
    $lab->enter($test, '-0.5');
    my @lines = file('sample-test export', sampleId => $samples[2]{id});
    is_deeply([ column('id', @lines), column('result', @lines) ], [ ["$test"], ['-0.5'] ], 'a result below zero');
    ok(!exists $lines[0]{etag} && !exists $lines[0]{'sample.trackingId'}, 'no tag, and nothing of the sample');
    @lines = file('sample-test export', include => 'sample');
    is_deeply(column('sample.trackingId', @lines), [ map { $_->{trackingId} } @samples ],
        'facts of the samples where they are asked for');
    is($lines[0]{'sample.clientName'}, "'$names[0]", 'facts of a sample in the file begin no formula');
    is_deeply(column('assignedTo', @lines), [ ('') x 4 ], 'the file has an empty column of who does the work, if nobody does');
    is_deeply(column('status', file('sample-test export', status => 'entered')), ['entered'], 'the filters of the list');
};

subtest 'what used a lot as a file' => sub {
    my $lot = $lab->reagent_lot;
    my ($test) = $lab->tests($samples[1]);
    $lab->enter($test, '3', reagentLotId => $lot);
    my @lines = file('reagent-lot recall-export', $lot);
    is_deeply([ map { @$_{qw(sampleTestId trackingId result certificateNumber)} } @lines ],
        [ "$test", $samples[1]{trackingId}, '3', '' ], 'test, sample and certificate');
    is($ann->call('media-lot recall-export', 999_999)->{exit}, 3, 'of an unknown lot there is none');
};

# Kilobytes of which a child of httpd has had the most.
sub peak {
    my @peaks;
    for my $child ($lims->children) {
        open my $status, '<', "/proc/$child/status" or die "a child is gone: $!";
        push @peaks, map { /^VmHWM:\s+(\d+)/ } <$status>;
    }
    return max @peaks;
}

subtest 'more than a file has' => sub {
    my $copies = sub {
        my ($from, $to) = @_;
        $lims->db->do('ALTER TABLE lims.sample DISABLE TRIGGER USER');
        $lims->db->do(q{INSERT INTO lims.sample OVERRIDING SYSTEM VALUE
            SELECT r.*
              FROM lims.sample s
             CROSS JOIN generate_series(?::bigint, ?::bigint) n
             CROSS JOIN LATERAL jsonb_populate_record(s, jsonb_build_object('id', 1000000 + n,
                   'tracking_id', 'X-' || n, 'sample_identifier', 'X-' || n, 'external_id', NULL,
                   'status', 'reported', 'reported_at', now())) r
             WHERE s.id = ?}, undef, $from, $to, $samples[0]{id});
        $lims->db->do('ALTER TABLE lims.sample ENABLE TRIGGER USER');
    };
    $copies->(1, 50_000);
    my $before = peak();
    my $head   = $mia->head('/samples/export?status=reported');
    SKIP: {
        skip('a sanitizer keeps what was freed', 1) if LIMS::Instance::foreign_malloc();
        cmp_ok(peak() - $before, '<', 20_000, 'httpd holds few rows of a file of 50,000');
    }
    my $text = decode_base64($ann->done('sample export', status => 'reported')->{contentBase64});
    is(scalar(() = $text =~ /"X-\d+","reported"/g), 50_000, 'the file has all of 50,000 samples');
    is($head->header('Content-Length'), length $text, 'HEAD has the length of the file');
    like($ann->refused('invalid_query', 'sample export')->{message}, qr/more than 50,000/,
        'more are refused');
};

subtest 'no room for temporary files' => sub {
    my @call = (LIMS::Instance::out() . '/limsctl', '--database', $lims->conninfo, '--json',
        '--organization', $lims->fixture->{code}, '--user', $ann->{user}, qw(reagent-lot list));
    my ($exit, $output) = full(@call);
    is($exit, 0, 'of what needs none nobody notices');
    splice @call, -2, 2, qw(sample export --status received);
    ($exit, $output) = full(@call);
    isnt($exit, 0, 'a file cannot be made');
    like($output, qr/"service_unavailable".*cannot be made now/,
        'the message says that no file can be made now');
    like($output, qr/spool file: no folder for temporary files can be written to/,
        'the log has the cause');
};

# Runs a program that may not write to files.
sub full {
    return LIMS::Instance::capture('bash', '-c', q{trap '' XFSZ; ulimit -f 0; exec "$@"}, 'full', @_);
}
done_testing();
