#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The service runs under each threaded MPM, event and worker: requests at once,
# graceful restarts under load without a request lost, a clean end.
use strict;
use warnings;

use LIMS::Test;

for my $mpm (qw(event worker)) {
    subtest "mpm_$mpm" => sub {
        my $lims = LIMS::Test->new(mpm => $mpm);
        open my $in, '<', "$lims->{instance}{home}/httpd.conf" or die "httpd.conf: $!\n";
        like(do { local $/ = undef; <$in> }, qr/^LoadModule mpm_${mpm}_module/m,
            'this MPM is loaded');
        is($lims->get('/whoami')->status, 200, 'it answers');

        my @statuses = $lims->parallel(8, sub {
            my ($number) = @_;
            return [ map {
                    $number ? $lims->get('/clients')->status
                        : $lims->post('/clients', { code => "M-$_", name => 'M' })->status
                } 1 .. 25 ];
        });
        is_deeply([ grep { $_ != 200 && $_ != 201 } map {@$_} @statuses ], [],
            'simultaneous requests are answered');

        my $parent = $lims->pid;
        my @loaded = $lims->parallel(5, sub {
            my ($number) = @_;
            if ($number == 0) {
                $lims->graceful for 1 .. 4;
                return [];
            }
            # A connection each: a kept one may be closed by a child that ends.
            return [ map { $lims->get('/whoami', connection => 'new')->status } 1 .. 60 ];
        });
        is_deeply([ grep { $_ != 200 } map {@$_} @loaded ], [],
            'no request is lost over four graceful restarts');
        is($lims->pid, $parent, 'httpd\'s parent is the same');
        $lims->restart;
        isnt($lims->pid, $parent, 'httpd stops and starts');
        is($lims->get('/whoami')->status, 200, 'httpd answers under this MPM');
        ok($lims->finish, 'the log is clean');
    };
}

done_testing();
