/* SPDX-License-Identifier: Apache-2.0 */
/* outcome.c - outcomes of attempts as JSON for the database. */
#include <apr_strings.h>
#include <string.h>

#include "dispatch/dispatch_private.h"
#include "kernel/utf8.h"
#include "kernel/writer.h"

/* The status of a receiver that is gone for good (RFC 9110 section 15.5.11). */
#define GONE 410

#define ERROR_MAX 500

/* Returns the bytes of the well-formed UTF-8 character at `text`; 0: it is not one. */
static apr_size_t character_at(const char *text, apr_size_t length)
{
    for (apr_size_t bytes = 1; bytes <= 4 && bytes <= length; bytes++) {
        if (*text && lims_utf8_valid(text, bytes)) {
            return bytes;
        }
    }
    return 0;
}

/* Makes a receiver's text storable: malformed UTF-8 becomes U+FFFD. */
static const char *clean(const char *text, apr_size_t length, apr_pool_t *pool)
{
    static const char replacement[] = "\xEF\xBF\xBD";
    char *cleaned = apr_palloc(pool, 3 * length + 1);
    char *out = cleaned;

    while (length > 0) {
        apr_size_t bytes = character_at(text, length);
        memcpy(out, bytes ? text : replacement, bytes ? bytes : 3);
        out += bytes ? bytes : 3;
        text += bytes ? bytes : 1;
        length -= bytes ? bytes : 1;
    }
    *out = '\0';
    return cleaned;
}

static void write_text(lims_writer_t *w, const char *name, const char *text, apr_size_t length)
{
    lims_writer_key(w, name);
    lims_writer_string(w, text ? clean(text, length, lims_writer_pool(w)) : NULL);
}

static void write_seconds(lims_writer_t *w, const char *name, apr_interval_time_t interval)
{
    lims_writer_key(w, name);
    lims_writer_raw(w, apr_psprintf(lims_writer_pool(w), "%.6f", (double)interval / 1e6));
}

static void write_raw(lims_writer_t *w, const char *name, const char *json)
{
    lims_writer_key(w, name);
    lims_writer_raw(w, json);
}

static void write_outcome(lims_writer_t *w, const lims_delivery_t *delivery, bool plain,
                          apr_time_t now)
{
    apr_size_t error = delivery->error ? strlen(delivery->error) : 0;

    lims_writer_object_begin(w);
    write_raw(w, "organization", delivery->lane->organization);
    write_raw(w, "endpoint", delivery->lane->endpoint);
    write_raw(w, "delivery", delivery->id);
    write_raw(w, "attempts", delivery->attempts);
    write_raw(w, "retries", delivery->retries);
    lims_writer_key(w, "arrived");
    lims_writer_boolean(w, delivery->arrived);
    lims_writer_key(w, "final");
    lims_writer_boolean(w, delivery->status == GONE && !delivery->error);
    lims_writer_key(w, "after");
    lims_writer_integer(w, delivery->after);
    write_seconds(w, "ago", now - delivery->started);
    lims_writer_key(w, "duration");
    lims_writer_integer(w, delivery->duration / 1000);
    lims_writer_key(w, "status");
    if (delivery->status >= 100 && delivery->status <= 999) {
        lims_writer_integer(w, delivery->status);
    } else {
        lims_writer_null(w);
    }
    write_text(w, "excerpt", plain ? NULL : delivery->answer, delivery->answer_kept);
    write_text(w, "error", plain && delivery->error ? "failed" : delivery->error,
               plain && delivery->error ? 6
               : error < ERROR_MAX      ? error
                                        : ERROR_MAX);
    lims_writer_object_end(w);
}

const char *lims_outcomes_json(struct lims_delivery_ring_t *ended, bool plain, apr_pool_t *pool)
{
    lims_writer_t *w = lims_writer_create(pool);
    apr_time_t now = lims_time_monotonic();
    lims_delivery_t *delivery;
    apr_size_t length;

    lims_writer_array_begin(w);
    APR_RING_FOREACH(delivery, ended, lims_delivery_t, link)
    {
        write_outcome(w, delivery, plain, now);
    }
    lims_writer_array_end(w);
    return lims_writer_finish(&length, w);
}
