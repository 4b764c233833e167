#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The database may be down when httpd starts, and may be restarted under it: what
# cannot be done meanwhile is answered with 503, nothing is half done or done
# twice, and httpd needs no hand to work again. On a cluster of its own.
use LIMS::Test;
use LIMS::Instance;
use Time::HiRes qw(time sleep);

# Before anything is started, because all else shares one that must stay up.
$LIMS::Instance::cluster = "$LIMS::Instance::root/build/test/restart";

my $lims = LIMS::Test->new(conf => 'LimsDatabaseWait 300');
# A cluster for tests promises less than one should: here commits count.
$lims->superuser->do("ALTER DATABASE $lims->{database} SET synchronous_commit = on");
my ($home, $tool) = (LIMS::Instance::home($LIMS::Instance::cluster),
    "$LIMS::Instance::root/build/instance");

# Ours are as lost as anybody's when the database stops.
sub forget_handles {
    $_->disconnect for values %{ delete $lims->{handles}{$$} || {} };
    return;
}

# INT ends the sessions and then the server, QUIT drops everything at once.
sub stop_database {
    my ($signal) = @_;
    open my $in, '<', "$home/pg/data/postmaster.pid" or die "postmaster.pid: $!\n";
    my ($pid) = <$in> =~ /\A(\d+)/;

    forget_handles();
    kill $signal, $pid or die "postmaster $pid: $!\n";
    for (1 .. 500) {
        return if !kill 0, $pid;
        sleep 0.01;
    }
    die "the database did not stop\n";
}

sub start_database {
    LIMS::Instance::run($tool, 'cluster', $LIMS::Instance::cluster);
    return;
}

# Seconds until the service answers a read.
sub recovery {
    my $start = time;
    while (time - $start < 10) {
        return time - $start if $lims->get('/whoami')->status == 200;
        sleep 0.02;
    }
    return 'never';
}

subtest 'down when httpd starts' => sub {
    is($lims->get('/whoami')->status, 200, 'at first all is well');
    $lims->stop;
    stop_database('INT');
    ok(eval { $lims->start; 1 }, 'httpd starts all the same') or diag($@);
    my $pid = $lims->pid;
    $lims->expect_log(qr/LIMS0110: the schema could not be checked at start/);
    for my $method (qw(GET POST)) {
        my $answer = $lims->request($method, '/clients',
            $method eq 'POST' ? (body => { code => 'D', name => 'D' }) : ());
        is($answer->status . ' ' . $answer->json->{error}, '503 service_unavailable',
            "$method: the service is not available");
        like($answer->header('Retry-After'), qr/\A[1-9]\d*\z/, '... and says when to come again');
        unlike($answer->json->{message}, qr/socket|postgres|\.s\.PGSQL/i,
            '... and nothing about our insides');
    }
    is($lims->get('/whoami', key => 'lk_mistyped')->status, 401,
        'what needs no database is answered as ever');
    $lims->expect_log(qr/LIMS0051: 503/);
    $lims->expect_log(qr/\[dbd:error\]/);
    start_database();
    cmp_ok(recovery(), '<', 5, 'once the database is there, so is the service');
    is($lims->pid, $pid, '... without touching httpd');
};

subtest 'sessions ended while nobody asks' => sub {
    for my $round (1 .. 3) {
        $lims->parallel(6, sub { return $lims->get('/clients')->status });
        my ($ended) = $lims->superuser->selectrow_array(
            q{SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
               WHERE application_name = 'mod_lims'});
        cmp_ok($ended, '>', 0, "round $round: there were some");
        sleep 0.1;
        is($lims->post('/clients', { code => "E-$round", name => 'E' })->status, 201,
            '... a write gets a new one at once');
        is($lims->get('/clients')->status, 200, '... and so does a read');
    }
};

for my $signal (qw(INT QUIT)) {
    subtest "restarted under load (SIG$signal)" => sub {
        my $pid      = $lims->pid;
        my @children = $lims->children;
        my @seen     = $lims->parallel(7, sub {
            my ($number) = @_;
            if ($number == 0) {
                sleep 0.4;
                stop_database($signal);
                sleep 0.3;
                start_database();
                return {};
            }
            my %seen;
            my $begin = time;
            for (my $n = 1; $n <= 40 || time - $begin < 2; $n++) {
                my $name = "$signal-$number-$n";
                # Each until it is confirmed, as a careful client does it.
                for my $try (1 .. 400) {
                    my $answer = $number % 2
                        ? $lims->get('/clients?limit=5')
                        : $lims->post('/clients', { code => $name, name => 'C' },
                            headers => { 'Idempotency-Key' => $name });
                    $seen{ $answer->status }++;
                    $seen{'503 without Retry-After'}++
                        if $answer->status == 503 && !$answer->header('Retry-After');
                    if ($answer->status =~ /^2/) {
                        push @{ $seen{made} }, $name unless $number % 2;
                        last;
                    }
                    sleep 0.02;
                }
            }
            return \%seen;
        });
        forget_handles();
        my (%status, @made);
        for my $each (@seen) {
            push @made, @{ delete $each->{made} || [] };
            $status{$_} += $each->{$_} for keys %$each;
        }
        is_deeply([ sort grep { !/^(?:200|201|503)$/ } keys %status ], [],
            'answers are 200, 201 or 503 with Retry-After') or diag(explain \%status);
        cmp_ok($status{503} || 0, '>', 0, 'it was really away');
        my $rows = $lims->db->selectcol_arrayref(
            'SELECT code FROM lims.client WHERE code LIKE ? ORDER BY code', undef, "$signal-%");
        is_deeply($rows, [ sort @made ], 'what was confirmed is there, once, and nothing else');
        is($lims->db->selectrow_array(
                q{SELECT count(*) FROM lims.audit_entry a JOIN lims.client c ON c.id = a.record_id
                   WHERE a.table_name = 'client' AND c.code LIKE ?}, undef, "$signal-%"),
            scalar @made, '... with an audit entry each');
        is_deeply([ map { $lims->get('/clients')->status } 1 .. 30 ], [ (200) x 30 ],
            'afterwards every request is answered');
        is($lims->pid, $pid, 'by the same httpd');
        is_deeply([ $lims->children ], \@children, 'and the same children: none crashed');
    };
}

$lims->expect_log(qr/LIMS00(?:3[68]|51|30): 503 service_unavailable/);
ok($lims->finish, 'the log is clean');
LIMS::Instance::run($tool, 'remove', $LIMS::Instance::cluster);

done_testing();
