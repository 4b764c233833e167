# SPDX-License-Identifier: Apache-2.0
package LIMS::Service::Roles;

=head1 NAME

LIMS::Service::Roles - who may do what, by the words of the laboratory's rules

=head1 SYNOPSIS

    my @may = @{ $LIMS::Service::Roles::matrix{analyst} };

=head1 DESCRIPTION

C<%matrix> has the permissions of each role as an organization begins with them, written
down apart from the service, so that tests compare the two. C<nobody> is a person without
a role.

=cut

use strict;
use warnings;

my @every  = qw(data.read note.add self);
my @bench  = (@every, qw(sample.receive result.enter result.verify qc.enter worksheet.fill
    worksheet.sign lot.manage confirmation.record file.import investigation.work));
my @system = (@every, qw(user.manage key.manage webhook.manage policy.manage reference.manage
    profile.manage audit.read));
my @counter = qw(sample.register sample.receive sample.edit sample.cancel);
our %matrix = (
    system_administrator => \@system,
    administrator        => [ @system, @counter, 'file.review' ],
    lab_manager => [ @bench, @counter, qw(audit.read sample.report result.reopen approval.decide
        certificate.issue certificate.amend qc.override lot.release confirmation.decide
        investigation.close file.review profile.manage reference.manage) ],
    qa_officer => [ @every, qw(audit.read approval.decide qc.override result.reopen result.verify
        certificate.issue certificate.amend investigation.work investigation.close
        worksheet.sign file.review lot.release sample.report) ],
    analyst         => \@bench,
    microbiologist  => [ @bench, qw(confirmation.decide lot.release approval.decide) ],
    receiving_clerk => [ @every, @counter ],
    client_services => [ @every, qw(sample.register sample.edit certificate.issue) ],
    auditor         => [qw(data.read audit.read self)],
    client_viewer   => [],
    nobody          => [],
);

1;
