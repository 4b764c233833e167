#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Row-level security, the second wall between organizations: every statement of the
# service, with its organization taken out of the text or replaced by another, still shows
# and changes nothing of the other organization. The same statements run by a role without
# row-level security show that it is row-level security that does this.
use strict;
use warnings;

use DBD::Pg ();
use Digest::SHA qw(sha256_hex);
use LIMS::Database::Statements;
use LIMS::Service::Laboratory;
use LIMS::Test;

my $lims = LIMS::Test->new;
my $lab  = LIMS::Service::Laboratory->new($lims);
my $them = LIMS::Service::Laboratory->new($lims, $lims->organization(code => 'other-laboratory'));

# Something of everything, for each.
sub furnish {
    my ($at) = @_;
    my ($client, $material) = ($at->client, $at->material);
    my $project    = $at->project(client_id => $client);
    my $definition = $at->definition(specification_high => 10, requires_worksheet => 't');
    my $growth     = $at->definition(requires_confirmation => 't');
    $at->location;
    $at->reagent_lot;
    $at->specification($definition, $material, $project, high => 5);
    $at->worksheet_template($definition, ['Tare'], ['Analyst']);
    my $sample = $at->sample(projectId => $project, materialTypeId => $material,
        externalId => 'EXT', testDefinitionIds => [ $definition, $growth ]);
    my @tests = $at->tests($sample);
    $at->enter($_, '12') for @tests;
    $at->worksheet_fill($tests[0], Tare => '1');
    $at->qc_control($at->qc_batch(@tests), 9);
    $at->media_test($at->media_lot(@tests), 'sterility', 'failed');
    my ($done, $test) = $at->worked(1);
    $at->verify($test);
    $at->approval_steps('Final approval');
    $at->status($done, 'completed');
    my $id = $at->value('SELECT id FROM lims.approval WHERE sample_id = ?', $done->{id});
    $lims->patch("/approval-records/$id", { status => 'approved' },
        key => $at->{organization}{key});
    $lims->post("/samples/$done->{id}/report", undef, key => $at->{organization}{key});
    $at->insert('certificate', sample_id => $done->{id}, content => '{}');
    $at->act(sub {
        my ($db) = @_;
        $db->do('INSERT INTO lims.amendment (organization_id, sample_id, reason, signature_id)'
                . q{ VALUES (?, ?, 'wrong well', ?)}, undef, $at->{organization}{id}, $done->{id},
            $at->sign($db, 'amended', 'sample', $done->{id}));
    });
    $at->definition(method => 'EPA 200.8');
    $at->insert('qc_template', method => 'EPA 200.8', name => 'Metals');
    my $profile = $at->insert('instrument_profile', code => 'P1', name => 'P1', definition => '{}',
        status => 'active');
    my $file = $at->act(sub { $_[0]->selectrow_array('SELECT lims.keep_file(?, ?, ?::bytea)', undef,
        $at->{organization}{id}, 'f.csv', "wall of $at->{organization}{id}") });
    # No job is to read it while the statements are tried.
    $at->value(q{UPDATE lims.instrument_file SET status = 'quarantined', processed_at = now()
        WHERE id = ? RETURNING id}, $file);
    $at->insert('instrument_file_row', file_id => $file, row_number => 1, status => 'written',
        sample_test_id => ($at->tests($done))[0], result => '7');
    annotate($at, $sample);
    $at->insert('instrument', code => 'ICP', name => 'Spectrometer');
    $at->insert('qc_series', test_definition_id => $definition, control_type => 'LFB',
        criterion => 'recovery');
    $at->insert('panel', code => 'METALS', name => 'Metals', test_definition_ids => "{$definition}");
    $at->insert('sample_order', order_number => 'PO 17', client_id => $client);
    $at->insert('sample_name', sample_id => $sample->{id}, name => 'Well 4', reason => 'as labelled');
    return;
}

