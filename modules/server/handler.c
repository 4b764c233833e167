/* SPDX-License-Identifier: Apache-2.0 */
/*
 * handler.c - from httpd's request to the service's exchange and back.
 *
 * URLs below the bases of the REST API and of the application's API are claimed in
 * translate_name, before anything maps them to files. Errors that httpd itself makes (a
 * malformed request, a header too long) come here too, as ErrorDocument redirects to
 * <base>/.httpd-error, and leave as JSON with their status.
 */
#include <apr_lib.h>
#include <apr_strings.h>
#include <http_core.h>
#include <http_protocol.h>
#include <http_request.h>
#include <http_ssl.h>
#include <string.h>
#include <util_filter.h>

#include "kernel/header_fields.h"
#include "kernel/error.h"
#include "kernel/field.h"
#include "server/httpd_error.h"
#include "jobs/jobs.h"
#include "server/metrics.h"
#include "server/watchdog.h"
#include "server/server.h"
#include "service/request_check.h"

APLOG_USE_MODULE(lims);

#define ERROR_PATH "/.httpd-error"

/* Characters of a User-Agent field that are kept. */
#define BROWSER_MAX 255

/* Returns the part of the URL's path below the base of a surface; NULL: not below it. */
static const char *below(const lims_settings_t *settings, const request_rec *r)
{
    apr_size_t length = settings->base && settings->router ? strlen(settings->base) : 0;

    if (!length || !r->uri || strncmp(r->uri, settings->base, length) != 0 ||
        (r->uri[length] && r->uri[length] != '/')) {
        return NULL;
    }
    return r->uri + length;
}

/* Returns the part of the URL's path below the place of the application at which a module of
 * httpd signs people in, if it is what is asked there; NULL: it is not. The page there is a
 * file. */
static const char *below_sign_on(const lims_settings_t *people, const request_rec *r)
{
    apr_size_t length = people->sign_in_by_httpd && people->router ? strlen(people->sign_on) : 0;

    return length && r->uri && strncmp(r->uri, people->sign_on, length) == 0 &&
                   strcmp(r->uri + length, LIMS_SIGN_ON_PATH) == 0
               ? r->uri + length
               : NULL;
}

/* Returns the surface that the URL's path belongs to; NULL: none. */
static const lims_settings_t *surface_of(const request_rec *r)
{
    const lims_config_t *config = lims_config_of(r->server);

    if (config->enable != 1) {
        return NULL;
    }
    return below(&config->settings, r)                                      ? &config->settings
           : below(&config->people, r) || below_sign_on(&config->people, r) ? &config->people
                                                                            : NULL;
}

static const char *path_of(const request_rec *r)
{
    const lims_settings_t *settings = surface_of(r);
    const char *path = settings ? below(settings, r) : NULL;

    return path || !settings ? path : below_sign_on(settings, r);
}

int lims_translate_name(request_rec *r)
{
    if (!path_of(r)) {
        return DECLINED;
    }
    /* The file name is for httpd's log, where Require refuses a request. It ends in a
     * slash, so that modules which look at file extensions ignore it. The handler is
     * set, so that no other module handles the request. */
    r->filename = apr_pstrcat(r->pool, "lims:", r->uri, "/", NULL);
    r->handler = "lims";
    return OK;
}

int lims_map_to_storage(request_rec *r)
{
    return path_of(r) ? OK : DECLINED;
}

/* --- The transport -------------------------------------------------------- */

typedef struct {
    request_rec *r;
    lims_lease_t lease;
    lims_admission_t admission; /* its place in the admission queue */
    bool read;                  /* the whole body was read */
    bool broken;                /* reading the body failed */
    bool answered;              /* a filter of httpd answered while the body was read */
} carrier_t;

static const lims_error_t *connect_database(lims_connection_t **connection, lims_exchange_t *x)
{
    carrier_t *carrier = x->context;

    carrier->lease.short_work = lims_service_short_work(x);
    return lims_pool_take(connection, &carrier->lease);
}

