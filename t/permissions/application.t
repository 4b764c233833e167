#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Every route of the application, taken from its OpenAPI document, tried over HTTP as every
# role and without a session: it is refused unless the matrix that an organization begins with
# gives the role its permission. Also with HEAD, and where an answer is a file. That a route
# names the permission of the laboratory's rules: here for what people do in the application
# alone, for the rest in matrix.t. (Another organization's records: t/tenancy/.)
use strict;
use warnings;

use LIMS::Instance;
use LIMS::Print;
use LIMS::Service::OpenAPI;
use LIMS::Service::Person;
use LIMS::Service::Roles;
use LIMS::Test;

# Responses are checked by other tests; here are thousands of them.
local $ENV{LIMS_TEST_CONTRACT} = 0;

my $lims   = LIMS::Test->new(conf => "LimsRateLimitSessions 100000\nLimsRateKeys 64\n"
    . "LimsPrinter " . LIMS::Print::printer_path());
my $absent = 987_654;

# Bodies of routes that need one of several permissions, by a member; without it they are
# refused without naming one.
my %body = (
    setSampleStatus  => { status => 'received' },
    setSampleDisposition => { disposition => 'cancelled', reason => 'x' },
    advanceInvestigation => { status => 'closed', conclusion => 'x' },
);
my %instead = (setSampleStatus => 'sample.receive', setSampleDisposition => 'sample.cancel',
    advanceInvestigation => 'investigation.close');

# The other permission that may do, where the record decides.
my %or = (cancelSampleTest => 'result.verify', restoreSampleTest => 'result.verify',
    setSampleDisposition => 'sample.cancel', issueCertificate => 'certificate.amend',
    endSession => 'user.manage');

# Operations that would end the session that asks.
my %last = map { $_ => 1 } qw(signOut);

my $document = LIMS::Service::OpenAPI::decoded(LIMS::Instance::application_openapi());
my @routes;
for my $path (sort keys %{ $document->{paths} }) {
    my $at = $document->{paths}{$path};
    for my $method (grep { ref $at->{$_} eq 'HASH' } qw(get post patch put delete)) {
        push @routes, { method => uc $method, path => $path =~ s{\A/app/api}{}r,
            operation => $at->{$method}{operationId},
            permission => $at->{$method}{'x-permission'} };
    }
}
cmp_ok(scalar @routes, '>', 250, scalar(@routes) . ' routes');

# Operations that no command does, by the words of the laboratory's rules: permission -> names.
# With "none" nobody signs in first: whoever holds a certificate has no account.
my %alone = (
    none => [qw(getIdentity signIn signOn spendLink verifyCertificate)],
    self => [qw(acceptStatement changePassword getOpenApi getSession listOwnSessions
        setSignaturePassword signOut)],
    'file.import' => [qw(ingestInstrumentFile uploadInstrumentFile)],
    'audit.read'  => ['compareAuditHeads'],
);

# Every route of the tables: method, path, command, and its surfaces (p: people over HTTP,
# t: limsctl).
my %at_command_line = map { ("$_->[0] " . $_->[1] =~ s/:(\w+)/{$1}/gr) => scalar $_->[3] =~ /t/ }
    map { [ split /\t/ ] } split /\n/,
    LIMS::Instance::run(LIMS::Instance::out() . '/t/walk/acts');
