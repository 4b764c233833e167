#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Brief reads take turns: who gets none within LimsDatabaseWait is told 503. What
# may take long, a search or a write, neither holds a turn nor waits for one.
use LIMS::Laboratory;
use LIMS::Test;
use LIMS::Wire qw(message);
use Time::HiRes qw(time);

my $wait = 400;
my $lims = LIMS::Test->new(
    children => 1,
    conf     => <<"END",
Define LIMS_TIMEOUTS "-c statement_timeout=0"
LimsDatabaseReads 1
LimsDatabaseWait $wait
LimsDatabaseTimeout 60000
END
);

my $sample = LIMS::Laboratory->new($lims)->sample;

# A request whose answer is not read yet, in the database and waiting there.
sub stuck {
    my ($path, $number) = @_;
    my $socket = $lims->socket;

    syswrite $socket, message($lims, 'GET', $path);
    for (1 .. 1000) {
        last if $lims->superuser->selectrow_array(
            q{SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'
               AND application_name = 'mod_lims' AND datname = current_database()}) == $number;
        select undef, undef, undef, 0.01;
    }
    return $socket;
}

sub answer_of {
    my ($socket) = @_;
    my $raw = '';
    while (sysread $socket, my $some, 65536) { $raw .= $some }
    return $raw;
}

my $blocker = LIMS::Instance::connect_database($lims->{database}, 'lims_owner');
$blocker->begin_work;
$blocker->do('LOCK TABLE lims.client IN ACCESS EXCLUSIVE MODE');

my $search = stuck('/clients?code=X', 1);
is($lims->get('/projects')->status, 200, 'a search that takes long holds no turn');

my $page = stuck('/clients', 2);
for my $path (qw(/projects /whoami)) {
    my $start  = time;
    my $answer = $lims->get($path, connection => 'new');
    is($answer->status . ' ' . $answer->json->{error}, '503 service_unavailable',
        "$path gets no turn behind a page that takes long");
    like($answer->header('Retry-After'), qr/\A\d+\z/, '... and is told when to come again');
    cmp_ok(1000 * (time - $start), '>=', $wait - 20, "... after it has waited $wait ms");
    $lims->expect_log(qr/LIMS0057: 503 /);
}
is($lims->get('/projects?code=X')->status, 200, 'a search waits for no turn');
is($lims->patch("/samples/$sample->{id}", { notes => 'meanwhile' })->status, 200,
    'nor does a write');

$blocker->rollback;
$blocker->disconnect;
like(answer_of($_), qr{\AHTTP/1\.1 200 }, 'who waited for the database got an answer')
    for $search, $page;
my @statuses = $lims->parallel(8, sub {
    return [ map { $lims->get('/projects')->status } 1 .. 20 ];
});
is_deeply([ grep { $_ != 200 } map {@$_} @statuses ], [], 'one after another, all are answered');

done_testing();
