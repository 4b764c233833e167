/* SPDX-License-Identifier: Apache-2.0 */
/* rules_value.c - the value in a cell: a number, a token, a text, or blank. */
#include "kernel/vocabulary.h"
#include "profiles/fold.h"
#include "profiles/layout.h"
#include "profiles/number_format.h"

#include <apr_cstr.h>
#include <apr_strings.h>
#include <string.h>

/* --- Qualifiers ---------------------------------------------------------------------- */

/* Returns the qualifier for a comparison sign; those of "~5" and "<= 5" stay in
 * the text only. */
static const char *qualifier_of(const char *sign)
{
    const char *const *known = lims_result_qualifiers;

    while (*known && apr_cstr_casecmp(sign, *known) != 0) {
        known++;
    }
    return *known;
}

/* Returns the longest declared operator at the begin of a text; `*rest` is what
 * follows it. NULL: none. */
static const char *declared_operator(const char **rest, const lims_cell_value_t *value,
                                     const char *text)
{
    const apr_array_header_t *operators = value->layout->profile->qualifiers.operators;
    const char *longest = NULL;

    for (int i = 0; operators && i < operators->nelts; i++) {
        const char *sign = APR_ARRAY_IDX(operators, i, const char *);
        if (strncmp(text, sign, strlen(sign)) == 0 &&
            (!longest || strlen(sign) > strlen(longest))) {
            longest = sign;
        }
    }
    if (longest) {
        apr_size_t left;
        *rest = lims_trim(&left, text + strlen(longest), strlen(text) - strlen(longest));
    }
    return longest;
}

/* Reads the column of qualifiers. */
static void read_qualifier(lims_cell_value_t *value)
{
    const char *text = value->found[LIMS_COLUMN_QUALIFIER].text;
    const char *qualifier = text && *text ? qualifier_of(text) : NULL;

    if (!text || *text == '\0') {
        return;
    }
    if (!qualifier ||
        (value->reading.qualifier && strcmp(value->reading.qualifier, qualifier) != 0)) {
        lims_value_refuse(value, LIMS_REASON_UNKNOWN_QUALIFIER, LIMS_COLUMN_QUALIFIER,
                          "<, >, ND, J or U",
                          qualifier ? "The qualifier contradicts the one in the value."
                                    : "This is not a qualifier of a result.");
        return;
    }
    value->reading.qualifier = qualifier;
}

static const lims_flag_t *find_flag(const lims_cell_value_t *value, const char *text)
{
    const apr_array_header_t *flags = value->layout->profile->qualifiers.flags;

    for (int i = 0; flags && i < flags->nelts; i++) {
        const lims_flag_t *flag = &APR_ARRAY_IDX(flags, i, lims_flag_t);
        if (lims_fold_equals(text, strlen(text), flag->text)) {
            return flag;
        }
    }
    return NULL;
}

/* Reads the instrument's flag beside the value. */
static void read_flag(lims_cell_value_t *value)
{
    const lims_qualifiers_t *qualifiers = &value->layout->profile->qualifiers;
    const char *text = value->found[LIMS_COLUMN_FLAG].text;
    const lims_flag_t *flag = text && *text ? find_flag(value, text) : NULL;
    const lims_flag_e action = flag ? flag->action : qualifiers->unknown_flag;
    const char *qualifier, **reported = &value->layout->flag_reported;

    if (!text || *text == '\0') {
        return;
    }
    if (action != LIMS_FLAG_QUALIFIER && value->found[LIMS_COLUMN_FLAG].raw == *reported) {
        return; /* a flag of the whole row is handled once, though the row may have many values */
    }
    *reported = value->found[LIMS_COLUMN_FLAG].raw;
    switch (action) {
    case LIMS_FLAG_BLOCK:
        lims_value_refuse(value, LIMS_REASON_INSTRUMENT_ERROR_FLAG, LIMS_COLUMN_FLAG, NULL,
                          flag ? "The instrument has flagged the value with \"%s\"."
                               : "The profile does not know the flag \"%s\".",
                          text);
        break;
    case LIMS_FLAG_NOTE:
        lims_layout_reason(value->layout, value->scope, LIMS_REASON_INSTRUMENT_ERROR_FLAG, false,
                           &value->found[LIMS_COLUMN_FLAG], NULL,
                           "The instrument has flagged the value with \"%s\".", text);
        break;
    case LIMS_FLAG_QUALIFIER:
        qualifier = qualifier_of(flag && flag->write ? flag->write : text);
        if (!qualifier) {
            lims_value_refuse(value, LIMS_REASON_UNKNOWN_QUALIFIER, LIMS_COLUMN_FLAG,
                              "<, >, ND, J or U", "This is not a qualifier of a result.");
        } else if (!value->reading.qualifier) {
            value->reading.qualifier = qualifier;
        } else if (strcmp(value->reading.qualifier, qualifier) != 0) {
            lims_value_refuse(value, LIMS_REASON_UNKNOWN_QUALIFIER, LIMS_COLUMN_FLAG, NULL,
                              "It means %s, and the value has the qualifier %s.", qualifier,
                              value->reading.qualifier);
        }
        break;
    default:
        break;
    }
}

