#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# In a browser: turnaround, and the proof of the audit trail. The signed heads are
# downloaded, and the file, compared later, shows what was done to the trail; a file that was
# changed is refused. Where entries are archived, the trail and the history of a record say so.
use strict;
use warnings;

use File::Temp qw(tempdir);

use LIMS::Test;
use LIMS::Test::Browser;
use LIMS::Test::Printer;

my $folder = tempdir(CLEANUP => 1);

# Changes rows of the trail as the owner of the database, who can also undo it.
sub as_owner {
    my ($lims, $sql) = @_;
    my $db = $lims->db;

    $db->begin_work;
    $db->do("ALTER TABLE lims.$_ DISABLE TRIGGER USER") for qw(audit_entry audit_block);
    $db->do($sql);
    $db->do("ALTER TABLE lims.$_ ENABLE TRIGGER USER") for qw(audit_entry audit_block);
    $db->commit;
    return 1;
}

# Archives the closed blocks of the laboratory, of any age.
sub archive {
    my ($lims, $code) = @_;
    my $db = $lims->db;

    $db->do(q{CREATE OR REPLACE FUNCTION lims.audit_archive_age() RETURNS interval
        LANGUAGE sql IMMUTABLE AS $$ SELECT interval '0' $$});
    my $now = $db->selectrow_array(q{SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC',
        'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')});
    return $lims->ctl('--organization', $code, qw(--json audit archive --before), $now,
        '--to', "$folder/cedar.jsonl");
}

LIMS::Test::Browser::run('proof', undef,
    conf => LIMS::Test::Printer->real->conf . "LimsAuditInterval 1\n",
    acts => { archive => \&archive, asOwner => \&as_owner });
done_testing();
