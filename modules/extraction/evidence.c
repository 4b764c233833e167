/* SPDX-License-Identifier: Apache-2.0 */
/* evidence.c - what the file itself says for a pointer and against it. */
#include "extraction/evidence.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <string.h>

#include "extraction/judge.h"
#include "profiles/fold.h"
#include "profiles/unit.h"

static bool is_message(const lims_grid_t *grid)
{
    return grid->container == LIMS_CONTAINER_HL7 || grid->container == LIMS_CONTAINER_ASTM;
}

static const lims_grid_row_t *row_of(const lims_grid_t *grid, int sheet, int row)
{
    return &grid->sheets[sheet - 1].rows[row - 1];
}

static bool same(const char *a, const char *b)
{
    return a != NULL && b != NULL && strcmp(a, b) == 0;
}

/* --- The record ------------------------------------------------------------------ */

/* Whether a row names another sample than this one. */
static bool names_another(const lims_grid_row_t *row, const char *tracking_id)
{
    for (int c = 0; row->named && c < row->count; c++) {
        if (row->cells[c].tracking_id != NULL && !same(row->cells[c].tracking_id, tracking_id)) {
            return true;
        }
    }
    return false;
}

/* In a row of several samples a value belongs to the one before it, or behind it
 * when there is none before. */
static const char *in_row(const lims_grid_row_t *row, const lims_pointer_t *pointer)
{
    const char *owner = NULL;

    for (int c = pointer->value.column - 1; c >= 0 && owner == NULL; c--) {
        owner = row->cells[c].tracking_id;
    }
    for (int c = pointer->value.column; c < row->count && owner == NULL; c++) {
        owner = row->cells[c].tracking_id;
    }
    return same(owner, row->cells[pointer->id.column - 1].tracking_id)
               ? NULL
               : "The value stands beside another sample of its row.";
}

static const char *in_message(const lims_grid_t *grid, const lims_pointer_t *pointer)
{
    const char *results = grid->container == LIMS_CONTAINER_HL7 ? "OBX" : "R";
    const lims_grid_row_t *id = row_of(grid, pointer->sheet, pointer->id.row);
    const lims_grid_row_t *value = row_of(grid, pointer->sheet, pointer->value.row);

    if (pointer->id.row >= pointer->value.row || id->message != value->message ||
        !same(value->cells[0].text, results)) {
        return "The value is not in a result of that sample's message.";
    }
    for (int r = pointer->id.row + 1; r < pointer->value.row; r++) {
        if (same(row_of(grid, pointer->sheet, r)->cells[0].text, id->cells[0].text)) {
            return "Another sample begins between the cell that names the sample and the value.";
        }
    }
    return NULL;
}

/* Below a sample: in its column (a table on its side, or "Sample: …" with pairs
 * below) or in its block. In a table of samples the row below is another one. */
static const char *in_block(const lims_grid_t *grid, const lims_pointer_t *pointer)
{
    const lims_grid_row_t *id = row_of(grid, pointer->sheet, pointer->id.row);
    bool column = pointer->id.column == pointer->value.column;

    if (pointer->id.row > pointer->value.row) {
        return "The value stands above the cell that names the sample.";
    }
    if (!column && pointer->value.column <= id->count &&
        id->cells[pointer->value.column - 1].text[0] != '\0') {
        return "The value stands in another row than the cell that names the sample.";
    }
    return NULL;
}

const char *lims_evidence_record(const lims_grid_t *grid, const lims_candidates_t *candidates,
                                 const lims_pointer_t *pointer)
{
    const char *tracking_id =
        lims_grid_cell(grid, pointer->sheet, pointer->id.row, pointer->id.column)->tracking_id;
    const char *problem;

    (void)candidates;
    if (pointer->id.row == pointer->value.row) {
        return in_row(row_of(grid, pointer->sheet, pointer->id.row), pointer);
    }
    problem = is_message(grid) ? in_message(grid, pointer) : in_block(grid, pointer);
    for (int r = pointer->id.row + 1; r <= pointer->value.row && problem == NULL; r++) {
        const lims_grid_row_t *row = row_of(grid, pointer->sheet, r);

        if (names_another(row, tracking_id)) {
            problem = "Another sample stands between the cell that names the sample and the value.";
        }
    }
    return problem;
}

/* --- The test ---------------------------------------------------------------------- */