static void disconnect_database(lims_exchange_t *x, lims_connection_t *connection)
{
    carrier_t *carrier = x->context;

    (void)connection;
    lims_pool_give_back(&carrier->lease);
}

static const lims_error_t *body_error(carrier_t *carrier, apr_status_t rv)
{
    request_rec *r = carrier->r;
    int status = ap_map_http_request_error(rv, HTTP_BAD_REQUEST);

    carrier->answered = rv == AP_FILTER_ERROR;
    carrier->broken = true;
    r->connection->keepalive = AP_CONN_CLOSE;
    if (status == HTTP_REQUEST_ENTITY_TOO_LARGE) {
        return lims_client_error(r->pool, LIMS_E_PAYLOAD_TOO_LARGE, "The body is too large.");
    }
    if (status == HTTP_REQUEST_TIME_OUT || APR_STATUS_IS_TIMEUP(rv)) {
        return lims_client_error(r->pool, LIMS_E_REQUEST_TIMEOUT,
                                 "The body did not arrive in time.");
    }
    return lims_client_error(r->pool, LIMS_E_BAD_REQUEST, "The body could not be read.");
}

static const lims_error_t *too_large(const lims_exchange_t *x)
{
    carrier_t *carrier = x->context;

    carrier->r->connection->keepalive = AP_CONN_CLOSE;
    return lims_request_too_large(x);
}

/* Passes the data of one brigade to the route's reader. */
static const lims_error_t *read_brigade(lims_exchange_t *x, apr_bucket_brigade *bb,
                                        apr_size_t *seen, apr_size_t limit, lims_sink_fn *sink,
                                        void *data)
{
    carrier_t *carrier = x->context;
    const lims_error_t *error = NULL;

    while (!error && !carrier->read && !APR_BRIGADE_EMPTY(bb)) {
        apr_bucket *b = APR_BRIGADE_FIRST(bb);
        const char *bytes;
        apr_size_t length = 0;
        apr_status_t rv = APR_SUCCESS;

        carrier->read = APR_BUCKET_IS_EOS(b) != 0;
        if (!APR_BUCKET_IS_METADATA(b)) {
            rv = apr_bucket_read(b, &bytes, &length, APR_BLOCK_READ);
        }
        if (rv != APR_SUCCESS) {
            error = body_error(carrier, rv);
        } else if (length > limit - *seen) {
            error = too_large(x);
        } else if (length > 0) {
            *seen += length;
            error = sink(data, bytes, length);
        }
        apr_bucket_delete(b);
    }
    return error;
}

static const lims_error_t *read_body(lims_exchange_t *x, apr_size_t limit, lims_sink_fn *sink,
                                     void *data)
{
    carrier_t *carrier = x->context;
    request_rec *r = carrier->r;
    apr_bucket_brigade *bb = apr_brigade_create(r->pool, r->connection->bucket_alloc);
    const lims_error_t *error = NULL;
    apr_size_t seen = 0;

    while (!error && !carrier->read) {
        apr_status_t rv = ap_get_brigade(r->input_filters, bb, AP_MODE_READBYTES, APR_BLOCK_READ,
                                         HUGE_STRING_LEN);
        error = rv == APR_SUCCESS ? read_brigade(x, bb, &seen, limit, sink, data)
                                  : body_error(carrier, rv);
        apr_brigade_cleanup(bb);
    }
    if (error && !carrier->read) {
        r->connection->keepalive = AP_CONN_CLOSE;
    }
    return error;
}

static const lims_error_t *admit(lims_exchange_t *x, apr_int64_t caller, bool costly)
{
    const lims_config_t *config = lims_config_of(((carrier_t *)x->context)->r->server);
    const lims_counted_caller_t counted = {
        .limit = x->rq.actor.session ? LIMS_LIMIT_SESSION : LIMS_LIMIT_COMMON,
        .id = caller,
        .hash = x->key_hash,
    };

    return lims_limit_count(config, &counted, costly, x->rq.reply->headers, x->rq.pool);
}

