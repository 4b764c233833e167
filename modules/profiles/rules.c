/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rules.c - the rules for values of every layout: which values count, their
 * sample, test and time. Numbers and units are in rules_value.c.
 */
#include "profiles/fold.h"
#include "profiles/layout.h"

#include <apr_strings.h>
#include <string.h>

/* --- Conditions ------------------------------------------------------------------ */

typedef enum {
    FAILS,
    HOLDS,
    OPEN /* depends on the value */
} verdict_e;

static bool is_listed(const apr_array_header_t *texts, const char *text)
{
    for (int i = 0; texts && i < texts->nelts; i++) {
        if (strcmp(APR_ARRAY_IDX(texts, i, const char *), text) == 0) {
            return true;
        }
    }
    return false;
}

/* Evaluates one condition; `value` NULL: by the row only. */
static verdict_e evaluate_condition(const lims_layout_t *layout, const lims_layout_scope_t *scope,
                                    const lims_cell_value_t *value,
                                    const lims_condition_t *condition)
{
    const lims_source_t *source = &condition->source;
    lims_found_t found;
    const char *text;

    if (condition->column != LIMS_COLUMN_COUNT && value) {
        found = value->found[condition->column];
    } else {
        if (condition->column != LIMS_COLUMN_COUNT) {
            source = &layout->profile->columns[condition->column];
            if (source->kind == LIMS_SOURCE_NONE) {
                return OPEN;
            }
        }
        lims_source_read(&found, layout, scope, source);
    }
    if (lims_condition_compares(condition)) {
        return lims_rules_compare(layout, scope, condition, &found) ? HOLDS : FAILS;
    }
    text = found.text ? found.text : "";
    if (is_listed(condition->equals, text)) {
        return HOLDS;
    }
    return condition->matches &&
                   lims_regex_matches(layout->out->matcher, condition->matches, text, strlen(text))
               ? HOLDS
               : FAILS;
}

/* Evaluates conditions, all of which must hold. */
static verdict_e evaluate_conditions(const lims_layout_t *layout, const lims_layout_scope_t *scope,
                                     const lims_cell_value_t *value,
                                     const apr_array_header_t *conditions)
{
    verdict_e verdict = HOLDS;

    for (int i = 0; conditions && i < conditions->nelts; i++) {
        verdict_e one = evaluate_condition(layout, scope, value,
                                           &APR_ARRAY_IDX(conditions, i, lims_condition_t));
        if (one == FAILS) {
            return FAILS;
        }
        verdict = one == OPEN ? OPEN : verdict;
    }
    return verdict;
}

/* Whether a row, or a value in it, is selected by rows.only and rows.skip. */
static verdict_e evaluate_selection(const lims_layout_t *layout, const lims_layout_scope_t *scope,
                                    const lims_cell_value_t *value)
{
    const lims_rows_t *rows = &layout->profile->rows;
    verdict_e verdict = evaluate_conditions(layout, scope, value, rows->only);

    for (int i = 0; rows->skip && i < rows->skip->nelts && verdict != FAILS; i++) {
        switch (evaluate_conditions(layout, scope, value,
                                    APR_ARRAY_IDX(rows->skip, i, lims_row_rule_t).when)) {
        case HOLDS:
            return FAILS;
        case OPEN:
            verdict = OPEN;
            break;
        case FAILS:
            break;
        }
    }
    return verdict;
}

/* --- Rows ------------------------------------------------------------------------ */

bool lims_rules_begin(lims_layout_t *layout, const lims_layout_scope_t *scope)
{
    verdict_e verdict;

    if (!lims_reasons_in_time(layout->out->reasons)) {
        return false;
    }
    layout->record = ++layout->out->counts.rows;
    verdict = scope ? evaluate_selection(layout, scope, NULL) : OPEN;
    layout->values = layout->skipped = layout->left = 0;
    layout->id_reported = layout->time_reported = false;
    layout->flag_reported = NULL;
    layout->judged = verdict == HOLDS;
    if (verdict == FAILS) {
        layout->out->counts.skipped++;
        layout->record = 0;
    }
    return verdict != FAILS;
}

