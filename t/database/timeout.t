#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# A statement that takes longer than the statement_timeout of conf/lims.conf, or
# waits for a lock longer than its lock_timeout, is given up once: what was too
# slow is not tried again at the caller's expense.
use strict;
use warnings;

use LIMS::Test;
use LIMS::Test::Source;

use Time::HiRes qw(time);

my $conf    = text('conf/lims.conf');
my %timeout = map { $_ => ($conf =~ /\b${_}_timeout=(\d+)/)[0] / 1000 } qw(statement lock);
my $lims    = LIMS::Test->new;
my $body    = { code => 'A', name => 'A' };

cmp_ok($timeout{lock}, '<', $timeout{statement}, 'a lock is waited for less long');
is($lims->get('/clients')->status, 200, 'the list is there');
$lims->db->do(<<'END');
CREATE FUNCTION lims.be_slow() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN PERFORM pg_sleep(60); RETURN NEW; END';
CREATE TRIGGER slow BEFORE INSERT ON lims.project FOR EACH ROW EXECUTE FUNCTION lims.be_slow();
END
$lims->db->begin_work;
$lims->db->do('LOCK TABLE lims.client IN ACCESS EXCLUSIVE MODE');

my @requests = ([ 'lock', 'GET', '/clients' ], [ 'lock', 'POST', '/clients' ],
    [ 'statement', 'POST', '/projects' ]);
my @answers = $lims->parallel(scalar @requests, sub {
    my (undef, $method, $path) = @{ $requests[ $_[0] ] };
    my $begun  = time;
    my $answer = $lims->request($method, $path, $method eq 'POST' ? (body => $body) : ());
    return { status => $answer->status, error => $answer->json->{error},
        retry => $answer->header('Retry-After'), took => time - $begun };
});
$lims->db->rollback;
$lims->db->do('DROP TRIGGER slow ON lims.project');

for my $number (0 .. $#requests) {
    my ($kind, $method, $path) = @{ $requests[$number] };
    my $answer = $answers[$number];

    is("$answer->{status} $answer->{error}", '503 service_unavailable',
        "$method $path is given up");
    cmp_ok($answer->{took}, '>=', $timeout{$kind}, "$method $path is given up when ${kind}_timeout has passed");
    cmp_ok($answer->{took}, '<', 2 * $timeout{$kind}, "$method $path is given up at the first time");
    like($answer->{retry} // '', qr/\A\d+\z/, 'the refusal has Retry-After');
    is($lims->request($method, $path, $method eq 'POST' ? (body => $body) : ())->status,
        $method eq 'POST' ? 201 : 200,
            'afterwards the request succeeds, so nothing was done before');
}
$lims->expect_log(qr/LIMS0043: 503 service_unavailable: .*(?:57014|55P03)/);

done_testing();
