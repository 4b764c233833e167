#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# In a browser: turnaround, and the proof of the audit trail. The signed heads are
# downloaded, and the file, compared later, shows what was done to the trail; a file that was
# changed is refused.
use strict;
use warnings;

use LIMS::Test;
use LIMS::Test::Browser;
use LIMS::Test::Printer;

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

LIMS::Test::Browser::run('proof', undef,
    conf => LIMS::Test::Printer->real->conf . "LimsAuditInterval 1\n",
    acts => { asOwner => \&as_owner });
done_testing();
