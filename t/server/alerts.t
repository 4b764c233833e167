#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# conf/alerts.yml watches what there is: every series that a rule names is among
# the counters, with the labels that it asks for, and every rule says what to do.
use strict;
use warnings;

use File::Temp ();
use LIMS::Source;
use LIMS::Test;

my $yaml  = text('conf/alerts.yml');
my @rules = $yaml =~ /^      - alert: (.*?)(?=^      - alert: |^  - name: |\z)/gms;
cmp_ok(scalar @rules, '>', 5, 'there are rules');

my $lims = LIMS::Test->new(conf => <<'END');
LimsScanInterval 1
<Location "/metrics">
    SetHandler lims-metrics
</Location>
END
$lims->get('/samples');
my $metrics = '';
wait_until {
    $metrics = LIMS::Response->from($lims, '/metrics')->body;
    $metrics =~ /^lims_job_runs_total\{job="scan",outcome="done"\} [1-9]/m;
};

# The labels of each sample of a name.
my %samples;
push @{ $samples{$1} }, { $2 ? $2 =~ /(\w+)="([^"]*)"/g : () }
    while $metrics =~ /^(lims_\w+)(?:\{([^}]*)\})? \S+\r?$/mg;

sub is_there {
    my ($name, %wanted) = @_;
    return grep {
        my $sample = $_;
        !grep { ($sample->{$_} // '') ne $wanted{$_} } keys %wanted
    } @{ $samples{$name} };
}

my %seen;
for my $rule (@rules) {
    my ($alert) = $rule =~ /\A(\w+)$/m;
    my ($expression) = $rule =~ /^        expr: (.*)$/m;
    ok(!$seen{$alert}++, "$alert is there once");
    my $series = 0;
    while ($expression =~ /\b(lims_\w+)(?:\{([^}]*)\})?/g) {
        my ($name, $labels) = ($1, $2 // '');
        my %wanted = $labels =~ /(\w+)="([^"]*)"/g;
        ok($labels !~ /(\w+)=~/ || exists $samples{$name}[0]{$1}, "$alert: $name has the label");
        $series++;
        ok(scalar is_there($name, %wanted), "$alert: $name\{$labels\} is told");
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
like($manual, qr/limsctl \Q$_\E\b/, "limsctl $_ exists") for said(qr/limsctl (webhook \w+)/);
like($reference, qr/^#?$_\b/m, "$_ exists") for grep { !$seen{$_} } said(qr/\b(Lims[A-Z]\w+)/);

SKIP: {
    skip 'promtool is not here', 1 if system 'command -v promtool >/dev/null 2>&1';
    like(qx{promtool check rules '$LIMS::Source::root/conf/alerts.yml' 2>&1},
        qr/SUCCESS: @{[ scalar @rules ]} rules found/, 'Prometheus reads them');
}

done_testing();
