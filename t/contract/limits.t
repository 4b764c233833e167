#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The limits that hold for all operations of the OpenAPI document: each request counts
# against the rate limit of its key, and a body that does not arrive times out.
use strict;
use warnings;

use LIMS::Service::Operation;
use LIMS::Service::RawRequest qw(message send_raw);
use LIMS::Service::Response;
use LIMS::Test;

use Time::HiRes qw(time);

my $patience   = 1;
my $window     = 600;
my $lims       = LIMS::Test->new(conf => <<"CONF");
LimsRateLimit 1
LimsRateWindow $window
Define LIMS_READ_TIMEOUT body=$patience
CONF
my @operations = LIMS::Service::Operation->all($lims->api);
my @writes     = grep { defined $_->body } @operations;

sub type_of { return defined $_[0]->body ? [ 'Content-Type: ' . $_[0]->type ] : [] }

subtest 'every operation counts against the rate limit' => sub {
    my $key = $lims->key($lims->fixture)->{key};

    is($lims->get('/whoami', key => $key)->status, 200, 'the server\'s one address answers');
    for my $operation (@operations) {
        # Counted before anything else is looked at, so the id need not exist.
        my $answer = send_raw($lims, message($lims, $operation->method, $operation->path(1),
                key => $key, body => $operation->body, headers => type_of($operation)));
        is($answer->status . ' ' . ($answer->json->{error} // ''), '429 rate_limited',
            $operation->label);
        my $wait = $answer->header('Retry-After') // '';
        ok($wait =~ /\A\d+\z/ && $wait >= 1 && $wait <= $window,
            "Retry-After lies within the window: $wait");
        is($answer->header('RateLimit-Remaining'), 0, 'no request is left');
    }
};

# All at once, because each of them takes its time.
subtest 'every operation with a body answers 408 to half a body' => sub {
    my $begun = time;
    my @waiting = map {
        my $operation = $_;
        my $socket    = $lims->socket;
        my $bytes     = message($lims, $operation->method, $operation->path(1),
            key => $lims->key($lims->fixture)->{key}, body => $operation->body . ' ' x 100,
            headers => type_of($operation));
        syswrite $socket, substr $bytes, 0, -50;
        [ $operation, $socket ];
    } @writes;

    cmp_ok(scalar @writes, '>', 10, 'every operation with a body');
    for my $waiting (@waiting) {
        my ($operation, $socket) = @$waiting;
        my $bytes = '';
        while (sysread $socket, my $some, 65536) { $bytes .= $some }
        my $answer = LIMS::Service::Response->parse($bytes)
            || LIMS::Service::Response->new(status => 'none');

        is($answer->status . ' ' . ($answer->json->{error} // ''), '408 request_timeout',
            $operation->label);
        is($answer->header('Connection'), 'close', 'a request that is too slow ends the connection');
        $lims->check_contract($operation->method, $operation->path(1), $answer);
    }
    my $took = time - $begun;
    cmp_ok($took, '>=', $patience, 'not before the time-out');
    cmp_ok($took, '<', $patience + 20, 'the time-out comes soon after it is due');
};

done_testing();
