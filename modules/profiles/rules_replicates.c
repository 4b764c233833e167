/* SPDX-License-Identifier: Apache-2.0 */
/* rules_replicates.c - several values of one test of one sample. */
#include "profiles/decimal.h"
#include "profiles/layout.h"

#include <apr_strings.h>
#include <string.h>

/* The readings of one test of one sample: their indexes, in the file's order. */
typedef apr_array_header_t group_t;

static lims_reading_t *reading_at(const lims_layout_t *layout, const group_t *group, int i)
{
    return &APR_ARRAY_IDX(layout->out->readings, APR_ARRAY_IDX(group, i, int), lims_reading_t);
}

/* Groups the readings by sample and test, in the order of their first values;
 * controls are not grouped, since they may be measured any number of times. */
static apr_array_header_t *groups_of(const lims_layout_t *layout, apr_pool_t *pool)
{
    const apr_array_header_t *readings = layout->out->readings;
    apr_array_header_t *groups = apr_array_make(pool, readings->nelts + 1, sizeof(group_t *));
    apr_hash_t *by_name = apr_hash_make(pool);

    for (int i = 0; i < readings->nelts; i++) {
        const lims_reading_t *reading = &APR_ARRAY_IDX(readings, i, lims_reading_t);
        const char *key;
        group_t *group;

        if (reading->control || !reading->tracking_id) {
            continue;
        }
        key = apr_pstrcat(pool, reading->test_code, "\n", reading->tracking_id, NULL);
        group = apr_hash_get(by_name, key, APR_HASH_KEY_STRING);
        if (!group) {
            group = apr_array_make(pool, 1, sizeof(int));
            apr_hash_set(by_name, key, APR_HASH_KEY_STRING, group);
            APR_ARRAY_PUSH(groups, group_t *) = group;
        }
        APR_ARRAY_PUSH(group, int) = i;
    }
    return groups;
}

static void refuse(const lims_layout_t *layout, const lims_reading_t *reading, lims_reason_e code,
                   const char *expected, const char *message)
{
    const lims_sheet_t sheet = { .name = reading->sheet };
    const lims_layout_scope_t scope = { .sheet = &sheet };
    const lims_found_t found = { .row = reading->row,
                                 .column = reading->column,
                                 .raw = reading->raw };

    lims_layout_add_reason(layout, &scope,
                           (lims_reason_t){ .code = code,
                                            .blocking = true,
                                            .message = message,
                                            .expected = expected,
                                            .record = reading->record,
                                            .tracking_id = reading->tracking_id,
                                            .test = reading->test_code,
                                            .value_row = reading->row,
                                            .value_column = reading->column },
                           &found);
}

static bool differ(const char *a, const char *b)
{
    return (a || b) && (!a || !b || strcmp(a, b) != 0);
}

/* Refuses every value after the first. The database gives the same reasons for the
 * readings it receives, with the same texts (lims.reading_reasons). */
static void refuse_further(const lims_layout_t *layout, const group_t *group)
{
    const lims_reading_t *first = reading_at(layout, group, 0);

    for (int i = 1; i < group->nelts; i++) {
        const lims_reading_t *again = reading_at(layout, group, i);

        if (differ(first->replicate, again->replicate)) {
            refuse(layout, again, LIMS_REASON_REPLICATE_UNRESOLVED, NULL,
                   apr_psprintf(layout->pool,
                                "Row %d has a value for %s of %s already. The profile does not say "
                                "which replicate counts.",
                                first->row, again->test_code, again->tracking_id));
        } else {
            refuse(layout, again, LIMS_REASON_DUPLICATE_ROW, "one",
                   apr_psprintf(layout->pool, "The file has %d results for %s of sample %s.",
                                group->nelts, again->test_code, again->tracking_id));
        }
    }
}

/* --- Means ------------------------------------------------------------------------------ */

/* Whether a reason blocks a value, by itself or with its row. */
static bool is_refused(const lims_layout_t *layout, const lims_reading_t *reading)
{
    const apr_array_header_t *reasons = layout->out->reasons->list;

    for (int i = 0; i < reasons->nelts; i++) {
        const lims_reason_t *reason = &APR_ARRAY_IDX(reasons, i, lims_reason_t);

        if (reason->blocking && reason->record == reading->record &&
            (!reason->value_row ||
             (reason->value_row == reading->row && reason->value_column == reading->column &&
              !differ(reason->test, reading->test_code)))) {
            return true;
        }
    }
    return false;
}

/* Replaces the first reading's result by the mean of all. False: no mean is
 * possible, or a person may leave one of the values out. */
