#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# People sign over HTTP: by their password, for what they saw. A wrong password signs
# nothing and is counted; what has changed is not signed; a repeated request signs nothing.
# No password is stored.
use strict;
use warnings;

use LIMS::Service::Laboratory;
use LIMS::Service::Person;
use LIMS::Test;

my $lims = LIMS::Test->new;
my $db   = $lims->db;
my $lab  = LIMS::Service::Laboratory->new($lims);
my $ana  = LIMS::Service::Person->new($lims, roles => ['analyst'], name => 'Ana Ruiz');
my $ph   = $lab->definition;

sub entered {
    my ($test) = $lab->tests($lab->sample(testDefinitionIds => [$ph]));
    is($ana->patch("/sample-tests/$test", { result => '7.1' })->status, 200, 'a result is entered');
    return $test;
}

sub hash_of {
    my ($test) = @_;
    return $ana->get("/signed-contents?table=sample_test&recordId=$test")->json->{data}[0]{contentHash};
}

sub signature {
    my ($test, %option) = @_;
    return { signature => { password => $option{password} // $ana->password,
            contentHash => $option{hash} // hash_of($test) } };
}

sub status_of { return $db->selectrow_array('SELECT status FROM lims.sample_test WHERE id = ?', undef, $_[0]) }

sub signatures {
    return $db->selectrow_array('SELECT count(*) FROM lims.electronic_signature');
}

$db->do('UPDATE lims.organization SET esignature_required = true');

subtest 'a signed act' => sub {
    my $test = entered();

    refused($ana->post("/sample-tests/$test/verify", {}), 403, 'esignature_required',
        'without a signature');
    refused($ana->post("/sample-tests/$test/verify", { signature => { password => 'x' } }), 428,
        'precondition_required', 'without what was seen');
    refused($ana->post("/sample-tests/$test/verify", { signature => 'x' }), 400, 'invalid_body',
        'no signature at all');
    my $stale = $ana->post("/sample-tests/$test/verify", signature($test, hash => 'a' x 64));
    refused($stale, 412, 'precondition_failed', 'what was seen has changed');
    is_deeply([ $stale->json->{mine}, $stale->json->{theirs}{contentHash},
            $stale->json->{theirs}{content}{result} ],
        [ { contentHash => 'a' x 64 }, hash_of($test), '7.1' ], 'the refusal has mine and theirs');
    is(status_of($test) . signatures(), 'entered0', 'nothing was signed');
    my $done = $ana->post("/sample-tests/$test/verify", signature($test));
    is($done->status, 200, 'reason and password are accepted');
    is($done->json->{status}, 'verified', 'with reason and password the result is verified');
    is_deeply([ $db->selectrow_array('SELECT signer, printed_name, meaning, record_id
            FROM lims.electronic_signature ORDER BY id DESC LIMIT 1') ],
        [ $ana->id, 'Ana Ruiz', 'verified', $test ], 'the signature has signer, name, meaning and record');
};

# Acts that need no signature are refused too, but for those on the person's own matters.
sub only_reads {
    my ($test) = @_;
    my $refused = $ana->patch("/sample-tests/$test", { result => '9.9' });

    refused($refused, 403, 'account_locked', 'entering a result');
    cmp_ok($refused->header('Retry-After'), '>', 800, 'the refusal to enter says for how many seconds the account is locked');
    refused($ana->post('/comments', {}), 400, 'invalid_body', 'what is wrong otherwise');
    refused($ana->post('/comments', { on => { table => 'sample_test', id => $test },
            text => 'seen' }, headers => { 'Idempotency-Key' => 'while-locked' }), 403,
        'account_locked', 'a comment');
    is($lims->get("/sample-tests/$test")->json->{result}, '7.1', 'nothing was changed');
    my $there = bless {%$ana}, ref $ana;
    $db->do('UPDATE lims.account_state SET locked_until = NULL');
    is($there->sign_in(cookie => undef)->status, 201, 'another session');
    $db->do(q{UPDATE lims.account_state SET locked_until = now() + interval '15 minutes'});
    is($ana->post('/sessions/' . $there->session . '/end')->status, 200, 'a locked person can end another session');
    is($lims->patch("/sample-tests/$test", { notes => 'by key' })->status, 200,
        'an API key goes on');
    return;
}

subtest 'a wrong password' => sub {
    my $test  = entered();
    my @left;

    for (1 .. 5) {
        my $answer = $ana->post("/sample-tests/$test/verify", signature($test, password => 'wrong'));
        refused($answer, 403, 'signature_invalid', 'is refused') if $_ == 1;
        push @left, $answer->json->{attemptsLeft};
    }
    is_deeply(\@left, [ 4, 3, 2, 1, 0 ], 'each refusal says how many attempts are left');
    my $locked = $ana->post("/sample-tests/$test/verify", signature($test));
    refused($locked, 403, 'account_locked', 'then the account is locked');
    cmp_ok($locked->header('Retry-After'), '>', 800, 'the refusal to sign says for how many seconds the account is locked');
    is($ana->get("/sample-tests/$test")->status, 200, 'the session goes on for reading');
    only_reads($test);
    ok(!$ana->get('/session')->json->{signature}{ready}, 'the session says that signing is locked');
    is(status_of($test), 'entered', 'nothing was signed');
    $lims->expect_log(qr/LIMS0003: account/);
    $db->do('UPDATE lims.account_state SET locked_until = NULL');
    is($ana->post("/sample-tests/$test/verify", signature($test))->status, 200, 'after the lock');
};

subtest 'sent again' => sub {
    my $test = entered();
    my @once = (headers => { 'Idempotency-Key' => 'verify-1' });
    my $done = $ana->post("/sample-tests/$test/verify", signature($test), @once);
    my $made = signatures();

    is($done->status, 200, 'a signed act');
    my $again = $ana->post("/sample-tests/$test/verify",
        { signature => { password => 'another one', contentHash => 'b' x 64 } }, @once);
    is($again->header('Idempotent-Replayed'), 'true', 'asks for no password');
    is(signatures(), $made, 'the refusal signs nothing');
};

subtest 'many at once' => sub {
    my @tests = map { entered() } 1 .. 2;
    my %items = (items => [ map { { sampleTestId => $_, contentHash => hash_of($_) } } @tests ],
        atomic => JSON::PP::false());

    $items{items}[1]{contentHash} = 'c' x 64;
    my $answer = $ana->post('/sample-tests/verify',
        { %items, signature => { password => $ana->password } });
    is($answer->status, 200, 'one password');
    is_deeply([ map { $_->{error} } @{ $answer->json->{results} } ],
        [ undef, 'precondition_failed' ], 'of two acts under one password the stale one is refused in its row');
    is(join(' ', map { status_of($_) } @tests), 'verified entered', 'the other act under the same password is done');
};

subtest 'a reason' => sub {
    my $test = entered();

    is($ana->patch("/sample-tests/$test", { notes => 'x', reason => 'asked by the client' })->status,
        200, 'may stand in any body');
    is($db->selectrow_array(q{SELECT reason FROM lims.audit_entry WHERE table_name = 'sample_test'
        AND record_id = ? ORDER BY id DESC LIMIT 1}, undef, $test), 'asked by the client',
        'the trail has the reason');
};

subtest 'an approval of what has changed' => sub {
    $lab->approval_steps('Technical review');
    my $sample = $lab->sample(testDefinitionIds => [$ph]);
    my ($test) = $lab->tests($sample);
    my $lena   = LIMS::Service::Person->new($lims, roles => ['lab_manager'], name => 'Lena');
    $ana->patch("/sample-tests/$test", { result => '7.1' });
    $lab->status($sample, 'completed');
    my ($step) = @{ $lena->get("/samples/$sample->{id}/approvals")->json->{data} };
    my $seen = sub { $lena->get("/signed-contents?table=approval&recordId=$step->{id}")
            ->json->{data}[0]{contentHash} };
    my $sign = sub { $lena->patch("/approval-records/$step->{id}", { status => 'approved',
            signature => { password => $lena->password, contentHash => $_[0] } }) };
    my $before = $seen->();

    $ana->patch("/sample-tests/$test", { result => '7.9', reason => 'read again' });
    refused($sign->($before), 412, 'precondition_failed', 'the result is another one');
    is($sign->($seen->())->status, 200, 'the result that is there now is approved');
};

subtest 'no password is kept' => sub {
    is_deeply([ $lims->tables_with($ana->password) ], [], 'the password is stored in no table');
    unlike($lims->log, qr/\Q${\$ana->password}\E/, 'the password is not in the log');
};

done_testing();
