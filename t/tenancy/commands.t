#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Tenant isolation of limsctl: every command that takes an id, given another laboratory's,
# answers as if there were none and changes nothing of theirs; once as it runs, once with
# row-level security off. A new command has to be added here.
use strict;
use warnings;

use File::Temp ();
use LIMS::Database::RowSecurity;
use LIMS::Service::Demo;
use LIMS::Test;

my $demo = LIMS::Service::Demo->new;
my $lims = $demo->lims;
my $db   = $lims->db;
my $them = $demo->laboratory('cedar-basin');
my $us   = $demo->laboratory('tiny-lab');
my $absent = 987_654;

# The demonstration has one of everything but these.
my $endpoint = $them->done('omar.haddad', qw(webhook create --name ERP --url
    https://erp.example/ --events sample.created))->{id};
my $delivery = $them->done('omar.haddad', qw(webhook test), $endpoint)->{id};
my $recovery = $them->done('omar.haddad', qw(webhook recover), $endpoint,
    qw(--since 2026-01-01T00:00:00Z))->{id};
# A job finishes it, which the trail records too.
wait_until { $db->selectrow_array('SELECT finished_at IS NOT NULL FROM lims.webhook_recovery'
        . ' WHERE id = ?', undef, $recovery) };
$them->done('omar.haddad', qw(sample-name add --name Theirs --tracking-id),
    $db->selectrow_array(q{SELECT tracking_id FROM lims.sample WHERE organization_id = ?
        AND status = 'received' ORDER BY id LIMIT 1}, undef, $them->id), qw(--reason x));
$us->done('eva.novak', qw(user update), $db->selectrow_array(
    'SELECT id FROM lims.user_account WHERE organization_id = ?', undef, $us->id),
    '--roles', 'administrator,lab_manager,analyst,qa_officer,microbiologist', qw(--reason x));

my $panel = $them->done('omar.haddad', qw(panel create --code WEEK --name Weekly),
    '--test-definition-ids', scalar $db->selectrow_array('SELECT min(id) FROM'
        . ' lims.test_definition WHERE organization_id = ? AND active', undef, $them->id));
$them->done('omar.haddad', qw(order create --samples), JSON::PP::encode_json(
        [ { materialTypeId => 0 + $db->selectrow_array('SELECT min(id) FROM lims.material_type'
            . ' WHERE organization_id = ? AND active', undef, $them->id) } ]),
    '--client-id', scalar $db->selectrow_array('SELECT min(id) FROM lims.client'
        . ' WHERE organization_id = ? AND active', undef, $them->id));

my ($defined, $method) = $db->selectrow_array('SELECT id, method FROM lims.test_definition
    WHERE organization_id = ? AND method IS NOT NULL AND active ORDER BY id LIMIT 1', undef,
    $them->id);
$them->done('omar.haddad', qw(qc-template create --name x --method), $method, '--controls',
    JSON::PP::encode_json([ { type => 'LRB', criterion => 'maximum', upperLimit => 1,
        testDefinitionId => 0 + $defined } ]));

my $on = sprintf '{"table":"sample","id":%d}', $db->selectrow_array(
    'SELECT min(id) FROM lims.sample WHERE organization_id = ?', undef, $them->id);
$them->done('omar.haddad', qw(comment add --text x --on), $on);
$them->done('omar.haddad', qw(attachment add --file-name x --content-base64 eA== --on), $on);
$them->done('omar.haddad', qw(saved-view create --name x --page samples --query x));

# One who is signed in to the application.
$db->begin_work;
$db->do('SELECT lims.act_as(?, NULL, $$a test$$, NULL, NULL)', undef, $them->id);
$db->do(q{INSERT INTO lims.user_session (organization_id, user_id, token_hash, address)
    SELECT organization_id, max(id), sha256('x'), '::1' FROM lims.user_account
     WHERE organization_id = ? GROUP BY 1}, undef, $them->id);
$db->commit;

# What an id is, by the noun, where that is not the name of the table.
my %table = (
    'sample-test' => 'sample_test', confirmation => 'sample_test', user => 'user_account',
    key => 'api_key', profile => 'instrument_profile', webhook => 'webhook_endpoint',
    'approval list' => 'sample', order => 'sample_order', 'webhook delivery' => 'webhook_delivery',
    'webhook body'  => 'webhook_delivery', 'webhook redeliver' => 'webhook_delivery',
    'webhook recovery' => 'webhook_recovery', signature => 'electronic_signature',
    session => 'user_session', 'session list' => 'user_account',
);

# What a command has to be told besides.
my $password = File::Temp->new;
print {$password} "correct horse battery\n";
close $password;
my %options = (
    'sample update' => [qw(--notes x)], 'sample status' => [qw(--status received)],
    'sample-test enter' => [qw(--result 1)], 'approval decide' => [qw(--status approved)],
    'storage-location update' => [qw(--name x)], 'specification update' => [qw(--low 1)],
    'media-lot test' => [qw(--kind sterility --outcome passed)],
    'media-lot update' => [qw(--supplier x)], 'reagent-lot update' => [qw(--name x)],
    'qc-batch update' => [qw(--method x)], 'qc-control update' => [qw(--measured-value 1)],
    'qc-batch cover'   => [ '--sample-test-ids', $absent ],
    'sample override-lot' => [ '--reagent-lot-id', $absent ],
    'qc-batch uncover' => [ '--sample-test-ids', $absent ],
    'user set-password' => [ '--password-file', $password->filename ],
    'worksheet sign-off' => [qw(--step x --meaning performed)],
    'confirmation step' => [qw(--outcome x)],
    'confirmation outcome' => [qw(--outcome confirmed)],
    'investigation update' => [qw(--title x)],
    'investigation advance' => [qw(--status phase_2)],
    'investigation add-action' => [qw(--text x)],
    'investigation finish-action' => [qw(--action-id 1 --done-at 2026-11-20T10:00:00Z)],
    'order update' => [qw(--notes x)],
    'saved-view update' => [qw(--name x)],
    'qc-series update' => [qw(--rules 1-3s)],
    'instrument update' => [qw(--name x)],
    'instrument-file candidates' => [qw(--row 2)],
    'instrument-file decide' => [qw(--decisions {})],
    'sample unreceive' => [],
    'sample disposition' => [qw(--disposition on_hold)],
    'user update' => [qw(--display-name x)],
    'key update'  => [qw(--file-storage-megabytes 1)],
    'profile test' => [qw(--content x)],
    'webhook recover' => [qw(--since 2026-01-01T00:00:00Z)],
    (map { ("$_ update" => [qw(--name x)]) } qw(test-definition material-type project client
        worksheet-template webhook panel qc-template)),
);

my @commands = grep { $lims->ctl((split / /), '--help')->{output} =~ /\Alimsctl \Q$_\E ID/ }
    $lims->ctl('--help')->{output} =~ /^  ([a-z-]+ [a-z-]+) /mg;
cmp_ok(scalar @commands, '>', 60, scalar(@commands) . ' commands take an id');

sub answer {
    my ($command, $id) = @_;
    my $done = $us->ctl('eva.novak', (split / /, $command), $id, '--reason', 'x',
        @{ $options{$command} || [] });
    return [ $done->{exit}, $done->{output} =~ s/(?<!\d)$id(?!\d)/ID/gr ];
}

sub apart {
    my $before = $db->selectrow_array('SELECT max(id) FROM lims.audit_entry');

    for my $command (@commands) {
        my ($noun) = split / /, $command;
        my $table = $table{$command} || $table{$noun} || $noun =~ tr/-/_/r;
        my $id = $db->selectrow_array("SELECT max(id) FROM lims.$table WHERE organization_id = ?",
            undef, $them->id) or return fail("there is no $table to try $command with");
        my $answer = answer($command, $id);

        is($answer->[0], 3, $command) or diag($answer->[1]);
        is_deeply($answer, answer($command, $absent), '... as if it were not there');
    }
    return is($db->selectrow_array('SELECT max(id) FROM lims.audit_entry'), $before,
        'nothing changed, here or there');
}

subtest 'as it runs' => \&apart;
LIMS::Database::RowSecurity::disable($db);
subtest 'by the statements alone' => \&apart;

done_testing();
