#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Clients that other people's generators make of the OpenAPI document ask for the
# URLs that are meant, at the root of a host and below a path, discovery included;
# and their types compile. The generators come over the network and take minutes: run
# by `make check-clients`, which installs them into the folder LIMS_CLIENTS. What they
# need of the document is in openapi.t.
use strict;
use warnings;

use Cwd qw(abs_path);
use File::Copy qw(copy);
use File::Path qw(make_path remove_tree);
use HTTP::Tiny;
use Test::More;

use LIMS::Instance;
use LIMS::Wait;

plan skip_all => 'make check-clients runs it' unless $ENV{LIMS_CLIENTS};

my $installed = abs_path($ENV{LIMS_CLIENTS});
my $bin       = "$installed/node_modules/.bin";
my $prism;

# Nothing of it is told to anybody.
local @ENV{qw(DO_NOT_TRACK SCARF_ANALYTICS KUBB_DISABLE_TELEMETRY)} = ('1', 'false', '1');

END { local $?; kill 'TERM', $prism if $prism }

# Runs a command in a folder; returns whether it succeeded, and its output.
sub run_in {
    my ($folder, @command) = @_;
    open my $out, '-|', 'sh', '-c', 'cd "$1" && shift && exec "$@" 2>&1', 'sh', $folder, @command
        or BAIL_OUT("sh: $!");
    my $said = do { local $/ = undef; <$out> };
    return (close $out, $said);
}

sub generates {
    my ($folder, $name, @command) = @_;
    my ($done, $said) = run_in($folder, @command);
    return ok($done, $name) || diag($said);
}

# A folder with the document as it is behind this server.
sub folder_of {
    my ($name, $server) = @_;
    my $folder = "$installed/$name";

    remove_tree($folder);
    make_path($folder);
    copy($_, $folder) or BAIL_OUT("$_: $!") for glob 't/contract/clients/*.*js';
    my ($done, $document) = run_in('.', LIMS::Instance::out() . '/limsctl', 'openapi', '--server',
        $server);
    open my $out, '>:raw', "$folder/openapi.json" or BAIL_OUT("openapi.json: $!");
    print {$out} $document;
    close $out or BAIL_OUT("openapi.json: $!");
    return $folder;
}

for my $case ([ root => '' ], [ below => '/lab' ]) {
    my ($name, $server) = @$case;

    subtest $server eq '' ? 'at the root of a host' : "below $server" => sub {
        my $folder = folder_of($name, $server);
        my $at     = "https://lims.example$server/api/v1";

        generates($folder, 'openapi-typescript', "$bin/openapi-typescript", 'openapi.json', '-o',
            'types.ts');
        generates($folder, 'hey-api', "$bin/openapi-ts", '-i', 'openapi.json', '-o', 'hey', '-c',
            '@hey-api/client-fetch');
        generates($folder, 'orval', "$bin/orval", '--config', 'orval.config.cjs');
        generates($folder, 'kubb', "$bin/kubb", 'generate', '--config', 'kubb.config.mjs');
        generates($folder, 'the types compile', "$bin/tsc", '--strict', '--noEmit', '--target',
            'es2022', '--module', 'esnext', '--moduleResolution', 'bundler', '--lib',
            'es2022,dom,dom.iterable', 'types.ts', 'hey/sdk.gen.ts');
        my ($done, $said) = run_in($folder, 'node', 'urls.mjs', "$at/openapi.json");
        ok($done, 'the generated clients run') or diag($said);
        my %urls = map { split / /, $_, 2 } split /\n/, $said;
        cmp_ok(scalar keys %urls, '>=', 7, 'all clients asked for a URL');
        for my $client (sort keys %urls) {
            is($urls{$client}, "$at $at/samples", $client);
        }
    };
}

subtest 'Prism finds discovery' => sub {
    my $port = LIMS::Instance::reserve_port();

    $prism = fork // BAIL_OUT("fork: $!");
    if (!$prism) {
        open STDOUT, '>', "$installed/prism.log";
        open STDERR, '>&', \*STDOUT;
        exec "$bin/prism", 'mock', '-p', $port, "$installed/root/openapi.json" or exit 1;
    }
    my $http = HTTP::Tiny->new(default_headers => { Authorization => 'Bearer x',
            Accept => 'application/json' });
    my $answer;
    wait_until { ($answer = $http->get("http://127.0.0.1:$port/api/v1"))->{status} != 599 } 60;
    is($answer->{status}, 200, 'the container answers under /api/v1') or diag($answer->{content});
    is($http->get("http://127.0.0.1:$port/api/v1/samples")->{status}, 200,
        'the container routes /api/v1/samples');
};

done_testing();
