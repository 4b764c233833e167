# SPDX-License-Identifier: Apache-2.0
package LIMS::Chaos::Invariants;

=head1 NAME

LIMS::Chaos::Invariants - checks that tables agree with each other and with journals

=head1 SYNOPSIS

    # the database with itself, and with what clients were told
    LIMS::Chaos::Invariants::check_consistency($db);
    LIMS::Chaos::Invariants::check_acknowledged($db, @journal_files);

=head1 DESCRIPTION

Assertions for the end of a test that has killed or broken something.

C<check_consistency> compares the tables with each other: the audit trail, replayed,
gives the rows as they are; each entry begins with the values with which the former one
ended; each event has its change and each change its event; the used allowance is the
number of samples; a result does not change after it was verified, unless it was
reopened. Nothing here uses the code that wrote those tables.

C<check_acknowledged> compares with the journals of L<LIMS::Chaos::RetryingClient>:
what was acknowledged is there, with the acknowledged values, once; and nothing was made
that a client did not ask for.

=cut

use strict;
use warnings;

use Cpanel::JSON::XS ();
use Test::More;

# Audited tables whose columns the trail shows entirely but for these.
my @replayed = (
    [ sample        => '{reported_content}' ],
    [ sample_test   => '{holding_expires_at,holding_met,work_priority}' ],
    [ investigation => '{}' ],
    [ approval      => '{}' ],
    [ client        => '{}' ],
    [ api_key       => '{last_used_at,key_hash}' ],
);

sub check_consistency {
    my ($db) = @_;

    _none($db, "the trail of $_->[0] leads to the rows as they are", _replay(@$_)) for @replayed;
    _none($db, 'each entry of the trail begins where the one before it ended', _chain());
    _none($db, 'each event has its change, and each change its event', _events());
    _none($db, 'a month\'s allowance counts its samples', _allowance());
    _none($db, 'no verified result has changed', _locked());
    _none($db, 'the digest of a report is that of its content', <<'END');
SELECT organization_id, id
  FROM lims.sample
 WHERE content_hash IS DISTINCT FROM sha256(convert_to(reported_content::text, 'UTF8'))
END
    _none($db, 'each value that was replaced is kept', _history());
    _none($db, 'each Idempotency-Key has its answer', <<'END');
SELECT organization_id, idempotency_key
  FROM lims.idempotency_record
 WHERE status IS NULL
    OR body IS NULL
END
    return;
}

# Passes when the query finds nothing.
sub _none {
    my ($db, $name, $sql) = @_;
    # A question mark is an operator here.
    my $rows = $db->selectall_arrayref("SELECT * FROM ($sql) found LIMIT 5",
        { pg_placeholder_dollaronly => 1 });

    return ok(!@$rows, $name)
        || diag(map { join(' | ', map { defined $_ ? $_ : 'NULL' } @$_) . "\n" } @$rows);
}

# Rows that differ from their last entries, in either direction. What a deleted
# row left behind would be a trail without a row.
sub _replay {
    my ($table, $hidden) = @_;
    return <<"END";
WITH said AS (
    SELECT DISTINCT ON (a.organization_id, a.record_id, c.key)
           a.organization_id, a.record_id, c.key, c.value -> 'new' AS value
      FROM lims.audit_entry a
     CROSS JOIN LATERAL jsonb_each(a.changes::jsonb) c
     WHERE a.table_name = '$table'
     ORDER BY a.organization_id, a.record_id, c.key, a.id DESC
), told AS (
    SELECT organization_id, record_id, key, value
      FROM said
     WHERE value <> 'null'
       AND key <> ALL ('$hidden')
), stands AS (
    SELECT t.organization_id, t.id AS record_id, c.key, c.value
      FROM lims.$table t
     CROSS JOIN LATERAL jsonb_each(to_jsonb(t)
           - '{organization_id,id,created_at,updated_at}'::text[] - '$hidden'::text[]) c
     WHERE c.value <> 'null'
)
(SELECT 'only in the trail', * FROM told EXCEPT ALL SELECT 'only in the trail', * FROM stands)
UNION ALL
(SELECT 'only in the row', * FROM stands EXCEPT ALL SELECT 'only in the row', * FROM told)
END
}

sub _chain {
    return <<'END';
SELECT *
  FROM (SELECT a.table_name, a.record_id, c.key, a.id, c.value -> 'old' AS old,
               lag(c.value -> 'new') OVER (
                   PARTITION BY a.organization_id, a.table_name, a.record_id, c.key
                       ORDER BY a.id) AS before
          FROM lims.audit_entry a
         CROSS JOIN LATERAL jsonb_each(a.changes::jsonb) c) steps
 WHERE coalesce(nullif(old, 'null'), 'null') <> coalesce(before, 'null')
END
}

