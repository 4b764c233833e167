#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# A laboratory with an LDAP directory and client certificates: people sign in by either,
# and sign by the password of the directory, which is asked anew each time; without a
# directory by a signature password. Somebody of another organization is nobody.
use strict;
use warnings;

use File::Temp qw(tempdir);
use HTTP::Tiny;

use LIMS::Instance;
use LIMS::Peers::LDAP;
use LIMS::Peers::ModelService;
use LIMS::Service::Laboratory;
use LIMS::Service::Person;
use LIMS::Test;
use LIMS::Test::SignOn;

my $secret    = LIMS::Test::SignOn::secret();
my $directory = LIMS::Peers::LDAP->new(kim => $secret, lou => $secret);
my $dir       = tempdir(CLEANUP => 1);
my ($near, $far) = ('near@riverlab.example', 'far@third.example');
# Client certificates of browsers, by person.
my %certificate = map { $_ => [ LIMS::Peers::ModelService->identity($dir, $_) ] } 'mia', $near, $far;

sub write_file {
    my ($name, @text) = @_;
    open my $file, '>', "$dir/$name" or die "$dir/$name: $!\n";
    print {$file} @text;
    close $file;
    chmod 0644, "$dir/$name";
    return;
}

chmod 0755, $dir;
write_file('people.pem', map { my $file = $_->[0]; `cat "$file"` } values %certificate);
my $by_directory = LIMS::Test::SignOn::documented('Signing in by LDAP',
    'ldap://ldap.riverlab.example/ou=people,dc=riverlab,dc=example?uid" STARTTLS' =>
        $directory->url . '" NONE');
my $by_certificate = LIMS::Test::SignOn::documented('Signing in by client certificate',
    '/etc/ssl/certs/riverlab-people.pem' => "$dir/people.pem");
write_file('people.conf', $by_directory, $by_certificate);
my $lims = LIMS::Test->new(conf => LIMS::Test::SignOn::load(qw(ldap authnz_ldap))
    . qq(Include "$dir/people.conf"\n));
my $db  = $lims->db;
my $lab = LIMS::Service::Laboratory->new($lims);
my $ph  = $lab->definition;
my $kim = LIMS::Service::Person->new($lims, identity => { type => 'ldap', subject => 'kim' });
my $mia = LIMS::Service::Person->new($lims, identity => { type => 'ClientCert', subject => 'mia' });
my $third = $lims->organization(code => 'third-laboratory');

# With a client certificate, as a browser has one.
sub sign_on {
    my ($method, $name) = @_;
    my %tls;
    @tls{qw(SSL_cert_file SSL_key_file)} = @{ $certificate{$name} } if $name;
    my $answer = HTTP::Tiny->new(verify_SSL => 1, SSL_options =>
            { SSL_ca_file => LIMS::Instance::ca_file(), %tls })->request($method,
        $lims->url . '/app/sign-on/identity', { headers => { 'Sec-Fetch-Site' => 'same-origin',
            'X-Lims-Request' => '1', 'Content-Type' => 'application/json' },
        $method eq 'POST' ? (content => '{}') : () });
    return ($answer->{status}, JSON::PP::decode_json($answer->{content}), $answer->{headers});
}

