/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config.c - the directives.
 *
 * A directive that takes a number is one row of numbers[]: where it is kept,
 * its bounds and its default. conf/reference.conf explains each; a test
 * compares the two.
 */
#include <apr_lib.h>
#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

#include "database/database.h"
#include "kernel/address.h"
#include "server/borrowed.h"
#include "server/bounds.h"
#include "server/extraction.h"
#include "server/number.h"

#define UNSET LIMS_NUMBER_UNSET

/* What the contract says: about a minute, then twice as long each time. */
#define SCHEDULE "{60 s,120 s,240 s,480 s,960 s}"

enum {
    BODY_MAX,
    FILE_BODY_MAX,
    FILE_MAX,
    RATE_LIMIT,
    COSTLY_LIMIT,
    RATE_WINDOW,
    RATE_KEYS,
    RATE_TIMEOUT,
    DATABASE_WAIT,
    DATABASE_READS,
    DATABASE_TIMEOUT,
    IDEMPOTENCY_LIFETIME,
    KEY_TOUCH_INTERVAL,
    WEBHOOK_DISPATCHERS,
    WEBHOOK_IN_FLIGHT,
    WEBHOOK_IN_FLIGHT_ENDPOINT,
    WEBHOOK_POLL,
    WEBHOOK_TIMEOUT,
    WEBHOOK_LEASE,
    WEBHOOK_LONGEST_WAIT,
    WEBHOOK_JITTER,
    WEBHOOK_DISABLE_AFTER,
    WEBHOOK_ANSWER,
    WEBHOOK_EXCERPT,
    SCAN_INTERVAL,
    RETENTION_INTERVAL,
    RECOVERY_INTERVAL,
    EVENT_RETENTION,
    INGEST_CONCURRENCY,
    INGEST_WAIT,
    INGEST_RESUME,
    NUMBERS
};

