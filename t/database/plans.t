#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Query plans on a database of twenty laboratories: no statement of the service scans a
# big table, nor all rows that its laboratory has in it; neither with a generic plan nor
# with one for the values of a call, nor inside functions and triggers. Pages are read
# through the primary key, from the cursor on.
#
# Queues grow and shrink faster than tables are analysed, and a plan made while a queue
# was empty is kept when it is long. So in a new database no statement scans a queue
# either.
use strict;
use warnings;

use Cpanel::JSON::XS ();
use LIMS::Database::Seed;
use LIMS::Database::Statements;
use LIMS::Instance;
use LIMS::Test::Source qw(text);
use Test::More;

my $organizations = 20;
my @big           = qw(sample sample_order sample_test event audit_entry result_history webhook_delivery
    idempotency_record approval sample_state_cache);
my @queues = qw(sample_dirty webhook_queue webhook_delivery);
my ($db, $big);

# How the service's sessions are set, but for what is a Define's.
my ($options) = text('conf/lims.conf') =~ /^\s*DBDParams .*options='([^']*)'/m;
my @settings = $options =~ /-c (\w+=\w+)/g;
is(scalar(grep { /\A(?:plan_cache_mode|enable_seqscan|enable_bitmapscan|jit)=/ } @settings), 4,
    "the service's sessions say how to plan");
my %by_role = text('conf/high-availability.md') =~ /^ALTER ROLE lims_app SET (\w+) = '?(\w+)'?;/mg;
for my $setting (grep { !/\Adatestyle=/ } @settings) {
    my ($name, $value) = split /=/, $setting;
    is($by_role{$name}, $value, "the role has the same setting, for a pooler between: $name");
}

# The organization in the middle, and some of what is its own: a pending sample,
# its first test, and the first of what it has so many of (see LIMS::Database::Seed).
my $mine   = 13;
my $sample = 12;
my $test   = 3 * $sample - 2;
sub first_of { return ($mine - 1) * $_[0] + 1 }
my %context = (organization => $mine, user => first_of(4), key => first_of(4), request => 'plans');

sub nodes {
    my ($plan) = @_;
    return ($plan, map { nodes($_) } @{ $plan->{Plans} || [] });
}

sub plan_of {
    my ($sql, @bind) = @_;
    my $query = $db->prepare("EXPLAIN (FORMAT JSON) $sql", { pg_placeholder_dollaronly => 1 });
    $query->execute(@bind);
    my ($json) = $query->fetchrow_array;
    return Cpanel::JSON::XS::decode_json($json)->[0]{Plan};
}

my %table_of;    # by its indexes

# A big table from end to end, or all that one organization has in it: an index
# of which nothing but the organization is asked.
sub is_whole {
    my ($node) = @_;
    my $of = $node->{'Relation Name'} // $table_of{ $node->{'Index Name'} // '' } // '';

    return 0 unless $of =~ /\A(?:$big)\z/;
    return 1 if $node->{'Node Type'} eq 'Seq Scan';
    my $condition = $node->{'Index Cond'} // return $node->{'Node Type'} =~ /Index/;
    return $condition =~ /\A\(?organization_id = [^()]*(?:\([^()]*\)[^()]*)*\)?\z/
        && $condition !~ / AND /;
}

# Rows before and after a change, paired by looking through all of the one for
# each of the other: the plan that was made for a row is kept for a thousand.
sub is_pairing_by_loops {
    my ($node) = @_;
    return $node->{'Node Type'} eq 'Nested Loop'
        && !grep { !grep { $_->{'Node Type'} eq 'Named Tuplestore Scan' } nodes($_) }
        @{ $node->{Plans} };
}

