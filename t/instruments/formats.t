#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Every file format through POST /instrument-ingest, as JSON and as a form, to the entered
# value, whatever the file's name; truncated anywhere, a file is held back with the reason.
use strict;
use warnings;

use Digest::SHA qw(sha256_hex);
use Encode qw(encode);
use LIMS::Files::Instrument;
use LIMS::Files::Writer;
use LIMS::Service::Laboratory;
use LIMS::Test;

my $lims = LIMS::Test->new;
my $lab  = LIMS::Service::Laboratory->new($lims);
my $pc   = LIMS::Files::Instrument->new($lab);

# --- The same two results of a sample, as each format has them ----------------

sub table {
    my ($sample, $nitrate, $ph) = @_;
    return ([qw(Sample Test Value Unit)], [ $sample->{trackingId}, 'NO3', $nitrate, 'mg/L' ],
        [ $sample->{trackingId}, 'PH', $ph, '' ]);
}

sub text { return join '', (map { join(';', @$_) . "\n" } table(@_)), "End of run \xb5\n" }

sub of_xml {
    my ($sample, $nitrate, $ph) = @_;
    return "<?xml version=\"1.0\"?>\n<Run><Samples><Sample><Id>$sample->{trackingId}</Id>"
        . "<NO3>$nitrate</NO3><PH>$ph</PH></Sample></Samples></Run>\n";
}

sub records {
    my ($sample, $nitrate, $ph) = @_;
    return ("H|\\^&|||Bench|||||||P|LIS2-A2|20261121101500", 'P|1',
        "O|1|$sample->{trackingId}||^^^WATER|R", "R|1|^^^NO3|$nitrate|mg/L||||F",
        "R|2|^^^PH|$ph|||||F", 'L|1|N');
}

sub message {
    my ($sample, $nitrate, $ph) = @_;
    return ("MSH|^~\\&|LAB|MAIN|LIMS|LAB|20261121101500||ORU^R01^ORU_R01|M1|P|2.5.1",
        'PID|1||X||Doe^Jane', "OBR|1|O1|$sample->{trackingId}^LAB|WATER^Water^L",
        "OBX|1|NM|NO3^Nitrate^L||$nitrate|mg/L|||||F", "OBX|2|NM|PH^pH^L||$ph||||||F");
}

# Profiles that read them, by what is in the file.
my @tests = map { { name => $_, testCode => $_ } } qw(NO3 PH);
my $not_the_last = 'truncated_file: The last line is not the one that ends such files';
my %long  = (dialect => undef, tests => \@tests,
    columns => { trackingId => 'Sample', test => 'Test', value => 'Value', unit => 'Unit' });
my %headers = (headers => [ 'Sample', 'Test', 'Value' ]);
my %profile = (
    xlsx => { %long, match => { container => 'xlsx', %headers } },
    xls  => { %long, match => { container => 'xls', %headers } },
    xml  => { %long, layout => 'xml', match => { container => 'xml', root => 'Run' },
        table => { element => '/Run/Samples/Sample' }, columns => { trackingId => 'Id' } },
    text => { %long, dialect => { delimiter => ';' }, match => { container => 'text', %headers },
        rows => { skip => [ { when => [ { column => 'trackingId', matches => '^End' } ] } ] },
        integrity => { end => "^End of run \x{b5}\$" } },
    astm => { %long, layout => 'astm', match => { container => 'astm', sender => '^Bench' },
        columns => { trackingId => 'O-3.1', test => 'R-3.4' } },
    hl7 => { %long, layout => 'hl7', match => { container => 'hl7', messages => 'ORU^R01' },
        columns => { trackingId => 'OBR-3.1' } },
);

