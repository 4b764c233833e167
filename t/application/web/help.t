#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# In a browser: what explains the application. `?` says what a screen is for, an empty list
# leads to what fills it, the guide says what each role does, the reference what a program can
# ask.
use strict;
use warnings;

use LIMS::Service::Person;
use LIMS::Test;
use LIMS::Test::Browser;

# Signs up a laboratory that has nothing yet, and answers who may do everything there.
sub beginner {
    my ($lims) = @_;
    my $laboratory = $lims->organization(code => 'highland', name => 'Highland Water Laboratory',
        time_zone => 'Europe/London');
    my $person = LIMS::Service::Person->new($lims, organization => $laboratory,
        roles => [qw(administrator lab_manager)]);
    return { email => $person->email, password => $person->password };
}

LIMS::Test::Browser::run('help', undef, acts => { beginner => \&beginner });
done_testing();
