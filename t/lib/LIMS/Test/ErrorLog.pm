# SPDX-License-Identifier: Apache-2.0
package LIMS::Test::ErrorLog;

=head1 NAME

LIMS::Test::ErrorLog - the error log's part in the verdict of a test

=head1 DESCRIPTION

The part of L<LIMS::Test> that reads httpd's error log. A test fails at its end if the
log has a line of level error or above, a line that is not of httpd's form (libc's and
the sanitizers' are not), or a child that ended by a signal, unless the test has said
that it expects this line:

    expect_log(qr/LIMS0042/, $name)  a test: waits for the line, fails if none comes
    allow_log(qr/LIMS0042/, ...)     for lines that depend on the moment

=cut

use strict;
use warnings;

use Test::More ();

use LIMS::Wait;

sub expect_log {
    my ($self, $pattern, $name) = @_;

    push @{ $self->{expected} }, $pattern;
    wait_until { $self->log =~ $pattern };
    return Test::More::like($self->log, $pattern, $name || "the error log has $pattern");
}

sub allow_log {
    my ($self, @patterns) = @_;
    push @{ $self->{expected} }, @patterns;
    return;
}

# Lines that libpq writes without httpd's form while mod_dbd connects, before anybody can
# ask it not to: notices, and the error of a server that closes the connection right after
# the start-up message.
my $of_libpq = qr/(?:WARNING|DETAIL|HINT): |FATAL:  terminating connection due to /;

sub unexpected_log {
    my ($self) = @_;
    my @lines = grep { /^\[[^]]+\] \[[\w-]*:(?:error|crit|alert|emerg)\]|exit signal/ || /\S/
            && !/^(?:\[[^]]+\] \[[\w-]*:\w+\] |$of_libpq)/ } split /\n/, $self->log;

    for my $pattern (@{ $self->{expected} }) {
        @lines = grep { $_ !~ $pattern } @lines;
    }
    return @lines;
}

1;
