-- SPDX-License-Identifier: Apache-2.0
--
-- Checks of `limsctl check`. Each row is a finding: the object checked, its state (ok,
-- warning or failed), the observation, and the remedy. All but the last one ask only the
-- system catalogues, so that a database without the schema can be checked too.

-- name: check_server many
-- global: about the server
SELECT 'server version' AS "subject",
       CASE WHEN current_setting('server_version_num')::int >= 150000
            THEN 'ok' ELSE 'failed' END AS "state",
       'PostgreSQL ' || current_setting('server_version') AS "finding",
       'Use PostgreSQL 15 or later.' AS "remedy"
UNION ALL
SELECT 'encoding',
       CASE current_setting('server_encoding') WHEN 'UTF8' THEN 'ok' ELSE 'failed' END,
       current_setting('server_encoding'),
       'Create the database with ENCODING ''UTF8''.'
UNION ALL
SELECT 'transaction isolation',
       CASE current_setting('default_transaction_isolation')
            WHEN 'read committed' THEN 'ok' ELSE 'failed' END,
       current_setting('default_transaction_isolation'),
       'Set default_transaction_isolation to ''read committed'', which the locks rely on.'
UNION ALL
SELECT 'durability',
       CASE WHEN string_agg(s.name, '') IS NULL THEN 'ok' ELSE 'warning' END,
       coalesce(string_agg(s.name || ' is off', ', ' ORDER BY s.name),
                'a commit survives a crash'),
       'Switch it on: otherwise a crash can lose an acknowledged commit.'
  FROM pg_catalog.pg_settings s
 WHERE s.name IN ('fsync', 'full_page_writes', 'synchronous_commit')
   AND s.setting = 'off'
UNION ALL
-- The standbys that are synchronous now, not those that are configured: with Patroni the
-- list of names comes and goes with the standbys. A role that may not see them learns
-- only how many there are.
SELECT 'standbys',
       CASE WHEN r.standbys = 0 AND n.names = '' THEN 'ok'
            WHEN r.hidden > 0 THEN 'warning'
            WHEN n.names <> '' AND r.synchronous = 0 THEN 'failed'
            WHEN r.synchronous = 0 OR n.commits IN ('off', 'local') THEN 'warning'
            ELSE 'ok' END,
       CASE WHEN r.standbys = 0 AND n.names = ''
            THEN 'none: a commit is lost with this server'
            WHEN r.hidden > 0
            THEN format('%s, and this login does not see whether they are synchronous',
                        r.standbys)
            WHEN n.names <> '' AND r.synchronous = 0
            THEN format('synchronous_standby_names is %s, and none of them is connected: '
                        'commits wait', n.names)
            WHEN r.synchronous = 0
            THEN format('%s, none of them synchronous: a failover may lose commits', r.standbys)
            WHEN n.commits IN ('off', 'local')
            THEN format('synchronous_commit is %s: commits do not wait for %s', n.commits,
                        r.who)
            ELSE format('a commit survives the loss of this server: %s', r.who) END,
       CASE WHEN r.hidden > 0 THEN 'GRANT pg_read_all_stats TO lims_owner.'
            ELSE 'See conf/high-availability.md: synchronous_standby_names, or with Patroni '
                 'synchronous_mode and synchronous_mode_strict.' END
  FROM (SELECT current_setting('synchronous_standby_names') AS names,
               current_setting('synchronous_commit') AS commits) n
 CROSS JOIN (
       SELECT count(*) AS standbys,
              count(*) FILTER (WHERE w.state IS NULL) AS hidden,
              count(*) FILTER (WHERE w.sync_state IN ('sync', 'quorum')
                                 AND w.state = 'streaming') AS synchronous,
              string_agg(format('%s (%s)', w.application_name, w.sync_state), ', '
                         ORDER BY w.application_name)
                  FILTER (WHERE w.sync_state IN ('sync', 'quorum')
                            AND w.state = 'streaming') AS who
         FROM pg_catalog.pg_stat_replication w) r
UNION ALL
SELECT 'connections',
       CASE WHEN current_setting('max_connections')::int >= 50 THEN 'ok' ELSE 'warning' END,
       'max_connections is ' || current_setting('max_connections'),
       'Allow DBDMax connections for each child process of httpd, and some for limsctl.'

