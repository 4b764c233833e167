# SPDX-License-Identifier: Apache-2.0
package LIMS::Service::Person;

=head1 NAME

LIMS::Service::Person - a person who works in the application

=head1 SYNOPSIS

    use LIMS::Service::Person;

    my $ana = LIMS::Service::Person->new($lims, roles => ['analyst']);
    my $got = $ana->get('/samples?limit=5');      # below /app/api
    is($ana->post('/samples', {...})->status, 201);
    is($ana->sign_in->status, 201, 'a session of its own, by password');

=head1 DESCRIPTION

Acts over the application's surface, as a page of it would: with the cookie of a
session, its id in X-Lims-Session, and what shows that a page asks. Replies are compared
with the application's OpenAPI document.

=head2 new($lims, %option)

    roles         the person's roles (['lab_manager'])
    organization  of which the person is (the test's own)
    email, name   (made up)
    password      false: the person has none
    identity      { type, subject } by which the person signs in instead of by a password
    accountable   false: the person has not yet accepted what a signature means

The person has a session at once, made in the database: signing in by password takes as
long as it has to. C<sign_in(%option)> does that, with C<email>, C<password>,
C<organization>, C<from>; C<new> then acts by the session that began. C<begin_session> makes another
one in the database; C<< begin_session(created_at => '2026-01-05 08:00Z') >> sets its columns.

=head2 Requests

    get, post, patch, head, delete, put, request    as those of LIMS::Test

Besides: C<session => 7> names another session, undef none; C<cookie> likewise;
C<page => 0> leaves out what shows that a page asks; C<password => > signs, see C<sign>.

=cut

use strict;
use warnings;

use Digest::SHA qw(sha256);
use JSON::PP ();

use LIMS::Instance;
use LIMS::Service::OpenAPI;

# scrypt with a small cost, so that a test does not wait for it.
our $password = 'correct horse battery';
my $hash = 'scrypt$16$8$1$AAAAAAAAAAAAAAAAAAAAAA==$'
    . 'Yu7W8ZwuJxZHOxQ0AhpdNbWwKro1dUD8WP7QUWQJa9g=';
my $count = 0;

sub new {
    my ($class, $lims, %option) = @_;
    my $organization = $option{organization} || $lims->fixture;
    my $number       = ++$count;
    my $self         = bless {
        lims         => $lims,
        organization => $organization,
        email        => $option{email} || "person$number\@$organization->{code}.example",
        name         => $option{name} || "Person $number",
        identity     => $option{identity} && JSON::PP->new->canonical->encode($option{identity}),
    }, $class;

    $self->{id} = $lims->insert('user_account', { email => $self->{email},
        display_name => $self->{name},
        $self->{identity} ? (identity => $self->{identity})
        : exists $option{password} && !$option{password} ? () : (password_hash => $hash) },
        $organization);
    $lims->insert('user_role', { user_id => $self->{id}, role => $_ }, $organization)
        for @{ $option{roles} || ['lab_manager'] };
    $lims->insert('account_state', { user_id => $self->{id}, accountable_since => 'now' },
        $organization)
        unless exists $option{accountable} && !$option{accountable};
    $self->begin_session;
    return $self;
}

sub id       { return $_[0]{id} }
sub email    { return $_[0]{email} }
sub session  { return $_[0]{session} }
sub token    { return $_[0]{token} }
sub password { return $password }

# A session as signing in makes it.
sub begin_session {
    my ($self, %column) = @_;
    open my $source, '<:raw', '/dev/urandom' or die "/dev/urandom: $!\n";
    read $source, my $random, 32;
    $self->{token}   = unpack 'H*', $random;
    $self->{session} = $self->{lims}->insert('user_session', { user_id => $self->{id},
        token_hash => [ sha256($self->{token}) ], address => '127.0.0.1',
        $self->{identity} ? (identity => $self->{identity}) : (), %column },
        $self->{organization});
    return;
}

# Signs in by password; acts by the new session if one began.
sub sign_in {
    my ($self, %option) = @_;
    my $answer = $self->post('/session', { email => $option{email} // $self->{email},
        password => $option{password} // $password,
        $option{organization} ? (organization => $option{organization}) : () },
        session => undef, headers => $option{headers}, from => $option{from},
        exists $option{cookie} ? (cookie => $option{cookie}) : ());

    if ($answer->status == 201) {
        ($self->{token}) = $answer->header('Set-Cookie') =~ /\A__Host-lims=([0-9a-f]{64});/;
        $self->{session} = $answer->json->{id};
    }
    return $answer;
}

sub get    { my ($self, $path, %o) = @_; return $self->request('GET',  $path, %o) }
sub head   { my ($self, $path, %o) = @_; return $self->request('HEAD', $path, %o) }
sub post   { my ($self, $path, $body, %o) = @_; return $self->request('POST',   $path, %o, body => $body) }
sub patch  { my ($self, $path, $body, %o) = @_; return $self->request('PATCH',  $path, %o, body => $body) }
sub put    { my ($self, $path, $body, %o) = @_; return $self->request('PUT',    $path, %o, body => $body) }
sub delete { my ($self, $path, $body, %o) = @_; return $self->request('DELETE', $path, %o, body => $body) }

sub request {
    my ($self, $method, $path, %option) = @_;
    my $cookie  = exists $option{cookie} ? $option{cookie} : $self->{token};
    my $session = exists $option{session} ? $option{session} : $self->{session};
    my %headers = %{ $option{headers} || {} };
    my $page    = !exists $option{page} || $option{page};

    $headers{Cookie} = "__Host-lims=$cookie" if defined $cookie;
    $headers{'X-Lims-Session'} = $session if defined $session;
    if ($page && $method !~ /\A(?:GET|HEAD)\z/) {
        $headers{'Sec-Fetch-Site'} //= 'same-origin';
        $headers{'X-Lims-Request'} //= '1';
    }
    return $self->{lims}->request($method, $path, key => undef, headers => \%headers,
        surface => '/app/api', document => api(),
        exists $option{body} ? (body => $option{body}) : (),
        map { $option{$_} ? ($_ => $option{$_}) : () } qw(connection from));
}

my $api;

sub api {
    return $api ||= LIMS::Service::OpenAPI->new(LIMS::Service::OpenAPI::decoded(
        LIMS::Instance::application_openapi()), '/app/api');
}

1;
