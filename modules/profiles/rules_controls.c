/* SPDX-License-Identifier: Apache-2.0 */
/* rules_controls.c - controls that are compared with another value in the file. */
#include "kernel/vocabulary.h"
#include "profiles/layout.h"
#include "profiles/readings.h"

#include <apr_hash.h>
#include <apr_strings.h>
#include <string.h>

const lims_control_t *lims_control_in_unit(lims_cell_value_t *value)
{
    lims_layout_t *layout = value->layout;
    const lims_control_t *control = value->reading.control;
    const void *key[] = { control, value->test };
    lims_control_t *copy;

    if (!control || !control->unit) {
        return control;
    }
    if (!layout->controls) {
        layout->controls = apr_hash_make(layout->pool);
    }
    copy = apr_hash_get(layout->controls, key, sizeof key);
    if (!copy) {
        copy = apr_pmemdup(layout->pool, control, sizeof *control);
        /* The profile was checked only for tests that the rule applies to, so this
         * can fail. */
        if (!lims_control_convert(copy, layout->profile, value->test, layout->pool)) {
            lims_value_refuse(value, LIMS_REASON_UNIT_NOT_CONVERTIBLE, LIMS_COLUMN_VALUE,
                              value->test->unit,
                              "The control is given in \"%s\", which cannot be "
                              "converted to the unit of the test %s.",
                              control->unit, value->test->test_code);
            return control;
        }
        apr_hash_set(layout->controls, apr_pmemdup(layout->pool, key, sizeof key), sizeof key,
                     copy);
    }
    return copy;
}

/* Returns the key of a result: of a sample's test, or of a control's. */
static const char *key_of(const char *kind, const char *test, const char *id, apr_pool_t *pool)
{
    return apr_pstrcat(pool, kind, "\n", test, "\n", id ? id : "", NULL);
}

/* Returns a result with the sign that its qualifier means, if its text is a bare number:
 * what is compared with it does not see the qualifier. */
static const char *signed_result(const lims_reading_t *reading, apr_pool_t *pool)
{
    const char *qualifier = reading->qualifier ? reading->qualifier : "";
    bool is_number = strspn(reading->result, "+-.0123456789") > 0;

    if (strcmp(qualifier, ">") == 0) {
        return *reading->result == '>' ? reading->result
                                       : apr_pstrcat(pool, ">", reading->result, NULL);
    }
    return is_number && *qualifier && strcmp(qualifier, "J") != 0
               ? apr_pstrcat(pool, "<", reading->result, NULL)
               : reading->result;
}

/* Keeps a result for the controls that are compared with it. */
static void store_result(apr_hash_t *results, const lims_reading_t *reading, apr_pool_t *scratch,
                         apr_pool_t *pool)
{
    const char *kind = reading->control ? lims_control_types[reading->control->type] : "";
    const char *key = key_of(kind, reading->test_code, reading->tracking_id, scratch);
    const char *result;

    if (!reading->result || (!reading->control && !reading->tracking_id)) {
        return;
    }
    result = signed_result(reading, pool);
    apr_hash_set(results, key, APR_HASH_KEY_STRING, result);
    if (reading->control) { /* also as the last control of its type, whatever its name */
        apr_hash_set(results, key_of(kind, reading->test_code, NULL, scratch), APR_HASH_KEY_STRING,
                     result);
    }
}

/* Finds the other control with the same name, else the last one of its type. */
static const char *find_reference(apr_hash_t *results, const lims_reading_t *reading,
                                  apr_pool_t *pool)
{
    const char *kind = reading->control->against ? reading->control->against : "";
    const char *found = apr_hash_get(
        results, key_of(kind, reading->test_code, reading->tracking_id, pool), APR_HASH_KEY_STRING);

    return found || !*kind ? found
                           : apr_hash_get(results, key_of(kind, reading->test_code, NULL, pool),
                                          APR_HASH_KEY_STRING);
}

static void report_missing(lims_readings_t *readings, const lims_reading_t *reading,
                           apr_pool_t *pool)
{
    const char *against = reading->control->against;
    const lims_reason_t reason = {
        .code = LIMS_REASON_MISSING_VALUE,
        .blocking = true,
        .sheet = *reading->sheet ? reading->sheet : NULL,
        .row = reading->row,
        .column = reading->column,
        .cell = reading->raw,
        .message =
            apr_psprintf(pool, "The file has no %s of %s that this %s could be held against.",
                         reading->test_code,
                         against                ? against
                         : reading->tracking_id ? reading->tracking_id
                                                : "a sample",
                         lims_control_types[reading->control->type]),
    };

    lims_reasons_add(readings->reasons, &reason);
}

static bool is_compared(const lims_control_t *control)
{
    return control && (control->criterion == LIMS_CRITERION_RPD ||
                       control->criterion == LIMS_CRITERION_RECOVERY);
}

void lims_controls_compare(lims_readings_t *readings, bool again, apr_pool_t *pool)
{
    apr_array_header_t *list = readings->readings;
    apr_pool_t *scratch;
    apr_hash_t *results;

    if (readings->counts.controls == 0) {
        return;
    }
    apr_pool_create(&scratch, pool);
    results = apr_hash_make(scratch);
    for (int i = 0; i < list->nelts; i++) {
        const lims_reading_t *reading = &APR_ARRAY_IDX(list, i, lims_reading_t);

        if (!reading->control) { /* in a second pass, since a sample may follow its duplicate */
            store_result(results, reading, scratch, pool);
        }
    }
    for (int i = 0; i < list->nelts; i++) {
        lims_reading_t *reading = &APR_ARRAY_IDX(list, i, lims_reading_t);
        bool had = !!reading->native;

        if (is_compared(reading->control)) {
            bool needed = again ? had : reading->control->criterion == LIMS_CRITERION_RPD;

            reading->native = find_reference(results, reading, scratch);
            if (needed && !reading->native) {
                report_missing(readings, reading, pool);
            }
        }
        if (reading->control) {
            store_result(results, reading, scratch, pool);
        }
    }
    apr_pool_destroy(scratch);
}
