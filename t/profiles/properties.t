#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Properties of every file: encoding, order of profiles and reading again change nothing; a
# file with a declared end is never taken when truncated; and a value is the text in the
# file, unless the profile declares a change.
use strict;
use warnings;

use Encode qw(decode encode FB_CROAK LEAVE_SRC);
use JSON::PP;
use List::Util qw(max min shuffle);
use Test::More;

use LIMS::Files::Reader;

my @profiles = shipped();
my $reader   = LIMS::Files::Reader->new(@profiles);
my %profile  = map { my $profile = decode_json(contents($_)); ($profile->{code} => $profile) }
    @profiles;

# Fixtures, and real files where there are some.
my %files = map { m{([^/]+)\z}; ("fixture $1" => [ $1, contents($_) ]) }
    grep { !/\.tsv\z/ } glob "$LIMS::Files::Reader::root/t/profiles/fixtures/*";
if (my $collection = collection()) {
    for my $expected (expectations('t/profiles/expected')) {
        my ($name) = $expected->{file} =~ m{([^/]+)\z};
        $files{"real $name"} = [ $name, contents("$collection/$expected->{file}") ];
    }
}
my @names   = sort keys %files;
my %outcome = map { $_ => $reader->outcome(@{ $files{$_} }) } @names;

# Without what is said of places in bytes; sorted, since only the set counts.
sub summary {
    my ($outcome) = @_;
    my $lines = lines($outcome);
    return join "\n", $lines->{profile}, $lines->{outcome},
        @{ $lines->{values} }, sort @{ $lines->{reasons} };
}

sub is_binary { return $_[0] =~ /\A(?:PK\x03\x04|\xd0\xcf\x11\xe0)/ }

# As the reader decides: a mark, else UTF-8, else the usual single bytes.
sub decoded {
    my ($bytes) = @_;

    return decode('UTF-16', $bytes) if $bytes =~ /\A(?:\xff\xfe|\xfe\xff)/;
    $bytes =~ s/\A\xef\xbb\xbf//;
    return eval { decode('UTF-8', $bytes, FB_CROAK | LEAVE_SRC) } // decode('cp1252', $bytes);
}

subtest 'reading a file again gives the same' => sub {
    my $other = LIMS::Files::Reader->new(@profiles);

    for my $name (@names) {
        is_deeply($other->outcome(@{ $files{$name} }), $outcome{$name}, $name);
    }
    is_deeply($reader->outcome(@{ $files{ $names[0] } }), $outcome{ $names[0] },
        'reading it after the others gives the same');
};

subtest 'the order of profiles does not matter' => sub {
    srand 20261121;
    for my $order ([ reverse @profiles ], [ shuffle @profiles ]) {
        my $other = LIMS::Files::Reader->new(@$order);

        for my $name (@names) {
            is_deeply($other->outcome(@{ $files{$name} }), $outcome{$name}, $name);
        }
    }
};

subtest 'the encoding of a text does not matter' => sub {
    my $count = 0;

    for my $name (@names) {
        my ($file, $bytes) = @{ $files{$name} };
        # Checksums of frames and an encoding in the prolog are of the bytes.
        next if $bytes eq '' || is_binary($bytes) || $bytes =~ /\x02|\A<\?xml[^>]*encoding/i;
        my $text  = decoded($bytes);
        my %twins = (
            'UTF-8 with its mark' => "\xef\xbb\xbf" . encode('UTF-8', $text),
            'UTF-16LE'            => "\xff\xfe" . encode('UTF-16LE', $text),
            'UTF-16BE'            => "\xfe\xff" . encode('UTF-16BE', $text),
        );
        for my $encoding (sort keys %twins) {
            is(summary($reader->outcome($file, $twins{$encoding})), summary($outcome{$name}),
                "$name in $encoding");
            $count++;
        }
    }
    cmp_ok($count, '>=', 60, 'twins were there');
};

