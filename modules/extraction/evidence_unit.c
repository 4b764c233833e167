/* SPDX-License-Identifier: Apache-2.0 */
/*
 * evidence_unit.c - the unit of a value in the file.
 *
 * The unit can be in five places, and a wrong one may make a result a thousand times
 * too large. If two places contradict each other, no result is entered.
 */
#include <apr_lib.h>
#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

#include "extraction/evidence.h"
#include "extraction/pointer_check.h"
#include "profiles/unit.h"

/* Non-numeric cells above a value that are searched for its unit: name, unit, and one
 * more. */
#define HEADERS_MAX 3

/* Bound on the units of a row that are compared. */
#define MEASURES_MAX 256

/* Separators between a name and its unit. */
#define SEPARATORS " ()[]{},;:^"

/* --- A text ---------------------------------------------------------------------- */

static const char *mismatch(const char *unit, const lims_candidate_t *candidate, apr_pool_t *pool)
{
    return apr_psprintf(pool, "The file has the unit %s, the test %s.", unit, candidate->unit);
}

/* Reads a text as a unit of the test's quantity. */
static lims_unit_found_t read_new(const char *text, const lims_candidate_t *candidate,
                                  apr_pool_t *pool)
{
    lims_unit_found_t found = { 0, NULL, 0 };

    if (strcmp(text, candidate->unit) == 0) {
        found.factor = LIMS_UNIT_EQUAL;
    } else if (lims_unit_power(&found.power, text, candidate->unit, pool)) {
        found.factor = found.power == 0 ? LIMS_UNIT_SPELLING : LIMS_UNIT_CONVERTED;
    }
    found.text = found.factor > 0 ? apr_pstrdup(pool, text) : NULL;
    return found;
}

static lims_unit_found_t read_unit(lims_evidence_t *evidence, const char *text,
                                   const lims_candidate_t *candidate)
{
    char key[2 * LIMS_GRID_CELL_MAX + 64];
    lims_unit_found_t found, *kept;
    int length = apr_snprintf(key, sizeof(key), "%s\n%s", text, candidate->unit);

    if (text[0] == '\0' || length + 1 >= (int)sizeof(key)) {
        return (lims_unit_found_t){ 0, NULL, 0 };
    }
    kept = apr_hash_get(evidence->units, key, length);
    if (!kept) {
        found = read_new(text, candidate, evidence->pool);
        kept = apr_pmemdup(evidence->pool, &found, sizeof(found));
        apr_hash_set(evidence->units, apr_pstrmemdup(evidence->pool, key, (apr_size_t)length),
                     length, kept);
    }
    return *kept;
}

/* Whether a text is certainly a unit and no part of a name: with a slash or in brackets. */
static bool is_surely_unit(const char *text, bool bracketed, apr_pool_t *pool)
{
    return (bracketed || strchr(text, '/')) && (text[1] != '\0' || text[0] == '%') &&
           apr_isdigit(text[0]) == 0 && lims_unit_known(text, pool);
}

/* Finds the unit in a header: "Nitrate (mg/L)", "NO3N [mg/L]", "NO3N mg/L". */
static const char *read_header(lims_unit_found_t *found, lims_evidence_t *evidence,
                               const char *text, const lims_candidate_t *candidate)
{
    char *copy = apr_pstrdup(evidence->pool, text), *state = NULL;
    const char *foreign = NULL;

    *found = read_unit(evidence, text, candidate);
    if (found->factor > 0) {
        return NULL;
    }
    for (char *part = apr_strtok(copy, SEPARATORS, &state); part;
         part = apr_strtok(NULL, SEPARATORS, &state)) {
        bool bracketed = part > copy && strchr("([", text[part - copy - 1]);
        lims_unit_found_t here = read_unit(evidence, part, candidate);

        if (here.factor > 0 && found->factor > 0 && here.power != found->power) {
            return "The header has two units.";
        }
        if (here.power != 0 && part[1] == '\0' && !bracketed) {
            return mismatch(part, candidate, evidence->pool); /* a unit, or a letter */
        }
        if (here.factor > found->factor) {
            *found = here;
        } else if (here.factor == 0 && is_surely_unit(part, bracketed, evidence->pool)) {
            foreign = part;
        }
    }
    return foreign && found->factor == 0 ? mismatch(foreign, candidate, evidence->pool) : NULL;
}