static const lims_directive_number_t numbers[] = {
    [BODY_MAX] = { .name = "LimsMaxBody",
                   .offset = APR_OFFSETOF(lims_config_t, body_max),
                   .min = 1024,
                   .max = 64 * 1024 * 1024,
                   .fallback = 1024 * 1024,
                   .unit = "bytes" },
    [FILE_BODY_MAX] = { .name = "LimsMaxIngestBody",
                        .offset = APR_OFFSETOF(lims_config_t, file_body_max),
                        .min = 1024,
                        .max = 96 * 1024 * 1024,
                        .fallback = 14 * 1024 * 1024,
                        .unit = "bytes" },
    [FILE_MAX] = { .name = "LimsMaxUpload",
                   .offset = APR_OFFSETOF(lims_config_t, file_max),
                   .min = 1024,
                   .max = 64 * 1024 * 1024,
                   .fallback = 10 * 1024 * 1024,
                   .unit = "bytes" },
    [RATE_LIMIT] = { .name = "LimsRateLimit",
                     .offset = APR_OFFSETOF(lims_config_t, rate_limit),
                     .min = 1,
                     .max = 100000,
                     .fallback = 120,
                     .unit = "requests" },
    [COSTLY_LIMIT] = { .name = "LimsRateLimitUploads",
                       .offset = APR_OFFSETOF(lims_config_t, costly_limit),
                       .min = 1,
                       .max = 100000,
                       .fallback = 20,
                       .unit = "requests" },
    [RATE_WINDOW] = { .name = "LimsRateWindow",
                      .offset = APR_OFFSETOF(lims_config_t, rate_window),
                      .min = 1,
                      .max = 3600,
                      .fallback = 60,
                      .unit = "seconds" },
    [RATE_KEYS] = { .name = "LimsRateKeys",
                    .offset = APR_OFFSETOF(lims_config_t, rate_keys),
                    .min = 16,
                    .max = 1000000,
                    .fallback = 10000,
                    .unit = "keys" },
    [RATE_TIMEOUT] = { .name = "LimsRateLimitTimeout",
                       .offset = APR_OFFSETOF(lims_config_t, rate_timeout),
                       .min = 1,
                       .max = 1000,
                       .fallback = 100,
                       .unit = "milliseconds" },
    [DATABASE_WAIT] = { .name = "LimsDatabaseWait",
                        .offset = APR_OFFSETOF(lims_config_t, database_wait),
                        .min = 1,
                        .max = 60000,
                        .fallback = 2000,
                        .unit = "milliseconds" },
    [DATABASE_READS] = { .name = "LimsDatabaseReads",
                         .offset = APR_OFFSETOF(lims_config_t, database_reads),
                         .min = 0,
                         .max = 10000,
                         .fallback = 0,
                         .unit = "reads" },
    [DATABASE_TIMEOUT] = { .name = "LimsDatabaseTimeout",
                           .offset = APR_OFFSETOF(lims_config_t, database_timeout),
                           .min = 100,
                           .max = 600000,
                           .fallback = 7000,
                           .unit = "milliseconds" },
    [IDEMPOTENCY_LIFETIME] = { .name = "LimsIdempotencyLifetime",
                               .offset = APR_OFFSETOF(lims_config_t, idempotency_lifetime),
                               .min = 1,
                               .max = 30 * 86400,
                               .fallback = 86400,
                               .unit = "seconds" },
    [KEY_TOUCH_INTERVAL] = { .name = "LimsKeyTouchInterval",
                             .offset = APR_OFFSETOF(lims_config_t, key_touch_interval),
                             .min = 1,
                             .max = 86400,
                             .fallback = 300,
                             .unit = "seconds" },
    [WEBHOOK_DISPATCHERS] = { .name = "LimsWebhookDispatchers",
                              .offset = APR_OFFSETOF(lims_config_t, webhooks.dispatchers),
                              .min = 0,
                              .max = 16,
                              .fallback = 1,
                              .unit = "dispatchers" },
    [WEBHOOK_IN_FLIGHT] = { .name = "LimsWebhookInFlight",
                            .offset = APR_OFFSETOF(lims_config_t, webhooks.in_flight),
                            .min = 2,
                            .max = 4096,
                            .fallback = 256,
                            .unit = "deliveries" },
    [WEBHOOK_IN_FLIGHT_ENDPOINT] = { .name = "LimsWebhookInFlightPerEndpoint",
                                     .offset =
                                         APR_OFFSETOF(lims_config_t, webhooks.in_flight_endpoint),
                                     .min = 1,
                                     .max = 256,
                                     .fallback = 8,
                                     .unit = "deliveries" },
    [WEBHOOK_POLL] = { .name = "LimsWebhookPoll",
                       .offset = APR_OFFSETOF(lims_config_t, webhooks.poll),
                       .min = 10,
                       .max = 60000,
                       .fallback = 1000,
                       .unit = "milliseconds" },
    [WEBHOOK_TIMEOUT] = { .name = "LimsWebhookTimeout",
                          .offset = APR_OFFSETOF(lims_config_t, webhooks.timeout),
                          .min = 100,
                          .max = 60000,
                          .fallback = 10000,
                          .unit = "milliseconds" },
    [WEBHOOK_LEASE] = { .name = "LimsWebhookLease",
                        .offset = APR_OFFSETOF(lims_config_t, webhooks.lease),
                        .min = 1000,
                        .max = 3600000,
                        .fallback = 30000,
                        .unit = "milliseconds" },
    [WEBHOOK_LONGEST_WAIT] = { .name = "LimsWebhookLongestWait",
                               .offset = APR_OFFSETOF(lims_config_t, webhooks.longest_wait),
                               .min = 1,
                               .max = 7 * 86400,
                               .fallback = 6 * 3600,
                               .unit = "seconds" },
    [WEBHOOK_JITTER] = { .name = "LimsWebhookJitter",
                         .offset = APR_OFFSETOF(lims_config_t, webhooks.jitter),
                         .min = 0,
                         .max = 100,
                         .fallback = 10,
                         .unit = "percent" },
    [WEBHOOK_DISABLE_AFTER] = { .name = "LimsWebhookDisableAfter",
                                .offset = APR_OFFSETOF(lims_config_t, webhooks.disable_after),
                                .min = 1,
                                .max = 1000,
                                .fallback = 15,
                                .unit = "deliveries" },
    [WEBHOOK_ANSWER] = { .name = "LimsWebhookMaxAnswer",
                         .offset = APR_OFFSETOF(lims_config_t, webhooks.answer_max),
                         .min = 0,
                         .max = 16 * 1024 * 1024,
                         .fallback = 64 * 1024,
                         .unit = "bytes" },
    [WEBHOOK_EXCERPT] = { .name = "LimsWebhookExcerpt",
                          .offset = APR_OFFSETOF(lims_config_t, webhooks.excerpt_max),
                          .min = 0,
                          .max = 1000,
                          .fallback = 1000,
                          .unit = "bytes" },
    [SCAN_INTERVAL] = { .name = "LimsScanInterval",
                        .offset = APR_OFFSETOF(lims_config_t, scan_interval),
                        .min = 1,
                        .max = 86400,
                        .fallback = 60,
                        .unit = "seconds" },
    [RETENTION_INTERVAL] = { .name = "LimsRetentionInterval",
                             .offset = APR_OFFSETOF(lims_config_t, retention_interval),
                             .min = 1,
                             .max = 86400,
                             .fallback = 600,
                             .unit = "seconds" },
    [RECOVERY_INTERVAL] = { .name = "LimsRecoveryInterval",
                            .offset = APR_OFFSETOF(lims_config_t, recovery_interval),
                            .min = 1,
                            .max = 86400,
                            .fallback = 10,
                            .unit = "seconds" },
    [EVENT_RETENTION] = { .name = "LimsEventRetention",
                          .offset = APR_OFFSETOF(lims_config_t, event_retention),
                          .min = 1,
                          .max = 3650,
                          .fallback = 30,
                          .unit = "days" },
    [INGEST_CONCURRENCY] = { .name = "LimsIngestConcurrency",
                             .offset = APR_OFFSETOF(lims_config_t, ingest_concurrency),
                             .min = 0,
                             .max = 1000,
                             .fallback = 0,
                             .unit = "files" },
    [INGEST_WAIT] = { .name = "LimsIngestWait",
                      .offset = APR_OFFSETOF(lims_config_t, ingest_wait),
                      .min = 1,
                      .max = 600000,
                      .fallback = 30000,
                      .unit = "milliseconds" },
    [INGEST_RESUME] = { .name = "LimsIngestResume",
                        .offset = APR_OFFSETOF(lims_config_t, ingest_resume),
                        .min = 1,
                        .max = 86400,
                        .fallback = 60,
                        .unit = "seconds" },
};

