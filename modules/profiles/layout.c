/* SPDX-License-Identifier: Apache-2.0 */
/* layout.c - reading of a document by its layout. */
#include "profiles/fold.h"
#include "profiles/layout.h"

#include <apr_strings.h>
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
    [LIMS_LAYOUT_JSON] = lims_layout_xml,
};
_Static_assert(LIMS_LENGTH(layouts) == LIMS_LAYOUT_COUNT, "a function for every layout");

/* Registers a header that a source numbers: if "A260#2" is declared, "A260" means
 * the first. */
static void register_numbered(lims_layout_t *layout, const char *name)
{
    const char *mark = strrchr(name, '#');

    if (mark && mark > name && mark[1] && strspn(mark + 1, "0123456789") == strlen(mark + 1)) {
        name = apr_pstrmemdup(layout->pool, name, (apr_size_t)(mark - name));
        apr_hash_set(layout->counted, name, APR_HASH_KEY_STRING, name);
    }
}

/* Indexes the tests by name. Several tests may have the same name, such as two
 * replicates of an analyte in one row. */
static void index_tests(lims_layout_t *layout)
{
    const lims_profile_t *profile = layout->profile;

    layout->tests = apr_hash_make(layout->pool);
    layout->ignored = apr_hash_make(layout->pool);
    layout->paths = apr_hash_make(layout->pool);
    layout->counted = apr_hash_make(layout->pool);
    layout->numbered = apr_hash_make(layout->pool);
    for (int i = 0; i < profile->tests->nelts; i++) {
        const lims_test_t *test = &APR_ARRAY_IDX(profile->tests, i, lims_test_t);
        for (int j = 0; test->names && j < test->names->nelts; j++) {
            const char *name = APR_ARRAY_IDX(test->names, j, const char *);
            register_numbered(layout, name);
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

/* Registers a name that the profile declares: it is not a misspelling of another. */
static void register_name(lims_layout_t *layout, const char *name)
{
    apr_hash_set(layout->named, name, APR_HASH_KEY_STRING, name);
}

static void register_names(lims_layout_t *layout, const apr_array_header_t *names)
{
    for (int i = 0; names && i < names->nelts; i++) {
        register_name(layout, APR_ARRAY_IDX(names, i, const char *));
    }
}

static void register_path(lims_layout_t *layout, const char *path)
{
    while (*path) {
        apr_size_t length = strcspn(path, "/#");

        register_name(layout, lims_fold(path, length, layout->pool));
        path += strcspn(path, "/");
        path += *path == '/';
    }
}

static void register_source(lims_layout_t *layout, const lims_source_t *source)
{
    const lims_source_t *place;

    for (int i = 0; (place = lims_source_place(source, i)); i++) {
        if (place->kind == LIMS_SOURCE_BELOW) {
            layout->below = layout->below ? layout->below : apr_hash_make(layout->pool);
            apr_hash_set(layout->below, place->header, APR_HASH_KEY_STRING, place->header);
        }
        if (place->kind == LIMS_SOURCE_HEADER || place->kind == LIMS_SOURCE_BELOW) {
            register_name(layout, place->header);
        }
        if (place->kind == LIMS_SOURCE_KEY) {
            register_name(layout, place->key);
            layout->uses_keys = true;
        }
        if (place->kind == LIMS_SOURCE_PATH) {
            register_path(layout, place->path);
        }
        if (place->kind == LIMS_SOURCE_HEADER && place->numbered) {
            apr_hash_set(layout->counted, place->header, APR_HASH_KEY_STRING, place);
        }
        if (place->kind == LIMS_SOURCE_INDEX) {
            apr_hash_set(layout->numbered, &place->index, sizeof(place->index), place);
        }
    }
}

static void register_conditions(lims_layout_t *layout, const apr_array_header_t *conditions)
{
    for (int i = 0; conditions && i < conditions->nelts; i++) {
        register_source(layout, &APR_ARRAY_IDX(conditions, i, lims_condition_t).source);
    }
}

static void register_rules(lims_layout_t *layout, const apr_array_header_t *rules)
{
    for (int i = 0; rules && i < rules->nelts; i++) {
        register_conditions(layout, APR_ARRAY_IDX(rules, i, lims_row_rule_t).when);
    }
}

/* Registers all names in sources, and whether there are keys and labels at all:
 * without them nothing is searched. */
static void register_sources(lims_layout_t *layout)
{
    const lims_profile_t *profile = layout->profile;
    const lims_rows_t *rows = &profile->rows;

    layout->reported_cells = apr_hash_make(layout->pool);
    layout->named = apr_hash_make(layout->pool);
    layout->notes = apr_hash_make(layout->pool);
    register_names(layout, profile->match.headers);
    register_names(layout, profile->match.sections);
    register_names(layout, profile->table.header.find);
    for (int i = 0; profile->layout >= LIMS_LAYOUT_XML && i < profile->tests->nelts; i++) {
        const lims_test_t *test = &APR_ARRAY_IDX(profile->tests, i, lims_test_t);
        for (int j = 0; j < test->names->nelts; j++) {
            register_path(layout, APR_ARRAY_IDX(test->names, j, const char *));
        }
    }
    layout->uses_keys = profile->layout == LIMS_LAYOUT_KEYVALUE;
    register_source(layout, &profile->integrity.count);
    register_conditions(layout, rows->only);
    register_rules(layout, rows->skip);
    register_rules(layout, rows->errors);
    for (int i = 0; rows->controls && i < rows->controls->nelts; i++) {
        register_conditions(layout, APR_ARRAY_IDX(rows->controls, i, lims_control_t).when);
    }
    for (int i = 0; i < LIMS_COLUMN_COUNT; i++) {
        register_source(layout, &profile->columns[i]);
        for (int j = 0; j < profile->tests->nelts; j++) {
            register_source(layout, APR_ARRAY_IDX(profile->tests, j, lims_test_t).columns[i]);
        }
    }
}

/* A draft profile is tried on any file, also on one of another container. */
static bool fits_container(const lims_layout_t *layout)
{
    lims_container_e container = layout->document->container;
    const char *wanted = "";

    if (layout->profile->match.containers & 1U << container) {
        return true;
    }
    for (unsigned i = 0; i < LIMS_CONTAINER_COUNT; i++) {
        if (layout->profile->match.containers & 1U << i) {
            wanted = apr_pstrcat(layout->pool, wanted, *wanted ? ", " : "",
                                 lims_container_name((lims_container_e)i), NULL);
        }
    }
    lims_layout_reason(layout, NULL, LIMS_REASON_STRUCTURE_MISMATCH, true, NULL, wanted,
                       "The file is of the kind %s, for which the profile is not.",
                       lims_container_name(container));
    return false;
}

void lims_layout_read(lims_readings_t *out, const lims_document_t *document,
                      const lims_profile_t *profile, apr_pool_t *pool)
{
    lims_layout_t layout = { .out = out, .document = document, .profile = profile, .pool = pool };

    layout.known_reasons = apr_hash_make(pool);
    if (!out->readings) {
        out->readings = apr_array_make(pool, 64, sizeof(lims_reading_t));
    }
    if (!fits_container(&layout)) {
        return;
    }
    index_tests(&layout);
    register_sources(&layout);
    layouts[profile->layout](&layout);
    lims_rules_finish(&layout);
}
