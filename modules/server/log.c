/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log.c - one log line for each refusal or failure, with the request id.
 *
 * The lines of a refused key ("LIMS0001: API key refused") and of an account locked after
 * failed signatures ("LIMS0003: account ...") are fixed, with the client's address in
 * httpd's own prefix, so that fail2ban can match them.
 * Bodies, keys and signatures are never logged.
 *
 * While a database is out of reach every request fails alike. Each child then writes
 * at most one line a second for each database and log number, with the number of lines
 * left out. The access log has every request.
 */
#include <stdatomic.h>
#include <string.h>

#include "kernel/error.h"
#include "server/server.h"
#include "service/signing.h"

APLOG_USE_MODULE(lims);

static int level_of(const lims_error_t *error, int status)
{
    if (error->kind == LIMS_E_UNAUTHORIZED || lims_signing_locked(error)) {
        return APLOG_WARNING;
    }
    if (error->kind == LIMS_E_AI_UNAVAILABLE && !error->number) {
        return APLOG_INFO; /* no model service is configured: not a failure */
    }
    if (status >= 500 || error->number) {
        return APLOG_ERR;
    }
    return APLOG_INFO;
}

/* Log numbers are smaller than this. */
#define NUMBER_MAX 500

/* Lines of one log number about one database, in this process. */
struct lims_flood_t {
    _Atomic apr_time_t second; /* of the last line written */
    _Atomic unsigned left_out; /* lines since then */
};

void lims_log_create(server_rec *s, const server_rec *first, apr_pool_t *pconf)
{
    lims_config_t *config = lims_config_of(s);

    for (const server_rec *each = first; each != s; each = each->next) {
        if (strcmp(lims_config_database(each), lims_config_database(s)) == 0) {
            config->floods = lims_config_of(each)->floods;
            return;
        }
    }
    config->floods = apr_pcalloc(pconf, NUMBER_MAX * sizeof(*config->floods));
}

/* Whether a line is to be left out; if not, sets `left_out` to the number of lines left
 * out before it. */
static bool is_flood(unsigned *left_out, const server_rec *s, const lims_error_t *error)
{
    apr_time_t second = apr_time_sec(apr_time_now()), latest;
    struct lims_flood_t *flood;

    *left_out = 0;
    if (error->kind != LIMS_E_SERVICE_UNAVAILABLE || error->number >= NUMBER_MAX) {
        return false;
    }
    flood = &lims_config_of(s)->floods[error->number];
    latest = atomic_load(&flood->second);
    if (latest == second || !atomic_compare_exchange_strong(&flood->second, &latest, second)) {
        atomic_fetch_add(&flood->left_out, 1);
        return true;
    }
    *left_out = atomic_exchange(&flood->left_out, 0);
    return false;
}

static void log_failure(request_rec *r, const lims_error_t *error, const char *request_id)
{
    const lims_error_kind_t *kind = &lims_error_kinds[error->kind];
    const char *cause = error->cause ? error->cause : "";
    unsigned left_out;

    if (is_flood(&left_out, r->server, error)) {
        return;
    }
    if (left_out) {
        ap_log_rerror(APLOG_MARK, APLOG_ERR, 0, r,
                      "LIMS%04d: %d %s: %s: %s (request %s, and %u before it)", error->number,
                      kind->status, kind->slug, error->message, cause, request_id, left_out);
    } else {
        ap_log_rerror(APLOG_MARK, APLOG_ERR, 0, r, "LIMS%04d: %d %s: %s: %s (request %s)",
                      error->number, kind->status, kind->slug, error->message, cause, request_id);
    }
}

void lims_log_error(request_rec *r, const lims_error_t *error, const char *request_id)
{
    const lims_error_kind_t *kind = &lims_error_kinds[error->kind];
    int level = level_of(error, kind->status);
    const char *cause = error->cause ? error->cause : "";
    bool is_of_session = error->failure == LIMS_FAILURE_SESSION;

    if (error->failure == LIMS_FAILURE_SIGN_IN) {
        ap_log_rerror(APLOG_MARK, level, 0, r, "LIMS%04d: sign-in refused: %s (request %s)",
                      error->number, cause, request_id);
    } else if (error->kind == LIMS_E_UNAUTHORIZED && !is_of_session) {
        ap_log_rerror(APLOG_MARK, level, 0, r, "LIMS0001: API key refused: %s (request %s)", cause,
                      request_id);
    } else if (lims_signing_locked(error)) {
        ap_log_rerror(APLOG_MARK, level, 0, r, "LIMS%04d: %s (request %s)", error->number,
                      cause, request_id);
    } else if (level == APLOG_ERR && !is_of_session) {
        log_failure(r, error, request_id);
    } else {
        ap_log_rerror(APLOG_MARK, APLOG_INFO, 0, r, "LIMS0002: %d %s: %s (request %s)",
                      kind->status, kind->slug, is_of_session ? cause : error->message,
                      request_id);
    }
}