-- name: check_roles many
-- global: about the roles
WITH role AS (
    SELECT (SELECT oid FROM pg_catalog.pg_roles WHERE rolname = 'lims_owner') AS owner,
           (SELECT oid FROM pg_catalog.pg_roles WHERE rolname = 'lims_app') AS app
)
SELECT 'roles' AS "subject",
       CASE WHEN owner IS NULL OR app IS NULL THEN 'failed' ELSE 'ok' END AS "state",
       CASE WHEN owner IS NULL OR app IS NULL THEN 'lims_owner or lims_app is missing'
            ELSE 'lims_owner and lims_app' END AS "finding",
       'Have a superuser run /usr/share/mod_lims/roles.sql in this database.' AS "remedy"
  FROM role
UNION ALL
SELECT 'login',
       CASE WHEN pg_has_role(session_user, owner, 'MEMBER') THEN 'ok' ELSE 'failed' END,
       format('%s in database %s', session_user, current_database()),
       'Connect as lims_owner, a member of it or a superuser: see --database.'
  FROM role
 WHERE owner IS NOT NULL
UNION ALL
SELECT 'acting for users',
       CASE WHEN pg_has_role(session_user, app, 'MEMBER') THEN 'ok' ELSE 'failed' END,
       CASE WHEN pg_has_role(session_user, app, 'MEMBER') THEN 'the login may act as lims_app'
            ELSE 'the login may not act as lims_app' END,
       'Have a superuser run /usr/share/mod_lims/roles.sql again: it grants lims_app to lims_owner.'
  FROM role
 WHERE app IS NOT NULL
UNION ALL
SELECT 'run-time role',
       CASE WHEN r.rolsuper OR r.rolbypassrls OR r.rolcreaterole
                 OR pg_has_role(role.app, role.owner, 'MEMBER')
            THEN 'failed' ELSE 'ok' END,
       CASE WHEN r.rolsuper OR r.rolbypassrls OR r.rolcreaterole
                 OR pg_has_role(role.app, role.owner, 'MEMBER')
            THEN 'lims_app bypasses row-level security'
            ELSE 'row-level security applies to lims_app' END,
       'Have a superuser run /usr/share/mod_lims/roles.sql again: it revokes these rights from lims_app.'
  FROM role
  JOIN pg_catalog.pg_roles r ON r.oid = role.app
 WHERE role.owner IS NOT NULL
UNION ALL
SELECT 'temporary tables',
       CASE WHEN has_database_privilege(app, current_database(), 'TEMPORARY')
            THEN 'warning' ELSE 'ok' END,
       CASE WHEN has_database_privilege(app, current_database(), 'TEMPORARY')
            THEN 'lims_app may create temporary tables'
            ELSE 'lims_app may not create temporary tables' END,
       'Have a superuser run /usr/share/mod_lims/roles.sql again, in this database: a restore does not include it.'
  FROM role
 WHERE app IS NOT NULL

