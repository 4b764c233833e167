# SPDX-License-Identifier: Apache-2.0
package LIMS::Test::Tool;

=head1 NAME

LIMS::Test::Tool - tests of limsctl: a database of their own, without a service

=head1 SYNOPSIS

    use LIMS::Test::Tool;    # also all of Test::More

    my $tool = LIMS::Test::Tool->new;
    my $made = $tool->run(qw(organization create --code cedar --name Cedar));
    is($made->{exit}, 0);

=head1 METHODS

    new(empty => 1)    a migrated database; empty: with the roles alone
    run(@arguments)    { exit, out, err, json } of limsctl as lims_owner; json
                       is standard output, where that is JSON
    as($role, @arguments)      likewise with another login
    made(@arguments)   the JSON of a run with --json; dies unless it succeeded
    laboratory($code)  an organization with the administrator ana@CODE.example,
                       whose password is `password`: the options to act as her
    secret($text)      a file that holds it
    db, superuser, value($sql, @bind)   as L<LIMS::Test::Connections> has them
    parallel($count, $action)  as L<LIMS::Test::Parallel> has it

=cut

use strict;
use warnings;

use File::Temp ();
use POSIX ();
use Test::More;

use parent qw(LIMS::Test::Connections LIMS::Test::Parallel);

use LIMS::Instance;
use LIMS::Service::JSONSchema;

use constant password => 'correct horse battery';

my $owner = $$;
my @made;

sub import {
    Test::More->export_to_level(1, @_);
    return;
}

sub new {
    my ($class, %option) = @_;
    my ($name) = $0 =~ m{\bt/(.*)\.t\z};
    my $self = bless {
        database => 'lims_test_' . (($name || 'tool') =~ s/\W/_/gr) . (@made || ''),
        folder   => File::Temp->newdir,
    }, $class;

    push @made, $self;
    return $self->_empty if $option{empty};
    LIMS::Instance::create_database($self->{database});
    return $self;
}

sub _empty {
    my ($self) = @_;
    my $admin = LIMS::Instance::connect_database('postgres', 'postgres');

    LIMS::Instance::drop_database($self->{database});
    $admin->do("CREATE DATABASE $self->{database}");
    open my $in, '<:raw', "$LIMS::Instance::root/sql/roles.sql" or die "roles.sql: $!\n";
    $self->superuser->do(do { local $/ = undef; <$in> });
    return $self;
}

sub run {
    my ($self, @arguments) = @_;
    return $self->as('lims_owner', @arguments);
}

sub as {
    my ($self, $role, @arguments) = @_;
    local $ENV{LIMS_DATABASE} = $self->conninfo($role);
    my ($out, $err) = map { File::Temp->new(DIR => $self->{folder}) } 1, 2;

    my $pid = fork;
    die "fork: $!\n" unless defined $pid;
    if (!$pid) {
        # A session of its own has no terminal that could be asked.
        POSIX::setsid();
        open STDIN,  '<',  '/dev/null'    or POSIX::_exit(127);
        open STDOUT, '>&', fileno($out)   or POSIX::_exit(127);
        open STDERR, '>&', fileno($err)   or POSIX::_exit(127);
        exec LIMS::Instance::out() . '/limsctl', @arguments or POSIX::_exit(127);
    }
    waitpid $pid, 0;
    my ($told, $complained) = map { _contents("$_") } $out, $err;
    return { exit => $? & 127 ? "signal $?" : $? >> 8, out => $told, err => $complained,
        json => scalar eval { LIMS::Service::JSONSchema::decode($told) } };
}

sub _contents {
    my ($file) = @_;
    open my $in, '<:raw', $file or die "$file: $!\n";
    local $/ = undef;
    return scalar(<$in>) // '';
}

sub made {
    my ($self, @arguments) = @_;
    my $done = $self->run('--json', @arguments);

    die "limsctl @arguments: exit status $done->{exit}: $done->{out}$done->{err}\n"
        if $done->{exit} || !$done->{json};
    return $done->{json};
}

sub secret {
    my ($self, $text) = @_;
    my $file = "$self->{folder}/secret" . ++$self->{secrets};

    open my $to, '>', $file or die "$file: $!\n";
    print $to "$text\n";
    close $to or die "$file: $!\n";
    return $file;
}

sub laboratory {
    my ($self, $code, @options) = @_;

    $self->made(qw(organization create --code), $code, '--name', ucfirst $code, @options);
    $self->made(qw(user create --organization), $code, '--email', "ana\@$code.example",
        '--display-name', 'Ana Ruiz', '--roles', 'administrator,lab_manager',
        '--password-file', $self->secret(password));
    return ('--organization', $code, '--user', "ana\@$code.example");
}

END {
    if ($$ == $owner) {
        my $status = $?;
        for my $self (@made) {
            $self->forget_handles;
            LIMS::Instance::drop_database($self->{database}) unless $ENV{LIMS_TEST_LEAVE};
        }
        $? = $status;
    }
}

1;
