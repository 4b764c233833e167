/* SPDX-License-Identifier: Apache-2.0 */
/*
 * client.c - the HTTP client of the model service.
 *
 * libcurl must not use protocols other than HTTP(S), redirects, proxies of the
 * environment, cookies, .netrc, or answers of unlimited size. The administrator alone
 * configures the URL, so private addresses are allowed.
 */
#include "extraction/client.h"

#include <apr_strings.h>
#include <curl/curl.h>
#include <stdatomic.h>
#include <string.h>
#include <strings.h>

#include "kernel/time.h"

/* Bound on an answer, bytes: ten times the largest useful one. */
#define ANSWER_MAX (4 * 1024 * 1024)
#define HEADER_MAX 65536

#define AGENT "mod_lims/" LIMS_VERSION

static _Atomic int under_way;

typedef struct {
    const lims_model_t *model;
    apr_time_t deadline; /* monotonic */
    apr_pool_t *pool;
    struct curl_slist *headers;
    char *answer;
    apr_size_t length, room, header_seen;
    char error[CURL_ERROR_SIZE];
    long status;
    bool json; /* whether the Content-Type is JSON or missing */
} call_t;

/* --- Callbacks of libcurl ------------------------------------------------------------ */

static size_t on_header(char *bytes, size_t size, size_t count, void *data)
{
    call_t *call = data;

    (void)bytes;
    call->header_seen += size * count;
    return call->header_seen > HEADER_MAX ? 0 : size * count;
}

static size_t on_body(char *bytes, size_t size, size_t count, void *data)
{
    call_t *call = data;
    size_t length = size * count;

    if (call->length + length > ANSWER_MAX) {
        return 0;
    }
    if (call->length + length > call->room) {
        apr_size_t room = 2 * (call->length + length);
        char *longer = apr_palloc(call->pool, room);

        memcpy(longer, call->answer, call->length);
        call->answer = longer;
        call->room = room;
    }
    memcpy(call->answer + call->length, bytes, length);
    call->length += length;
    return length;
}

/* --- A call --------------------------------------------------------------------------- */

static bool add_header(call_t *call, const char *name, const char *value)
{
    const char *line = value ? apr_pstrcat(call->pool, name, ": ", value, NULL)
                             : apr_pstrcat(call->pool, name, ":", NULL);
    struct curl_slist *longer = curl_slist_append(call->headers, line);

    if (longer) {
        call->headers = longer;
    }
    return longer;
}

static bool add_headers(call_t *call)
{
    const lims_model_t *model = call->model;
    bool added = add_header(call, "Content-Type", "application/json") &&
                 /* Without this libcurl would wait for "100 Continue" before the body. */
                 add_header(call, "Expect", NULL);

    if (added && model->style == LIMS_STYLE_ANTHROPIC) {
        added = add_header(call, "anthropic-version", "2023-06-01");
    }
    if (!added || !model->key) {
        return added;
    }
    switch (model->style) {
    case LIMS_STYLE_AZURE:
        return add_header(call, "api-key", model->key);
    case LIMS_STYLE_ANTHROPIC:
        return add_header(call, "x-api-key", model->key);
    default:
        return add_header(call, "Authorization",
                          apr_pstrcat(call->pool, "Bearer ", model->key, NULL));
    }
}

static long milliseconds(apr_interval_time_t time)
{
    return (long)((time + 999) / 1000);
}

static void set_limits(CURL *easy, const lims_model_t *model, apr_interval_time_t left)
{
    apr_interval_time_t connect = model->connect_timeout < left ? model->connect_timeout : left;

    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "https,http");
    curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    curl_easy_setopt(easy, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
    curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, milliseconds(left));
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, milliseconds(connect));
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
}

/* Sets a PEM that was read at start: the children may have no right to read its file. */
static CURLcode set_pem(CURL *easy, CURLoption option, const char *pem)
{
    struct curl_blob blob = { .data = (void *)(apr_uintptr_t)pem,
                              .len = strlen(pem),
                              .flags = CURL_BLOB_NOCOPY };

    return curl_easy_setopt(easy, option, &blob);
}

/* Sets a text option. libcurl copies texts; if there is no memory for that, the call is
 * not made, because it might bypass the proxy. */
static CURLcode set_text(CURL *easy, CURLoption option, const char *text)
{
    return curl_easy_setopt(easy, option, text);
}

static CURLcode set_way(CURL *easy, const lims_model_t *model)
{
    CURLcode code = set_text(easy, CURLOPT_URL, model->url);

    /* The API key must not be sent to a proxy. */
    curl_easy_setopt(easy, CURLOPT_HEADEROPT, (long)CURLHEADER_SEPARATE);
    code = code ? code : set_text(easy, CURLOPT_PROXY, model->proxy ? model->proxy : "");
    code = code ? code : set_text(easy, CURLOPT_NOPROXY, "");
    code = code ? code : set_text(easy, CURLOPT_USERAGENT, AGENT);
    if (model->ca_file) {
        code = code ? code : set_text(easy, CURLOPT_CAINFO, model->ca_file);
        code = code ? code : set_text(easy, CURLOPT_CAPATH, NULL);
    }
    if (model->certificate) {
        code = code ? code : set_pem(easy, CURLOPT_SSLCERT_BLOB, model->certificate);
        code = code ? code : set_pem(easy, CURLOPT_SSLKEY_BLOB, model->certificate_key);
    }
    return code;
}

