/* SPDX-License-Identifier: Apache-2.0 */
/*
 * readings.h - what the tests of layouts and rules share: a profile in
 * apostrophes, a file as text, and what came of it as a line:
 *
 *   "2:3 S1 GLU=<20.00 mmol/L q< | 3:3 S2 …"       readings
 *   "non_numeric@4:3 [n.a.] | note:…@5:0"            reasons
 */
#ifndef LIMS_READINGS_H
#define LIMS_READINGS_H

#include <apr_strings.h>
#include <string.h>

#include "kernel/vocabulary.h"
#include "profiles/readings.h"
#include "unit.h"

static inline const lims_profile_t *profile_of(const char *text, apr_pool_t *pool)
{
    const lims_profile_t *profile = NULL;
    char *json = apr_pstrdup(pool, text);
    const lims_error_t *error;

    for (char *p = json; *p; p++) {
        *p = *p == '\'' ? '"' : *p;
    }
    error = lims_profile_parse(&profile, json, strlen(json), pool);
    if (error) {
        ok(false, "the profile %s is refused: %s", text, error->message);
    }
    return profile;
}

static inline const char *part(const char *before, const char *text, apr_pool_t *pool)
{
    return text ? apr_pstrcat(pool, " ", before, text, NULL) : "";
}

static inline const char *reading_text(const lims_reading_t *r, apr_pool_t *pool)
{
    return apr_pstrcat(
        pool, apr_psprintf(pool, "%d:%d ", r->row, r->column),
        r->tracking_id ? r->tracking_id : "?", " ", r->test_code ? r->test_code : "?", "=",
        r->result ? r->result : "?", part("", r->unit, pool), part("q", r->qualifier, pool),
        part("d", r->dilution, pool), part("r", r->replicate, pool),
        part("@", r->analysed_at, pool), part("by ", r->operator_name, pool),
        part("//", r->comment, pool),
        part("control ", r->control ? lims_control_types[r->control->type] : NULL, pool),
        part("against ", r->native, pool), NULL);
}

static inline const char *readings_text(const lims_readings_t *out, apr_pool_t *pool)
{
    apr_array_header_t *texts = apr_array_make(pool, 8, sizeof(char *));

    for (int i = 0; i < out->readings->nelts; i++) {
        APR_ARRAY_PUSH(texts, const char *) =
            reading_text(&APR_ARRAY_IDX(out->readings, i, lims_reading_t), pool);
    }
    return apr_array_pstrcat(pool, texts, '|');
}

static inline const char *why_text(const lims_readings_t *out, apr_pool_t *pool)
{
    apr_array_header_t *texts = apr_array_make(pool, 8, sizeof(char *));

    for (int i = 0; i < out->reasons->list->nelts; i++) {
        const lims_reason_t *reason = &APR_ARRAY_IDX(out->reasons->list, i, lims_reason_t);
        const char *cell = reason->cell ? apr_pstrcat(pool, " [", reason->cell, "]", NULL) : "";
        APR_ARRAY_PUSH(texts, const char *) =
            apr_psprintf(pool, "%s%s%s%s@%d:%d%s",
                         reason->blocking ? "" : "note:", reason->sheet ? reason->sheet : "",
                         reason->sheet ? "!" : "", lims_reason_name(reason->code), reason->row,
                         reason->column, cell);
    }
    return apr_array_pstrcat(pool, texts, '|');
}

/* "counts: rows results controls skipped". */
static inline const char *counts_text(const lims_readings_t *out, apr_pool_t *pool)
{
    return apr_psprintf(pool, "%d %d %d %d", out->counts.rows, out->counts.results,
                        out->counts.controls, out->counts.skipped);
}

static inline lims_readings_t *read_text(const char *profile, const char *text, apr_pool_t *pool)
{
    const lims_profile_t *parsed = profile_of(profile, pool);

    return parsed ? lims_file_read_with(text, strlen(text), "run 42.csv", parsed, pool) : NULL;
}

#endif /* LIMS_READINGS_H */