/* --- Blanks and tokens ----------------------------------------------------------------- */

static void read_blank(lims_cell_value_t *value)
{
    if (value->layout->profile->numbers.blank == LIMS_BLANK_SKIP) {
        value->skipped = true;
    } else {
        lims_value_refuse(value, LIMS_REASON_MISSING_VALUE, LIMS_COLUMN_VALUE, NULL,
                          "There is no value for the test %s.", value->test->test_code);
    }
}

/* Reads a number in another column, and applies the value's unit conversion and
 * dilution. NULL: refused. */
static const char *number_of(lims_cell_value_t *value, lims_column_e column, const char *what)
{
    const lims_numbers_t form = lims_found_numbers(value->layout->profile, &value->found[column]);
    const char *text = value->found[column].text;
    lims_number_t number;

    if (!text || lims_number_read(&number, text, &form, value->layout->pool) != LIMS_NUMBER_READ) {
        lims_value_refuse(value, LIMS_REASON_MISSING_VALUE, column, "a number",
                          "What the profile writes here needs %s, which is not there.", what);
        return NULL;
    }
    return lims_value_convert(value, number.text, number.percent);
}

/* Builds the result that a profile declares for a token, with numbers of the file
 * for its placeholders. NULL: refused. */
static const char *fill_places(lims_cell_value_t *value, const char *write)
{
    static const struct {
        const char *place, *what;
        lims_column_e column;
    } places[] = { { "{limit}", "the reporting limit", LIMS_COLUMN_LIMIT },
                   { "{value}", "the value", LIMS_COLUMN_VALUE } };
    apr_pool_t *pool = value->layout->pool;

    value->reading.unit = value->test->unit;
    for (apr_size_t i = 0; i < LIMS_LENGTH(places) && write; i++) {
        const char *at = strstr(write, places[i].place), *number;

        if (at) {
            number = number_of(value, places[i].column, places[i].what);
            write = number
                        ? apr_pstrcat(pool, apr_pstrmemdup(pool, write, (apr_size_t)(at - write)),
                                      number, at + strlen(places[i].place), NULL)
                        : NULL;
        }
    }
    return write;
}

/* Returns the qualifier that a token means, unless the result's text contains it. */
static const char *token_qualifier(lims_token_e meaning, const char *result)
{
    const char *rest, *sign = lims_number_operator(&rest, result);

    if (sign) {
        return qualifier_of(sign);
    }
    return meaning == LIMS_TOKEN_NONDETECT ? "ND"
           : meaning == LIMS_TOKEN_OVER    ? ">"
           : meaning == LIMS_TOKEN_UNDER   ? "<"
                                           : NULL;
}

static const lims_token_t *find_token(const apr_array_header_t *tokens, const char *text)
{
    for (int i = 0; tokens && i < tokens->nelts; i++) {
        const lims_token_t *token = &APR_ARRAY_IDX(tokens, i, lims_token_t);
        if (lims_fold_equals(text, strlen(text), token->text)) {
            return token;
        }
    }
    return NULL;
}

static void read_token(lims_cell_value_t *value, const lims_token_t *token, const char *text)
{
    switch (token->meaning) {
    case LIMS_TOKEN_MISSING:
        read_blank(value);
        return;
    case LIMS_TOKEN_INVALID:
        lims_value_refuse(value, LIMS_REASON_INSTRUMENT_ERROR_FLAG, LIMS_COLUMN_VALUE, NULL,
                          "The instrument says that this is no valid value.");
        return;
    default:
        value->reading.result = fill_places(value, token->write ? token->write : text);
        if (value->reading.result) {
            value->reading.qualifier = token_qualifier(token->meaning, value->reading.result);
        }
    }
}