/* How a text names a test, in hundredths; 0: it does not. */
static int grade_part(const char *text, apr_size_t length, const lims_candidate_t *test)
{
    if (lims_fold_equals(text, length, test->folded_code)) {
        return LIMS_TEST_CODE;
    }
    return lims_fold_equals(text, length, test->folded_name) ? LIMS_TEST_NAME : 0;
}

static int grade(const char *text, const lims_candidate_t *test)
{
    int best = grade_part(text, strlen(text), test);
    const char *rest = text, *word = NULL;
    apr_size_t length = 0;

    /* "NO3N^Nitrate^L", "^^^NO3N" */
    for (const char *part = text; best == 0 && strchr(text, '^') != NULL; part++) {
        apr_size_t size = strcspn(part, "^");

        best = size > 0 ? grade_part(part, size, test) : 0;
        part += size;
        if (*part == '\0') {
            break;
        }
    }
    while (best == 0 && strlen(test->folded_code) > 1 && lims_grid_word(&word, &length, &rest)) {
        best = lims_fold_equals(word, length, test->folded_code) ? LIMS_TEST_WITHIN : 0;
    }
    return best;
}

/* The best grades of a text for this test and for another of the same sample. */
typedef struct {
    int ours, others;
} grades_t;

static void look(grades_t *grades, const char *text, const lims_candidates_t *candidates,
                 const lims_candidate_t *candidate)
{
    const lims_candidate_t *first = candidate, *end = candidates->items + candidates->count;

    while (first > candidates->items && same(first[-1].tracking_id, candidate->tracking_id)) {
        first--;
    }
    for (; first < end && same(first->tracking_id, candidate->tracking_id); first++) {
        int found = grade(text, first);

        if (first == candidate || same(first->code, candidate->code)) {
            grades->ours = found > grades->ours ? found : grades->ours;
        } else {
            grades->others = found > grades->others ? found : grades->others;
        }
    }
}

static bool is_numeric(const char *text)
{
    return text[strspn(text, "0123456789.,+-eE<> %")] == '\0';
}

static void look_above(grades_t *grades, const lims_grid_t *grid,
                       const lims_candidates_t *candidates, const lims_candidate_t *candidate,
                       const lims_pointer_t *pointer)
{
    for (int r = pointer->value.row - 1; r >= 1 && grades->ours + grades->others == 0; r--) {
        const lims_grid_cell_t *cell =
            lims_grid_cell(grid, pointer->sheet, r, pointer->value.column);

        if (cell != NULL && cell->shown != NULL && !is_numeric(cell->text)) {
            look(grades, cell->text, candidates, candidate);
        }
    }
}

static void look_beside(grades_t *grades, const lims_grid_t *grid,
                        const lims_candidates_t *candidates, const lims_candidate_t *candidate,
                        const lims_pointer_t *pointer)
{
    const lims_grid_row_t *row = row_of(grid, pointer->sheet, pointer->value.row);

    for (int c = 0; c < row->count; c++) {
        const lims_grid_cell_t *cell = &row->cells[c];

        if (c + 1 != pointer->value.column && cell->shown != NULL && cell->text[0] != '\0') {
            look(grades, cell->text, candidates, candidate);
        }
    }
}

const char *lims_evidence_test(int *factor, const lims_grid_t *grid,
                               const lims_candidates_t *candidates,
                               const lims_candidate_t *candidate, const lims_pointer_t *pointer,
                               apr_pool_t *pool)
{
    grades_t grades = { 0, 0 };

    *factor = 0;
    if (!is_message(grid)) {
        look_above(&grades, grid, candidates, candidate, pointer);
    }
    if (grades.ours + grades.others == 0) {
        look_beside(&grades, grid, candidates, candidate, pointer);
    }
    if (grades.others > 0 && grades.others >= grades.ours) {
        return apr_psprintf(pool, "The file names another test there than %s.", candidate->code);
    }
    *factor = grades.ours > 0 ? grades.ours : LIMS_TEST_MODEL;
    return NULL;
}

/* --- The unit ---------------------------------------------------------------------- */

static int grade_unit(const char *unit, const lims_candidate_t *candidate, apr_pool_t *pool)
{
    if (candidate->unit == NULL) {
        return LIMS_UNIT_SPELLING; /* there is nothing to compare it with */
    }
    return strcmp(unit, candidate->unit) == 0            ? LIMS_UNIT_EQUAL
           : lims_unit_same(unit, candidate->unit, pool) ? LIMS_UNIT_SPELLING
                                                         : 0;
}

