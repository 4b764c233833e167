#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Database connections are reused, by requests of other organizations too. A connection is
# reused only when every answer on it was read to the synchronization point; otherwise it
# is closed, so that nobody gets what is left of somebody else's answer.
use strict;
use warnings;

use LIMS::Chaos::PgProxy;
use LIMS::Test;

my $proxy = LIMS::Chaos::PgProxy->new;
my $conf   = $proxy->conf('lims_test_database_connection_reuse')
    . "Define LIMS_CONNECTIONS 1\nLimsDatabaseWait 60000\n";
my $lims = LIMS::Test->new(children => 1, conf => "${conf}LimsRecoveryInterval 86400\n"
        . "LimsIngestResume 86400\nLimsWebhookDispatchers 0\n");
my $other = $lims->organization(code => 'other-laboratory');
my %key   = (ours => $lims->{key}, theirs => $other->{key});
my %id    = map {
    $_ => $lims->post('/clients', { code => 'A', name => $_ }, key => $key{$_})->json->{id} } keys %key;

# On a machine that is slow, asked again.
sub name_of {
    my ($whose) = @_;
    for (1 .. 20) {
        my $answer = $lims->get("/clients/$id{$whose}", key => $key{$whose});
        next if $answer->status == 503;
        return $answer->status == 200 ? $answer->json->{name} : $answer->body;
    }
    return 'nothing';
}

sub each_gets_its_own {
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    is_deeply([ map { name_of($_) } qw(theirs ours theirs) ], [qw(theirs ours theirs)],
        'after it each request gets its own answer');
    return;
}

each_gets_its_own();
my %answer = (
    client_get => $proxy->record_answer(sub { name_of('ours') }, 'client_get'),
    COMMIT     => $proxy->record_answer(
        sub { $lims->post('/clients', { code => 'B', name => 'ours' }) }, 'COMMIT'),
);

subtest 'an unsolicited answer' => sub {
    my $lost = $proxy->lost('client_get');
    $proxy->rule(stray => join '', @{ $answer{client_get} });
    each_gets_its_own();
    cmp_ok($proxy->lost('client_get', $lost), '>', $lost,
        'the connection that it came on was closed');

    $lost = $proxy->lost('client_get');
    $proxy->rule(stray => "S\0\0\0\x11TimeZone\0UTC\0N\0\0\0\x14SNOTICE\0C00000\0\0");
    each_gets_its_own();
    is($proxy->lost('client_get'), $lost,
        'an asynchronous message of the server closes no connection');
};

subtest 'one answer too many' => sub {
    my $lost = $proxy->lost('client_get');
    $proxy->rule(of => 'client_get', before => join '', grep { !/\AZ/ } @{ $answer{client_get} });
    my $answer = $lims->get("/clients/$id{theirs}", key => $key{theirs});
    is($answer->status . ' ' . $answer->json->{error}, '503 service_unavailable',
        'makes all of them worthless');
    $lims->expect_log(qr/LIMS0038: 503 service_unavailable: .*: an answer that nothing had asked for/);
    $proxy->rule;
    each_gets_its_own();
    cmp_ok($proxy->lost('client_get', $lost), '>', $lost, 'the connection was closed');
};

# As the end of a transaction does that nobody opened.
subtest 'an error at the synchronization point' => sub {
    my $error = "SERROR\0VERROR\0C40001\0Mtoo late\0\0";
    my $lost  = $proxy->lost('client_get');
    $proxy->rule(of => 'client_get', before => 'E' . pack('N', 4 + length $error) . $error);
    my $answer = $lims->get("/clients/$id{ours}");
    is($answer->status . ' ' . $answer->json->{error}, '503 service_unavailable',
        'the request has failed');
    $lims->expect_log(qr/LIMS0035: 503 service_unavailable: .*40001 too late/);
    $proxy->rule;
    each_gets_its_own();
    is($proxy->lost('client_get'), $lost, 'the connection is as good as before');
};

# One who waits for no answer longer than two seconds.
$lims = LIMS::Test->new(beside => $lims, children => 1, conf => "${conf}LimsDatabaseTimeout 2000\n"
        . "LimsRecoveryInterval 1\n");
each_gets_its_own();
for my $words (sort keys %answer) {
    my $count = @{ $answer{$words} };
    for my $pass ($words eq 'COMMIT' ? () : (0, int $count / 2), $count - 1) {
        subtest "$words: given up when $pass of $count messages had come" => sub {
            my ($held, $lost) = ($proxy->held, $proxy->lost('client_get'));
            my $code = "$words-$pass";

            $proxy->rule(of => $words, pass => $pass);
            my $answer = $words eq 'COMMIT' ? $lims->post('/clients', { code => $code, name => 'ours' })
                : $lims->get("/clients/$id{ours}");
            is($answer->status . ' ' . $answer->json->{error}, '503 service_unavailable',
                'the request is refused');
            cmp_ok($proxy->held, '>', $held, 'the request is refused because it was not answered in time');
            $proxy->rule;
            each_gets_its_own();
            cmp_ok($proxy->lost('client_get', $lost), '>', $lost, 'its connection was closed');
        };
    }
}
$lims->expect_log(qr/LIMS0046: 503 service_unavailable/);
$lims->allow_log(qr/LIMS0(?:051|057|090|120)/);

# The server's last words may have arrived already when such a connection is given up.
subtest 'a read-only connection' => sub {
    my $name = $lims->{database};
    $lims->superuser->do("ALTER DATABASE $name SET default_transaction_read_only = on");
    $lims->superuser->do(q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE application_name = 'mod_lims' AND datname = current_database()});
    $proxy->rule(whole => 1);
    is($lims->post('/clients', { code => 'R', name => 'R' })->status, 503, 'a write is refused');
    $lims->expect_log(qr/LIMS0045: 503 service_unavailable/);
    # So are the jobs, on connections of their own.
    $lims->expect_log(qr/LIMS0090: .*25006/);
    $lims->superuser->do("ALTER DATABASE $name RESET default_transaction_read_only");
    wait_until { $lims->post('/clients', { code => 'R', name => 'R' })->status == 201 };
    each_gets_its_own();
};

done_testing();
