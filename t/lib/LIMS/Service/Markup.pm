# SPDX-License-Identifier: Apache-2.0
package LIMS::Service::Markup;

=head1 NAME

LIMS::Service::Markup - sends markup in every text that a program may send

=head1 SYNOPSIS

    my $markup = LIMS::Service::Markup->new($lims, $key);
    my $client = $markup->send('createClient', {})->{id};
    my %texts  = $markup->texts;

=head1 DESCRIPTION

C<send($operation, $body, %path)> asks the API with a key: the operation by its id in the
OpenAPI document, with what its path names, and the body with markup and a character that
turns the direction of a text in every text that is not given. Each of these texts begins
with a word of its own. Answers the record, and dies if the service refuses.

C<texts> are the words sent, each with operation and member.

=cut

use strict;
use warnings;

use LIMS::Service::Bodies;
use LIMS::Service::OpenAPI;

# Members that no person reads, or that have to be a record's.
my %machine = map { $_ => 1 } qw(trackingId identifier ifMatch content contentBase64 profile);

our $markup = qq{<img src=x onerror=hit()>\x{202e}};

sub new {
    my ($class, $lims, $key) = @_;
    my $document = LIMS::Service::OpenAPI::decoded($lims->get('/openapi.json')->body);
    my %operation;

    for my $path (keys %{ $document->{paths} }) {
        for my $method (grep { /\A(?:post|patch)\z/ } keys %{ $document->{paths}{$path} }) {
            my $one = $document->{paths}{$path}{$method};
            $operation{ $one->{operationId} } = { method => uc $method,
                path => $path =~ s{\A/api/v1}{}r, as_documented => $one };
        }
    }
    return bless { lims => $lims, key => $key, operation => \%operation,
        bodies => LIMS::Service::Bodies->new($document), texts => {} }, $class;
}

sub texts { return %{ $_[0]{texts} } }

sub send {
    my ($self, $name, $given, %path) = @_;
    my $operation = $self->{operation}{$name} or die "no operation $name\n";
    my $body = $self->{bodies}->of($operation->{as_documented}, given => $given, text => sub {
        my ($member) = @_;
        return if $machine{$member};
        my $word = 'text' . (1 + keys %{ $self->{texts} }) . 'w';
        $self->{texts}{$word} = "$name $member";
        return "$word $markup";
    });
    my $answer = $self->{lims}->request($operation->{method},
        $operation->{path} =~ s/\{(\w+)\}/$path{$1}/gr, key => $self->{key}, body => $body);

    die "$name: " . $answer->status . ' ' . $answer->body . "\n" if $answer->status !~ /\A2/;
    return $answer->json;
}

1;
