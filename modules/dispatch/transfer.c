/* SPDX-License-Identifier: Apache-2.0 */
/*
 * transfer.c - attempts: POST requests over HTTPS to URLs that customers chose, and so
 * restricted against server-side request forgery (SSRF).
 *
 * libcurl must not use other protocols, redirects, proxies of the environment, cookies,
 * .netrc, decompression, answers of unlimited size, or addresses that are not public.
 * The address is checked when the socket is opened, so it is the one that the name
 * resolved to this time.
 */
#include <apr_strings.h>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#include "dispatch/dispatch_private.h"
#include "kernel/address.h"
#include "kernel/signature.h"
#include "openapi/event_types.h"
#include "webhooks/secret.h"

/* Bound on an answer's header fields, bytes; libcurl keeps them all. */
#define HEADER_MAX 65536

/* Seconds after which an idle connection is not used again. */
#define IDLE_MAX 60L

apr_status_t lims_dispatch_init(apr_pool_t *pool)
{
    (void)pool;
    return curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK ? APR_SUCCESS : APR_EGENERAL;
}

/* --- Callbacks of libcurl ---------------------------------------------------- */

static bool address_of(lims_address_t *address, const struct curl_sockaddr *peer)
{
    memset(address, 0, sizeof(*address));
    if (peer->family == AF_INET) {
        struct sockaddr_in in;
        memcpy(&in, &peer->addr, sizeof(in));
        memcpy(address->bytes, &in.sin_addr, 4);
        address->length = 4;
    } else if (peer->family == AF_INET6) {
        struct sockaddr_in6 in6;
        /* curl_sockaddr has room for the address of any family. */
        memcpy(&in6, (const void *)&peer->addr, sizeof(in6));
        memcpy(address->bytes, &in6.sin6_addr, 16);
        address->length = 16;
    }
    return address->length != 0;
}

static const char *address_text(const lims_address_t *address, apr_pool_t *pool)
{
    char text[INET6_ADDRSTRLEN] = "";

    inet_ntop(address->length == 4 ? AF_INET : AF_INET6, address->bytes, text, sizeof(text));
    return apr_pstrdup(pool, text);
}

/* Adds an address to a list, unless it is there: libcurl may try one again. */
static void add_address(const char **list, const char *one, apr_pool_t *pool)
{
    const char *item = apr_pstrcat(pool, ", ", one, ",", NULL);

    if (!*list) {
        *list = one;
    } else if (!strstr(apr_pstrcat(pool, ", ", *list, ",", NULL), item)) {
        *list = apr_pstrcat(pool, *list, ", ", one, NULL);
    }
}

static curl_socket_t open_socket(void *data, curlsocktype purpose, struct curl_sockaddr *peer)
{
    lims_delivery_t *delivery = data;
    const lims_dispatch_settings_t *settings = delivery->settings;
    apr_pool_t *pool = delivery->pool;
    lims_address_t address;

    (void)purpose;
    /* With a proxy this is the proxy's address, and the proxy has to check the receiver's. */
    if (!settings->proxy) {
        const char *kind = address_of(&address, peer)
                               ? lims_address_refusal(&address, settings->allowed)
                               : "of no known family";
        const char *text = address_text(&address, pool);
        if (kind) {
            add_address(&delivery->refused, apr_pstrcat(pool, kind, " (", text, ")", NULL), pool);
            return CURL_SOCKET_BAD;
        }
        add_address(&delivery->tried, text, pool);
    }
    return socket(peer->family, peer->socktype | SOCK_CLOEXEC, peer->protocol);
}

static size_t take_header(char *bytes, size_t size, size_t count, void *data)
{
    lims_delivery_t *delivery = data;

    (void)bytes;
    delivery->header_seen += size * count;
    return delivery->header_seen > HEADER_MAX ? 0 : size * count;
}

static size_t take_answer(char *bytes, size_t size, size_t count, void *data)
{
    lims_delivery_t *delivery = data;
    const lims_dispatch_settings_t *settings = delivery->settings;
    size_t length = size * count, room = settings->excerpt_max - delivery->answer_kept;

    if (!delivery->answer) {
        delivery->answer = apr_palloc(delivery->pool, settings->excerpt_max + 1);
    }
    memcpy(delivery->answer + delivery->answer_kept, bytes, length < room ? length : room);
    delivery->answer_kept += length < room ? length : room;
    delivery->answer_seen += length;
    return delivery->answer_seen > settings->answer_max ? 0 : length;
}