static CURLcode set_request(call_t *call, CURL *easy, const char *body)
{
    set_limits(easy, call->model, call->deadline - lims_time_monotonic());
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, call->headers);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, body);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)strlen(body));
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, call);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, call);
    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, call->error);
    return set_way(easy, call->model);
}

/* Whether an answer claims to be JSON: anything else is the page of a proxy or portal. */
static bool is_json(CURL *easy)
{
    const char *type = NULL;

    curl_easy_getinfo(easy, CURLINFO_CONTENT_TYPE, &type);
    return !type || strncasecmp(type, "application/json", 16) == 0;
}

static CURLcode perform(call_t *call, const char *body)
{
    CURL *easy = curl_easy_init();
    CURLcode code = CURLE_OUT_OF_MEMORY;

    if (easy && add_headers(call)) {
        code = set_request(call, easy, body);
    }
    if (easy && code == CURLE_OK) {
        code = curl_easy_perform(easy);
        curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &call->status);
        call->json = is_json(easy);
    }
    curl_slist_free_all(call->headers);
    call->headers = NULL;
    curl_easy_cleanup(easy);
    return code;
}

/* Makes one call: returns the model's text, or the problem. */
static lims_call_e ask_once(const char **text, const char **problem, const lims_model_t *model,
                            const char *body, apr_time_t deadline, apr_pool_t *pool)
{
    call_t call = { .model = model, .deadline = deadline, .pool = pool, .room = 65536 };
    CURLcode code;

    if (deadline - lims_time_monotonic() < apr_time_from_msec(1)) {
        *problem = "the time of LimsExtractionTimeout was up before the last call";
        return LIMS_CALL_UNREACHABLE;
    }
    call.answer = apr_palloc(pool, call.room);
    code = perform(&call, body);
    if (code == CURLE_WRITE_ERROR) {
        *problem = "the answer is too long";
        return LIMS_CALL_NONSENSE;
    }
    if (code != CURLE_OK) {
        *problem = apr_pstrdup(pool, call.error[0] ? call.error : curl_easy_strerror(code));
        return LIMS_CALL_UNREACHABLE;
    }
    if (call.status < 200 || call.status > 299) {
        *problem = apr_psprintf(pool, "the service answered %ld", call.status);
        return LIMS_CALL_FAILED;
    }
    if (!call.json) {
        *problem = "the service answered something else than application/json";
        return LIMS_CALL_FAILED;
    }
    return lims_answer_open(text, problem, model->style, call.answer, call.length, pool);
}

/* Makes one look at the file. `*repairs`: how many more malformed answers may be
 * repaired by a second call. */
static lims_call_e look(apr_array_header_t **pointers, const char **problem, int *repairs,
                        const lims_model_t *model, const char *data, apr_time_t deadline,
                        apr_pool_t *pool)
{
    const char *text = NULL, *first = NULL, *body;
    lims_call_e outcome;

    while (true) {
        body = lims_prompt_body(model->style, model->output, model->name, data, first,
                                first ? *problem : NULL, pool);
        outcome = ask_once(&text, problem, model, body, deadline, pool);
        if (outcome == LIMS_CALL_ANSWERED && lims_answer_read(pointers, problem, text, pool)) {
            return first ? LIMS_CALL_REPAIRED : LIMS_CALL_ANSWERED;
        }
        outcome = outcome == LIMS_CALL_ANSWERED ? LIMS_CALL_NONSENSE : outcome;
        if (outcome != LIMS_CALL_NONSENSE || first || (*repairs)-- == 0) {
            return outcome;
        }
        first = text ? text : "";
    }
}

static lims_call_e ask(apr_array_header_t **pointers, const char **problem,
                       const lims_model_t *model, const char *const *looks, int count,
                       apr_pool_t *pool)
{
    apr_time_t deadline = lims_time_monotonic() + model->timeout;
    lims_call_e outcome = LIMS_CALL_ANSWERED, worst = LIMS_CALL_ANSWERED;
    int repairs = 1;

    for (int i = 0; i < count; i++) {
        outcome = look(&pointers[i], problem, &repairs, model, looks[i], deadline, pool);
        if (outcome != LIMS_CALL_ANSWERED && outcome != LIMS_CALL_REPAIRED) {
            return outcome;
        }
        worst = outcome == LIMS_CALL_REPAIRED ? outcome : worst;
    }
    return worst;
}

lims_call_e lims_model_ask(apr_array_header_t **pointers, const char **problem,
                           const lims_model_t *model, const char *const *looks, int count,
                           apr_pool_t *pool)
{
    apr_time_t begin = lims_time_monotonic();
    lims_call_e outcome = LIMS_CALL_BUSY;

    *problem = "as many files are looked at as LimsExtractionConcurrency allows";
    if (atomic_fetch_add(&under_way, 1) < model->concurrency) {
        outcome = ask(pointers, problem, model, looks, count, pool);
    }
    atomic_fetch_sub(&under_way, 1);
    if (model->count) {
        model->count(model->counted, outcome, lims_time_monotonic() - begin);
    }
    return outcome;
}
