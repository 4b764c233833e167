# SPDX-License-Identifier: Apache-2.0
package LIMS::Service::TrailRules;

=head1 NAME

LIMS::Service::TrailRules - what the audit trail says was released against a rule in force

=head1 SYNOPSIS

    my @broken = LIMS::Service::TrailRules::broken($lims->superuser, $organization,
        { selfVerification => 1 });

=head1 DESCRIPTION

    broken($db, $organization, \%policies)
            of an organization, by its id, a line for every report, and every certificate
            of an amendment, that a rule forbade when it was made; of the policies those
            that are named hold. The handle may make temporary tables, which nobody but
            the superuser may.

The gates are not asked: each value is the last one that the trail has of it before the
release. Rules that hold under every policy are judged always. Steps of approval that
changed within a second of a release, which locks no policy, ask for nothing. Which values an approval, an
override or a signature was for is judged by L<LIMS::Chaos::ReleaseAudit>.

=cut

use strict;
use warnings;

# A release is a sample that becomes reported, or the certificate that ends an amendment.
my @HELP = (q{
    CREATE OR REPLACE FUNCTION pg_temp.stood(p_table text, p_record bigint, p_member text,
        p_entry bigint) RETURNS text LANGUAGE sql STABLE AS $$
        SELECT a.changes #>> ARRAY[p_member, 'new'] FROM lims.audit_entry a
         WHERE a.table_name = p_table AND a.record_id = p_record AND a.id <= p_entry
           AND a.changes -> p_member IS NOT NULL ORDER BY a.id DESC LIMIT 1 $$
}, q{
    CREATE OR REPLACE TEMP VIEW release AS
    SELECT a.id AS entry, a.record_id AS sample, a.occurred_at AS moment FROM lims.audit_entry a
     WHERE a.organization_id = current_setting('lims.judged')::bigint
       AND a.table_name = 'sample' AND a.changes #>> '{status,new}' = 'reported'
     UNION ALL
    SELECT a.id, (a.changes #>> '{sample_id,new}')::bigint, a.occurred_at FROM lims.audit_entry a
     WHERE a.organization_id = current_setting('lims.judged')::bigint
       AND a.table_name = 'certificate' AND a.action = 'insert'
       AND a.changes #>> '{amendment_id,new}' IS NOT NULL
}, q{
    CREATE OR REPLACE TEMP VIEW released_test AS
    SELECT r.entry, r.sample, a.record_id AS test,
           (a.changes #>> '{test_definition_id,new}')::bigint AS definition
      FROM release r
      JOIN lims.audit_entry a ON a.table_name = 'sample_test' AND a.action = 'insert'
       AND a.id < r.entry AND (a.changes #>> '{sample_id,new}')::bigint = r.sample
     WHERE coalesce(pg_temp.stood('sample_test', a.record_id, 'disposition', r.entry),
                    'active') = 'active'
}, q{
    CREATE OR REPLACE TEMP VIEW released_coverage AS
    SELECT t.entry, t.sample, t.test, b.batch,
           pg_temp.stood('qc_batch', b.batch, 'qc_status', t.entry) AS status
      FROM released_test t
      JOIN lims.audit_entry a ON a.table_name = 'qc_coverage' AND a.action = 'insert'
       AND a.id < t.entry AND (a.changes #>> '{sample_test_id,new}')::bigint = t.test
     CROSS JOIN LATERAL (SELECT (a.changes #>> '{qc_batch_id,new}')::bigint AS batch) b
     WHERE NOT EXISTS (SELECT FROM lims.audit_entry d WHERE d.table_name = 'qc_coverage'
               AND d.record_id = a.record_id AND d.action = 'delete' AND d.id < t.entry)
}, q{
    CREATE OR REPLACE TEMP VIEW released_approval AS
    SELECT DISTINCT ON (r.entry, step) r.entry, r.sample, a.record_id AS approval,
           (a.changes #>> '{step,new}')::integer AS step,
           pg_temp.stood('approval', a.record_id, 'status', r.entry) AS status,
           pg_temp.stood('approval', a.record_id, 'decided_by', r.entry) AS decided_by
      FROM release r
      JOIN lims.audit_entry a ON a.table_name = 'approval' AND a.action = 'insert'
       AND a.id < r.entry AND (a.changes #>> '{sample_id,new}')::bigint = r.sample
     WHERE pg_temp.stood('approval', a.record_id, 'replaced_at', r.entry) IS NULL
     ORDER BY r.entry, step, (a.changes #>> '{round,new}')::integer DESC
}, q{
    CREATE OR REPLACE TEMP VIEW released_step AS
    SELECT r.entry, (a.changes #>> '{position,new}')::integer AS step
      FROM release r
      JOIN lims.audit_entry a ON a.table_name = 'approval_step' AND a.action = 'insert'
       AND a.organization_id = current_setting('lims.judged')::bigint AND a.id < r.entry
     WHERE pg_temp.stood('approval_step', a.record_id, 'active', r.entry) = 'true'
       AND NOT EXISTS (SELECT FROM lims.audit_entry c WHERE c.table_name = 'approval_step'
               AND c.organization_id = a.organization_id AND c.record_id = a.record_id
               AND c.occurred_at BETWEEN r.moment - interval '1 second'
                                     AND r.moment + interval '1 second')
});

# [ what was done, the policy that forbids it or nothing, the releases of which it is so ]
my @RULES = ([ 'on hold', undef, q{
    SELECT r.sample FROM release r
     WHERE pg_temp.stood('sample', r.sample, 'disposition', r.entry)
           IN ('on_hold', 'cancelled', 'rejected')
} ], [ 'with no test', undef, q{
    SELECT r.sample FROM release r
     WHERE NOT EXISTS (SELECT FROM released_test t WHERE t.entry = r.entry)
} ], [ 'with a test that is not verified', undef, q{
    SELECT t.sample FROM released_test t
     WHERE pg_temp.stood('sample_test', t.test, 'status', t.entry) <> 'verified'
} ], [ 'with a test that has no result', undef, q{
    SELECT t.sample FROM released_test t
     WHERE pg_temp.stood('sample_test', t.test, 'result', t.entry) IS NULL
} ], [ 'with a result that was sent back', undef, q{
    SELECT t.sample FROM released_test t
     WHERE pg_temp.stood('sample_test', t.test, 'returned_at', t.entry) IS NOT NULL
} ], [ 'with a QC batch that failed', undef, q{
    SELECT c.sample FROM released_coverage c WHERE c.status = 'failed'
} ], [ 'with an approval that was not given', undef, q{
    SELECT a.sample FROM released_approval a JOIN released_step s USING (entry, step)
     WHERE a.status <> 'approved'
} ], [ 'with QC that is not done', 'qcRequired', q{
    SELECT c.sample FROM released_coverage c WHERE c.status = 'open'
     UNION ALL
    SELECT t.sample FROM released_test t
      JOIN lims.test_definition d ON d.id = t.definition
      JOIN lims.qc_template x ON x.method = d.method AND x.required
     WHERE NOT EXISTS (SELECT FROM released_coverage c WHERE c.entry = t.entry
               AND c.test = t.test AND c.status IN ('passed', 'overridden'))
} ], [ 'with a lot that was not released', 'lotQcPolicy', q{
    SELECT t.sample FROM released_test t
     CROSS JOIN (VALUES ('reagent_lot', 'reagent_lot_id', ARRAY['quarantined', 'failed']),
         ('media_lot', 'media_lot_id', ARRAY['quarantined'])) AS k (kind, member, bad)
     CROSS JOIN LATERAL (SELECT pg_temp.stood('sample_test', t.test, k.member, t.entry)::bigint
                         AS lot) l
     WHERE pg_temp.stood(k.kind, l.lot, 'qc_status', t.entry) = ANY (k.bad)
       AND NOT EXISTS (SELECT FROM lims.audit_entry v WHERE v.table_name = 'lot_override'
               AND v.id < t.entry AND (v.changes #>> '{sample_id,new}')::bigint = t.sample
               AND (v.changes #>> ARRAY[k.member, 'new'])::bigint = l.lot
               AND NOT EXISTS (SELECT FROM lims.audit_entry a WHERE a.table_name = k.kind
                       AND a.record_id = l.lot AND a.id > v.id AND a.id < t.entry
                       AND a.changes #>> '{qc_status,new}' IN ('quarantined', 'failed')))
} ], [ 'while an investigation was open', 'openInvestigationBlocks', q{
    SELECT r.sample FROM release r
      JOIN lims.audit_entry i ON i.table_name = 'investigation' AND i.action = 'insert'
       AND i.id < r.entry AND (i.changes #>> '{sample_id,new}')::bigint = r.sample
     WHERE pg_temp.stood('investigation', i.record_id, 'status', r.entry)
           NOT IN ('closed', 'cancelled')
} ], [ 'verified by who entered it', 'selfVerification', q{
    SELECT t.sample FROM released_test t
     WHERE pg_temp.stood('sample_test', t.test, 'verified_by', t.entry)
         = pg_temp.stood('sample_test', t.test, 'entered_by', t.entry)
} ], [ 'approved by who verified it', 'approverMayBeVerifier', q{
    SELECT a.sample FROM released_approval a JOIN released_test t ON t.entry = a.entry
     WHERE a.decided_by = pg_temp.stood('sample_test', t.test, 'verified_by', t.entry)
} ], [ 'approved twice by one person', 'approverMayBeVerifier', q{
    SELECT a.sample FROM released_approval a JOIN released_approval b ON b.entry = a.entry
       AND b.step > a.step AND b.decided_by = a.decided_by
} ]);

sub broken {
    my ($db, $organization, $policies) = @_;
    my @broken;

    local $db->{PrintWarn} = 0;
    $db->do($_) for @HELP;
    $db->do(q{SELECT set_config('lims.judged', ?, false)}, undef, $organization);
    for my $rule (@RULES) {
        my ($name, $policy, $query) = @$rule;
        next if defined $policy && !$policies->{$policy};
        push @broken, map { "sample $_ released $name" } @{ $db->selectcol_arrayref($query) };
    }
    return @broken;
}

1;