void lims_rules_end(lims_layout_t *layout)
{
    bool all = layout->values > 0 && layout->skipped == layout->values;

    layout->out->counts.skipped += all ? 1 : layout->skipped;
    layout->out->counts.left += all ? layout->left > 0 : layout->left;
    layout->record = 0;
}

/* --- Tests ----------------------------------------------------------------------- */

static bool is_replicate(const lims_test_t *test, const char *replicate)
{
    return !test->replicate || (replicate && strcmp(test->replicate, replicate) == 0);
}

/* Finds the test with a name; of several the one for the replicate. */
static const lims_test_t *find_test(bool *known, const lims_layout_t *layout, const char *folded,
                                    const char *replicate)
{
    const apr_array_header_t *list = apr_hash_get(layout->tests, folded, APR_HASH_KEY_STRING);

    *known = list;
    for (int i = 0; list && i < list->nelts; i++) {
        const lims_test_t *test = APR_ARRAY_IDX(list, i, const lims_test_t *);
        if (is_replicate(test, replicate)) {
            return test;
        }
    }
    return NULL;
}

/* Reports an unknown test, once a row. A name shared by many rows, of a group or a
 * block, makes one reason (lims_layout_add_reason()). */
static void report_unknown_test(lims_cell_value_t *value, const char *text)
{
    lims_layout_t *layout = value->layout;
    const lims_found_t *name = &value->found[LIMS_COLUMN_TEST];
    const lims_regex_t *regex = layout->profile->columns[LIMS_COLUMN_TEST].regex;
    const char *sheet = value->scope->sheet ? value->scope->sheet->name : "";
    const char *key = apr_psprintf(layout->pool, "%s\n%d %d %d %s", sheet, layout->record,
                                   name->row, name->column, text);

    if (!layout->unknown) {
        layout->unknown = apr_hash_make(layout->pool);
    }
    if (name->row > 0 && apr_hash_get(layout->unknown, key, APR_HASH_KEY_STRING)) {
        return;
    }
    apr_hash_set(layout->unknown, key, APR_HASH_KEY_STRING, key);
    if (*text == '\0') {
        lims_value_refuse(
            value, LIMS_REASON_UNKNOWN_TEST_CODE, LIMS_COLUMN_TEST,
            regex ? lims_regex_pattern(regex) : NULL,
            name->raw && *name->raw
                ? "The name of the test does not have the form that the profile declares."
                : "The name of the test is missing.");
        return;
    }
    lims_value_refuse(value, LIMS_REASON_UNKNOWN_TEST_CODE, LIMS_COLUMN_TEST, NULL,
                      "The profile has no test of the name \"%s\".", text);
}

/* Determines the test of a value; false, with or without a reason, if it has none. */
static bool resolve_test(lims_cell_value_t *value, const lims_test_t *given)
{
    lims_layout_t *layout = value->layout;
    const lims_found_t *name = &value->found[LIMS_COLUMN_TEST];
    const char *replicate = value->found[LIMS_COLUMN_REPLICATE].text;
    const char *text = name->text ? name->text : "";
    const char *folded = lims_fold(text, strlen(text), layout->pool);
    bool known;

    value->test = find_test(&known, layout, folded, replicate);
    if (value->test) {
        /* A column is read for the test of each replicate; the right one takes it. */
        return !given || given == value->test;
    }
    if (given && !given->replicate) {
        value->test = given;
        return true;
    }
    if (known) {
        const apr_array_header_t *list = apr_hash_get(layout->tests, folded, APR_HASH_KEY_STRING);
        if (!given || given == APR_ARRAY_IDX(list, 0, const lims_test_t *)) {
            lims_value_refuse(value, LIMS_REASON_REPLICATE_UNRESOLVED, LIMS_COLUMN_REPLICATE, NULL,
                              "The profile has no test \"%s\" for the replicate \"%s\".", text,
                              replicate ? replicate : "");
        }
        return false;
    }
    if (layout->profile->unknown_test == LIMS_UNKNOWN_IGNORE ||
        apr_hash_get(layout->ignored, folded, APR_HASH_KEY_STRING)) {
        layout->skipped++;
        return false;
    }
    report_unknown_test(value, text);
    return false;
}

