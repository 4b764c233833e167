#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# An authentication provider of httpd knows people by name and password: our own form asks
# it, and so does a signature. Guessing counts as ours, only organizations that the server
# names are opened, and where no provider is asked a signature password signs.
use strict;
use warnings;

use File::Temp qw(tempdir);

use LIMS::Service::Laboratory;
use LIMS::Service::Person;
use LIMS::Test;
use LIMS::Test::SignOn;

my $dir    = tempdir(CLEANUP => 1);
my $secret = LIMS::Test::SignOn::secret();
my $next   = 'grey heron at nine';

sub write_sign_in {
    open my $conf, '>', "$dir/sign-in.conf" or die "$dir/sign-in.conf: $!\n";
    print {$conf} @_;
    close $conf;
    return;
}

write_sign_in("LimsSignatureProvider staff\n");
my $lims = LIMS::Test->new(conf => LIMS::Test::SignOn::provider($dir, qw(kim lou nobody))
        =~ s{^LimsSignatureProvider.*}{Include "$dir/sign-in.conf"}mr);
my $db  = $lims->db;
my $lab = LIMS::Service::Laboratory->new($lims);
my $ph  = $lab->definition;
my $ada = LIMS::Service::Person->new($lims, roles => ['system_administrator']);
my $kim = LIMS::Service::Person->new($lims, name => 'Kim Arden',
    identity => { type => 'staff', subject => 'kim' });

sub sign_in {
    my ($person, %option) = @_;
    return $person->sign_in(email => 'kim', password => $secret, %option);
}

# Verifies a result under a signature.
sub signs {
    my ($person, $password) = @_;
    my ($test) = $lab->tests($lab->sample(testDefinitionIds => [$ph]));

    $person->patch("/sample-tests/$test", { result => '7.1' });
    my $shown = $person->get("/signed-contents?table=sample_test&recordId=$test")->json->{data}[0];
    return $person->post("/sample-tests/$test/verify",
        { signature => { password => $password, contentHash => $shown->{contentHash} } });
}

sub last_method {
    return $db->selectrow_array('SELECT method FROM lims.electronic_signature ORDER BY id DESC LIMIT 1');
}

sub guesses {
    return $db->selectrow_array('SELECT failures + 5 * locks FROM lims.sign_in_guess WHERE user_id = ?',
        undef, $kim->id);
}

$db->do('UPDATE lims.organization SET esignature_required = true');

subtest 'signing in by a name of the directory' => sub {
    is(sign_in($kim)->status, 201, 'a session begins');
    my $own = $kim->get('/session')->json;
    is_deeply([ @$own{qw(signIn signature)} ], [ { by => 'provider', name => 'kim' },
            { method => 'provider', ready => JSON::PP::true(), lockedUntil => undef } ],
        'the session says by what its person signed in, and by what the person signs');
    my $wrong = sign_in($kim, password => 'not that one at all');
    refused($wrong, 401, 'unauthorized', 'a wrong password');
    is(guesses(), 1, 'a wrong password is counted');
    refused(sign_in($kim, password => ''), 400, 'invalid_body', 'none');
    my $stranger = sign_in($kim, email => 'nobody');
    refused($stranger, 401, 'unauthorized', 'a name that has no account here');
    is($stranger->json->{message}, $wrong->json->{message},
        'an unknown name gets the same message');
    is($ada->sign_in->status, 201, 'a password that is kept here signs in as before');
    is($ada->get('/session')->json->{signIn}{by}, 'password', 'a session by a password that is kept here says so');
    is($ada->get('/session', cookie => undef, session => undef)->json->{userNames},
        JSON::PP::true(), 'a page that is signed out learns that there are names');
};