apr_size_t lims_evidence_split(const char **unit, const char *text,
                               const lims_candidate_t *candidate, apr_pool_t *pool)
{
    apr_size_t length = strspn(text, "<>");
    int power = 0;

    length += strspn(text + length, " ");
    length += strspn(text + length, "0123456789.+-");
    *unit = text + length + strspn(text + length, " ");
    return length > 0 && text[length] == ' ' && candidate->unit && **unit != '\0' &&
                   lims_unit_power(&power, *unit, candidate->unit, pool)
               ? length
               : 0;
}

/* --- The places -------------------------------------------------------------------- */

/* Finds the nearest unit above the value; not in messages, whose columns are fields. */
static const char *look_above(lims_unit_found_t *found, lims_evidence_t *evidence,
                              const lims_candidate_t *candidate, const lims_pointer_t *pointer)
{
    const char *problem = NULL;
    int left = lims_evidence_is_message(evidence) ? 0 : HEADERS_MAX;

    *found = (lims_unit_found_t){ 0, NULL, 0 };
    for (int r = pointer->value.row - 1; r >= 1 && left > 0 && !found->factor && !problem; r--) {
        const lims_grid_cell_t *cell =
            lims_grid_cell(evidence->grid, pointer->sheet, r, pointer->value.column);

        if (cell && cell->shown && cell->text[0] != '\0' && !lims_evidence_is_numeric(cell->text)) {
            left--;
            problem = read_header(found, evidence, cell->text, candidate);
        }
    }
    return problem;
}

/* A cell of a row that contains a unit of any quantity. */
typedef struct {
    int column;
    const char *text;
} measure_t;

/* Returns the unit text of a cell; of a coded element of HL7 the code. */
static const char *unit_text(const lims_evidence_t *evidence, const char *text)
{
    return lims_evidence_is_message(evidence) && strchr(text, '^')
               ? apr_pstrmemdup(evidence->pool, text, strcspn(text, "^"))
               : text;
}

static const apr_array_header_t *measures_of(lims_evidence_t *evidence, const lims_grid_row_t *row)
{
    apr_array_header_t *measures = apr_hash_get(evidence->measures, &row, sizeof(row));

    if (measures) {
        return measures;
    }
    measures = apr_array_make(evidence->pool, 1, sizeof(measure_t));
    for (int c = 0; c < row->count && measures->nelts < MEASURES_MAX; c++) {
        const lims_grid_cell_t *cell = &row->cells[c];

        if (cell->shown && cell->text[0] != '\0' && !lims_evidence_is_numeric(cell->text)) {
            APR_ARRAY_PUSH(measures, measure_t) =
                (measure_t){ c + 1, unit_text(evidence, cell->text) };
        }
    }
    apr_hash_set(evidence->measures, apr_pmemdup(evidence->pool, &row, sizeof(row)), sizeof(row),
                 measures);
    return measures;
}

/* The unit in a row: the one nearest to the value; of two equally near the one after it. */
typedef struct {
    lims_unit_found_t unit;
    int column, distance;
    bool mixed;          /* other units of the row would convert differently */
    const char *foreign; /* a unit of another quantity, or NULL */
} row_units_t;

static row_units_t look_beside(lims_evidence_t *evidence, const lims_candidate_t *candidate,
                               const lims_pointer_t *pointer)
{
    const apr_array_header_t *measures =
        measures_of(evidence, lims_evidence_row(evidence, pointer->sheet, pointer->value.row));
    row_units_t row = { .distance = 0 };

    for (int i = 0; i < measures->nelts; i++) {
        const measure_t *measure = &APR_ARRAY_IDX(measures, i, measure_t);
        lims_unit_found_t here = read_unit(evidence, measure->text, candidate);
        int distance = abs(measure->column - pointer->value.column);

        if (measure->column == pointer->value.column) {
            continue;
        }
        if (here.factor == 0) {
            row.foreign =
                is_surely_unit(measure->text, false, evidence->pool) ? measure->text : row.foreign;
            continue;
        }
        row.mixed = row.mixed || (row.unit.factor > 0 && row.unit.power != here.power);
        if (row.unit.factor == 0 || distance <= row.distance) {
            row.unit = here;
            row.column = measure->column;
            row.distance = distance;
        }
    }
    return row;
}

/* --- The decision -------------------------------------------------------------------- */

static const char *two_units(const lims_unit_found_t *a, const lims_unit_found_t *b,
                             apr_pool_t *pool)
{
    return apr_psprintf(pool, "The file gives the value two units: %s and %s.", a->text, b->text);
}

