#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The files of Cedar Basin's photometer: one that became results, and one that
# waits for a person; and profiles that come with the service, in use.
use strict;
use warnings;

use LIMS::Service::Demo;
use LIMS::Test;

my $demo  = LIMS::Service::Demo->new;
my $cedar = $demo->laboratory('cedar-basin');
my %file  = map { $_->{fileName} => $_ }
    @{ $cedar->done('ruth.calder', 'instrument-file', 'list')->{data} };

is_deeply([ sort keys %file ], [ 'cod-morning.csv', 'cod-noon.csv' ], 'two files are there');

subtest 'a file that is imported' => sub {
    my %result = map { $_ => $cedar->test($_, 'COD') } qw(COC-9101 COC-9102);

    is($file{'cod-morning.csv'}{status},      'imported',       'the file is imported');
    is($file{'cod-morning.csv'}{profileCode}, 'visionlite-cod',
        'the photometer\'s profile read it');
    is($result{'COC-9101'}{result}, '402',     'the result of an influent');
    is($result{'COC-9102'}{result}, '38',      'the result of an effluent');
    is($result{'COC-9102'}{status}, 'entered', 'the result is entered and not verified');
};

subtest 'a file that waits for a person' => sub {
    my $file  = $cedar->done('ruth.calder', 'instrument-file', 'show', $file{'cod-noon.csv'}{id});
    my @codes = sort map { $_->{code} } @{ $file->{reasons} };

    is($file->{status}, 'quarantined', 'the file is in quarantine');
    is("@codes", 'instrument_error_flag unknown_tracking_id', 'it has both reasons');
    is($cedar->test('COC-9103', 'COD')->{result}, undef, 'its correct row is not entered either');
};

subtest 'profiles are in use' => sub {
    my @active = sort map { $_->{code} } grep { $_->{status} eq 'active' }
        @{ $cedar->done('ruth.calder', 'profile', 'list')->{data} };

    is("@active", 'agilent-masshunter-calculated shimadzu-gcmssolution thermo-qubit-flex '
        . 'visionlite-cod', 'the laboratory\'s own, and three that come with the service');
};

done_testing();
