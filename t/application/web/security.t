#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# In a browser: markup, characters that nobody sees and such as turn the direction of a text
# stand in every text of the database, also where a program sent them with its key. On every
# screen they are seen as what they are: nothing of them runs, and nothing is hidden; also on
# the pages of somebody who is not signed in. A file that is opened directly is saved, and never
# shown.
use strict;
use warnings;

use Encode qw(encode_utf8);
use File::Temp qw(tempdir);
use JSON::PP ();

use LIMS::Database::Markup;
use LIMS::Service::Markup;
use LIMS::Test;
use LIMS::Test::Browser;
use LIMS::Test::SignOn;

# Words of the service's own, and what it reads by itself.
my $spared = $LIMS::Database::Markup::words;

# Texts that a program has sent, and the places where they are shown.
my ($sent, @places);

sub by_key {
    my ($lims, $definition, $material) = @_;

    $sent = LIMS::Service::Markup->new($lims, $lims->{keys}{LIMS_API_KEY});
    my $sample  = $sent->send('createSample', { materialTypeId => $material,
        testDefinitionIds => [$definition] });
    my ($client, $name) = @{ $sent->send('createClient', {}) }{qw(id name)};
    my $project = $sent->send('createProject', { clientId => $client })->{id};
    my $panel   = $sent->send('createPanel', { testDefinitionIds => [$definition] })->{id};
    my $order   = $sent->send('createOrder', { clientId => $client, samples => [ {
        materialTypeId => $material, projectId => $project, clientName => $name } ] });
    my $ordered = $order->{samples}[0]{id};
    my $test    = $sample->{tests}[0]{id};
    $sent->send('receiveSamples', { items => [ { sampleId => $sample->{id} } ], receipt => {} });
    $sent->send('enterResult', {}, id => $test);
    $sent->send('setSampleDisposition', { disposition => 'on_hold' }, id => $sample->{id});
    my $file = $sent->send('ingestInstrumentFile', { content => 'no,table' })->{id};
    @places = ("samples/$sample->{id}", "samples/$sample->{id}/history", "samples/$ordered",
        "orders/$order->{order}{id}", "reference/clients/$client", "reference/projects/$project",
        "reference/panels/$panel", "instrument-files/$file");
    return;
}

# Names that httpd knows: of somebody of the laboratory, and one that nobody there has.
my @names = map { "$_$LIMS::Service::Markup::markup" } qw(omar nobody);

# Somebody of two laboratories is asked for one; somebody signs in by an identity.
sub ways_in {
    my ($super) = @_;
    $super->do(q{UPDATE lims.user_account SET email = 'grace.okafor@cedarbasin.example'
        WHERE email = 'helen.brandt@harborview.example'});
    $super->do(q{UPDATE lims.user_account SET password_hash = NULL, identity = ?
        WHERE email = 'omar.haddad@cedarbasin.example'}, undef,
        JSON::PP->new->encode({ type => 'Basic', subject => $names[0] }));
    return;
}

# Columns in which no form of markup fits, as a CHECK of their table says.
my @no_markup = qw(
    api_key.scopes audit_entry.action audit_entry.surface certificate.verification_code
    electronic_signature.meaning electronic_signature.method event.type investigation.checks
    investigation.kind
    media_lot.growth_promotion_status media_lot.qc_status media_lot.sterility_status
    media_qc_test.kind media_qc_test.outcome organization.lot_qc_policy organization.plan
    organization.qc_required organization.reagent_expiry_policy
    organization.self_verification organization.tracking_prefix qc_batch.qc_status
    qc_control.control_type qc_control.criterion qc_series.baseline_kind
    qc_series.control_type qc_series.criterion qc_template_control.control_type
    qc_template_control.criterion reagent_lot.qc_status role_permission.permission
    sample.disposition sample.priority sample_state_cache.holding_status
    sample_state_cache.release_state sample_test.disposition test_definition.result_type
    worksheet_field.kind
);

LIMS::Test::Browser::run('security', sub {
    my ($lims) = @_;
    # Nouns of which the demonstration has none.
    my ($cedar, $definition, $material) = $lims->db->selectrow_array(q{SELECT o.id, min(d.id),
            (SELECT min(m.id) FROM lims.material_type m
              WHERE m.organization_id = o.id AND m.active)
        FROM lims.organization o JOIN lims.test_definition d ON d.organization_id = o.id
        WHERE o.code = 'cedar-basin' AND d.active GROUP BY o.id});
    by_key($lims, map { 0 + $_ } $definition, $material);
    $lims->insert('panel', { code => 'W', name => 'Weekly', test_definition_ids => "{$definition}" },
        { id => $cedar });
    $lims->insert('qc_template', { method => 'EPA 300.0', name => 'Anions', required => 0 },
        { id => $cedar });
    $lims->insert('webhook_endpoint', { name => 'Mirror', url => 'https://mirror.example/',
            events => '{sample.created}', secret => 'x' }, { id => $cedar });
    my ($written, $refused) = LIMS::Database::Markup::write($lims, $spared);
    cmp_ok(scalar @$written, '>', 100, scalar(@$written) . ' columns have markup in them');
    note(join "\n", @$written);
    is("@$refused", "@no_markup", 'every other column refuses markup');
    # Whoever may do everything sees every screen.
    my $super = $lims->superuser;
    $super->do(q{SET session_replication_role = 'replica'});
    $super->do(q{INSERT INTO lims.user_role (organization_id, user_id, role)
        SELECT u.organization_id, u.id, r.role FROM lims.user_account u,
            (SELECT DISTINCT role FROM lims.role_permission) r
        WHERE u.email = 'ruth.calder@cedarbasin.example' ON CONFLICT DO NOTHING});
    ways_in($super);
    $super->do(q{SET session_replication_role = 'origin'});
}, acts => {
    sent  => sub { return { places => \@places, texts => { $sent->texts } } },
    names => sub { return \@names },
}, conf => LIMS::Test::SignOn::conf(tempdir(CLEANUP => 1), map { encode_utf8($_) } @names)
    . "LimsSignIn both\nLimsSignInOrganizations cedar-basin\n");
done_testing();
