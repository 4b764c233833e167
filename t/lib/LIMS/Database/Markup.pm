# SPDX-License-Identifier: Apache-2.0
package LIMS::Database::Markup;

=head1 NAME

LIMS::Database::Markup - puts hostile text into every text of a database

=head1 SYNOPSIS

    my $spared = qr/$LIMS::Database::Markup::words|\Auser_account\.email\z/;
    my ($written, $refused) = LIMS::Database::Markup::write($lims, $spared);
    ($written, $refused) = LIMS::Database::Markup::write($lims, $spared, '=1+2');

=head1 DESCRIPTION

C<write($lims, $spared)> puts a picture and a script that call C<hit()>, a character that
turns the direction of a text, a zero-width and a control character in front of every text of
every table, also of those in JSON, without triggers: as if somebody had stored them. Only
what a CHECK of the table refuses, and the columns C<table.column> that C<$spared> matches,
stay as they are. A column that is made later is written, too. Answers the columns written,
and those that no form of markup fits, each as references to lists of C<table.column>.
C<write($lims, $spared, $text)> puts C<$text> there instead. C<$words> matches the columns
that hold a word of the service, without which nothing works.

=cut

use strict;
use warnings;

use JSON::PP ();

our $short = qq{<img src=x onerror=hit()>\x{202e}\x{200b}\x{7}};
our $long = "<script>hit()</script>$short";
our $words = qr/\A(?:schema_migration\.\w+|idempotency_record\.\w+|\w+\.(?:table_name|state|status
        |confirmation_status|role|signature_hash|address_hash)
    |account_link\.purpose|audit_block\.key_id|instrument_profile\.definition
    |organization\.(?:code|time_zone|locale)|saved_view\.page|sign_in_guess\.address
    |user_account\.(?:email|password_hash)|webhook_endpoint\.(?:events|url))\z/x;
my $json = JSON::PP->new->allow_nonref;

# Without what other tables refer to, and what is worked out.
my $columns = <<'SQL';
SELECT c.relname AS relation, a.attname AS name, format_type(a.atttypid, NULL) AS type
  FROM pg_class c
  JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
 WHERE c.relnamespace = 'lims'::regnamespace AND c.relkind = 'r' AND a.attgenerated = ''
   AND a.atttypid IN ('text'::regtype, 'text[]'::regtype, 'json'::regtype, 'jsonb'::regtype)
   AND NOT EXISTS (SELECT FROM pg_constraint f WHERE f.contype = 'f'
        AND (f.conrelid = c.oid AND a.attnum = ANY (f.conkey)
            OR f.confrelid = c.oid AND a.attnum = ANY (f.confkey)))
 ORDER BY 1, 2
SQL

# Tries the longest that the table takes.
sub _text {
    my ($db, $table, $name) = @_;
    for my $value ([ "? || $name", $long ], [ "left(? || $name, 64)", $short ],
        [ "? || right($name, 4)", $short ]) {
        return 1 if _changed($db, "UPDATE lims.$table SET $name = $value->[0]", $value->[1]);
    }
    return 0;
}

sub _changed {
    my ($db, $statement, @values) = @_;

    $db->pg_savepoint('one_column');
    return 1 if eval { $db->do($statement, undef, @values) };
    $db->pg_rollback_to('one_column');
    return 0;
}

# Names and words of code in JSON are no text of people.
sub _marked {
    my ($value) = @_;
    return { map { $_ => _marked($value->{$_}) } keys %$value } if ref $value eq 'HASH';
    return [ map { _marked($_) } @$value ] if ref $value eq 'ARRAY';
    return $value if !defined $value || ref $value || $value !~ /[A-Z ]/ || $value =~ /\A\d{4}-/;
    return $short . $value;
}

sub _documents {
    my ($db, $table, $name, $type) = @_;
    my $rows = $db->selectall_arrayref("SELECT ctid, ${name}::text FROM lims.$table
        WHERE $name IS NOT NULL ORDER BY ctid DESC LIMIT 200");
    my $written = @$rows == 0;
    for my $row (@$rows) {
        $written += _changed($db, "UPDATE lims.$table SET $name = ?::$type WHERE ctid = ?",
            $json->encode(_marked($json->decode($row->[1]))), $row->[0]);
    }
    return $written;
}

sub write {
    my ($lims, $spared, $text) = @_;
    local ($short, $long) = defined $text ? ($text) x 2 : ($short, $long);
    my $db = $lims->superuser;
    my (@written, @refused);

    $db->begin_work;
    $db->do(q{SET LOCAL session_replication_role = 'replica'});
    for my $column (@{ $db->selectall_arrayref($columns, { Slice => {} }) }) {
        my ($table, $name, $type) = @$column{qw(relation name type)};
        next if "$table.$name" =~ $spared;
        my $done = $type eq 'text' ? _text($db, $table, $name)
            : $type eq 'text[]' ? _changed($db, "UPDATE lims.$table
                SET $name = array_prepend(?, $name) WHERE cardinality($name) > 0", $short)
            : _documents($db, $table, $name, $type);
        push @{ $done ? \@written : \@refused }, "$table.$name";
    }
    # Certificates as if they had been issued like this.
    $db->do(q{UPDATE lims.certificate SET sha256 = sha256(convert_to(content::text, 'UTF8'))});
    $db->commit;
    return (\@written, \@refused);
}

1;