/* --- Numbers ------------------------------------------------------------------------- */

static void refuse_number(lims_cell_value_t *value, lims_number_e outcome,
                          const lims_number_t *number, const char *text)
{
    const lims_cell_t *cell = value->found[LIMS_COLUMN_VALUE].cell;
    const char *rest, *sign = lims_number_operator(&rest, text);

    if (outcome == LIMS_NUMBER_AMBIGUOUS) {
        lims_value_refuse(value, LIMS_REASON_AMBIGUOUS_NUMBER, LIMS_COLUMN_VALUE, NULL, "%s",
                          number->why);
    } else if (sign) {
        lims_value_refuse(value, LIMS_REASON_UNKNOWN_QUALIFIER, LIMS_COLUMN_VALUE, NULL,
                          "The profile declares no operator that this begins with.");
    } else if (cell && cell->kind == LIMS_CELL_DATE) {
        lims_value_refuse(value, LIMS_REASON_NON_NUMERIC, LIMS_COLUMN_VALUE, "a number",
                          "The workbook has a date here.");
    } else {
        lims_value_refuse(value, LIMS_REASON_NON_NUMERIC, LIMS_COLUMN_VALUE, "a number", "%s",
                          number->why);
    }
}

/* Returns the text before the number, with blanks normalized to spaces. */
static const char *prefix_of(const char *text, const char *sign, const char *rest, apr_pool_t *pool)
{
    const char *blanks = text + strlen(sign);
    apr_size_t width = (apr_size_t)(rest - blanks);

    return strspn(blanks, " \t") >= width ? apr_pstrmemdup(pool, text, (apr_size_t)(rest - text))
                                          : apr_pstrcat(pool, sign, " ", NULL);
}

static void read_number(lims_cell_value_t *value, const char *text)
{
    apr_pool_t *pool = value->layout->pool;
    const lims_numbers_t form =
        lims_found_numbers(value->layout->profile, &value->found[LIMS_COLUMN_VALUE]);
    const char *rest = text, *sign = declared_operator(&rest, value, text), *result;
    lims_number_t number;
    lims_number_e outcome = lims_number_read(&number, rest, &form, pool);

    if (outcome != LIMS_NUMBER_READ) {
        refuse_number(value, outcome, &number, rest);
        return;
    }
    result = lims_value_convert(value, number.text, number.percent);
    if (!result) {
        return;
    }
    value->reading.result = result;
    if (sign) {
        const char *plain;
        const char *usual = lims_number_operator(&plain, sign);
        value->reading.qualifier = qualifier_of(usual ? usual : sign);
        value->reading.result = apr_pstrcat(pool, prefix_of(text, sign, rest, pool), result, NULL);
    }
}

/* --- Texts --------------------------------------------------------------------------- */

static const lims_choice_t *find_choice(const lims_cell_value_t *value, const char *text)
{
    const apr_array_header_t *values = value->test->values;

    for (int i = 0; values && i < values->nelts; i++) {
        const lims_choice_t *choice = &APR_ARRAY_IDX(values, i, lims_choice_t);
        if (lims_fold_equals(text, strlen(text), choice->text)) {
            return choice;
        }
    }
    return NULL;
}

static void read_text(lims_cell_value_t *value, const char *text)
{
    const lims_cell_t *cell = value->found[LIMS_COLUMN_VALUE].cell;
    const lims_choice_t *choice = find_choice(value, text);

    /* The workbook has made a date of 1/40, and a time of 1:20. */
    if (!choice && cell && cell->kind == LIMS_CELL_DATE) {
        lims_value_refuse(value, LIMS_REASON_NON_NUMERIC, LIMS_COLUMN_VALUE, "a text",
                          "The workbook has a date here.");
        return;
    }
    if (!choice && value->test->kind == LIMS_KIND_CHOICE) {
        lims_value_refuse(value, LIMS_REASON_UNKNOWN_QUALIFIER, LIMS_COLUMN_VALUE, NULL,
                          "\"%s\" is none of the values that the test %s can have.", text,
                          value->test->test_code);
        return;
    }
    value->reading.result = choice ? choice->write : text;
    value->reading.unit = value->test->unit;
}