static const lims_error_t *check_unknown_key(lims_exchange_t *x)
{
    return lims_unknown_keys_check(((carrier_t *)x->context)->r, x->rq.reply->headers);
}

static void count_unknown_key(lims_exchange_t *x)
{
    lims_unknown_keys_count(((carrier_t *)x->context)->r);
}

static bool sign_ins_exceeded(const lims_exchange_t *x)
{
    return lims_sign_ins_exceeded(((carrier_t *)x->context)->r);
}

static void count_sign_in(const lims_exchange_t *x)
{
    lims_sign_ins_count(((carrier_t *)x->context)->r);
}

static const lims_error_t *enter_queue(lims_exchange_t *x, lims_queue_e queue)
{
    carrier_t *carrier = x->context;

    return lims_admission_acquire(&carrier->admission, queue, carrier->r->server, x->rq.pool);
}

static void leave_queue(lims_exchange_t *x, lims_queue_e queue)
{
    carrier_t *carrier = x->context;

    lims_admission_release(&carrier->admission, queue, carrier->r->server);
}

static const lims_error_t *ask_provider(bool *right, lims_exchange_t *x, const char *provider,
                                        const char *name, const char *password)
{
    return lims_provider_ask(right, ((carrier_t *)x->context)->r, provider, name, password);
}

static const lims_transport_t transport = {
    .connect = connect_database,
    .disconnect = disconnect_database,
    .read_body = read_body,
    .admit = admit,
    .check_unknown_key = check_unknown_key,
    .count_unknown_key = count_unknown_key,
    .sign_ins_exceeded = sign_ins_exceeded,
    .count_sign_in = count_sign_in,
    .enter_queue = enter_queue,
    .leave_queue = leave_queue,
    .ask_provider = ask_provider,
};

/* --- In and out ----------------------------------------------------------- */

static const char *request_id_of(request_rec *r)
{
    const char *sent = apr_table_get(r->headers_in, "X-Request-Id");
    const char *id = sent && lims_request_id_valid(sent) ? sent : lims_request_id_create(r->pool);

    return id ? id : "-";
}

/* Returns the User-Agent field as text that can be kept: printable ASCII, cut off. */
static const char *browser_of(request_rec *r)
{
    const char *sent = apr_table_get(r->headers_in, "User-Agent");
    char *kept = sent ? apr_pstrndup(r->pool, sent, BROWSER_MAX) : NULL;

    for (char *each = kept; each && *each; each++) {
        *each = apr_isprint(*each) && !((unsigned char)*each & 0x80) ? *each : '?';
    }
    return kept;
}

/* Header fields that a browser sends with a request of the application. */
static void fill_browser(lims_exchange_t *x, request_rec *r)
{
    x->cookies = apr_table_get(r->headers_in, "Cookie");
    x->session_named = apr_table_get(r->headers_in, "X-Lims-Session");
    x->asked_by_page = apr_table_get(r->headers_in, "X-Lims-Request");
    x->asked_in_background = apr_table_get(r->headers_in, "X-Lims-Background");
    x->fetch_site = apr_table_get(r->headers_in, "Sec-Fetch-Site");
    x->origin = apr_table_get(r->headers_in, "Origin");
    x->browser = browser_of(r);
    x->address = r->useragent_ip;
    x->signs_on = below_sign_on(&lims_config_of(r->server)->people, r);
    if (x->signs_on) {
        x->identity = lims_found_person(&x->identity_type, r);
    }
}

