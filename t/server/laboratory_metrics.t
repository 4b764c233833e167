#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Metrics of the laboratories: exact, for each organization, and queried at most once a
# minute.
use strict;
use warnings;

use LIMS::Service::Laboratory;
use LIMS::Test;

my $lims  = LIMS::Test->new(conf => "LimsScanInterval 1\nLimsWebhookDispatchers 0");
my $lab   = LIMS::Service::Laboratory->new($lims);
my $db    = $lims->db;
my $other = $lims->organization(code => 'other-laboratory');

# { 'lims_samples{status="pending"}' => 2 } of this organization.
sub figures {
    my $organization = $_[0] // $lims->fixture;
    my %value;
    for my $line (split /\n/, LIMS::Service::Response->from($lims, '/lims/metrics')->body) {
        my ($name, $labels, $value) = $line =~ /^(\w+)\{(.*)\} (\S+)$/ or next;
        $labels =~ s/organization="\Q$organization->{code}\E",?// or next;
        $value{"$name\{$labels\}"} = $value + 0;
    }
    return \%value;
}

my $held = $lab->definition(holding_time_hours => 48, name => 'Nitrite');
my @samples = map { $lab->sample(testDefinitionIds => [ $lab->definition ]) } 1 .. 4;
my $expired = $lab->sample(testDefinitionIds => [$held], collectedAt => '2026-01-01T00:00:00Z');
$lims->post('/samples/receive', { sampleIds => [ map { $_->{id} } @samples[ 1, 2, 3 ] ] });
for my $sample (@samples[ 2, 3 ]) {
    $lab->enter(($lab->tests($sample))[0], '7.2');
}
my $batch = $lab->qc_batch(($lab->tests($samples[3]))[0]);
$lab->qc_control($batch, 900);
my $pc    = $lims->key($lims->fixture, name => qq(ICP "2"\\), upload_only => 1);
my $quiet = $lims->key($lims->fixture, name => 'quiet', upload_only => 1);
my $erp   = $lims->key($lims->fixture, name => 'ERP', expires_at => '2039-01-01T00:00:00Z');
my $gone  = $lims->key($lims->fixture, name => 'gone', expires_at => '2020-01-01T00:00:00Z');
is($lims->post('/instrument-ingest', { fileName => 'a.csv', content => "a;b\n1;2\n" },
        key => $pc->{key})->status, 202, 'a file that no profile knows is kept');
wait_until {
    $db->selectrow_array(q{SELECT count(*) FROM lims.sample_state_cache WHERE release_state IS NOT NULL})
        == 5 && !$db->selectrow_array('SELECT waiting FROM lims.scan_backlog()')
};
my $time = sub {
    my ($column, $of) = @_;
    return 0 + ($db->selectrow_array("SELECT round(extract(epoch FROM $column), 3) $of"))[0];
};
my $of   = sub { return $_[0] . '{' . join(',', @_[ 1 .. $#_ ]) . '}' };

my %expected = (
    'lims_samples{status="pending"}'      => 2,
    'lims_samples{status="received"}'     => 3,
    'lims_samples{status="processing"}'   => 0,
    'lims_samples{status="completed"}'    => 0,
    'lims_samples{status="verified"}'     => 0,
    'lims_samples_waiting{state="blocked"}'          => 1,
    'lims_samples_waiting{state="ready_for_review"}' => 1,
    'lims_samples_waiting{state="ready_to_report"}'  => 0,
    'lims_samples_waiting_since_timestamp_seconds{state="blocked"}' =>
        $time->('received_at', "FROM lims.sample WHERE id = $samples[3]{id}"),
    'lims_samples_waiting_since_timestamp_seconds{state="ready_for_review"}' =>
        $time->('received_at', "FROM lims.sample WHERE id = $samples[2]{id}"),
    'lims_samples_holding{status="expiring_soon"}' => 0,
    'lims_samples_holding{status="expired"}'       => 1,
    'lims_qc_batches_failed{}'                     => 1,
    'lims_instrument_files_quarantined{}'          => 1,
    'lims_webhook_endpoints_late{}'                => 0,
    $of->('lims_instrument_latest_file_timestamp_seconds', qq(key="$pc->{key_id}"),
        'name="ICP \\"2\\"\\\\"') => $time->('received_at', 'FROM lims.instrument_file'),
    $of->('lims_instrument_latest_file_timestamp_seconds', qq(key="$quiet->{key_id}"),
        'name="quiet"') => $time->('created_at', "FROM lims.api_key WHERE id = $quiet->{key_id}"),
    $of->('lims_key_expires_timestamp_seconds', qq(key="$erp->{key_id}"), 'name="ERP"') =>
        $time->(q{timestamptz '2039-01-01T00:00:00Z'}, ''),
);
is_deeply(figures(), \%expected, 'the metrics have the exact figures');
my %none = map { $_ => 0 } grep { !/_timestamp_/ } keys %expected;
is_deeply(figures($other), \%none, 'the figures of a laboratory with nothing are 0');

# Whoever asks meanwhile is told the same, by whichever child.
$lab->sample(testDefinitionIds => [ $lab->definition ]);
is_deeply(figures(), \%expected, 'asked again at once, the database is not') for 1 .. 4;
$lims->graceful;
is_deeply(figures(), \%expected, 'after a graceful restart the figures are not asked for anew');
$lims->restart;
is(figures()->{'lims_samples{status="pending"}'}, 3, 'a new httpd asks');

subtest 'overdue webhooks' => sub {
    for my $name (qw(one two)) {
        $lims->ctl('--organization', $lims->fixture->{code}, '--user',
            "administrator\@$lims->{fixture}{code}.example", 'webhook', 'create', '--name', $name,
            '--url', "https://$name.example/hook", '--events', 'sample.created');
    }
    $lab->sample(testDefinitionIds => [ $lab->definition ]);
    my $root = $lims->superuser;
    $root->do('SET session_replication_role = replica');
    $root->do("UPDATE lims.$_") for
        q{webhook_delivery SET created_at = now() - interval '2 minutes'
           WHERE endpoint_id = (SELECT min(id) FROM lims.webhook_endpoint)},
        q{webhook_queue SET next_attempt_at = now() - interval '2 minutes'
           WHERE endpoint_id = (SELECT min(id) FROM lims.webhook_endpoint)};
    is($db->selectrow_array('SELECT count(*) FROM lims.webhook_queue'), 2,
        'two deliveries are due');
    $lims->restart;
    is(figures()->{'lims_webhook_endpoints_late{}'}, 1, 'one endpoint is late');
    is(figures($other)->{'lims_webhook_endpoints_late{}'}, 0,
        'the endpoint of another organization is not late');
};

done_testing();
