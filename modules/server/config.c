/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config.c - the directives, a row each, and the configuration that they make.
 *
 * A row says where the value goes, its bounds and its default. conf/reference.conf
 * explains each; t/guard/directives.t compares the two.
 */
#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

#include "database/database.h"
#include "extraction/client.h"
#include "kernel/address.h"
#include "server/foreign_directives.h"
#include "server/directive.h"

/* Default schedule of retries, from the contract: a minute, then doubled each time. */
#define SCHEDULE "{60 s,120 s,240 s,480 s,960 s}"

static const char *const tls_words[] = {
    [LIMS_TLS_REQUIRED] = "required",
    [LIMS_TLS_PROXY] = "proxy",
    [LIMS_TLS_COUNT] = NULL,
};

_Static_assert(LIMS_LENGTH(tls_words) == LIMS_TLS_COUNT + 1, "a word for each value");

static const char *const sign_in_words[] = {
    [LIMS_SIGN_IN_BUILTIN] = "builtin",
    [LIMS_SIGN_IN_HTTPD] = "httpd",
    [LIMS_SIGN_IN_BOTH] = "both",
    [LIMS_SIGN_IN_COUNT] = NULL,
};

_Static_assert(LIMS_LENGTH(sign_in_words) == LIMS_SIGN_IN_COUNT + 1, "a word for each value");

static const char *const match_words[] = {
    [LIMS_MATCH_IDENTITY] = "identity",
    [LIMS_MATCH_ADDRESS] = "address",
    [LIMS_MATCH_COUNT] = NULL,
};

_Static_assert(LIMS_LENGTH(match_words) == LIMS_MATCH_COUNT + 1, "a word for each value");

static const char *const style_words[] = {
    [LIMS_STYLE_OPENAI] = "openai",
    [LIMS_STYLE_AZURE] = "azure",
    [LIMS_STYLE_ANTHROPIC] = "anthropic",
    [LIMS_STYLE_COUNT] = NULL,
};

_Static_assert(LIMS_LENGTH(style_words) == LIMS_STYLE_COUNT + 1, "a word for each style");

static const char *const output_words[] = {
    [LIMS_OUTPUT_JSON_SCHEMA] = "json_schema",
    [LIMS_OUTPUT_TOOL] = "tool",
    [LIMS_OUTPUT_JSON_OBJECT] = "json_object",
    [LIMS_OUTPUT_NONE] = "none",
    [LIMS_OUTPUT_COUNT] = NULL,
};

_Static_assert(LIMS_LENGTH(output_words) == LIMS_OUTPUT_COUNT + 1, "a word for each form");

/* --- Setters of directives with a form of their own ----------------------------- */

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

static const char *set_cookie_suffix(cmd_parms *cmd, void *unused, const char *suffix)
{
    (void)unused;
    if (!*suffix || strlen(suffix) > 32 ||
        suffix[strspn(suffix, "abcdefghijklmnopqrstuvwxyz0123456789-")]) {
        return "LimsCookieSuffix: 1 to 32 of a-z, 0-9 and -";
    }
    lims_config_of(cmd->server)->cookie_suffix = suffix;
    return NULL;
}

