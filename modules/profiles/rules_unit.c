/* SPDX-License-Identifier: Apache-2.0 */
/* rules_unit.c - conversion of the file's number to the result's: signs, dilution, unit,
 * rounding. */
#include "profiles/layout.h"
#include "profiles/number_format.h"
#include "profiles/unit.h"

#include <apr_strings.h>
#include <string.h>

/* --- Signs ----------------------------------------------------------------------------- */

lims_numbers_t lims_found_numbers(const lims_profile_t *profile, const lims_found_t *found)
{
    lims_numbers_t numbers = profile->numbers;

    if (found->number) {
        numbers.decimal = '.';
        numbers.group = NULL;
        numbers.scientific = true;
    }
    return numbers;
}

/* --- Dilution -------------------------------------------------------------------------- */

/* Returns a positive number in canonical form; NULL for anything else. */
static const char *positive_number(const lims_cell_value_t *value, const char *text)
{
    apr_pool_t *pool = value->layout->pool;
    const lims_numbers_t form =
        lims_found_numbers(value->layout->profile, &value->found[LIMS_COLUMN_DILUTION]);
    lims_number_t number;
    lims_decimal_t decimal;

    if (lims_number_read(&number, text, &form, pool) != LIMS_NUMBER_READ || number.percent ||
        !lims_decimal_parse(&decimal, number.text, pool) || decimal.negative ||
        decimal.count == 0) {
        return NULL;
    }
    return number.text;
}

/* Returns the dilution factor for lims_decimal_convert(): "5", "1/0.2". NULL if it
 * cannot be read. */
static const char *dilution_factor(const lims_cell_value_t *value, const char *text)
{
    apr_pool_t *pool = value->layout->pool;
    const char *separator, *part, *all;

    switch (value->layout->profile->dilution.notation) {
    case LIMS_NOTATION_RATIO:
        separator = strpbrk(text, "/:");
        part =
            separator
                ? positive_number(value, apr_pstrmemdup(pool, text, (apr_size_t)(separator - text)))
                : NULL;
        all = part ? positive_number(value, separator + 1) : NULL;
        return all ? apr_pstrcat(pool, all, "/", part, NULL) : NULL;
    case LIMS_NOTATION_SHARE:
        part = positive_number(value, text);
        return part ? apr_pstrcat(pool, "1/", part, NULL) : NULL;
    default:
        return positive_number(value, text);
    }
}

/* Returns the decimal places to which a product without end is rounded: two more than the
 * number has, and as many more as a factor below one takes away from its digits. -1: a text
 * is not a number. */
static int places_of_product(const char *number, const char *factor, apr_pool_t *pool)
{
    const char *slash = strchr(factor, '/');
    const char *above = slash ? apr_pstrmemdup(pool, factor, (apr_size_t)(slash - factor)) : factor;
    lims_decimal_t value, top, bottom;
    int lost;

    if (!lims_decimal_parse(&value, number, pool) || !lims_decimal_parse(&top, above, pool) ||
        !lims_decimal_parse(&bottom, slash ? slash + 1 : "1", pool)) {
        return -1;
    }
    lost = bottom.count + bottom.exponent - top.count - top.exponent;
    return lims_decimal_places(&value) + (lost > 0 ? lost : 0) + 2;
}

/* Returns number * factor, exactly; if the decimal expansion is infinite, rounded
 * to two digits more than the number has. */
static const char *multiplied(const char *number, const char *factor, apr_pool_t *pool)
{
    const char *one = lims_decimal_convert("1", factor, NULL, -1, LIMS_ROUND_HALF_EVEN, pool);
    const char *result;
    int places = places_of_product(number, factor, pool);

    if (one && strcmp(one, "1") == 0) {
        return number; /* keeps the text unchanged */
    }
    result = lims_decimal_convert(number, factor, NULL, -1, LIMS_ROUND_HALF_EVEN, pool);
    return result || places < 0
               ? result
               : lims_decimal_convert(number, factor, NULL, places, LIMS_ROUND_HALF_EVEN, pool);
}

static const char *diluted(lims_cell_value_t *value, const char *number)
{
    const lims_dilution_t *dilution = &value->layout->profile->dilution;
    const char *text = value->reading.dilution, *factor, *result = NULL;

    if (!text && dilution->required) {
        lims_value_refuse(value, LIMS_REASON_DILUTION_MISSING, LIMS_COLUMN_DILUTION, NULL,
                          "There is no dilution.");
        return NULL;
    }
    if (!text || dilution->apply == LIMS_DILUTION_APPLIED) {
        return number;
    }
    factor = dilution_factor(value, text);
    result = factor ? multiplied(number, factor, value->layout->pool) : NULL;
    if (!result) {
        lims_value_refuse(value, LIMS_REASON_DILUTION_MISSING, LIMS_COLUMN_DILUTION, NULL,
                          "The dilution \"%s\" is not written as the profile says.", text);
    }
    return result;
}

