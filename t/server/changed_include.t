#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# build/instance notices a change of an included file: started again after the file that
# LIMS_EXTRA names was changed, httpd does not go on with the old one.
use strict;
use warnings;

use LIMS::Test;

my $lims     = LIMS::Test->new(conf => 'LimsMaxBody 4096');
my $instance = $lims->{instance};
my $pid      = $instance->pid;

sub padded {
    return $lims->request('POST', '/clients', body => '{"code":"ACME","name":"Acme"' . ' ' x 3000 . '}');
}

is(padded()->status, 201, 'the file as it was');
$instance->launch;
is($instance->pid, $pid, 'started again without a change, it runs on');

open my $out, '>', "$instance->{dir}/extra.conf" or die "extra.conf: $!\n";
print {$out} "LimsMaxBody 2048\n";
close $out or die "extra.conf: $!\n";
$instance->launch;
isnt($instance->pid, $pid, 'after a change httpd is started anew');
is(padded()->status, 413, 'httpd started anew has the limit of the changed file');

ok($lims->finish, 'the log is clean');
done_testing();