# Checks that each event has its cause in the audit trail, with the record it is about.
# Events of the lifecycle scan follow no single change: the tests of the scan check them.
sub _events {
    return <<'END';
WITH entry AS (
    SELECT a.*, a.changes -> 'status' ->> 'old' AS from_status,
           a.changes -> 'status' ->> 'new' AS to_status
      FROM lims.audit_entry a
), due AS (
    SELECT organization_id, 'sample.created' AS type, record_id
      FROM entry
     WHERE table_name = 'sample'
       AND action = 'insert'
     UNION ALL
    SELECT organization_id, 'sample.received', record_id
      FROM entry
     WHERE table_name = 'sample'
       AND action = 'update'
       AND (from_status = 'pending' AND to_status = 'received'
            OR changes -> 'received_at' ->> 'new' IS NOT NULL)
     UNION ALL
    SELECT organization_id, 'sample.reported', record_id
      FROM entry
     WHERE table_name = 'sample'
       AND to_status = 'reported'
     UNION ALL
    SELECT organization_id, 'result.entered', record_id
      FROM entry
     WHERE table_name = 'sample_test'
       AND (changes -> 'result' ->> 'new' IS NOT NULL OR changes -> 'qualifier' IS NOT NULL)
     UNION ALL
    SELECT organization_id, 'result.verified', record_id
      FROM entry
     WHERE table_name = 'sample_test'
       AND to_status = 'verified'
     UNION ALL
    SELECT organization_id, 'investigation.opened', record_id
      FROM entry
     WHERE table_name = 'investigation'
       AND action = 'insert'
     UNION ALL
    SELECT organization_id, 'coa.generated', (changes -> 'sample_id' ->> 'new')::bigint
      FROM entry
     WHERE table_name = 'certificate'
       AND action = 'insert'
     UNION ALL
    SELECT organization_id, 'qc.failed', record_id
      FROM entry
     WHERE table_name = 'qc_batch'
       AND changes -> 'qc_status' ->> 'new' = 'failed'
), told AS (
    SELECT organization_id, type,
           (data ->> CASE
                WHEN type IN ('result.entered', 'result.verified') THEN 'sampleTestId'
                WHEN type = 'investigation.opened' THEN 'investigationId'
                WHEN type = 'qc.failed' THEN 'qcBatchId'
                ELSE 'sampleId' END)::bigint AS record_id
      FROM lims.event
     WHERE type NOT IN ('sample.blocked', 'sample.ready_for_review', 'sample.ready_to_report',
                        'holding_time.expiring')
)
(SELECT 'not told' AS what, * FROM due EXCEPT ALL SELECT 'not told', * FROM told)
UNION ALL
(SELECT 'invented' AS what, * FROM told EXCEPT ALL SELECT 'invented', * FROM due)
END
}