-- name: check_schema many
-- global: about the schema
WITH app AS (
    SELECT oid FROM pg_catalog.pg_roles WHERE rolname = 'lims_app'
), tables AS (
    SELECT c.oid, c.relname, c.relowner, c.relrowsecurity,
           (c.relname = 'organization'
            OR EXISTS (SELECT FROM pg_catalog.pg_attribute a
                        WHERE a.attrelid = c.oid
                          AND a.attname = 'organization_id'
                          AND NOT a.attisdropped)) AS tenant,
           EXISTS (SELECT FROM pg_catalog.pg_policy p WHERE p.polrelid = c.oid) AS policy,
           c.relname IN ('user_session', 'sign_in_guess') AS of_sign_in
      FROM pg_catalog.pg_class c
      JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = 'lims'
       AND c.relkind IN ('r', 'p')
       AND NOT c.relispartition
), finding AS (
    SELECT 1 AS place, 'row-level security' AS subject,
           count(*) FILTER (WHERE tenant) AS total,
           string_agg(relname, ', ' ORDER BY relname)
               FILTER (WHERE tenant AND NOT (relrowsecurity AND policy)) AS faulty,
           '%s tables' AS sound,
           'without it: %s' AS unsound,
           'SELECT lims.enable_row_security() as lims_owner.' AS remedy
      FROM tables
    UNION ALL
    SELECT 2, 'usage', 1,
           CASE WHEN NOT has_schema_privilege(app.oid, n.oid, 'USAGE') THEN n.nspname END,
           'lims_app may use the schema', 'lims_app may not use the schema %s',
           '"limsctl migrate" gives the right back; a restore may have left it out.'
      FROM app, pg_catalog.pg_namespace n
     WHERE n.nspname = 'lims'
    UNION ALL
    SELECT 2, 'owner', count(*),
           string_agg(t.relname, ', ' ORDER BY t.relname)
               FILTER (WHERE t.relowner = app.oid),
           'lims_app owns nothing', 'lims_app owns %s',
           'ALTER TABLE ... OWNER TO lims_owner.'
      FROM tables t, app
    UNION ALL
    SELECT 3, 'grants', count(*),
           string_agg(t.relname, ', ' ORDER BY t.relname)
               FILTER (WHERE NOT has_table_privilege(app.oid, t.oid, 'SELECT')),
           'lims_app reads %s tables', 'lims_app may not read %s',
           'Grant again what the migrations granted; a restore may have left it out.'
      FROM tables t, app
     WHERE NOT t.of_sign_in
    UNION ALL
    SELECT 3, 'sign-in', count(*),
           string_agg(t.relname, ', ' ORDER BY t.relname)
               FILTER (WHERE has_table_privilege(app.oid, t.oid,
                                                 'SELECT, INSERT, UPDATE, DELETE')),
           'lims_app reaches %s tables of sign-in through functions only',
           'lims_app reaches directly, past their functions: %s',
           'REVOKE ALL ON these tables FROM lims_app.'
      FROM tables t, app
     WHERE t.of_sign_in
    UNION ALL
    SELECT 4, 'append-only', count(*),
           string_agg(t.relname, ', ' ORDER BY t.relname)
               FILTER (WHERE has_table_privilege(app.oid, t.oid, 'UPDATE, DELETE, TRUNCATE')),
           'lims_app cannot change %s tables of evidence', 'lims_app may change %s',
           'REVOKE UPDATE, DELETE, TRUNCATE ON these tables FROM lims_app.'
      FROM tables t, app
     WHERE t.relname IN ('audit_entry', 'result_history', 'electronic_signature')
    UNION ALL
    SELECT 5, 'triggers', count(*),
           string_agg(DISTINCT t.relname, ', ')
               FILTER (WHERE g.tgenabled NOT IN ('O', 'A')),
           '%s enabled', 'disabled on %s',
           'ALTER TABLE ... ENABLE TRIGGER ALL: locks, gates, audit and events are triggers.'
      FROM tables t
      JOIN pg_catalog.pg_trigger g ON g.tgrelid = t.oid AND NOT g.tgisinternal
    UNION ALL
    SELECT 6, 'functions', count(*),
           string_agg(p.proname, ', ' ORDER BY p.proname)
               FILTER (WHERE has_function_privilege(app.oid, p.oid, 'EXECUTE')
                             OR NOT p.prosecdef),
           '%s trigger functions, SECURITY DEFINER and not callable by lims_app',
           'trigger functions that lims_app may call, or that are not SECURITY DEFINER: %s',
           'SELECT lims.secure_functions() as lims_owner.'
      FROM pg_catalog.pg_proc p
      JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace, app
     WHERE n.nspname = 'lims'
       AND p.prorettype = 'pg_catalog.trigger'::regtype
    UNION ALL
    SELECT 7, 'partitions', count(*),
           string_agg(c.relname, ', ' ORDER BY c.relname)
               FILTER (WHERE has_table_privilege(app.oid, c.oid,
                                                 'SELECT, INSERT, UPDATE, DELETE')),
           'lims_app reaches %s through their tables only',
           'lims_app reaches directly, past their tables: %s',
           'REVOKE ALL ON these partitions FROM lims_app.'
      FROM pg_catalog.pg_class c
      JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace, app
     WHERE n.nspname = 'lims'
       AND c.relispartition
       AND c.relkind IN ('r', 'p')
)
SELECT subject AS "subject",
       CASE WHEN faulty IS NULL THEN 'ok' ELSE 'failed' END AS "state",
       CASE WHEN faulty IS NULL THEN replace(sound, '%s', total::text)
            ELSE replace(unsound, '%s', faulty) END AS "finding",
       remedy AS "remedy"
  FROM finding
 WHERE total > 0
 ORDER BY place