/* --- Sample, test, time
 * ------------------------------------------------------------ */

static void read_tracking_id(lims_cell_value_t *value)
{
    lims_layout_t *layout = value->layout;
    const lims_found_t *found = &value->found[LIMS_COLUMN_TRACKING_ID];
    const lims_regex_t *regex = layout->profile->columns[LIMS_COLUMN_TRACKING_ID].regex;
    bool wrong = found->raw && *found->raw && regex && !found->text;

    if (found->text && *found->text) {
        value->reading.tracking_id = found->text;
    } else if (!layout->id_reported && !value->reading.control) {
        layout->id_reported = true;
        lims_value_refuse(value, LIMS_REASON_MISSING_TRACKING_ID, LIMS_COLUMN_TRACKING_ID,
                          wrong ? lims_regex_pattern(regex) : NULL,
                          wrong ? "The sample's name does not have the form of a tracking id."
                                : "There is no tracking id.");
    }
}

/* Refuses a value in a well for which the map names no sample, since the name may
 * be lost. False: the map has the well, or the value is of a control. */
static bool refuse_unmapped(lims_cell_value_t *value)
{
    if (!value->scope->unmapped || value->reading.control) {
        return false;
    }
    if (lims_value_is_blank(value)) {
        value->layout->skipped++;
    } else {
        lims_value_refuse(value, LIMS_REASON_MISSING_TRACKING_ID, LIMS_COLUMN_VALUE, NULL,
                          "The well %s has a value, and the map names no sample for it.",
                          value->scope->places[LIMS_FROM_WELL]->text);
    }
    return true;
}

static const lims_control_t *find_control(const lims_cell_value_t *value)
{
    const apr_array_header_t *controls = value->layout->profile->rows.controls;

    for (int i = 0; controls && i < controls->nelts; i++) {
        const lims_control_t *control = &APR_ARRAY_IDX(controls, i, lims_control_t);
        if (lims_control_is_for(control, value->test) &&
            evaluate_conditions(value->layout, value->scope, value, control->when) == HOLDS) {
            return control;
        }
    }
    return NULL;
}

/* Adds reasons for errors that the instrument reports in the row. */
static void check_errors(lims_cell_value_t *value)
{
    const apr_array_header_t *errors = value->layout->profile->rows.errors;

    for (int i = 0; errors && i < errors->nelts; i++) {
        const lims_row_rule_t *rule = &APR_ARRAY_IDX(errors, i, lims_row_rule_t);
        if (evaluate_conditions(value->layout, value->scope, value, rule->when) == HOLDS) {
            const lims_condition_t *first = &APR_ARRAY_IDX(rule->when, 0, lims_condition_t);
            lims_column_e column =
                first->column == LIMS_COLUMN_COUNT ? LIMS_COLUMN_VALUE : first->column;
            lims_value_refuse(value, LIMS_REASON_INSTRUMENT_ERROR_FLAG, column, NULL, "%s",
                              rule->message ? rule->message
                                            : "The instrument says that this row is in error.");
            return;
        }
    }
}

/* Checks the status: false for a result that is not final and is to be skipped. */
static bool check_status(lims_cell_value_t *value)
{
    const lims_rows_t *rows = &value->layout->profile->rows;
    const char *status = value->found[LIMS_COLUMN_STATUS].text;

    if (!rows->final || is_listed(rows->final, status ? status : "")) {
        return true;
    }
    if (rows->not_final == LIMS_UNKNOWN_IGNORE) {
        return false;
    }
    lims_value_refuse(value, LIMS_REASON_INSTRUMENT_ERROR_FLAG, LIMS_COLUMN_STATUS,
                      apr_array_pstrcat(value->layout->pool, rows->final, ','),
                      "The result has the status \"%s\", which is not final.",
                      status ? status : "");
    return true;
}