static void fill_exchange(lims_exchange_t *x, request_rec *r, const char *path)
{
    const lims_config_t *config = lims_config_of(r->server);
    const char *length = apr_table_get(r->headers_in, "Content-Length");

    x->rq.pool = r->pool;
    x->rq.id = request_id_of(r);
    x->rq.keyring = config->keyring;
    x->rq.model = config->model;
    x->rq.printer = config->printer.program ? &config->printer : NULL;
    x->rq.verification = config->verification;
    x->rq.settings = surface_of(r);
    x->rq.values = lims_values_create(r->pool);
    x->rq.reply = apr_pcalloc(r->pool, sizeof(*x->rq.reply));
    x->rq.reply->headers = apr_table_make(r->pool, 8);
    x->transport = &transport;
    x->method = r->method;
    x->path = path;
    x->query = r->args;
    if (x->rq.settings->surface == LIMS_SURFACE_APPLICATION) {
        fill_browser(x, r);
    } else {
        x->authorization = apr_table_get(r->headers_in, "Authorization");
    }
    x->content_type = apr_table_get(r->headers_in, "Content-Type");
    x->content_encoding = apr_table_get(r->headers_in, "Content-Encoding");
    x->content_length = length ? apr_atoi64(length) : -1;
    x->if_match = apr_table_get(r->headers_in, "If-Match");
    x->if_none_match = apr_table_get(r->headers_in, "If-None-Match");
    x->idempotency_key = apr_table_get(r->headers_in, "Idempotency-Key");
}

static int send_reply(request_rec *r, const lims_reply_t *reply, const char *request_id)
{
    apr_bucket_brigade *bb = apr_brigade_create(r->pool, r->connection->bucket_alloc);

    r->status = reply->status;
    r->status_line = NULL;
    /* mod_mime derives it from the URL, which says nothing about the answer. */
    r->content_encoding = NULL;
    r->content_languages = NULL;
    apr_table_overlap(r->err_headers_out, reply->headers, APR_OVERLAP_TABLES_SET);
    apr_table_setn(r->err_headers_out, "X-Request-Id", request_id);
    apr_table_setn(r->err_headers_out, "X-Content-Type-Options", "nosniff");
    if (reply->body || reply->file) {
        ap_set_content_type(r, reply->media_type ? reply->media_type : "application/json");
        ap_set_content_length(r, (apr_off_t)reply->length);
    }
    if (reply->file) {
        apr_brigade_insert_file(bb, reply->file, 0, (apr_off_t)reply->length, r->pool);
    } else if (reply->body) {
        APR_BRIGADE_INSERT_TAIL(bb, apr_bucket_pool_create(reply->body, reply->length, r->pool,
                                                           r->connection->bucket_alloc));
    }
    APR_BRIGADE_INSERT_TAIL(bb, apr_bucket_eos_create(r->connection->bucket_alloc));
    ap_pass_brigade(r->output_filters, bb);
    return OK;
}

/* --- Notes for httpd's log ------------------------------------------------- */

/* Sets the notes for LogFormat's %{lims-...}n (see conf/lims.conf). Method and path
 * are escaped, so that any of them can stand in a JSON string. */
static void set_notes(request_rec *r, const request_rec *asked, const lims_exchange_t *x)
{
    /* The method before httpd redirected to an ErrorDocument, which makes it GET. */
    const char *method = apr_table_get(asked->subprocess_env, "REQUEST_METHOD");
    apr_table_t *notes = r->notes;

    method = method ? method : asked->method;
    apr_table_setn(notes, "lims-request-id", x->rq.id);
    apr_table_setn(notes, "lims-method", ap_os_escape_path(r->pool, method ? method : "-", 1));
    apr_table_setn(notes, "lims-path",
                   ap_os_escape_path(r->pool, asked->uri ? asked->uri : "-", 1));
    if (x->rq.actor.organization) {
        apr_table_setn(notes, "lims-organization", x->rq.actor.organization);
    }
    if (x->rq.actor.key) {
        apr_table_setn(notes, "lims-key", x->rq.actor.key);
    }
    if (x->rq.actor.session) {
        apr_table_setn(notes, "lims-session", x->rq.actor.session);
    }
    if (x->match.route) {
        apr_table_setn(notes, "lims-route", x->match.route->operation);
    }
    if (x->error) {
        apr_table_setn(notes, "lims-error", lims_error_kinds[x->error->kind].slug);
    }
    apr_table_setn(notes, "lims-database-us",
                   apr_psprintf(r->pool, "%" APR_TIME_T_FMT, x->rq.usage.database));
    apr_table_setn(notes, "lims-round-trips", apr_itoa(r->pool, x->rq.usage.trips));
}

