#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# kill -9 of whatever is at work, at random moments under write load of keys and of people
# who sign: nothing that was acknowledged is lost, nothing is done twice or by half, and events,
# audit trail and allowance agree with the rows to the last one.
#
# TORTURE_KILLS=200 TORTURE_SEED=1 set how often, and which moments.
use strict;
use warnings;

use List::Util qw(shuffle);
use Test::More;
use Time::HiRes qw(sleep time);

use LIMS::Chaos::Invariants;
use LIMS::Chaos::Kill9;
use LIMS::Chaos::RetryingClient;
use LIMS::Chaos::RetryingPerson;
use LIMS::Files::Instrument;
use LIMS::Instance;
use LIMS::Service::Laboratory;
use LIMS::Service::Person;
use LIMS::Test;

my $kills = $ENV{TORTURE_KILLS} || 10;
my $seed  = $ENV{TORTURE_SEED} || time ^ $$;
my $allowance = 30;

srand $seed;
diag("$kills kills, TORTURE_SEED=$seed");
LIMS::Instance::own_cluster('kill');

my $lims  = LIMS::Test->new(contract => 0, conf => "LimsRateLimit 20000\nLimsRateKeys 64\n"
        . "LimsRateLimitSessions 20000\nLimsIngestResume 1");
my $killer = LIMS::Chaos::Kill9->new($lims);
$lims->allow_log(qr/exit signal Killed|LIMS00(?:30|36|38|43|45|46|51): 503|\[dbd:error\]|LIMS0110/,
    qr/LIMS0090/);

my @laboratories = map {
    my $organization = $lims->organization(code => "laboratory-$_",
        $_ eq 'a' ? (monthly_sample_allowance => $allowance) : ());
    my $lab = LIMS::Service::Laboratory->new($lims, $organization);
    { lab => $lab, organization => $organization, limited => $_ eq 'a', name => $_,
        material => $lab->material,
        definitions => [ $lab->definition, $lab->definition(specification_high => 500),
            $lab->definition ] };
} qw(a b c);

# People in the application, whose laboratory asks for signatures.
my $signing = $lims->organization(code => 'laboratory-d', esignature_required => 't');
my $signers = LIMS::Service::Laboratory->new($lims, $signing);
my @defined = ($signers->definition(code => 'NO3'), $signers->definition);
my %office  = (material => $signers->material, definitions => \@defined, code => 'NO3',
    client_id => $signers->client(name => 'City of Riverbend'));
my @people  = map { LIMS::Service::Person->new($lims, organization => $signing,
        roles => [qw(lab_manager qa_officer)]) } 1, 2;
LIMS::Files::Instrument->new($signers)->profile;

my $dir  = $lims->{instance}{dir};
my $stop = "$dir/stop";

sub client {
    my ($number) = @_;
    my $laboratory = $laboratories[ $number % @laboratories ];
    my $client = LIMS::Chaos::RetryingClient->new(
        url  => $lims->url . '/api/v1', ca_file => LIMS::Instance::ca_file(),
        name => "$laboratory->{name}$number", seed => $seed + $number,
        journal => "$dir/journal-$number", key => $laboratory->{organization}{key},
        map { $_ => $laboratory->{$_} } qw(material definitions limited));
    return $client->work(sub { -e $stop });
}

sub person {
    my ($number) = @_;
    return LIMS::Chaos::RetryingPerson->new(%office, url => $lims->url . '/app/api',
        ca_file => LIMS::Instance::ca_file(), name => "d$number", seed => $seed + 100 + $number,
        journal => "$dir/journal-d$number", person => $people[$number])->work(sub { -e $stop });
}

# Seconds until the service answers a read and does a write again.
sub recovery {
    my $begun = time;
    while (time - $begun < 30) {
        my $fine = eval {
            $lims->get('/whoami')->status == 200
                && $lims->post('/clients', { code => "H$begun", name => 'H' })->status =~ /201|400/;
        };
        return time - $begun if $fine;
        sleep 0.02;
    }
    return 9999;
}

# As many of each kind as of any other, in random order.
sub targets {
    my @plan;
    push @plan, shuffle(@LIMS::Chaos::Kill9::kinds, 'child', 'backend') while @plan < $kills;
    return @plan[ 0 .. $kills - 1 ];
}

sub wreak {
    my (@log, $worst);
    for my $kind (targets()) {
        sleep 0.1 + rand 0.7;
        my $begun = time;
        my $what  = $killer->kill9($kind);
        my $back  = recovery();
        push @log, sprintf '%-10s %s; back after %.2f s', $kind, $what, $back;
        $worst = $back if !defined $worst || $back > $worst;
    }
    open my $out, '>', $stop or die "$stop: $!\n";
    return { log => \@log, worst => $worst };
}

# The clients have ended; no session may still hold anything.
sub no_session_holds_anything {
    my $db = $lims->superuser;
    my $held;
    # Requests whose clients did not wait may still be running.
    wait_until {
        $held = $db->selectall_arrayref(q{
            SELECT a.pid, a.state, a.query FROM pg_stat_activity a
             WHERE a.application_name = 'mod_lims' AND a.state <> 'idle'});
        !@$held;
    } 20;
    is(scalar @$held, 0, 'no session holds a transaction open') or diag(explain $held);
    return;
}

$lims->forget_handles;
my ($seen, @clients) = $lims->parallel(7 + @people, sub {
    my ($number) = @_;
    return $number == 0 ? wreak() : $number < 7 ? client($number - 1) : person($number - 7);
});
my %count;
for my $client (@clients) {
    my $surprises = delete $client->{surprises};
    is_deeply($surprises, [], 'a client met only what the contract allows for');
    $count{$_} += $client->{$_} for keys %$client;
}

note(join "\n", @{ $seen->{log} });
note(join ', ', map { "$_: $count{$_}" } sort keys %count);
is(scalar @{ $seen->{log} }, $kills, "$kills times something was killed");
cmp_ok($seen->{worst}, '<', 30, 'each time the service came back')
    or diag(join "\n", @{ $seen->{log} });
cmp_ok($count{lost} || 0, '>', 0, 'requests went without an answer');
cmp_ok($count{replayed} || 0, '>', 0, 'some requests without an answer had been done all the same');

my $told = LIMS::Chaos::Invariants::check_acknowledged($lims->db, glob "$dir/journal-*");
LIMS::Chaos::Invariants::check_consistency($lims->db);
if ($told->{refused}) {
    is($lims->db->selectrow_array('SELECT used FROM lims.sample_allowance'), $allowance,
        'the allowance is used up to the last sample');
}
no_session_holds_anything();

done_testing();
