#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The permissions of roles are shown and changed by whoever manages policies, with a reason,
# signed where the policy asks for it, and hold from the next request on.
use strict;
use warnings;

use LIMS::Service::CommandLine;
use LIMS::Service::Laboratory;
use LIMS::Service::Person;
use LIMS::Service::Roles;
use LIMS::Test;

my $lims  = LIMS::Test->new;
my $lab   = LIMS::Service::Laboratory->new($lims);
my $admin = LIMS::Service::CommandLine->new($lims, 'Ada Park', roles => ['administrator']);
my $clerk = LIMS::Service::CommandLine->new($lims, 'Ben Walsh', roles => ['receiving_clerk']);
my ($test) = $lab->tests($lab->sample(testDefinitionIds => [ $lab->definition ]));

sub of {
    my ($role, $matrix) = @_;
    my ($found) = grep { $_->{role} eq $role } @{ ($matrix || $admin->done('permission list'))->{roles} };
    return @{ $found->{permissions} };
}

sub change {
    my ($role, @permissions) = @_;
    return ('permission update', roles => [ { role => $role, permissions => \@permissions } ],
        reason => 'a test', password => undef);
}

my @before = of('receiving_clerk');
is_deeply([ of('client_viewer') ], [], 'a role without permissions is listed');
is_deeply([ sort map { $_->{role} } @{ $admin->done('permission list')->{roles} } ],
    [ sort grep { $_ ne 'nobody' } keys %LIMS::Service::Roles::matrix ], 'the list of permissions has every role');
is(join(' ', @before),
    'data.read note.add sample.cancel sample.edit sample.receive sample.register',
    'the matrix begins as it is seeded');

subtest 'given and taken away' => sub {
    $clerk->refused('permission_required', 'sample-test enter', $test, result => '7');
    my $after = $admin->done(change('receiving_clerk', 'data.read', 'result.enter'));
    is_deeply([ of('receiving_clerk', $after) ], [qw(data.read result.enter)],
        'what is listed is all that the role has');
    $clerk->done('sample-test enter', $test, result => '7');
    $clerk->refused('permission_required', 'sample update', 1, notes => 'x');
    is($lims->value(q{SELECT count(*) FROM lims.audit_entry WHERE table_name = 'role_permission'
        AND reason = 'a test' AND user_id = ?}, $admin->{id}), 6, 'each change is in the trail');
    is(scalar(of('analyst')), 12, 'a role that is not named keeps its own');
    $admin->done(change('receiving_clerk', @before));
};

subtest 'refused' => sub {
    $clerk->refused('permission_required', change('receiving_clerk', 'data.read'));
    $clerk->refused('permission_required', 'permission list');
    $admin->refused('invalid_body', change('analyst', 'data.burn'));
    $admin->refused('invalid_body', change('analyst', 'self'));
    $admin->refused('last_administrator', change('administrator', 'policy.manage', 'data.read'));
    my (undef, %body) = change('analyst', 'data.read');
    delete $body{reason};
    is($admin->call('permission update', %body)->{exit}, 2, 'a change without a reason is refused');
    is_deeply([ of('receiving_clerk') ], \@before, 'a refused change changes nothing');
};

subtest 'a permission that a policy needs' => sub {
    LIMS::Service::CommandLine->new($lims, $_, roles => ['analyst']) for 'Cy Lund', 'Di Moss';
    $admin->done('organization update', reason => 'four eyes', password => undef,
        policies => { selfVerification => 'refused' });
    my @analyst = of('analyst');
    my $all = $admin->done('permission list')->{roles};
    my @without = map {
        my $role = $_;
        { role => $role->{role}, permissions => [ grep { $_ ne 'result.verify' }
                @{ $role->{permissions} } ] }
    } @$all;
    my $said = $admin->refused('policy_unsatisfiable', 'permission update', roles => \@without,
        reason => 'a test', password => undef);
    like($said->{message}, qr/verifying results needs an active person/,
        'the message names what nobody could do');
    is_deeply([ of('analyst') ], \@analyst, 'a refused change leaves the permissions as they were');
    $admin->done('organization update', reason => 'as before', password => undef,
        policies => { selfVerification => 'allowed' });
    $admin->done('permission update', roles => \@without, reason => 'a test', password => undef);
    $admin->done('permission update', reason => 'as before', password => undef,
        roles => [ map { { role => $_->{role}, permissions => $_->{permissions} } } @$all ]);
};

subtest 'two at once' => sub {
    my $ada  = LIMS::Service::Person->new($lims, roles => ['administrator']);
    my $page = $ada->get('/permissions');
    my $send = sub {
        my ($etag, @permissions) = @_;
        return $ada->patch('/permissions', { reason => 'a test',
            roles => [ { role => 'auditor', permissions => \@permissions } ] },
            headers => { 'If-Match' => $etag });
    };
    my @auditor = of('auditor');
    my $first = $send->($page->header('ETag'), @auditor, 'note.add');
    is($first->status, 200, 'whoever is first changes what both saw');
    my $late = refused($send->($page->header('ETag'), @auditor, 'sample.edit'), 412,
        'precondition_failed', 'the other is told that it is another matrix by now');
    like($late->{message}, qr/\AThe permission matrix has changed since/, 'the message names the matrix');
    is_deeply([ of('auditor') ], [ sort @auditor, 'note.add' ], 'nothing of the later change is done');
    is($send->($first->header('ETag'), @auditor)->status, 200, 'whoever has seen that changes it');
};

subtest 'signed where the policy asks for it' => sub {
    $lab->policy(esignature_required => 't');
    my ($command, %body) = change('auditor', 'data.read');
    $admin->refused('esignature_required', $command, %body);
    delete $body{password};
    $admin->done($command, %body);
    is_deeply([ of('auditor') ], ['data.read'], 'with the password the matrix is changed');
    my $signature = $admin->done('signature list', table => 'organization',
        recordId => $lims->fixture->{id})->{data}[0];
    is_deeply([ @$signature{qw(printedName meaning reason)} ], [ 'Ada Park', 'approved', 'a test' ],
        'it is signed as approved');
};
done_testing();
