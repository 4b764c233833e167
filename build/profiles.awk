# SPDX-License-Identifier: Apache-2.0
#
# profiles.awk - profiles as SQL, which makes them active in the organization that
# it runs for.
#
#     awk -f profiles.awk conf/profiles/*.json > 013_profiles.sql

BEGIN {
    print "INSERT INTO lims.instrument_profile (organization_id, code, name,"
    print "    status, definition)"
    print "SELECT lims.context_id('organization_id'), p.definition ->> 'code',"
    print "       p.definition ->> 'name', 'active', p.definition"
    print "  FROM (VALUES"
}

FNR == 1 {
    print (NR > 1 ? "$json$::jsonb),\n" : "") "($json$"
}

{
    print
}

END {
    print "$json$::jsonb)) AS p (definition);"
}