_Static_assert(LIMS_LENGTH(numbers) == NUMBERS, "a row for each number");

static const char *const tls_names[] = {
    [LIMS_TLS_REQUIRED] = "required",
    [LIMS_TLS_PROXY] = "proxy",
};

_Static_assert(LIMS_LENGTH(tls_names) == LIMS_TLS_COUNT, "a name for each value");

lims_config_t *lims_config_of(const server_rec *s)
{
    return ap_get_module_config(s->module_config, &lims_module);
}

void *lims_config_create(apr_pool_t *pool, server_rec *s)
{
    lims_config_t *config = apr_pcalloc(pool, sizeof(*config));

    (void)s;
    config->enable = UNSET;
    config->tls = UNSET;
    lims_numbers_unset(config, numbers, NUMBERS);
    lims_extraction_create(config);
    lims_numbers_unset(config, lims_bounds, LIMS_BOUNDS);
    return config;
}

static void merge_webhooks(lims_webhook_config_t *inner, const lims_webhook_config_t *outer)
{
    if (!inner->schedule) {
        inner->schedule = outer->schedule;
    }
    if (!inner->allowed) {
        inner->allowed = outer->allowed;
    }
    if (!inner->ca_file) {
        inner->ca_file = outer->ca_file;
    }
    if (!inner->proxy) {
        inner->proxy = outer->proxy;
    }
}