is_deeply({ map { $_->{operation} => $_->{permission} // 'none' }
        grep { !$at_command_line{"$_->{method} $_->{path}"} } @routes },
    { map { my $permission = $_; map { $_ => $permission } @{ $alone{$permission} } } keys %alone },
    'what is in the application alone asks for the permission of the rules');
is_deeply([ sort map { $_->{operation} } grep { !$_->{permission} } @routes ],
    [ sort @{ $alone{none} } ],
    'each but those of signing in, and of holders of certificates, names a permission');

sub ask {
    my ($person, $route, %option) = @_;
    my $id   = $option{id} // $absent;
    my $path = $route->{path} =~ s/\{id\}/$id/r =~ s/\{\w+\}/1/gr;
    my $method = $option{method} // $route->{method};

    return $person->request($method, $path . ($option{query} // ''),
        $method =~ /\A(?:GET|HEAD|DELETE)\z/ ? () : (body => $body{ $route->{operation} } // {}),
        exists $option{cookie} ? (cookie => $option{cookie}, session => undef) : ());
}

sub answer {
    my ($response) = @_;
    my $error = $response->status < 400 || !length($response->body // '') ? ''
        : $response->json->{error};
    return $response->status . ($error ? " $error" : '');
}

sub may {
    my ($role, $route) = @_;
    my $operation = $route->{operation};
    my @any = grep { defined } $instead{$operation} // $route->{permission}, $or{$operation};
    return grep { my $one = $_; grep { $_ eq $one } @any }
        @{ $LIMS::Service::Roles::matrix{$role} };
}

my %person = map { $_ => LIMS::Service::Person->new($lims, roles => $_ eq 'nobody' ? [] : [$_]) }
    sort keys %LIMS::Service::Roles::matrix;
my @guarded = grep { $_->{permission} && !$last{ $_->{operation} } } @routes;

# Answers to each GET, by actor.
my %got;

subtest 'every role' => sub {
    my (@through, @refused, %count);

    for my $route (@guarded) {
        for my $role (sort keys %person) {
            my $answer = answer(ask($person{$role}, $route));
            my $let    = $answer ne '403 permission_required';
            $got{$role}{ $route->{path} } = $answer if $route->{method} eq 'GET';
            my $text   = "$route->{method} $route->{path} as $role: $answer";

            $count{ $let ? 'let' : 'refused' }++;
            push @through, $text if $let && !may($role, $route);
            push @refused, $text if !$let && may($role, $route);
            push @through, $text if $answer =~ /\A(?:401|5)/;
        }
    }
    cmp_ok($count{$_} // 0, '>', 800, "$count{$_} $_") for qw(let refused);
    is(join("\n", @through), '', 'no role does what it has no permission for');
    is(join("\n", @refused), '', 'every role does what it has the permission for');
};

subtest 'HEAD, and files' => sub {
    my @odd;

    for my $route (grep { $_->{method} eq 'GET' } @guarded) {
        for my $role (sort keys %person) {
            my $get  = $got{$role}{ $route->{path} };
            my $head = ask($person{$role}, $route, method => 'HEAD');
            push @odd, "HEAD $route->{path} as $role: " . $head->status . ", GET: $get"
                if $get !~ /\A${\$head->status}\b/ || length($head->body // '');
        }
    }
    is(join("\n", @odd), '', 'HEAD is answered as GET');
    my @files = grep { $_->{path} =~ m{/(?:export|sequence|content)\z} && $_->{path} !~ /\{/ }
        @guarded;
    cmp_ok(scalar @files, '>', 3, scalar(@files) . ' lists download as a file');
    for my $role (sort keys %person) {
        my @other = grep { $got{$role}{ $_->{path} } !~ (may($role, $_) ? qr/\A(?:200|400)/ : qr/\A403/) }
            @files;
        is(join("\n", map { "$_->{path}: $got{$role}{ $_->{path} }" } @other), '',
            "files as $role may");
    }
};

subtest 'without a session' => sub {
    my @named = grep { $_->{permission} } @routes;
    my @odd = grep { !/: 401 unauthorized\z/ } map { "$_->{method} $_->{path}: "
            . answer(ask($person{lab_manager}, $_, cookie => undef)) } @named;
    is(join("\n", @odd), '', 'nobody reaches any but to sign in and to spend a link');
    @odd = grep { ask($person{lab_manager}, $_, cookie => undef, method => 'HEAD')->status != 401 }
        grep { $_->{method} eq 'GET' } @named;
    is(join("\n", map { $_->{path} } @odd), '', 'nobody reaches them by HEAD, either');
};

done_testing();
