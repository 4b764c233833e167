#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# A database of 1.0.0 comes to keep the bytes of files apart: none is lost, each is
# counted to its key, and what was imported is found by what it entered.
use strict;
use warnings;

use LIMS::Test::Tool;

my $tool = LIMS::Test::Tool->new(empty => 1);
my $db   = $tool->db;

sub migrate {
    for my $file (@_) {
        open my $in, '<', $file or die "$file: $!\n";
        local $/ = undef;
        $db->begin_work;
        $db->do(scalar <$in>);
        $db->commit;
    }
    return;
}

my @migrations = sort glob "$LIMS::Instance::root/sql/[0-9]*.sql";
my @before     = grep { m{/0[12]\d_|/00\d_} && !m{/02[4-9]_} } @migrations;
my %done       = map { $_ => 1 } @before;
$db->do('SET client_min_messages = warning');
$db->do('CREATE SCHEMA IF NOT EXISTS lims');
migrate(@before);

sub value { return $tool->value(@_) }

# A laboratory, as far as files need one.
my $lab  = value(q{INSERT INTO lims.organization (code, name) VALUES ('cedar', 'Cedar') RETURNING id});
my $user = value(q{INSERT INTO lims.user_account (organization_id, email, display_name)
    VALUES (?, 'a@b.example', 'A') RETURNING id}, $lab);
my @keys = map { value(q{INSERT INTO lims.api_key (organization_id, name, key_hash, key_prefix, scopes,
    created_by) VALUES (?, 'k', sha256(?::bytea), 'lk_', '{}', ?) RETURNING id}, $lab, $_, $user) } 1, 2;
sub acting {
    my ($work) = @_;
    $db->begin_work;
    $db->do('SELECT lims.act_as(?, ?, NULL, NULL, NULL)', undef, $lab, $user);
    my @result = $work->();
    $db->commit;
    return @result;
}

sub file {
    my ($bytes, $key) = @_;
    return value(q{INSERT INTO lims.instrument_file (organization_id, file_name, sha256, content, size,
        received_by, received_by_key) VALUES (?, 'f.csv', '', ?, 0, ?, ?) RETURNING id}, $lab, $bytes,
        $user, $key);
}

my %file = map { $_->[0] => file(@$_) } [ 'one', $keys[0] ], [ 'three', $keys[0] ],
    [ 'seventeen', $keys[1] ], [ 'by hand', undef ];
acting(sub { $db->do(q{UPDATE lims.instrument_file SET status = 'imported', rows_hash = sha256('old')
    WHERE id = ?}, undef, $file{one}) });
$db->do(q{INSERT INTO lims.instrument_file_row (organization_id, file_id, row_number, tracking_id,
    result, unit, status) VALUES (?, ?, 2, 'CCV', '1.5', 'mg/L', 'control')}, undef, $lab, $file{one});
my $updated = value('SELECT updated_at FROM lims.instrument_file WHERE id = ?', $file{one});

migrate(grep { !$done{$_} } @migrations);

is_deeply({ map { $_->[0] => $_->[1] } @{ $db->selectall_arrayref(q{SELECT convert_from(c.content,
        'UTF8'), c.file_id FROM lims.instrument_file_content c JOIN lims.instrument_file f
        ON f.organization_id = c.organization_id AND f.id = c.file_id AND f.sha256 = sha256(c.content)
        AND f.size = length(c.content)}) } }, \%file, 'each file has its bytes');
is_deeply($db->selectall_arrayref('SELECT api_key_id, bytes FROM lims.file_storage ORDER BY 1'),
    [ [ $keys[0], 8 ], [ $keys[1], 9 ] ], 'counted to the keys that sent them');
is(value(q{SELECT rows_hash = sha256(convert_to(lims.reading_identity(NULL, NULL, NULL, 'CCV', '1.5',
    'mg/L', NULL, NULL), 'UTF8')) FROM lims.instrument_file WHERE id = ?}, $file{one}), 1,
    'what was imported is found by what it brought');
is(value('SELECT updated_at FROM lims.instrument_file WHERE id = ?', $file{one}), $updated,
    'and its record tells of no change');
is(value(q{SELECT count(*) FROM lims.audit_entry WHERE table_name = 'instrument_file'
    AND action = 'update'}), 1, 'nor does the trail');

done_testing();
