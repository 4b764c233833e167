/* SPDX-License-Identifier: Apache-2.0 */
/*
 * status.c - what operators look at: SetHandler lims-status (HTML, or JSON with
 * ?json), lims-metrics (Prometheus), lims-live and lims-ready (probes), and a
 * section in mod_status's page.
 *
 * None of them asks for an API key: access is the server's to restrict, with
 * Require, as for mod_status.
 */
#include <apr_strings.h>
#include <http_core.h>
#include <http_protocol.h>
#include <mod_status.h>
#include <string.h>

#include "kernel/error.h"
#include "kernel/field.h"
#include "server/metrics.h"
#include "server/page.h"
#include "server/server.h"

static int send_text(request_rec *r, int status, const char *type, const char *text)
{
    r->status = status;
    apr_table_setn(r->headers_out, "Cache-Control", "no-store");
    ap_set_content_type(r, type);
    ap_set_content_length(r, (apr_off_t)strlen(text));
    ap_rputs(text, r);
    return OK;
}

/* A real question: what the connection believes of itself is not enough. */
static const lims_error_t *ask_database(request_rec *r)
{
    lims_lease_t lease = { .pool = r->pool, .server = r->server };
    lims_connection_t *connection = NULL;
    const lims_error_t *error = lims_pool_take(&connection, &lease);

    if (!error) {
        error = lims_connection_check(connection, r->pool);
        lims_connection_release(connection);
        lims_pool_give_back(&lease);
    }
    return error;
}

/* NULL when the database can't say. */
static const lims_backlog_t *ask_backlog(request_rec *r)
{
    lims_request_t rq = { .pool = r->pool, .values = lims_values_create(r->pool) };
    lims_lease_t lease = { .pool = r->pool, .server = r->server };
    lims_backlog_t *backlog = NULL;
    lims_result_t *row = NULL;

    if (lims_config_of(r->server)->enable != 1 || lims_pool_take(&rq.connection, &lease)) {
        return NULL;
    }
    if (!lims_database_call(&row, &rq, LIMS_STMT_WEBHOOK_BACKLOG)) {
        backlog = apr_palloc(r->pool, sizeof(*backlog));
        backlog->pending = lims_result_get(row, 0, "pending");
        backlog->kept = lims_result_get(row, 0, "kept");
        backlog->oldest_due_seconds = lims_result_get(row, 0, "oldestDueSeconds");
        backlog->endpoints = lims_result_get(row, 0, "endpoints");
        backlog->disabled_endpoints = lims_result_get(row, 0, "disabledEndpoints");
    }
    lims_connection_release(rq.connection);
    lims_pool_give_back(&lease);
    return backlog;
}

/* NULL, or why the service can't answer at the moment. */
static const char *unready(request_rec *r)
{
    const lims_error_t *error;

    if (lims_config_of(r->server)->enable != 1) {
        return "LimsEnable is off in this server";
    }
    error = ask_database(r);
    if (error && error->retry == LIMS_RETRY_LOST) {
        error = ask_database(r);
    }
    if (!error) {
        return NULL;
    }
    return error->cause ? error->cause : error->message;
}

static const char *as_json(request_rec *r, const char *problem)
{
    lims_writer_t *w = lims_writer_create(r->pool);
    apr_size_t length;

    lims_writer_object_begin(w);
    lims_writer_key(w, "version");
    lims_writer_string(w, LIMS_VERSION);
    lims_writer_key(w, "ready");
    lims_writer_boolean(w, problem == NULL);
    lims_writer_key(w, "problem");
    lims_writer_string(w, problem);
    lims_metrics_json(w, problem ? NULL : ask_backlog(r));
    lims_writer_object_end(w);
    return lims_writer_finish(&length, w);
}

static const char *as_sections(request_rec *r)
{
    return lims_page_sections(as_json(r, unready(r)), r->pool);
}

static int answer_status(request_rec *r)
{
    if (r->args && strcmp(r->args, "json") == 0) {
        return send_text(r, HTTP_OK, "application/json", as_json(r, unready(r)));
    }
    return send_text(r, HTTP_OK, "text/html; charset=utf-8",
                     lims_page_whole(as_sections(r), r->pool));
}

static int answer_ready(request_rec *r)
{
    const char *problem = unready(r);

    if (problem) {
        apr_table_setn(r->headers_out, "Retry-After", "1");
    }
    return send_text(r, problem ? HTTP_SERVICE_UNAVAILABLE : HTTP_OK, "text/plain; charset=utf-8",
                     problem ? apr_pstrcat(r->pool, problem, "\n", NULL) : "ready\n");
}

int lims_status_handler(request_rec *r)
{
    if (!r->handler || strncmp(r->handler, "lims-", 5) != 0) {
        return DECLINED;
    }
    if (r->method_number != M_GET) {
        r->allowed = AP_METHOD_BIT << M_GET;
        return HTTP_METHOD_NOT_ALLOWED;
    }
    if (strcmp(r->handler, "lims-status") == 0) {
        return answer_status(r);
    }
    if (strcmp(r->handler, "lims-metrics") == 0) {
        return send_text(r, HTTP_OK, "text/plain; version=0.0.4; charset=utf-8",
                         lims_metrics_text(ask_backlog(r), r->pool));
    }
    if (strcmp(r->handler, "lims-live") == 0) {
        return send_text(r, HTTP_OK, "text/plain; charset=utf-8", "alive\n");
    }
    return strcmp(r->handler, "lims-ready") == 0 ? answer_ready(r) : DECLINED;
}

static int write_section(request_rec *r, int flags)
{
    if (flags & AP_STATUS_SHORT) {
        ap_rprintf(r, "LimsStatus: %s\n", as_json(r, unready(r)));
    } else {
        ap_rprintf(r, "<hr />\n<h2>mod_lims</h2>\n%s", as_sections(r));
    }
    return OK;
}

void lims_status_register(apr_pool_t *pool)
{
    (void)pool;
    APR_OPTIONAL_HOOK(ap, status_hook, write_section, NULL, NULL, APR_HOOK_MIDDLE);
}
