/* SPDX-License-Identifier: Apache-2.0 */
/*
 * configtest.c - checks of the configuration, at `apachectl configtest` and at every
 * start. Every problem is reported, with its host and its remedy. Checks of the
 * database are in start.c.
 */
#include <apr_dbd.h>
#include <apr_strings.h>
#include <http_core.h>
#include <string.h>

#include "database/database.h"
#include "documents/document_key.h"
#include "kernel/error.h"
#include "openapi/openapi.h"
#include "kernel/route.h"
#include "kernel/seal.h"
#include "server/foreign_directives.h"
#include "server/extraction.h"
#include "server/server.h"

APLOG_USE_MODULE(lims);

/* --- Checks of one host ----------------------------------------------------- */

typedef struct {
    server_rec *first; /* of all servers */
    server_rec *s;     /* the one checked */
    apr_pool_t *pool;
    int problems;
} check_t;

static void report(check_t *check, int number, const char *problem, const char *remedy)
{
    check->problems++;
    ap_log_error(APLOG_MARK, APLOG_EMERG, 0, check->s, "LIMS%04d: %s; %s (host %s)", number,
                 problem, remedy, lims_config_host(check->s, check->pool));
}

static void check_dbd(check_t *check)
{
    const char *driver = lims_foreign_directive(check->s, LIMS_FOREIGN_DRIVER);
    const char *params = lims_foreign_directive(check->s, LIMS_FOREIGN_PARAMS);
    const char *misspelt = params ? lims_connection_string_problem(params, check->pool) : NULL;

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
    } else if (misspelt) {
        report(check, 360, apr_pstrcat(check->pool, "DBDParams: ", misspelt, NULL),
               "correct the connection string");
    } else if (!lims_connection_string_has(params, "connect_timeout")) {
        ap_log_error(APLOG_MARK, APLOG_WARNING, 0, check->s,
                     "LIMS0130: DBDParams has no connect_timeout, so that a database host that "
                     "does not answer holds requests for minutes; add connect_timeout=2 (host %s)",
                     lims_config_host(check->s, check->pool));
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

static bool has_tls(const server_rec *s)
{
    const char *engine = lims_foreign_directive(s, LIMS_FOREIGN_ENGINE);

    return lims_config_of(s)->enable == 1 && engine && strcasecmp(engine, "off") != 0;
}

static bool is_among(const apr_array_header_t *names, const char *name)
{
    for (int i = 0; names && i < names->nelts; i++) {
        const char *each = APR_ARRAY_IDX(names, i, const char *);
        if (each && ap_strcasecmp_match(name, each) == 0) {
            return true;
        }
    }
    return false;
}

static bool has_name(const server_rec *s, const char *name)
{
    return strcasecmp(s->server_hostname, name) == 0 || is_among(s->names, name) ||
           is_among(s->wild_names, name);
}

/* Whether the service of a host can be reached over TLS, perhaps through another host
 * of the same name and database. A host without TLS is a mistake otherwise; beside one
 * with TLS it answers tls_required, for clients that use http:// by mistake. The main
 * server passes its settings on to virtual hosts. */
static bool is_reached_by_tls(const server_rec *s, const server_rec *first)
{
    for (const server_rec *each = first; each; each = each->next) {
        if (has_tls(each) && (each == s || !s->is_virtual || has_name(each, s->server_hostname)) &&
            strcmp(lims_config_database(each), lims_config_database(s)) == 0) {
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
    } else if (!is_reached_by_tls(check->s, check->first)) {
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

/* Reads the key file with the rights of the user who starts httpd: the children need
 * not be able to read it. */
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

/* Checks that a lease outlasts its attempts, which would otherwise be made twice. */
static void check_webhooks(check_t *check)
{
    const lims_webhook_config_t *webhooks = &lims_config_of(check->s)->webhooks;

    if (webhooks->lease < 2 * webhooks->timeout + 2000) {
        report(check, 115, "LimsWebhookLease is too short for LimsWebhookTimeout",
               "make it at least twice as long, and two seconds more");
    }
}

/* Reads the key that signs documents. One whose certificate has ended still signs, and those
 * who verify it are told. */
static void check_document_key(check_t *check)
{
    lims_config_t *config = lims_config_of(check->s);
    const char *problem = NULL;

    if (config->document_key) {
        problem = lims_document_key_read(&config->printer.key, config->document_key,
                                         config->document_passphrase_file, check->pool);
    } else if (config->document_passphrase_file) {
        problem = "LimsDocumentPassphraseFile is set, and LimsDocumentKey is not";
    }
    if (problem) {
        report(check, 145, apr_pstrcat(check->pool, "LimsDocumentKey: ", problem, NULL),
               "give a PKCS#12 or PEM file with the key and its certificate, which only root may "
               "read, or leave both directives out: documents are not signed then");
    } else if (config->printer.key && config->printer.key->days_left < 0) {
        ap_log_error(APLOG_MARK, APLOG_WARNING, 0, check->s,
                     "LIMS0146: the certificate of LimsDocumentKey %s has ended; renew it",
                     config->document_key);
    }
}

static void check_printer(check_t *check)
{
    const char *program = lims_config_of(check->s)->printer_program;
    const char *problem = program ? lims_printer_problem(program, check->pool) : NULL;

    if (problem) {
        report(check, 139, apr_pstrcat(check->pool, "LimsPrinter: ", problem, NULL),
               "give the path of lims-print, or leave the directive out: there are no PDFs then");
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

/* Builds router and OpenAPI document of a surface. Returns what is wrong with the tables, a
 * problem on each line; NULL: nothing. */
static const char *make_surface(lims_settings_t *settings, lims_surface_e surface,
                                const lims_config_t *config, apr_pool_t *pool)
{
    lims_router_t *router = NULL;
    const char *problems = lims_router_create(&router, lims_resources, surface, pool);
    const char *prefix =
        surface == LIMS_SURFACE_API ? LIMS_API_PREFIX : LIMS_APPLICATION_PREFIX;

    settings->surface = surface;
    settings->router = router;
    if (!problems) {
        settings->openapi = lims_openapi(&settings->openapi_length, lims_resources, surface,
                                         config->base_path, prefix, pool);
    }
    return problems;
}

static void check_routes(check_t *check, apr_pool_t *pool)
{
    lims_config_t *config = lims_config_of(check->s);
    const char *problems = make_surface(&config->settings, LIMS_SURFACE_API, config, pool);
    char *rest;

    if (!problems && config->application == 1) {
        problems = make_surface(&config->people, LIMS_SURFACE_APPLICATION, config, pool);
    }
    rest = problems ? apr_pstrdup(pool, problems) : NULL;
    for (char *line; rest && *rest;) {
        line = apr_strtok(rest, "\n", &rest);
        if (line) {
            report(check, 108, line, "this build of mod_lims is broken, install another");
        }
    }
}

/* Returns the origin of the host's pages (RFC 6454): by ServerName, never by the Host that
 * a client sends. Without a port there, the one that the host listens on, or behind a proxy
 * that of https. */
static const char *origin_of(const server_rec *s, bool proxy, apr_pool_t *pool)
{
    apr_port_t port = s->port ? s->port : s->addrs && !proxy ? s->addrs->host_port : 443;

    return port == 443 || port == 0
               ? apr_psprintf(pool, "https://%s", s->server_hostname)
               : apr_psprintf(pool, "https://%s:%u", s->server_hostname, port);
}

static void check_provider(check_t *check, const char *provider, const char *directive)
{
    if (provider && !lims_provider_exists(provider)) {
        report(check, 134,
               apr_psprintf(check->pool, "%s names no authentication provider: %s", directive,
                            provider),
               "load its module, such as \"a2enmod authnz_ldap\", or correct the name");
    }
}

/* Checks how people sign in, and sign. */
static void check_sign_in(check_t *check)
{
    const lims_config_t *config = lims_config_of(check->s);
    bool by_httpd = config->sign_in != LIMS_SIGN_IN_BUILTIN;

    if (by_httpd && ((!config->sign_in_types && !config->sign_in_provider) ||
                     !config->sign_in_organizations)) {
        report(check, 133, "people sign in by httpd, and it is not said how and of which "
               "organizations",
               "set LimsSignInOrganizations, and LimsSignInTypes or LimsSignInProvider; or "
               "\"LimsSignIn builtin\"");
    }
    if (!by_httpd && (config->sign_in_provider || config->signature_provider)) {
        report(check, 136, "providers of httpd are named, and people sign in by passwords kept "
               "here",
               "set \"LimsSignIn httpd\" or \"LimsSignIn both\"");
    }
    check_provider(check, config->sign_in_provider, "LimsSignInProvider");
    check_provider(check, config->signature_provider, "LimsSignatureProvider");
    if (config->signature_provider &&
        lims_provider_caches(check->s, config->signature_provider, check->pool)) {
        report(check, 135,
               apr_psprintf(check->pool, "LimsSignatureProvider %s may answer from a cache",
                            config->signature_provider),
               "a signature asks anew: name the provider behind socache, and for ldap set "
               "\"LDAPCacheEntries 0\"");
    }
}

/* Checks what the application needs besides: without its header fields a page of it could
 * be framed, and run scripts of others. */
static void check_application(check_t *check)
{
    lims_config_t *config = lims_config_of(check->s);

    if (config->application != 1) {
        return;
    }
    config->people.origin =
        origin_of(check->s, config->tls == LIMS_TLS_PROXY, check->pool);
    config->verification = apr_pstrcat(check->pool, config->people.origin, config->base_path,
                                       "/app/verification/", NULL);
    if (!ap_find_linked_module("mod_headers.c")) {
        report(check, 131, "mod_headers is not loaded, and the application is on",
               "load it: \"a2enmod headers\", or set \"LimsApplication off\"");
    }
    check_sign_in(check);
    if (config->tls == LIMS_TLS_PROXY && !ap_find_linked_module("mod_remoteip.c")) {
        report(check, 132,
               "mod_remoteip is not loaded, so that all people seem to come from the proxy",
               "load it: \"a2enmod remoteip\", or set \"LimsApplication off\"");
    }
}

/* Bound on the memory of the rate limit, bytes. */
#define RATES_MAX ((apr_int64_t)1 << 30)

static void check_rates(check_t *check)
{
    const lims_config_t *config = lims_config_of(check->s);

    apr_int64_t most =
        config->rate_limit > config->costly_limit ? config->rate_limit : config->costly_limit;

    if (config->application == 1 && config->session_limit > most) {
        most = config->session_limit;
    }
    if (config->rate_keys * (16 + 8 * most) > RATES_MAX) {
        report(check, 109, "LimsRateKeys x LimsRateLimit is more than the rate limit can hold",
               "keep LimsRateKeys x (16 + 8 x LimsRateLimit) below 1 GiB, and likewise for "
               "LimsRateLimitSessions");
    }
}

static bool is_at_same_address(const server_rec *s, const server_rec *other)
{
    for (const server_addr_rec *mine = s->addrs; mine; mine = mine->next) {
        for (const server_addr_rec *its = other->addrs; its; its = its->next) {
            if (mine->host_port == its->host_port && strcmp(mine->virthost, its->virthost) == 0) {
                return true;
            }
        }
    }
    return false;
}

/* Warns of two hosts with one name: httpd silently uses the first. */
static void check_name(check_t *check, const server_rec *other)
{
    const server_rec *s = check->s;

    if (s->is_virtual && other->is_virtual && is_at_same_address(s, other) &&
        strcasecmp(s->server_hostname, other->server_hostname) == 0) {
        report(check, 361, "two virtual hosts have this name and port, so that one is never asked",
               "give each its own ServerName; a Define that is set already is not set again by "
               "<IfDefine !...>");
    }
}

/* Warns if hosts of one database give its shared limits different sizes. */
static void check_shares(check_t *check, const server_rec *other)
{
    const lims_config_t *one = lims_config_of(check->s), *two = lims_config_of(other);

    if (strcmp(one->settings.database, two->settings.database) == 0 &&
        (one->rate_limit != two->rate_limit || one->costly_limit != two->costly_limit ||
         one->rate_window != two->rate_window || one->rate_keys != two->rate_keys)) {
        ap_log_error(APLOG_MARK, APLOG_WARNING, 0, check->s,
                     "LIMS0362: the hosts %s and %s serve the database %s with different rate "
                     "limits, and each counts for itself; give both the same LimsRate... settings",
                     lims_config_host(other, check->pool), lims_config_host(check->s, check->pool),
                     one->settings.database);
    }
}

/* Compares a host with those before it. */
static void check_others(check_t *check)
{
    for (const server_rec *other = check->first; other != check->s; other = other->next) {
        if (lims_config_of(other)->enable == 1) {
            check_name(check, other);
            check_shares(check, other);
        }
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
        check_printer(&check);
        check_document_key(&check);
        check_routes(&check, pconf);
        check_application(&check);
        check_others(&check);
        problems += check.problems;
    }
    return problems ? HTTP_INTERNAL_SERVER_ERROR : OK;
}