/* --- A value --------------------------------------------------------------------------- */

/* Whether a text is one that spreadsheets write for a formula without a
 * value. */
static bool is_formula_error(const lims_found_t *found)
{
    static const char *const errors[] = { "#N/A",   "#DIV/0!", "#VALUE!", "#REF!",
                                          "#NAME?", "#NUM!",   "#NULL!" };

    if (found->cell && found->cell->kind == LIMS_CELL_ERROR) {
        return true;
    }
    for (apr_size_t i = 0; i < LIMS_LENGTH(errors); i++) {
        if (strcmp(found->text, errors[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* Reads the value's cell. */
static void read_cell(lims_cell_value_t *value, const char *text)
{
    const lims_token_t *token = find_token(value->layout->profile->qualifiers.tokens, text);

    if (token) {
        read_token(value, token, text);
    } else if (is_formula_error(&value->found[LIMS_COLUMN_VALUE])) {
        lims_value_refuse(value, LIMS_REASON_FORMULA_ERROR, LIMS_COLUMN_VALUE, NULL,
                          "The formula of this cell has no value.");
    } else if (value->test->kind == LIMS_KIND_CHOICE && find_choice(value, text)) {
        read_text(value, text); /* also if a blank is one of the choices */
    } else if (*text == '\0') {
        read_blank(value);
    } else if (value->test->kind == LIMS_KIND_NUMERIC) {
        read_number(value, text);
    } else {
        read_text(value, text);
    }
}

/* Applies the qualifier of a code, which must not contradict the value's own. */
static void qualify(lims_cell_value_t *value, lims_token_e meaning)
{
    const char *own = value->reading.qualifier;
    const char *bound = meaning == LIMS_TOKEN_OVER ? ">" : meaning == LIMS_TOKEN_TEXT ? NULL : "<";

    if (own && (!bound || strcmp(own, bound) != 0)) {
        lims_value_refuse(value, LIMS_REASON_UNKNOWN_QUALIFIER, LIMS_COLUMN_QUALIFIER, NULL,
                          "The qualifier contradicts the one in the value.");
    } else if (value->reading.result) {
        value->reading.qualifier = token_qualifier(meaning, value->reading.result);
    }
}

/* Applies a code of the qualifier column to the result, which may have no value. */
static void read_code(lims_cell_value_t *value, const lims_token_t *code, const char *text)
{
    switch (code->meaning) {
    case LIMS_TOKEN_MISSING:
        read_blank(value);
        return;
    case LIMS_TOKEN_INVALID:
        lims_value_refuse(value, LIMS_REASON_INSTRUMENT_ERROR_FLAG, LIMS_COLUMN_QUALIFIER, NULL,
                          "The file says that this is no valid value.");
        return;
    default:
        break;
    }
    if (code->write) {
        value->reading.result = fill_places(value, code->write);
    } else {
        read_cell(value, text);
    }
    qualify(value, code->meaning);
}

bool lims_value_is_blank(const lims_cell_value_t *value)
{
    const char *text = value->found[LIMS_COLUMN_VALUE].text;
    const lims_token_t *token =
        text ? find_token(value->layout->profile->qualifiers.tokens, text) : NULL;

    return !text || (token ? token->meaning == LIMS_TOKEN_MISSING : *text == '\0');
}

void lims_value_read(lims_cell_value_t *value)
{
    lims_found_t *found = &value->found[LIMS_COLUMN_VALUE];
    const char *dilution = value->found[LIMS_COLUMN_DILUTION].text;
    const char *qualifier = value->found[LIMS_COLUMN_QUALIFIER].text;
    const lims_token_t *code =
        qualifier ? find_token(value->layout->profile->qualifiers.codes, qualifier) : NULL;

    found->text = found->text ? found->text : "";
    value->reading.dilution = dilution && *dilution ? dilution : NULL;
    if (code) {
        read_code(value, code, found->text);
    } else {
        read_cell(value, found->text);
    }
    if (!value->skipped && !code) {
        read_qualifier(value);
    }
    if (!value->skipped) {
        read_flag(value);
    }
    if (value->reading.unit && *value->reading.unit == '\0') {
        value->reading.unit = NULL;
    }
}
