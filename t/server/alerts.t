#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# conf/alerts.yml against the real metrics as Prometheus stores them (it adds labels of its
# own and renames ours of the same name). Every rule fires when it should and at no other
# time (t/server/alerts.*.yml), and says what to do.
use strict;
use warnings;

use LIMS::Instance;
use LIMS::Peers::Prometheus;
use LIMS::Service::Laboratory;
use LIMS::Test;
use LIMS::Test::Source;

my $yaml  = text('conf/alerts.yml');
my @rules = $yaml =~ /^      - alert: (.*?)(?=^      - alert: |^  # |^  - name: |\z)/gms;
cmp_ok(scalar @rules, '>', 5, 'there are rules');

my $memcached = LIMS::Instance::reserve_port();
my $lims = LIMS::Test->new(conf => "LimsScanInterval 1\nLimsRateLimitMemcached 127.0.0.1:$memcached");
my $lab  = LIMS::Service::Laboratory->new($lims);

# Something of everything: a sample that waits, keys of instruments and one that expires.
my ($test) = $lab->tests($lab->sample(testDefinitionIds => [ $lab->definition ]));
$lab->enter($test, '7.2');
$lims->key($lims->fixture, name => 'ICP "2"\\', upload_only => 1);
$lims->key($lims->fixture, name => 'ERP', expires_at => '2039-01-01');
wait_until {
    $lims->db->selectrow_array(
        q{SELECT 1 FROM lims.sample_state_cache WHERE release_state = 'ready_for_review'})
};
my $metrics = '';
wait_until {
    $metrics = LIMS::Service::Response->from($lims, '/lims/metrics')->body;
    $metrics =~ /^lims_job_runs_total\{task="scan",outcome="done"\} [1-9]/m;
};
$lims->allow_log(qr/LIMS0061/);

# Prometheus has these for itself.
unlike($metrics, qr/[{,](?:job|instance|exported_\w+)="/, 'no label is one of Prometheus\' own');

my $prometheus = LIMS::Peers::Prometheus->new($lims);
ok(wait_until { grep { $_->{value} == 1 } $prometheus->query('up{job="lims"}') },
    'Prometheus scrapes, over TLS, as conf/prometheus.yml has it');
ok(wait_until {
        !grep { $_->{health} ne 'ok' } $prometheus->rules
    }, 'Prometheus can ask every rule')
    or diag(map {"$_->{name}: $_->{lastError}\n"} grep { $_->{health} ne 'ok' } $prometheus->rules);

my %seen;
for my $rule (@rules) {
    my ($alert) = $rule =~ /\A(\w+)$/m;
    my ($expression) = $rule =~ /^        expr: (.*)$/m;
    ok(!$seen{$alert}++, "$alert is there once");
    my $series = 0;
    while ($expression =~ /\b(lims_\w+|up)\b(\{[^}]*\})?/g) {
        my ($name, $labels) = ($1, $2 // '');
        # Values that a pattern selects may not exist yet; the label does.
        $labels =~ s/=~"[^"]*"/=~".+"/g;
        $series++;
        ok(scalar $prometheus->query("$name$labels"), "$alert: $name$labels is there");
    }
    ok($series, "$alert watches something");
    like($rule, qr/^        labels: \{ severity: (?:warning|critical) \}$/m, "$alert is weighed");
    like($rule, qr/^          summary: ".+"$/m,     "$alert says what is the matter");
    like($rule, qr/^          description: ".+"$/m, "$alert says what to do");
}

# The commands and directives that the rules speak of exist.
sub said { my ($pattern) = @_; my %said = map { $_ => 1 } $yaml =~ /$pattern/g; return sort keys %said }

my $manual    = $lims->ctl('man')->{output} =~ s/\\-/-/gr;
my $reference = text('conf/reference.conf');
like($manual, qr/limsctl \Q$_\E\b/, "limsctl $_ exists")
    for said(qr/limsctl ((?:webhook|qc-batch|key|instrument-file) \w+)/);
like($reference, qr/^#?$_\b/m, "$_ exists") for grep { !$seen{$_} } said(qr/\b(Lims[A-Z]\w+)/);

subtest 'every rule fires on its test data' => sub {
    my @files = map {"t/server/alerts.$_.yml"} qw(rules days);
    my ($status, $output) = LIMS::Instance::capture('promtool', 'test', 'rules',
        map {"$LIMS::Test::Source::root/$_"} @files);
    my $said = join '', map { text($_) } @files;

    is($status, 0, 'when they should, and only then') or diag($output);
    for my $alert (sort keys %seen) {
        like($said, qr/alertname="$alert"[,}].*value: 1 \}/,
            "$alert among them");
    }
};

subtest 'the database goes down without any request' => sub {
    my $admin = LIMS::Instance::connect_database('postgres', 'postgres');

    $lims->forget_handles;
    $admin->do("ALTER DATABASE $lims->{database} ALLOW_CONNECTIONS false");
    $admin->do('SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE datname = ?',
        undef, $lims->{database});
    ok(wait_until { $prometheus->query('ALERTS{alertname="LimsDatabaseDown"}') },
        'Prometheus notices');
    ok(scalar $prometheus->query('lims_webhook_oldest_due_seconds'),
        'without the database the last known state of webhooks is told');
    ok(scalar $prometheus->query('lims_samples_waiting{state="ready_for_review"} == 1'),
        'without the database the last known state of the laboratory is told');
    my $stalled = 'lims_job_since_success_seconds{task="scan"}';
    my ($before) = map { $_->{value} } $prometheus->query($stalled);
    ok(wait_until { $prometheus->query("$stalled > $before + 2") }, 'without the database it shows that jobs do not run');
    $admin->do("ALTER DATABASE $lims->{database} ALLOW_CONNECTIONS true");
    $admin->disconnect;
    ok(wait_until { $prometheus->query('lims_ready == 1') }, 'Prometheus notices when the database is back');
    $lims->allow_log(qr/LIMS00(?:51|56|90|91)|LIMS012[01]|\[dbd:error\]/);
};

done_testing();
