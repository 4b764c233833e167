# SPDX-License-Identifier: Apache-2.0
package LIMS::Print;

=head1 NAME

LIMS::Print - lims-print as the service and people use it, and what its documents say

=head1 SYNOPSIS

    use LIMS::Print;

    my ($pdf, $refusal) = made({ kind => 'certificate', content => content() });
    like(words($pdf), qr/Page 1 of 2/, 'pages are counted');

    my $printer = LIMS::Print->start;          # one process, job after job
    my ($kind, $bytes) = $printer->answer({ kind => 'labels', ... });

=head1 DESCRIPTION

C<content> returns what lims.certificate_content() would, for a small sample; members that
are passed replace its own. C<words> is the text that pdftotext finds, C<lines> the same as
it lies on the pages; C<pictures> are the pages as files, PNG. C<png> makes a picture.

=cut

use strict;
use warnings;

use Compress::Zlib qw(compress crc32);
use Cpanel::JSON::XS ();
use Cwd qw(abs_path);
use Exporter qw(import);
use File::Basename qw(dirname);
use File::Spec;
use File::Temp qw(tempdir);
use IPC::Open3 qw(open3);
use JSON::PP ();
use Symbol qw(gensym);

our @EXPORT = qw(made content result words lines command written pictures png printer_path);

