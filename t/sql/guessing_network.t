#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Wrong passwords are counted by the network of an IPv6 address, of which who guesses has every
# address, and by the whole address of IPv4.
use strict;
use warnings;

use LIMS::Test::SQL;

my $base = LIMS::Test::SQL->new;
my $lab  = $base->laboratory(code => 'cedar');
my $db   = $base->db;
my @of   = @$lab{qw(id user_id)};

sub is_barred { return $db->selectrow_array('SELECT lims.is_barred(?, ?, ?)', undef, @of, $_[0]) }

sub guess {
    my (@addresses) = @_;
    $db->do('SELECT lims.note_failed_sign_in(?, ?, ?)', undef, @of, $_) for @addresses;
    return;
}

guess(map { "2001:db8:1:2::$_" } 1 .. 5);
ok(is_barred('2001:db8:1:2:ffff::9'), 'five guesses from five addresses of a network lock all of it');
ok(!is_barred('2001:db8:1:3::1'), 'another network is not locked');
guess(map { "192.0.2.$_" } 1 .. 5);
ok(!is_barred("192.0.2.$_"), "a guess from 192.0.2.$_ is one of its own") for 1, 5;
guess(('192.0.2.6') x 5);
ok(is_barred('192.0.2.6'), 'five guesses from an IPv4 address lock it');
guess(('fe80::1%eth0') x 5);
ok(is_barred('fe80::1%eth0'), 'an address with a zone counts as it is');

done_testing();
