/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A query string against a table with every kind of parameter.
 */
#include "fuzz.h"
#include "kernel/field.h"
#include "kernel/utf8.h"

static const char *const values[] = { "pending", "received", NULL };

static const lims_field_t fields[] = {
    { .name = "s", .type = LIMS_T_ENUM, .values = values },
    { .name = "i", .type = LIMS_T_ID },
    { .name = "t", .type = LIMS_T_STRING, .max = 8 },
    { .name = "b", .type = LIMS_T_BOOLEAN },
    { .name = "since", .type = LIMS_T_MOMENT },
    { .name = "until", .type = LIMS_T_MOMENT_END },
    { .name = "limit", .type = LIMS_T_INTEGER, .min = 1, .max = 500, .fallback = "50" },
    { .name = "d", .type = LIMS_T_DECIMAL, .max = 1 },
    { .name = "l", .type = LIMS_T_STRING_LIST },
    { .name = "il", .type = LIMS_T_ID_LIST },
    LIMS_FIELD_END,
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    apr_pool_t *pool = fuzz_pool();
    const char *query = apr_pstrmemdup(pool, (const char *)data, size);
    lims_values_t *taken = lims_values_create(pool);
    const lims_error_t *error = lims_field_query(taken, fields, true, query, pool);

    if (error) {
        must(error->kind == LIMS_E_INVALID_QUERY, "a refused query is invalid_query");
        must_be_answerable(error, pool);
    } else {
        long limit = strtol(lims_values_get(taken, "limit"), NULL, 10);

        must(limit >= 1 && limit <= 500, "a page has a size");
        for (int i = 0; i < taken->count; i++) {
            const char *text = taken->items[i].text;

            must(text && lims_utf8_valid(text, strlen(text)), "a value is UTF-8");
        }
    }
    apr_pool_destroy(pool);
    return 0;
}