/* Refuses a value that the workbook displays as another, since no person has seen
 * it. */
static void check_shown(lims_cell_value_t *value)
{
    for (int i = 0; i < LIMS_COLUMN_COUNT; i++) {
        const lims_cell_t *cell = value->found[i].cell;

        if (cell && cell->kind == LIMS_CELL_SHOWN) {
            lims_value_refuse(
                value, LIMS_REASON_AMBIGUOUS_NUMBER, (lims_column_e)i, NULL,
                "The number format of the cell shows another number than the one that "
                "is stored, or adds a sign to it.");
        }
    }
}

/* --- A value ----------------------------------------------------------------------- */

static void look_up(lims_cell_value_t *value, lims_column_e column)
{
    const lims_source_t *own = value->test ? value->test->columns[column] : NULL;

    value->layout->remark = column == LIMS_COLUMN_OPERATOR || column == LIMS_COLUMN_COMMENT;
    lims_source_read(&value->found[column], value->layout, value->scope,
                     own ? own : &value->layout->profile->columns[column]);
    value->layout->remark = false;
}

static void fill(lims_found_t *found, const lims_found_t *given, apr_pool_t *pool)
{
    *found = *given;
    if (!found->text && found->raw) {
        found->text = lims_found_text(found->raw, 0, 0, pool).text;
    }
}

/* Takes the unit from the unit row, which has one for every column. */
static void look_up_unit(lims_cell_value_t *value)
{
    const lims_row_t *units = value->scope->units;
    int column = value->found[LIMS_COLUMN_VALUE].column;

    if (units && column > 0) {
        const lims_found_t cell = lims_found_cell(units, column - 1);
        fill(&value->found[LIMS_COLUMN_UNIT], &cell, value->layout->pool);
    }
}

static void collect(lims_cell_value_t *value, const lims_found_t *name, const lims_found_t *given)
{
    for (int i = 0; i < LIMS_COLUMN_COUNT; i++) {
        if (i == LIMS_COLUMN_VALUE && given) {
            fill(&value->found[i], given, value->layout->pool);
        } else if (i == LIMS_COLUMN_TEST && name) {
            fill(&value->found[i], name, value->layout->pool);
        } else {
            look_up(value, (lims_column_e)i);
        }
    }
    look_up_unit(value);
}

/* Determines the test before everything else, since it may have sources of its
 * own. */
static void identify(lims_cell_value_t *value, const lims_test_t *test, const lims_found_t *name)
{
    bool known;
    const char *text;

    look_up(value, LIMS_COLUMN_REPLICATE);
    if (name) {
        fill(&value->found[LIMS_COLUMN_TEST], name, value->layout->pool);
    } else {
        look_up(value, LIMS_COLUMN_TEST);
    }
    text = value->found[LIMS_COLUMN_TEST].text;
    value->test = test   ? test
                  : text ? find_test(&known, value->layout,
                                     lims_fold(text, strlen(text), value->layout->pool),
                                     value->found[LIMS_COLUMN_REPLICATE].text)
                         : NULL;
}

static const char *text_or_null(const lims_cell_value_t *value, lims_column_e column)
{
    const char *text = value->found[column].text;

    return text && *text ? text : NULL;
}

/* Refuses a row with results that the workbook hides: whoever looked at the sheet has not
 * seen them. */
static void check_visible(const lims_cell_value_t *value)
{
    if (value->scope->row && value->scope->row->hidden) {
        lims_layout_reason(value->layout, value->scope, LIMS_REASON_STRUCTURE_MISMATCH, true, NULL,
                           NULL,
                           "The workbook hides this row, which has results. Show it, clear the "
                           "filter or delete the row, and import the file again.");
    }
}

/* Returns a text of the value; NULL, with a reason, if it is longer than any such text. All
 * values of a file may have the same one, so it must not be long. */