static bool take_mean(const lims_layout_t *layout, const group_t *group)
{
    const lims_replicates_t *policy = &layout->profile->replicates;
    lims_reading_t *first = reading_at(layout, group, 0);
    const char *raw = NULL;
    int places = policy->decimals;
    lims_decimal_t sum = { .digits = "" };
    lims_decimal_t count = { .digits = apr_itoa(layout->pool, group->nelts) };

    if (group->nelts != policy->count) {
        return false;
    }
    count.count = (int)strlen(count.digits);
    for (int i = 0; i < group->nelts; i++) {
        const lims_reading_t *reading = reading_at(layout, group, i);
        lims_decimal_t number;

        if (!reading->result || reading->qualifier || is_refused(layout, reading) ||
            differ(first->unit, reading->unit) ||
            !lims_decimal_parse(&number, reading->result, layout->pool)) {
            return false;
        }
        if (policy->decimals < 0 && lims_decimal_places(&number) > places) {
            places = lims_decimal_places(&number);
        }
        sum = lims_decimal_add(&sum, &number, layout->pool);
        raw = raw ? apr_pstrcat(layout->pool, raw, "; ", reading->raw, NULL) : reading->raw;
    }
    if (!lims_decimal_divide(&sum, &sum, &count, places, policy->rounding, layout->pool)) {
        return false;
    }
    first->result = lims_decimal_text(&sum, layout->pool);
    first->raw = raw;
    return true;
}

/* --- Policies ------------------------------------------------------------------------------ */

/* Refuses each value of a group without a mean: whoever leaves out one of them must not
 * release another in place of the mean. */
static void refuse_all(const lims_layout_t *layout, const group_t *group)
{
    const int count = layout->profile->replicates.count;

    for (int i = 0; i < group->nelts; i++) {
        refuse(layout, reading_at(layout, group, i), LIMS_REASON_REPLICATE_UNRESOLVED,
               apr_psprintf(layout->pool, "%d values", count),
               apr_psprintf(layout->pool,
                            "There are %d values of which the mean cannot be taken: it needs %d "
                            "plain numbers of one unit, none of them refused.",
                            group->nelts, count));
    }
}

/* Returns which of its values a group is resolved to; -1: none, with reasons. */
static int resolve(const lims_layout_t *layout, const group_t *group)
{
    switch (layout->profile->replicates.policy) {
    case LIMS_REPLICATES_LAST:
        return group->nelts - 1;
    case LIMS_REPLICATES_MEAN:
        if (!take_mean(layout, group)) {
            refuse_all(layout, group);
            return -1;
        }
        return 0;
    default:
        return 0;
    }
}

/* Keeps the reading that each group is resolved to, and all readings that are in no group. */
static void keep_resolved(lims_layout_t *layout, const apr_array_header_t *groups)
{
    apr_array_header_t *readings = layout->out->readings;
    char *dropped = apr_pcalloc(layout->pool, (apr_size_t)readings->nelts + 1);
    int kept = 0;

    for (int i = 0; i < groups->nelts; i++) {
        const group_t *group = APR_ARRAY_IDX(groups, i, group_t *);
        int keep = resolve(layout, group);

        for (int j = 0; j < group->nelts; j++) {
            dropped[APR_ARRAY_IDX(group, j, int)] = j != keep;
        }
    }
    for (int i = 0; i < readings->nelts; i++) {
        if (!dropped[i]) {
            APR_ARRAY_IDX(readings, kept, lims_reading_t) =
                APR_ARRAY_IDX(readings, i, lims_reading_t);
            kept++;
        }
    }
    layout->out->counts.skipped += readings->nelts - kept;
    readings->nelts = kept;
}

void lims_replicates_resolve(lims_layout_t *layout)
{
    const lims_replicates_e policy = layout->profile->replicates.policy;
    const int skipped = layout->out->counts.skipped;
    const apr_array_header_t *groups;
    apr_pool_t *scratch;

    apr_pool_create(&scratch, layout->pool);
    groups = groups_of(layout, scratch);
    if (policy == LIMS_REPLICATES_QUARANTINE || policy == LIMS_REPLICATES_DISTINCT_TESTS) {
        for (int i = 0; i < groups->nelts; i++) {
            refuse_further(layout, APR_ARRAY_IDX(groups, i, group_t *));
        }
    } else {
        keep_resolved(layout, groups);
    }
    if (policy == LIMS_REPLICATES_MEAN) {
        layout->out->counts.skipped = skipped; /* all replicates count as one result */
    }
    apr_pool_destroy(scratch);
}
