#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The connection to the model service: through a proxy, which sees a host name only, with
# a client certificate, in each style of API. Every failure of it is 503 ai_unavailable,
# enters nothing and shows no secret.
use strict;
use warnings;

use File::Temp ();
use LIMS::Peers::HTTPProxy;
use LIMS::Peers::ModelService;
use LIMS::Service::Laboratory;
use LIMS::Test;

my $folder = File::Temp->newdir;
my ($ours,  $our_key)   = LIMS::Peers::ModelService->identity($folder, 'ours');
my ($false, $false_key) = LIMS::Peers::ModelService->identity($folder, 'false');
my $lims = LIMS::Test->new;
my $lab  = LIMS::Service::Laboratory->new($lims);
my $definition = $lab->definition(code => 'NO3N', name => 'Nitrate', unit => 'mg/L');
my $number = 0;

$lab->policy(ai_data_access => 'true');

# A sample of its own and a file about it, with a value that is looked for in the log.
sub file {
    my $sample = $lab->sample(testDefinitionIds => [$definition]);
    return ("Sample,NO3N (mg/L)\n$sample->{trackingId},7319.25\n", $sample->{tests}[0]{id});
}

# A service of its own, configured for the model, and what it answers.
sub through {
    my ($model, %option) = @_;
    return LIMS::Test->new(beside => $lims, conf => $model->conf(%option));
}

sub is_unavailable {
    my ($there, $model, $cause, $name) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my ($file, $test) = file();

    refused($model->upload($there, $file), 503, 'ai_unavailable', $name);
    $there->expect_log(qr/LIMS0140: 503 ai_unavailable: .*$cause/);
    is($lims->get("/sample-tests/$test")->json->{result}, undef, 'no result is entered');
    unlike($there->log, qr/sk-stand-in|hush-hush|7319\.25|PRIVATE KEY/, 'nothing of the request is logged');
    return;
}

