/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check.c - whether everything that the service needs is there.
 *
 * What the configuration alone can tell is told at configtest and at every
 * start, all of it at once, each with its remedy. Whether the schema fits is
 * told at start when the database answers; a database that is down does not
 * keep httpd from starting, because the service recovers by itself. A restart
 * never ends a running httpd over its database: it answers 503 instead.
 */
#include <apr_dbd.h>
#include <apr_strings.h>
#include <http_core.h>
#include <string.h>

#include "database/database.h"
#include "kernel/error.h"
#include "kernel/openapi.h"
#include "kernel/route.h"
#include "kernel/seal.h"
#include "server/algorithms.h"
#include "server/extraction.h"
#include "server/metrics.h"
#include "server/server.h"
#include "server/watchdog.h"

APLOG_USE_MODULE(lims);

/* --- Directives of other modules ------------------------------------------ */

static bool is_section_of(const ap_directive_t *directive, const server_rec *s)
{
    return s->is_virtual && strcasecmp(directive->directive, "<VirtualHost") == 0 && s->defn_name &&
           strcmp(directive->filename, s->defn_name) == 0 &&
           directive->line_num == (int)s->defn_line_number;
}

static const char *find_among(const ap_directive_t *first, const char *name)
{
    const char *found = NULL;

    for (const ap_directive_t *each = first; each; each = each->next) {
        if (strcasecmp(each->directive, name) == 0) {
            found = each->args;
        }
    }
    return found;
}

const char *lims_check_directive(const server_rec *s, const char *name, apr_pool_t *pool)
{
    const char *found = find_among(ap_conftree, name);

    for (const ap_directive_t *each = ap_conftree; each; each = each->next) {
        if (is_section_of(each, s)) {
            const char *inner = find_among(each->first_child, name);
            found = inner ? inner : found;
        }
    }
    /* As its module reads it: without quotes, with the variables resolved. */
    return found ? ap_getword_conf(pool, &found) : NULL;
}

/* --- What the configuration tells ----------------------------------------- */

typedef struct {
    server_rec *first; /* of all servers */
    server_rec *s;     /* the one checked */
    apr_pool_t *pool;
    int problems;
} check_t;

static void report(check_t *check, int number, const char *problem, const char *remedy)
{
    check->problems++;
    ap_log_error(APLOG_MARK, APLOG_EMERG, 0, check->s, "LIMS%04d: %s; %s", number, problem, remedy);
}

static void check_dbd(check_t *check)
{
    const char *driver = lims_check_directive(check->s, "DBDriver", check->pool);
    const char *params = lims_check_directive(check->s, "DBDParams", check->pool);

    if (!ap_find_linked_module("mod_dbd.c")) {
        report(check, 101, "mod_dbd is not loaded", "load it: \"a2enmod dbd\"");
        return;
    }
    if (!driver || strcmp(driver, "pgsql") != 0) {
        report(check, 102, "DBDriver is not pgsql", "set \"DBDriver pgsql\"");
    }
    if (!params) {
        report(check, 103, "DBDParams is missing",
               "set it to the database's connection string, see conf/lims.conf");
    } else if (!lims_connection_says(params, "connect_timeout")) {
        ap_log_error(APLOG_MARK, APLOG_WARNING, 0, check->s,
                     "LIMS0130: DBDParams has no connect_timeout, so that a database host that "
                     "does not answer holds requests for minutes; add connect_timeout=2");
    }
}

static void check_driver(check_t *check)
{
    const apr_dbd_driver_t *driver = NULL;

    if (apr_dbd_init(check->pool) != APR_SUCCESS ||
        apr_dbd_get_driver(check->pool, "pgsql", &driver) != APR_SUCCESS) {
        report(check, 104, "APR's PostgreSQL driver is missing",
               "install the package libaprutil1-dbd-pgsql");
    }
}

/* A server without TLS beside one with it answers with tls_required, which
 * helps whoever typed http; one that nobody can reach over TLS is a mistake. */
static bool some_server_has_tls(const server_rec *first, apr_pool_t *pool)
{
    for (const server_rec *each = first; each; each = each->next) {
        const char *engine = lims_check_directive(each, "SSLEngine", pool);
        if (lims_config_of(each)->enable == 1 && engine && strcasecmp(engine, "off") != 0) {
            return true;
        }
    }
    return false;
}

