# SPDX-License-Identifier: Apache-2.0
package LIMS::Chaos::LoadDuringFault;

=head1 NAME

LIMS::Chaos::LoadDuringFault - requests before, during and after a fault, and what must hold of them

=head1 SYNOPSIS

    my $load = LIMS::Chaos::LoadDuringFault->run($lims, clients => 32, seconds => 2, sub {
        $server->stop('QUIT');
        return $server->start;
    });
    $load->judge('a restart');

=head1 DESCRIPTION

Half of the clients create client records, each with an Idempotency-Key and again
until it is confirmed; the others read. The action runs after a while in a
process of its own, and they go on for C<seconds> after its end. C<judge> tests
what must be true whatever broke:

    - an answer that is no success is 503 service_unavailable with Retry-After
    - what failed overlapped with the action; all that began later succeeded
    - what was confirmed is there, once, with its audit entry, and nothing else
    - httpd and its children are those of before

C<answers> is what was answered: hashes of began, ended, status, retry, slug.

=cut

use strict;
use warnings;

use Test::More;
use Time::HiRes qw(time sleep);

use LIMS::Wait;

my $runs = 0;

# Directives for a key that asks as often as it can.
sub conf { return "LimsRateLimit 100000\nLimsRateKeys 32\n" }

sub run {
    my ($class, $lims, %option) = @_;
    my $action = $option{action};
    my $self   = bless { lims => $lims, prefix => 'L' . ++$runs, pid => $lims->pid,
        children => [ $lims->children ] }, $class;
    # Where the action's process tells the others that it is done.
    my $done = "$lims->{instance}{home}/action-done-$runs";

    $lims->forget_handles;
    my ($told, @answers) = $lims->parallel(1 + ($option{clients} || 32), sub {
        my ($number) = @_;
        return $self->_act($action, $done) if $number == 0;
        return $self->_work($number, $done, $option{seconds} || 1);
    });
    @$self{qw(began ended result)} = @$told;
    $self->{answers} = [ sort { $a->{began} <=> $b->{began} } map {@$_} @answers ];
    return $self;
}

sub answers { return @{ $_[0]{answers} } }

sub _act {
    my ($self, $action, $done) = @_;
    sleep 0.5;
    my $began  = time;
    my $result = $action->();
    my $ended  = time;

    open my $out, '>', $done or die "$done: $!\n";
    close $out;
    return [ $began, $ended, $result ];
}

sub _work {
    my ($self, $number, $done, $seconds) = @_;
    my ($until, @answers);

    for (my $n = 1; !$until || time < $until; $n++) {
        $until = time + $seconds if !$until && -e $done;
        my $name = "$self->{prefix}-$number-$n";
        wait_until {
            push @answers, $self->_ask($number, $name);
            $answers[-1]{status} =~ /\A2/;
        } 120;
    }
    return \@answers;
}

sub _ask {
    my ($self, $number, $name) = @_;
    my $lims   = $self->{lims};
    my $began  = time;
    my $answer = $number % 2 ? $lims->get('/clients?limit=5')
        : $lims->post('/clients', { code => $name, name => 'C' },
        headers => { 'Idempotency-Key' => $name });
    my $failed = $answer->status !~ /\A2/;

    return { began => $began, ended => time, status => $answer->status,
        $number % 2 || $failed ? () : (made => $name),
        $failed ? (slug => $answer->json->{error}, retry => $answer->header('Retry-After')) : () };
}

sub judge {
    my ($self, $name) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;

    return subtest $name => sub {
        my @answers = $self->answers;
        my @failed  = grep { $_->{status} !~ /\A2/ } @answers;

        is_deeply([ grep { "$_->{status} $_->{slug}" ne '503 service_unavailable' } @failed ], [],
            'every failure is a 503');
        is_deeply([ grep { !$_->{retry} } @failed ], [], 'every failure has Retry-After');
        is_deeply([ grep { $_->{ended} < $self->{began} || $_->{began} > $self->{ended} } @failed ],
            [], 'every failure lies within the outage');
        my @after = grep { $_->{began} > $self->{ended} } @answers;
        cmp_ok(scalar @after, '>', 30, 'requests that began after it');
        is_deeply([ grep { $_->{status} !~ /\A2/ } @after ], [], 'requests that began after it succeed, from the first');
        $self->_judge_records(map { $_->{made} // () } @answers);
        is($self->{lims}->pid, $self->{pid}, 'by the same httpd');
        my %now = map { $_ => 1 } $self->{lims}->children;
        is_deeply([ grep { !$now{$_} } @{ $self->{children} } ], [],
            'no child of httpd has crashed');
        note(sprintf '%d answers, %d failed, in %.2f s', scalar @answers, scalar @failed,
            $self->{ended} - $self->{began});
    };
}

sub _judge_records {
    my ($self, @made) = @_;
    my $db = $self->{lims}->db;

    cmp_ok(scalar @made, '>', 30, 'records were made');
    is_deeply($db->selectcol_arrayref('SELECT code FROM lims.client WHERE code LIKE ? ORDER BY 1',
            undef, "$self->{prefix}-%"), [ sort @made ],
        'what was confirmed is there, once, and nothing else');
    is($db->selectrow_array(
            q{SELECT count(*) FROM lims.audit_entry a JOIN lims.client c ON c.id = a.record_id
               WHERE a.table_name = 'client' AND c.code LIKE ?}, undef, "$self->{prefix}-%"),
        scalar @made, 'each confirmed record has an audit entry');
    return;
}

1;
