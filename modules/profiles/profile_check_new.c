/* SPDX-License-Identifier: Apache-2.0 */
/* profile_check_new.c - stricter checks for profiles that are added. */
#include <apr_strings.h>
#include <string.h>

#include "profiles/profile_parse.h"
#include "profiles/unit.h"

/* Resolves the spelling of a unit by the profile's aliases. */
static const char *meaning_of(const lims_units_t *units, const char *unit, apr_pool_t *pool)
{
    for (int i = 0; units->aliases && i < units->aliases->nelts; i++) {
        const lims_unit_alias_t *alias = &APR_ARRAY_IDX(units->aliases, i, lims_unit_alias_t);

        if (lims_unit_same(alias->text, unit, pool)) {
            return alias->means;
        }
    }
    return unit;
}

static bool is_listed(const lims_units_t *units, const char *from, const char *to, apr_pool_t *pool)
{
    for (int i = 0; units->conversions && i < units->conversions->nelts; i++) {
        const lims_conversion_t *conversion =
            &APR_ARRAY_IDX(units->conversions, i, lims_conversion_t);

        if (lims_unit_same(conversion->from, from, pool) &&
            lims_unit_same(conversion->to, to, pool)) {
            return true;
        }
    }
    return false;
}

/* Whether values in the file's unit can be converted to the results' unit. */
static bool converts(const lims_profile_t *profile, const lims_test_t *test, apr_pool_t *pool)
{
    const lims_units_t *units = &profile->units;
    const char *from;
    int power;

    if (!test->file_unit || test->convert) {
        return true;
    }
    from = meaning_of(units, test->file_unit, pool);
    return (units->policy == LIMS_UNITS_EXACT
                ? strcmp(lims_unit_fold(from, pool), lims_unit_fold(test->unit, pool)) == 0
                : lims_unit_same(from, test->unit, pool)) ||
           (units->policy == LIMS_UNITS_CONVERT &&
            (is_listed(units, from, test->unit, pool) ||
             lims_unit_power(&power, from, test->unit, pool)));
}

const lims_error_t *lims_profile_check_new(const lims_profile_t *profile, apr_pool_t *pool)
{
    const lims_profile_place_t root = { .name = NULL };
    const lims_profile_parser_t parser = { .pool = pool };

    for (int i = 0; i < profile->tests->nelts; i++) {
        const lims_test_t *test = &APR_ARRAY_IDX(profile->tests, i, lims_test_t);

        if (!converts(profile, test, pool)) {
            return lims_profile_refuse(
                &parser, &root, apr_psprintf(pool, "tests[%d].fileUnit", i),
                "no conversion from \"%s\" to \"%s\" is declared: the test needs convert, or the "
                "profile \"units\": {\"policy\": \"convert\"}",
                test->file_unit, test->unit);
        }
    }
    return NULL;
}
