#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# A time of collection that an amendment corrects decides anew whether the holding times were
# met, in the finding and on the next certificate.
use strict;
use warnings;

use LIMS::Service::CommandLine;
use LIMS::Service::Laboratory;
use LIMS::Test;
use POSIX qw(strftime);

my $lims = LIMS::Test->new;
my $lab  = LIMS::Service::Laboratory->new($lims);
my $eva  = LIMS::Service::CommandLine->new($lims, 'Eva Novak', roles => ['lab_manager']);

sub hours_ago { return strftime('%Y-%m-%dT%H:%M:%SZ', gmtime(time - 3600 * $_[0])) }

my $sample = $lab->sample(collectedAt => hours_ago(1),
    testDefinitionIds => [ $lab->definition(holding_time_hours => 24) ]);
my ($test) = $lab->tests($sample);
$lab->enter($test, '2');
$lab->verify($test);
is($lims->post("/samples/$sample->{id}/report")->status, 200, 'the sample is reported');

# Whether the certificate with the number of this version says that the holding time was met.
sub met {
    my ($version) = @_;
    my $issued = $eva->done('certificate issue', sampleId => $sample->{id});
    is($issued->{version}, $version, "version $version is issued");
    return $eva->done('certificate content', $issued->{id})->{results}[0]{holdingTimeMet};
}

sub is_late {
    return grep { $_->{category} eq 'holding_time_expired' }
        @{ $lims->get("/samples/$sample->{id}/readiness")->json->{findings} };
}

ok(met(1), 'analysed within its holding time');
$eva->done('sample amend', $sample->{id}, reason => 'the chain of custody says another day',
    changes => { collectedAt => hours_ago(72) });
ok(is_late(), 'collected three days earlier the test has the finding');
ok(!met(2), 'the next certificate says that the holding time was exceeded');

done_testing();
