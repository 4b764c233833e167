#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# In a browser: approvals are decided by one password, seeing what the certificate would
# say; certificates are read as pages, with what a reader misses and what changed. A report
# is amended to its next version, which a missing approval refuses and leads to; a result is
# reopened, and an amendment withdrawn.
use strict;
use warnings;

use LIMS::Test;
use LIMS::Test::Browser;
use LIMS::Test::Printer;

LIMS::Test::Browser::run('release', sub {
    my ($lims) = @_;
    $lims->db->do(q{UPDATE lims.organization SET esignature_required = true});
    # One PDF that could not be printed, whatever has become of it meanwhile.
    my $one = 'SELECT id FROM lims.document WHERE certificate_id = (SELECT id FROM lims.certificate
        WHERE status = $$superseded$$ ORDER BY id LIMIT 1)';
    $lims->superuser->do("ALTER TABLE lims.$_ DISABLE TRIGGER USER") for qw(document document_content);
    $lims->db->do("DELETE FROM lims.document_content WHERE document_id = ($one)");
    $lims->db->do("UPDATE lims.document SET state = 'failed', attempts = 3, failure = 'the printer took too long',
        sha256 = NULL, size = NULL, made_at = NULL, announced_at = now(), event_id = 1 WHERE id = ($one)");
    $lims->superuser->do("ALTER TABLE lims.$_ ENABLE TRIGGER USER") for qw(document document_content);
}, conf => LIMS::Test::Printer->real->conf);
done_testing();
