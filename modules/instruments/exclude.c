/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exclude.c - exclusions: rows, cells, tests and samples that a person leaves
 * out of a file when it is released. The reasons about an excluded value or row
 * are excluded with it; a reason about several rows, a table or the file stays.
 *
 * A control is never left out, since it decides about the whole run: it stays,
 * marked as excluded, and the database refuses the import (lims.reading_reasons).
 */
#include <apr_lib.h>
#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

#include "instruments/import.h"
#include "kernel/error.h"

static const char *text_of(const lims_json_t *object, const char *name)
{
    const lims_json_t *member = lims_json_member(object, name);

    return member && member->text && *member->text ? member->text : NULL;
}

static int number_of(const lims_json_t *object, const char *name)
{
    const char *text = text_of(object, name);

    return text ? (int)strtol(text, NULL, 10) : 0;
}

/* Parses "D12": a column in letters, and a row. */
static bool parse_cell(lims_excluded_t *out, const char *cell)
{
    int column = 0;

    for (; apr_isalpha(*cell) && column <= LIMS_FILE_COLUMNS_MAX; cell++) {
        column = 26 * column + apr_toupper(*cell) - 'A' + 1;
    }
    out->column = column;
    out->row = strlen(cell) <= 9 ? (int)strtol(cell, NULL, 10) : 0;
    return column > 0 && column <= LIMS_FILE_COLUMNS_MAX && out->row > 0 &&
           strspn(cell, "0123456789") == strlen(cell);
}

const lims_error_t *lims_exclude_parse(lims_excluded_t *out, const lims_json_t *object, int index,
                                       apr_pool_t *pool)
{
    const char *cell = text_of(object, "cell"), *sheet = text_of(object, "sheet");

    *out = (lims_excluded_t){ .sheet = sheet ? sheet : "",
                              .row = number_of(object, "row"),
                              .column = number_of(object, "column"),
                              .test = text_of(object, "test"),
                              .tracking_id = text_of(object, "trackingId") };
    if (cell && (out->row || out->column)) {
        return lims_client_error(
            pool, LIMS_E_INVALID_BODY,
            "exclude[%d].cell: says row and column; they cannot stand beside it.", index);
    }
    if (cell && !parse_cell(out, cell)) {
        return lims_client_error(pool, LIMS_E_INVALID_BODY,
                                 "exclude[%d].cell: must be letters and a number, like D12.",
                                 index);
    }
    if (!out->row && !out->test && !out->tracking_id) {
        return lims_client_error(
            pool, LIMS_E_INVALID_BODY,
            "exclude[%d]: must say what is left out: row, cell, test or trackingId.", index);
    }
    return NULL;
}

/* --- What is meant ------------------------------------------------------------ */

/* The place of a value, with its sample and test; unknown members are 0 or NULL. */
typedef struct {
    const char *sheet;
    int row, column;
    const char *test, *tracking_id;
} place_t;

static bool same(const char *wanted, const char *text)
{
    return !wanted || (text && strcmp(wanted, text) == 0);
}

static bool means(const lims_excluded_t *excluded, const place_t *place)
{
    /* A row belongs to a sheet; in a file without sheets the name of the sheet
     * is empty. */
    bool any_sheet = !excluded->row && *excluded->sheet == '\0';
    bool here = (!excluded->row || excluded->row == place->row) &&
                (any_sheet || strcmp(excluded->sheet, place->sheet ? place->sheet : "") == 0);

    return here && (!excluded->column || excluded->column == place->column) &&
           same(excluded->test, place->test) && same(excluded->tracking_id, place->tracking_id);
}

static bool is_excluded(const lims_import_t *import, const place_t *place)
{
    bool any = false;

    for (int i = 0; i < import->excluded->nelts; i++) {
        lims_excluded_t *each = &APR_ARRAY_IDX(import->excluded, i, lims_excluded_t);

        if (means(each, place)) {
            each->used = any = true;
        }
    }
    return any;
}

static bool reading_is_excluded(const lims_import_t *import, const lims_reading_t *reading)
{
    const place_t place = { .sheet = reading->sheet,
                            .row = reading->row,
                            .column = reading->column,
                            .test = reading->test_code,
                            .tracking_id = reading->tracking_id };

    return is_excluded(import, &place);
}

bool lims_reason_is_excludable(const lims_reason_t *reason)
{
    return reason->value_row || (reason->row && reason->record);
}

/* Whether a reason goes with what is left out. One about a value goes where its value does,
 * wherever it stands itself. One about a row goes with the whole row, once no value of the row
 * is left, since a value that stays would be entered in spite of it. Others stay. `full`: for
 * each record whether a reading of it is left. */
static bool reason_is_excluded(const lims_import_t *import, const lims_reason_t *reason,
                               const char *full)
{
    const place_t place = { .sheet = reason->sheet,
                            .row = reason->value_row ? reason->value_row : reason->row,
                            .column = reason->value_column,
                            .test = reason->test,
                            .tracking_id = reason->tracking_id };

    return lims_reason_is_excludable(reason) && (reason->value_row || !full[reason->record]) &&
           is_excluded(import, &place);
}

/* Leaves out the readings that are meant. Returns for each record whether one of its readings
 * is left. */
static const char *exclude_readings(lims_import_t *import)
{
    lims_readings_t *readings = import->readings;
    /* Records are numbered from 1; that of a last row that does not fit is one more. */
    char *full = apr_pcalloc(import->pool, (apr_size_t)readings->counts.rows + 2);
    int kept = 0;

    for (int i = 0; i < readings->readings->nelts; i++) {
        lims_reading_t reading = APR_ARRAY_IDX(readings->readings, i, lims_reading_t);
        bool excluded = reading_is_excluded(import, &reading);

        if (excluded && !reading.control) {
            readings->counts.results--;
            readings->counts.skipped++;
            continue;
        }
        reading.excluded = excluded;
        full[reading.record] = 1;
        APR_ARRAY_IDX(readings->readings, kept++, lims_reading_t) = reading;
    }
    readings->readings->nelts = kept;
    return full;
}

void lims_import_exclude(lims_import_t *import)
{
    lims_reasons_t *reasons = import->readings->reasons;
    const char *full = exclude_readings(import);
    int kept = 0;

    for (int i = 0; i < reasons->list->nelts; i++) {
        const lims_reason_t reason = APR_ARRAY_IDX(reasons->list, i, lims_reason_t);

        if (reason_is_excluded(import, &reason, full)) {
            reasons->count--;
            reasons->blocking -= reason.blocking ? 1 : 0;
        } else {
            APR_ARRAY_IDX(reasons->list, kept++, lims_reason_t) = reason;
        }
    }
    reasons->list->nelts = kept;
}

const lims_error_t *lims_exclude_check(const lims_import_t *import, apr_pool_t *pool)
{
    for (int i = 0; import->excluded && i < import->excluded->nelts; i++) {
        if (!APR_ARRAY_IDX(import->excluded, i, lims_excluded_t).used) {
            return lims_client_error(
                pool, LIMS_E_INVALID_BODY,
                "exclude[%d]: nothing that is read of the file is meant by it.", i);
        }
    }
    return NULL;
}