/* Refuses a unit from above the value where the cell right beside the value has another one. */
static const char *contradicted(const lims_unit_found_t *unit, lims_evidence_t *evidence,
                                const lims_candidate_t *candidate, const lims_pointer_t *pointer)
{
    row_units_t row = look_beside(evidence, candidate, pointer);

    return row.unit.factor > 0 && row.distance == 1 && row.unit.power != unit->power
               ? two_units(unit, &row.unit, evidence->pool)
               : NULL;
}

/* Takes the unit from the cell that the model names, unless the value's own text, the
 * header or a nearer unit of the row contradicts it. */
static const char *read_pointed(lims_unit_found_t *unit, lims_evidence_t *evidence,
                                const lims_candidate_t *candidate, const lims_pointer_t *pointer,
                                const char *text)
{
    lims_unit_found_t header = { 0, NULL, 0 };
    row_units_t row;
    const char *problem;

    text = unit_text(evidence, text);
    *unit = read_unit(evidence, text, candidate);
    problem = unit->factor == 0 ? read_header(unit, evidence, text, candidate) : NULL;
    if (problem || unit->factor == 0) {
        return problem ? problem : mismatch(text, candidate, evidence->pool);
    }
    problem = look_above(&header, evidence, candidate, pointer);
    if (!problem && header.factor > 0 && header.power != unit->power) {
        problem = two_units(&header, unit, evidence->pool);
    }
    if (problem || pointer->unit.row != pointer->value.row) {
        return problem ? problem : contradicted(unit, evidence, candidate, pointer);
    }
    row = look_beside(evidence, candidate, pointer);
    if (!problem && row.mixed && row.unit.power != unit->power) {
        problem = two_units(&row.unit, unit, evidence->pool);
    }
    return problem;
}

/* Searches for the unit if the model names no cell. */
static const char *search(lims_unit_found_t *unit, lims_evidence_t *evidence,
                          const lims_candidate_t *candidate, const lims_pointer_t *pointer)
{
    const char *problem = look_above(unit, evidence, candidate, pointer);
    row_units_t row;

    if (problem || unit->factor > 0) {
        return problem ? problem : contradicted(unit, evidence, candidate, pointer);
    }
    row = look_beside(evidence, candidate, pointer);
    if (row.mixed) {
        return "The row has several units, and nothing says which is the value's.";
    }
    if (row.unit.factor == 0 && row.foreign) {
        return mismatch(row.foreign, candidate, evidence->pool);
    }
    *unit = row.unit;
    return NULL;
}

static bool is_near(const lims_pointer_t *pointer)
{
    return pointer->unit.row == pointer->value.row ||
           (pointer->unit.column == pointer->value.column &&
            pointer->unit.row < pointer->value.row);
}

/* Takes any unit for a test without one: there is nothing to compare. */
static void accept_any(lims_unit_found_t *unit, const lims_grid_cell_t *cell)
{
    bool named = cell && cell->text[0] != '\0';

    unit->factor = named ? LIMS_UNIT_SPELLING : LIMS_UNIT_EQUAL;
    unit->text = named ? cell->text : NULL;
}

const char *lims_evidence_unit(lims_unit_found_t *unit, lims_evidence_t *evidence,
                               const lims_candidate_t *candidate, const lims_pointer_t *pointer,
                               const char *beside)
{
    const lims_grid_cell_t *cell =
        lims_grid_cell(evidence->grid, pointer->sheet, pointer->unit.row, pointer->unit.column);
    bool own =
        pointer->unit.row == pointer->value.row && pointer->unit.column == pointer->value.column;
    lims_unit_found_t other = { 0, NULL, 0 };
    const char *problem = NULL;

    *unit = (lims_unit_found_t){ 0, NULL, 0 };
    if (pointer->unit.row != 0 && (!cell || !cell->shown || !is_near(pointer))) {
        return "The unit stands neither in the row of the value nor above it.";
    }
    if (!candidate->unit) {
        accept_any(unit, own ? NULL : cell);
        return NULL;
    }
    if (cell && cell->text[0] != '\0' && !own) {
        problem = read_pointed(unit, evidence, candidate, pointer, cell->text);
    } else {
        problem = beside ? look_above(unit, evidence, candidate, pointer)
                         : search(unit, evidence, candidate, pointer);
    }
    if (!problem && beside) {
        other = *unit;
        *unit = read_unit(evidence, beside, candidate);
        problem = other.factor > 0 && other.power != unit->power
                      ? two_units(unit, &other, evidence->pool)
                      : NULL;
    }
    if (!problem && unit->factor == 0) {
        unit->factor = LIMS_UNIT_MISSING;
    }
    return problem;
}