sub is_selective {
    my ($plan, $name) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my @scans = map { "$_->{'Node Type'} " . ($_->{'Relation Name'} // $_->{'Index Name'}) }
        grep { is_whole($_) } nodes($plan);
    return is("@scans", '', $name);
}

# A database with so many samples in each organization, of whose plans those are
# watched that read the given tables.
sub open_database {
    my ($samples, @watched) = @_;
    my $name = 'lims_test_database_plans';

    $db->disconnect if $db;
    LIMS::Instance::create_database($name);
    $db = LIMS::Instance::connect_database($name, 'postgres');
    LIMS::Database::Seed::fill($db, $organizations, $samples);
    %table_of = map { @$_ } @{ $db->selectall_arrayref('SELECT indexname, tablename FROM pg_indexes'
                . q{ WHERE schemaname = 'lims'}) };
    $big = join '|', @watched;

    # Without row-level security, as the superuser, and as PostgreSQL plans by itself.
    is_deeply([ map { $_->{'Relation Name'} } grep { $_->{'Node Type'} eq 'Seq Scan' }
            nodes(plan_of(q{SELECT * FROM lims.sample WHERE notes = 'x'})) ],
        ['sample'], 'this test sees a table that is read through');

    # As the service: row-level security applies, and plans are those of a statement
    # that has been prepared for a while.
    $db->{PrintWarn} = 1;    # how the plans of nested statements arrive
    $db->do(q{LOAD 'auto_explain'});
    $db->do("SET $_") for @settings;
    $db->do('SET SESSION AUTHORIZATION lims_app');
    $db->do(q{SELECT set_config('lims.organization_id', ?, false),
        set_config('lims.user_id', ?, false)}, undef, @context{qw(organization user)});
    return $name;
}

# Statements that limsctl runs with the rights of the database's owner alone.
my %of_owner =
    map { $_ => 1 } qw(organization_create organization_managed organization_set_plan tool_find
    tool_archive_range tool_archive_entries tool_archive_remove tool_archive_record);

my @statements = LIMS::Database::Statements::all();
my %statement  = map { $_->{label} => $_ } @statements;

sub prepares_each_statement {
    for my $each (grep { !$_->{custom} } @statements) {
        # SET, LOCK and the like have no plan.
        next unless $each->{sql} =~ /\A\s*(?:SELECT|WITH|INSERT|UPDATE|DELETE)\b/;
        my $nulls = join ', ', ('NULL') x @{ $each->{parameters} };
        $db->do('SET SESSION AUTHORIZATION lims_owner') if $of_owner{ $each->{label} };
        $db->do("PREPARE $each->{label} AS $each->{sql}");
        is_selective(plan_of("EXECUTE $each->{label}" . ($nulls && "($nulls)")),
            "$each->{label} ($each->{origin})");
        $db->do("DEALLOCATE $each->{label}");
        $db->do('SET SESSION AUTHORIZATION lims_app');
    }
    return;
}

# The values that each filter of a search may have.
my %filter = (
    endpointId => [ first_of(4) ], state => [ 'pending', 'given_up' ],
    status         => [ 'pending', 'reported', 'verified' ],
    materialTypeId => [ first_of(5) ], projectId => [ first_of(10) ], clientId => [ first_of(20) ],
    orderId        => [ first_of(50) ], dueBefore => [ '2026-01-05', '2026-09-01' ],
    dueDate        => ['2026-01-05'], instrumentId => [ first_of(4) ],
    orderNumber    => [ 'O' . first_of(50) ],
    trackingId     => ["LAB-26-$sample"], externalId => ["E$sample"],
    since => [ '2026-01-02', '2026-03-01' ], until => ['2026-01-02'],
    updatedSince => [ '2026-01-02', '2026-12-01' ],
    sampleId => [$sample], testDefinitionId => [ first_of(10) ],
    sampleTestId => [$test], parentId => [ first_of(20) ],
    qcBatchId => [ first_of(100) ], templateId => [1], qcTemplateId => [1], panelId => [ first_of(5) ], kind => ['oos'], qcStatus => ['failed'],
    batchNumber => ['Q' . first_of(100)], code => ['R' . first_of(20)],
    confirmationStatus => ['pending'],
    active => ['t'], open => ['t'], method => ['EPA 200.8'],
    profile => ['P1'], reasonCode => ['unknown_profile'],
    type => [ 'result.entered', 'result.verified', 'qc.failed' ],
    method => ['EPA 200.8'], assignedTo => [ first_of(4) ], include => ['review'],
    controlType => ['LFB'], disposition => [ 'active', 'cancelled' ],
    recordId => [$sample], table => ['sample_test'], userId => [ first_of(4) ],
    sampleStatus => [ 'pending', 'reported' ], reagentLotId => [ first_of(20) ],
    mediaLotId => [ first_of(20) ], assignedTo => [ first_of(4) ],
    enteredSince => ['2026-01-02'], holdingFrom => ['2026-01-02'], holdingTo => ['2026-01-03'],
    holdingMet => [ 't', 'f' ], mine => [ 't', 'f' ],
    priority => [ 'stat', 'routine' ], registeredSince => ['2026-01-02'],
    releaseState => [ 'blocked', 'reported' ], holdingStatus => ['expired'],
    apiKeyId => [ first_of(4) ], requestId => ['x'], surface => ['api'], from => ['2026-01-02'], to => ['2026-01-03'],
);

# Values of filters that take several.
my %several = (
    sample_search          => { status => [ '{pending}', '{reported}' ],
        disposition => [ '{rejected}', '{active,on_hold}' ], include => ['progress'] },
    sample_search_statuses => { include => ['progress'], status => ['{pending,received}'], disposition => ['{rejected}'] },
    sample_test_search_statuses => { status => ['{pending,entered}'] },
);
$several{"sample_test_$_"} = { status => [ '{pending}', '{verified}', '{pending,entered}' ] }
    for qw(search search_open search_holding search_holding_open changes changes_reported);
# Counts read what there is of a state: nobody asks for the beginning of all time, for one
# value of several that belong together, nor for dispositions that no sample has here.
$several{"sample_counts_by_$_"} = { %{ $several{sample_search} }, since => ['2026-03-01'],
    updatedSince => ['2026-12-01'], registeredSince => ['2026-12-01'], until => ['2025-12-31'],
    dueBefore => ['2026-01-05'], disposition => ['{active,on_hold}'], first => [], last => [],
    clients => [] }
    for qw(status release release_filtered);
$filter{$_} = [ '{' . $sample . '}' ] for qw(found clients);
$filter{$_} = [$sample] for qw(first last);
$filter{names} = ['{LAB-26-1}'];
$filter{q}     = ['lab261'];
$filter{id}     = [$sample];
$filter{format} = [ 'csv', 'json' ];
$filter{after}  = [0];
$filter{cells}  = ['[["id","clientId","1"]]'];
$filter{before} = [$sample];
$filter{sampleTestIds} = ["{$sample}"];
$filter{files}  = ['[{"id":1,"path":"a"},{"id":2,"path":null}]'];
$several{signed_content_list} = { recordId => ["{$sample}"] };
$several{audit_block_entries} = { from => [0], to => [1000] };
$several{audit_block_tail}    = { from => [1000] };
$several{audit_block_heads}   = { from => [1], to => [100] };
$several{audit_head_export}   = { from => [1] };

# Values that a search always has, besides those of a filter.
my %given = (
    sample_search_statuses => { status => '{pending,received}' },
    sample_counts_by_release_filtered => { clientId => first_of(20) },
    sample_test_search_statuses => { status => '{pending,entered}' },
    sample_test_search_open => { sampleStatus => 'pending' },
    sample_test_search_holding => { holdingFrom => '2026-01-02', holdingTo => '2026-01-03' },
    sample_test_search_holding_open => { sampleStatus => 'pending',
        holdingFrom => '2026-01-02', holdingTo => '2026-01-03' },
    sample_test_changes => { updatedSince => '2026-01-02' },
    sample_test_changes_reported => { updatedSince => '2026-01-02', sampleStatus => 'reported' },
    audit_entry_of_record => { table => 'sample_test', recordId => $sample },
    audit_entry_lines     => { from => '2026-01-02', to => '2026-01-03' },
    audit_entry_documents => { from => '2026-01-02', to => '2026-01-03' },
    audit_entry_of_period => { from => '2026-01-02', to => '2026-01-03' },
    audit_block_entries   => { from => 0, to => 1000 },
    audit_block_tail      => { from => 1000 },
    history_of            => { table => 'sample', id => $sample },
    signature_list        => { table => 'sample_test', recordId => $sample },
    signed_content_list   => { table => 'sample_test', recordId => "{$sample}" },
);

sub searches {
    for my $each (grep { $_->{custom} } @statements) {
        my $plain = $each->{label} =~ s/_newest\z//r;
        my @names = grep { !/\A(?:cursor|limit)\z/ } map { $_->[1] }
            grep { $_->[0] eq 'value' } @{ $each->{parameters} };
        for my $name ('', @names) {
            die "no value for $name\n" if $name && !$filter{$name};
            for my $value ($name ? @{ $several{$plain}{$name} || $filter{$name} } : '') {
                for my $cursor (0, 15_000) {
                    my %values = (limit => 50, cursor => $cursor,
                        %{ $given{$plain} || {} },
                        $name ? ($name => $value) : ());
                    is_selective(plan_of($each->{sql},
                            LIMS::Database::Statements::bound($each, \%values, \%context)),
                        "$each->{label} $name $value from $cursor");
                }
            }
        }
    }
    return;
}

sub pages_begin_at_the_cursor {
    my %table = (sample_list => 'sample', sample_test_list => 'sample_test',
        sample_list_newest => 'sample', sample_test_list_newest => 'sample_test');
    for my $label (sort keys %table) {
        my $from = $label =~ /newest/ ? '<' : '>';
        for my $cursor (0, 15_000, 85_000) {
            my @found = grep { ($_->{'Relation Name'} // '') eq $table{$label}
                    && ($_->{'Index Name'} // '') eq "$table{$label}_pkey"
                    && ($_->{'Index Cond'} // '') =~ /organization_id = .*\bid $from / }
                nodes(plan_of($statement{$label}{sql}, LIMS::Database::Statements::bound($statement{$label},
                        { limit => 50, cursor => $cursor }, \%context)));
            ok(scalar @found, "$label from $cursor: by (organization_id, id)");
        }
    }
    return;
}

# The next event of a type is found by the index of types; the most frequent type is not
# in it.
sub types_are_found {
    my $each = $statement{event_search};
    for my $type (qw(sample.created result.verified qc.failed result.entered)) {
        my %index = map { ($_->{'Index Name'} // '') => 1 } nodes(plan_of($each->{sql},
            LIMS::Database::Statements::bound($each, { limit => 50, cursor => 0, type => $type },
                \%context)));
        is(!!$index{event_type}, $type ne 'result.entered', $type);
    }
    return;
}

# --- What statements start: functions and triggers ----------------------------

my @explained;
local $SIG{__WARN__} = sub { push @explained, $_[0] };

# A list is planned for its values, but not what it asks for each of its rows, also where no
# state of a sample is cached.
sub rows_are_not_planned {
    my ($mode) = text('modules/database/run.c') =~ /set_config\('plan_cache_mode', '(\w+)'/;
    my %list = (sample_search_newest => { include => 'progress' },
        sample_test_search => { include => 'review', status => '{entered}' });

    $db->begin_work;
    $db->do('RESET SESSION AUTHORIZATION');
    $db->do('INSERT INTO lims.organization_dirty (organization_id) VALUES (?)', undef, $mine);
    $db->do('SET SESSION AUTHORIZATION lims_app');
    $db->do("SET LOCAL plan_cache_mode = $mode");
    for my $label (sort keys %list) {
        my $query = $db->prepare($statement{$label}{sql}, { pg_placeholder_dollaronly => 1 });
        my @bound = LIMS::Database::Statements::bound($statement{$label},
            { limit => 20, cursor => 0, %{ $list{$label} } }, \%context);
        my $rows = $query->execute(@bound);
        @explained = ();
        $db->do("SET LOCAL $_") for 'debug_print_plan = on', 'client_min_messages = log';
        $query->execute(@bound);
        $db->do("SET LOCAL $_") for 'client_min_messages = notice', 'debug_print_plan = off';
        cmp_ok($rows, '>', 10, "$label has rows");
        cmp_ok(scalar(grep { /^LOG:  plan:/m } @explained), '<', 4,
            "$label is planned as one statement");
    }
    $db->rollback;
    return;
}

sub watch {
    my ($on) = @_;
    $db->do('RESET SESSION AUTHORIZATION');
    $db->do("SET auto_explain.$_->[0] = $_->[1]") for (
        [ log_level => 'notice' ], [ log_nested_statements => 'on' ], [ log_format => 'json' ],
        [ log_min_duration => $on ? 0 : -1 ]);
    $db->do('SET SESSION AUTHORIZATION lims_app');
    return;
}

my $rows = '[' . join(',', map { '{"row":{"priority":"routine","materialTypeId":' . first_of(5) . ',"testDefinitionIds":['
        . first_of(10) . '],"panelIds":[' . first_of(5) . ']},"mistakes":[]}' } 1 .. 5) . ']';

# [what is done, statement, values], in an order in which it can be done
my @acts = (
    [ 'registering', sample_create => { clientName => 'A', materialTypeId => first_of(5),
            priority => 'routine', testDefinitionIds => '{' . first_of(10) . '}' } ],
    [ 'judging an order', order_mistakes => { clientId => first_of(20), samples => $rows } ],
    [ 'ordering', order_create => { clientId => first_of(20), samples => $rows } ],
    [ 'its samples', order_register => { clientId => first_of(20), samples => $rows,
            id => first_of(50) } ],
    [ 'its tests', order_schedule => { samples => $rows, id => first_of(50) } ],
    [ 'correcting', sample_update => { id => $sample, notes => 'n',
            clientName => 'Client ' . first_of(20) } ],
    [ 'receiving', sample_receive => { receivable => "{$sample,32}" } ],
    [ 'receiving by name', sample_receive_lock_items => { items =>
                '[{"trackingId":"LAB-26-0000012-0"},{"identifier":"E52"}]' } ],
    [ 'finding by a beginning', samples_found => { q => 'lab26' } ],
    [ 'looking up', lookup_find => { text => 'E12' } ],
    [ 'asking for a status', sample_status_blockers => { id => $sample, status => 'completed' } ],
    [ 'starting', sample_set_status => { id => $sample, status => 'processing' } ],
    [ 'judging results', result_judge => { results => '[' . join(',', map { '{"sampleTestId":'
                . ($test + $_) . ',"result":"1","reagentLotId":' . first_of(20)
                . ',"mediaLotId":' . first_of(20) . '}' } 60, 120) . ']' } ],
    [ 'entering', result_enter => { id => $test, result => '12' } ],
    [ 'entering many', result_bulk_enter => { updates => '[{"sampleTestId":' . ($test + 60)
                . ',"result":"1"},{"sampleTestId":' . ($test + 120) . ',"result":"2"}]' } ],
    [ 'asking whether to verify', sample_test_verify_blockers => { id => $test } ],
    [ 'verifying', sample_test_verify => { id => $test } ],
    [ 'asking whether to report', sample_report_blockers => { id => $sample } ],
    [ 'readiness', readiness_findings => { id => $sample } ],
    [ 'the record', sample_get => { id => $sample } ],
    [ 'its tests', sample_tests => { id => $sample } ],
    [ 'the approvals', approval_list => { id => $sample, cursor => 0, limit => 50 } ],
    [ 'deciding', approval_decide => { id => $sample, status => 'approved' } ],
    [ 'a control', qc_control_add => { qcBatchId => first_of(100), controlType => 'MB',
            criterion => 'maximum', measuredValue => 9, upperLimit => 5 } ],
    [ 'evaluating', qc_batch_evaluate => { id => first_of(100) } ],
    [ 'scanning', job_scan => {} ],
    [ 'retention', job_retention => { eventRetention => 20, idempotencyLifetime => 86_400,
            rejectedFileDays => 90 } ],
    [ 'a media test', media_lot_test => { id => first_of(20), kind => 'sterility',
            outcome => 'failed',
            performedOn => '2026-01-01' } ],
);

sub starts_no_more {
    my @done_here = @_;

    $db->begin_work;
    watch(1);
    for my $mode (qw(force_generic_plan force_custom_plan)) {
        $db->do("SET plan_cache_mode = $mode");
        for my $act (@done_here) {
            my ($what, $label, $values) = @$act;
            my $each = $statement{$label} or die "no statement $label\n";
            @explained = ();
            $db->do('SAVEPOINT act');
            my $done = eval {
                my $query = $db->prepare($each->{sql}, { pg_placeholder_dollaronly => 1 });
                $query->execute(LIMS::Database::Statements::bound($each, $values, \%context));
                $db->do('SELECT 1');    # ends the one before, which is when it is explained
                1;
            };
            ok($done, "$what ($label, $mode)") or diag($@);
            my @plans = map { Cpanel::JSON::XS->new->decode($_) } map { /plan:\s*(\{.*\})/s } @explained;
            my @whole = grep { grep { is_whole($_) } nodes($_->{Plan}) } @plans;
            cmp_ok(scalar @plans, '>', 0, "plans of $label were watched");
            is(join("\n", map { $_->{'Query Text'} } @whole), '',
                "no plan of $label reads a big table through");
            my @loops = grep { grep { is_pairing_by_loops($_) } nodes($_->{Plan}) } @plans;
            is(join("\n", map { $_->{'Query Text'} } @loops), '', "no plan of $label pairs rows with rows by loops");
            $db->do($done && $mode eq 'force_generic_plan' ? 'RELEASE act' : 'ROLLBACK TO act');
        }
    }
    watch(0);
    $db->rollback;
    return;
}

subtest 'plans for a laboratory that has just begun' => sub {
    open_database(4, @queues);
    subtest 'the generic plan of each statement' => \&prepares_each_statement;
    # The scan is who goes through a queue, a share at a time.
    subtest 'plans inside functions and triggers' => sub { starts_no_more(grep { $_->[1] ne 'job_scan' } @acts) };
};

my $database = open_database(1500, @big);
subtest 'each statement, as it is prepared'      => \&prepares_each_statement;
subtest 'the custom plan of each search' => \&searches;
subtest 'pages begin at the cursor'              => \&pages_begin_at_the_cursor;
subtest 'the feed filtered by type'                       => \&types_are_found;
subtest 'rows of lists'                          => \&rows_are_not_planned;
subtest 'what they start'                        => sub { starts_no_more(@acts) };

$db->disconnect;
LIMS::Instance::drop_database($database);
done_testing();
