#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# httpd closes the audit trail every LimsAuditInterval, also several of them at once; each
# head is a line of the error log, with which limsctl audit verify compares the trail.
use strict;
use warnings;

use File::Temp;
use LIMS::Service::Laboratory;
use LIMS::Test;
use LIMS::Wait;

my $lims  = LIMS::Test->new(conf => 'LimsAuditInterval 1');
my $other = LIMS::Test->new(beside => $lims, conf => 'LimsAuditInterval 1');
my $lab   = LIMS::Service::Laboratory->new($lims);
my @tests = $lab->tests($lab->sample(testDefinitionIds => [ map { $lab->definition } 1 .. 3 ]));
my $id    = $lims->fixture->{id};

sub blocks {
    return $lims->db->selectrow_array('SELECT count(*) FROM lims.audit_block
        WHERE organization_id = ?', undef, $id);
}

for my $round (1 .. 4) {
    my $before = blocks();
    $lims->patch("/sample-tests/$_", { result => "$round.$_" }) for @tests;
    ok((wait_until { blocks() > $before }), "round $round: a block is closed");
}
cmp_ok(blocks(), '>=', 4, 'all of them by the service');

wait_until { (() = join("", map { $_->log } $lims, $other) =~ m{LIMS0384: \S.*lims-audit-1:$id:}g) >= blocks() };
my $log  = File::Temp->new;
my $text = join '', map { $_->log } $lims, $other;
print {$log} $text;
$log->flush;
my @told = $text =~ /LIMS0384: .*lims-audit-1:$id:(\d+):[0-9a-f]{64}/g;
my %once = map { $_ => 1 } @told;
is(scalar keys %once, scalar @told, 'each block is closed by one of them');
my $verified = $lims->ctl('--organization', $lims->fixture->{code}, qw(audit verify --heads), $log->filename);
is($verified->{exit}, 0, 'the trail is sound') or diag($verified->{output});
cmp_ok($verified->{json}{headsCompared}, '>=', 4, 'the trail is compared with the heads of the log');
is($verified->{json}{unseen}, undef, 'nothing of the trail is unseen');
done_testing();
