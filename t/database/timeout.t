#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# A statement that takes longer than the statement_timeout of conf/lims.conf is
# given up once: what was too slow is not tried again at the caller's expense.
use LIMS::Test;
use LIMS::Source;

use Time::HiRes qw(time);

my ($timeout) = map { $_ / 1000 } text('conf/lims.conf') =~ /\bstatement_timeout=(\d+)/;
my $lims = LIMS::Test->new;
my $body = { code => 'A', name => 'A' };

is($lims->get('/clients')->status, 200, 'the list is there');
$lims->db->begin_work;
$lims->db->do('LOCK TABLE lims.client IN ACCESS EXCLUSIVE MODE');

my @answers = $lims->parallel(2, sub {
    my ($number) = @_;
    my $begun  = time;
    my $answer = $number ? $lims->post('/clients', $body) : $lims->get('/clients');
    return { status => $answer->status, error => $answer->json->{error},
        retry => $answer->header('Retry-After'), took => time - $begun };
});
$lims->db->rollback;

for my $number (0, 1) {
    my $answer = $answers[$number];
    my $name   = $number ? 'a write' : 'a read';

    is("$answer->{status} $answer->{error}", '503 service_unavailable', "$name is given up");
    cmp_ok($answer->{took}, '>=', $timeout, '... when its time is up');
    cmp_ok($answer->{took}, '<', 2 * $timeout, '... at the first time');
    like($answer->{retry} // '', qr/\A\d+\z/, '... with Retry-After');
}
is($lims->get('/clients')->status, 200, 'then all is as before');
is($lims->post('/clients', $body)->status, 201, '... and nothing was done');
$lims->expect_log(qr/LIMS0043: 503 service_unavailable: .*57014/);

done_testing();
