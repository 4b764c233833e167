/* SPDX-License-Identifier: Apache-2.0 */
/*
 * status.c - the handlers for operators: lims-status (HTML, or JSON with ?json),
 * lims-metrics (Prometheus), lims-live and lims-ready (health probes), and a section
 * in mod_status's page.
 *
 * None of them needs an API key: restrict access with Require, as for mod_status.
 */
#include <apr_strings.h>
#include <http_core.h>
#include <http_protocol.h>
#include <mod_status.h>
#include <string.h>

#include "kernel/writer.h"
#include "server/metrics.h"
#include "server/status_page.h"
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

static const char *as_json(request_rec *r)
{
    lims_writer_t *w = lims_writer_create(r->pool);
    lims_database_metrics_t figures;
    apr_size_t length;

    lims_database_metrics_read(&figures, r->server, r->pool);
    lims_writer_object_begin(w);
    lims_writer_key(w, "version");
    lims_writer_string(w, LIMS_VERSION);
    lims_writer_key(w, "ready");
    lims_writer_boolean(w, !figures.problem);
    lims_writer_key(w, "problem");
    lims_writer_string(w, figures.problem);
    lims_metrics_json(w, r->server, &figures);
    lims_writer_object_end(w);
    return lims_writer_finish(&length, w);
}

static const char *as_sections(request_rec *r)
{
    return lims_status_page_sections(as_json(r), r->pool);
}

static int answer_status(request_rec *r)
{
    if (r->args && strcmp(r->args, "json") == 0) {
        return send_text(r, HTTP_OK, "application/json", as_json(r));
    }
    return send_text(r, HTTP_OK, "text/html; charset=utf-8",
                     lims_status_page_whole(as_sections(r), r->pool));
}

static int answer_ready(request_rec *r)
{
    lims_database_metrics_t figures;
    const char *problem;

    lims_database_metrics_ready(&figures, r->server, r->pool);
    problem = figures.problem;
    if (problem) {
        apr_table_setn(r->headers_out, "Retry-After", "1");
    }
    return send_text(r, problem ? HTTP_SERVICE_UNAVAILABLE : HTTP_OK, "text/plain; charset=utf-8",
                     problem ? apr_pstrcat(r->pool, problem, "\n", NULL) : "ready\n");
}

static int answer_metrics(request_rec *r)
{
    lims_database_metrics_t figures;

    lims_database_metrics_read(&figures, r->server, r->pool);
    return send_text(r, HTTP_OK, "text/plain; version=0.0.4; charset=utf-8",
                     lims_metrics_text(r->server, &figures, r->pool));
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
        return answer_metrics(r);
    }
    if (strcmp(r->handler, "lims-live") == 0) {
        return send_text(r, HTTP_OK, "text/plain; charset=utf-8", "alive\n");
    }
    return strcmp(r->handler, "lims-ready") == 0 ? answer_ready(r) : DECLINED;
}

/* Writes the section of mod_status's page; nothing on hosts without the service. */
static int write_section(request_rec *r, int flags)
{
    if (lims_config_of(r->server)->enable != 1) {
        return OK;
    }
    if (flags & AP_STATUS_SHORT) {
        ap_rprintf(r, "LimsStatus: %s\n", as_json(r));
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