# Adds comments, attachments, saved views and the like, which people add to records and
# pages.
sub annotate {
    my ($at, $sample) = @_;
    my $user = $at->{organization}{user_id};
    my @on   = (table_name => 'sample', record_id => $sample->{id});

    $at->insert('investigation_action', text => 'Train.', investigation_id => $at->value(
            'SELECT min(id) FROM lims.investigation WHERE organization_id = ?',
            $at->{organization}{id}));
    $at->insert('comment', @on, text => 'Seal was broken.', created_by => $user);
    $at->insert('attachment', @on, file_name => 'photo.jpg', content => 'wall', added_by => $user);
    $at->insert('saved_view', owner_id => $user, name => 'Late', page => 'samples', query => '?',
        shared => 't');
    $at->insert('webhook_endpoint', name => 'Receiver', url => 'https://example.org/',
        events => '{qc.failed}', secret => 'x');
    return;
}

furnish($_) for $lab, $them;
my ($mine, $other) = map { $_->{organization}{id} } $lab, $them;

# Every id of a row of theirs; no table has as many rows as this.
my @ids = 1 .. $lab->value('SELECT max(record_id) FROM lims.audit_entry'
        . ' WHERE organization_id = ?', $other);

sub values_for {
    my ($each, $id) = @_;
    return { id => $id, cursor => 0, limit => 500, table => 'sample', recordId => $id,
        $each->{label} =~ /test_search_statuses/ ? (status => '{pending,entered,verified}')
            : $each->{label} =~ /statuses/ ? (status => '{pending,received,processing,completed}') : (),
        holdingFrom => '-infinity', holdingTo => 'infinity', holdingMet => 't' }
        if $each->{label} =~ /_(?:list|search)(?:_\w+)?\z/;
    return {
        id => $id, ids => "{$id}", cursor => 0, limit => 500, updatedSince => '2020-01-01', name => 'wall', code => 'wall', status => 'received',
        result => '7', sampleIds => "{$id}", receivable => "{$id}", sampleTestIds => "{$id}",
        updates => qq([{"sampleTestId":$id,"result":"7"}]), values => '[]', sampleId => $id,
        sampleTestId => $id, qcBatchId => $id, testDefinitionId => $id, materialTypeId => $id,
        projectId => undef, notes => 'wall', comment => 'wall', title => 'wall', kind => 'oos',
        table => 'sample', recordId => $id, fileId => $id, known => '{}', dryRun => 'f', duplicate => 'f', bare => 'f',
        sha256 => '\x' . sha256_hex("wall of $other"),
        outcome => 'passed', meaning => 'verified', signs => 'sample_test', touchInterval => 0,
    };
}

# The rows that a statement returns or changes, undone afterwards; or nothing
# when it is refused. It is planned once, and tried with many values.
sub run {
    my ($db, $sql, @bind) = @_;
    my $rows = [];
    $db->begin_work;
    my $ok = eval {
        my $query = $db->prepare_cached($sql, { pg_placeholder_dollaronly => 1 });
        my $count = $query->execute(@bind);
        $rows = $query->{NUM_OF_FIELDS} ? $query->fetchall_arrayref : [ ($count) x !!($count > 0) ];
        1;
    };
    $db->rollback;
    return $ok ? $rows : undef;
}