static const char *set_tls(cmd_parms *cmd, void *unused, const char *word)
{
    return lims_directive_set_word(cmd, unused, word)
               ? "LimsTLS: required (TLS ends here) or proxy (a proxy in front ends it)"
               : NULL;
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

const command_rec lims_config_directives[] = {
    AP_INIT_FLAG("LimsEnable", lims_directive_set_flag, LIMS_WORD(enable, .fallback = 0), RSRC_CONF,
                 "on: this server answers the laboratory's REST API"),
    AP_INIT_TAKE1("LimsBasePath", set_base_path, LIMS_TEXT(base_path, .text = ""), RSRC_CONF,
                  "path before /api/v1 in the service's URLs"),
    AP_INIT_TAKE1("LimsTLS", set_tls,
                  LIMS_WORD(tls, .words = tls_words, .fallback = LIMS_TLS_REQUIRED), RSRC_CONF,
                  "required, or proxy when a proxy in front ends TLS"),
    AP_INIT_FLAG("LimsApplication", lims_directive_set_flag, LIMS_WORD(application, .fallback = 0),
                 RSRC_CONF, "on: people sign in to the application, below /app"),
    AP_INIT_TAKE1("LimsCookieSuffix", set_cookie_suffix, LIMS_TEXT(cookie_suffix, .text = ""),
                  RSRC_CONF, "suffix of the cookie's name, where a host has several services"),
    AP_INIT_TAKE1("LimsSignIn", lims_directive_set_word,
                  LIMS_WORD(sign_in, .words = sign_in_words, .fallback = LIMS_SIGN_IN_BUILTIN),
                  RSRC_CONF, "builtin, httpd (a module in front of /app/sign-on) or both"),
    AP_INIT_TAKE1("LimsSignInProvider", lims_directive_set_text,
                  LIMS_TEXT(sign_in_provider, .text = NULL), RSRC_CONF,
                  "authentication provider of httpd that our own form asks: ldap, file, ..."),
    AP_INIT_TAKE1("LimsSignatureProvider", lims_directive_set_text,
                  LIMS_TEXT(signature_provider, .text = NULL), RSRC_CONF,
                  "authentication provider of httpd that is asked when people sign"),
    AP_INIT_ITERATE("LimsSignInTypes", lims_directive_add_text, LIMS_LIST(sign_in_types),
                    RSRC_CONF, "types of authentication that may sign people in"),
    AP_INIT_TAKE1("LimsSignInMatch", lims_directive_set_word,
                  LIMS_WORD(sign_in_match, .words = match_words,
                            .fallback = LIMS_MATCH_IDENTITY),
                  RSRC_CONF,
                  "identity, or address where the name found is an e-mail address"),
    AP_INIT_ITERATE("LimsSignInOrganizations", lims_directive_add_text,
                    LIMS_LIST(sign_in_organizations), RSRC_CONF,
                    "codes of the organizations whose people sign in by httpd"),
    AP_INIT_TAKE1("LimsSignOutURL", lims_directive_set_text, LIMS_TEXT(sign_out_url, .text = NULL),
                  RSRC_CONF, "URL to which signing out leads"),
    AP_INIT_TAKE1(
        "LimsRateLimitSessions", lims_directive_set_number,
        LIMS_NUMBER(session_limit, .min = 1, .max = 100000, .fallback = 1200, .unit = "requests"),
        RSRC_CONF, "requests of one session of the application in any window"),
    AP_INIT_TAKE1("LimsDocumentation", lims_directive_set_text,
                  LIMS_TEXT(documentation, .text = NULL), RSRC_CONF,
                  "URL of the documentation that discovery names"),
    AP_INIT_TAKE1("LimsSecretKeyFile", lims_directive_set_file,
                  LIMS_TEXT(secret_key_file, .text = NULL), RSRC_CONF,
                  "file of the keys under which webhook secrets are kept"),
    AP_INIT_TAKE1("LimsMaxBody", lims_directive_set_number,
                  LIMS_NUMBER(body_max, .min = 1024, .max = 64 * 1024 * 1024,
                              .fallback = 1024 * 1024, .unit = "bytes"),
                  RSRC_CONF, "largest JSON body in bytes"),
    AP_INIT_TAKE1("LimsMaxUpload", lims_directive_set_number,
                  LIMS_NUMBER(file_max, .min = 1024, .max = 64 * 1024 * 1024,
                              .fallback = 10 * 1024 * 1024, .unit = "bytes"),
                  RSRC_CONF, "largest instrument file in bytes"),
    AP_INIT_TAKE1("LimsMaxIngestBody", lims_directive_set_number,
                  LIMS_NUMBER(file_body_max, .min = 1024, .max = 96 * 1024 * 1024,
                              .fallback = 14 * 1024 * 1024, .unit = "bytes"),
                  RSRC_CONF, "largest JSON body in bytes that brings an instrument file"),
    AP_INIT_TAKE1(
        "LimsRateLimit", lims_directive_set_number,
        LIMS_NUMBER(rate_limit, .min = 1, .max = 100000, .fallback = 120, .unit = "requests"),
        RSRC_CONF, "requests of one key in any window"),
    AP_INIT_TAKE1(
        "LimsRateLimitUploads", lims_directive_set_number,
        LIMS_NUMBER(costly_limit, .min = 1, .max = 100000, .fallback = 20, .unit = "requests"),
        RSRC_CONF, "extraction uploads of one key in any window"),
    AP_INIT_TAKE1(
        "LimsRateWindow", lims_directive_set_number,
        LIMS_NUMBER(rate_window, .min = 1, .max = 3600, .fallback = 60, .unit = "seconds"),
        RSRC_CONF, "length of the rate limit's window in seconds"),
    AP_INIT_TAKE1(
        "LimsRateKeys", lims_directive_set_number,
        LIMS_NUMBER(rate_keys, .min = 16, .max = 1000000, .fallback = 10000, .unit = "keys"),
        RSRC_CONF, "keys that can be active within one window"),
    AP_INIT_TAKE1("LimsUnknownKeys", lims_directive_set_number,
                  LIMS_NUMBER(unknown_keys, .min = 0, .max = 10000, .fallback = 60, .unit = "keys"),
                  RSRC_CONF, "requests with invalid keys from one address in any window"),
    AP_INIT_TAKE1("LimsUnknownKeyAddresses", lims_directive_set_number,
                  LIMS_NUMBER(unknown_key_addresses, .min = 16, .max = 1000000, .fallback = 10000,
                              .unit = "addresses"),
                  RSRC_CONF, "addresses that are counted within one window"),
    AP_INIT_TAKE1("LimsRateLimitMemcached", set_memcached, LIMS_TEXT(rate_memcached, .text = NULL),
                  RSRC_CONF, "memcached servers by which machines share the rate limit, or none"),
    AP_INIT_TAKE1(
        "LimsRateLimitTimeout", lims_directive_set_number,
        LIMS_NUMBER(rate_timeout, .min = 1, .max = 1000, .fallback = 100, .unit = "milliseconds"),
        RSRC_CONF, "longest wait for memcached in milliseconds"),
    AP_INIT_TAKE1("LimsDatabaseWait", lims_directive_set_number,
                  LIMS_NUMBER(database_wait, .min = 1, .max = 60000, .fallback = 2000,
                              .unit = "milliseconds"),
                  RSRC_CONF, "longest wait for a database connection in milliseconds"),
    AP_INIT_TAKE1(
        "LimsDatabaseReads", lims_directive_set_number,
        LIMS_NUMBER(database_reads, .min = 0, .max = 10000, .fallback = 0, .unit = "reads"),
        RSRC_CONF, "concurrent reads of a child process; 0: as many as processors"),
    AP_INIT_TAKE1("LimsDatabaseTimeout", lims_directive_set_number,
                  LIMS_NUMBER(database_timeout, .min = 100, .max = 600000, .fallback = 7000,
                              .unit = "milliseconds"),
                  RSRC_CONF, "longest wait for an answer of the database in milliseconds"),
    AP_INIT_TAKE1("LimsIdempotencyLifetime", lims_directive_set_number,
                  LIMS_NUMBER(idempotency_lifetime, .min = 1, .max = 30 * 86400, .fallback = 86400,
                              .unit = "seconds"),
                  RSRC_CONF, "seconds for which an Idempotency-Key is kept"),
    AP_INIT_TAKE1(
        "LimsKeyTouchInterval", lims_directive_set_number,
        LIMS_NUMBER(key_touch_interval, .min = 1, .max = 86400, .fallback = 300, .unit = "seconds"),
        RSRC_CONF, "seconds between two updates of a key's lastUsedAt"),
    AP_INIT_TAKE1("LimsWebhookDispatchers", lims_directive_set_number,
                  LIMS_NUMBER(webhooks.dispatchers, .min = 0, .max = 16, .fallback = 1,
                              .unit = "dispatchers"),
                  RSRC_CONF, "concurrent dispatchers on this machine"),
    AP_INIT_TAKE1("LimsWebhookInFlight", lims_directive_set_number,
                  LIMS_NUMBER(webhooks.in_flight, .min = 2, .max = 4096, .fallback = 256,
                              .unit = "deliveries"),
                  RSRC_CONF, "concurrent attempts of a dispatcher"),
    AP_INIT_TAKE1("LimsWebhookInFlightPerEndpoint", lims_directive_set_number,
                  LIMS_NUMBER(webhooks.in_flight_endpoint, .min = 1, .max = 256, .fallback = 8,
                              .unit = "deliveries"),
                  RSRC_CONF, "concurrent attempts for one endpoint"),
    AP_INIT_TAKE1("LimsWebhookPoll", lims_directive_set_number,
                  LIMS_NUMBER(webhooks.poll, .min = 10, .max = 60000, .fallback = 1000,
                              .unit = "milliseconds"),
                  RSRC_CONF, "polling interval for due deliveries in milliseconds"),
    AP_INIT_TAKE1("LimsWebhookTimeout", lims_directive_set_number,
                  LIMS_NUMBER(webhooks.timeout, .min = 100, .max = 60000, .fallback = 10000,
                              .unit = "milliseconds"),
                  RSRC_CONF, "longest time for an attempt in milliseconds"),
    AP_INIT_TAKE1("LimsWebhookLease", lims_directive_set_number,
                  LIMS_NUMBER(webhooks.lease, .min = 1000, .max = 3600000, .fallback = 30000,
                              .unit = "milliseconds"),
                  RSRC_CONF, "lease of a dispatcher on an endpoint in milliseconds"),
    AP_INIT_TAKE_ARGV("LimsWebhookSchedule", set_schedule,
                      LIMS_TEXT(webhooks.schedule, .text = SCHEDULE), RSRC_CONF,
                      "seconds to wait after each failed attempt"),
    AP_INIT_TAKE1(
        "LimsWebhookJitter", lims_directive_set_number,
        LIMS_NUMBER(webhooks.jitter, .min = 0, .max = 100, .fallback = 10, .unit = "percent"),
        RSRC_CONF, "share of a wait that may be added, in percent"),
    AP_INIT_TAKE1("LimsWebhookLongestWait", lims_directive_set_number,
                  LIMS_NUMBER(webhooks.longest_wait, .min = 1, .max = 7 * 86400,
                              .fallback = 6 * 3600, .unit = "seconds"),
                  RSRC_CONF, "longest wait between two attempts in seconds"),
    AP_INIT_TAKE1("LimsWebhookDisableAfter", lims_directive_set_number,
                  LIMS_NUMBER(webhooks.disable_after, .min = 1, .max = 1000, .fallback = 15,
                              .unit = "deliveries"),
                  RSRC_CONF, "deliveries given up in a row that disable an endpoint"),
    AP_INIT_TAKE1("LimsWebhookMaxAnswer", lims_directive_set_number,
                  LIMS_NUMBER(webhooks.answer_max, .min = 0, .max = 16 * 1024 * 1024,
                              .fallback = 64 * 1024, .unit = "bytes"),
                  RSRC_CONF, "bytes of an answer's body that are read"),
    AP_INIT_TAKE1(
        "LimsWebhookExcerpt", lims_directive_set_number,
        LIMS_NUMBER(webhooks.excerpt_max, .min = 0, .max = 1000, .fallback = 1000, .unit = "bytes"),
        RSRC_CONF, "bytes of an answer's body that are stored"),
    AP_INIT_ITERATE("LimsWebhookAllow", allow_range, LIMS_LIST(webhooks.allowed), RSRC_CONF,
                    "addresses that webhooks may go to although they are not public"),
    AP_INIT_TAKE1("LimsWebhookCAFile", lims_directive_set_file,
                  LIMS_TEXT(webhooks.ca_file, .text = NULL), RSRC_CONF,
                  "file of the certificates trusted for receivers"),
    AP_INIT_TAKE1("LimsWebhookProxy", lims_directive_set_text,
                  LIMS_TEXT(webhooks.proxy, .text = NULL), RSRC_CONF,
                  "URL of the proxy that webhooks go through"),
    AP_INIT_TAKE1("LimsExtractionUrl", lims_directive_set_text,
                  LIMS_TEXT(extraction.url, .text = NULL), RSRC_CONF,
                  "URL of the model service's endpoint"),
    AP_INIT_TAKE1("LimsExtractionStyle", lims_directive_set_word,
                  LIMS_WORD(extraction.style, .words = style_words, .fallback = LIMS_STYLE_OPENAI),
                  RSRC_CONF, "API of the model service: openai, azure or anthropic"),
    AP_INIT_TAKE1("LimsExtractionModel", lims_directive_set_text,
                  LIMS_TEXT(extraction.name, .text = NULL), RSRC_CONF, "name of the model"),
    AP_INIT_TAKE1("LimsExtractionKeyFile", lims_directive_set_file,
                  LIMS_TEXT(extraction.key_file, .text = NULL), RSRC_CONF,
                  "file of the API key for the model service"),
    AP_INIT_TAKE1(
        "LimsExtractionStructuredOutput", lims_directive_set_word,
        LIMS_WORD(extraction.output, .words = output_words, .fallback = LIMS_OUTPUT_JSON_SCHEMA),
        RSRC_CONF, "method for structured answers: json_schema, tool, json_object or none"),
    AP_INIT_TAKE1("LimsExtractionCAFile", lims_directive_set_file,
                  LIMS_TEXT(extraction.ca_file, .text = NULL), RSRC_CONF,
                  "file of the certificates trusted for the model service"),
    AP_INIT_TAKE1("LimsExtractionClientCertificate", lims_directive_set_file,
                  LIMS_TEXT(extraction.certificate, .text = NULL), RSRC_CONF,
                  "file of the client certificate"),
    AP_INIT_TAKE1("LimsExtractionClientKey", lims_directive_set_file,
                  LIMS_TEXT(extraction.certificate_key, .text = NULL), RSRC_CONF,
                  "file of the client certificate's private key"),
    AP_INIT_TAKE1("LimsExtractionProxy", lims_directive_set_text,
                  LIMS_TEXT(extraction.proxy, .text = NULL), RSRC_CONF,
                  "URL of the proxy to the model service"),
    AP_INIT_TAKE1("LimsExtractionConnectTimeout", lims_directive_set_number,
                  LIMS_NUMBER(extraction.connect_timeout, .min = 10, .max = 60000, .fallback = 5000,
                              .unit = "milliseconds"),
                  RSRC_CONF, "longest time to connect to the model service in milliseconds"),
    AP_INIT_TAKE1("LimsExtractionTimeout", lims_directive_set_number,
                  LIMS_NUMBER(extraction.timeout, .min = 100, .max = 600000, .fallback = 60000,
                              .unit = "milliseconds"),
                  RSRC_CONF, "longest time for all calls for a file in milliseconds"),
    AP_INIT_TAKE1(
        "LimsExtractionConcurrency", lims_directive_set_number,
        LIMS_NUMBER(extraction.concurrency, .min = 1, .max = 256, .fallback = 4, .unit = "files"),
        RSRC_CONF, "concurrent extractions in a child process"),
    AP_INIT_TAKE1("LimsExtractionLooks", lims_directive_set_number,
                  LIMS_NUMBER(extraction.looks, .min = 1, .max = LIMS_LOOKS_MAX, .fallback = 1,
                              .unit = "looks"),
                  RSRC_CONF, "independent looks at a file: 1 or 2"),
    AP_INIT_TAKE1("LimsExtractionMaxBytes", lims_directive_set_number,
                  LIMS_NUMBER(extraction.bytes_max, .min = 1024, .max = 64 * 1024 * 1024,
                              .fallback = 1024 * 1024, .unit = "bytes"),
                  RSRC_CONF, "largest file for extraction in bytes"),
    AP_INIT_TAKE1(
        "LimsExtractionMaxRows", lims_directive_set_number,
        LIMS_NUMBER(extraction.rows_max, .min = 1, .max = 100000, .fallback = 2000, .unit = "rows"),
        RSRC_CONF, "largest number of rows for extraction"),
    AP_INIT_TAKE1("LimsExtractionMaxCells", lims_directive_set_number,
                  LIMS_NUMBER(extraction.cells_max, .min = 1, .max = 1000000, .fallback = 20000,
                              .unit = "cells"),
                  RSRC_CONF, "largest number of cells for extraction"),
    AP_INIT_TAKE1(
        "LimsScanInterval", lims_directive_set_number,
        LIMS_NUMBER(scan_interval, .min = 1, .max = 86400, .fallback = 60, .unit = "seconds"),
        RSRC_CONF, "seconds between two lifecycle scans"),
    AP_INIT_TAKE1(
        "LimsRetentionInterval", lims_directive_set_number,
        LIMS_NUMBER(retention_interval, .min = 1, .max = 86400, .fallback = 600, .unit = "seconds"),
        RSRC_CONF, "seconds between two deletions of expired data"),
    AP_INIT_TAKE1(
        "LimsRecoveryInterval", lims_directive_set_number,
        LIMS_NUMBER(recovery_interval, .min = 1, .max = 86400, .fallback = 10, .unit = "seconds"),
        RSRC_CONF, "polling interval for webhook recoveries in seconds"),
    AP_INIT_TAKE1(
        "LimsEventRetention", lims_directive_set_number,
        LIMS_NUMBER(event_retention, .min = 1, .max = 3650, .fallback = 30, .unit = "days"),
        RSRC_CONF, "days for which events and their deliveries are kept"),
    AP_INIT_TAKE1(
        "LimsRejectedFileDays", lims_directive_set_number,
        LIMS_NUMBER(rejected_file_days, .min = 1, .max = 3650, .fallback = 90, .unit = "days"),
        RSRC_CONF, "days for which the bytes of rejected instrument files are kept"),
    AP_INIT_TAKE1(
        "LimsIngestConcurrency", lims_directive_set_number,
        LIMS_NUMBER(ingest_concurrency, .min = 0, .max = 1000, .fallback = 0, .unit = "files"),
        RSRC_CONF, "instrument files that a machine imports at once"),
    AP_INIT_TAKE1("LimsIngestWait", lims_directive_set_number,
                  LIMS_NUMBER(ingest_wait, .min = 1, .max = 600000, .fallback = 30000,
                              .unit = "milliseconds"),
                  RSRC_CONF, "longest wait of an instrument file for its turn in milliseconds"),
    AP_INIT_TAKE1(
        "LimsIngestResume", lims_directive_set_number,
        LIMS_NUMBER(ingest_resume, .min = 1, .max = 86400, .fallback = 60, .unit = "seconds"),
        RSRC_CONF, "seconds after which a file whose reading was cut short is read again"),
    AP_INIT_TAKE1(
        "LimsAuditInterval", lims_directive_set_number,
        LIMS_NUMBER(audit_interval, .min = 1, .max = 60, .fallback = 60, .unit = "seconds"),
        RSRC_CONF, "seconds between two blocks of the audit trail"),
    AP_INIT_TAKE1("LimsPrinter", lims_directive_set_text, LIMS_TEXT(printer_program, .text = NULL),
                  RSRC_CONF, "path of lims-print, which makes PDFs; without it there are none"),
    AP_INIT_TAKE1("LimsPrinterTimeout", lims_directive_set_number,
                  LIMS_NUMBER(printer_timeout, .min = LIMS_PRINTER_TIMEOUT_MIN,
                              .max = LIMS_PRINTER_TIMEOUT_MAX, .fallback = LIMS_PRINTER_TIMEOUT,
                              .unit = "milliseconds"),
                  RSRC_CONF, "longest time for printing a document in milliseconds"),
    AP_INIT_TAKE1("LimsDocumentKey", lims_directive_set_text, LIMS_TEXT(document_key, .text = NULL),
                  RSRC_CONF, "file with key and certificate that sign the PDFs of certificates"),
    AP_INIT_TAKE1("LimsDocumentPassphraseFile", lims_directive_set_text,
                  LIMS_TEXT(document_passphrase_file, .text = NULL), RSRC_CONF,
                  "file whose first line opens LimsDocumentKey"),
    AP_INIT_TAKE1("LimsFileStorage", lims_directive_set_number,
                  LIMS_NUMBER(file_storage, .min = 1, .max = 1024 * 1024 * 1024, .fallback = 10240,
                              .unit = "megabytes"),
                  RSRC_CONF, "megabytes that the instrument files of one key may take"),
    AP_INIT_RAW_ARGS("DBDriver", lims_foreign_directive_set,
                     LIMS_TEXT(foreign_directives[LIMS_FOREIGN_DRIVER], .owner = "mod_dbd.c"),
                     RSRC_CONF, "also read by mod_lims"),
    AP_INIT_RAW_ARGS("DBDParams", lims_foreign_directive_set,
                     LIMS_TEXT(foreign_directives[LIMS_FOREIGN_PARAMS], .owner = "mod_dbd.c"),
                     RSRC_CONF, "also read by mod_lims"),
    AP_INIT_RAW_ARGS("DBDPersist", lims_foreign_directive_set,
                     LIMS_TEXT(foreign_directives[LIMS_FOREIGN_PERSIST], .owner = "mod_dbd.c"),
                     RSRC_CONF, "also read by mod_lims"),
    AP_INIT_RAW_ARGS("DBDMin", lims_foreign_directive_set,
                     LIMS_TEXT(foreign_directives[LIMS_FOREIGN_MIN], .owner = "mod_dbd.c"),
                     RSRC_CONF, "also read by mod_lims"),
    AP_INIT_RAW_ARGS("DBDKeep", lims_foreign_directive_set,
                     LIMS_TEXT(foreign_directives[LIMS_FOREIGN_KEEP], .owner = "mod_dbd.c"),
                     RSRC_CONF, "also read by mod_lims"),
    AP_INIT_RAW_ARGS("DBDMax", lims_foreign_directive_set,
                     LIMS_TEXT(foreign_directives[LIMS_FOREIGN_MAX], .owner = "mod_dbd.c"),
                     RSRC_CONF, "also read by mod_lims"),
    AP_INIT_RAW_ARGS("DBDExptime", lims_foreign_directive_set,
                     LIMS_TEXT(foreign_directives[LIMS_FOREIGN_EXPTIME], .owner = "mod_dbd.c"),
                     RSRC_CONF, "also read by mod_lims"),
    AP_INIT_RAW_ARGS("SSLEngine", lims_foreign_directive_set,
                     LIMS_TEXT(foreign_directives[LIMS_FOREIGN_ENGINE], .owner = "mod_ssl.c"),
                     RSRC_CONF, "also read by mod_lims"),
    AP_INIT_RAW_ARGS("LDAPCacheEntries", lims_foreign_directive_set,
                     LIMS_TEXT(foreign_directives[LIMS_FOREIGN_LDAP_ENTRIES],
                               .owner = "util_ldap.c"),
                     RSRC_CONF, "also read by mod_lims"),
    AP_INIT_RAW_ARGS("<AuthnProviderAlias", lims_foreign_directive_add,
                     LIMS_DIRECTIVE(LIMS_SETS_LIST, apr_array_header_t *, provider_aliases,
                                    .owner = "mod_authn_core.c"),
                     RSRC_CONF, "also read by mod_lims"),
    { .name = NULL },
};

/* --- The configuration of a server ----------------------------------------------- */

void *lims_config_create(apr_pool_t *pool, server_rec *s)
{
    lims_config_t *config = apr_pcalloc(pool, sizeof(*config));

    (void)s;
    lims_directives_unset(config, lims_config_directives);
    return config;
}

void *lims_config_merge(apr_pool_t *pool, void *base, void *add)
{
    lims_config_t *config = apr_pmemdup(pool, add, sizeof(*config));

    lims_directives_merge(config, base, lims_config_directives);
    return config;
}

/* Returns the lease of a claim between two transactions of a request, seconds: the time of
 * its work (given in milliseconds) and the time-outs of the database around it. */
static const char *lease_of(const lims_config_t *config, apr_int64_t work, apr_pool_t *pool)
{
    apr_int64_t around = 2 * (config->database_wait + config->database_timeout) + 10000;

    return apr_psprintf(pool, "%" APR_INT64_T_FMT, (work + around) / 1000);
}

/* Returns the texts as a PostgreSQL array literal. */
static const char *array_of(const apr_array_header_t *texts, apr_pool_t *pool)
{
    const char *array = "{";

    for (int i = 0; texts && i < texts->nelts; i++) {
        const char *text = APR_ARRAY_IDX(texts, i, const char *);
        char *escaped = apr_palloc(pool, 2 * strlen(text) + 1), *to = escaped;

        for (; *text; text++) {
            if (*text == '"' || *text == '\\') {
                *to++ = '\\';
            }
            *to++ = *text;
        }
        *to = '\0';
        array = apr_pstrcat(pool, array, i > 0 ? "," : "", "\"", escaped, "\"", NULL);
    }
    return apr_pstrcat(pool, array, "}", NULL);
}

/* Derives the settings of the application from those of the REST API. */
static void complete_people(lims_config_t *config, apr_pool_t *pool)
{
    lims_settings_t *people = &config->people;

    *people = config->settings;
    people->base = apr_pstrcat(pool, config->base_path, LIMS_APPLICATION_PREFIX, NULL);
    people->cookie = apr_pstrcat(pool, "__Host-lims", *config->cookie_suffix ? "-" : "",
                                 config->cookie_suffix, NULL);
    people->sign_on = apr_pstrcat(pool, config->base_path, LIMS_SIGN_ON_PREFIX, NULL);
    people->sign_in_by_password = config->sign_in != LIMS_SIGN_IN_HTTPD;
    people->sign_in_by_httpd =
        config->sign_in != LIMS_SIGN_IN_BUILTIN && config->sign_in_types;
    people->sign_in_checks = apr_pcalloc(pool, sizeof(*people->sign_in_checks));
    people->sign_in_provider = config->sign_in_provider;
    people->signature_provider = config->signature_provider;
    people->match_address = config->sign_in_match == LIMS_MATCH_ADDRESS;
    people->sign_in_organizations = array_of(config->sign_in_organizations, pool);
    people->sign_out_url = config->sign_out_url;
}

/* Fills in defaults and derives the settings of the service. */
void lims_config_complete(lims_config_t *config, apr_pool_t *pool)
{
    lims_directives_complete(config, lims_config_directives);
    config->settings.database =
        config->foreign_directives[LIMS_FOREIGN_PARAMS]
            ? lims_connection_name(config->foreign_directives[LIMS_FOREIGN_PARAMS], pool)
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
    config->settings.import_lease = lease_of(config, config->ingest_wait, pool);
    config->settings.model_lease = lease_of(config, 2 * config->extraction.timeout, pool);
    config->settings.touch_interval =
        apr_psprintf(pool, "%" APR_INT64_T_FMT, config->key_touch_interval);
    config->printer = (lims_printer_t){ .program = config->printer_program,
                                        .timeout = config->printer_timeout * 1000 };
    complete_people(config, pool);
}