/* --- Handles ---------------------------------------------------------------- */

static apr_status_t destroy(void *data)
{
    lims_transfers_t *transfers = data;

    while (!APR_RING_EMPTY(&transfers->flying, lims_delivery_t, link)) {
        lims_transfers_drop(transfers, APR_RING_FIRST(&transfers->flying));
    }
    for (int i = 0; i < transfers->idle->nelts; i++) {
        curl_easy_cleanup(APR_ARRAY_IDX(transfers->idle, i, CURL *));
    }
    curl_multi_cleanup(transfers->multi);
    return APR_SUCCESS;
}

lims_transfers_t *lims_transfers_create(const lims_dispatch_settings_t *settings, apr_pool_t *pool)
{
    lims_transfers_t *transfers = apr_pcalloc(pool, sizeof(*transfers));

    transfers->settings = settings;
    transfers->pool = pool;
    transfers->multi = curl_multi_init();
    transfers->idle = apr_array_make(pool, settings->in_flight, sizeof(CURL *));
    APR_RING_INIT(&transfers->flying, lims_delivery_t, link);
    if (!transfers->multi) {
        return NULL;
    }
    curl_multi_setopt(transfers->multi, CURLMOPT_MAXCONNECTS, (long)settings->in_flight);
    apr_pool_pre_cleanup_register(pool, transfers, destroy);
    return transfers;
}

/* Sets the options that are texts. libcurl copies them; if there is no memory for that,
 * the handle is not used, because it might bypass the proxy. */
static bool set_texts(CURL *easy, const lims_dispatch_settings_t *settings)
{
    const char *proxy = settings->proxy ? settings->proxy : "";

    /* An empty NOPROXY overrides no_proxy of the environment, so that no request bypasses
     * the proxy. */
    return curl_easy_setopt(easy, CURLOPT_PROXY, proxy) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_NOPROXY, "") == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_USERAGENT, LIMS_WEBHOOK_AGENT) == CURLE_OK &&
           (!settings->ca_file ||
            (curl_easy_setopt(easy, CURLOPT_CAINFO, settings->ca_file) == CURLE_OK &&
             curl_easy_setopt(easy, CURLOPT_CAPATH, NULL) == CURLE_OK));
}

/* Makes a handle with the options that all attempts share. */
static CURL *make_handle(const lims_dispatch_settings_t *settings)
{
    CURL *easy = curl_easy_init();

    if (!easy) {
        return NULL;
    }
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "https");
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    curl_easy_setopt(easy, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(easy, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
    curl_easy_setopt(easy, CURLOPT_HTTP_CONTENT_DECODING, 0L);
    curl_easy_setopt(easy, CURLOPT_MAXAGE_CONN, IDLE_MAX);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    /* The end of the thread must not wait for the resolution of a name. */
    curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open_socket);
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, take_header);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_answer);
    if (!set_texts(easy, settings)) {
        curl_easy_cleanup(easy);
        return NULL;
    }
    return easy;
}

static CURL *take_handle(lims_transfers_t *transfers)
{
    CURL **idle = apr_array_pop(transfers->idle);

    return idle ? *idle : make_handle(transfers->settings);
}

/* --- An attempt --------------------------------------------------------------- */

static bool add_header(lims_delivery_t *delivery, const char *name, const char *value)
{
    const char *line = apr_pstrcat(delivery->pool, name, ": ", value, NULL);
    struct curl_slist *longer = value ? curl_slist_append(delivery->headers, line) : NULL;

    if (longer) {
        delivery->headers = longer;
    }
    return longer;
}

/* Adds the contract's header fields, and those of Standard Webhooks for endpoints that
 * ask for them. While the former secret is valid these contain both signatures. */
