/* SPDX-License-Identifier: Apache-2.0 */
/* golden.c - comparison of a profile's golden files with their readings. */
#include "profiles/golden.h"

#include <apr_strings.h>
#include <stddef.h>
#include <string.h>

#include "kernel/error.h"
#include "kernel/vocabulary.h"
#include "profiles/readings.h"

/* --- Rows ------------------------------------------------------------------ */

/* Members that are compared if the expected row has them. */
static const struct {
    const char *name;
    apr_size_t expected, read;
} parts[] = {
#define PART(name, member)                                                                         \
    {                                                                                              \
        name, offsetof(lims_golden_row_t, member), offsetof(lims_reading_t, member)                \
    }
    PART("trackingId", tracking_id), PART("testCode", test_code),
    PART("result", result),          PART("unit", unit),
    PART("qualifier", qualifier),    PART("analysedAt", analysed_at),
};

static const char *text_at(const void *structure, apr_size_t offset)
{
    const char *text;

    memcpy(&text, (const char *)structure + offset, sizeof(text));
    return text;
}

static const lims_error_t *check_row(int file, int row, const lims_golden_row_t *expected,
                                     const lims_reading_t *reading, apr_pool_t *pool)
{
    const char *type = reading->control ? lims_control_types[reading->control->type] : "none";
    const char *wanted = expected->control_type;

    for (apr_size_t i = 0; i < LIMS_LENGTH(parts); i++) {
        const char *want = text_at(expected, parts[i].expected);
        const char *got = text_at(reading, parts[i].read);

        if (want && strcmp(want, got ? got : "") != 0) {
            return lims_client_error(
                pool, LIMS_E_INVALID_BODY,
                "goldenFiles[%d].rows[%d].%s: is \"%s\", but \"%s\" is read in row %d", file, row,
                parts[i].name, want, got ? got : "", reading->row);
        }
    }
    return strcmp(type, wanted) == 0
               ? NULL
               : lims_client_error(
                     pool, LIMS_E_INVALID_BODY,
                     "goldenFiles[%d].rows[%d].controlType: is %s, but %s is read in row %d", file,
                     row, wanted, type, reading->row);
}

static const lims_error_t *check_rows(int file, const apr_array_header_t *rows,
                                      const lims_readings_t *read, apr_pool_t *pool)
{
    const lims_error_t *error = NULL;

    for (int i = 0; i < rows->nelts && i < read->readings->nelts && !error; i++) {
        error = check_row(file, i, &APR_ARRAY_IDX(rows, i, lims_golden_row_t),
                          &APR_ARRAY_IDX(read->readings, i, lims_reading_t), pool);
    }
    if (!error && rows->nelts != read->readings->nelts) {
        error = lims_client_error(pool, LIMS_E_INVALID_BODY,
                                  "goldenFiles[%d].rows: are %d, but %d values are read", file,
                                  rows->nelts, read->readings->nelts);
    }
    return error;
}

/* --- Reasons --------------------------------------------------------------- */

static bool is_listed(const apr_array_header_t *names, const char *name)
{
    for (int i = 0; names && i < names->nelts; i++) {
        if (strcmp(APR_ARRAY_IDX(names, i, const char *), name) == 0) {
            return true;
        }
    }
    return false;
}

static bool has_blocking_reason(const lims_reasons_t *reasons, const char *name)
{
    for (int i = 0; i < reasons->list->nelts; i++) {
        const lims_reason_t *reason = &APR_ARRAY_IDX(reasons->list, i, lims_reason_t);

        if (reason->blocking && strcmp(lims_reason_name(reason->code), name) == 0) {
            return true;
        }
    }
    return false;
}

/* Checks that the file's blocking reasons are exactly the expected ones. */
static const lims_error_t *check_reasons(int file, const apr_array_header_t *expected,
                                         const lims_reasons_t *reasons, apr_pool_t *pool)
{
    for (int i = 0; i < reasons->list->nelts; i++) {
        const lims_reason_t *reason = &APR_ARRAY_IDX(reasons->list, i, lims_reason_t);

        if (reason->blocking && !is_listed(expected, lims_reason_name(reason->code))) {
            return lims_client_error(pool, LIMS_E_INVALID_BODY,
                                     "goldenFiles[%d]: is held back by %s in row %d: %s", file,
                                     lims_reason_name(reason->code), reason->row, reason->message);
        }
    }
    for (int i = 0; expected && i < expected->nelts; i++) {
        const char *name = APR_ARRAY_IDX(expected, i, const char *);

        if (!has_blocking_reason(reasons, name)) {
            return lims_client_error(pool, LIMS_E_INVALID_BODY,
                                     "goldenFiles[%d].reasons[%d]: %s does not hold the file back",
                                     file, i, name);
        }
    }
    return NULL;
}

const lims_error_t *lims_golden_check(const lims_profile_t *profile, int index, const char *bytes,
                                      apr_size_t length, apr_pool_t *pool)
{
    const lims_golden_t *golden = &APR_ARRAY_IDX(profile->golden_files, index, lims_golden_t);
    apr_array_header_t *profiles = apr_array_make(pool, 1, sizeof(const lims_profile_t *));
    const lims_readings_t *read;
    const lims_error_t *error;
    apr_pool_t *scratch;

    APR_ARRAY_PUSH(profiles, const lims_profile_t *) = profile;
    apr_pool_create(&scratch, pool);
    read = lims_file_read(bytes, length, golden->file_name, profiles, NULL, scratch);
    error = check_reasons(index, golden->reasons, read->reasons, pool);
    if (!error && golden->rows) {
        error = check_rows(index, golden->rows, read, pool);
    }
    apr_pool_destroy(scratch);
    return error;
}