void *lims_config_merge(apr_pool_t *pool, void *base, void *add)
{
    lims_config_t *outer = base, *inner = add;
    lims_config_t *config = apr_pmemdup(pool, inner, sizeof(*inner));

    if (config->enable == UNSET) {
        config->enable = outer->enable;
    }
    if (config->tls == UNSET) {
        config->tls = outer->tls;
    }
    if (!config->base_path) {
        config->base_path = outer->base_path;
    }
    if (!config->documentation) {
        config->documentation = outer->documentation;
    }
    if (!config->rate_memcached) {
        config->rate_memcached = outer->rate_memcached;
    }
    if (!config->secret_key_file) {
        config->secret_key_file = outer->secret_key_file;
    }
    merge_webhooks(&config->webhooks, &outer->webhooks);
    lims_borrowed_merge(config, outer);
    lims_extraction_merge(config, outer);
    lims_numbers_merge(config, outer, lims_bounds, LIMS_BOUNDS);
    lims_numbers_merge(config, outer, numbers, NUMBERS);
    return config;
}

/* How long a request may be between its two transactions, seconds: its work (in
 * milliseconds), and what the database may keep it waiting around that. */
static const char *lease_of(const lims_config_t *config, apr_int64_t work, apr_pool_t *pool)
{
    apr_int64_t around = 2 * (config->database_wait + config->database_timeout) + 10000;

    return apr_psprintf(pool, "%" APR_INT64_T_FMT, (work + around) / 1000);
}

/* Fills what was left unset and derives the service's settings. */
void lims_config_complete(lims_config_t *config, apr_pool_t *pool)
{
    if (config->enable == UNSET) {
        config->enable = 0;
    }
    if (config->tls == UNSET) {
        config->tls = LIMS_TLS_REQUIRED;
    }
    if (!config->base_path) {
        config->base_path = "";
    }
    lims_numbers_complete(config, numbers, NUMBERS);
    lims_extraction_complete(config);
    lims_numbers_complete(config, lims_bounds, LIMS_BOUNDS);
    if (!config->webhooks.schedule) {
        config->webhooks.schedule = SCHEDULE;
    }
    config->settings.database =
        config->borrowed[LIMS_BORROWED_PARAMS]
            ? lims_connection_name(config->borrowed[LIMS_BORROWED_PARAMS], pool)
            : "";
    config->settings.base = apr_pstrcat(pool, config->base_path, LIMS_API_PREFIX, NULL);
    config->settings.documentation =
        config->documentation ? config->documentation
                              : apr_pstrcat(pool, config->settings.base, "/openapi.json", NULL);
    config->settings.body_max = (apr_size_t)config->body_max;
    config->settings.file_body_max = (apr_size_t)config->file_body_max;
    config->settings.file_max = (apr_size_t)config->file_max;
    config->settings.file_storage =
        apr_psprintf(pool, "%" APR_INT64_T_FMT, config->file_storage * 1024 * 1024);
    config->settings.idempotency_lifetime =
        apr_psprintf(pool, "%" APR_INT64_T_FMT, config->idempotency_lifetime);
    config->settings.turn_lease = lease_of(config, config->ingest_wait, pool);
    config->settings.model_lease = lease_of(config, 2 * config->extraction.timeout, pool);
    config->settings.key_touch_interval =
        apr_psprintf(pool, "%" APR_INT64_T_FMT, config->key_touch_interval);
}

/* --- Setters -------------------------------------------------------------- */

static const char *set_enable(cmd_parms *cmd, void *unused, int on)
{
    (void)unused;
    lims_config_of(cmd->server)->enable = on;
    return NULL;
}

static const char *set_base_path(cmd_parms *cmd, void *unused, const char *path)
{
    apr_size_t length = strlen(path);

    (void)unused;
    if (path[0] != '/' || strstr(path, "//") || strchr(path, '%')) {
        return "LimsBasePath: a plain path that begins with a slash";
    }
    while (length && path[length - 1] == '/') {
        length--;
    }
    lims_config_of(cmd->server)->base_path = apr_pstrndup(cmd->pool, path, length);
    return NULL;
}

