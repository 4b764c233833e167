#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# While the model thinks, a request holds its own thread and nothing else: with one
# connection to the database and one slot for imports, other requests are served.
use strict;
use warnings;

use LIMS::Files::Instrument;
use LIMS::Peers::ModelService;
use LIMS::Service::Laboratory;
use LIMS::Test;

my $model = LIMS::Peers::ModelService->new;
my $lims  = LIMS::Test->new(children => 1, conf => $model->conf(timeout => 300_000) . <<'END');
Define LIMS_CONNECTIONS 1
LimsIngestConcurrency 1
LimsIngestWait 1
LimsExtractionConcurrency 2
END
my $lab = LIMS::Service::Laboratory->new($lims);
my $pc  = LIMS::Files::Instrument->new($lab);

$lab->policy(ai_data_access => 'true');
$pc->profile;
my ($nitrate) = map { $lab->definition(code => $_, name => "Name of $_", unit => 'mg/L') } 'NO3N';
my $sample   = $lab->sample(testDefinitionIds => [$nitrate]);
my $imported = $pc->sample('NO3');
my $file     = "Sample,NO3N (mg/L)\n$sample->{trackingId},7.1\n";

sub of_database {
    my ($what) = @_;
    return scalar $lims->superuser->selectrow_array("SELECT count(*) FROM $what
        AND datname = current_database() AND application_name = 'mod_lims'");
}

$model->say('wait');
my @answers = $lims->parallel(3, sub {
    my ($number) = @_;
    return $model->upload($lims, $file, dryRun => 'true')->status if $number < 2;

    # Both think, and there are no others than this process.
    my %seen = (asked => wait_until { $model->seen >= 2 });
    $seen{busy} = of_database(q{pg_stat_activity WHERE state <> 'idle'});
    $seen{locks} = of_database(q{pg_locks JOIN pg_stat_activity USING (pid)
        WHERE locktype <> 'virtualxid'});
    $seen{connections} = of_database('pg_stat_activity WHERE true');
    $seen{read}  = $lims->get("/samples/$sample->{id}")->status;
    $seen{write} = $lims->post('/clients', { name => 'Meanwhile', code => 'M' })->status;
    $seen{import} = $pc->send($pc->csv([ $imported, 'NO3', '7' ]))->status;
    $seen{third} = $model->upload($lims, $file)->body =~ /busy/ ? 'busy' : '';
    $model->say('right');
    return \%seen;
});

my $seen = $answers[2];
is($seen->{asked}, 1, 'two files are with the model');
is($seen->{busy}, 0, 'no transaction is open');
is($seen->{locks}, 0, 'no lock is held');
is($seen->{connections}, 1, 'the pool has one connection');
is($seen->{read}, 200, 'records are read over it');
is($seen->{write}, 201, 'records are written over it');
is($seen->{import}, 201, 'the one turn to import is free');
is($seen->{third}, 'busy', 'a third file is not let wait');
$lims->expect_log(qr/LIMS0140: .*LimsExtractionConcurrency/);
is_deeply([ @answers[ 0, 1 ] ], [ 200, 200 ], 'both uploads are answered in the end');

done_testing();
