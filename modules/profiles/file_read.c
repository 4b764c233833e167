/* SPDX-License-Identifier: Apache-2.0 */
/*
 * file_read.c - reading of a file with profiles: choice of the profile, the
 * document, the layout, and the checks of the file as a whole.
 */
#include <apr_strings.h>
#include <string.h>

#include "profiles/layout.h"
#include "profiles/match.h"

static lims_readings_t *create(const char *file_name, apr_pool_t *pool)
{
    lims_readings_t *out = apr_pcalloc(pool, sizeof(*out));

    out->candidates = apr_array_make(pool, 1, sizeof(const lims_profile_t *));
    out->readings = apr_array_make(pool, 64, sizeof(lims_reading_t));
    out->reasons = lims_reasons_create(pool);
    out->file_name = apr_pstrdup(pool, file_name);
    out->matcher = lims_matcher_create(0, pool);
    return out;
}

/* --- Reading ----------------------------------------------------------------- */

static void read_with(lims_readings_t *out, const char *bytes, apr_size_t length,
                      const lims_profile_t *profile, apr_pool_t *pool)
{
    const lims_document_t *document =
        lims_profile_document(profile, bytes, length, out->reasons, pool);

    out->profile = profile;
    if (!document) {
        return;
    }
    if ((profile->match.containers & 1U << document->container) == 0) {
        lims_reasons_block(out->reasons, LIMS_REASON_UNKNOWN_PROFILE, 0, 0,
                           "The file is none for the profile \"%s\": it is a file of the kind %s.",
                           profile->code, lims_container_name(document->container));
        return;
    }
    lims_layout_read(out, document, profile, pool);
    if (out->readings->nelts == 0 && out->reasons->blocking == 0) {
        lims_reasons_block(out->reasons, LIMS_REASON_NO_RESULT_ROWS, 0, 0,
                           "The profile \"%s\" finds no result in the file: of %d rows %d were "
                           "passed over, %d of them as controls.",
                           profile->code, out->counts.rows, out->counts.skipped, out->counts.left);
    }
}

/* Adds a reason if an expression of the profile was stopped by its limits, since
 * it may have hidden values. */
static lims_readings_t *finish(lims_readings_t *out)
{
    const char *pattern = lims_matcher_exhausted(out->matcher);

    if (pattern) {
        lims_reasons_block(out->reasons, LIMS_REASON_PROFILE_ERROR, 0, 0,
                           "The expression \"%s\" of a profile takes too long on this file.",
                           pattern);
    }
    return out;
}

lims_readings_t *lims_file_read_with(const char *bytes, apr_size_t length, const char *file_name,
                                     const lims_profile_t *profile, apr_pool_t *pool)
{
    lims_readings_t *out = create(file_name, pool);

    read_with(out, bytes, length, profile, pool);
    return finish(out);
}

lims_readings_t *lims_file_read(const char *bytes, apr_size_t length, const char *file_name,
                                const apr_array_header_t *profiles, const char *named,
                                apr_pool_t *pool)
{
    lims_readings_t *out = create(file_name, pool);

    out->candidates = lims_match(out, bytes, length, profiles, named, pool);
    if (out->candidates->nelts == 1) {
        read_with(out, bytes, length, APR_ARRAY_IDX(out->candidates, 0, const lims_profile_t *),
                  pool);
    }
    return finish(out);
}