static const char *set_tls(cmd_parms *cmd, void *unused, const char *name)
{
    (void)unused;
    for (int i = 0; i < LIMS_TLS_COUNT; i++) {
        if (strcasecmp(name, tls_names[i]) == 0) {
            lims_config_of(cmd->server)->tls = i;
            return NULL;
        }
    }
    return "LimsTLS: required (TLS ends here) or proxy (a proxy in front ends it)";
}

static const char *set_documentation(cmd_parms *cmd, void *unused, const char *url)
{
    (void)unused;
    lims_config_of(cmd->server)->documentation = url;
    return NULL;
}

static const char *set_secret_key_file(cmd_parms *cmd, void *unused, const char *file)
{
    (void)unused;
    lims_config_of(cmd->server)->secret_key_file = ap_server_root_relative(cmd->pool, file);
    return lims_config_of(cmd->server)->secret_key_file ? NULL : "LimsSecretKeyFile: no such path";
}

static const char *set_memcached(cmd_parms *cmd, void *unused, const char *servers)
{
    const char *problem = NULL;

    (void)unused;
    if (strcasecmp(servers, "none") != 0) {
        problem = lims_memcached_check(servers, cmd->temp_pool);
    }
    lims_config_of(cmd->server)->rate_memcached = servers;
    return problem ? apr_pstrcat(cmd->pool, "LimsRateLimitMemcached: ", problem, NULL) : NULL;
}

static const char *set_schedule(cmd_parms *cmd, void *unused, int argc, char *const argv[])
{
    apr_array_header_t *waits = apr_array_make(cmd->pool, argc, sizeof(const char *));

    (void)unused;
    for (int i = 0; i < argc; i++) {
        char *end = NULL;
        double seconds = strtod(argv[i], &end);
        if (end == argv[i] || *end || !(seconds >= 0.01 && seconds <= 7 * 86400)) {
            return "LimsWebhookSchedule: seconds, each from 0.01 to 604800";
        }
        APR_ARRAY_PUSH(waits, const char *) = apr_psprintf(cmd->pool, "%.3f s", seconds);
    }
    if (argc < 1 || argc > 20) {
        return "LimsWebhookSchedule: from 1 to 20 waits, in seconds";
    }
    lims_config_of(cmd->server)->webhooks.schedule =
        apr_pstrcat(cmd->pool, "{", apr_array_pstrcat(cmd->pool, waits, ','), "}", NULL);
    return NULL;
}

static const char *allow_range(cmd_parms *cmd, void *unused, const char *text)
{
    lims_webhook_config_t *webhooks = &lims_config_of(cmd->server)->webhooks;
    lims_range_t range;
    const char *problem = lims_range_parse(&range, text);

    (void)unused;
    if (problem) {
        return apr_psprintf(cmd->pool, "LimsWebhookAllow %s: %s", text, problem);
    }
    if (!webhooks->allowed) {
        webhooks->allowed = apr_array_make(cmd->pool, 4, sizeof(lims_range_t));
    }
    APR_ARRAY_PUSH(webhooks->allowed, lims_range_t) = range;
    return NULL;
}

static const char *set_ca_file(cmd_parms *cmd, void *unused, const char *file)
{
    (void)unused;
    lims_config_of(cmd->server)->webhooks.ca_file = ap_server_root_relative(cmd->pool, file);
    return lims_config_of(cmd->server)->webhooks.ca_file ? NULL : "LimsWebhookCAFile: no such path";
}

static const char *set_proxy(cmd_parms *cmd, void *unused, const char *url)
{
    (void)unused;
    lims_config_of(cmd->server)->webhooks.proxy = url;
    return NULL;
}

#define NUMBER(index) (void *)(apr_uintptr_t)&numbers[index]

