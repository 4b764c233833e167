#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# How many samples of a list are in each state, for people: by the list's filters, exact
# up to 10,000.
use strict;
use warnings;

use LIMS::Service::CommandLine;
use LIMS::Service::Laboratory;
use LIMS::Test;

my $lims  = LIMS::Test->new;
my $lab   = LIMS::Service::Laboratory->new($lims);
my $other = LIMS::Service::Laboratory->new($lims, $lims->organization(code => 'other-laboratory'));
my $ann   = LIMS::Service::CommandLine->new($lims, 'Ann Lee');

my $lead    = $lab->definition(code => 'PB', name => 'Lead');
my @samples = map { $lab->sample(testDefinitionIds => [$lead]) } 0 .. 3;
$other->sample;
$lab->status($samples[$_], 'received') for 1, 2;

my %none = (
    status       => { map { $_ => 0 } qw(pending received processing completed verified reported) },
    releaseState => { map { $_ => 0 } qw(blocked in_progress ready_for_review ready_to_report) },
);

sub counts {
    my ($status, $release, @filters) = @_;
    return is_deeply($ann->done('sample counts', @filters), {
        status       => { %{ $none{status} }, %$status },
        releaseState => { %{ $none{releaseState} }, %$release } }, 'of ' . (@filters ? "@filters" : 'all'));
}

subtest 'by the filters of the list' => sub {
    $lims->db->do('DELETE FROM lims.sample_dirty');    # the scan leaves the states as they are
    $lims->db->do(q{INSERT INTO lims.sample_state_cache AS c (organization_id, sample_id, release_state)
        SELECT organization_id, id, ? FROM lims.sample WHERE id = ?
        ON CONFLICT (organization_id, sample_id) DO UPDATE SET release_state = excluded.release_state},
        undef, $_->[0], $samples[ $_->[1] ]{id})
        for [ blocked => 0 ], [ blocked => 1 ], [ in_progress => 2 ], [ ready_for_review => 3 ];
    counts({ pending => 2, received => 2 }, { blocked => 2, in_progress => 1, ready_for_review => 1 });
    counts({ received => 2 }, { blocked => 1, in_progress => 1 }, status => 'received');
    counts({ pending => 1, received => 1 }, { blocked => 2 }, releaseState => 'blocked');
    counts({ received => 1 }, { blocked => 1 }, q => lc($samples[1]{trackingId} =~ s/-//gr));
    counts({}, {}, registeredSince => '2100-01-01');
    counts({}, {}, disposition     => 'on_hold');
    like($ann->call('sample counts', status => 'nonsense')->{output}, qr/status must be one of/,
        'a value of no sense is refused');
    refused($lims->get('/samples/counts'), 400, 'invalid_id', 'no route of the API');
};

subtest 'more than are counted exactly' => sub {
    my $copies = sub {
        my ($from, $to) = @_;
        $lims->db->do('ALTER TABLE lims.sample DISABLE TRIGGER USER');
        $lims->db->do(q{INSERT INTO lims.sample OVERRIDING SYSTEM VALUE
            SELECT r.*
              FROM lims.sample s
             CROSS JOIN generate_series(?::bigint, ?::bigint) n
             CROSS JOIN LATERAL jsonb_populate_record(s, jsonb_build_object('id', 1000000 + n,
                   'tracking_id', 'X-' || n, 'sample_identifier', 'X-' || n,
                   'status', 'reported', 'reported_at', now())) r
             WHERE s.id = ?}, undef, $from, $to, $samples[0]{id});
        $lims->db->do('ALTER TABLE lims.sample ENABLE TRIGGER USER');
    };
    $copies->(1, 10_000);
    is($ann->done('sample counts')->{status}{reported}, 10_000, 'exact up to 10,000');
    $copies->(10_001, 10_001);
    is_deeply([ @{ $ann->done('sample counts')->{status} }{qw(reported received)} ], [ '10,000+', 2 ],
        'more than 10,000 samples of a status are counted as 10,000+');
};
done_testing();
