#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# A password that a person types is told to nobody and kept nowhere, also where the request is
# refused before anybody asks for it: not in the answer, in httpd's logs, in a statement of
# PostgreSQL with its parameters, in a table. A refused signature is not remembered.
use strict;
use warnings;

use File::Temp qw(tempdir);
use JSON::PP ();

use LIMS::Instance;
use LIMS::Service::Laboratory;
use LIMS::Service::Person;
use LIMS::Test;

my $needle = 'gR4y heron needle';
my $dir    = tempdir(CLEANUP => 1);
my $lims   = LIMS::Test->new(conf => qq(Define LIMS_ACCESS_LOG "$dir/access.log"\n)
    . LIMS::Service::Laboratory->patience);
my $lab = LIMS::Service::Laboratory->new($lims);
my $ph  = $lab->definition;
my $ana = LIMS::Service::Person->new($lims);

sub slurp { open my $in, '<', $_[0] or die "$_[0]: $!\n"; local $/; return scalar <$in> }

# From here on PostgreSQL writes every statement of this database, with all it is given.
my $statements = "$LIMS::Instance::cluster/pg/log";
my $from       = -s $statements;
$lims->superuser->do("ALTER DATABASE $lims->{database} SET log_statement = 'all'");
$lims->restart;

my ($test) = $lab->tests($lab->sample(testDefinitionIds => [$ph]));
$ana->patch("/sample-tests/$test", { result => '7.1' });
$lab->policy(esignature_required => 't');
my $seen = $ana->get("/signed-contents?table=sample_test&recordId=$test")->json->{data}[0]{contentHash};
my $verify = "/sample-tests/$test/verify";

# Each: what is asked, with which body, the status.
my @asked = (
    [ 'signing in by a wrong one', '/session', { email => $ana->email, password => $needle }, 401 ],
    [ 'with a member too many', '/session',
        { email => $ana->email, password => $needle, more => 1 }, 400 ],
    [ 'as a list', '/session', { email => $ana->email, password => [$needle] }, 400 ],
    [ 'as the address, which is none', '/session', { email => 'nobody', password => $needle }, 401 ],
    [ 'too long', '/session', { email => $ana->email, password => $needle x 100 }, 400 ],
    [ 'in broken JSON', '/session', qq({"email":"x","password":"$needle",}), 400 ],
    [ 'of another type', '/session', qq({"email":"x","password":"$needle"}), 415, 'text/plain' ],
    [ 'as the old one', '/session/password',
        { oldPassword => $needle, newPassword => "$needle new" }, 403 ],
    [ 'as the new one, too short', '/session/password',
        { oldPassword => $needle, newPassword => substr $needle, 0, 11 }, 400 ],
    [ 'with a link', '/session/link', { token => 'f' x 64, password => $needle }, 404 ],
    [ 'signing', $verify, { signature => { password => $needle, contentHash => $seen } }, 403 ],
    [ 'signing what has changed', $verify,
        { signature => { password => $needle, contentHash => 'a' x 64 } }, 403 ],
    [ 'signing nothing', $verify, { signature => { password => $needle } }, 428 ],
    [ 'signing as text', $verify, { signature => $needle }, 400 ],
    [ 'signing by a list', $verify, { signature => { password => [$needle] } }, 400 ],
    [ 'with a member of the signature too many', $verify,
        { signature => { password => $needle, contentHash => $seen, more => 1 } }, 400 ],
    [ 'with another member too many', $verify,
        { signature => { password => $needle, contentHash => $seen }, more => 1 }, 400 ],
    [ 'with a signature twice', $verify,
        qq({"signature":{"password":"$needle"},"signature":{"password":"$needle"}}), 400 ],
    [ 'where nothing is signed', "/sample-tests/$test/retest",
        { reason => 'a test', signature => { password => $needle, contentHash => $seen } }, 400 ],
    [ 'beside one of many', '/sample-tests/verify', { items => [ { sampleTestId => $test,
        signature => { password => $needle, contentHash => $seen } } ] }, 400 ],
);

my $number = 0;
for my $case (@asked) {
    my ($name, $path, $body, $status, $type) = @$case;
    my $answer = $ana->post($path, $body, headers => { 'Idempotency-Key' => 'once-' . ++$number,
            $type ? ('Content-Type' => $type) : () });
    is($answer->status, $status, $name) or diag($answer->body);
    ok(index($answer->body, $needle) < 0, "$name: the password is not in the answer") or diag($answer->body);
}

subtest 'a refused signature is not remembered' => sub {
    my @once = (headers => { 'Idempotency-Key' => 'verify-once' });
    refused($ana->post($verify, { signature => { password => $needle, contentHash => $seen } }, @once),
        403, 'signature_invalid', 'a wrong password');
    is($lab->value('SELECT count(*) FROM lims.idempotency_record'), 0, 'no record of any refusal');
    my $done = $ana->post($verify, { signature => { password => $ana->password, contentHash => $seen } },
        @once);
    is($done->status, 200, 'with the right one, under the same key, it is signed');
    is($done->header('Idempotent-Replayed'), undef, 'it is not marked as replayed');
};

# New passwords that are taken, each with a word of its own.
my %told = ($needle => 'a wrong password', $ana->password => 'the right one');
subtest 'a new password' => sub {
    my ($changed, $linked, $signing) = map { "tawny owl, $_ needle" } qw(changed linked signing);
    my ($bo, $cy, $adam) = map { LIMS::Service::Person->new($lims, roles => [$_]) }
        qw(analyst analyst administrator);
    my $staff = LIMS::Service::Person->new($lims, password => 0,
        identity => { type => 'staff', subject => 'cy' });

    is($bo->post('/session/password', { oldPassword => $bo->password, newPassword => $changed })
            ->status, 200, 'is set by its owner');
    my $token = $adam->post('/users/' . $cy->id . '/link', { reason => 'forgotten' })->json->{token};
    is($cy->post('/session/link', { token => $token, password => $linked }, session => undef,
            cookie => undef)->status, 200, 'is set with a link');
    is($cy->sign_in(password => $linked)->status, 201, 'signs in');
    is($staff->post('/session/signature-password', { newPassword => $signing })->status, 200,
        'is set to sign with');
    @told{ $changed, $linked, $signing, $token } = ('a changed password', 'one set with a link',
        'one to sign with', 'the link');
};

for my $word (sort keys %told) {
    my $what = $told{$word};
    my $log = substr slurp($statements), $from;
    wait_until { slurp("$dir/access.log") =~ /verify/ };

    ok($log =~ /parameters: .*\Q${\$ana->email}\E/, "$what: what statements are given is logged");
    ok(index($log, $word) < 0, "$what: no parameter of a statement has it");
    ok(index($lims->log, $word) < 0, "$what: the error log does not have it");
    ok(index(slurp("$dir/access.log"), $word) < 0, "$what: the access log does not have it");
    is_deeply([ $lims->tables_with($word) ], [], "$what: no table has it");
}
done_testing();