subtest 'through a proxy' => sub {
    my $model = LIMS::Peers::ModelService->new;
    my $proxy = LIMS::Peers::HTTPProxy->new;
    my $there = do {
        local @ENV{qw(no_proxy NO_PROXY)} = ('localhost,127.0.0.1', '*');
        through($model, more => { Proxy => $proxy->url =~ s{//}{//user:hush-hush@}r });
    };
    my ($file, $test) = file();

    $model->say('right');
    is($model->upload($there, $file)->json->{summary}{applied}, 1, 'is gone through');
    my @tunnels = $proxy->seen;
    is_deeply([ map { $_->{target} } @tunnels ], ["localhost:$model->{port}"],
        'to the service alone, also where the environment has exceptions');
    like($tunnels[0]{head}, qr/^Proxy-Authorization: Basic /m, 'the proxy gets its password');
    unlike($tunnels[0]{head}, qr/sk-stand-in|^(?:Authorization|api-key)/mi,
        'the proxy does not get the service\'s key');
    cmp_ok(length $tunnels[0]{bytes}, '>', 2000, 'the request went through it');
    unlike($tunnels[0]{bytes}, qr/sk-stand-in|7319\.25|NO3N/, 'the proxy can read nothing of the request');
    unlike($there->log, qr/hush-hush|sk-stand-in/, 'no secret in the log');
    $proxy->stop;
    is_unavailable($there, $model, 'onnect', 'one that cannot be reached');
    is(scalar $model->seen, 1, 'a proxy that cannot be reached is not gone around');
};

subtest 'a proxy that refuses' => sub {
    my $model = LIMS::Peers::ModelService->new;
    my $proxy = LIMS::Peers::HTTPProxy->new(refuse => '407');

    is_unavailable(through($model, more => { Proxy => $proxy->url }), $model, '407', 'refuses');
    is(scalar $model->seen, 0);
};

# The alert that says so may be overtaken by the end of the connection.
my $not_let_in = '(?i:certificate|alert|ssl|eof|reset|broken pipe|closed|not connected)';

subtest 'a client certificate' => sub {
    my $model = LIMS::Peers::ModelService->new(clients => $ours);
    my ($file, $test) = file();

    $model->say('right');
    my $there = through($model,
        more => { ClientCertificate => $ours, ClientKey => $our_key });
    is($model->upload($there, $file)->json->{summary}{applied}, 1,
        'our client certificate is shown to the model service');
    $there->stop;
    $model->forget;
    is_unavailable(through($model), $model, $not_let_in, 'none');
    is_unavailable(through($model,
            more => { ClientCertificate => $false, ClientKey => $false_key }),
        $model, $not_let_in, 'another\'s');
    is(scalar $model->seen, 0, 'the service is told nothing without it');
};

my $model = LIMS::Peers::ModelService->new;

subtest 'each style and output format' => sub {
    my %header = (openai => 'authorization', azure => 'api-key', anthropic => 'x-api-key');
    my %path   = (openai => '/v1/chat/completions', anthropic => '/v1/messages',
        azure => '/openai/deployments/gpt/chat/completions?api-version=2024-10-21');
    my %held = (
        json_schema => sub { $_[0]{response_format}{json_schema}{schema}
                || $_[0]{output_config}{format}{schema} },
        tool => sub { ref $_[0]{tool_choice} && $_[0]{tools}
                && ($_[0]{tools}[0]{function}{parameters} || $_[0]{tools}[0]{input_schema}) },
        json_object => sub { ($_[0]{response_format}{type} // '') eq 'json_object' },
        none        => sub { !grep { exists $_[0]{$_} } qw(response_format tools output_config) },
    );

    $model->say('right');
    for my $style (qw(openai azure anthropic)) {
        for my $output (qw(json_schema tool json_object none)) {
            my $there = through($model, style => $style, output => $output);
            my ($file) = file();

            $model->forget;
            my $answer = $model->upload($there, $file, dryRun => 'true');
            my ($request) = $model->seen;
            is(eval { $answer->json->{summary}{proposed} }, 1, "$style, $output")
                or diag($answer->body);
            is($request->{path}, $path{$style}, 'the request goes to its URL');
            is($request->{headers}{ $header{$style} },
                $style eq 'openai' ? 'Bearer sk-stand-in' : 'sk-stand-in',
                'the key of the service is sent in its header');
            is(scalar(grep { /sk-stand-in/ } %{ $request->{headers} }), 1,
                'no other header field has the key');
            is($request->{body}{model}, $style eq 'azure' ? undef : 'stand-in-1');
            # Messages know no JSON without a form.
            my $way = $style eq 'anthropic' && $output eq 'json_object' ? 'none' : $output;
            ok($held{$way}->($request->{body}), 'the request asks for this form of the answer');
            $there->stop;
        }
    }
};

subtest 'misbehaviour of the model service' => sub {
    my $there = through($model, more => { Timeout => 6000 * LIMS::Instance::slowness() });
    my %cause = (
        'endless'         => 'too long',
        'headers'         => 'too long|oo large',
        'gzip'            => 'not a JSON object|application/json',
        'junk'            => 'answered 500',
        'reset'           => '\S',
        'close'           => '\S',
        'drip'            => 'imed out|application/json',
        '302'             => 'answered 302',
        'type text/html'  => 'application/json',
        'type text/event-stream' => 'application/json',
        'body ' . '[' x 100_000 => 'not a JSON object',
        'body {"choices":[' . join(',', ('{}') x 200_000) . ']}' => 'not a JSON object',
    );

    for my $word (sort keys %cause) {
        my $name = substr $word, 0, 30;
        $model->forget;
        $model->say($word);
        is_unavailable($there, $model, $cause{$word}, "one that says $name");
        is(scalar(grep { $_->{path} eq '/redirected' } $model->seen), 0);
        cmp_ok(scalar $model->seen, '<=', 2, 'the service is called twice at most');
    }
    $model->say('type application/json; charset=utf-8');
    is($model->upload($there, (file())[0])->status, 200, 'a charset is no other type');
};

done_testing();
