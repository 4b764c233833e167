# SPDX-License-Identifier: Apache-2.0
package LIMS::Peers::LDAP;

=head1 NAME

LIMS::Peers::LDAP - an LDAP directory of a test's own (OpenLDAP's slapd)

=head1 SYNOPSIS

    my $directory = LIMS::Peers::LDAP->new(kim => 'tidal ledger quince');
    my $lims = LIMS::Test->new(conf => 'AuthLDAPURL ' . $directory->url . ...);

=head1 DESCRIPTION

    new(name => password, ...)    with these people below ou=people,dc=example
    url                           for AuthLDAPURL: people by their uid
    stop                          it is gone; the test's end stops it anyway

=cut

use strict;
use warnings;

use File::Temp qw(tempdir);
use IO::Socket::INET;
use LIMS::Instance;
use LIMS::Wait;

# Where Debian has slapd; a user's own path may lack it.
$ENV{PATH} .= ':/usr/sbin:/sbin';

my $owner = $$;
my @made;

sub new {
    my ($class, %password) = @_;
    my $self = bless { port => LIMS::Instance::reserve_port(), folder => tempdir(CLEANUP => 1) },
        $class;

    push @made, $self;
    $self->_write('slapd.conf', _configuration($self->{folder}));
    $self->_write('people.ldif', _people(%password));
    LIMS::Instance::run('slapadd', '-f', "$self->{folder}/slapd.conf", '-l',
        "$self->{folder}/people.ldif");
    $self->_start;
    return $self;
}

sub url { return "ldap://127.0.0.1:$_[0]{port}/ou=people,dc=example?uid" }

sub stop {
    my ($self) = @_;
    my $pid = delete $self->{pid} or return;

    kill 'KILL', $pid;
    waitpid $pid, 0;
    return;
}

sub _configuration {
    my ($folder) = @_;
    my ($modules) = grep { -d } glob '/usr/lib/ldap /usr/lib/*/ldap /usr/lib64/openldap';

    return <<"END";
include /etc/ldap/schema/core.schema
include /etc/ldap/schema/cosine.schema
include /etc/ldap/schema/inetorgperson.schema
modulepath $modules
moduleload back_mdb
pidfile $folder/pid
database mdb
maxsize 10485760
suffix dc=example
directory $folder
END
}

sub _people {
    my (%password) = @_;
    my $ldif = "dn: dc=example\nobjectClass: domain\ndc: example\n\n"
        . "dn: ou=people,dc=example\nobjectClass: organizationalUnit\nou: people\n\n";

    return join '', $ldif, map {
        "dn: uid=$_,ou=people,dc=example\nobjectClass: inetOrgPerson\nuid: $_\ncn: $_\nsn: $_\n"
            . "userPassword: $password{$_}\n\n"
    } sort keys %password;
}

sub _write {
    my ($self, $name, $text) = @_;
    open my $file, '>', "$self->{folder}/$name" or die "$name: $!\n";
    print {$file} $text;
    close $file;
    return;
}

sub _start {
    my ($self) = @_;
    my $pid = fork // die "fork: $!\n";

    if (!$pid) {
        open STDERR, '>', '/dev/null' or die "/dev/null: $!\n";
        exec 'slapd', '-d', '0', '-f', "$self->{folder}/slapd.conf", '-h',
            "ldap://127.0.0.1:$self->{port}" or die "slapd: $!\n";
    }
    $self->{pid} = $pid;
    wait_until { IO::Socket::INET->new(PeerAddr => "127.0.0.1:$self->{port}") }
        or die "slapd did not start\n";
    return;
}

END {
    if ($$ == $owner) {
        my $status = $?;
        $_->stop for @made;
        $? = $status;
    }
}

1;