const command_rec lims_config_directives[] = {
    AP_INIT_FLAG("LimsEnable", set_enable, NULL, RSRC_CONF,
                 "on: this server answers the laboratory's REST API"),
    AP_INIT_TAKE1("LimsBasePath", set_base_path, NULL, RSRC_CONF,
                  "path before /api/v1 in the service's URLs"),
    AP_INIT_TAKE1("LimsTLS", set_tls, NULL, RSRC_CONF,
                  "required, or proxy when a proxy in front ends TLS"),
    AP_INIT_TAKE1("LimsDocumentation", set_documentation, NULL, RSRC_CONF,
                  "URL of the documentation that discovery names"),
    AP_INIT_TAKE1("LimsSecretKeyFile", set_secret_key_file, NULL, RSRC_CONF,
                  "file of the keys under which webhook secrets are kept"),
    AP_INIT_TAKE1("LimsMaxBody", lims_number_set, NUMBER(BODY_MAX), RSRC_CONF,
                  "largest JSON body in bytes"),
    AP_INIT_TAKE1("LimsMaxUpload", lims_number_set, NUMBER(FILE_MAX), RSRC_CONF,
                  "largest instrument file in bytes"),
    AP_INIT_TAKE1("LimsRateLimitUploads", lims_number_set, NUMBER(COSTLY_LIMIT), RSRC_CONF,
                  "uploads of one key for extraction in any window"),
    AP_INIT_TAKE1("LimsMaxIngestBody", lims_number_set, NUMBER(FILE_BODY_MAX), RSRC_CONF,
                  "largest JSON body in bytes that brings an instrument file"),
    AP_INIT_TAKE1("LimsRateLimit", lims_number_set, NUMBER(RATE_LIMIT), RSRC_CONF,
                  "requests of one key in any window"),
    AP_INIT_TAKE1("LimsRateWindow", lims_number_set, NUMBER(RATE_WINDOW), RSRC_CONF,
                  "length of the rate limit's window in seconds"),
    AP_INIT_TAKE1("LimsRateKeys", lims_number_set, NUMBER(RATE_KEYS), RSRC_CONF,
                  "keys that can be active within one window"),
    AP_INIT_TAKE1("LimsRateLimitMemcached", set_memcached, NULL, RSRC_CONF,
                  "memcached servers by which machines share the rate limit, or none"),
    AP_INIT_TAKE1("LimsRateLimitTimeout", lims_number_set, NUMBER(RATE_TIMEOUT), RSRC_CONF,
                  "longest wait for memcached in milliseconds"),
    AP_INIT_TAKE1("LimsDatabaseWait", lims_number_set, NUMBER(DATABASE_WAIT), RSRC_CONF,
                  "longest wait for a database connection in milliseconds"),
    AP_INIT_TAKE1("LimsDatabaseReads", lims_number_set, NUMBER(DATABASE_READS), RSRC_CONF,
                  "reads of a child process at once; 0: as many as there are processors"),
    AP_INIT_TAKE1("LimsDatabaseTimeout", lims_number_set, NUMBER(DATABASE_TIMEOUT), RSRC_CONF,
                  "longest wait for an answer of the database in milliseconds"),
    AP_INIT_TAKE1("LimsIdempotencyLifetime", lims_number_set, NUMBER(IDEMPOTENCY_LIFETIME),
                  RSRC_CONF, "seconds for which an Idempotency-Key is remembered"),
    AP_INIT_TAKE1("LimsKeyTouchInterval", lims_number_set, NUMBER(KEY_TOUCH_INTERVAL), RSRC_CONF,
                  "seconds between two updates of a key's lastUsedAt"),
    AP_INIT_TAKE1("LimsWebhookDispatchers", lims_number_set, NUMBER(WEBHOOK_DISPATCHERS), RSRC_CONF,
                  "dispatchers at work at once on this machine"),
    AP_INIT_TAKE1("LimsWebhookInFlight", lims_number_set, NUMBER(WEBHOOK_IN_FLIGHT), RSRC_CONF,
                  "attempts under way at once"),
    AP_INIT_TAKE1("LimsWebhookInFlightPerEndpoint", lims_number_set,
                  NUMBER(WEBHOOK_IN_FLIGHT_ENDPOINT), RSRC_CONF,
                  "attempts under way at once to one endpoint"),
    AP_INIT_TAKE1("LimsWebhookPoll", lims_number_set, NUMBER(WEBHOOK_POLL), RSRC_CONF,
                  "milliseconds between two looks for due deliveries"),
    AP_INIT_TAKE1("LimsWebhookTimeout", lims_number_set, NUMBER(WEBHOOK_TIMEOUT), RSRC_CONF,
                  "milliseconds until an attempt has failed"),
    AP_INIT_TAKE1("LimsWebhookLease", lims_number_set, NUMBER(WEBHOOK_LEASE), RSRC_CONF,
                  "milliseconds for which a dispatcher holds an endpoint"),
    AP_INIT_TAKE1("LimsWebhookLongestWait", lims_number_set, NUMBER(WEBHOOK_LONGEST_WAIT),
                  RSRC_CONF, "longest wait between two attempts in seconds"),
    AP_INIT_TAKE1("LimsWebhookJitter", lims_number_set, NUMBER(WEBHOOK_JITTER), RSRC_CONF,
                  "share of a wait that may be added, in percent"),
    AP_INIT_TAKE1("LimsWebhookDisableAfter", lims_number_set, NUMBER(WEBHOOK_DISABLE_AFTER),
                  RSRC_CONF, "deliveries given up in a row that disable an endpoint"),
    AP_INIT_TAKE1("LimsWebhookMaxAnswer", lims_number_set, NUMBER(WEBHOOK_ANSWER), RSRC_CONF,
                  "bytes of an answer that are read"),
    AP_INIT_TAKE1("LimsWebhookExcerpt", lims_number_set, NUMBER(WEBHOOK_EXCERPT), RSRC_CONF,
                  "bytes of an answer that are kept"),
    AP_INIT_TAKE_ARGV("LimsWebhookSchedule", set_schedule, NULL, RSRC_CONF,
                      "seconds to wait after each failed attempt"),
    AP_INIT_ITERATE("LimsWebhookAllow", allow_range, NULL, RSRC_CONF,
                    "addresses that webhooks may go to although they are not public"),
    AP_INIT_TAKE1("LimsWebhookCAFile", set_ca_file, NULL, RSRC_CONF,
                  "file of the certificates that receivers are checked with"),
    AP_INIT_TAKE1("LimsWebhookProxy", set_proxy, NULL, RSRC_CONF,
                  "URL of the proxy that webhooks go through"),
    AP_INIT_TAKE1("LimsScanInterval", lims_number_set, NUMBER(SCAN_INTERVAL), RSRC_CONF,
                  "seconds between two lifecycle scans"),
    AP_INIT_TAKE1("LimsRetentionInterval", lims_number_set, NUMBER(RETENTION_INTERVAL), RSRC_CONF,
                  "seconds between two looks for what has had its time"),
    AP_INIT_TAKE1("LimsRecoveryInterval", lims_number_set, NUMBER(RECOVERY_INTERVAL), RSRC_CONF,
                  "seconds between two looks for webhook recoveries"),
    AP_INIT_TAKE1("LimsEventRetention", lims_number_set, NUMBER(EVENT_RETENTION), RSRC_CONF,
                  "days for which events and their deliveries are kept"),
    AP_INIT_TAKE1("LimsIngestConcurrency", lims_number_set, NUMBER(INGEST_CONCURRENCY), RSRC_CONF,
                  "instrument files that a machine imports at once"),
    AP_INIT_TAKE1("LimsIngestWait", lims_number_set, NUMBER(INGEST_WAIT), RSRC_CONF,
                  "longest wait of an instrument file for its turn in milliseconds"),
    AP_INIT_TAKE1("LimsIngestResume", lims_number_set, NUMBER(INGEST_RESUME), RSRC_CONF,
                  "seconds after which a file whose reading was cut short is read again"),
    LIMS_EXTRACTION_DIRECTIVES,
    LIMS_BOUND_DIRECTIVES,
    LIMS_BORROWED_DIRECTIVES,
    { .name = NULL },
};
