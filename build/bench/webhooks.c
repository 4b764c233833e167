/* SPDX-License-Identifier: Apache-2.0 */
/*
 * webhooks.c - what libcurl alone can do: the reference of build/bench/webhooks.
 *
 *     webhooks CA-FILE COUNT PER-URL BODY URL...
 *
 * POSTs BODY COUNT times, to the URLs in turn, with PER-URL of them under way at
 * once to each; prints how many were answered with 2xx and how many seconds it
 * took. No database, no signatures, nothing is kept.
 */
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static size_t ignore(char *bytes, size_t size, size_t count, void *data)
{
    (void)bytes;
    (void)data;
    return size * count;
}

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static struct curl_slist *headers_of(void)
{
    static const char *const lines[] = {
        "Content-Type: application/json",
        "X-Service-Event: sample.created",
        "X-Service-Delivery: 123e4567-e89b-42d3-a456-426614174000",
        "X-Service-Timestamp: 1700000000",
        "X-Service-Signature: sha256="
        "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
        "Expect:",
    };
    struct curl_slist *headers = NULL;

    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        headers = curl_slist_append(headers, lines[i]);
    }
    return headers;
}

static CURL *make(const char *ca_file, const char *body, const char *url,
                  struct curl_slist *headers)
{
    CURL *easy = curl_easy_init();

    curl_easy_setopt(easy, CURLOPT_URL, url);
    curl_easy_setopt(easy, CURLOPT_CAINFO, ca_file);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, body);
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, ignore);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    return easy;
}

/* Takes what has ended and starts it again while there is more to send. */
static long collect(CURLM *multi, long *started, long count)
{
    long answered = 0;
    int left;

    for (CURLMsg *message; (message = curl_multi_info_read(multi, &left));) {
        CURL *easy = message->easy_handle;
        long status = 0;
        if (message->msg != CURLMSG_DONE) {
            continue;
        }
        curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
        answered += status >= 200 && status < 300;
        curl_multi_remove_handle(multi, easy);
        if (*started < count) {
            (*started)++;
            curl_multi_add_handle(multi, easy);
        }
    }
    return answered;
}

int main(int argc, char **argv)
{
    long count, per_url, started = 0, answered = 0;
    struct curl_slist *headers;
    int running = 1;
    CURLM *multi;
    double begun;

    if (argc < 6) {
        return 2;
    }
    count = strtol(argv[2], NULL, 10);
    per_url = strtol(argv[3], NULL, 10);
    curl_global_init(CURL_GLOBAL_DEFAULT);
    multi = curl_multi_init();
    headers = headers_of();
    begun = now();
    for (long i = 0; i < per_url; i++) {
        for (int url = 5; url < argc && started < count; url++, started++) {
            curl_multi_add_handle(multi, make(argv[1], argv[4], argv[url], headers));
        }
    }
    while (running) {
        curl_multi_perform(multi, &running);
        answered += collect(multi, &started, count);
        curl_multi_perform(multi, &running);
        if (running) {
            curl_multi_poll(multi, NULL, 0, 1000, NULL);
        }
    }
    printf("%ld %.6f\n", answered, now() - begun);
    return 0;
}
