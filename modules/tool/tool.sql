-- SPDX-License-Identifier: Apache-2.0

-- name: tool_find one
-- global: finds out which organization and user the command line names; asked
-- before the tenant is set, as the owner
SELECT o.id AS "organizationId",
       o.esignature_required AS "esignatureRequired",
       u.id AS "userId",
       u.active AS "userActive",
       coalesce(u.password_hash, s.signature_hash) AS "passwordHash",
       lims.recovery(o.id) AS "recovery",
       -- NULL without a user: the owner of the database reads.
       CASE WHEN u.id IS NOT NULL
            THEN lims.permissions_of(o.id, u.id) END AS "permissions"
  FROM lims.organization o
  LEFT JOIN lims.user_account u
    ON u.organization_id = o.id
   AND lower(u.email) = lower(:userEmail::text)
  LEFT JOIN lims.account_state s
    ON s.organization_id = u.organization_id
   AND s.user_id = u.id
 WHERE o.code = :organizationCode::text

-- name: tool_act exec
-- Until the transaction ends everything is done as the role of the service.
SELECT lims.act_as(:$organization::bigint, :$user::bigint, :$request::text,
                   :$reason::text, NULL::bigint),
       set_config('role', 'lims_app', true)

-- name: tool_act_owner exec
SELECT lims.act_as(:$organization::bigint, :$user::bigint, :$request::text,
                   :$reason::text, NULL::bigint)

-- name: signed_preview one
-- Returns the content that signatures of the items' records would cover, for people: first what
-- identifies a record, its value, limits and flag, then the other members; one record as an
-- object, several as a list. "items" is the list with the digest of what is shown of each.
WITH asked AS (
    SELECT e.item, e.place, c.content
      FROM jsonb_array_elements(:items::jsonb) WITH ORDINALITY e (item, place)
     CROSS JOIN LATERAL lims.signed_content(:$organization::bigint, :signs::text,
               (e.item ->> :idMember::text)::bigint) c (content)
), shown AS (
    SELECT a.place,
           (SELECT json_object_agg(m.key, m.value ORDER BY array_position(
                       ARRAY['name', 'record', 'trackingId', 'result', 'qualifier', 'unit',
                             'specification', 'outOfSpecification', 'status', 'comment'], m.key),
                       m.key)
              FROM jsonb_each(a.content - 'version' - 'content'
                   || coalesce(a.content -> 'content', '{}') - 'version'
                   || (a.item - 'contentHash')
                   || jsonb_strip_nulls(jsonb_build_object(
                          'record', concat_ws(' ', replace(:signs::text, '_', ' '),
                                              a.item ->> :idMember::text),
                          'name', lims.record_name(:$organization::bigint, :signs::text,
                                      (a.item ->> :idMember::text)::bigint),
                          'trackingId', lims.record_name(:$organization::bigint, 'sample',
                                            (a.content ->> 'sampleId')::bigint)))) m)
               AS content
      FROM asked a
     WHERE a.content IS NOT NULL
)
SELECT (SELECT CASE WHEN count(*) > 1 THEN json_agg(s.content ORDER BY s.place)
                    ELSE min(s.content::text)::json END
          FROM shown s) AS "records",
       (SELECT jsonb_agg(jsonb_strip_nulls(jsonb_build_object('contentHash',
                             encode(lims.content_hash(a.content), 'hex'))) || a.item
                         ORDER BY a.place)
          FROM asked a) AS "items",
       (SELECT encode(lims.content_hash(a.content), 'hex')
          FROM asked a
         ORDER BY a.place
         LIMIT 1) AS "contentHash"