static void count(const request_rec *asked, const lims_exchange_t *x)
{
    bool is_of_key = x->context && x->rq.settings->surface == LIMS_SURFACE_API;
    const lims_measure_t measure = { .status = x->rq.reply->status,
                                     .route = x->match.route,
                                     .error = x->error,
                                     /* a 401 of httpd itself concerns no API key */
                                     .refused = is_of_key ? x->refused : LIMS_REFUSED_COUNT,
                                     .duration = apr_time_now() - asked->request_time,
                                     .database = x->rq.usage.database,
                                     .trips = x->rq.usage.trips };
    lims_counters_t *counters = lims_config_of(asked->server)->counters;

    lims_metrics_request(counters, &measure);
    if (is_of_key && x->key_hash) {
        lims_metrics_key(counters, x->key_known);
    }
}

/* Whether the error answers an API request, and not one for a static file. A request
 * that httpd could not parse counts as one. */
static bool is_api_request(const request_rec *asked)
{
    return !asked->uri || !*asked->uri || path_of(asked);
}

/* Answers a request that is refused before it reaches the service. `asked` is `r`, or
 * the request that httpd redirected to `r`. */
static int refuse(request_rec *r, const request_rec *asked, const lims_error_t *error, int status,
                  const char *request_id)
{
    lims_reply_t reply = { .status = status, .headers = apr_table_make(r->pool, 2) };
    const lims_exchange_t x = { .rq = { .id = request_id, .reply = &reply }, .error = error };

    reply.body = lims_error_body(&reply.length, error, r->pool);
    apr_table_setn(reply.headers, "Cache-Control", "no-store");
    if (error->kind == LIMS_E_SERVICE_UNAVAILABLE) {
        apr_table_setn(reply.headers, "Retry-After", "5");
    }
    if (is_api_request(asked)) {
        set_notes(r, asked, &x);
        count(asked, &x);
    }
    return send_reply(r, &reply, request_id);
}

/* --- httpd's own errors ---------------------------------------------------- */

static int answer_httpd_error(request_rec *r)
{
    int status = r->prev->status;
    const char *id = request_id_of(r->prev);
    const lims_error_t *error = lims_httpd_error(r->prev, status, r->pool);

    /* Conditions of CustomLog see the notes of the original request. */
    if (is_api_request(r->prev)) {
        apr_table_setn(r->prev->notes, "lims-request-id", id);
    }
    return refuse(r, r->prev, error, status, id);
}

/* --- The handler ---------------------------------------------------------- */

/* Largest rest of a body, in bytes, that is read and discarded to keep a connection. */
#define DISCARD_MAX 65536

/* Returns the size of the largest body that is read to its end before a refusal: a
 * form with a file of the maximal size. */
static apr_off_t discarded_body_max(const lims_settings_t *settings)
{
    apr_size_t longest =
        settings->file_max > settings->file_body_max ? settings->file_max : settings->file_body_max;

    return (apr_off_t)(longest > settings->body_max ? longest : settings->body_max) + DISCARD_MAX;
}

/* Reads the rest of the body of a refused HTTP/2 request. mod_http2 resets a stream
 * whose body was not read to its end, and many clients then miss the answer. For
 * callers without a valid key no more is read than httpd reads over HTTP/1.1. */