subtest 'guessing' => sub {
    sign_in($kim, password => 'not that one at all') for 2 .. 5;
    is(guesses(), 5, 'the fifth wrong password locks');
    refused(sign_in($kim), 401, 'unauthorized', 'then the right one does not help');
    $db->do(q{UPDATE lims.sign_in_guess SET locked_until = NULL, failures = 0, locks = 0});
    for my $name ('KIM', ' kim', "kim\x{a0} ", "\x{ff4b}im", 'Kim') {
        refused(sign_in($kim, email => $name), 401, 'unauthorized', "the name is not \"$name\"");
        refused(sign_in($kim, email => $name, password => 'not that one at all'), 401,
            'unauthorized', "a wrong password for \"$name\"");
    }
    is(guesses(), 5, 'names that a directory may take for one count for the account, and lock it');
    refused(sign_in($kim), 401, 'unauthorized', 'the name itself is locked, too');
    $db->do('UPDATE lims.sign_in_guess SET locked_until = NULL');
    is(sign_in($kim)->status, 201, 'after the lock it does');
    is(guesses(), 0, 'signing in after the lock sets the count back');
};

subtest 'of an organization that the server does not name' => sub {
    my $other = $lims->organization(code => 'third-laboratory');
    my $lou = LIMS::Service::Person->new($lims, organization => $other,
        identity => { type => 'staff', subject => 'lou' });
    refused(sign_in($lou, email => 'lou'), 401, 'unauthorized', 'nobody signs in');
};

subtest 'signing by the provider' => sub {
    my $wrong = signs($kim, 'not that one at all');

    refused($wrong, 403, 'signature_invalid', 'a wrong password');
    is($wrong->json->{attemptsLeft}, 4, 'a wrong password counts as a failed signature');
    is(signs($kim, $secret)->status, 200, 'the right one');
    is(last_method(), 'provider', 'the signature was made by the provider');
    LIMS::Test::SignOn::users($dir, { kim => $next });
    refused(signs($kim, $secret), 403, 'signature_invalid', 'a former password, at once');
    is(signs($kim, $next)->status, 200, 'the one that holds');
    refused($kim->post('/session/signature-password', { newPassword => $next }), 409,
        'invalid_transition', 'there is no signature password beside it');
    is(signs($ada, $ada->password)->status, 403, 'an administrator verifies nothing');
};

subtest 'the provider fails' => sub {
    unlink "$dir/users";
    refused(signs($kim, $next), 503, 'service_unavailable', 'nothing is signed');
    refused(sign_in($kim, password => $next), 503, 'service_unavailable', 'nobody signs in');
    is($ada->sign_in->status, 201, 'a password that is kept here signs in all the same');
    is($db->selectrow_array('SELECT failures FROM lims.account_state WHERE user_id = ?', undef,
            $kim->id) + guesses(), 0, 'nothing was counted');
    my $guess = sub { $ada->sign_in(password => 'not that one at all') };
    refused($guess->(), 503, 'service_unavailable', "a wrong password that is kept here, $_")
        for 1 .. 5;
    is($db->selectrow_array('SELECT locks FROM lims.sign_in_guess WHERE user_id = ?', undef,
            $ada->id), 1, 'five of them lock the account');
    refused($ada->sign_in, 503, 'service_unavailable', 'the right one does not sign in then');
    $db->do('DELETE FROM lims.sign_in_guess WHERE user_id = ?', undef, $ada->id);
    $lims->expect_log(qr/AH01620/);
    $lims->expect_log(qr/LIMS0069: .*the authentication provider "staff" failed/);
    LIMS::Test::SignOn::users($dir, { kim => $secret });
};