sub _allowance {
    return <<'END';
SELECT o.id, o.monthly_sample_allowance, a.used, s.samples
  FROM lims.organization o
  LEFT JOIN lims.sample_allowance a
    ON a.organization_id = o.id
   AND a.month = date_trunc('month', now() AT TIME ZONE 'UTC')::date
 CROSS JOIN LATERAL (
       SELECT count(*) AS samples
         FROM lims.sample x
        WHERE x.organization_id = o.id
          AND x.created_at >= date_trunc('month', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC') s
 WHERE o.monthly_sample_allowance IS NOT NULL
   AND (coalesce(a.used, 0) <> s.samples OR s.samples > o.monthly_sample_allowance)
END
}

sub _locked {
    return <<'END';
SELECT a.record_id, a.id, a.changes
  FROM lims.audit_entry a
  JOIN LATERAL (
       SELECT b.changes -> 'status' ->> 'new' AS status
         FROM lims.audit_entry b
        WHERE b.organization_id = a.organization_id
          AND b.table_name = a.table_name
          AND b.record_id = a.record_id
          AND b.id < a.id
          AND b.changes -> 'status' IS NOT NULL
        ORDER BY b.id DESC
        LIMIT 1) l ON l.status = 'verified'
 WHERE a.table_name = 'sample_test'
   AND a.changes -> 'reopening_signature_id' IS NULL
END
}

sub _history {
    return <<'END';
SELECT t.organization_id, t.id, h.kept, e.replaced
  FROM lims.sample_test t
 CROSS JOIN LATERAL (
       SELECT coalesce(array_agg(x.result ORDER BY x.id), '{}') AS kept
         FROM lims.result_history x
        WHERE x.organization_id = t.organization_id
          AND x.sample_test_id = t.id) h
 CROSS JOIN LATERAL (
       SELECT coalesce(array_agg(x.changes -> 'result' ->> 'old' ORDER BY x.id), '{}') AS replaced
         FROM lims.audit_entry x
        WHERE x.organization_id = t.organization_id
          AND x.table_name = 'sample_test'
          AND x.record_id = t.id
          AND x.changes -> 'result' ->> 'old' IS NOT NULL
          AND x.changes -> 'reopening_signature_id' IS NULL) e
 WHERE h.kept <> e.replaced
   AND t.reopening_signature_id IS NULL
END
}

# --- What clients were told ---------------------------------------------------

sub check_acknowledged {
    my ($db, @journals) = @_;
    my %told = _read(@journals);

    _compare('each sample that was acknowledged is there, once, and no other', $told{created},
        $db->selectall_arrayref('SELECT notes, id FROM lims.sample'));
    _compare('results are the last that were acknowledged', $told{result},
        $db->selectall_arrayref(
            q{SELECT id, result FROM lims.sample_test WHERE result IS NOT NULL}));
    _compare('what was verified is verified, with the value seen', $told{verified},
        $db->selectall_arrayref(
            q{SELECT id, result FROM lims.sample_test WHERE status = 'verified'}));
    _compare('what was received is received', $told{received},
        $db->selectall_arrayref(
            'SELECT id, 1 FROM lims.sample WHERE received_at IS NOT NULL'));
    _compare('what was reported is reported', $told{reported},
        $db->selectall_arrayref(q{SELECT id, 1 FROM lims.sample WHERE status = 'reported'}));
    _compare('what was described is described', $told{described},
        $db->selectall_arrayref(
            'SELECT id, plant_location FROM lims.sample WHERE plant_location IS NOT NULL'));
    _compare('dispositions are the last that were acknowledged', $told{disposed},
        $db->selectall_arrayref(q{SELECT s.id, s.disposition FROM lims.sample s
            WHERE EXISTS (SELECT FROM lims.audit_entry a WHERE a.table_name = 'sample'
                AND a.record_id = s.id AND a.action = 'update'
                AND a.changes -> 'disposition' IS NOT NULL)}));
    _compare('amendments ended as was acknowledged', $told{amended},
        $db->selectall_arrayref('SELECT id, status FROM lims.amendment'));
    _compare('instrument files are as was acknowledged', $told{filed},
        $db->selectall_arrayref('SELECT id, status FROM lims.instrument_file'));
    _each_value($db, $told{values});
    return \%told;
}

sub _read {
    my (@journals) = @_;
    my %told = (created => {}, result => {}, verified => {}, received => {}, reported => {},
        described => {}, disposed => {}, amended => {}, filed => {}, values => [], refused => 0);

    for my $journal (@journals) {
        open my $in, '<', $journal or die "$journal: $!\n";
        while (my $line = <$in>) {
            my $fact = Cpanel::JSON::XS::decode_json($line);
            my $kind = $fact->{fact};
            $told{created}{ $fact->{created} } = $fact->{sample} if $kind eq 'created';
            $told{verified}{ $fact->{verified} } = $fact->{value} if $kind eq 'verified';
            $told{described}{ $fact->{described} } = $fact->{place} if $kind eq 'described';
            $told{disposed}{ $fact->{disposed} } = $fact->{disposition} if $kind eq 'disposed';
            $told{amended}{ $fact->{amended} } = $fact->{ends} if $kind eq 'amended';
            $told{filed}{ $fact->{filed} } = $fact->{status} if $kind eq 'filed';
            $told{$kind}{ $fact->{$kind} } = 1 if $kind =~ /\A(?:received|reported)\z/;
            $told{refused}++ if $kind eq 'refused';
            next unless $kind eq 'entered';
            $told{result}{ $fact->{entered} } = $fact->{value};
            push @{ $told{values} }, [ @$fact{qw(entered value)} ];
        }
    }
    return %told;
}

sub _compare {
    my ($name, $told, $rows) = @_;
    my (%left, @faults) = (%$told);

    for my $row (@$rows) {
        my ($key, $value) = @$row;
        my $said = delete $left{$key};
        push @faults, "$key is $value, and nobody was told" if !defined $said;
        push @faults, "$key is $value, and told was $said"  if defined $said && $said ne $value;
    }
    push @faults, map { "$_ was told as $left{$_}, and is not" } sort keys %left;
    return ok(!@faults, $name . ' (' . keys(%$told) . ')')
        || diag(map { "$_\n" } @faults[ 0 .. ($#faults < 5 ? $#faults : 5) ]);
}

# Also those that were replaced since: the trail knows each, once.
sub _each_value {
    my ($db, $values) = @_;
    my %count;
    $count{"$_->[0] $_->[1]"} = $_->[2] for @{ $db->selectall_arrayref(<<'END') };
SELECT record_id, changes -> 'result' ->> 'new', count(*)
  FROM lims.audit_entry
 WHERE table_name = 'sample_test'
   AND changes -> 'result' ->> 'new' IS NOT NULL
 GROUP BY 1, 2
END
    my @faults = grep { ($count{$_} || 0) != 1 } map { "@$_" } @$values;
    my $others = keys(%count) - @$values;

    return ok(!@faults && !$others, 'each acknowledged value was entered once, and no other ('
            . @$values . ')') || diag("$others others; ", join ', ', @faults);
}

1;