static void drain_body(request_rec *r, const lims_exchange_t *x)
{
    const carrier_t *carrier = x->context;
    apr_bucket_brigade *bb = apr_brigade_create(r->pool, r->connection->bucket_alloc);
    apr_off_t left = x->rq.actor.organization ? discarded_body_max(x->rq.settings) : DISCARD_MAX;
    apr_off_t length = 0;
    bool more = r->connection->master && !carrier->read && !carrier->broken;

    while (more && left > 0) {
        more = ap_get_brigade(r->input_filters, bb, AP_MODE_READBYTES, APR_BLOCK_READ,
                              HUGE_STRING_LEN) == APR_SUCCESS &&
               !(!APR_BRIGADE_EMPTY(bb) && APR_BUCKET_IS_EOS(APR_BRIGADE_LAST(bb))) &&
               apr_brigade_length(bb, 1, &length) == APR_SUCCESS;
        left -= length;
        apr_brigade_cleanup(bb);
    }
}

/* Closes the connection after the answer if the rest of a refused request's body is
 * large: httpd would read all of it. */
static void close_if_body_unread(request_rec *r, const lims_exchange_t *x)
{
    const carrier_t *carrier = x->context;
    bool chunked = apr_table_get(r->headers_in, "Transfer-Encoding");

    if (!carrier->read && (chunked || x->content_length > DISCARD_MAX)) {
        r->connection->keepalive = AP_CONN_CLOSE;
    }
}

static bool came_over_tls(request_rec *r)
{
    const lims_config_t *config = lims_config_of(r->server);
    const char *outside = apr_table_get(r->headers_in, "X-Forwarded-Proto");

    if (config->tls == LIMS_TLS_PROXY) {
        return !outside || strcasecmp(outside, "https") == 0;
    }
    return ap_ssl_conn_is_ssl(r->connection) != 0;
}

static int refuse_early(request_rec *r, lims_error_e kind, int number, const char *cause,
                        const char *message)
{
    const lims_error_t *error = lims_server_error(r->pool, kind, number, cause, "%s", message);
    const char *id = request_id_of(r);

    lims_log_error(r, error, id);
    return refuse(r, r, error, lims_error_kinds[kind].status, id);
}

/* Holds the answer back until its time, while the connection to the database serves others. */
static void hold_back(const lims_exchange_t *x)
{
    apr_time_t left = x->not_before ? x->not_before - apr_time_now() : 0;

    if (left > 0) {
        apr_sleep(left);
    }
}

int lims_handler(request_rec *r)
{
    const char *path = path_of(r);
    lims_exchange_t x = { .method = NULL };
    carrier_t carrier = { .r = r, .lease = { .pool = r->pool, .server = r->server } };

    if (!path) {
        return DECLINED;
    }
    if (r->prev && strcmp(path, ERROR_PATH) == 0) {
        return answer_httpd_error(r);
    }
    if (!came_over_tls(r)) {
        return refuse_early(r, LIMS_E_TLS_REQUIRED, 0, NULL,
                            "This service is only available over TLS: use https.");
    }
    if (!lims_config_of(r->server)->pool) {
        return refuse_early(r, LIMS_E_SERVICE_UNAVAILABLE, 54, "this child could not be set up",
                            "The service is not available; try again shortly.");
    }
    /* Byte ranges are not supported. */
    apr_table_unset(r->headers_in, "Range");
    apr_table_unset(r->headers_in, "Request-Range");
    fill_exchange(&x, r, path);
    x.context = &carrier;
    r->log_id = x.rq.id;
    lims_service_answer(&x);
    hold_back(&x);
    if (r->method_number != M_GET && x.rq.reply->status < 300) {
        lims_webhooks_wake(r->server);
    }
    if (x.rq.reply->prints && x.rq.reply->status < 300) {
        lims_watchdog_wake(r->server, LIMS_JOB_PRINT);
    }
    if (carrier.answered) {
        return AP_FILTER_ERROR;
    }
    drain_body(r, &x);
    close_if_body_unread(r, &x);
    set_notes(r, r, &x);
    count(r, &x);
    if (x.error) {
        lims_log_error(r, x.error, x.rq.id);
    }
    return send_reply(r, x.rq.reply, x.rq.id);
}
