#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# In a browser: a picture of every screen, full, empty, refused and waiting, at two sizes, light
# and dark, for people to look at; each is there, whole and no wider than the window, and in
# every theme axe-core finds nothing on it.
# `make pictures` asks for it; PICTURES is a regular expression of the screens' names (.),
# PICTURES_STATES which states besides the full one (all).
use strict;
use warnings;

use LIMS::Service::Person;
use LIMS::Test;
use LIMS::Test::Browser;

plan(skip_all => 'for make pictures') unless length($ENV{PICTURES} // '');

# Somebody of a demonstration laboratory who may do everything.
sub everything {
    my ($lims, $email) = @_;
    my $super = $lims->superuser;
    $super->do(q{SET session_replication_role = 'replica'});
    $super->do(q{INSERT INTO lims.user_role (organization_id, user_id, role)
        SELECT u.organization_id, u.id, r.role FROM lims.user_account u,
            (SELECT DISTINCT role FROM lims.role_permission) r
        WHERE u.email = ? ON CONFLICT DO NOTHING}, undef, $email);
    $super->do(q{SET session_replication_role = 'origin'});
    return { email => $email, password => $lims->{keys}{LIMS_DEMO_PASSWORD} };
}

sub newcomer {
    my ($lims, $code, %option) = @_;
    my $laboratory = $lims->organization(code => $code, name => 'Highland Water Laboratory',
        time_zone => 'Europe/London');
    $option{prepare}->($lims, $laboratory) if $option{prepare};
    my $person = LIMS::Service::Person->new($lims, organization => $laboratory,
        name => 'Ada Stone', %option);
    return { email => $person->email, password => $person->password };
}

sub without_permissions {
    my ($lims, $laboratory) = @_;
    $lims->db->do(q{DELETE FROM lims.role_permission
        WHERE organization_id = ? AND role = 'client_services' AND permission <> 'note.add'},
        undef, $laboratory->{id});
    return;
}

my %people = (
    'cedar-basin' => sub { everything($_[0], 'ruth.calder@cedarbasin.example') },
    harborview    => sub { everything($_[0], 'helen.brandt@harborview.example') },
    empty         => sub { newcomer($_[0], 'highland', roles => [qw(administrator lab_manager)]) },
    refused       => sub { newcomer($_[0], 'lowland', roles => ['client_services'],
            prepare => \&without_permissions) },
    first         => sub { newcomer($_[0], 'midland', accountable => 0) },
);
my %made;

LIMS::Test::Browser::run('pictures', undef, acts => {
    person => sub { my ($lims, $who) = @_; $made{$who} ||= $people{$who}->($lims) },
});
done_testing();
