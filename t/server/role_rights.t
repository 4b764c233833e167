#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# A service whose role is above row-level security would see all organizations, and
# nobody would notice: that is said at every start, and by limsctl check, until it is
# put right. Roles belong to a whole cluster, so the test has one of its own.
use strict;
use warnings;

use LIMS::Test;
use LIMS::Chaos::PostgreSQL;

my $server = LIMS::Chaos::PostgreSQL->own('server-rights');
my $lims   = LIMS::Test->new;
my @cases  = (
    {   name  => 'a superuser',
        spoil => ['ALTER ROLE lims_app SUPERUSER'],
        mend  => ['ALTER ROLE lims_app NOSUPERUSER'],
        words => qr/the role lims_app is a superuser, and sees all organizations/,
    },
    {   name  => 'above row-level security',
        spoil => ['ALTER ROLE lims_app BYPASSRLS'],
        mend  => ['ALTER ROLE lims_app NOBYPASSRLS'],
        words => qr/the role lims_app is above row-level security \(BYPASSRLS\), and sees all/,
    },
    {   name  => 'a member of the owner',
        spoil => [ 'REVOKE lims_app FROM lims_owner', 'GRANT lims_owner TO lims_app' ],
        mend  => [ 'REVOKE lims_owner FROM lims_app', 'GRANT lims_app TO lims_owner' ],
        words => qr/the role lims_app is lims_owner or a member of it, and sees all organizations/,
    },
);

# Returns the lines of httpd's log at a start.
sub told {
    my $before = length $lims->log;
    $lims->restart;
    return join '', grep {/LIMS0363/} map {"$_\n"} split /\n/, substr $lims->log, $before;
}

is(told(), '', 'a role as it should be is nothing to speak of');
is($lims->ctl('check')->{exit}, 0, 'limsctl check agrees');
$lims->allow_log(qr/LIMS0363: /);
for my $case (@cases) {
    subtest "a role that is $case->{name}" => sub {
        $server->say(@{ $case->{spoil} });
        my $told = told();
        like($told,
            qr/:crit\] .*LIMS0363: host localhost:\d+, database \Q$lims->{database}\E\@.*$case->{words}/,
            'is said at the start');
        is(() = $told =~ /^.*host localhost:\Q$lims->{instance}{port}\E/mg, 1,
            'each host is named once');
        isnt($lims->ctl('check')->{exit}, 0, 'limsctl check fails on the rights');
        $server->say(@{ $case->{mend} });
        is(told(), '', 'nothing is reported when the rights are put right');
        is($lims->ctl('check')->{exit}, 0, 'limsctl check passes when the rights are put right');
    };
}

done_testing();
