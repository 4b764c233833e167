#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# limsctl webhook rekey: a key of the key file is replaced while endpoints have
# secrets under it.
use strict;
use warnings;

use File::Copy qw(copy);
use File::Temp qw(tempdir);
use LIMS::Test::Tool;

my $tool   = LIMS::Test::Tool->new;
my $folder = tempdir(CLEANUP => 1);
local $ENV{LIMS_SECRET_KEY_FILE} = "$folder/secret.key";

# The keys that seal something, by their ids.
sub keys_in_use {
    return $tool->value(q{SELECT string_agg(DISTINCT
           convert_from(substr(s, 3, get_byte(s, 1)), 'UTF8'), ' ')
      FROM lims.webhook_endpoint e, unnest(ARRAY[e.secret, e.previous_secret]) AS s
     WHERE e.deleted_at IS NULL AND s IS NOT NULL});
}

$tool->run(qw(secret-key --key-id old))->{exit} == 0 or die "no key file\n";
my %made;
for my $code (qw(cedar birch)) {
    my @here = $tool->laboratory($code);
    for my $number (1 .. 60) {
        my $made = $tool->made(@here, qw(webhook create --url https://a.example/ --name), $number);
        $made{ $made->{id} } = $made->{secret} if $number % 30 == 1;
        $tool->made(@here, qw(webhook rotate), $made->{id}) if $number % 30 == 0;
        last if $code eq 'birch' && $number == 3;
    }
}
my @gone = $tool->laboratory('alder');
my $gone = $tool->made(@gone, qw(webhook create --url https://a.example/ --name x))->{id};
$tool->made(@gone, qw(webhook delete), $gone, '--reason', 'x');
is(keys_in_use(), 'old', 'all secrets are under the old key');

$tool->run(qw(secret-key --key-id new));
my @cedar = (qw(--organization cedar --user ana@cedar.example));
my $fresh = $tool->made(@cedar, qw(webhook create --url https://a.example/ --name x))->{id};
is(keys_in_use(), 'new old', 'a new one is under the first key of the file');
my $before = $tool->value('SELECT secret FROM lims.webhook_endpoint WHERE id = ?', $fresh);

sub checked {
    return join ' | ', map { "$_->{state}: $_->{finding}" } grep { $_->{subject} =~ /key|secret/ }
        @{ $tool->run(qw(--json check))->{json}{findings} };
}
is(checked(), "ok: $ENV{LIMS_SECRET_KEY_FILE} | ok: 1 encrypted with key \"new\""
    . ' | warning: 63 encrypted with key "old", which is not the first',
    'limsctl check says what is to be done');

my $done = $tool->run(qw(webhook rekey));
is($done->{exit}, 0, 'limsctl webhook rekey succeeds') or diag($done->{err});
like($done->{out}, qr/\AThe secrets of 63 endpoints are now encrypted with key new\.\n\z/,
    'rekey says how many endpoints it changed');
is(keys_in_use(), 'new', 'all secrets are under the new key');
is($tool->value('SELECT secret FROM lims.webhook_endpoint WHERE id = ?', $fresh), $before,
    'a secret under the new key is not changed');
is_deeply($tool->run(qw(--json webhook rekey))->{json}, { sealed => 0, failed => 0 },
    'a second run has nothing to do');
is($tool->value(q{SELECT count(*) FROM lims.audit_entry WHERE reason = 'sealed by key new'}), 63,
    'the trail says why');

# Without the old key everything still opens: under another it is what it was.
open my $in, '<', "$folder/secret.key" or die "secret.key: $!\n";
my @lines = grep { !/^old / } <$in>;
close $in;
open my $out, '>', "$folder/secret.key" or die "secret.key: $!\n";
print {$out} @lines;
close $out or die "secret.key: $!\n";
$tool->run(qw(secret-key --key-id third));
{
    local $ENV{LIMS_SECRET_KEY_FILE} = "$folder/other.key";
    $tool->run(qw(secret-key --key-id other));
    is(checked(), "ok: $ENV{LIMS_SECRET_KEY_FILE} | failed: 64 encrypted with key"
        . ' "new", which is not in the file', 'limsctl check knows the file of another');
    chmod 0644, $ENV{LIMS_SECRET_KEY_FILE};
    like(checked(), qr/\Afailed: .*chmod 600/, 'limsctl check fails on a key file that is open to others');
}
is($tool->run(qw(webhook rekey))->{exit}, 0, 'the old key is not missed');
is(keys_in_use(), 'third', 'everything is under the third');

# Secrets that cannot be opened are reported, and left as they are.
my ($id) = sort { $a <=> $b } keys %made;
$tool->db->do(q{UPDATE lims.webhook_endpoint SET secret = (SELECT secret
    FROM lims.webhook_endpoint WHERE id = $1) WHERE id = $2}, { pg_placeholder_dollaronly => 1 },
    $fresh, $id);
$tool->run(qw(secret-key --key-id fourth));
my $some = $tool->run(qw(webhook rekey));
is($some->{exit}, 1, 'a secret of another endpoint does not open');
like($some->{err}, qr/webhook endpoint $id of organization \d+: key "third" does not open it/,
    'the error names the endpoint');
unlike($some->{err} . $some->{out}, qr/whsec_/, 'no secret is shown');
like($some->{out}, qr/\AThe secrets of 63 endpoints .*; 1 could not be decrypted\./,
    'the others are done');
is(keys_in_use(), 'fourth third', 'the secret that could not be opened is unchanged');

done_testing();
