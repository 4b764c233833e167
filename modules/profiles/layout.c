/* SPDX-License-Identifier: Apache-2.0 */
/* layout.c - the way from a document to readings. */
#include "profiles/layout.h"

#include "profiles/fold.h"

#include <string.h>

static void (*const layouts[])(lims_layout_t *) = {
    [LIMS_LAYOUT_LONG] = lims_layout_long,
    [LIMS_LAYOUT_WIDE] = lims_layout_wide,
    [LIMS_LAYOUT_GROUPED] = lims_layout_grouped,
    [LIMS_LAYOUT_TRANSPOSED] = lims_layout_transposed,
    [LIMS_LAYOUT_KEYVALUE] = lims_layout_keyvalue,
    [LIMS_LAYOUT_MATRIX] = lims_layout_matrix,
    [LIMS_LAYOUT_ASTM] = lims_layout_astm,
    [LIMS_LAYOUT_HL7] = lims_layout_hl7,
    [LIMS_LAYOUT_XML] = lims_layout_xml,
};
_Static_assert(LIMS_LENGTH(layouts) == LIMS_LAYOUT_COUNT, "a function for every layout");

/* A name may stand for several tests: one analyte, two values in a row. */
static void index_tests(lims_layout_t *layout)
{
    const lims_profile_t *profile = layout->profile;

    layout->tests = apr_hash_make(layout->pool);
    layout->ignored = apr_hash_make(layout->pool);
    layout->paths = apr_hash_make(layout->pool);
    for (int i = 0; i < profile->tests->nelts; i++) {
        const lims_test_t *test = &APR_ARRAY_IDX(profile->tests, i, lims_test_t);
        for (int j = 0; test->names && j < test->names->nelts; j++) {
            const char *name = APR_ARRAY_IDX(test->names, j, const char *);
            apr_array_header_t *list = apr_hash_get(layout->tests, name, APR_HASH_KEY_STRING);
            if (!list) {
                list = apr_array_make(layout->pool, 1, sizeof(test));
                apr_hash_set(layout->tests, name, APR_HASH_KEY_STRING, list);
            }
            APR_ARRAY_PUSH(list, const lims_test_t *) = test;
        }
    }
    for (int i = 0; profile->ignore_tests && i < profile->ignore_tests->nelts; i++) {
        const char *name = APR_ARRAY_IDX(profile->ignore_tests, i, const char *);
        apr_hash_set(layout->ignored, name, APR_HASH_KEY_STRING, name);
    }
}

void lims_layout_read(lims_readings_t *out, const lims_document_t *document,
                      const lims_profile_t *profile, apr_pool_t *pool)
{
    lims_layout_t layout = { .out = out, .document = document, .profile = profile, .pool = pool };

    if (!out->readings) {
        out->readings = apr_array_make(pool, 64, sizeof(lims_reading_t));
    }
    index_tests(&layout);
    layouts[profile->layout](&layout);
    lims_rules_finish(&layout);
}