static bool add_headers(lims_delivery_t *delivery, const char *secret, const char *previous)
{
    apr_pool_t *pool = delivery->pool;
    const char *timestamp = apr_psprintf(pool, "%" APR_TIME_T_FMT, apr_time_sec(apr_time_now()));
    bool added = add_header(delivery, "Content-Type", "application/json") &&
                 add_header(delivery, "X-Service-Event", delivery->type) &&
                 add_header(delivery, "X-Service-Delivery", delivery->uuid) &&
                 add_header(delivery, "X-Service-Timestamp", timestamp) &&
                 add_header(delivery, "X-Service-Signature",
                            lims_signature(secret, timestamp, delivery->body, pool));
    const char *standard = NULL;

    if (added && previous) {
        added = add_header(delivery, "X-Service-Signature-Previous",
                           lims_signature(previous, timestamp, delivery->body, pool));
    }
    if (added && delivery->standard_headers) {
        standard = lims_signature_standard(secret, delivery->uuid, timestamp, delivery->body, pool);
        if (standard && previous) {
            standard = apr_pstrcat(
                pool, standard, " ",
                lims_signature_standard(previous, delivery->uuid, timestamp, delivery->body, pool),
                NULL);
        }
        added = add_header(delivery, "webhook-id", delivery->uuid) &&
                add_header(delivery, "webhook-timestamp", timestamp) &&
                add_header(delivery, "webhook-signature", standard);
    }
    /* Without this libcurl would wait for "100 Continue" before the body. */
    return added && (delivery->headers = curl_slist_append(delivery->headers, "Expect:"));
}

static const char *open_secrets(const char **secret, const char **previous,
                                const lims_keyring_t *ring, lims_delivery_t *delivery)
{
    const lims_lane_t *lane = delivery->lane;
    const char *problem = lims_webhook_secret_open(
        secret, ring, delivery->secret, lane->organization, lane->endpoint, delivery->pool);

    *previous = NULL;
    if (!problem && delivery->previous_secret) {
        problem = lims_webhook_secret_open(previous, ring, delivery->previous_secret,
                                           lane->organization, lane->endpoint, delivery->pool);
    }
    return problem;
}

static void clear_attempt(lims_transfers_t *transfers, lims_delivery_t *delivery)
{
    if (delivery->easy) {
        APR_ARRAY_PUSH(transfers->idle, CURL *) = delivery->easy;
        delivery->easy = NULL;
    }
    curl_slist_free_all(delivery->headers);
    delivery->headers = NULL;
}

/* Returns the milliseconds left for an attempt, at least one: 0 would mean no limit. */
static long time_left(const lims_delivery_t *delivery)
{
    apr_interval_time_t passed = lims_time_monotonic() - delivery->started;
    apr_interval_time_t left = delivery->settings->timeout - passed;

    return left < 1000 ? 1L : (long)(left / 1000);
}

static bool begin_transfer(lims_transfers_t *transfers, lims_delivery_t *delivery)
{
    CURL *easy = delivery->easy;
    long left = time_left(delivery);

    curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, left);
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, left);
    curl_easy_setopt(easy, CURLOPT_FRESH_CONNECT, delivery->again ? 1L : 0L);
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, delivery->headers);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, delivery->body);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)strlen(delivery->body));
    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, delivery->curl_error);
    curl_easy_setopt(easy, CURLOPT_PRIVATE, delivery);
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, delivery);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, delivery);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, delivery);
    return curl_easy_setopt(easy, CURLOPT_URL, delivery->url) == CURLE_OK &&
           curl_multi_add_handle(transfers->multi, easy) == CURLM_OK;
}

const char *lims_transfers_start(lims_transfers_t *transfers, lims_delivery_t *delivery)
{
    const char *secret = NULL, *previous = NULL;
    const char *problem = open_secrets(&secret, &previous, transfers->settings->keyring, delivery);

    if (problem) {
        return problem;
    }
    delivery->settings = transfers->settings;
    delivery->started = lims_time_monotonic();
    delivery->easy = take_handle(transfers);
    if (!delivery->easy || !add_headers(delivery, secret, previous) ||
        !begin_transfer(transfers, delivery)) {
        clear_attempt(transfers, delivery);
        return "the HTTP request could not be prepared (out of memory, or libcurl refused an "
               "option)";
    }
    APR_RING_INSERT_TAIL(&transfers->flying, delivery, lims_delivery_t, link);
    return NULL;
}

void lims_transfers_drop(lims_transfers_t *transfers, lims_delivery_t *delivery)
{
    curl_multi_remove_handle(transfers->multi, delivery->easy);
    APR_RING_REMOVE(delivery, link);
    clear_attempt(transfers, delivery);
}

