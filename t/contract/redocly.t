#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# A second opinion on the OpenAPI document: an independent linter, at its
# strictest. It comes over the network, so without one this is skipped.
use strict;
use warnings;

use File::Temp qw(tempdir);
use Test::More;

use LIMS::Instance;

my $linter = '@redocly/cli@2.77.0';
my $dir    = tempdir(CLEANUP => 1);
my $config = <<'END';
extends: [recommended-strict]
rules:
  no-invalid-schema-examples: error
  no-invalid-media-type-examples: error
  no-required-schema-properties-undefined: error
  no-enum-type-mismatch: error
  no-schema-type-mismatch: error
  no-unused-components: error
  no-http-verbs-in-paths: error
  operation-description: error
  operation-singular-tag: error
  operation-tag-defined: error
  parameter-description: error
  tag-description: error
END

# Nothing of it is told to anybody, and no newer version is looked for.
local @ENV{qw(REDOCLY_TELEMETRY REDOCLY_SUPPRESS_UPDATE_NOTICE)} = qw(off true);

# (status, output) of the linter.
sub lint {
    open my $out, '-|', 'sh', '-c', 'exec timeout 240 npx --yes "$@" 2>&1', 'sh', $linter, @_
        or return (-1, "sh: $!");
    local $/ = undef;
    my $said = <$out>;
    close $out;
    return ($?, $said);
}

sub write_file {
    my ($path, $text) = @_;
    open my $out, '>:raw', $path or BAIL_OUT("$path: $!");
    print {$out} $text;
    close $out or BAIL_OUT("$path: $!");
    return $path;
}

chomp(my $npx = `command -v npx 2>/dev/null` || '');
plan skip_all => 'npx is not installed' unless $npx;
my ($status, $said) = lint('--version');
my ($why) = ($said =~ /^npm error (.+)/m, "status $status");
plan skip_all => "the linter can't be had: $why" if $status;

my $limsctl = LIMS::Instance::out() . '/limsctl';
open my $out, '-|:raw', $limsctl, 'openapi' or BAIL_OUT("$limsctl: $!");
my $text = do { local $/ = undef; <$out> };
close $out or BAIL_OUT("$limsctl openapi ended with $?");

my $rules = write_file("$dir/redocly.yaml", $config);
my @lint  = ('lint', '--config', $rules);

($status, $said) = lint(@lint, write_file("$dir/openapi.json", $text));
ok(!$status, 'no error and no warning') or diag($said);

# A linter that passes anything would say nothing of ours.
(my $broken = $text) =~ s/"operationId":"listSamples",//;
$broken =~ s{#/components/schemas/SamplePage"}{#/components/schemas/NoSuchPage"};
($status, $said) = lint(@lint, write_file("$dir/broken.json", $broken));
ok($status, 'a broken document is refused');
like($said, qr/no-unresolved-refs/, 'the linter names the broken reference');

done_testing();