subtest 'the database asks again' => sub {
    my $app = $lims->app_db($lims->fixture->{id});
    my $sign = sub {
        my ($person) = @_;
        $app->do('SELECT lims.set_context(?, ?, NULL, ?, NULL, NULL, ?, ?)', undef,
            $lims->fixture->{id}, $person->id, 'a-request', 'application', $person->session);
        return eval { $app->do(q{SELECT lims.sign(?, 'approved', 'organization', ?, NULL, 'provider')},
            undef, $person->id, $lims->fixture->{id}) };
    };

    $app->begin_work;
    ok(!$sign->($ada), 'by a provider nobody signs whose session did not begin by an identity');
    like($app->errstr, qr/no password to sign with, or signs by a provider/,
        'the message says why nobody signs');
    $app->rollback;
    $app->begin_work;
    ok($sign->($kim), 'a person whose session began by an identity signs');
    $app->rollback;
};

subtest 'the signature password' => sub {
    write_sign_in('');
    $lims->graceful;
    sign_in($kim);
    is_deeply([ @{ $kim->get('/session')->json->{signature} }{qw(method ready)} ],
        [ 'signature-password', JSON::PP::false() ], 'without a provider there is none at first');
    refused(signs($kim, $secret), 403, 'esignature_required', 'nothing is signed');
    my $set = sub { my ($new, $old) = @_; return $kim->post('/session/signature-password',
            { newPassword => $new, $old ? (oldPassword => $old) : () }) };
    $kim->begin_session(created_at => gmtime(time - 360) . ' UTC');
    refused($set->($next), 409, 'invalid_transition', 'none is set long after signing in');
    sign_in($kim);
    refused($set->('Password1234'), 400, 'invalid_body', 'a common one');
    is($set->($next)->status, 200, 'a first one, just signed in');
    ok($kim->get('/session')->json->{signature}{ready}, 'the person can sign with the new password');
    is(signs($kim, $next)->status, 200, 'the password signs');
    is(last_method(), 'password', 'the signature was made by a password');
    refused(sign_in($kim, password => $next), 401, 'unauthorized', 'it opens no session');
    refused($kim->sign_in(password => $next), 401, 'unauthorized', 'the signature password opens no session by the address either');
    refused($set->('tidal ledger plum'), 400, 'invalid_body', 'another one without the old one');
    is($set->('tidal ledger plum', 'not that one at all')->json->{attemptsLeft}, 4,
        'a wrong old one counts as a failed attempt');
    is($set->('tidal ledger plum', $next)->status, 200, 'with the old one');
    refused($ada->post('/session/signature-password', { newPassword => $next }), 409,
        'invalid_transition', 'nobody who signs in by a password has one');
};

subtest 'a signature password by a link' => sub {
    my $give = sub { return $ada->post("/users/$_[0]/link",
            { reason => 'forgotten', purpose => 'signature' }) };

    refused($give->($ada->id), 409, 'invalid_transition', 'not of a person with a password');
    my $token = $give->($kim->id)->json->{token};
    is($ada->post('/session/link', { token => $token, password => $next }, session => undef,
            cookie => undef)->status, 200, 'the password is set by the link');
    refused($kim->get('/session'), 401, 'unauthorized', 'all sessions end');
    is(sign_in($kim)->status, 201, 'the person signs in by the directory as before');
    ok($kim->get('/session')->json->{passwordSetByLinkAt},
        'the session says that a link set the password');
    is(signs($kim, $next)->status, 200, 'the person signs with the password of the link');
    is($ada->patch('/users/' . $kim->id, { identity => { type => 'staff', subject => 'lou' } })
            ->json->{canSign}, JSON::PP::false(), 'another identity begins without one');
};

subtest 'no password is kept' => sub {
    is_deeply([ $lims->tables_with($secret, $next) ], [], 'the password is stored in no table');
    unlike($lims->log, qr/\Q$secret\E|\Q$next\E/, 'the password is not in the log');
    is_deeply([ $db->selectrow_array(q{SELECT count(*) > 2, bool_or(changes::text ~ 'scrypt')
        FROM lims.audit_entry WHERE table_name = 'account_state'
            AND changes -> 'signature_hash' IS NOT NULL}) ], [ 1, 0 ],
        'the trail says that the password changed, without its hash');
};

done_testing();
