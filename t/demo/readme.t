#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The five minutes of README.md, typed as they stand there: every command works
# against the demonstration data, and the sample ends reported. And the one line
# that an instrument's PC needs.
use strict;
use warnings;

use File::Path qw(make_path);
use File::Temp qw(tempdir);
use LIMS::Service::Demo;
use LIMS::Test;
use LIMS::Test::Source;

my ($tour) = text('README.md') =~ /^## Try it: five minutes\n(.*?)^## /ms;
my ($start, @blocks) = $tour =~ /^```sh\n(.*?)^```$/msg;

is($start, "make run\n", 'it begins with make run');
cmp_ok(scalar @blocks, '>', 2, 'the tour has further commands');

# In place of what make run leaves: the same names, of this test's own instance.
my $demo = LIMS::Service::Demo->new;
my $lims = $demo->lims;
my $dir  = tempdir(CLEANUP => 1);
make_path("$dir/build/run");
open my $env, '>', "$dir/build/run/env" or die "env: $!\n";
print {$env} map { "$_->[0]='$_->[1]'\n" } [ LIMS_URL => $lims->url ],
    [ LIMS_CACERT => LIMS::Instance::ca_file() ], [ LIMS_CTL => "$dir/build/run/limsctl" ],
    map { [ $_ => $lims->{keys}{$_} ] } sort keys %{ $lims->{keys} };
close $env;
open my $limsctl, '>', "$dir/build/run/limsctl" or die "limsctl: $!\n";
print {$limsctl} "#!/bin/sh\nexec ", LIMS::Instance::out(), q{/limsctl --database "},
    $lims->conninfo, qq{" "\$@"\n};
close $limsctl;
chmod 0755, "$dir/build/run/limsctl";

open my $script, '>', "$dir/tour" or die "tour: $!\n";
print {$script} "cd '$dir'\nset -eu\n", @blocks, "\necho \"SAMPLE \$S\"\n";
close $script;
my ($status, $output) = LIMS::Instance::capture('bash', "$dir/tour");

is($status, 0, 'every command succeeds') or diag($output);
unlike($output, qr/"error":/, 'the API refuses nothing') or diag($output);
like($output, qr/refused: that takes somebody else/, 'who entered a result does not verify it');
my ($id) = $output =~ /^SAMPLE (\d+)$/m;
ok($id, 'a sample was registered') or diag($output);

my $cedar  = $demo->laboratory('cedar-basin');
my $sample = $cedar->get("/samples/$id")->json;
is($sample->{status},                'reported', 'the sample ends reported');
is($sample->{tests}[0]{testCode},    'NO3N',     'tested for nitrate');
is($sample->{tests}[0]{result},      '7.10',     'the result is as entered');
is($sample->{tests}[0]{status},      'verified', 'the result is verified');
is($sample->{clientId}, $lims->db->selectrow_array('SELECT id FROM lims.client'
        . ' WHERE organization_id = ? AND code = ?', undef, $cedar->id, 'RIVERBEND'),
    'the sample has the client by that name');

my $eyes = $demo->laboratory('harborview')->test('COC-1311', 'PWTOC');
is_deeply([ @$eyes{qw(result status)} ], [ '58', 'verified' ], 'somebody else does');

is($sample->{plantLocation}, 'Well 4 North', 'the amendment corrected it');
is(join(' ', $lims->db->selectrow_array('SELECT count(*), max(version) FROM lims.certificate'
            . ' WHERE organization_id = ? AND sample_id = ?', undef, $cedar->id, $id)), '2 2',
    'with the next version of its certificate');
like($output, qr/"differences":\[\{[^]]*"plantLocation"/, 'the certificate names what it changed');

# The readiness that the tour reads halfway.
like($output, qr/"releaseState":"ready_for_review"/, 'on the way it was ready for review');

# --- An instrument's PC -------------------------------------------------------------

my ($line) = text('README.md') =~ /^(curl -fsS -H [^\n]*\$LIMS_UPLOAD_KEY.*?instrument-ingest)$/ms;
ok($line, 'one line of curl delivers a file');
open my $file, '>', "$dir/run42.csv" or die "run42.csv: $!\n";
print {$file} "Sample,Value\nA,1\n";
close $file;
$line =~ s{https://lims\.riverlab\.example}{$lims->url}e;
open $script, '>', "$dir/deliver" or die "deliver: $!\n";
print {$script} "cd '$dir'\nset -eu\n. build/run/env\n",
    $line =~ s/\Acurl /curl --cacert "\$LIMS_CACERT" /r, "\n";
close $script;
($status, $output) = LIMS::Instance::capture('bash', "$dir/deliver");
is($status, 0, 'it succeeds, for a file that waits for a person as well') or diag($output);
like($output, qr/"fileName":"run42\.csv".*"status":"quarantined".*"unknown_profile"/,
    'the answer says what became of the file');

done_testing();
