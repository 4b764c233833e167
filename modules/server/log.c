/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log.c - one line for each refusal or failure, with the request id.
 *
 * The line of a refused key is fixed ("LIMS0001: API key refused"), with the
 * client's address in httpd's own prefix, so that fail2ban can match it.
 * Bodies, keys and signatures are never logged.
 */
#include "kernel/error.h"
#include "server/server.h"

APLOG_USE_MODULE(lims);

static int level_of(const lims_error_t *error, int status)
{
    if (error->kind == LIMS_E_UNAUTHORIZED) {
        return APLOG_WARNING;
    }
    if (status >= 500 || error->number) {
        return APLOG_ERR;
    }
    return APLOG_INFO;
}

void lims_log_error(request_rec *r, const lims_error_t *error, const char *request_id)
{
    const lims_error_kind_t *kind = &lims_error_kinds[error->kind];
    int level = level_of(error, kind->status);
    const char *cause = error->cause ? error->cause : "";

    if (error->kind == LIMS_E_UNAUTHORIZED) {
        ap_log_rerror(APLOG_MARK, level, 0, r, "LIMS0001: API key refused: %s (request %s)", cause,
                      request_id);
    } else if (level == APLOG_ERR) {
        ap_log_rerror(APLOG_MARK, level, 0, r, "LIMS%04d: %d %s: %s: %s (request %s)",
                      error->number, kind->status, kind->slug, error->message, cause, request_id);
    } else {
        ap_log_rerror(APLOG_MARK, level, 0, r, "LIMS0002: %d %s: %s (request %s)", kind->status,
                      kind->slug, error->message, request_id);
    }
}
