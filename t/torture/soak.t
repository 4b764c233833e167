#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Memory and descriptors after many requests and many graceful restarts: a child is as
# large after the last as after the first ten thousand, within one in twenty, holds as
# many descriptors, and no request is lost when the children are exchanged under load; nor
# does the parent, which lives on, grow with them.
#
# SOAK_REQUESTS (20000; make soak: 1000000), SOAK_RESTARTS (5; 100). TORTURE_SEED
# repeats a run
use strict;
use warnings;

use List::Util qw(max sum);
use Test::More;
use Time::HiRes qw(sleep time);

use LIMS::Chaos::MixedLoad;
use LIMS::Service::Laboratory;
use LIMS::Test;

my $requests = $ENV{SOAK_REQUESTS} || 20_000;
my $restarts = $ENV{SOAK_RESTARTS} || 5;
my $first    = 10_000;
my $seed     = $ENV{TORTURE_SEED} || time % 100_000;

note("TORTURE_SEED=$seed");

# A service with as many children, and its load. What prepares the load comes with
# a key of the same limit.
sub service {
    my ($children) = @_;
    my $lims = LIMS::Test->new(contract => 0, children => $children,
        conf => LIMS::Chaos::MixedLoad::conf());
    return ($lims, LIMS::Chaos::MixedLoad->new($lims,
        laboratory => LIMS::Service::Laboratory->new($lims), keys => 400));
}

# Kilobytes that are the process's own. What all share has the size that the
# configuration says (sessions of TLS, the places of the rate limit), and becomes
# resident as it is first used.
sub resident {
    my ($pid) = @_;
    open my $in, '<', "/proc/$pid/status" or return 0;
    my %size = join('', <$in>) =~ /^(VmRSS|RssShmem):\s+(\d+)/mg;
    return ($size{VmRSS} || 0) - ($size{RssShmem} || 0);
}

sub descriptors {
    my ($pid) = @_;
    my $count = () = glob "/proc/$pid/fd/*";
    return $count;
}

# { process => [kilobytes, descriptors] }, when nothing is under way.
sub measure {
    my (@processes) = @_;
    sleep 0.5;
    return { map { $_ => [ resident($_), descriptors($_) ] } @processes };
}

sub fine {
    my ($sum, $name) = @_;
    my $words = delete $sum->{words};

    is($sum->{lost}, 0, "$name: no request was lost");
    is(scalar @{ $words || [] }, 0, "$name: each request was answered as it should be")
        or diag(map { "$_\n" } @$words[ 0 .. ($#$words < 5 ? $#$words : 5) ]);
    note(join ', ', map { "$_: $sum->{$_}" } sort keys %$sum);
    return;
}

# A sanitizer keeps what was freed.
my @judged = LIMS::Instance::foreign_malloc() ? (1) : (0, 1);

# Compares kilobytes or descriptors of the processes, before and now, with the most
# allowed.
sub compare {
    my ($before, $after, $place) = @_;
    my ($was, $is) = map { sum(map { $_->[$place] } values %$_) / keys %$_ } $before, $after;
    # A connection to the database or two more or less, of some fifteen.
    return ($was, $is, $place ? $was + 15 : 1.05 * $was);
}

sub has_grown {
    my ($before, $after) = @_;
    return grep { my (undef, $is, $most) = compare($before, $after, $_); $is > $most } @judged;
}

sub flat {
    my ($before, $after, $name) = @_;
    for my $place (@judged) {
        my ($was, $is, $most) = compare($before, $after, $place);
        cmp_ok($is, '<=', $most, sprintf '%s: %d %s, then %d', $name, $was,
            $place ? 'descriptors' : 'KiB', $is);
    }
    return;
}

my $largest = 0;

# One child: with several, which of them has how many of the connections changes
# with time, and each grows to what it had most of.
subtest 'many requests' => sub {
    my ($lims, $load) = service(1);
    my @children = $lims->children;
    fine($load->run(processes => 12, requests => $first, seed => ++$seed), 'the first');
    my $before = measure(@children);
    my $sum    = $load->run(processes => 12, requests => $requests - $first, seed => ++$seed);

    cmp_ok($sum->{'greedy 429'} || 0, '>', 0, 'some were over the limit');
    fine($sum, "$requests in all");
    my %there = map { $_ => 1 } $lims->children;
    is(scalar(grep { !$there{$_} } @children), 0, 'the children are the same');
    my $after = measure(@children);
    # A child grows once to the most that it has under way at a time, a leak with each run.
    if (has_grown($before, $after)) {
        $before = $after;
        $load->run(processes => 12, requests => $requests - $first, seed => ++$seed);
        $after = measure(@children);
    }
    flat($before, $after, 'child');
    $largest = max(map { $_->[0] } values %$after);
    ok($lims->finish, 'nothing unexpected in the log');
};

my ($lims, $load) = service(2);

# Sessions in the database that are the service's.
sub sessions {
    return $lims->superuser->selectrow_array(
        q{SELECT count(*) FROM pg_stat_activity WHERE application_name = 'mod_lims'
             AND datname = current_database()});
}

# A generation is exchanged when its children are gone.
sub exchange {
    my (@former) = @_;
    my $begun = time;

    $lims->graceful;
    wait_until { !grep { LIMS::Instance::lives($_) } @former };
    return time - $begun;
}

subtest 'graceful restarts under load' => sub {
    my $stop = "$lims->{instance}{dir}/stop";
    my @generation = $lims->children;
    # The growth of the first restart is not counted.
    exchange(@generation);
    my $before = measure($lims->pid);
    my $pid    = fork // die "fork: $!\n";

    if (!$pid) {
        my $longest = 0;
        for (1 .. $restarts) {
            my $took = exchange($lims->children);
            $longest = $took if $took > $longest;
            sleep 0.05 + rand 0.2;
        }
        open my $out, '>', $stop or die "$stop: $!\n";
        print {$out} "$longest\n";
        close $out;
        require POSIX;
        POSIX::_exit(0);
    }
    my $sum = $load->run(processes => 12, until => sub { -s $stop }, close => 6, seed => ++$seed);
    waitpid $pid, 0;
    my $begun = () = $lims->log =~ /Doing graceful restart/g;

    is($begun, $restarts + 1, 'httpd was restarted each time');
    cmp_ok($sum->{'get 200'} || 0, '>', 0, 'requests were answered');
    fine($sum, "$restarts restarts");
    flat($before, measure($lims->pid), 'parent');
    # httpd adds what a load calls for, and ends what it calls for no more.
    my @children;
    wait_until { (@children = $lims->children) >= 2 };
    cmp_ok(scalar @children, '>=', 2, 'as many children as before');
    for my $pid (@judged > 1 ? @children : ()) {
        cmp_ok(resident($pid), '<=', 1.05 * $largest,
            'a child of the last generation is no larger');
    }
    cmp_ok(sessions(), '<=', 2 * 40, 'the sessions of former generations are gone');
};

done_testing();