/* --- Units ----------------------------------------------------------------------------- */

static bool spelt_alike(const char *a, const char *b, apr_pool_t *pool)
{
    return strcmp(lims_unit_fold(a, pool), lims_unit_fold(b, pool)) == 0;
}

static bool is_same_unit(const lims_cell_value_t *value, const char *a, const char *b)
{
    apr_pool_t *pool = value->layout->pool;

    return value->layout->profile->units.policy == LIMS_UNITS_EXACT ? spelt_alike(a, b, pool)
                                                                    : lims_unit_same(a, b, pool);
}

/* Finds a conversion that the profile declares; NULL: none. */
static const lims_conversion_t *find_conversion(const lims_units_t *units, const char *from,
                                                const char *to, apr_pool_t *pool)
{
    for (int i = 0; units->conversions && i < units->conversions->nelts; i++) {
        const lims_conversion_t *conversion =
            &APR_ARRAY_IDX(units->conversions, i, lims_conversion_t);
        if (lims_unit_same(conversion->from, from, pool) &&
            lims_unit_same(conversion->to, to, pool)) {
            return conversion;
        }
    }
    return NULL;
}

/* Resolves the spelling of a unit by the profile's aliases. */
static const char *meaning_of(const lims_units_t *units, const char *unit, apr_pool_t *pool)
{
    const apr_array_header_t *aliases = units->aliases;

    for (int i = 0; aliases && i < aliases->nelts; i++) {
        const lims_unit_alias_t *alias = &APR_ARRAY_IDX(aliases, i, lims_unit_alias_t);
        if (spelt_alike(alias->text, unit, pool)) {
            return alias->means;
        }
    }
    return unit;
}

static const char *refuse_range(lims_cell_value_t *value)
{
    lims_value_refuse(value, LIMS_REASON_UNIT_NOT_CONVERTIBLE, LIMS_COLUMN_VALUE, NULL,
                      "The number is too long to be converted.");
    return NULL;
}

static const char *converted(lims_cell_value_t *value, const char *number,
                             const lims_conversion_t *conversion)
{
    const char *result =
        lims_decimal_convert(number, conversion->factor, conversion->offset, conversion->decimals,
                             conversion->rounding, value->layout->pool);

    return result ? result : refuse_range(value);
}

/* Converts by a declared conversion, or by a power of ten. */
static const char *convert_by_units(lims_cell_value_t *value, const char *number, const char *unit)
{
    const char *wanted = value->test->unit, *result;
    apr_pool_t *pool = value->layout->pool;
    const lims_conversion_t *conversion =
        find_conversion(&value->layout->profile->units, unit, wanted, pool);
    int power;

    if (conversion) {
        return converted(value, number, conversion);
    }
    if (!lims_unit_power(&power, unit, wanted, pool)) {
        lims_value_refuse(value, LIMS_REASON_UNIT_NOT_CONVERTIBLE, LIMS_COLUMN_UNIT, wanted,
                          "\"%s\" cannot be converted to \"%s\".", unit, wanted);
        return NULL;
    }
    result = lims_decimal_convert(number, apr_psprintf(pool, "1E%d", power), NULL, -1,
                                  LIMS_ROUND_HALF_EVEN, pool);
    return result ? result : refuse_range(value);
}

/* Returns the unit of the file's number; NULL: refused. `*declared`: the unit is
 * the profile's, not the file's. */
static const char *unit_in_file(lims_cell_value_t *value, bool percent)
{
    const lims_test_t *test = value->test;
    const lims_found_t *found = &value->found[LIMS_COLUMN_UNIT];
    const char *text = found->text && *found->text ? found->text : NULL;

    if (percent && text && strcmp(text, "%") != 0) {
        lims_value_refuse(value, LIMS_REASON_UNIT_MISMATCH, LIMS_COLUMN_UNIT, test->unit,
                          "The value has a percent sign, and the unit \"%s\" beside it.", text);
        return NULL;
    }
    if (percent) {
        return "%";
    }
    if (text && strcmp(text, "-") == 0 && *test->unit == '\0') {
        return ""; /* many instruments write this for no unit */
    }
    if (text) {
        return meaning_of(&value->layout->profile->units, text, value->layout->pool);
    }
    if (!found->raw || test->file_unit || *test->unit == '\0') {
        return test->file_unit ? test->file_unit : test->unit;
    }
    lims_value_refuse(value, LIMS_REASON_UNIT_MISSING, LIMS_COLUMN_UNIT, test->unit,
                      "There is no unit.");
    return NULL;
}