static void check_tls(check_t *check)
{
    if (lims_config_of(check->s)->tls == LIMS_TLS_PROXY) {
        return;
    }
    if (!ap_find_linked_module("mod_ssl.c")) {
        report(check, 105, "mod_ssl is not loaded, and the service answers over TLS only",
               "load it: \"a2enmod ssl\", or set \"LimsTLS proxy\" behind a proxy that ends TLS");
    } else if (!some_server_has_tls(check->first, check->pool)) {
        report(check, 106, "SSLEngine is off, and the service answers over TLS only",
               "set \"SSLEngine on\" here, or \"LimsTLS proxy\" behind a proxy that ends TLS");
    }
}

static void check_watchdog(check_t *check)
{
    if (!ap_find_linked_module("mod_watchdog.c")) {
        report(check, 107, "mod_watchdog is not loaded", "load it: \"a2enmod watchdog\"");
    }
}

/* Read while httpd is still who started it: the children need not be able to. */
static void check_keyring(check_t *check)
{
    lims_config_t *config = lims_config_of(check->s);
    const char *problem = NULL;

    if (config->secret_key_file) {
        problem = lims_keyring_read(&config->keyring, config->secret_key_file, check->pool);
    }
    if (problem) {
        report(check, 114, apr_pstrcat(check->pool, "LimsSecretKeyFile: ", problem, NULL),
               "webhooks are signed with secrets that only these keys open");
    }
}

/* A lease that ends before the attempts under it would have them made twice. */
static void check_webhooks(check_t *check)
{
    const lims_webhook_config_t *webhooks = &lims_config_of(check->s)->webhooks;

    if (webhooks->lease < 2 * webhooks->timeout + 2000) {
        report(check, 115, "LimsWebhookLease is too short for LimsWebhookTimeout",
               "make it at least twice as long, and two seconds more");
    }
}

static void check_extraction(check_t *check)
{
    const char *remedy = NULL;
    const char *problem = lims_extraction_check(&remedy, lims_config_of(check->s), check->pool);

    if (problem) {
        report(check, 117, problem, remedy);
    }
}

static void check_routes(check_t *check, apr_pool_t *pool)
{
    lims_settings_t *settings = &lims_config_of(check->s)->settings;
    lims_router_t *router = NULL;
    const char *problems = lims_router_create(&router, lims_resources, pool);
    char *rest = problems ? apr_pstrdup(pool, problems) : NULL;

    for (char *line; rest && *rest;) {
        line = apr_strtok(rest, "\n", &rest);
        if (line) {
            report(check, 108, line, "this build of mod_lims is broken, install another");
        }
    }
    settings->router = router;
    settings->openapi = lims_openapi(&settings->openapi_length, lims_resources,
                                     lims_config_of(check->s)->base_path, LIMS_API_PREFIX, pool);
}

/* Most memory that the rate limit may take. */
#define RATES_MAX ((apr_int64_t)1 << 30)

static void check_rates(check_t *check)
{
    const lims_config_t *config = lims_config_of(check->s);

    apr_int64_t most =
        config->rate_limit > config->costly_limit ? config->rate_limit : config->costly_limit;

    if (config->rate_keys * (16 + 8 * most) > RATES_MAX) {
        report(check, 109, "LimsRateKeys x LimsRateLimit is more than the rate limit can hold",
               "keep LimsRateKeys x (16 + 8 x LimsRateLimit) below 1 GiB");
    }
}

int lims_check_config(apr_pool_t *pconf, apr_pool_t *plog, apr_pool_t *ptemp, server_rec *s)
{
    int problems = 0;

    (void)plog;
    (void)ptemp;
    for (server_rec *each = s; each; each = each->next) {
        lims_config_complete(lims_config_of(each), pconf);
    }
    for (server_rec *each = s; each; each = each->next) {
        check_t check = { .first = s, .s = each, .pool = pconf };
        if (!lims_config_of(each)->enable) {
            continue;
        }
        check_dbd(&check);
        check_driver(&check);
        check_tls(&check);
        check_watchdog(&check);
        check_rates(&check);
        check_keyring(&check);
        check_webhooks(&check);
        check_extraction(&check);
        check_routes(&check, pconf);
        problems += check.problems;
    }
    return problems ? HTTP_INTERNAL_SERVER_ERROR : OK;
}

