#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Transactions that the database rolls back for reasons of its own (a serialization
# failure) are retried, at most three times, by the same code for the REST API and for
# limsctl. An attempt leaves nothing behind: the record is written once, signed once,
# under its own lock.
use strict;
use warnings;

use LIMS::Test;

my $lims = LIMS::Test->new;
my $code = $lims->fixture->{code};
my @here = ('--organization', $code, '--user', "administrator\@$code.example");
my $db   = $lims->db;

# A trigger that refuses as long as its sequence is not above zero; a sequence goes on
# counting through rollbacks.
$db->do('CREATE SEQUENCE lims.attempts MINVALUE -100');
$db->do(q{
    CREATE FUNCTION lims.fail_first() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
    BEGIN
        IF nextval('lims.attempts') <= 0 THEN
            RAISE EXCEPTION 'could not serialize access' USING ERRCODE = '40001';
        END IF;
        RETURN NEW;
    END $$});
$db->do('CREATE TRIGGER zz_fail_first BEFORE INSERT OR UPDATE ON lims.client
         FOR EACH ROW EXECUTE FUNCTION lims.fail_first()');

# So many attempts fail from now on; attempts() is how many there were.
my $failing = 0;

sub fail_first {
    ($failing) = @_;
    $db->do('SELECT setval(?, ?)', undef, 'lims.attempts', -$failing);
    return;
}

sub attempts {
    return $failing + $db->selectrow_array('SELECT last_value FROM lims.attempts');
}

sub clients {
    my ($name) = @_;
    return $db->selectrow_array(q{SELECT count(*) FROM lims.client WHERE code = ?}, undef, $name);
}

my %create = (
    'the REST API' => sub {
        my ($name) = @_;
        my $answer = $lims->post('/clients', { code => $name, name => $name });
        return ($answer->status == 201, $answer->status == 503, $answer->json);
    },
    'limsctl' => sub {
        my ($name) = @_;
        my $done = $lims->ctl(qw(client create --code), $name, '--name', $name, @here);
        return ($done->{exit} == 0, $done->{exit} == 4, $done->{json});
    },
);
my $number = 0;
for my $surface (sort keys %create) {
    subtest $surface => sub {
        for my $failures (0 .. 2) {
            my $name = 'RETRY-' . ++$number;
            fail_first($failures);
            my ($done, undef, $record) = $create{$surface}->($name);
            ok($done, "a record is created after $failures failures");
            is(attempts(), $failures + 1, "a record after $failures failures takes one attempt more than failed");
            is(clients($name), 1, 'the client is made once');
            is($record->{code}, $name, 'the answer has the record');
        }
        my $name = 'RETRY-' . ++$number;
        fail_first(9);
        my (undef, $refused) = $create{$surface}->($name);
        ok($refused, 'a record is refused after three failures');
        is(attempts(), 3, 'a refused record is not tried a fourth time');
        is(clients($name), 0, 'of a refused record nothing is written');
    };
}
$lims->expect_log(qr/LIMS0035: 503 service_unavailable: .*40001 could not serialize/);

subtest 'an update at the command line' => sub {
    my $id = $db->selectrow_array(q{SELECT max(id) FROM lims.client});
    fail_first(2);
    my $done = $lims->ctl(qw(client update), $id, qw(--name Renamed), @here);
    is($done->{exit}, 0, 'is done at the third attempt');
    is($done->{json}{name}, 'Renamed', 'the third attempt answers the record as it is then');
    is(attempts(), 3, 'the third attempt succeeds');
};

done_testing();
