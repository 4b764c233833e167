#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The command line does the same as the REST API: the same records, events and audit trail,
# the same isolation of organizations.
use strict;
use warnings;

use LIMS::Test;

my $lims = LIMS::Test->new;
my $code = $lims->fixture->{code};
my @here = ('--organization', $code, '--user', "administrator\@$code.example");
my $db   = $lims->db;

sub ctl {
    my (@arguments) = @_;
    my $done = $lims->ctl(@arguments, @here);
    is($done->{exit}, 0, "limsctl @arguments") or diag($done->{output});
    return $done->{json};
}

my $material = ctl(qw(material-type create --code DW --name Water))->{id};
my $method   = ctl(qw(test-definition create --code PH --name pH --result-type numeric))->{id};

# One sample goes all the way through the API, another through limsctl.

my %sample = (clientName => 'Acme', materialTypeId => $material, testDefinitionIds => [$method]);
my $api    = $lims->post('/samples', \%sample)->json;
$lims->patch("/samples/$api->{id}/status", { status => 'received' });
my $test = $api->{tests}[0]{id};
$lims->patch("/sample-tests/$test", { result => '7.10' });
$lims->post("/sample-tests/$test/verify");
$lims->patch("/samples/$api->{id}/status", { status => 'verified' });
my $reported = $lims->post("/samples/$api->{id}/report")->json;

my $between = $db->selectrow_array('SELECT max(id) FROM lims.event');
my $own = ctl(qw(sample create --client-name Acme --material-type-id), $material,
    '--test-definition-ids', $method);
ctl(qw(sample status), $own->{id}, qw(--status received));
my $mine = $own->{tests}[0]{id};
ctl(qw(sample-test enter), $mine, qw(--result 7.10));
ctl(qw(sample-test verify), $mine);
ctl(qw(sample status), $own->{id}, qw(--status verified));
my $done = ctl(qw(sample report), $own->{id});

# Removes members that differ by nature: user, time, id, and the digest of those.
sub stripped {
    my ($value) = @_;
    return [ map { stripped($_) } @$value ] if ref $value eq 'ARRAY';
    return $value unless ref $value eq 'HASH';
    return { map { $_ => /(?:\A[iI]d|Id|At|Identifier|\Aetag)\z/ ? defined $value->{$_} : stripped($value->{$_}) }
            keys %$value };
}

is($reported->{status}, 'reported', 'the sample of the API is reported');
is_deeply(stripped($done), stripped($reported), 'the records are alike');
is($lims->get("/samples/$own->{id}")->status, 200, 'each surface sees the other\'s');
is_deeply(ctl(qw(sample show), $own->{id}), $lims->get("/samples/$own->{id}")->json,
    'limsctl and API show the same record');

sub events {
    my ($from, $to) = @_;
    my $rows = $db->selectall_arrayref(q{
        SELECT type, data::text FROM lims.event WHERE id > ? AND id <= ? ORDER BY id},
        undef, $from, $to);
    return [ map { [ $_->[0], stripped(LIMS::Service::JSONSchema::decode($_->[1])) ] } @$rows ];
}
my ($through_api, $at_line) = (events(0, $between), events($between, 1e9));
is_deeply([ map { $_->[0] } @$through_api ],
    [qw(sample.created sample.received result.entered result.verified sample.reported)],
    'events of the API\'s sample');
is_deeply($at_line, $through_api, 'the events are the same');

sub trail {
    my ($table, $id) = @_;
    return $db->selectall_arrayref(q{
        SELECT action, (SELECT string_agg(k, ' ' ORDER BY k) FROM json_object_keys(changes) k),
               user_id, request_id IS NOT NULL
          FROM lims.audit_entry
         WHERE table_name = ? AND record_id = ? ORDER BY id}, undef, $table, $id);
}
is_deeply(trail(sample      => $own->{id}), trail(sample      => $api->{id}),
    'audit of the sample');
is_deeply(trail(sample_test => $mine),      trail(sample_test => $test),      'audit of the test');
is($db->selectrow_array(q{SELECT count(api_key_id) FROM lims.audit_entry
                           WHERE table_name = 'sample' AND record_id = ?}, undef, $own->{id}), 0,
    'the audit trail of limsctl names no key');

# The wall between organizations.

my $other   = $lims->organization(code => 'other');
my @there   = qw(--organization other --user administrator@other.example);
my $foreign = $lims->ctl(qw(sample show), $own->{id}, @there);
is($foreign->{exit}, 3, 'another organization does not see the sample');
is($foreign->{json}{message}, $lims->ctl(qw(sample show 999999), @there)->{json}{message}
        =~ s/999999/$own->{id}/r, 'the message is that of an unknown id');
is($lims->ctl(qw(client create --code x --name x --organization other), @here[ 2, 3 ])->{exit}, 3,
    'a user of one organization does not act in another');
is($lims->ctl(qw(sample create --client-name x --material-type-id), $material, @there)->{exit}, 1,
    'a reference to another organization\'s record is refused');

done_testing();