/* --- What the database tells ---------------------------------------------- */

/* NULL, or why the service can't work on the database that answers. */
static const char *check_schema(server_rec *s, apr_pool_t *pool)
{
    lims_connection_t *connection = NULL;
    const lims_error_t *error =
        lims_connection_open(&connection, lims_config_conninfo(s, NULL, pool), pool);

    if (error) {
        ap_log_error(APLOG_MARK, APLOG_WARNING, 0, s,
                     "LIMS0110: the schema could not be checked at start; each child checks it "
                     "when it connects: %s",
                     error->cause);
        return NULL;
    }
    lims_connection_limit(connection, lims_config_of(s)->database_timeout * 1000);
    error = lims_connection_ready(connection, pool);
    return error ? error->cause : NULL;
}

static int prepare(server_rec *s, apr_pool_t *pconf, apr_pool_t *ptemp, bool starting)
{
    lims_config_t *config = lims_config_of(s);
    apr_status_t rv = lims_limit_create(config, s);
    bool shared = config->rate_memcached && strcasecmp(config->rate_memcached, "none") != 0;
    const char *misfit;

    if (rv == APR_SUCCESS && shared) {
        rv = lims_store_create(&config->store, config->rate_memcached, config->rate_timeout * 1000,
                               s, pconf);
    }
    if (rv != APR_SUCCESS) {
        ap_log_error(APLOG_MARK, APLOG_EMERG, rv, s,
                     "LIMS0111: no shared memory for the rate limit; lower LimsRateKeys");
        return HTTP_INTERNAL_SERVER_ERROR;
    }
    rv = lims_figures_create(config, s);
    if (rv != APR_SUCCESS) {
        ap_log_error(APLOG_MARK, APLOG_EMERG, rv, s,
                     "LIMS0381: no shared memory for what the database says of itself");
        return HTTP_INTERNAL_SERVER_ERROR;
    }
    rv = lims_line_create(config, s);
    if (rv != APR_SUCCESS) {
        ap_log_error(APLOG_MARK, APLOG_EMERG, rv, s,
                     "LIMS0118: no shared memory for the line of instrument files");
        return HTTP_INTERNAL_SERVER_ERROR;
    }
    misfit = check_schema(s, ptemp);
    if (!misfit) {
        return OK;
    }
    ap_log_error(APLOG_MARK, starting ? APLOG_EMERG : APLOG_CRIT, 0, s, "LIMS0112: %s", misfit);
    return starting ? HTTP_INTERNAL_SERVER_ERROR : OK;
}

int lims_post_config(apr_pool_t *pconf, apr_pool_t *plog, apr_pool_t *ptemp, server_rec *s)
{
    static const char key[] = "mod_lims_started";
    bool starting = ap_retained_data_get(key) == NULL;
    apr_status_t rv;

    (void)plog;
    if (ap_state_query(AP_SQ_MAIN_STATE) == AP_SQ_MS_CREATE_PRE_CONFIG) {
        return OK;
    }
    lims_algorithms_list();
    rv = lims_metrics_create(s);
    if (rv != APR_SUCCESS) {
        ap_log_error(APLOG_MARK, APLOG_EMERG, rv, s, "LIMS0113: no shared memory for counters");
        return HTTP_INTERNAL_SERVER_ERROR;
    }
    rv = lims_webhooks_prepare(s, pconf);
    if (rv != APR_SUCCESS) {
        ap_log_error(APLOG_MARK, APLOG_EMERG, rv, s,
                     "LIMS0116: webhooks can't be sent: no lock file in DefaultRuntimeDir, or "
                     "libcurl does not work");
        return HTTP_INTERNAL_SERVER_ERROR;
    }
    for (server_rec *each = s; each; each = each->next) {
        if (lims_config_of(each)->enable == 1) {
            int status = prepare(each, pconf, ptemp, starting);
            if (status != OK) {
                return status;
            }
        }
    }
    rv = lims_watchdog_create(pconf, s);
    if (rv != APR_SUCCESS) {
        ap_log_error(APLOG_MARK, APLOG_EMERG, rv, s, "LIMS0093: the jobs have no clock");
        return HTTP_INTERNAL_SERVER_ERROR;
    }
    if (starting) {
        ap_retained_data_create(key, 1);
    }
    return OK;
}
