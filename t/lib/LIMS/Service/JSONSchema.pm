# SPDX-License-Identifier: Apache-2.0
package LIMS::Service::JSONSchema;

=head1 NAME

LIMS::Service::JSONSchema - a small, strict validator of JSON Schema (2020-12)

=head1 SYNOPSIS

    my $schema = LIMS::Service::JSONSchema->new($document);
    my @faults = $schema->validate($value, $document->{components}{schemas}{Sample});

=head1 DESCRIPTION

Values come from C<LIMS::Service::JSONSchema::decode>, which keeps numbers, strings and
booleans apart. It knows what an OpenAPI 3.1 document of a REST API needs and
no more: a keyword or format it does not know is a fault, never skipped, so that
a document cannot say something that nobody checks.

C<$ref> takes JSON pointers within the document.

=cut

use strict;
use warnings;

use B ();
use Cpanel::JSON::XS ();
use JSON::PP ();

my %annotation = map { $_ => 1 } qw(title description example examples default
    deprecated readOnly writeOnly $comment);

my %keyword = (
    '$ref'               => \&_ref,
    type                 => \&_type,
    enum                 => \&_enum,
    const                => \&_const,
    format               => \&_format,
    pattern              => \&_pattern,
    minLength            => \&_min_length,
    maxLength            => \&_max_length,
    minimum              => sub { _bound(@_, '>=') },
    maximum              => sub { _bound(@_, '<=') },
    exclusiveMinimum     => sub { _bound(@_, '>') },
    exclusiveMaximum     => sub { _bound(@_, '<') },
    properties           => \&_properties,
    required             => \&_required,
    additionalProperties => \&_additional,
    minProperties        => \&_min_properties,
    maxProperties        => \&_max_properties,
    items                => \&_items,
    minItems             => \&_min_items,
    maxItems             => \&_max_items,
    uniqueItems          => \&_unique_items,
    allOf                => \&_all_of,
    anyOf                => \&_any_of,
    oneOf                => \&_one_of,
    not                  => \&_not,
);

my $date = qr/\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])/a;
my $time = qr/(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)/a;

