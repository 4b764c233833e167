#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Every route of the application, taken from its OpenAPI document, tried over HTTP as every
# role, without a session, and by a person of another organization: it is refused unless the
# matrix that an organization begins with gives the role its permission. Also with HEAD, and
# where an answer is a file.
use strict;
use warnings;

use LIMS::Instance;
use LIMS::Service::JSONSchema;
use LIMS::Service::Person;
use LIMS::Service::Roles;
use LIMS::Service::RouteRecords;
use LIMS::Test;
use LIMS::Test::Fixture;

# What is answered is the matter of other tests; here are thousands of answers.
local $ENV{LIMS_TEST_CONTRACT} = 0;

my $lims    = LIMS::Test->new(conf => "LimsRateLimitSessions 100000\nLimsRateKeys 64");
my $records = LIMS::Service::RouteRecords->new($lims);
my $absent  = 987_654;

# What can be asked of one of several permissions, by a member of the body; else it is
# refused without saying by which.
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

# Those that would end the session that asks.
my %last = map { $_ => 1 } qw(signOut);

my $document = LIMS::Service::JSONSchema::decode(LIMS::Instance::application_openapi());
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
is_deeply([ sort map { $_->{operation} } grep { !$_->{permission} } @routes ],
    [qw(getIdentity signIn signOn spendLink)], 'each but those of signing in names a permission');

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

subtest 'every role' => sub {
    my (@through, @refused, %count);

    for my $route (@guarded) {
        for my $role (sort keys %person) {
            my $answer = answer(ask($person{$role}, $route));
            my $let    = $answer ne '403 permission_required';
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
        for my $role (qw(auditor nobody)) {
            my $get  = ask($person{$role}, $route)->status;
            my $head = ask($person{$role}, $route, method => 'HEAD');
            push @odd, "HEAD $route->{path} as $role: " . $head->status . ", GET: $get"
                if $head->status != $get || length($head->body // '');
        }
    }
    is(join("\n", @odd), '', 'HEAD is answered as GET');
    my ($export) = grep { $_->{operation} eq 'exportAuditEntries' } @guarded;
    is(ask($person{$_}, $export, query => '?format=csv')->status,
        may($_, $export) ? 200 : 403, "a CSV file, as $_") for sort keys %person;
};

subtest 'without a session' => sub {
    my @odd = grep { !/: 401 unauthorized\z/ } map { "$_->{method} $_->{path}: "
            . answer(ask($person{lab_manager}, $_, cookie => undef)) } grep { $_->{permission} } @routes;
    is(join("\n", @odd), '', 'nobody reaches any but to sign in and to spend a link');
};

subtest 'by a person of another organization' => sub {
    my $other = $lims->organization(code => 'other-laboratory');
    my $there = LIMS::Service::Person->new($lims, organization => $other,
        roles => [qw(lab_manager administrator qa_officer)]);
    my %id = %{ $records->{id} };
    my ($tried, @odd) = (0);

    $id{users} = $person{analyst}->id;
    $id{sessions} = $person{analyst}->session;
    for my $route (grep { $_->{path} =~ /\{id\}/ } @guarded) {
        my ($noun) = $route->{path} =~ m{\A/([^/]+)/};
        my $id = $id{$noun} or next;
        my ($foreign, $none) = map { answer(ask($there, $route, id => $_)) } $id, $absent;

        $tried++;
        push @odd, "$route->{method} $route->{path}: $foreign, not $none" if $foreign ne $none;
        push @odd, "$route->{method} $route->{path}: $foreign" if $foreign =~ /\A(?:2|5|403 perm)/;
    }
    cmp_ok($tried, '>', 70, "$tried routes with an id of the first organization");
    is(join("\n", @odd), '', 'each is answered as one that is not there');
    is($person{analyst}->get('/session')->status, 200, 'nothing has ended');
};

done_testing();
