#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# In a browser, by keyboard alone: a day in two laboratories, one of few rules and one that
# has every strict rule on, from the order to the auditor's question.
use strict;
use warnings;

use LIMS::Service::Laboratory;
use LIMS::Test;
use LIMS::Test::Browser;

# Profile of Harborview's conductivity meter, which the demonstration does not have.
my $conductivity = <<'JSON';
{
    "code": "conductivity-log", "name": "Conductivity, log of the meter", "layout": "wide",
    "match": { "container": "text",
        "headers": ["Sample Name", "Conductivity [uS/cm]", "Error"], "headersWithin": 3 },
    "columns": { "trackingId": "Sample Name", "flag": "Error" },
    "tests": [{ "name": "Conductivity [uS/cm]", "testCode": "PWCOND", "unit": "uS/cm" }],
    "rows": { "controls": [
        { "when": [{ "column": "trackingId", "matches": "^(?i:blank)$" }], "controlType": "MB" }] }
}
JSON

sub add_conductivity {
    my ($lims) = @_;
    my ($id) = $lims->db->selectrow_array(q{SELECT id FROM lims.organization
        WHERE code = 'harborview'});
    $lims->insert('instrument', { code => 'CM-1', name => 'Conductivity meter' }, { id => $id });
    $lims->insert('instrument_profile', { code => 'conductivity-log', status => 'active',
        name => 'Conductivity, log of the meter', definition => $conductivity,
        instrument_id => $lims->db->selectrow_array(q{SELECT id FROM lims.instrument
            WHERE organization_id = ? AND code = 'CM-1'}, undef, $id) }, { id => $id });
    return;
}

# Adds somebody from outside who only reads, and took no part in what is asked about.
sub add_auditors {
    my ($lims) = @_;
    for (['cedar-basin', 'cedarbasin'], ['harborview', 'harborview']) {
        my ($code, $domain) = @$_;
        my ($organization, $hash) = $lims->db->selectrow_array(q{SELECT o.id, min(u.password_hash)
            FROM lims.organization o JOIN lims.user_account u ON u.organization_id = o.id
            WHERE o.code = ? GROUP BY o.id}, undef, $code);
        my $lab  = { id => $organization };
        my $user = $lims->insert('user_account', { email => "ada.lowe\@$domain.example",
            display_name => 'Ada Lowe', password_hash => $hash }, $lab);
        $lims->insert('user_role', { user_id => $user, role => 'auditor' }, $lab);
        $lims->insert('account_state', { user_id => $user, accountable_since => 'now' }, $lab);
    }
    return;
}

# Adds a template with the controls of nitrate, which Cedar Basin does not have.
LIMS::Test::Browser::run('day', sub {
    my ($lims) = @_;
    add_conductivity($lims);
    add_auditors($lims);
    $lims->db->do(<<'SQL');
DO $$
BEGIN
    PERFORM lims.act_as(u.organization_id, u.id, 'demonstration', NULL, NULL)
       FROM lims.user_account u
      WHERE u.email = 'lena.fischer@cedarbasin.example';
    PERFORM lims.create_qc_template(d.organization_id, d.method, 'Nitrate', true, 20,
        jsonb_build_array(
            jsonb_build_object('type', 'LRB', 'testDefinitionId', d.id,
                'criterion', 'maximum', 'upperLimit', 0.1, 'unit', d.unit),
            jsonb_build_object('type', 'LFB', 'testDefinitionId', d.id,
                'criterion', 'recovery', 'expectedValue', 5, 'lowerLimit', 90,
                'upperLimit', 110, 'unit', d.unit)))
       FROM lims.test_definition d
      WHERE d.organization_id = lims.context_id('organization_id')
        AND d.code = 'NO3N';
END
$$
SQL
}, conf => LIMS::Service::Laboratory->patience);
done_testing();