static const char *bounded(lims_cell_value_t *value, lims_column_e column, const char *text)
{
    if (text && strlen(text) > LIMS_READING_TEXT_MAX) {
        lims_value_refuse(value, LIMS_REASON_STRUCTURE_MISMATCH, column, NULL,
                          "This is longer than %d bytes, which no such text is.",
                          LIMS_READING_TEXT_MAX);
        return NULL;
    }
    return text;
}

/* Returns as much of a comment as the record of a result keeps. */
static const char *begin_of(const char *comment, apr_pool_t *pool)
{
    const char *end = comment;

    if (!comment || strlen(comment) <= LIMS_READING_TEXT_MAX) {
        return comment;
    }
    for (int i = 0; *end && i < LIMS_COMMENT_MAX; i++) {
        do {
            end++;
        } while (((unsigned char)*end & 0xC0) == 0x80);
    }
    return *end ? apr_pstrmemdup(pool, comment, (apr_size_t)(end - comment)) : comment;
}

static void add_reading(lims_cell_value_t *value)
{
    lims_reading_t *reading = &value->reading;
    const lims_found_t *found = &value->found[LIMS_COLUMN_VALUE];

    reading->sheet = value->scope->sheet ? value->scope->sheet->name : "";
    reading->row = lims_value_row(value);
    reading->column = found->column;
    reading->record = value->layout->record;
    reading->offset = found->cell ? found->cell->offset : 0;
    reading->test_name = text_or_null(value, LIMS_COLUMN_TEST);
    reading->test_code = value->test->test_code;
    reading->raw = found->raw ? found->raw : "";
    reading->tracking_id = bounded(value, LIMS_COLUMN_TRACKING_ID, reading->tracking_id);
    reading->result = bounded(value, LIMS_COLUMN_VALUE, reading->result);
    reading->unit = bounded(value, LIMS_COLUMN_UNIT, reading->unit);
    reading->replicate = text_or_null(value, LIMS_COLUMN_REPLICATE);
    reading->operator_name =
        bounded(value, LIMS_COLUMN_OPERATOR, text_or_null(value, LIMS_COLUMN_OPERATOR));
    reading->comment = begin_of(text_or_null(value, LIMS_COLUMN_COMMENT), value->layout->pool);
    APR_ARRAY_PUSH(value->layout->out->readings, lims_reading_t) = *reading;
}

void lims_rules_value(lims_layout_t *layout, const lims_layout_scope_t *scope,
                      const lims_test_t *test, const lims_found_t *name, const lims_found_t *given)
{
    lims_cell_value_t value = { .layout = layout, .scope = scope };

    identify(&value, test, name);
    collect(&value, name, given);
    layout->values++;
    if (!layout->judged && evaluate_selection(layout, scope, &value) != HOLDS) {
        layout->skipped++;
        return;
    }
    value.reading.control = find_control(&value);
    if (value.reading.control && value.reading.control->route == LIMS_ROUTE_SKIP) {
        layout->skipped++;
        layout->left++;
        return;
    }
    if (!resolve_test(&value, test)) {
        return;
    }
    if (!check_status(&value)) {
        layout->skipped++;
        return;
    }
    if (refuse_unmapped(&value)) {
        return;
    }
    value.reading.control = lims_control_in_unit(&value);
    check_shown(&value);
    lims_value_read(&value);
    if (value.skipped) {
        layout->skipped++;
        return;
    }
    read_tracking_id(&value);
    lims_time_read(&value);
    check_errors(&value);
    check_visible(&value);
    add_reading(&value);
}

void lims_rules_finish(lims_layout_t *layout)
{
    lims_readings_t *out = layout->out;

    lims_times_decide(layout);
    lims_replicates_resolve(layout);
    for (int i = 0; i < out->readings->nelts; i++) {
        if (APR_ARRAY_IDX(out->readings, i, lims_reading_t).control) {
            out->counts.controls++;
        } else {
            out->counts.results++;
        }
    }
    lims_controls_compare(out, false, layout->pool);
    lims_integrity_check(layout);
}