sub text { return join "\n", map { ref ? join '|', map { $_ // '' } @$_ : $_ } @{ $_[0] || [] } }

# The caller's own context; who asks for another organization only says so.
my %context = (organization => $mine, key => $lab->{organization}{key_id},
    user => $lab->{organization}{user_id}, request => 'wall', reason => 'wall');

sub session {
    my ($db) = @_;
    $db->{pg_expand_array} = 0;    # arrays as their text, to be compared
    $db->do('SET plan_cache_mode = force_generic_plan');    # as the service plans
    $db->do(q{SELECT set_config('lims.organization_id', ?, false),
        set_config('lims.user_id', ?, false)}, undef, $mine, $context{user});
    return $db;
}

my $app   = session($lims->app_db($mine));
my $owner = session($lims->db);

# Statements that read or write rows of an organization; those that set the context, or
# that the command line runs as owner, are not subject to row-level security.
my @statements = grep {
    my $each = $_;
    $each->{sql} =~ /\A\s*(?:SELECT|WITH|INSERT|UPDATE|DELETE)\b/
        && $each->{label} !~ /\A(?:authenticate(?:_read)?|tool_\w+|check_\w+|demo_\w+)\z/
        && grep { $_->[0] eq 'context' && $_->[1] eq 'organization' } @{ $each->{parameters} };
} LIMS::Database::Statements::all();

# Instead of the predicate stands what is always true.
sub without_predicate {
    my ($each) = @_;
    my ($place) = grep { $each->{parameters}[$_][1] eq 'organization' }
        0 .. $#{ $each->{parameters} };
    my $number = $place + 1;
    my $sql    = $each->{sql};
    my $given  = '$' . $number . '::bigint';
    my $taken  = $sql =~ s/\b(?:\w+\.)?organization_id = \Q$given\E/$given > 0/g;

    return $taken ? $sql : undef;
}

subtest 'statements without their organization' => sub {
    my ($taken, $seen_by_owner) = (0, 0);
    for my $each (grep { $_->{sql} =~ /\A\s*SELECT\b/ } @statements) {
        my $sql = without_predicate($each) or next;
        my ($leaks, $would, %tried) = (0, 0);
        for my $id (@ids) {
            my @bind = LIMS::Database::Statements::bound($each, values_for($each, $id),
                \%context);
            # Most lists ask for no record.
            next if $tried{ join '|', map { $_ // '' } @bind }++;
            my $intact = text(run($app, $each->{sql}, @bind));
            $leaks++ if text(run($app, $sql, @bind)) ne $intact;
            $would ||= text(run($owner, $sql, @bind)) ne $intact;
        }
        $taken++;
        $seen_by_owner++ if $would;
        is($leaks, 0, "$each->{label} shows what it showed" . ($would ? '' : ' (and to anybody)'));
    }
    cmp_ok($taken, '>=', 40, "$taken statements were tried");
    # The rest are statements about the acting person alone, or about rows that nobody has
    # here.
    cmp_ok($seen_by_owner, '>=', $taken * 0.75,
        "$seen_by_owner of them show rows of other organizations without row-level security");
};

subtest 'statements with another organization' => sub {
    my %strange = (%context, organization => $other);
    my $before  = text($lims->db->selectall_arrayref('SELECT count(*), max(id) FROM'
            . ' lims.audit_entry WHERE organization_id = ?', undef, $other));
    my $would = 0;
    for my $each (@statements) {
        my ($reached, %tried) = (0);
        for my $id (@ids) {
            my $values = values_for($each, $id);
            my @bind   = LIMS::Database::Statements::bound($each, $values, \%strange);
            next if $tried{ join '|', map { $_ // '' } @bind }++;
            my @nobody = LIMS::Database::Statements::bound($each, $values,
                { %context, organization => -1 });
            my $found  = text(run($app, $each->{sql}, @bind));
            $reached++ if $found ne '' && $found ne text(run($app, $each->{sql}, @nobody));
            $would++ if $would <= 100 && text(run($owner, $each->{sql}, @bind)) ne $found;
        }
        is($reached, 0, "$each->{label} finds as much as of an organization that there is not");
    }
    cmp_ok($would, '>', 100, 'the owner of the tables finds more');
    is(text($lims->db->selectall_arrayref('SELECT count(*), max(id) FROM lims.audit_entry'
                . ' WHERE organization_id = ?', undef, $other)), $before,
                    'nothing changed in the other organization');
};

subtest 'statements without a context' => sub {
    $app->do(q{SELECT set_config('lims.organization_id', '', false)});
    for my $each (grep { $_->{sql} =~ /\A\s*SELECT\b/ } @statements) {
        my $values = values_for($each, $ids[-1]);
        my @own    = LIMS::Database::Statements::bound($each, $values, \%context);
        my @nobody = LIMS::Database::Statements::bound($each, $values,
            { %context, organization => -1 });
        is(text(run($app, $each->{sql}, @own)), text(run($app, $each->{sql}, @nobody)),
            "$each->{label} finds nothing");
    }
};

done_testing();
