#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# A full disk of the database, a real one: without room for data, writes are refused and
# reads go on; without room for the write-ahead log PostgreSQL itself stops. Neither loses
# what was confirmed or leaves half of anything, and with room again only the database has
# to be started.
use strict;
use warnings;

use File::Temp qw(tempdir);
use LIMS::Chaos::PostgreSQL;
use LIMS::Test;

my @disks;

# A small disk of its own, at a folder that PostgreSQL may write to.
sub make_disk {
    my ($megabytes) = @_;
    my $folder = tempdir('/var/tmp/lims-disk.XXXXXX');
    my ($status) = LIMS::Instance::capture('mount', '-t', 'tmpfs', '-o', "size=${megabytes}m",
        'lims-test', $folder);

    if ($status) {
        rmdir $folder;
        return;
    }
    push @disks, $folder;
    chown +(getpwnam 'postgres')[ 2, 3 ], $folder;
    chmod 0700, $folder;
    return $folder;
}

my $disk = $> == 0 && make_disk(96);
plan skip_all => 'only root can mount a small disk' unless $disk;
my $log = make_disk(64);

END {
    my $status = $?;
    if (@disks && $$ == $LIMS::Test::owner) {
        LIMS::Test::finish_all();
        LIMS::Instance::leave_cluster();
        for (@disks) {
            LIMS::Instance::run('umount', $_);
            rmdir $_;
        }
    }
    $? = $status;
}

my $server = LIMS::Chaos::PostgreSQL->own('full-disk');
my $lims   = LIMS::Test->new;
my ($made, $kept) = (0, 'kept as it is ' . 'x' x 1900);

sub fill { LIMS::Instance::capture('dd', 'if=/dev/zero', "of=$_[0]/filling", 'bs=64k'); return }
sub make_room { unlink "$_[0]/filling" or die "unlink: $!\n"; return }

sub create {
    my $number = 1 + $made;
    # An unconfirmed creation may have been committed all the same: then the second
    # attempt finds it.
    my $answer = $lims->post('/clients', { code => "F-$number", name => 'F', address => $kept },
        headers => { 'Idempotency-Key' => "F-$number" });
    $made++ if $answer->status == 201;
    return $answer;
}

# The first answer that is no success; between the writes something else takes
# what room is left.
sub create_until_refused {
    my ($take_room) = @_;
    for (1 .. 400) {
        my $answer = create();
        return $answer if $answer->status != 201;
        $take_room->() if $take_room;
    }
    return;
}

sub judge {
    my ($db) = $lims->db;
    is_deeply($db->selectall_arrayref('SELECT count(*), count(DISTINCT code), count(*) FILTER
            (WHERE address = ?) FROM lims.client', undef, $kept), [ [ ($made) x 3 ] ],
        "what was confirmed ($made) is there, once, whole, and nothing else");
    is($db->selectrow_array(q{SELECT count(*) FROM lims.audit_entry WHERE table_name = 'client'}),
        $made, 'each confirmed record has an audit entry');
    return;
}

$lims->stop;
$lims->forget_handles;
$server->say("CREATE TABLESPACE small LOCATION '$disk'",
    "ALTER DATABASE $lims->{database} SET TABLESPACE small");
$lims->start;
my ($pid, @children) = ($lims->pid, $lims->children);

subtest 'no room for data: writes are refused, reads go on' => sub {
    is(create()->status, 201, 'at first all is well');
    fill($disk);
    my $answer = create_until_refused();
    ok($answer, 'a write is refused') or return;
    is($answer->status . ' ' . $answer->json->{error}, '503 service_unavailable',
        'the refusal is 503 service_unavailable');
    like($answer->header('Retry-After'), qr/\A\d+\z/, 'the refusal has Retry-After');
    $lims->expect_log(qr/LIMS0045: 503 .*53100 could not extend file/);
    is($lims->get("/clients?limit=$_")->status, 200, 'reads go on') for 1, 500;
    is(create()->status, 503, 'the next write is refused as well');
    judge();
    make_room($disk);
    is(create()->status, 201, 'with room again the first write succeeds');
    judge();
};

subtest 'no room for the write-ahead log' => sub {
    # As little of it as can be, then more than there is room for.
    $server->say(q{ALTER SYSTEM SET min_wal_size = '32MB'}, q{ALTER SYSTEM SET max_wal_size = '32MB'},
        'SELECT pg_reload_conf()', 'CHECKPOINT', 'SELECT pg_switch_wal()', 'CHECKPOINT',
        q{ALTER SYSTEM SET max_wal_size = '1GB'});
    $lims->forget_handles;
    $server->stop('INT');
    LIMS::Instance::run('sh', '-c', 'cp -a "$1"/pg_wal/. "$2" && rm -r "$1"/pg_wal &&
        ln -s "$2" "$1"/pg_wal', 'sh', $server->{data}, $log);
    $server->start;
    is(create()->status, 201, 'at first all is well');
    fill($log);
    my $answer = create_until_refused(sub {
        eval { $server->say(q{SELECT pg_logical_emit_message(false, 'test', repeat('x', 500000))}) };
    });
    ok($answer, 'a write is refused') or return;
    is($answer->status . ' ' . $answer->json->{error}, '503 service_unavailable',
        'the refusal is 503 service_unavailable');
    my %seen = map { $lims->get('/clients')->status => 1 } 1 .. 20;
    is_deeply([ grep { !/\A(?:200|503)\z/ } keys %seen ], [], 'reads succeed or get 503');
    make_room($log);
    $lims->forget_handles;
    $server->start if !$server->alive;
    is(create()->status, 201, 'with room again the first write succeeds');
    judge();
};

is($lims->pid, $pid, 'httpd was not restarted');
my %now = map { $_ => 1 } $lims->children;
is_deeply([ grep { !$now{$_} } @children ], [], 'no child of httpd has crashed');
$lims->expect_log(qr/LIMS00(?:3[68]|45|51): 503 service_unavailable|\[dbd:error\]/);

done_testing();
