# SPDX-License-Identifier: Apache-2.0
package LIMS::Service::OpenAPI;

=head1 NAME

LIMS::Service::OpenAPI - compares responses with the service's own OpenAPI 3.1 document

=head1 SYNOPSIS

    my $api = LIMS::Service::OpenAPI->new($document);    # ($document, '/app/api')
    my ($operation, @faults) = $api->check('GET', '/samples/7', $response);
    my $same = LIMS::Service::OpenAPI->new(LIMS::Service::OpenAPI::decoded($text));

=head1 DESCRIPTION

A reply is as documented when its operation (method and path) is there, its
status is among the operation's responses, every header it carries is named
there, every header called required is present and of its type, the media type
is the documented one and the body matches its schema. Timestamps have to be in
UTC with milliseconds, which is what the contract says and the format
C<date-time> does not.

A request to a path or method that is not documented has to be refused, with
the schema C<Problem> as its body.

C<decoded> takes a document's text, and is for the documents of this build: they take
seconds to decode, so the first test that asks keeps what it decoded for all others.

=cut

use strict;
use warnings;

use Digest::SHA qw(sha256_hex);
use Storable qw(retrieve store);

use LIMS::Instance;
use LIMS::Service::JSONSchema;

# Headers of the transport, which no API document lists.
my %transport = map { $_ => 1 } qw(connection content-length content-type date keep-alive server
    transfer-encoding upgrade vary x-content-type-options strict-transport-security
    content-security-policy referrer-policy cross-origin-opener-policy content-disposition
    cross-origin-resource-policy);

my $milliseconds = qr/\A\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\z/a;

# Statuses that may answer a request for which no operation is documented.
my %refusal = map { $_ => 1 } qw(400 401 403 404 405 408 411 413 414 415 417 426 429 431 500 501
    503);

sub new {
    my ($class, $document, $base) = @_;
    my $self = bless {
        document => $document,
        schema   => LIMS::Service::JSONSchema->new($document, formats => { 'date-time' => $milliseconds }),
        paths    => [],
        # Set by signing in and out; no schema describes a cookie.
        ignored  => { defined $base ? ('set-cookie' => 1) : () },
    }, $class;

    die "not an OpenAPI 3.1 document\n" unless ($document->{openapi} || '') =~ /\A3\.1\./;
    $base //= '/api/v1';
    for my $template (keys %{ $document->{paths} }) {
        my $item = $document->{paths}{$template};
        push @{ $self->{paths} }, $self->_path($template =~ s{\A\Q$base\E}{}r, $item);
    }
    # Literal segments win over parameters, and {id}.pdf over {id}.
    @{ $self->{paths} } = sort { $a->{parameters} <=> $b->{parameters}
            || length $b->{template} <=> length $a->{template}
            || $a->{template} cmp $b->{template} } @{ $self->{paths} };
    return $self;
}

sub document { return $_[0]{document} }

# The file is named after the text, so that it can't be of another one.
sub decoded {
    my ($text) = @_;
    my $file = LIMS::Instance::shared_folder() . '/decoded-' . sha256_hex($text);
    my $document = eval { retrieve($file) };
    return $document if $document;

    $document = LIMS::Service::JSONSchema::decode($text);
    store($document, "$file.$$");
    rename "$file.$$", $file or die "$file: $!\n";
    return $document;
}

# All operations: { method, template, operationId, operation }.
sub operations {
    my ($self) = @_;
    my @all;
    for my $path (@{ $self->{paths} }) {
        for my $method (sort keys %{ $path->{methods} }) {
            push @all, {
                method      => $method,
                template    => $path->{template},
                operation   => $path->{methods}{$method},
                operationId => $path->{methods}{$method}{operationId},
            };
        }
    }
    return @all;
}

