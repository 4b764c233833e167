#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# A time of collection or of analysis that an amendment corrects decides anew whether the
# holding times were met, in the finding and on the next certificate; a reported sample never
# stands with another time of analysis than the one approved.
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

# --- The time of analysis -----------------------------------------------------------------

my $analyzed = hours_ago(2);
my $other = $lab->sample(collectedAt => hours_ago(30),
    testDefinitionIds => [ $lab->definition(code => 'NO3', holding_time_hours => 24) ]);
my ($late) = $lab->tests($other);
$lims->patch("/sample-tests/$late", { result => '2', analyzedAt => $analyzed });
$lab->verify($late);
is($lims->post("/samples/$other->{id}/report")->status, 200, 'the sample is reported');

sub amended_to {
    my ($time) = @_;
    $eva->done('sample-test reopen', $late, reason => 'the log says so');
    $eva->done('sample-test enter', $late, result => '2', analyzedAt => $time,
        reason => 'the log says so');
    $eva->done('sample-test verify', $late);
    return;
}

my $amendment = $eva->done('sample amend', $other->{id}, reason => 'a doubt')->{id};
my $early = hours_ago(20);
amended_to($early);
my $refused = $eva->refused('amendment_differs', 'amendment withdraw', $amendment,
    reason => 'no doubt');
like($refused->{message}, qr/analyzedAt was/, 'the refusal names the time of analysis');
like($refused->{message}, qr/holdingTimeMet was false and is true/,
    'it names that the holding time was met');
amended_to($analyzed);
is($eva->done('amendment withdraw', $amendment, reason => 'no doubt')->{status}, 'withdrawn',
    'with its time again it is withdrawn');

$amendment = $eva->done('sample amend', $other->{id}, reason => 'the wrong line of the log')->{id};
amended_to($early);
my $next = $eva->done('certificate issue', sampleId => $other->{id});
is_deeply([ map { $_->{member} }
        @{ $eva->done('certificate content', $next->{id})->{amendments}[0]{changes} } ],
    [ "tests[$late].analyzedAt", "tests[$late].holdingTimeMet" ],
    'the certificate says that the amendment changed the time of analysis');

done_testing();
