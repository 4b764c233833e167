#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The request log that conf/lims.conf offers: one line of valid JSON for each request to the
# API, whatever was sent, with what the service knows of it.
use strict;
use warnings;

use LIMS::Service::JSONSchema;
use LIMS::Service::RawRequest qw(message send_raw);
use LIMS::Test;
use LIMS::Test::Source;

use File::Temp qw(tempdir);
use Time::HiRes qw(time);

my $file = tempdir(CLEANUP => 1) . '/requests.json';
my $lims = LIMS::Test->new(conf => "LimsMaxBody 1024\nDefine LIMS_ACCESS_LOG \"$file\"");
my $here = $lims->fixture;

# The lines that an action adds, once there are as many as are expected: httpd
# writes them after the answer is sent.
my $read = 0;

sub logged {
    my ($count, $action) = @_;
    my @lines;

    $action->();
    wait_until {
        open my $in, '<:raw', $file or die "$file: $!\n";
        @lines = <$in>;
        @lines >= $read + $count;
    };
    my @new = splice @lines, $read;
    $read += @new;
    return map {
        my $record = eval { LIMS::Service::JSONSchema::decode($_) };
        ok($record, 'the line is JSON') or diag("$@$_");
        $record || {};
    } @new;
}

sub is_line {
    my ($record, %expected) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;

    is_deeply({ map { $_ => $record->{$_} } keys %expected }, \%expected,
        'the line has what happened');
    return;
}

subtest 'the line of a successful request' => sub {
    my $began  = time;
    my $answer;
    my ($record, @more) = logged(1, sub {
        $answer = $lims->post('/clients', { code => 'A', name => 'A' },
            headers => { 'X-Request-Id' => 'from-the-caller:1' });
    });
    is(scalar @more, 0, 'one line is written');
    is_line($record, client => '127.0.0.1', method => 'POST', path => '/api/v1/clients',
        route => 'createClient', status => 201, error => '-', requestId => 'from-the-caller:1',
        organizationId => "$here->{id}", keyId => "$here->{key_id}",
        bytes => length $answer->body);
    cmp_ok($record->{time}, '>=', $began, 'when it came: seconds since 1970');
    cmp_ok($record->{time}, '<=', time, 'the time is not that of the answer');
    cmp_ok($record->{databaseRoundTrips}, '>=', 2, 'its round trips: at least begin and commit');
    cmp_ok($record->{databaseMicroseconds}, '>', 0, 'the time they took');
    cmp_ok($record->{microseconds}, '>=', $record->{databaseMicroseconds},
        'the time of round trips is part of that of the request');
    is_deeply([ map { LIMS::Service::JSONSchema::type_of($record->{$_}) } qw(time status bytes microseconds
                databaseMicroseconds databaseRoundTrips) ],
        [ 'number', ('integer') x 5 ], 'numbers are numbers');
};

subtest 'a read of a known key takes one round trip' => sub {
    # A connection stays with one process, which knows the key after the first.
    my (undef, @records) = logged(5, sub { $lims->get('/whoami') for 1 .. 5 });
    is_deeply([ map { $_->{databaseRoundTrips} } @records ], [ 1, 1, 1, 1 ],
        'each request has its round trips');
};

subtest 'the lines of refused requests' => sub {
    my @cases = (
        [ 'no key', { status => 401, error => 'unauthorized', route => '-', keyId => '-',
                organizationId => '-', databaseRoundTrips => 0 },
            sub { $lims->get('/samples', key => undef) } ],
        [ 'no route', { status => 404, error => 'not_found', route => '-',
                keyId => "$here->{key_id}" }, sub { $lims->get('/nowhere') } ],
        [ 'no record', { status => 404, error => 'not_found', route => 'getSample',
                path => '/api/v1/samples/77' }, sub { $lims->get('/samples/77?') } ],
        [ 'too large', { status => 413, error => 'payload_too_large', method => 'POST' },
            sub { $lims->post('/clients', ' ' x 1025) } ],
        [ 'a header that httpd refuses', { status => 400, error => 'bad_request', method => 'POST',
                path => '/api/v1/clients', route => '-', databaseRoundTrips => 0 },
            sub { send_raw($lims, message($lims, 'POST', '/clients', headers => ['No name: x'],
                        body => '{}')) } ],
        [ 'a path of quotes, backslashes and bytes', { status => 404,
                path => '/api/v1/%22%5c%01%c3%a9%ff' },
            sub { send_raw($lims, message($lims, 'GET', '/%22%5c%01%C3%A9%FF')) } ],
        [ 'a method of odd characters', { status => 405, error => 'method_not_allowed' },
            sub { send_raw($lims, message($lims, q{A'B|C`}, '/samples')) } ],
        [ 'a query of quotes is not logged', { status => 400, path => '/api/v1/samples' },
            sub { $lims->get('/samples?%22=%5c') } ],
    );
    for my $case (@cases) {
        my ($name, $expected, $action) = @$case;
        my $answer;
        my ($record, @more) = logged(1, sub { $answer = $action->() });
        is(scalar @more, 0, "$name: one line");
        is_line($record, %$expected, requestId => $answer->header('X-Request-Id'));
    }
};

subtest 'requests outside the API are not logged there' => sub {
    my @records = logged(1, sub {
        $lims->raw("GET /ready HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        $lims->get('/whoami');
    });
    is_deeply([ map { $_->{path} } @records ], ['/api/v1/whoami'], 'only its own requests');
};

subtest 'the manual lists the notes of the log' => sub {
    my %set = map { $_ => 1 } code('modules/server/handler.c') =~ /"(lims-[\w-]+)"/g;
    my %used = map { $_ => 1 } text('conf/lims.conf') =~ /%\{(lims-[\w-]+)\}n/g;
    my %told = map { $_ => 1 } text('conf/reference.conf') =~ /^# (lims-[\w-]+) {2,}/mg;

    delete @told{qw(lims-live lims-ready lims-metrics lims-status)};
    cmp_ok(scalar keys %set, '>', 5, 'notes are recognised');
    is_deeply([ sort keys %told ], [ sort keys %set ], 'explains the notes that there are');
    is_deeply([ sort keys %used ], [ sort keys %set ], 'the format uses every note');
};

done_testing();