/* Describes a failed connection by its addresses: libcurl names the host alone, and the
 * last of several reasons. */
static const char *describe_failed_connection(const lims_delivery_t *delivery)
{
    char reason[256] = "";
    long number = 0;

    curl_easy_getinfo(delivery->easy, CURLINFO_OS_ERRNO, &number);
    return apr_psprintf(delivery->pool, "not connected to %s: %s%s", delivery->tried,
                        number ? apr_strerror((apr_status_t)number, reason, sizeof(reason))
                               : "no connection",
                        strchr(delivery->tried, ',') ? " (the last)" : "");
}

static const char *failure_of(const lims_delivery_t *delivery, CURLcode code)
{
    apr_pool_t *pool = delivery->pool;

    if (code == CURLE_COULDNT_CONNECT && delivery->tried) {
        return describe_failed_connection(delivery);
    }

    switch (code) {
    case CURLE_OPERATION_TIMEDOUT:
        return apr_psprintf(pool, "no complete answer within %" APR_INT64_T_FMT " ms",
                            (apr_int64_t)(delivery->settings->timeout / 1000));
    case CURLE_WRITE_ERROR:
        return "the answer's header is too long";
    default:
        return apr_psprintf(
            pool, "%s", delivery->curl_error[0] ? delivery->curl_error : curl_easy_strerror(code));
    }
}

static const char *error_of(const lims_delivery_t *delivery, CURLcode code)
{
    apr_pool_t *pool = delivery->pool;

    if (delivery->refused && !delivery->tried) {
        return apr_psprintf(pool, "not connected: the address is %s, and not allowed",
                            delivery->refused);
    }
    if (delivery->refused) {
        return apr_psprintf(pool, "%s; another address is %s, and not allowed",
                            failure_of(delivery, code), delivery->refused);
    }
    return failure_of(delivery, code);
}

/* Whether the receiver answered; an answer longer than the bound counts too. */
static bool is_answered(const lims_delivery_t *delivery, CURLcode code)
{
    return code == CURLE_OK ||
           (code == CURLE_WRITE_ERROR && delivery->answer_seen > delivery->settings->answer_max);
}

static void take_outcome(lims_delivery_t *delivery, CURLcode code)
{
    curl_off_t after = 0;

    curl_easy_getinfo(delivery->easy, CURLINFO_RESPONSE_CODE, &delivery->status);
    curl_easy_getinfo(delivery->easy, CURLINFO_RETRY_AFTER, &after);
    delivery->duration = lims_time_monotonic() - delivery->started;
    delivery->after = after;
    if (is_answered(delivery, code)) {
        delivery->arrived = delivery->status >= 200 && delivery->status < 300;
    } else {
        delivery->error = error_of(delivery, code);
    }
}

/* Whether the attempt failed on a dead kept-alive connection: the receiver closed it
 * while it was used again. That says nothing about the receiver and counts as no
 * attempt. libcurl itself tries again, but perhaps on another dead one. */
static bool failed_on_dead_connection(const lims_delivery_t *delivery, CURLcode code)
{
    long opened = 0;

    curl_easy_getinfo(delivery->easy, CURLINFO_NUM_CONNECTS, &opened);
    return (code == CURLE_SEND_ERROR || code == CURLE_RECV_ERROR || code == CURLE_GOT_NOTHING) &&
           opened == 0 && delivery->header_seen == 0 && !delivery->again;
}

static bool begin_transfer_again(lims_transfers_t *transfers, lims_delivery_t *delivery)
{
    curl_multi_remove_handle(transfers->multi, delivery->easy);
    delivery->again = true;
    return begin_transfer(transfers, delivery);
}

lims_delivery_t *lims_transfers_ended(lims_transfers_t *transfers)
{
    int left;
    CURLMsg *message;

    while ((message = curl_multi_info_read(transfers->multi, &left))) {
        char *private = NULL;
        CURLcode code = message->data.result;
        lims_delivery_t *delivery;

        if (message->msg != CURLMSG_DONE) {
            continue;
        }
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &private);
        delivery = (lims_delivery_t *)(void *)private;
        if (failed_on_dead_connection(delivery, code) &&
            begin_transfer_again(transfers, delivery)) {
            continue;
        }
        take_outcome(delivery, code);
        lims_transfers_drop(transfers, delivery);
        return delivery;
    }
    return NULL;
}
