/* SPDX-License-Identifier: Apache-2.0 */
/* rules_compare.c - conditions that compare numbers, by exact decimal arithmetic. */
#include "profiles/fold.h"
#include "profiles/layout.h"
#include "profiles/number_format.h"

#include <apr_strings.h>
#include <string.h>

static int compare(const lims_decimal_t *a, const lims_decimal_t *b, apr_pool_t *pool)
{
    lims_decimal_t negated = *b, difference;

    negated.negative = !b->negative;
    difference = lims_decimal_add(a, &negated, pool);
    return difference.count == 0 ? 0 : difference.negative ? -1 : 1;
}

static bool holds(const lims_condition_t *condition, const lims_decimal_t *number, apr_pool_t *pool)
{
    const struct {
        const char *bound;
        int least, most; /* range of the comparison's outcomes for which it holds */
    } bounds[] = {
        { condition->less, -1, -1 },
        { condition->at_most, -1, 0 },
        { condition->at_least, 0, 1 },
        { condition->more, 1, 1 },
    };

    for (apr_size_t i = 0; i < LIMS_LENGTH(bounds); i++) {
        lims_decimal_t bound;

        if (bounds[i].bound && lims_decimal_parse(&bound, bounds[i].bound, pool)) {
            int order = compare(number, &bound, pool);

            if (order < bounds[i].least || order > bounds[i].most) {
                return false;
            }
        }
    }
    return true;
}

/* Whether a text is a declared token that stands for a number. */
static bool is_token(const lims_profile_t *profile, const char *text)
{
    const apr_array_header_t *tokens = profile->qualifiers.tokens;

    for (int i = 0; tokens && i < tokens->nelts; i++) {
        if (lims_fold_equals(text, strlen(text), APR_ARRAY_IDX(tokens, i, lims_token_t).text)) {
            return true;
        }
    }
    return false;
}

/* Reports a cell that cannot be compared, once a row, though many conditions and values
 * may use it. */
static void report_once(const lims_layout_t *layout, const lims_layout_scope_t *scope,
                        const lims_found_t *found, lims_reason_e code, const char *why)
{
    const char *sheet = scope->sheet ? scope->sheet->name : "";
    int row = found->row > 0 ? found->row : scope->row ? scope->row->number : scope->line;
    const char *key = apr_psprintf(layout->pool, "%s\n%d %d %d %s", sheet, layout->record, row,
                                   found->column, found->text);

    if (!apr_hash_get(layout->reported_cells, key, APR_HASH_KEY_STRING)) {
        apr_hash_set(layout->reported_cells, key, APR_HASH_KEY_STRING, key);
        lims_layout_reason(layout, scope, code, true, found, NULL,
                           "A condition of the profile compares this with a number. %s", why);
    }
}

bool lims_rules_compare(const lims_layout_t *layout, const lims_layout_scope_t *scope,
                        const lims_condition_t *condition, const lims_found_t *found)
{
    const lims_numbers_t form = lims_found_numbers(layout->profile, found);
    lims_decimal_t decimal;
    lims_number_t number;
    lims_number_e kind;

    if (!found->text || *found->text == '\0' || is_token(layout->profile, found->text)) {
        return false;
    }
    kind = lims_number_read(&number, found->text, &form, layout->pool);
    if (kind == LIMS_NUMBER_READ && lims_decimal_parse(&decimal, number.text, layout->pool)) {
        return holds(condition, &decimal, layout->pool);
    }
    report_once(layout, scope, found,
                kind == LIMS_NUMBER_AMBIGUOUS ? LIMS_REASON_AMBIGUOUS_NUMBER
                                              : LIMS_REASON_NON_NUMERIC,
                kind == LIMS_NUMBER_READ ? "It has too many digits." : number.why);
    return false;
}
