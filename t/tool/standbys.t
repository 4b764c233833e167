#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# limsctl check reports what a commit survives from the standbys that are connected, not
# from what is configured.
use strict;
use warnings;

use LIMS::Chaos::PostgreSQL;
use LIMS::Test;

my $first  = LIMS::Chaos::PostgreSQL->own('standbys');
my $second;
my $lims   = LIMS::Test->new;

# The state of the finding, and what it says; after a while, as standbys come and go.
sub is_found {
    my ($state, $words, $name) = @_;
    my $finding;
    wait_until {
        ($finding) = grep { $_->{subject} eq 'standbys' }
            @{ $lims->ctl('check')->{json}{findings} };
        $finding->{state} eq $state && $finding->{finding} =~ $words;
    } 30;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    is($finding->{state}, $state, $name);
    like($finding->{finding}, $words, 'the finding says it in words');
    return $finding->{remedy};
}

sub set { return $first->say((map {"ALTER SYSTEM SET $_"} @_), 'SELECT pg_reload_conf()') }

is_found(ok => qr/\Anone: a commit is lost with this server/, 'no standby');
$second = $first->standby;
like(is_found(warning => qr/\A1, and this login does not see/, 'the owner sees no more than that'),
    qr/GRANT pg_read_all_stats TO lims_owner/, 'the finding says which grant shows more to the owner');
$first->say('GRANT pg_read_all_stats TO lims_owner');
is_found(warning => qr/1, none of them synchronous: a failover may lose/, 'a standby that lags');
set(q{synchronous_standby_names = '*'});
is_found(ok => qr/a commit survives the loss of this server: \S+ \(sync\)/, 'a synchronous one');
set(q{synchronous_commit = 'local'});
is_found(warning => qr/synchronous_commit is local: commits do not wait/, 'for which nobody waits');
set(q{synchronous_commit = 'on'});
$second->stop('INT');
is_found(failed => qr/synchronous_standby_names is \*, and none .*commits wait/, 'a name alone');
set(q{synchronous_standby_names = ''});
is_found(ok => qr/\Anone: /, 'without a name alone again');

done_testing();