/* Another unit of the same quantity, so that the number would have to change. */
static bool is_another(const char *text, const lims_candidate_t *candidate, apr_pool_t *pool)
{
    int power = 0;

    return lims_unit_power(&power, text, candidate->unit, pool) && power != 0;
}

static const char *mismatch(const char *unit, const lims_candidate_t *candidate, apr_pool_t *pool)
{
    return apr_psprintf(pool, "The file has the unit %s, the test %s.", unit, candidate->unit);
}

/* "Nitrate (mg/L)", "NO3N [mg/L]", "NO3N mg/L": a word, or what stands in brackets. */
static const char *look_in_text(int *factor, const char **unit, const char *text,
                                const lims_candidate_t *candidate, apr_pool_t *pool)
{
    char *copy = apr_pstrdup(pool, text), *state = NULL;

    if (grade_unit(text, candidate, pool) > 0) {
        *factor = grade_unit(text, candidate, pool);
        *unit = text;
        return NULL;
    }
    for (char *part = apr_strtok(copy, " ()[]{},;:", &state); part != NULL;
         part = apr_strtok(NULL, " ()[]{},;:", &state)) {
        int found = grade_unit(part, candidate, pool);

        if (found > *factor) {
            *factor = found;
            *unit = part;
        } else if (found == 0 && *factor == 0 && is_another(part, candidate, pool)) {
            return mismatch(part, candidate, pool);
        }
    }
    return NULL;
}

/* Where the model names no cell: the header, then the row. */
static const char *search_unit(int *factor, const char **unit, const lims_grid_t *grid,
                               const lims_candidate_t *candidate, const lims_pointer_t *pointer,
                               apr_pool_t *pool)
{
    const lims_grid_row_t *row = row_of(grid, pointer->sheet, pointer->value.row);
    const char *problem = NULL;
    int left = 3; /* cells above that are no numbers: name, unit, and one more */

    for (int r = pointer->value.row - 1; r >= 1 && left > 0 && *factor == 0 && !problem; r--) {
        const lims_grid_cell_t *cell =
            lims_grid_cell(grid, pointer->sheet, r, pointer->value.column);

        if (cell != NULL && cell->shown != NULL && cell->text[0] && !is_numeric(cell->text)) {
            left--;
            problem = look_in_text(factor, unit, cell->text, candidate, pool);
        }
    }
    for (int c = 0; c < row->count && *factor == 0 && problem == NULL; c++) {
        const lims_grid_cell_t *cell = &row->cells[c];

        if (c + 1 == pointer->value.column || cell->shown == NULL || is_numeric(cell->text)) {
            continue;
        }
        *factor = grade_unit(cell->text, candidate, pool);
        *unit = *factor > 0 ? cell->text : NULL;
        if (*factor == 0 && is_another(cell->text, candidate, pool)) {
            problem = mismatch(cell->text, candidate, pool);
        }
    }
    return problem;
}

const char *lims_evidence_unit(int *factor, const char **unit, const lims_grid_t *grid,
                               const lims_candidate_t *candidate, const lims_pointer_t *pointer,
                               apr_pool_t *pool)
{
    const lims_grid_cell_t *cell =
        lims_grid_cell(grid, pointer->sheet, pointer->unit.row, pointer->unit.column);
    bool near =
        pointer->unit.row == pointer->value.row ||
        (pointer->unit.column == pointer->value.column && pointer->unit.row < pointer->value.row);
    const char *problem = NULL;

    *factor = 0;
    *unit = NULL;
    if (pointer->unit.row != 0 && (cell == NULL || cell->shown == NULL || !near)) {
        return "The unit stands neither in the row of the value nor above it.";
    }
    if (cell != NULL && cell->text[0] != '\0') {
        *factor = grade_unit(cell->text, candidate, pool);
        *unit = cell->text;
        if (*factor == 0) {
            problem = look_in_text(factor, unit, cell->text, candidate, pool);
        }
        return *factor > 0 || problem ? problem : mismatch(cell->text, candidate, pool);
    }
    if (candidate->unit != NULL) {
        problem = search_unit(factor, unit, grid, candidate, pointer, pool);
    }
    if (*factor == 0) {
        *factor = candidate->unit == NULL ? LIMS_UNIT_EQUAL : LIMS_UNIT_MISSING;
    }
    return problem;
}
