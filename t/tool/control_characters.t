#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Text of other people is printed without control characters: none, old or new, and none
# that reorders text, reaches the administrator's terminal, in any form of output or in an
# error.
use strict;
use warnings;

use Encode qw(decode encode);
use LIMS::Test::Tool;

my $tool = LIMS::Test::Tool->new;
my @as   = $tool->laboratory('cedar');
my $lab  = $tool->value('SELECT id FROM lims.organization');

my @commanding = (1 .. 0x1f, 0x7f .. 0x9f, 0x61c, 0x200e, 0x200f, 0x2028 .. 0x202e, 0x2066 .. 0x2069);
my $all   = join '', map { chr } @commanding;
my $plain = "Pr\x{fc}fung \x{b5}g/L \x{3a9} \x{6f22} \x{1f9ea} \x{645}\x{631}";
my $name  = "$plain $all";

$tool->db->do(q{SELECT lims.keep_file(?, ?, 'a'), lims.act_as(?, (SELECT min(id) FROM
    lims.user_account), NULL, NULL, NULL)}, undef, $lab, $name, $lab);
$tool->db->do(q{UPDATE lims.instrument_file SET status = 'quarantined',
    reasons = jsonb_build_array(jsonb_build_object('code', 'x', 'message', ?::text, ?::text, 1))}, undef,
    ($name) x 2);

sub is_harmless {
    my ($what, $bytes, @kept) = @_;
    my $text = eval { decode('UTF-8', $bytes, Encode::FB_CROAK) };
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    ok(defined $text, "$what is UTF-8") or return;
    my @found = grep { $text =~ /\Q$_\E/ } map { chr } grep { $_ != 0x0a } @commanding;
    is(join(' ', map { sprintf 'U+%04X', ord } @found), '',
        "no control character reaches the terminal");
    like($text, qr/\Q$_\E/, "$what: all that is text stays") for @kept;
    return;
}

my ($id) = $tool->value('SELECT id FROM lims.instrument_file');
for my $command ([ qw(instrument-file show), $id ], [qw(instrument-file list)]) {
    my $said = $tool->run(@as, @$command);
    is($said->{exit}, 0, "@$command");
    is_harmless("@$command", $said->{out}, $plain);
    my $json = $tool->run(@as, '--json', @$command);
    is_harmless("@$command --json", $json->{out}, $plain);
    my $record = $json->{json}{data} ? $json->{json}{data}[0] : $json->{json};
    is($record->{fileName}, $name, 'the JSON has the name as it is');
}

# Messages quote the text that was given.
for my $given ("\x{9b}31m\x{202e}x", "\x{85}") {
    for my $form ([], ['--json']) {
        my $said = $tool->run(@as, @$form, qw(user list --active), encode('UTF-8', $given));
        isnt($said->{exit}, 0, 'a refusal shows no control character');
        is_harmless("@$form its message", $said->{out} . $said->{err});
    }
}
my $broken = $tool->run(@as, 'sample', 'show', "\x9b31m");
unlike($broken->{out} . $broken->{err}, qr/\x9b/, 'bytes that are no UTF-8 are not printed');

# Bytes as they came go to a file or a pipe.
is($tool->run(@as, qw(instrument-file content), $id)->{out}, 'a', 'bytes go to a file');
{
    local $ENV{LIMS_DATABASE} = LIMS::Instance::conninfo($tool->{database}, 'lims_owner');
    my $command = join ' ', map { "'$_'" } LIMS::Instance::out() . '/limsctl', @as,
        qw(instrument-file content), $id;
    my ($status, $output) = LIMS::Instance::capture('script', '-qec', $command, '/dev/null');
    is($status, 2, 'binary output to a terminal is refused');
    like($output, qr/write them to a file/, 'the message says to use a file');
}

done_testing();