# As two reports do that a program put into one file, the second of other samples.
subtest 'two files in one' => sub {
    my $key = sub {
        my ($outcome) = @_;
        return sort map { join "\t", map { $_ // '' } @$_{qw(trackingId testCode result control)} }
            @{ $outcome->{values} };
    };
    my $count = 0;

    for my $name (grep { $outcome{$_}{counts}{blocking} == 0 } @names) {
        my ($file, $bytes) = @{ $files{$name} };
        next if is_binary($bytes) || $bytes =~ /\A(?:\xff\xfe|\xfe\xff)/;
        my %ids   = map { $_->{trackingId} => 1 } grep { $_->{trackingId} ne '' }
            @{ $outcome{$name}{values} };
        my $other = $bytes;
        for my $id (sort { length $b <=> length $a } keys %ids) {
            my $renamed = '@' . substr $id, 1;
            $other =~ s/\Q$id\E/$renamed/g;
        }
        my $alone = $reader->outcome($file, $other);
        my $both  = $reader->outcome($file, "$bytes\n$other");
        my @all   = sort $key->($outcome{$name}), $key->($alone);

        ok($both->{counts}{blocking} > 0 || join("\n", $key->($both)) eq join("\n", @all),
            "$name: all of both is taken, or nothing");
        $count++;
    }
    cmp_ok($count, '>=', 20, 'there were files');
};

# The profile says how a file ends, or the container does.
sub declares_end {
    my ($bytes, $code) = @_;
    my $integrity = $profile{$code}{integrity} // {};

    return 1 if is_binary($bytes) || $bytes =~ /\A\s*<\?xml/ || $bytes =~ /\A\x05?\x02/;
    return 1 if $profile{$code}{layout} eq 'astm' || $bytes =~ /\A(?:FHS|BHS)/;
    return grep { exists $integrity->{$_} } qw(end count hash);
}

subtest 'truncated files are never taken' => sub {
    my ($declared, $cuts) = (0, 0);

    for my $name (grep { $outcome{$_}{counts}{blocking} == 0 } @names) {
        my ($file, $bytes) = @{ $files{$name} };
        my $code = $outcome{$name}{profile};
        my $end  = declares_end($bytes, $code);
        # Without what says nothing: a last line's end, the padding of a sector.
        my $idle = $profile{$code}{integrity}{lineBreak} ? '' : ($bytes =~ /([\r\n]*|\0*)\z/)[0];
        my $length = length($bytes) - length $idle;
        my $step   = max(1, int($length / 250));
        my @taken;

        $declared++ if $end;
        for (my $cut = 0; $cut < $length; $cut += $cut < $length - 100 ? $step : 1) {
            my $outcome = $reader->outcome($file, substr $bytes, 0, $cut);
            push @taken, $cut unless $outcome->{counts}{blocking};
            $cuts++;
        }
        # Others look like shorter files, and have to be read as such.
        ok(!$end || !@taken, "$name of $length bytes is " . ($end ? 'never taken' : 'read')) or diag("cut at @taken");
    }
    cmp_ok($declared, '>', 1, 'files declare their end');
    note("$cuts cuts");
};

sub folded {
    my ($text) = @_;
    $text = lc $text;
    $text =~ s/[\x{b5}\x{3bc}]/u/g;
    $text =~ s/\s+/ /g;
    return $text =~ s/\A | \z//gr;
}

# The table with another order of columns and one more, or nothing where cells
# are not told apart by the delimiter alone or columns are numbered, also those of
# one header ("Units#2").
sub rearranged {
    my ($text, $profile) = @_;
    my %wanted    = map { folded($_) => 1 } @{ $profile->{match}{headers} // [] };
    my $delimiter = $profile->{dialect}{delimiter} // ',';
    my @order;

    $delimiter = "\t" if $delimiter eq 'tab';
    return if $text =~ /"/ || $text =~ /\Asep=[^,]/ || !%wanted
        || $profile->{layout} !~ /\A(?:wide|long)\z/
        || encode_json($profile) =~ /"(?:index|table|lines)"|#\d+"/;
    my @lines = split /(\r\n|\n|\r)/, $text, -1;
    for my $line (@lines) {
        my @cells = split /\Q$delimiter\E/, $line, -1;
        my %there = map { folded($_) => 1 } @cells;

        if (!@order && !grep { !$there{$_} } keys %wanted) {
            @order = shuffle 0 .. $#cells;
            $line  = join $delimiter, @cells[@order], 'Something else';
        }
        elsif (@order && @cells == @order) {
            $line = join $delimiter, @cells[@order], 'of no use';
        }
    }
    return @order ? join('', @lines) : ();
}

subtest 'the order of columns does not matter' => sub {
    my $count = 0;
    # Values and reasons without their columns.
    my $what = sub {
        my ($outcome) = @_;
        return [ sort map({ join '|', @$_{qw(row trackingId testCode result unit qualifier raw)} }
                @{ $outcome->{values} }), map({ join '|', @$_{qw(code severity row cell)} }
                @{ $outcome->{reasons} }) ];
    };

    for my $name (@names) {
        my ($file, $bytes) = @{ $files{$name} };
        my $profile = $profile{ $outcome{$name}{profile} } or next;
        next if is_binary($bytes) || grep { $_->{row} && !$_->{column} } @{ $outcome{$name}{reasons} };
        my $text = rearranged(decoded($bytes), $profile) // next;

        is_deeply($what->($reader->outcome($file, encode('UTF-8', $text))),
            $what->($outcome{$name}), $name);
        $count++;
    }
    cmp_ok($count, '>=', 12, 'tables were rearranged');
};

# A number as the profile has it, with a point.
sub plain {
    my ($raw, $profile) = @_;
    my $numbers = $profile->{numbers} // {};
    my @group   = @{ $numbers->{group} // [] };

    $raw =~ s/\A\s+|\s+\z//g;
    for my $sign (@group) {
        my $class = $sign eq ' ' ? qr/[ \x{a0}\x{202f}\x{2009}]/ : qr/\Q$sign\E/;
        $raw =~ s/(?<=\d)$class(?=\d)//g;
    }
    $raw =~ s/\s*%\z// if ($numbers->{percent} // q{}) eq q{keep};
    $raw =~ tr/,/./ if ($numbers->{decimal} // '.') eq ',';
    return $raw;
}

# Returns the members of a profile that may change a value.
sub may_change {
    my ($profile) = @_;
    return 1 if ($profile->{units}{policy} // '') eq 'convert';
    return 1 if ($profile->{dilution}{apply} // '') eq 'multiply';
    return 1 if ($profile->{replicates}{policy} // '') eq 'mean';
    return 1 if grep { $_->{convert} || $_->{values} } @{ $profile->{tests} };
    return 0;
}

subtest 'a value is the text in the file' => sub {
    my $count = 0;

    for my $name (@names) {
        my ($file, $bytes) = @{ $files{$name} };
        my $profile = $profile{ $outcome{$name}{profile} } or next;
        my $text    = is_binary($bytes) ? undef : decoded($bytes);
        my @written = map { $_->{write} // () } @{ $profile->{qualifiers}{tokens} // [] };
        my (@strange, @changed);

        for my $value (@{ $outcome{$name}{values} }) {
            my %text  = map { $_ => decode('UTF-8', $value->{$_}) } qw(raw result);
            my $plain = plain($text{raw}, $profile);
            $count++;
            push @strange, "$value->{row},$value->{column}: $text{raw}"
                if defined $text && $bytes !~ /\A(?:MSH|FHS|BHS|<)/
                && index($text, $text{raw}) < 0 && ($profile->{replicates}{policy} // '') ne 'mean';
            next if $text{result} eq '' || $text{result} eq $plain || may_change($profile);
            next if grep { $_ eq $text{result} } @written;
            push @changed, "$value->{row},$value->{column}: $text{raw} is $text{result}";
        }
        ok(!@strange, "$name has every cell that was read") or diag(join "\n", @strange);
        ok(!@changed, "$name keeps its texts") or diag(join "\n", @changed);
    }
    cmp_ok($count, '>', 100, 'values were compared');
};

done_testing();
