# SPDX-License-Identifier: Apache-2.0
package LIMS::Database::Seed;

=head1 NAME

LIMS::Database::Seed - a database of a size at which the planner has to choose well

=head1 DESCRIPTION

C<fill($superuser, $organizations, $samples)> fills an empty schema with so many
organizations of so many samples with three tests each, interleaved as they come
in from many laboratories, and with what hangs on them; then it vacuums
and analyses the tables. Triggers are off meanwhile, so the rows are made as consistent as the
plans need and no more.

Ids are regular: sample n belongs to organization n % organizations + 1, and its
tests are 3n - 2 to 3n. Records of which an organization o has few, such as its
material types, are (o - 1) * count + 1 to o * count.

=cut

use strict;
use warnings;

# Few to an organization: how many, and what each needs.
my @reference = (
    user_account => 4, q{email = 'u' || n || '@example.org', display_name = 'User ' || n},
    api_key => 4, q{name = 'key', key_hash = sha256(n::text::bytea), key_prefix = 'lk_',}
        . q{ scopes = '{}', created_by = (o - 1) * 4 + 1, acts_for = (o - 1) * 4 + 1},
    user_role => 4, q{user_id = n, role = 'lab_manager'},
    role_permission => 2, q{role = 'lab_manager',}
        . q{ permission = (ARRAY['result.verify', 'approval.decide'])[1 + n % 2]},
    client        => 20, q{code = 'C' || n, name = 'Client ' || n},
    material_type => 5,  q{code = 'M' || n, name = 'Material ' || n},
    project       => 10, q{code = 'P' || n, name = 'Project ' || n},
    storage_location => 5, q{code = 'L' || n, name = 'Location ' || n},
    test_definition  => 10, q{code = 'T' || n, name = 'Test ' || n, specification_high = 10},
    panel       => 5, q{code = 'N' || n, name = 'Panel ' || n,}
        . q{ test_definition_ids = ARRAY[(o - 1) * 10 + 1, (o - 1) * 10 + 2]},
    reagent_lot => 20, q{code = 'R' || n, lot_number = 'L', name = 'Reagent ' || n},
    media_lot   => 20, q{code = 'D' || n, lot_number = 'L', medium = 'R2A', name = 'Medium ' || n},
    sample_order => 50, q{order_number = 'O' || n, client_id = (o - 1) * 20 + 1 + (n - 1) % 20},
    qc_batch    => 100, q{batch_number = 'Q' || n},
    webhook_endpoint => 4, q{name = 'Receiver', url = 'https://example.org/', events = '{qc.failed}',}
        . q{ secret = 'x'},
);

# One or more to a sample, from its number s, organization o and row number n.
my @work = (
    sample => 1, q{tracking_id = 'LAB-26-' || n, sample_identifier = 'LAB-26-' || n,}
        . q{ client_name = 'Client', client_id = (o - 1) * 20 + 1 + s % 20,}
        . q{ material_type_id = (o - 1) * 5 + 1 + s % 5, project_id = (o - 1) * 10 + 1 + s % 10,}
        . q{ order_id = CASE WHEN s % 4 = 3 THEN (o - 1) * 50 + 1 + s % 50 END,}
        . q{ due_date = CASE WHEN s % 2 = 0 THEN date '2026-01-02' + s % 300 END,}
        . q{ external_id = 'E' || n, collection_date = '2026-01-01',}
        . q{ status = (ARRAY['pending', 'received', 'processing', 'completed'])[1 + s % 4],}
        . q{ received_at = timestamptz '2026-01-01' + s * interval '1 minute',}
        . q{ created_at = timestamptz '2026-01-01' + s * interval '1 minute',}
        . q{ updated_at = timestamptz '2026-01-01' + s * interval '1 minute'},
    sample_test => 3, q{sample_id = s, test_definition_id = (o - 1) * 10 + 1 + n % 10,}
        . q{ status = (ARRAY['pending', 'entered', 'verified'])[1 + n % 3],}
        . q{ result = CASE WHEN n % 3 > 0 THEN '5' END,}
        . q{ numeric_value = CASE WHEN n % 3 > 0 THEN 5 END,}
        . q{ verified_at = CASE WHEN n % 3 = 2 THEN timestamptz '2026-01-02' END,}
        . q{ holding_expires_at = CASE WHEN n % 4 > 0 THEN}
        . q{ timestamptz '2026-01-03' + s * interval '1 minute' END,}
        . q{ holding_met = CASE WHEN n % 3 > 0 AND n % 4 > 0 THEN n % 5 > 0 END,}
        . q{ work_priority = 1 + s % 3,}
        . q{ assigned_to = CASE WHEN n % 3 = 0 THEN (o - 1) * 4 + 1 + s % 4 END,}
        . q{ media_lot_id = CASE WHEN n % 7 = 0 THEN (o - 1) * 20 + 1 + n % 20 END,}
        . q{ updated_at = timestamptz '2026-01-01' + n * interval '1 minute'},
    qc_coverage => 3, q{sample_test_id = n, qc_batch_id = (o - 1) * 100 + 1 + s % 100},
    event => 3, q{type = (ARRAY['sample.created', 'result.entered', 'result.verified'])[1 + n % 3],}
        . q{ data = '{}', created_at = timestamptz '2026-01-01' + n * interval '1 second'},
    audit_entry => 9, q{position = n, table_name = 'sample_test', record_id = 1 + n / 3, action = 'update',}
        . q{ changes = '{}', occurred_at = timestamptz '2026-01-01' + n * interval '1 minute'},
    result_history   => 1, q{sample_test_id = 3 * s, status = 'entered', result = '4'},
    webhook_delivery => 1, q{endpoint_id = (o - 1) * 4 + 1 + s % 4, event_id = 3 * s,}
        . q{ state = CASE WHEN s % 50 = 0 THEN 'pending' ELSE 'delivered' END,}
        . q{ next_attempt_at = CASE WHEN s % 50 = 0 THEN timestamptz '-infinity' END,}
        . q{ finished_at = CASE WHEN s % 50 > 0 THEN now() END},
    approval => 1, q{sample_id = s, round = 1, step = 1, name = 'Final approval'},
);

