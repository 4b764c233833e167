# SPDX-License-Identifier: Apache-2.0
package LIMS::Database::Statements;

=head1 NAME

LIMS::Database::Statements - the SQL statements compiled into this build

=head1 DESCRIPTION

C<all> returns them in the order of the generated table, each a hash of

    label       sample_get
    sql         with $1 ... $n
    custom      whether it is planned for the values of each call
    parameters  [ [ kind, name ], ... ]: value, given or context
    origin      samples.sql:12

C<bound($statement, { name =E<gt> value }, { name =E<gt> value })> are the values for its
parameters, from those of a request and those of its context; a C<:?name> is
whether the request has it.

=cut

use strict;
use warnings;

use LIMS::Instance;

my %kind = (VALUE => 'value', GIVEN => 'given', CONTEXT => 'context');

# Joins adjacent string literals, as a C compiler does.
sub _unquoted {
    my ($literals) = @_;
    my %escape = (n => "\n", t => "\t");
    my $made   = join '', $literals =~ /"((?:[^"\\]|\\.)*)"/g;

    return $made =~ s/\\(.)/$escape{$1} \/\/ $1/ger;
}

sub all {
    my $source = LIMS::Instance::out() . '/statements.c';
    open my $in, '<:raw', $source or die "$source: $!; run make\n";
    my $text = do { local $/ = undef; <$in> };
    my (%parameters, @all);

    while ($text =~ /lims_parameter_t (\w+)_parameters\[\] = \{(.*?)\n\};/gs) {
        my ($label, $list) = ($1, $2);
        $parameters{$label} = [ map { [ $kind{ $_->[0] }, $_->[1] ] }
                map { [/LIMS_P_(\w+), \.name = "(\w+)"/] } $list =~ /\{ (.*?) \}/g ];
    }
    my $literals = qr/(?:"(?:[^"\\]|\\.)*"\s*)+/;
    while ($text =~ /\.label = "(\w+)",\n\s*\.sql =\s*($literals),\n(.*?)\.origin = "([^"]*)"/gs) {
        my ($label, $sql, $rest, $origin) = ($1, $2, $3, $4);
        push @all, { label => $label, sql => _unquoted($sql), origin => $origin,
            custom => $rest =~ /\.custom = true/ ? 1 : 0, parameters => $parameters{$label} || [] };
    }
    my $expected = () = $text =~ /^    \[LIMS_STMT_(?!NONE\])/mg;
    die 'found ' . @all . " of $expected statements in $source\n" unless @all == $expected;
    return @all;
}

sub bound {
    my ($statement, $values, $context) = @_;

    return map {
        my ($from, $name) = @$_;
        $from eq 'context' ? $context->{$name}
            : $from eq 'given' ? (exists $values->{$name} ? 't' : 'f')
            :                    $values->{$name};
    } @{ $statement->{parameters} };
}

1;