static const char *convert_unit(lims_cell_value_t *value, const char *number, bool percent)
{
    const lims_test_t *test = value->test;
    const char *unit;

    if (!test->unit) {
        unit = value->found[LIMS_COLUMN_UNIT].text;
        value->reading.unit = percent ? "%" : unit;
        return test->convert ? converted(value, number, test->convert) : number;
    }
    unit = unit_in_file(value, percent);
    if (!unit) {
        return NULL;
    }
    value->reading.unit = test->unit;
    if (test->convert &&
        is_same_unit(value, unit, test->file_unit ? test->file_unit : test->unit)) {
        return converted(value, number, test->convert);
    }
    if (is_same_unit(value, unit, test->unit)) {
        return number;
    }
    if (value->layout->profile->units.policy == LIMS_UNITS_CONVERT) {
        return convert_by_units(value, number, unit);
    }
    if (test->file_unit && !test->convert && is_same_unit(value, unit, test->file_unit)) {
        lims_value_refuse(value, LIMS_REASON_UNIT_NOT_CONVERTIBLE, LIMS_COLUMN_UNIT, test->unit,
                          "No conversion from \"%s\" to \"%s\" is declared.", unit, test->unit);
        return NULL;
    }
    lims_value_refuse(value, LIMS_REASON_UNIT_MISMATCH, LIMS_COLUMN_UNIT,
                      test->file_unit ? test->file_unit : test->unit,
                      "The unit is \"%s\" and not \"%s\".", unit,
                      test->file_unit ? test->file_unit : test->unit);
    return NULL;
}

const char *lims_value_convert(lims_cell_value_t *value, const char *number, bool percent)
{
    const char *result = diluted(value, number);

    return result ? convert_unit(value, result, percent) : NULL;
}

/* --- Numbers of controls ---------------------------------------------------------------- */

/* Converts a limit to the unit of the test, without rounding. NULL: no conversion,
 * or too many digits. */
static const char *convert_limit(const lims_profile_t *profile, const lims_test_t *test,
                                 const char *unit, const char *number, apr_pool_t *pool)
{
    const lims_conversion_t *conversion;
    const char *factor, *offset = NULL;
    int power;

    if (lims_unit_same(unit, test->unit, pool) || spelt_alike(unit, test->unit, pool)) {
        return number;
    }
    conversion = test->convert && lims_unit_same(unit, test->file_unit, pool)
                     ? test->convert
                     : find_conversion(&profile->units, unit, test->unit, pool);
    if (conversion) {
        factor = conversion->factor;
        offset = conversion->offset;
    } else if (lims_unit_power(&power, unit, test->unit, pool)) {
        factor = apr_psprintf(pool, "1E%d", power);
    } else {
        return NULL;
    }
    return lims_decimal_convert(number, factor, offset, -1, LIMS_ROUND_HALF_EVEN, pool);
}

bool lims_control_convert(lims_control_t *control, const lims_profile_t *profile,
                          const lims_test_t *test, apr_pool_t *pool)
{
    bool is_recovery = control->criterion == LIMS_CRITERION_RECOVERY;
    const char **numbers[] = { is_recovery ? &control->expected_value : &control->lower_limit,
                               is_recovery ? NULL : &control->upper_limit };
    const char *unit;

    if (!control->unit) {
        return true;
    }
    if (!test->unit) {
        return false;
    }
    unit = meaning_of(&profile->units, control->unit, pool);
    for (apr_size_t i = 0; i < LIMS_LENGTH(numbers); i++) {
        if (numbers[i] && *numbers[i]) {
            *numbers[i] = convert_limit(profile, test, unit, *numbers[i], pool);
            if (!*numbers[i]) {
                return false;
            }
        }
    }
    return true;
}

bool lims_control_is_for(const lims_control_t *control, const lims_test_t *test)
{
    bool is_for = !control->tests;

    for (int i = 0; !is_for && test && i < control->tests->nelts; i++) {
        is_for = strcmp(APR_ARRAY_IDX(control->tests, i, const char *), test->test_code) == 0;
    }
    return is_for;
}