my $root    = abs_path(dirname(__FILE__) . '/../../..');
my $out     = File::Spec->rel2abs($ENV{LIMS_OUT} // 'build/out', $root);
my $folder  = tempdir(CLEANUP => 1);
my $json    = Cpanel::JSON::XS->new->utf8->canonical->allow_nonref;
my $counter = 0;

sub printer_path { return "$out/lims-print" }

# --- Running it ---------------------------------------------------------------------

# The bytes of a file in a folder of this test.
sub written {
    my ($bytes, $name) = @_;
    my $path = "$folder/" . ($name // 'file' . ++$counter);
    open my $file, '>:raw', $path or die "$path: $!\n";
    print {$file} $bytes;
    close $file or die "$path: $!\n";
    return $path;
}

sub slurp {
    my ($path) = @_;
    open my $file, '<:raw', $path or die "$path: $!\n";
    local $/ = undef;
    return scalar <$file> // '';
}

sub encoded { my ($job) = @_; return ref $job ? $json->encode($job) : $job }

# (document, refusal) of one job in a process of its own; %environment is set for it.
sub made {
    my ($job, %environment) = @_;
    my $input = written(encoded($job));
    my ($document, $refusal) = ("$input.out", "$input.err");

    my $pid = fork // die "fork: $!\n";
    if ($pid == 0) {
        @ENV{ keys %environment } = values %environment;
        open STDIN,  '<', $input    or die "$input: $!\n";
        open STDOUT, '>', $document or die "$document: $!\n";
        open STDERR, '>', $refusal  or die "$refusal: $!\n";
        exec printer_path(), '--once' or die "exec: $!\n";
    }
    waitpid $pid, 0;
    my $failed = $?;
    return $failed ? (undef, slurp($refusal) || "ended with $failed") : (slurp($document), undef);
}

sub start {
    my ($class) = @_;
    my $errors = gensym;
    my $pid    = open3(my $in, my $answers, $errors, printer_path());
    binmode $_ for $in, $answers;
    return bless { pid => $pid, in => $in, answers => $answers, errors => $errors }, $class;
}

sub pid { my ($self) = @_; return $self->{pid} }

sub send_bytes {
    my ($self, $bytes) = @_;
    local $SIG{PIPE} = 'IGNORE';
    my $in = $self->{in};
    print {$in} $bytes;
    $in->flush;
    return;
}

sub receive {
    my ($self, $length) = @_;
    my $bytes = '';
    while (length $bytes < $length) {
        my $got = read $self->{answers}, $bytes, $length - length $bytes, length $bytes;
        return unless $got;
    }
    return $bytes;
}

# (kind, bytes) of the answer to a job; nothing: there was none.
sub answer {
    my ($self, $job) = @_;
    my $bytes = encoded($job);
    $self->send_bytes(pack('N', length $bytes) . $bytes);
    return $self->next_answer;
}

sub next_answer {
    my ($self) = @_;
    my $head = $self->receive(5) // return;
    my ($kind, $length) = unpack 'aN', $head;
    return ($kind, $length ? $self->receive($length) : '');
}

# Closes its input and returns how it ended.
sub finish {
    my ($self) = @_;
    close $self->{in};
    waitpid $self->{pid}, 0;
    return $?;
}

# Most memory that it had resident so far, in MB.
sub peak {
    my ($self) = @_;
    my ($peak) = slurp("/proc/$self->{pid}/status") =~ /^VmHWM:\s+(\d+) kB/m;
    return $peak / 1024;
}

# --- What documents say -------------------------------------------------------------

sub command {
    my (@command) = @_;
    open my $output, '-|', @command or die "$command[0]: $!\n";
    local $/ = undef;
    my $text = <$output>;
    close $output;
    return $text // '';
}

sub as_text { my ($text) = @_; utf8::decode($text); return $text }

sub words {
    my ($pdf) = @_;
    return as_text(command('pdftotext', written($pdf), '-'));
}

sub lines {
    my ($pdf) = @_;
    return as_text(command('pdftotext', '-layout', written($pdf), '-'));
}

sub pictures {
    my ($pdf, $dpi) = @_;
    my $path = written($pdf);
    command('pdftoppm', '-png', '-gray', '-r', $dpi, $path, $path);
    return sort glob "$path-*.png";
}

# A picture in one colour with transparent edges.
sub png {
    my ($width, $height) = @_;
    my $rows  = join '', map { "\0" . ("\x20\x60\x90\xFF" x ($width - 1)) . "\0\0\0\0" } 1 .. $height;
    my $chunk = sub { pack('N', length $_[1]) . "$_[0]$_[1]" . pack('N', crc32("$_[0]$_[1]")) };
    return "\x89PNG\r\n\x1a\n" . $chunk->('IHDR', pack('NNCCCCC', $width, $height, 8, 6, 0, 0, 0))
        . $chunk->('IDAT', compress($rows)) . $chunk->('IEND', '');
}

# --- Contents -----------------------------------------------------------------------

sub result {
    my (%other) = @_;
    return {
        sampleTestId => 101, testCode => 'PH', testName => 'pH', method => 'SM 4500-H+ B',
        result => '7.2', qualifier => undef, unit => 's.u.', specification => '6.5 to 8.5 s.u.',
        outOfSpecification => JSON::PP::false, conformity => 'within',
        decisionRule => 'Simple acceptance.', analyzedAt => '2026-11-20T09:15:00-07:00',
        accredited => JSON::PP::true, uncertainty => undef, remark => undef, %other,
    };
}

sub content {
    my (%other) = @_;
    return {
        certificate => { number => 'COA-2026-000417', version => 1, reason => undef,
            issuedAt => '2026-11-26T14:03:22-07:00', replaces => undef },
        laboratory => { name => 'Cedar Ridge Laboratory', address => "1200 Mill Road\nBoulder, CO",
            accreditation => 'ISO/IEC 17025:2017, PJLA 98765',
            timeZone => 'America/Denver', logoSha256 => undef },
        client => { name => 'River Works', code => 'RIV', contactName => 'Ada Moore', address => 'Main 1' },
        order  => { orderNumber => 'ORD-2026-00098', contact => 'PO 4711' },
        sample => { trackingId => 'CED-26-004711-K', sampleIdentifier => 'Tap 3',
            materialType => 'Drinking water', plantLocation => 'East', collectedAt => '2026-11-19T08:30:00-07:00' },
        receipt => { receivedAt => '2026-11-19T11:02:00-07:00', receivedBy => 'Maya Torres',
            temperature => 4.2, condition => 'Intact', containers => 3, deviations => 'One bottle had headspace.' },
        methods => ['SM 4500-H+ B'], qualifiers => [],
        testsDone => { from => '2026-11-20', to => '2026-11-20' }, withoutAnalysisDay => [],
        contentSha256 => '3f' x 32, results => [ result() ],
        approvals => [ { name => 'Technical review', status => 'approved',
            decidedAt => '2026-11-25T16:40:11-07:00', decidedBy => 'Ines Kowalski', signatureFits => JSON::PP::true } ],
        people => [ { printedName => 'Maya Torres', meaning => 'verified', at => '2026-11-25T15:00:09-07:00',
                signed => JSON::PP::true, about => 'PH' } ],
        amendments => [], statements => ['The results concern the items tested only.'],
        verification => { code => '7KQ4-M2XT-9RWD', url => 'https://lims.example/app/verify/7KQ4M2XT9RWD' },
        %other,
    };
}

1;