-- name: check_people many
-- global: of every organization, what nobody in it can do
SELECT 'people' AS "subject",
       CASE WHEN l.lacks IS NULL THEN 'ok' ELSE 'warning' END AS "state",
       o.code || ': ' || coalesce(l.lacks, 'every sample can be reported') AS "finding",
       'Give the roles, or make the policy milder: limsctl user update, limsctl '
           'organization update.' AS "remedy"
  FROM lims.organization o
 CROSS JOIN LATERAL (
       SELECT string_agg(x.lack, '; ') AS lacks
         FROM lims.policy_lacks(o.id) x (lack)) l
 WHERE o.active
   AND l.lacks IS NOT NULL
 ORDER BY o.code

-- name: check_documents many
-- global: of every organization, the documents that could not be made, and those that wait
-- for longer than printing takes
SELECT 'documents' AS "subject",
       CASE WHEN d.failed > 0 OR d.waiting > 0 AND :printer::boolean THEN 'warning'
            ELSE 'ok' END AS "state",
       o.code || ': ' || concat_ws(', ',
           CASE WHEN d.failed > 0 THEN d.failed || ' could not be made' END,
           CASE WHEN d.waiting > 0 THEN d.waiting || ' wait for a printer since '
                || to_char(d.oldest AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI "UTC"') END)
           AS "finding",
       CASE WHEN d.failed > 0
            THEN 'limsctl document list --state failed has the reasons; then limsctl document '
                 'retry.'
            ELSE 'See that LimsPrinter names lims-print, and the lines LIMS0090 of the error '
                 'log; or run limsctl print.' END AS "remedy"
  FROM lims.organization o
 CROSS JOIN LATERAL (
       SELECT (SELECT count(*)
                 FROM lims.document f
                WHERE f.organization_id = o.id
                  AND f.state = 'failed') AS failed,
              count(w.created_at) AS waiting,
              min(w.created_at) AS oldest
         FROM lims.document w
        WHERE w.organization_id = o.id
          AND w.state = 'pending'
          AND w.created_at < now() - interval '1 minute') d
 WHERE d.failed > 0
    OR d.waiting > 0
 ORDER BY o.code

-- name: check_clock one
-- global: about the server's clock
SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS "now"

-- name: check_secrets many
-- global: the key file is the server's. Which keys seal something, and how much;
-- seal.h has the form.
SELECT CASE WHEN length(s.sealed) > 2
            THEN encode(substr(s.sealed, 3, get_byte(s.sealed, 1)), 'escape')
            ELSE '' END AS "key",
       count(DISTINCT (e.organization_id, e.id)) AS "endpoints"
  FROM lims.webhook_endpoint e
 CROSS JOIN LATERAL unnest(ARRAY[e.secret, e.previous_secret]) AS s (sealed)
 WHERE e.deleted_at IS NULL
   AND s.sealed IS NOT NULL
 GROUP BY 1
 ORDER BY 1

-- name: check_trail many
-- global: the key file is the server's. The keys of the audit trail's blocks, each found by
-- one look into the index.
WITH RECURSIVE found (organization_id, key_id) AS (
    (SELECT b.organization_id, b.key_id
       FROM lims.audit_block b
      ORDER BY b.organization_id, b.key_id
      LIMIT 1)
     UNION ALL
    SELECT n.organization_id, n.key_id
      FROM found f
     CROSS JOIN LATERAL (
           SELECT b.organization_id, b.key_id
             FROM lims.audit_block b
            WHERE (b.organization_id, b.key_id) > (f.organization_id, f.key_id)
            ORDER BY b.organization_id, b.key_id
            LIMIT 1) n
)
SELECT DISTINCT f.key_id AS "key"
  FROM found f
 ORDER BY 1
