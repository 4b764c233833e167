# SPDX-License-Identifier: Apache-2.0
package LIMS::Service::RouteRecords;

=head1 NAME

LIMS::Service::RouteRecords - a record behind every route that names one

=head1 SYNOPSIS

    my $records = LIMS::Service::RouteRecords->new($lims);
    for my $route ($records->routes) {
        $lims->request($route->{method}, $route->{here});
    }

=head1 DESCRIPTION

C<new> makes one record of each kind, with a completed sample whose test is
verified. C<id($noun)> is the id of the record below C</$noun>. C<routes> are
those of discovery, the truth about what there is; each also has C<template>, its
path below /api/v1 as it stands there, C<here>, the same with a record's id, and C<status>,
that of its answer to a read: 404 for the certificates of the order, of which none is issued.

=cut

use strict;
use warnings;

sub new {
    my ($class, $lims) = @_;
    my $self = bless { lims => $lims, id => {} }, $class;
    my $id   = $self->{id};

    $id->{clients}             = $lims->insert('client', { code => 'R-C', name => 'Riverbend' });
    $id->{projects}            = $lims->insert('project', { code => 'R-P', name => 'Permit' });
    $id->{'material-types'}    = $lims->insert('material_type', { code => 'R-W', name => 'Water' });
    $id->{'storage-locations'} = $lims->insert('storage_location', { code => 'R-S', name => 'Shelf' });
    $id->{'test-definitions'}  = $lims->insert('test_definition', { code => 'R-T', name => 'pH' });
    $id->{panels} = $lims->insert('panel', { code => 'R-Q', name => 'Weekly',
            test_definition_ids => "{$id->{'test-definitions'}}" });
    $id->{'reagent-lots'} = $lims->insert('reagent_lot', { code => 'R-R', name => 'Buffer',
            lot_number => '1' });
    $id->{'media-lots'} = $lims->insert('media_lot', { code => 'R-M', name => 'Agar',
            lot_number => '1', medium => 'R2A' });
    $id->{orders} = $lims->insert('sample_order', { client_id => $id->{clients} });
    my $reported = $self->_done('POST', '/samples', { clientName => 'Riverbend',
            materialTypeId => $id->{'material-types'},
            testDefinitionIds => [ $id->{'test-definitions'} ] });
    $self->_done('PATCH', "/sample-tests/$reported->{tests}[0]{id}", { result => '7.1' });
    $self->_done('POST', "/sample-tests/$reported->{tests}[0]{id}/verify", {});
    $self->_done('POST', "/samples/$reported->{id}/report", {});
    $id->{certificates} = $lims->insert('certificate', { sample_id => $reported->{id} });
    $lims->db->do(q{UPDATE lims.document SET claimed_until = now() WHERE certificate_id = ?}, undef,
        $id->{certificates});
    $lims->db->do(q{SELECT lims.keep_document(organization_id, id, claimed_until, '%PDF-1.7', false, 'r')
        FROM lims.document WHERE certificate_id = ?}, undef, $id->{certificates});
    $lims->insert('approval_step', { position => 1, name => 'Quality assurance' });

    my $sample = $self->_done('POST', '/samples', { clientName => 'Riverbend',
            materialTypeId => $id->{'material-types'},
            testDefinitionIds => [ $id->{'test-definitions'} ] });
    $id->{samples} = $sample->{id};
    $id->{'sample-tests'} = $sample->{tests}[0]{id};
    $self->_done('PATCH', "/sample-tests/$id->{'sample-tests'}", { result => '7.2' });
    $self->_done('POST', "/sample-tests/$id->{'sample-tests'}/verify", {});
    $self->_done('PATCH', "/samples/$id->{samples}/status", { status => 'completed' });
    my $approvals = $self->_done('GET', "/samples/$id->{samples}/approvals");
    $id->{'approval-records'} = $approvals->{data}[0]{id};
    return $self;
}

sub _done {
    my ($self, $method, $path, $body) = @_;
    my $answer = $self->{lims}->request($method, $path, defined $body ? (body => $body) : ());

    die "$method $path: " . $answer->body . "\n" unless $answer->status =~ /^2/;
    return $answer->json;
}

sub id {
    my ($self, $noun) = @_;
    return $self->{id}{$noun} || die "no record is made for /$noun\n";
}

sub routes {
    my ($self) = @_;
    my @routes = @{ $self->_done('GET', '')->{routes} };

    for my $route (@routes) {
        ($route->{template} = $route->{path}) =~ s{\A/api/v1}{};
        $route->{here} = $self->with_id($route, undef);
        $route->{status} = $route->{template} eq '/orders/:id/certificates.pdf' ? 404 : 200;
    }
    return @routes;
}

# The route's path with an id of the caller's choice, else the record's.
sub with_id {
    my ($self, $route, $id) = @_;
    my $path = $route->{template};

    $path =~ s{\A/([^/]+)/:id}{"/$1/" . (defined $id ? $id : $self->id($1))}e;
    return $path;
}

1;
