#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Connections go from one request to the next, and so from one organization to
# another. Whatever becomes of an answer, what is left of it is nobody's: a
# connection is used again only when all that was asked on it has been answered,
# to the synchronization point.
use LIMS::Test;
use LIMS::Sluice;

my $patience = 1500;
my $sluice   = LIMS::Sluice->new;
my $lims     = LIMS::Test->new(children => 1, conf => $sluice->conf('lims_test_database_answers')
        . "Define LIMS_CONNECTIONS 1\nLimsDatabaseTimeout $patience\nLimsDatabaseWait 60000\n"
        . "LimsRecoveryInterval 1\n");
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
        '... and after it each gets its own');
    return;
}

sub sessions {
    return $lims->superuser->selectcol_arrayref(q{SELECT pid FROM pg_stat_activity
        WHERE application_name = 'mod_lims' AND datname = current_database()});
}

each_gets_its_own();
my %answer = (
    client_get => $sluice->overhear(sub { name_of('ours') }, 'client_get'),
    COMMIT     => $sluice->overhear(
        sub { $lims->post('/clients', { code => 'B', name => 'ours' }) }, 'COMMIT'),
);

for my $words (sort keys %answer) {
    my $count = @{ $answer{$words} };
    cmp_ok($count, '>', 3, "an answer to $words has $count messages");
    for my $pass (0, int $count / 2, $count - 1) {
        subtest "given up when $pass of them had come" => sub {
            my ($held, $lost) = ($sluice->held, $sluice->lost('client_get'));
            my $code = "$words-$pass";

            $sluice->rule(of => $words, pass => $pass);
            my $answer = $words eq 'COMMIT' ? $lims->post('/clients', { code => $code, name => 'ours' })
                : $lims->get("/clients/$id{ours}");
            is($answer->status . ' ' . $answer->json->{error}, '503 service_unavailable',
                'it is refused');
            cmp_ok($sluice->held, '>', $held, '... as it was not answered in time');
            $sluice->rule;
            each_gets_its_own();
            cmp_ok($sluice->lost('client_get', $lost), '>', $lost, 'its connection was closed');
        };
    }
}
$lims->expect_log(qr/LIMS0046: 503 service_unavailable/);
$lims->allow_log(qr/LIMS0(?:051|057|090|120)/);

subtest 'an answer to nobody' => sub {
    my $lost = $sluice->lost('client_get');
    $sluice->rule(stray => join '', @{ $answer{client_get} });
    each_gets_its_own();
    cmp_ok($sluice->lost('client_get', $lost), '>', $lost, 'the connection that it came on was closed');

    # A job that has a connection at that moment hears it as well, and libpq says so on
    # standard error.
    $lims->allow_log(qr/\ANOTICE:\s*\z/);
    $lost = $sluice->lost('client_get');
    $sluice->rule(stray => "S\0\0\0\x11TimeZone\0UTC\0N\0\0\0\x14SNOTICE\0C00000\0\0");
    each_gets_its_own();
    is($sluice->lost('client_get'), $lost, 'what a server may say at any time is no such thing');
};

# As the end of a transaction does that nobody opened.
subtest 'what fails at the synchronization point' => sub {
    my $error = "SERROR\0VERROR\0C40001\0Mtoo late\0\0";
    my $lost  = $sluice->lost('client_get');
    $sluice->rule(of => 'client_get', before => 'E' . pack('N', 4 + length $error) . $error);
    my $answer = $lims->get("/clients/$id{ours}");
    is($answer->status . ' ' . $answer->json->{error}, '503 service_unavailable', 'has failed');
    $lims->expect_log(qr/LIMS0035: 503 service_unavailable: .*40001 too late/);
    $sluice->rule;
    each_gets_its_own();
    is($sluice->lost('client_get'), $lost, 'the connection is as good as before');
};

# Of which the server's last words may have come already when it is given up.
subtest 'a connection that can only be read' => sub {
    my $name = $lims->{database};
    $lims->superuser->do("ALTER DATABASE $name SET default_transaction_read_only = on");
    $lims->superuser->do(q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE application_name = 'mod_lims' AND datname = current_database()});
    $sluice->rule(whole => 1);
    is($lims->post('/clients', { code => 'R', name => 'R' })->status, 503, 'a write is refused');
    $lims->expect_log(qr/LIMS0045: 503 service_unavailable/);
    # On a connection of its own, where libpq says on standard error what it thinks.
    for (1 .. 1500) {
        last if $lims->log =~ /LIMS0090: .*25006/;
        select undef, undef, undef, 0.02;
    }
    $lims->expect_log(qr/LIMS0090: .*25006/);
    $lims->superuser->do("ALTER DATABASE $name RESET default_transaction_read_only");
    1 until $lims->post('/clients', { code => 'R', name => 'R' })->status == 201;
    each_gets_its_own();
};

done_testing();
