#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Anybody who holds a certificate can ask by its code whether it is valid: without a
# session, limited by address, and learns nothing else.
use strict;
use warnings;

use LIMS::Service::CommandLine;
use LIMS::Service::Laboratory;
use LIMS::Service::Person;
use LIMS::Test;

my $lims = LIMS::Test->new(conf => "LimsUnknownKeys 15\n");
my $lab  = LIMS::Service::Laboratory->new($lims);
my $ann  = LIMS::Service::CommandLine->new($lims, 'Ann Lee', roles => ['qa_officer']);
my $web  = LIMS::Service::Person->new($lims, roles => ['analyst']);

my $definition = $lab->definition(code => 'PB', name => 'Lead');
my $sample     = $lab->sample(testDefinitionIds => [$definition], clientName => 'Secret Works');
my ($test)     = $lab->tests($sample);
$lab->enter($test, '0.5');
$lab->verify($test);
is($lims->post("/samples/$sample->{id}/report")->status, 200, 'a sample is reported');
my $first = $ann->done('certificate issue', sampleId => $sample->{id});
my $code  = $first->{verificationCode};
my ($laboratory) = $lims->db->selectrow_array('SELECT name FROM lims.organization WHERE id = ?',
    undef, $lims->fixture->{id});

# Without a cookie.
sub asked {
    my ($text, $more) = @_;
    return $web->get("/verifications?code=$text" . ($more // ''), cookie => undef,
        session => undef);
}

subtest 'a valid certificate' => sub {
    like($code, qr/\A[0-9A-HJKMNP-TV-Z]{20}\z/, 'its code has 20 characters of base 32');
    my $answer = asked($code);
    is($answer->status, 200, 'nobody needs a session');
    my $told = $answer->json;
    is_deeply([ sort keys %$told ],
        [qw(fileMatches issuedAt laboratory number status supersededBy version)],
        'these members and no other are told');
    is_deeply([ @$told{qw(number version laboratory status supersededBy)} ],
        [ $first->{certificateNumber}, 1, $laboratory, 'valid', undef ],
        'it is valid');
    unlike($answer->body, qr/Secret|$sample->{trackingId}|Lead/, 'no data of the client');
    my $typed = lc join '-', $code =~ /(.{5})/g;
    $typed =~ tr/01/ol/;
    is(asked($typed)->json->{number}, $first->{certificateNumber},
        'in small letters, with dashes, O for 0 and L for 1 it is the same code');
    is($ann->call('certificate content', $first->{id})->{json}{verification}{code}, $code,
        'the content of the certificate has it');
};

subtest 'the address' => sub {
    my $kim   = LIMS::Service::Person->new($lims, roles => ['qa_officer']);
    my $other = $lab->sample(testDefinitionIds => [$definition]);
    my ($its) = $lab->tests($other);
    $lab->enter($its, '0.5');
    $lab->verify($its);
    $lims->post("/samples/$other->{id}/report");
    my $made = $kim->post('/certificates', { sampleId => $other->{id} })->json;
    like($kim->get("/certificates/$made->{id}/content")->json->{verification}{url},
        qr{\Ahttps://[^/]+/app/verification/\Q$made->{verificationCode}\E\z},
        'a certificate that is issued in the application says where it is verified');
};

subtest 'a superseded one' => sub {
    $ann->done('sample amend', $sample->{id}, reason => 'a wrong client');
    my $second = $ann->done('certificate issue', sampleId => $sample->{id});
    isnt($second->{verificationCode}, $code, 'each version has a code of its own');
    my $told = asked($code)->json;
    is_deeply([ @$told{qw(version status)}, @{ $told->{supersededBy} }{qw(number version)} ],
        [ 1, 'superseded', $second->{certificateNumber}, 2 ],
        'the former one says which version supersedes it');
    is(asked($second->{verificationCode})->json->{status}, 'valid', 'that one is valid');
};

subtest 'another code' => sub {
    my $other = $code =~ /\A0/ ? '1' . substr $code, 1 : '0' . substr $code, 1;
    refused(asked($other), 404, 'not_found', 'one wrong character');
    refused(asked('x' x 65), 400, 'invalid_query', 'a longer text');
    refused(asked($code, '&sha256=12'), 400, 'invalid_query', 'a digest that is none');
    refused($lims->get("/verifications?code=$code"), 404, 'not_found', 'the REST API');
};

subtest 'the database' => sub {
    my $app = $lims->app_db($lims->fixture->{id});
    is(eval { $app->do('UPDATE lims.certificate SET verification_code = ? WHERE id = ?', undef,
        'A' x 20, $first->{id}) }, undef, 'nobody changes a code');
    my $content = $lims->db->selectrow_array('SELECT sha256 = sha256(convert_to(content::text,'
            . q{ 'UTF8')) FROM lims.certificate WHERE id = ?}, undef, $first->{id});
    ok($content, 'the certificate\'s hash covers its code');
};

subtest 'guessing' => sub {
    my $last = 0;
    for (my $i = 0; $i < 20 && $last != 429; $i++) {
        $last = asked(sprintf '%020d', $i)->status;
    }
    is($last, 429, 'an address is held that asks too often');
    my $held = asked($code);
    refused($held, 429, 'rate_limited', 'the right code');
    ok($held->header('Retry-After'), 'the refusal of an address that asks too often says when to ask again');
    is($lims->get('/whoami')->status, 200, 'a known API key goes on');
    $lims->allow_log(qr/LIMS0\d+/);
};
done_testing();
