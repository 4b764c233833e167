#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# limsctl secret-key: the file of the keys that seal webhook secrets.
use strict;
use warnings;

use File::Temp qw(tempdir);
use LIMS::Test::Tool;

my $tool = LIMS::Test::Tool->new(empty => 1);
my $file = tempdir(CLEANUP => 1) . '/secret.key';

sub content { open my $in, '<', $file or die "$file: $!\n"; local $/ = undef; return scalar <$in> }

{
    local $ENV{LIMSCTL_CONF} = '/dev/null';
    local $ENV{LIMS_SECRET_KEY_FILE};
    delete $ENV{LIMS_SECRET_KEY_FILE};
    my $which = $tool->run('secret-key');
    is($which->{exit}, 2, 'without a file the exit status is 2');
    like($which->{err}, qr/--secret-key-file FILE, or LIMS_SECRET_KEY_FILE/, 'how to name one');
}

my $made = $tool->run('secret-key', '--secret-key-file', $file);
is($made->{exit}, 0, 'the file is made');
is(sprintf('%o', (stat $file)[2] & 07777), '600', "its owner's alone");
like(content(), qr{\A\d{8}T\d{6}Z-[0-9a-f]{6} [A-Za-z0-9+/]{43}=\n\z},
    'the file has one key, named by the time');
my ($key) = content() =~ / (\S+)/;
unlike("$made->{out}$made->{err}", qr/\Q$key\E/, 'the key is not printed');
like($made->{out}, qr/first in \Q$file\E.*webhook rekey/s, 'the output says what to do next');

local $ENV{LIMS_SECRET_KEY_FILE} = $file;
my $second = $tool->run(qw(secret-key --json --key-id 2026-11));
is($second->{json}{keyId}, '2026-11', 'a second key with a given id');
like(content(), qr/\A2026-11 \S+\n\d{8}T\d{6}Z-\w{6} \Q$key\E\n\z/,
    'comes first, the older one stays');

# Files made within a second may be put together.
my @ids = map {
    $tool->run('secret-key', '--json', '--secret-key-file', "$file.$_")->{json}{keyId}
} 1 .. 3;
my %ids = map { $_ => 1 } @ids;
is(scalar keys %ids, 3, 'keys made at once have names of their own') or diag("@ids");

my $before = content();
my $twice  = $tool->run(qw(secret-key --key-id 2026-11));
is($twice->{exit}, 1, 'an id twice is refused');
like($twice->{err}, qr/stands there twice/, 'a key id that is there twice is named');
is($tool->run('secret-key', '--key-id', 'a b')->{exit}, 2, 'an invalid id');
is(content(), $before, 'the file is as it was');
chmod 0644, $file;
like($tool->run('secret-key')->{err}, qr/chmod 600/, 'a file that all can read is not used');

done_testing();
