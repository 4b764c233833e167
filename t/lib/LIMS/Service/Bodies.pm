# SPDX-License-Identifier: Apache-2.0
package LIMS::Service::Bodies;

=head1 NAME

LIMS::Service::Bodies - bodies of requests, made of an OpenAPI document

=head1 SYNOPSIS

    my $bodies = LIMS::Service::Bodies->new($document);
    my $least  = $bodies->of($operation);
    my $full   = $bodies->of($operation, given => { clientId => 7, samples => [{}] },
        text => sub { my ($name, $schema) = @_; return "a text for $name" });

=head1 DESCRIPTION

C<of($operation, %option)> answers a body that the operation takes, undef if it takes no
JSON: the members of C<given>; what else is required, by its example or the first that is
allowed; and for each member that is free text what C<text> answers, if that is not undef.
Members of objects and of lists of objects that are given are completed likewise. Where a
body must not be empty and nothing is required, its first member is there.

=cut

use strict;
use warnings;

use JSON::PP ();

use LIMS::Service::JSONSchema;

my %simple = (integer => 1, number => 1, boolean => JSON::PP::false(), string => 'x');
my %format = (date => '2026-11-20', 'date-time' => '2026-11-20T10:00:00Z');

sub new {
    my ($class, $document) = @_;
    return bless { schema => LIMS::Service::JSONSchema->new($document) }, $class;
}

sub of {
    my ($self, $operation, %option) = @_;
    my $content = $operation->{requestBody}{content}{'application/json'} or return;
    return $self->_object($content->{schema}, $option{given} || {}, $option{text});
}

sub _resolved {
    my ($self, $schema) = @_;
    $schema = $self->{schema}->resolve($schema->{'$ref'}) while $schema->{'$ref'};
    return $schema;
}

sub _object {
    my ($self, $schema, $given, $text) = @_;
    $schema = $self->_resolved($schema);
    my %required = map { $_ => 1 } @{ $schema->{required} || [] };
    my ($first, %made);

    for my $name (sort keys %{ $schema->{properties} }) {
        my $member = $self->_resolved($schema->{properties}{$name});
        $first //= $name;
        if (exists $given->{$name}) {
            $made{$name} = $self->_completed($member, $given->{$name}, $text);
            next;
        }
        my $said = $text && _is_text($member) ? $text->($name, $member) : undef;
        $said //= $self->_example($member) if $required{$name};
        $made{$name} = $said if defined $said;
    }
    $made{$first} = $self->_example($self->_resolved($schema->{properties}{$first}))
        if !%made && $schema->{minProperties};
    return \%made;
}

# Returns the given values, with their objects completed.
sub _completed {
    my ($self, $schema, $value, $text) = @_;
    return $self->_object($schema, $value, $text) if ref $value eq 'HASH' && $schema->{properties};
    my $item = ref $value eq 'ARRAY' && $schema->{items} && $self->_resolved($schema->{items});
    return [ map { $self->_completed($item, $_, $text) } @$value ] if $item;
    return $value;
}

sub _types {
    my ($schema) = @_;
    my $type = $schema->{type};
    return grep { $_ ne 'null' } ref $type ? @$type : $type // ();
}

sub _is_text {
    my ($schema) = @_;
    return join(' ', _types($schema)) eq 'string' && !$schema->{enum} && !$schema->{format};
}

sub _example {
    my ($self, $schema) = @_;
    my ($type) = _types($schema);

    return $schema->{examples}[0] if $schema->{examples};
    return $schema->{enum}[0]     if $schema->{enum};
    return $self->_object($schema, {}) if $type eq 'object';
    return [ $schema->{minItems} ? $self->_example($self->_resolved($schema->{items})) : () ]
        if $type eq 'array';
    return $format{ $schema->{format} // '' } // $schema->{minimum} // $simple{$type};
}

1;
