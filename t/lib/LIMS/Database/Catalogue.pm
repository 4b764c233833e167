# SPDX-License-Identifier: Apache-2.0
package LIMS::Database::Catalogue;

=head1 NAME

LIMS::Database::Catalogue - what the columns of a database may hold, by its catalogue

=head1 DESCRIPTION

    my $catalogue = LIMS::Database::Catalogue->new($db);
    my $may = $catalogue->columns;    # "table.column" => what it may hold
    my $of  = $catalogue->origins_of_statement('sample_get');

C<columns> gives, of each column, a hash of

    null, default    whether it may be null, whether it has a default
    values           of a closed list
    min, max         characters of a text
    least, most      bounds of a number
    pattern          of a text

C<origins_of_statement> gives "table.column" for each column of the statement's rows that
is a table's as it stands, by way of views.

=cut

use strict;
use warnings;

use LIMS::Database::Statements;

sub new {
    my ($class, $db) = @_;
    return bless { db => $db, views => {},
        statements => { map { $_->{label} => $_->{sql} } LIMS::Database::Statements::all() } }, $class;
}

sub columns {
    my ($self) = @_;
    my $of = { map { $_->[0] => { null => $_->[1], default => $_->[2], min => 0 } }
            @{ $self->{db}->selectall_arrayref(<<'END') } };
SELECT c.relname || '.' || a.attname, NOT a.attnotnull, a.atthasdef OR a.attidentity <> ''
  FROM pg_class c
  JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
 WHERE c.relnamespace = 'lims'::regnamespace
   AND c.relkind IN ('r', 'p')
   AND NOT c.relispartition
END
    for my $row (@{ $self->{db}->selectall_arrayref(<<'END') }) {
SELECT c.relname || '.' || a.attname, pg_get_constraintdef(k.oid)
  FROM pg_constraint k
  JOIN pg_class c ON c.oid = k.conrelid AND NOT c.relispartition
  JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.conkey[1]
 WHERE k.contype = 'c'
   AND cardinality(k.conkey) = 1
   AND c.relnamespace = 'lims'::regnamespace
END
        my ($may, $check) = ($of->{ $row->[0] }, $row->[1]);
        $may->{values} = [ $1 =~ /'([^']*)'/g ]
            if $check =~ /(?:= ANY \(+|<@ )ARRAY\[(.*?)\]/ || $check =~ /\(\(\w+ = ('[^']*'::text)\)/;
        $may->{max}     = $1 if $check =~ /\blength\(\w+\) <= (\d+)/;
        $may->{min}     = $1 if $check =~ /\blength\(\w+\) >= (\d+)/;
        ($may->{least}, $may->{most}) = ($1, $2)
            if $check =~ /\(\(?\w+ >= '?(-?\d+)'?(?:::\w+)?\) AND \(\w+ <= '?(\d+)'?(?:::\w+)?\)\)/;
        $may->{least}   = $1 if $check =~ /\A.{0,8}\(\w+ (?:>=) '?(-?\d+)'?(?:::\w+)?\)\)\z/;
        $may->{pattern} = $1 if $check =~ /(?<!!)~ '([^']*)'::text/;
    }
    return $of;
}

# Column of a view => "table.column", for those that are a table's as they stand. A
# rule keeps its query as a tree of nodes; those of its own list are the outermost.
sub _origins {
    my ($self, $view) = @_;
    my $db = $self->{db};
    return $self->{views}{$view} if $self->{views}{$view};
    my ($query) = $db->selectrow_array('SELECT ev_action FROM pg_rewrite WHERE ev_class = ?', undef,
        $view) =~ /\A\(\{QUERY(.*)\}\)\z/s;
    my %found;
    while ($query =~ /(\{(?:[^{}\\]++|\\.|(?1))*+\})/gs) {
        my ($column, $relation, $number) = $1 =~
            /\A\{TARGETENTRY .* :resname (\S+) :ressortgroupref \d+ :resorigtbl (\d+) :resorigcol (\d+) /s
            or next;
        my ($table, $kind, $of) = $db->selectrow_array('SELECT relname, relkind, attname'
                . ' FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid'
                . ' WHERE c.oid = ? AND a.attnum = ?', undef, $relation, $number) or next;
        $found{$column} = $kind eq 'v' ? $self->_origins($relation)->{$of} : "$table.$of";
    }
    return $self->{views}{$view} = \%found;
}

sub origins_of_statement {
    my ($self, $label) = @_;
    my $db  = $self->{db};
    my $sql = $self->{statements}{$label} =~ s/\$\d+/NULL/gr;

    $db->do("CREATE TEMP VIEW it AS $sql");
    my $found = $self->_origins($db->selectrow_array(q{SELECT 'pg_temp.it'::regclass::oid}));
    $db->do('DROP VIEW it');
    return $found;
}

1;