my %format = (
    'date'          => qr/\A$date\z/,
    'date-time'     => qr/\A${date}T$time\z/,
    'uuid'          => qr/\A[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\z/,
    'email'         => qr/\A[^@\s]+@[^@\s]+\z/,
    'uri'           => qr/\A[a-z][a-z0-9+.-]*:\S+\z/i,
    'uri-reference' => qr/\A\S*\z/,
    'int64'         => qr/\A-?\d+\z/,
    'int32'         => qr/\A-?\d+\z/,
    'byte'          => qr{\A[A-Za-z0-9+/]*={0,2}\z},
    'binary'        => qr/\A/,
    'password'      => qr/\A/,
    'decimal'       => qr/\A/,
);

# new($document, formats => { name => qr/stricter/ })
sub new {
    my ($class, $document, %option) = @_;

    return bless {
        document => $document,
        formats  => { %format, %{ $option{formats} || {} } },
    }, $class;
}

my $json      = Cpanel::JSON::XS->new->utf8->allow_nonref->allow_bignum;
my $canonical = Cpanel::JSON::XS->new->allow_nonref->canonical->allow_bignum;

# Numbers that a double can't hold stay exact; a name that stands twice in an object is a
# fault. A byte order mark is, too, which the decoder would take.
sub decode {
    my ($bytes) = @_;

    die "the text begins with a byte order mark\n"
        if $bytes =~ /\A(?:\xEF\xBB\xBF|\xFE\xFF|\xFF\xFE)/;
    return $json->decode($bytes);
}

# The faults of a value, each "where: what"; none when it matches.
sub validate {
    my ($self, $value, $schema, $where) = @_;
    $where = '$' unless defined $where;

    if (_is_boolean($schema)) {
        return $schema ? () : "$where: nothing is allowed here";
    }
    return "$where: the schema is no object" unless ref $schema eq 'HASH';
    my @faults;
    for my $name (sort keys %$schema) {
        next if $annotation{$name};
        my $check = $keyword{$name};
        push @faults, $check
            ? $check->($self, $value, $schema->{$name}, $where, $schema)
            : "$where: the schema's keyword \"$name\" is not known";
    }
    return @faults;
}

# Returns the schema that a "#/components/..." refers to.
sub resolve {
    my ($self, $pointer) = @_;
    my $at = $self->{document};

    die "reference $pointer leads out of the document\n" unless $pointer =~ s{\A#}{};
    for my $step (split m{/}, $pointer) {
        next if $step eq '';
        $step =~ s/~1/\//g;
        $step =~ s/~0/~/g;
        $at = ref $at eq 'HASH' ? $at->{$step} : ref $at eq 'ARRAY' ? $at->[$step] : undef;
        die "reference $pointer leads nowhere\n" unless defined $at;
    }
    return $at;
}

# --- What kind of value ------------------------------------------------------

sub _is_boolean {
    my ($value) = @_;
    return JSON::PP::is_bool($value);
}

sub _is_number {
    my ($value) = @_;
    return 0 unless defined $value;
    return $value->isa('Math::BigInt') || $value->isa('Math::BigFloat') ? 1 : 0
        if ref $value && !_is_boolean($value) && ref($value) =~ /^Math::/;
    return 0 if ref $value;
    my $flags = B::svref_2object(\$value)->FLAGS;
    return $flags & (B::SVp_IOK | B::SVp_NOK) && !($flags & B::SVp_POK) ? 1 : 0;
}

sub type_of {
    my ($value) = @_;

    return 'null'    unless defined $value;
    return 'boolean' if _is_boolean($value);
    return 'object'  if ref $value eq 'HASH';
    return 'array'   if ref $value eq 'ARRAY';
    if (_is_number($value)) {
        return 'integer' if $value == int $value;
        return 'number';
    }
    return 'string';
}

sub _has_type {
    my ($value, $type) = @_;
    my $is = type_of($value);
    return $is eq $type || ($type eq 'number' && $is eq 'integer');
}

# Text that is the same for equal values only.
sub _canonical {
    my ($value) = @_;
    return $canonical->encode($value);
}

# --- Keywords: (self, value, argument, where, schema) -> faults --------------

sub _ref {
    my ($self, $value, $pointer, $where) = @_;
    my $schema = eval { $self->resolve($pointer) };
    return "$where: $@" =~ s/\n\z//r unless defined $schema;
    return $self->validate($value, $schema, $where);
}

sub _type {
    my ($self, $value, $types, $where) = @_;
    my @types = ref $types ? @$types : ($types);
    my @unknown = grep { !/\A(?:null|boolean|object|array|number|integer|string)\z/ } @types;
    return "$where: the type \"$unknown[0]\" is not known" if @unknown;
    return if grep { _has_type($value, $_) } @types;
    return "$where: " . type_of($value) . ' where ' . join(' or ', @types) . ' is expected';
}

sub _enum {
    my ($self, $value, $values, $where) = @_;
    my $text = _canonical($value);
    return if grep { _canonical($_) eq $text } @$values;
    return "$where: $text is not one of " . join ', ', map { _canonical($_) } @$values;
}

sub _const {
    my ($self, $value, $expected, $where) = @_;
    return if _canonical($value) eq _canonical($expected);
    return "$where: " . _canonical($value) . ' is not ' . _canonical($expected);
}

sub _format {
    my ($self, $value, $name, $where) = @_;
    my $pattern = $self->{formats}{$name};
    return "$where: the format \"$name\" is not known" unless $pattern;
    my $is = type_of($value);
    return unless $is eq 'string' || $is eq 'integer';
    return if $value =~ $pattern;
    return "$where: \"$value\" is no $name";
}

sub _pattern {
    my ($self, $value, $pattern, $where) = @_;
    return unless type_of($value) eq 'string';
    # ECMAScript's spelling of a character, which Perl has another for.
    my $own = $pattern =~ s/\\u([0-9a-f]{4})/\\x{$1}/gr;
    return if $value =~ /$own/;
    return "$where: \"$value\" does not match $pattern";
}

sub _min_length {
    my ($self, $value, $min, $where) = @_;
    return unless type_of($value) eq 'string' && length $value < $min;
    return "$where: shorter than $min characters";
}

sub _max_length {
    my ($self, $value, $max, $where) = @_;
    return unless type_of($value) eq 'string' && length $value > $max;
    return "$where: longer than $max characters";
}

sub _bound {
    my ($self, $value, $bound, $where, $schema, $operator) = @_;
    return unless _is_number($value);
    my $holds =
          $operator eq '>=' ? $value >= $bound
        : $operator eq '<=' ? $value <= $bound
        : $operator eq '>'  ? $value > $bound
        :                     $value < $bound;
    return if $holds;
    return "$where: $value is not $operator $bound";
}

sub _properties {
    my ($self, $value, $properties, $where) = @_;
    return unless ref $value eq 'HASH';
    return map { $self->validate($value->{$_}, $properties->{$_}, "$where.$_") }
        grep { exists $value->{$_} } sort keys %$properties;
}

sub _required {
    my ($self, $value, $names, $where) = @_;
    return unless ref $value eq 'HASH';
    return map { "$where: member \"$_\" is missing" } grep { !exists $value->{$_} } @$names;
}

sub _additional {
    my ($self, $value, $rest, $where, $schema) = @_;
    return unless ref $value eq 'HASH';
    my @others = grep { !exists $schema->{properties}{$_} } sort keys %$value;
    return map { "$where: member \"$_\" is not documented" } @others
        if _is_boolean($rest) && !$rest;
    return map { $self->validate($value->{$_}, $rest, "$where.$_") } @others;
}

sub _min_properties {
    my ($self, $value, $min, $where) = @_;
    return unless ref $value eq 'HASH' && keys %$value < $min;
    return "$where: fewer than $min members";
}

sub _max_properties {
    my ($self, $value, $max, $where) = @_;
    return unless ref $value eq 'HASH' && keys %$value > $max;
    return "$where: more than $max members";
}

sub _items {
    my ($self, $value, $schema, $where) = @_;
    return unless ref $value eq 'ARRAY';
    return map { $self->validate($value->[$_], $schema, $where . "[$_]") } 0 .. $#$value;
}

sub _min_items {
    my ($self, $value, $min, $where) = @_;
    return unless ref $value eq 'ARRAY' && @$value < $min;
    return "$where: fewer than $min items";
}

sub _max_items {
    my ($self, $value, $max, $where) = @_;
    return unless ref $value eq 'ARRAY' && @$value > $max;
    return "$where: more than $max items";
}

sub _unique_items {
    my ($self, $value, $unique, $where) = @_;
    return unless $unique && ref $value eq 'ARRAY';
    my %seen;
    return map { "$where: $_ is there twice" }
        grep { $seen{$_}++ == 1 } map { _canonical($_) } @$value;
}

sub _all_of {
    my ($self, $value, $schemas, $where) = @_;
    return map { $self->validate($value, $_, $where) } @$schemas;
}

sub _matching {
    my ($self, $value, $schemas, $where) = @_;
    my ($matching, @faults) = (0);
    for my $schema (@$schemas) {
        my @found = $self->validate($value, $schema, $where);
        $matching++ unless @found;
        push @faults, @found;
    }
    return ($matching, @faults);
}

sub _any_of {
    my ($self, $value, $schemas, $where) = @_;
    my ($matching, @faults) = $self->_matching($value, $schemas, $where);
    return $matching ? () : ("$where: none of anyOf", @faults);
}

sub _one_of {
    my ($self, $value, $schemas, $where) = @_;
    my ($matching, @faults) = $self->_matching($value, $schemas, $where);
    return if $matching == 1;
    return $matching ? "$where: $matching of oneOf" : ("$where: none of oneOf", @faults);
}

sub _not {
    my ($self, $value, $schema, $where) = @_;
    return if $self->validate($value, $schema, $where);
    return "$where: what must not be";
}

1;