# The operation of a request and its path; HEAD is GET without a body. The path
# is what follows /api/v1, without its query.
sub find {
    my ($self, $method, $path) = @_;
    $method = 'GET' if $method eq 'HEAD';
    for my $candidate (@{ $self->{paths} }) {
        next unless $path =~ $candidate->{pattern};
        return $candidate->{methods}{$method};
    }
    return;
}

# (operation or undef, faults) of a reply.
sub check {
    my ($self, $method, $path, $response) = @_;
    my $operation = $self->find($method, $path);

    return (undef, $self->_check_undocumented($method, $response)) unless $operation;
    my $documented = $operation->{responses}{ $response->status };
    return ($operation, "status " . $response->status . ' is not documented')
        unless $documented;
    $documented = $self->_resolved($documented);
    return ($operation, $self->_check_headers($documented, $response),
        $method eq 'HEAD' ? () : $self->_check_body($documented, $response));
}

sub _path {
    my ($self, $template, $item) = @_;
    my $parameters = () = $template =~ /\{/g;
    my $pattern = join '[^/]+', map { quotemeta } split /\{[^}]*\}/, $template, -1;

    return {
        template   => $template,
        parameters => $parameters,
        pattern    => qr/\A$pattern\z/,
        methods    => { map { uc $_ => $item->{$_} }
                grep { /\A(?:get|put|post|patch|delete|options)\z/ } keys %$item },
    };
}

sub _resolved {
    my ($self, $thing) = @_;
    $thing = $self->{schema}->resolve($thing->{'$ref'}) while $thing->{'$ref'};
    return $thing;
}

sub _check_undocumented {
    my ($self, $method, $response) = @_;
    my $status = $response->status;

    return "status $status for what is not documented at all" unless $refusal{$status};
    return if $method eq 'HEAD';
    return $self->_check_json($response,
        { '$ref' => '#/components/schemas/Problem' });
}

sub _check_headers {
    my ($self, $documented, $response) = @_;
    my %known = map { lc $_ => $self->_resolved($documented->{headers}{$_}) }
        keys %{ $documented->{headers} || {} };
    my %present = map { lc $_ => 1 } $response->header_names;
    my @faults = map { "header $_ is not documented" }
        grep { !$known{$_} && !$transport{$_} && !$self->{ignored}{$_} } sort keys %present;

    for my $name (sort keys %known) {
        if (!$present{$name}) {
            push @faults, "header $name is missing" if $known{$name}{required};
            next;
        }
        push @faults, $self->{schema}->validate(_typed($response->header($name),
                $known{$name}{schema}), $known{$name}{schema}, "header $name");
    }
    return @faults;
}

# A header is text; its schema may say that the text is a number.
sub _typed {
    my ($text, $schema) = @_;
    my $type = $schema->{type} || 'string';

    return 0 + $text if $type =~ /\A(?:integer|number)\z/ && $text =~ /\A-?\d+(?:\.\d+)?\z/a;
    return $text eq 'true' ? JSON::PP::true() : JSON::PP::false()
        if $type eq 'boolean' && $text =~ /\A(?:true|false)\z/;
    return $text;
}

sub _check_body {
    my ($self, $documented, $response) = @_;
    my $content = $documented->{content};

    if (!$content) {
        return length $response->body ? 'a body where none is documented' : ();
    }
    my ($type) = ($response->header('content-type') || '') =~ /\A([^;]*)/;
    my $media = $content->{$type} or return "media type \"$type\" is not documented";
    return unless $media->{schema} && $type eq 'application/json';
    return $self->_check_json($response, $media->{schema});
}

sub _check_json {
    my ($self, $response, $schema) = @_;
    my ($type) = ($response->header('content-type') || '') =~ /\A([^;]*)/;

    return "media type \"$type\" where JSON is expected" unless $type eq 'application/json';
    my $value = eval { LIMS::Service::JSONSchema::decode($response->body) };
    return "the body is no JSON: $@" if $@;
    return $self->{schema}->validate($value, $schema);
}

1;
