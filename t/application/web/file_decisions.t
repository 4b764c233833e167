#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# In a browser: a workbook of several sheets, with two tests in a row, is held, and somebody
# decides which row, which test and which sample is meant.
use strict;
use warnings;

use MIME::Base64 qw(encode_base64);

use LIMS::Files::Writer;
use LIMS::Test;
use LIMS::Test::Browser;

my $anions = <<'JSON';
{
    "code": "anions", "name": "Anions", "layout": "wide",
    "match": { "container": "xlsx", "headers": ["Anions of", "Nitrate", "Sulfate"] },
    "columns": { "trackingId": "Anions of" },
    "tests": [{ "name": "Nitrate", "testCode": "NO3N", "unit": "mg/L" },
        { "name": "Sulfate", "testCode": "SO4", "unit": "mg/L" }],
    "rows": { "controls": [{ "when": [{ "column": "trackingId", "equals": "BLK-1" }],
        "controlType": "MB", "route": "qcBatch", "criterion": "maximum", "upperLimit": "0.5" }] }
}
JSON

# Another profile, of the same columns in a sheet that is hidden.
(my $hidden = $anions) =~ s/anions/hidden-anions/;
$hidden =~ s/Anions of/Sample of anions/g;
$hidden =~ s/"container"/"sheet": "Data", $&/;

# Adds profiles, and received samples: one with each test twice, one without nitrate, one with it.
sub prepare {
    my ($lims) = @_;
    my ($id) = $lims->db->selectrow_array(q{SELECT id FROM lims.organization
        WHERE code = 'cedar-basin'});
    for (['anions', $anions], ['hidden-anions', $hidden]) {
        my ($code, $definition) = @$_;
        $lims->insert('instrument_profile', { code => $code, name => $code, status => 'active',
            definition => $definition }, { id => $id });
    }
    $lims->db->do(<<'SQL');
DO $$
BEGIN
    PERFORM lims.act_as(u.organization_id, u.id, 'demonstration', NULL, NULL)
       FROM lims.user_account u
      WHERE u.email = 'ben.walsh@cedarbasin.example';
    INSERT INTO lims.sample (organization_id, external_id, project_id, material_type_id,
        storage_location_id, collected_at, plant_location, priority)
    SELECT s.organization_id, n.name, s.project_id, s.material_type_id,
           s.storage_location_id, now() - interval '5 hours', n.name, 'routine'
      FROM lims.sample s
     CROSS JOIN (VALUES ('AN-TWICE'), ('AN-WITHOUT'), ('AN-WITH')) AS n (name)
     WHERE s.organization_id = lims.context_id('organization_id')
       AND s.external_id = 'COC-9101';
    INSERT INTO lims.sample_test (organization_id, sample_id, test_definition_id)
    SELECT s.organization_id, s.id, d.id
      FROM (VALUES ('AN-TWICE', 'NO3N'), ('AN-TWICE', 'SO4'), ('AN-TWICE', 'NO3N'),
            ('AN-TWICE', 'SO4'), ('AN-WITHOUT', 'SO4'), ('AN-WITH', 'NO3N'),
            ('AN-WITH', 'SO4')) AS t (name, code)
      JOIN lims.sample s
        ON s.organization_id = lims.context_id('organization_id')
       AND s.external_id = t.name
      JOIN lims.test_definition d
        ON d.organization_id = s.organization_id
       AND d.code = t.code;
    UPDATE lims.sample
       SET status = 'received'
     WHERE organization_id = lims.context_id('organization_id')
       AND external_id LIKE 'AN-%';
END
$$
SQL
    return;
}

# The bytes of a workbook of these sheets, in base64.
sub written {
    my ($lims, @sheets) = @_;
    return encode_base64(workbook(@sheets), '');
}

LIMS::Test::Browser::run('file_decisions', \&prepare, acts => { written => \&written });
done_testing();
