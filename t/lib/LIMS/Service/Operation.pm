# SPDX-License-Identifier: Apache-2.0
package LIMS::Service::Operation;

=head1 NAME

LIMS::Service::Operation - what the OpenAPI document promises of one operation

=head1 SYNOPSIS

    for my $operation (LIMS::Service::Operation->all($lims->api)) {
        my $bytes = message($lims, $operation->method, $operation->path(7),
            body => $operation->body);
        my %promised = $operation->refusals;    # { 404 => ['not_found'], ... }
    }

=head1 DESCRIPTION

C<all> are the operations of a document. Each has C<name> (its operationId),
C<method>, C<template>, C<path($id)>, C<noun> (whose id the path has, else
undef), C<scope> (or undef), C<success> (its status below 300), C<statuses>, and
C<body>: the smallest JSON text, or form, that its schema accepts, undef where it
takes no body. C<type> is the Content-Type of that, C<wrong> a body of that type
which is not what is asked for. C<refusals> maps each documented error status to
its slugs.

=cut

use strict;
use warnings;

use JSON::PP ();

use LIMS::Service::JSONSchema;

sub all {
    my ($class, $api) = @_;
    my $schema = LIMS::Service::JSONSchema->new($api->document);

    return map { bless { %$_, schema => $schema }, $class } $api->operations;
}

sub name     { return $_[0]{operationId} }
sub method   { return $_[0]{method} }
sub template { return $_[0]{template} }
sub scope    { return $_[0]{operation}{'x-scope'} }
sub statuses { return sort keys %{ $_[0]{operation}{responses} } }
sub label    { return "$_[0]{method} $_[0]{template}" }

sub success {
    my ($self) = @_;
    my ($status) = grep { /\A2/ } $self->statuses;
    return $status;
}

sub noun {
    my ($self) = @_;
    return $self->{template} =~ m{\A/([^/]+)/\{id\}} ? $1 : undef;
}

sub path {
    my ($self, $id) = @_;
    return $self->{template} =~ s/\{id\}/$id/r;
}

# Bodies that an operation needs beyond its schema.
my %beyond = (receiveSamples => { sampleIds => [4217] },
    ingestInstrumentFile => { content => 'x', dryRun => JSON::PP::true });

my $boundary = 'limit-of-a-part';

sub _json {
    my ($self) = @_;
    my $request = $self->{operation}{requestBody};
    return $request && $request->{content}{'application/json'};
}

sub body {
    my ($self) = @_;
    return undef                  if !$self->{operation}{requestBody};
    return _form(file => 'A file') if !$self->_json;
    return JSON::PP->new->utf8->canonical->encode({
        %{ $self->_least($self->_json->{schema}) },
        %{ $beyond{ $self->name } || {} },
    });
}

sub type {
    my ($self) = @_;
    return $self->_json ? 'application/json' : "multipart/form-data; boundary=$boundary";
}

sub wrong {
    my ($self) = @_;
    return $self->_json ? '[]' : _form(nothing => 'of that name');
}

sub _form {
    my ($name, $content) = @_;
    my $file = $name eq 'file' ? '; filename="run.csv"' : '';

    return qq(--$boundary\r\nContent-Disposition: form-data; name="$name"$file\r\n\r\n)
        . "$content\r\n--$boundary--\r\n";
}

sub refusals {
    my ($self) = @_;
    my $responses = $self->{operation}{responses};

    return map { $_ => [ $self->_slugs($_, $responses->{$_}) ] } grep { /\A[45]/ } $self->statuses;
}

sub _resolved {
    my ($self, $thing) = @_;
    $thing = $self->{schema}->resolve($thing->{'$ref'}) while $thing->{'$ref'};
    return $thing;
}

# Every value that the schema of the answer's `error` or `code` lists.
sub _slugs {
    my ($self, $status, $response) = @_;
    my $schema = $self->_resolved($response)->{content}{'application/json'}{schema};
    my @found  = $self->_listed($schema);

    die "$self->{operationId}: no slug is documented for $status\n" unless @found;
    return @found;
}

# The general form lists all there are, so what narrows it decides.
sub _listed {
    my ($self, $schema) = @_;

    return map { $self->_listed($_) } @{ $schema->{oneOf} } if $schema->{oneOf};
    return $self->_listed($schema->{allOf}[-1]) if $schema->{allOf};
    $schema = $self->_resolved($schema);
    return map { $_->{enum} ? @{ $_->{enum} } : defined $_->{const} ? $_->{const} : () }
        grep { $_ } @{ $schema->{properties} }{qw(error code)};
}

# The smallest value of a schema, or its example.
sub _least {
    my ($self, $schema) = @_;
    $schema = $self->_resolved($schema);
    my $type = ref $schema->{type} ? $schema->{type}[0] : $schema->{type};

    return $self->_least_object($schema) if $type eq 'object';
    return $schema->{enum}[0]     if $schema->{enum};
    return $schema->{examples}[0] if $schema->{examples};
    return [ ($self->_least($schema->{items})) x ($schema->{minItems} || 0) ] if $type eq 'array';
    return 'x' x ($schema->{minLength} || 0) if $type eq 'string';
    return JSON::PP::true() if $type eq 'boolean';
    return $schema->{minimum} || 0;
}

# Where any member will do, one that is known to have a value.
sub _least_object {
    my ($self, $schema) = @_;
    my $properties = $schema->{properties};
    my @names      = @{ $schema->{required} || [] };
    my @optional   = sort { !$properties->{$a}{examples} <=> !$properties->{$b}{examples}
            || $a cmp $b } keys %$properties;

    push @names, shift @optional while @names < ($schema->{minProperties} || 0);
    return { map { $_ => $self->_least($properties->{$_}) } @names };
}

1;
