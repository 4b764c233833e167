#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# PostgreSQL allows fewer connections than httpd would use: those there are are shared.
# Without any, requests are refused; when there are some again, nothing has to be
# restarted.
use strict;
use warnings;

use LIMS::Test;

my $lims = LIMS::Test->new(children => 1,
    conf => qq(LimsDatabaseWait 30000\nDefine LIMS_TIMEOUTS "-c statement_timeout=0"));
my $name = $lims->{database};

sub service_sessions {
    # pg_stat_activity is cached within a transaction: read it anew.
    $lims->superuser->do('SELECT pg_stat_clear_snapshot()');
    return scalar $lims->superuser->selectrow_array(
        q{SELECT count(*) FROM pg_stat_activity
           WHERE application_name = 'mod_lims' AND datname = current_database()});
}

sub others {
    $lims->superuser->do('SELECT pg_stat_clear_snapshot()');
    return scalar $lims->superuser->selectrow_array(
        q{SELECT count(*) FROM pg_stat_activity
           WHERE application_name <> 'mod_lims' AND datname = current_database()});
}

# Besides the others that there are, such as those of the test; how many.
sub allow {
    my ($count) = @_;
    my $others = others();
    $count += $others if $count >= 0;
    $lims->superuser->do("ALTER DATABASE $name CONNECTION LIMIT $count");
    return $others;
}

# Twelve clients write at once, for as long as a lock keeps them waiting: until
# what is waited for has been seen. The answers' statuses.
sub crowd {
    my ($name, $seen) = @_;
    my (undef, @statuses) = $lims->parallel(13, sub {
        my ($number) = @_;
        if (!$number) {
            # No limit keeps a superuser out.
            my $locker = $lims->superuser;
            $locker->begin_work;
            $locker->do('LOCK TABLE lims.client IN SHARE ROW EXCLUSIVE MODE');
            my $found = wait_until { $seen->() };
            $locker->commit;
            die "$name: what was waited for did not come\n" unless $found;
            return;
        }
        return [ map { $lims->post('/clients', { code => "$name-$number-$_", name => 'C' })->status }
                1 .. 3 ];
    });
    return map {@$_} @statuses;
}

$lims->forget_handles;
subtest 'fewer connections than threads' => sub {
    my $others   = allow(3);
    my @statuses = crowd('F', sub { return $lims->log =~ /\[dbd:error\]/ });
    is_deeply([ grep { $_ != 201 } @statuses ], [], 'all of 36 requests are answered');
    # Connections that others have freed meanwhile, such as a finished job, are available
    # as well.
    my $left = $others - others();
    cmp_ok(service_sessions(), '<=', 3 + ($left > 0 ? $left : 0),
        'the requests used three connections at most');
    cmp_ok(service_sessions(), '>', 0, 'the connections stay open');
    $lims->expect_log(qr/\[dbd:error\]/);
};

subtest 'no connections at all' => sub {
    allow(0);
    $lims->superuser->do(q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE application_name = 'mod_lims' AND datname = current_database()});
    wait_until { !service_sessions() };
    for my $answer ($lims->get('/clients'), $lims->post('/clients', { code => 'N', name => 'N' })) {
        is($answer->status . ' ' . $answer->json->{error}, '503 service_unavailable',
            'a request is refused');
        like($answer->header('Retry-After'), qr/\A\d+\z/, 'the refusal has Retry-After');
    }
    $lims->expect_log(qr/LIMS0051: 503 .*too many connections for database/);
};

subtest 'connections are available again' => sub {
    allow(-1);
    is($lims->post('/clients', { code => 'N', name => 'N' })->status, 201, 'the first is answered');
    my @statuses = crowd('E', sub { return service_sessions() > 3 });
    is_deeply([ grep { $_ != 201 } @statuses ], [], 'more connections than before answer all requests');
};

done_testing();