# For each format its writer, its profile, and the reason for a file that was cut off.
my %format = (
    xlsx => { by => 'xlsx', file => sub { xlsx(table(@_)) },
        cut => qr/^truncated_file: The workbook's archive is damaged or cut off/ },
    # A number has no digits but those it needs.
    xls => { by => 'xls', file => sub { xls(table(@_)) }, entered => [ '7.25', '6.9' ],
        cut => qr/^truncated_file: The workbook is damaged or cut off/ },
    xml => { by => 'xml', file => \&of_xml,
        cut => qr/^truncated_file: The XML ends on line [12] within an element/ },
    'UTF-16, little end first' => { by => 'text',
        file => sub { "\xff\xfe" . encode('UTF-16LE', text(@_)) },
        cut  => qr/^encoding_error: Byte \d+ is not a character of UTF-16LE|^$not_the_last/m },
    'UTF-16, big end first' => { by => 'text',
        file => sub { "\xfe\xff" . encode('UTF-16BE', text(@_)) },
        cut  => qr/^encoding_error: Byte \d+ is not a character of UTF-16BE|^$not_the_last/m },
    'ASTM, records' => { by => 'astm', file => sub { astm(records(@_)) },
        cut => qr/^truncated_file: Message 1 has no terminator record/ },
    'ASTM, frames' => { by => 'astm', file => sub { framed(records(@_)) },
        cut => qr/^truncated_file: (?:Frame [1-6]|The transmission) has no end/ },
    HL7 => { by => 'hl7', file => sub { hl7(message(@_)) } },    # which declares no end
    'HL7, in a block' => { by => 'hl7', file => sub { mllp(hl7(message(@_))) },
        cut => qr/^truncated_file: The file ends within a message: the end of its block/ },
    'HL7, in a batch' => { by => 'hl7',
        file => sub { hl7('FHS|^~\\&|LAB', 'BHS|^~\\&|LAB', message(@_), 'BTS|1', 'FTS|1') },
        cut  => qr/^truncated_file: The file ends within (?:a segment|a batch|its trailer)/ },
);

$pc->profile(code => $_, name => $_, %{ $profile{$_} }) for sort keys %profile;

# Named as something else, and sent both ways.
my @names = ('run.csv', 'run.xlsx', 'run', 'run.xml');
for my $name (sort keys %format) {
    my $format = $format{$name};

    for my $way (qw(json form)) {
        subtest "$name, $way" => sub {
            my $sample = $pc->sample(qw(NO3 PH));
            my $bytes  = $format->{file}->($sample, '7.25', '6.90');
            my $called = $names[0];
            my $answer = $way eq 'json' ? $pc->send($bytes, name => $called, base64 => 1)
                : $pc->upload($bytes, name => $called);

            push @names, shift @names;
            is($answer->status, 201, "imported, called $called") or diag($answer->body);
            is($answer->json->{sha256}, sha256_hex($bytes),
                'the answer has the SHA-256 of the bytes');
            is($answer->json->{profile}, $format->{by}, 'the profile is chosen by the content');
            is_deeply([ map { $pc->test($sample, $_)->{result} } qw(NO3 PH) ],
                $format->{entered} || [ '7.25', '6.90' ], 'the results are entered exactly');
            my $again = $way eq 'json' ? $pc->upload($bytes) : $pc->send($bytes, base64 => 1);
            is($again->status, 200, 'sent the other way it is known as the same file');
        };
    }
    next unless $format->{cut};
    subtest "$name, cut off" => sub {
        my $sample = $pc->sample(qw(NO3 PH));
        my $whole  = $format->{file}->($sample, '7.25', '6.90');
        my $length = length($whole =~ s/[\r\n\0]+\z//r);

        for my $eighth (1 .. 8) {
            my $cut    = int($eighth * $length / 8) - 2;
            my $answer = $pc->send(substr($whole, 0, $cut), base64 => 1, name => "$cut.txt");

            is($answer->status, 202, "after $cut of $length bytes it is kept");
            like(join("\n", map { "$_->{code}: $_->{message}" } @{ $answer->json->{reasons} }),
                $format->{cut}, 'the reason says what is wrong');
        }
        is_deeply([ map { $pc->test($sample, $_)->{result} } qw(NO3 PH) ], [ undef, undef ],
            'nothing of a file that is cut off is entered');
    };
}

# --- A message without an envelope, cut off in a value ---------------------------

{
    my $sample = $pc->sample(qw(NO3 PH));
    my $answer = $pc->send(hl7(message($sample, '7.25', '6.90')) =~ s/6[.]9\K.*//sr);

    is($answer->status, 202, 'a value without its end is not taken');
    is_deeply($pc->codes($answer), [ 'instrument_error_flag', 'truncated_file' ],
        'for its line does not end, and nothing says that it is final');
    is_deeply([ map { $pc->test($sample, $_)->{result} } qw(NO3 PH) ], [ undef, undef ],
        'no result before the cut is entered');
}

# --- What the sums of frames are for --------------------------------------------

{
    my $sample = $pc->sample(qw(NO3 PH));
    my $wire   = framed(records($sample, '7.25', '6.90'));
    my $answer = $pc->send($wire =~ s/7[.]25/7.26/r, base64 => 1);

    is($answer->status, 202, 'a digit that changed on the way is noticed');
    is_deeply($pc->codes($answer), ['checksum_error'], 'the reason is checksum_error');
    is($pc->test($sample, 'NO3')->{result}, undef, 'the damaged file enters no result');
    is($pc->send($wire, base64 => 1)->status, 201, 'sent as it was, the file is imported');
}

done_testing();