# Signs in by certificate; acts by the session that began. The status.
sub begin_by_certificate {
    my ($person, $name) = @_;
    my ($status, $begun, $headers) = sign_on('POST', $name);

    ($person->{token}) = ($headers->{'set-cookie'} // '') =~ /\A__Host-lims=([0-9a-f]{64});/;
    $person->{session} = $begun->{id};
    return $status;
}

sub signs {
    my ($person, $password) = @_;
    my ($test) = $lab->tests($lab->sample(testDefinitionIds => [$ph]));

    $person->patch("/sample-tests/$test", { result => '7.1' });
    my $shown = $person->get("/signed-contents?table=sample_test&recordId=$test")->json->{data}[0];
    return $person->post("/sample-tests/$test/verify",
        { signature => { password => $password, contentHash => $shown->{contentHash} } });
}

$db->do('UPDATE lims.organization SET esignature_required = true');

subtest 'by the directory' => sub {
    is($kim->sign_in(email => 'kim', password => $secret)->status, 201, 'a person signs in');
    is($kim->get('/session')->json->{signIn}{name}, 'kim', 'the session has the name of the person in the directory');
    refused($kim->sign_in(email => 'kim', password => 'not that one at all'), 401, 'unauthorized',
        'not with a wrong password');
    refused($kim->sign_in(email => $_, password => $secret), 401, 'unauthorized', "not as \"$_\"")
        for 'k*', 'KIM', 'kim)(uid=*', 'lou';
    is(signs($kim, $secret)->status, 200, 'the person of the directory signs');
    refused(signs($kim, 'not that one at all'), 403, 'signature_invalid',
        'not with a wrong password');
};

subtest 'somebody of another organization' => sub {
    my $lou = LIMS::Service::Person->new($lims, organization => $third,
        identity => { type => 'ldap', subject => 'lou' });
    refused($lou->sign_in(email => 'lou', password => $secret), 401, 'unauthorized',
        'is not signed in by this one\'s directory');
};

subtest 'by a certificate' => sub {
    my ($status, $found) = sign_on('GET', 'mia');
    is_deeply([ $status, @$found{qw(type subject person)} ],
        [ 200, 'ClientCert', 'mia', $mia->{name} ], 'its person is found');
    is(begin_by_certificate($mia, 'mia'), 201, 'the person of the certificate signs in');
    my $own = $mia->get('/session')->json;
    is_deeply([ $own->{signIn}{by}, $own->{signature}{method} ], [ 'sign-on', 'provider' ],
        'the person of the certificate would sign by the directory');
    refused(signs($mia, $secret), 403, 'signature_invalid',
        'a directory that does not know her refuses her signature');
    ($status, $found) = sign_on('POST');
    is_deeply([ $status, $found->{error} ], [ 401, 'unauthorized' ], 'without a certificate nobody');
    like($lims->log, qr/no module of a type of LimsSignInTypes has found anybody/,
        'the log says that no module has found anybody');
};

subtest 'the directory is out of reach' => sub {
    $directory->stop;
    $lims->allow_log(qr/ldap/i);
    refused(signs($kim, $secret), 503, 'service_unavailable', 'nothing is signed');
    refused($kim->sign_in(email => 'kim', password => $secret), 503, 'service_unavailable',
        'nobody signs in');
    $lims->expect_log(qr/LIMS0069: .*"ldap" failed/);
    is($db->selectrow_array('SELECT failures FROM lims.account_state WHERE user_id = ?', undef,
            $kim->id), 1, 'a failure of the directory counts as no failed attempt');
};

write_file('people.conf', $by_certificate, "LimsSignInMatch address\n");
$lims->graceful;

subtest 'certificates without a directory' => sub {
    my $password = 'grey heron at nine';

    is(begin_by_certificate($mia, 'mia'), 201, 'a person signs in');
    is_deeply([ @{ $mia->get('/session')->json->{signature} }{qw(method ready)} ],
        [ 'signature-password', JSON::PP::false() ], 'the person of a certificate has nothing yet to sign with');
    is($mia->post('/session/signature-password', { newPassword => $password })->status, 200,
        'a signature password is set, just signed in');
    refused(signs($mia, $secret), 403, 'signature_invalid', 'the directory\'s signs nothing');
    my $signed = signs($mia, $password);
    is_deeply([ $signed->status, $signed->json->{status} ], [ 200, 'verified' ],
        'the signature password signs');
    is_deeply([ $db->selectrow_array('SELECT signer, meaning, record_id
            FROM lims.electronic_signature ORDER BY id DESC LIMIT 1') ],
        [ $mia->id, 'verified', $signed->json->{id} ], 'the signature has her name');
    refused($mia->sign_in(email => $mia->email, password => $password), 401, 'unauthorized',
        'the signature password opens no session');
};

subtest 'an address in a certificate' => sub {
    my $ours = LIMS::Service::Person->new($lims, email => $near, password => 0);
    LIMS::Service::Person->new($lims, email => $far, password => 0, organization => $third);

    is(begin_by_certificate($ours, $near), 201, 'signs in whose account has it');
    my ($status, $found) = sign_on('GET', $far);
    is_deeply([ $status, $found->{subject}, $found->{person}, $found->{organizations} ],
        [ 200, $far, undef, [] ], 'of an organization that the server does not name it is nobody\'s');
    ($status, $found) = sign_on('POST', $far);
    is_deeply([ $status, $found->{error} ], [ 401, 'unauthorized' ], 'the certificate of such an organization signs nobody in');
    like($lims->log, qr/no account of ClientCert .{0,2}\Q$far\E/, 'the log names the certificate that has no account');
};

done_testing();
