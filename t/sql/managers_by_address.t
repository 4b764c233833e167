#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# A person whom a provider of identities finds by the e-mail address alone can sign in, and is
# one of those who manage users: the last of them stays, and the owner of the database does not
# act in their place. An address by which nobody has signed in yet says nothing.
use strict;
use warnings;

use LIMS::Test::SQL;

my $base = LIMS::Test::SQL->new;
my $db   = $base->db;
my @mine = $db->selectrow_array(
    q{INSERT INTO lims.organization (code, name) VALUES ('cedar', 'Cedar') RETURNING id});

sub person {
    my ($name) = @_;
    my ($id) = $db->selectrow_array(q{INSERT INTO lims.user_account (organization_id, email,
        display_name) VALUES (?, ?, ?) RETURNING id}, undef, @mine, "$name\@cedar.example", $name);
    $db->do(q{INSERT INTO lims.user_role (organization_id, user_id, role)
        VALUES (?, ?, 'administrator')}, undef, @mine, $id);
    return $id;
}

sub sign_in {
    my ($id, $name) = @_;
    return $db->selectrow_array(q{SELECT lims.begin_identified_session(?, ?, 'ldap', ?, true,
        '{cedar}', sha256(convert_to(?, 'UTF8')), '192.0.2.1', NULL)}, undef, @mine, $id, $name,
        $name . rand);
}

sub recovery { return $base->value('SELECT lims.recovery(?)', @mine) }
sub manager  { return $base->value('SELECT lims.has_manager(?)', @mine) }

my $ada = person('ada');
is(recovery(), 'first', 'nobody has signed in by an address: the owner makes the first');
ok(!manager(), 'nobody manages users yet');
ok(!sign_in($ada, 'ada @cedar.example'), 'another name signs nobody in');
ok(sign_in($ada, 'Ada@cedar.example'), 'the provider finds ada by the address');
is(recovery(), 'no', 'the owner does not act in the place of people any more');
ok(manager(), 'ada manages users');

for my $change ([ 'deactivating', 'UPDATE lims.user_account SET active = false WHERE
            organization_id = ? AND id = ?' ],
    [ 'taking the role of', 'DELETE FROM lims.user_role WHERE organization_id = ? AND user_id = ?' ]) {
    refused($db, $change->[1], [ @mine, $ada ], 'last_administrator', "$change->[0] the last");
}
refused($db, q{DELETE FROM lims.role_permission WHERE organization_id = ?
    AND permission = 'user.manage'}, [@mine], 'last_administrator', 'taking the permission away');

my $bo = person('bo');
refused($db, 'UPDATE lims.user_account SET active = false WHERE organization_id = ? AND id = ?',
    [ @mine, $ada ], 'last_administrator', 'while the other has not signed in');
ok(sign_in($bo, 'bo@cedar.example'), 'bo signs in');
ok($db->do('UPDATE lims.user_account SET active = false WHERE organization_id = ? AND id = ?',
    undef, @mine, $ada), 'with another who manages users ada may be deactivated');

$db->do(q{UPDATE lims.user_account SET identity = '{"type": "ldap", "subject": "bo"}' WHERE id = ?},
    undef, $bo);
refused($db, 'UPDATE lims.user_account SET identity = NULL WHERE organization_id = ? AND id = ?',
    [ @mine, $bo ], 'last_administrator',
    'an identity takes the place of the address, and taken away it leaves nothing');

done_testing();
