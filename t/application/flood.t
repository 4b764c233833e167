#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# A flood of sign-ins fills the queue of passwords: those beyond it are refused at once, to
# be tried again, while the API and who is signed in are answered.
use strict;
use warnings;

use LIMS::Service::Person;
use LIMS::Test;

my $lims = LIMS::Test->new(children => 1);
my $ana  = LIMS::Service::Person->new($lims, roles => ['analyst']);

# Fewer than what holds the client's address as one that guesses.
sub act {
    my ($number) = @_;

    return { what => 'sign-in', answer => $ana->sign_in(email => "nobody$number\@cedar.example") }
        if $number % 4;
    return { what => 'key', answer => $lims->get('/samples?limit=1') } if $number % 8;
    return { what => 'session', answer => $ana->get('/samples?limit=1') };
}

# The documents with which answers are compared are read once, before the processes part.
is($_->get('/samples?limit=1')->status, 200, 'before the flood') for $lims, $ana;
$lims->allow_log(qr/LIMS006[78]/);
my %seen;
for my $done ($lims->parallel(32, sub {
    my $done = act($_[0]);
    return { what => $done->{what}, status => $done->{answer}->status,
        error => $done->{answer}->json->{error}, after => $done->{answer}->header('Retry-After') };
})) {
    push @{ $seen{ $done->{what} }{ $done->{status} } }, $done;
}

is_deeply([ map { [ keys %{ $seen{$_} } ] } qw(key session) ], [ [200], [200] ],
    'keys and sessions are answered');
is(join(' ', sort keys %{ $seen{'sign-in'} }), '401 503', 'passwords are checked, or refused');
is_deeply([ grep { $_->{error} ne 'service_unavailable' || !$_->{after} }
            @{ $seen{'sign-in'}{503} } ], [], 'refused sign-ins say when to try again');
like($lims->log, qr/LIMS0068: .*the admission queue of this child is full/, 'the log says that the admission queue was full');
is($ana->sign_in->status, 201, 'after the flood people sign in');
done_testing();