sub _columns {
    my ($assignments) = @_;
    my (@names, @values);
    # A comma ends an assignment only where another name and "=" follow.
    for my $assignment (split /,\s+(?=\w+ = )/, $assignments) {
        my ($name, $value) = $assignment =~ /\A(\w+) = (.*)\z/s;
        push @names,  $name;
        push @values, $value;
    }
    return (join(', ', @names), join(', ', @values));
}

sub fill {
    my ($db, $organizations, $samples) = @_;
    my $all = $organizations * $samples;

    $db->do(q{SET session_replication_role = replica});
    $db->do(q{INSERT INTO lims.organization (id, code, name)
        SELECT o, 'laboratory-' || o, 'Laboratory ' || o FROM generate_series(1, ?::integer) o},
        undef, $organizations);
    my @lists = ([ [@reference], "generate_series(1, $organizations) o, generate_series(1, %d) i",
            '(o - 1) * %d + i' ],
        [ [@work], "(SELECT s, s %% $organizations + 1 AS o FROM generate_series(1, $all) s) x,"
                . ' generate_series(1, %d) i', '(s - 1) * %d + i' ]);
    for my $list (@lists) {
        my ($tables, $from, $number) = @$list;
        while (my ($table, $count, $assignments) = splice @$tables, 0, 3) {
            my ($names, $values) = _columns($assignments);
            my $source = sprintf $from,   $count;
            my $n      = sprintf $number, $count;
            my $owned  = $source =~ /\bs\b/ ? 'o, s' : 'o';
            $db->do("INSERT INTO lims.$table (organization_id, id, $names) SELECT o, n, $values"
                    . " FROM (SELECT $owned, $n AS n FROM $source ORDER BY n) r");
            $db->do("SELECT setval('lims.${table}_id_seq', (SELECT max(id) FROM lims.$table))");
        }
    }
    $db->do(q{INSERT INTO lims.idempotency_record (organization_id, api_key_id, idempotency_key,
        fingerprint) SELECT s % ?::integer + 1, (s % ?::integer) * 4 + 1, 'k' || s, 'x'
        FROM generate_series(1, ?::integer) s}, undef, $organizations, $organizations, $all);
    $db->do(q{INSERT INTO lims.webhook_lane (organization_id, endpoint_id)
        SELECT organization_id, id FROM lims.webhook_endpoint});
    $db->do(q{INSERT INTO lims.webhook_queue (organization_id, endpoint_id, next_attempt_at,
        delivery_id) SELECT organization_id, endpoint_id, next_attempt_at, id
        FROM lims.webhook_delivery WHERE next_attempt_at IS NOT NULL});
    $db->do(q{INSERT INTO lims.sample_state_cache (organization_id, sample_id, valid_until,
        release_state, holding_status)
        SELECT organization_id, id, CASE WHEN id % 3 = 0 THEN now() + interval '1 day' END,
               (ARRAY['blocked', 'ready_for_review', 'in_progress'])[least(1 + id / 20 % 20, 3)],
               (ARRAY['expired', 'expiring_soon', 'ok'])[least(1 + id / 20 % 20, 3)]
          FROM lims.sample});
    $db->do(q{INSERT INTO lims.sample_dirty (organization_id, sample_id)
        SELECT organization_id, id FROM lims.sample WHERE id % 100 = 0});
    $db->do(q{SET session_replication_role = DEFAULT});
    $db->do('VACUUM ANALYZE');
    return;
}

1;
