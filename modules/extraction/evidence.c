/* SPDX-License-Identifier: Apache-2.0 */
/* evidence.c - evidence in the file for the sample and the test of a pointer. */
#include "extraction/evidence.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <string.h>

#include "extraction/pointer_check.h"
#include "profiles/fold.h"

static const lims_grid_row_t *row_of(const lims_grid_t *grid, int sheet, int row)
{
    return &grid->sheets[sheet - 1].rows[row - 1];
}

static bool same(const char *a, const char *b)
{
    return a && b && strcmp(a, b) == 0;
}

/* Adds a name of a test; an ambiguous one maps to "". */
static void add_name(apr_hash_t *names, const char *folded, const char *code)
{
    const char *other = apr_hash_get(names, folded, APR_HASH_KEY_STRING);

    apr_hash_set(names, folded, APR_HASH_KEY_STRING, other && strcmp(other, code) != 0 ? "" : code);
}

lims_evidence_t *lims_evidence_create(const lims_grid_t *grid, const lims_candidates_t *candidates,
                                      apr_pool_t *pool)
{
    lims_evidence_t *evidence = apr_pcalloc(pool, sizeof(*evidence));

    *evidence = (lims_evidence_t){ .grid = grid,
                                   .candidates = candidates,
                                   .codes = apr_hash_make(pool),
                                   .names = apr_hash_make(pool),
                                   .named = apr_hash_make(pool),
                                   .naming = apr_hash_make(pool),
                                   .controls = apr_hash_make(pool),
                                   .units = apr_hash_make(pool),
                                   .measures = apr_hash_make(pool),
                                   .pool = pool };
    for (int i = 0; i < candidates->count; i++) {
        const lims_candidate_t *item = &candidates->items[i];

        add_name(evidence->codes, item->folded_code, item->code);
        add_name(evidence->names, item->folded_name, item->code);
    }
    return evidence;
}

const lims_grid_row_t *lims_evidence_row(const lims_evidence_t *evidence, int sheet, int row)
{
    return row_of(evidence->grid, sheet, row);
}

bool lims_evidence_is_message(const lims_evidence_t *evidence)
{
    return evidence->grid->container == LIMS_CONTAINER_HL7 ||
           evidence->grid->container == LIMS_CONTAINER_ASTM;
}

bool lims_evidence_is_numeric(const char *text)
{
    return text[strspn(text, "0123456789.,+-eE<> %")] == '\0';
}

/* --- The record ------------------------------------------------------------------ */

/* Whether a row names another sample than this one. */
static bool names_another(const lims_grid_row_t *row, const char *tracking_id)
{
    for (int c = 0; row->named && c < row->count; c++) {
        if (row->cells[c].tracking_id && !same(row->cells[c].tracking_id, tracking_id)) {
            return true;
        }
    }
    return false;
}

/* Checks a value in the row of its sample. With several samples in a row a value belongs
 * to the one before it, or to the one after it if there is none before. */
static const char *in_row(const lims_grid_row_t *row, const lims_pointer_t *pointer)
{
    const char *owner = NULL;

    for (int c = pointer->value.column - 1; c >= 0 && !owner; c--) {
        owner = row->cells[c].tracking_id;
    }
    for (int c = pointer->value.column; c < row->count && !owner; c++) {
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

/* Checks a value below its sample: in its column (a transposed table, or "Sample: …" with
 * pairs below) or in its block. In a table of samples the next row is another sample. */
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

const char *lims_evidence_record(const lims_evidence_t *evidence, const lims_pointer_t *pointer)
{
    const lims_grid_t *grid = evidence->grid;
    const char *tracking_id =
        lims_grid_cell(grid, pointer->sheet, pointer->id.row, pointer->id.column)->tracking_id;
    const char *problem;

    if (pointer->id.row == pointer->value.row) {
        return in_row(row_of(grid, pointer->sheet, pointer->id.row), pointer);
    }
    problem =
        lims_evidence_is_message(evidence) ? in_message(grid, pointer) : in_block(grid, pointer);
    for (int r = pointer->id.row + 1; r <= pointer->value.row && !problem; r++) {
        const lims_grid_row_t *row = row_of(grid, pointer->sheet, r);

        if (names_another(row, tracking_id)) {
            problem = "Another sample stands between the cell that names the sample and the value.";
        }
    }
    return problem;
}

/* --- The sample --------------------------------------------------------------------- */

/* Folded words that mark the rows of controls: if `anywhere` in every cell, else only in a
 * column of sample types or next to a tracking id. */
static const struct {
    const char *word;
    bool anywhere;
} controls[] = {
    { "qc", true },
    { "qc sample", true },
    { "qc check", true },
    { "quality control", true },
    { "positive control", true },
    { "negative control", true },
    { "blank", true },
    { "method blank", true },
    { "reagent blank", true },
    { "calibrator", true },
    { "calibration", true },
    { "calibration standard", true },
    { "duplicate", true },
    { "dup", true },
    { "spike", true },
    { "spiked", true },
    { "matrix spike", true },
    { "matrix spike duplicate", true },
    { "msd", true },
    { "lcs", true },
    { "lcsd", true },
    { "ccv", true },
    { "ccb", true },
    { "icv", true },
    { "icb", true },
    { "ntc", true },
    { "blindwert", true },
    { "leerwert", true },
    { "kontrolle", true },
    { "kalibrator", true },
    { "blanco", true },
    { "blanc", true },
    { "standard", false },
    { "std", false },
    { "control", false },
    { "cal", false },
    { "ms", false },
    { "mb", false },
    { "wash", false },
    { "rinse", false },
};

static bool is_control(const char *text, apr_size_t length, bool typed)
{
    for (apr_size_t i = 0; i < LIMS_LENGTH(controls); i++) {
        if ((typed || controls[i].anywhere) && lims_fold_equals(text, length, controls[i].word)) {
            return true;
        }
    }
    return false;
}

/* Whether a header of the column is one of sample types. */
static bool has_types(const lims_evidence_t *evidence, int sheet, int row, int column)
{
    static const char *const types[] = { "type", "typ", "tipo", "class", "task", "kind", "art" };

    for (int r = row - 1; r >= 1; r--) {
        const lims_grid_cell_t *cell = lims_grid_cell(evidence->grid, sheet, r, column);
        const char *rest = cell ? cell->text : "", *word = NULL;
        apr_size_t length = 0;

        while (lims_grid_word(&word, &length, &rest)) {
            for (apr_size_t i = 0; i < LIMS_LENGTH(types); i++) {
                if (lims_fold_equals(word, length, types[i])) {
                    return true;
                }
            }
        }
    }
    return false;
}

static bool says_control(const lims_evidence_t *evidence, int sheet, int row)
{
    const lims_grid_row_t *found = row_of(evidence->grid, sheet, row);

    for (int c = 0; c < found->count; c++) {
        const char *text = found->cells[c].text, *rest = text, *word = NULL;
        apr_size_t length = strlen(text);

        if (length > LIMS_GRID_CELL_MAX || length == 0) {
            continue;
        }
        if (is_control(text, length, false) ||
            (is_control(text, length, true) && has_types(evidence, sheet, row, c + 1))) {
            return true;
        }
        while (found->cells[c].tracking_id && lims_grid_word(&word, &length, &rest)) {
            if (is_control(word, length, true)) {
                return true; /* "LAB-26-0000001-A MS" */
            }
        }
    }
    return false;
}

static bool calls_control(lims_evidence_t *evidence, int sheet, int row)
{
    const lims_grid_row_t *key = row_of(evidence->grid, sheet, row);
    const char *said = apr_hash_get(evidence->controls, &key, sizeof(key));

    if (!said) {
        said = says_control(evidence, sheet, row) ? "yes" : "no";
        apr_hash_set(evidence->controls, apr_pmemdup(evidence->pool, &key, sizeof(key)),
                     sizeof(key), said);
    }
    return said[0] == 'y';
}

/* Whether a field of a segment or record begins with Q for quality control: SPM-11 of HL7
 * v2.5.1 (table 0369), O-12 of CLSI LIS02-A2 8.4.12. */
static bool is_quality(const lims_grid_row_t *row, const char *segment, int cell)
{
    return row->count > cell && same(row->cells[0].text, segment) &&
           row->cells[cell].text[0] == 'Q';
}

static bool is_quality_message(const lims_evidence_t *evidence, const lims_pointer_t *pointer)
{
    int message = row_of(evidence->grid, pointer->sheet, pointer->id.row)->message;

    if (is_quality(row_of(evidence->grid, pointer->sheet, pointer->id.row), "O", 11)) {
        return true;
    }
    for (int r = pointer->id.row; r >= 1; r--) {
        const lims_grid_row_t *row = row_of(evidence->grid, pointer->sheet, r);

        if (row->message != message || row->count == 0) {
            break;
        }
        if (same(row->cells[0].text, "SPM")) {
            return is_quality(row, "SPM", 11);
        }
    }
    return false;
}

const char *lims_evidence_sample(lims_evidence_t *evidence, const lims_pointer_t *pointer)
{
    bool control = lims_evidence_is_message(evidence)
                       ? is_quality_message(evidence, pointer)
                       : calls_control(evidence, pointer->sheet, pointer->id.row) ||
                             (pointer->id.row != pointer->value.row &&
                              calls_control(evidence, pointer->sheet, pointer->value.row));

    return control ? "The file calls this row a control's, not a sample's." : NULL;
}

/* --- The test ---------------------------------------------------------------------- */

/* A test that a text names, with the strength of the match in hundredths. */
typedef struct {
    const char *code; /* "": ambiguous */
    int grade;
} named_t;

/* A cell of a row that names tests. */
typedef struct {
    int column;
    const apr_array_header_t *tests; /* named_t */
} naming_t;

static bool add_named(apr_array_header_t *tests, apr_hash_t *names, const char *text,
                      apr_size_t length, int grade)
{
    const char *folded = lims_fold(text, length, tests->pool);
    const char *code = apr_hash_get(names, folded, APR_HASH_KEY_STRING);

    if (code) {
        APR_ARRAY_PUSH(tests, named_t) = (named_t){ code, grade };
    }
    return code;
}

static void add_whole(const lims_evidence_t *evidence, apr_array_header_t *tests, const char *text,
                      apr_size_t length)
{
    if (!add_named(tests, evidence->codes, text, length, LIMS_TEST_CODE)) {
        add_named(tests, evidence->names, text, length, LIMS_TEST_NAME);
    }
}

/* Returns the tests that a cell names: as a whole, in a component, or in a word. */
static const apr_array_header_t *tests_of(lims_evidence_t *evidence, const lims_grid_cell_t *cell)
{
    apr_array_header_t *tests = apr_hash_get(evidence->named, &cell, sizeof(cell));
    const char *rest = cell->text, *word = NULL;
    apr_size_t length = strlen(rest);

    if (tests) {
        return tests;
    }
    tests = apr_array_make(evidence->pool, 1, sizeof(named_t));
    if (cell->shown && length > 0) {
        add_whole(evidence, tests, rest, length);
        /* "NO3N^Nitrate^L", "^^^NO3N" */
        while (tests->nelts == 0 && strchr(rest, '^')) {
            length = strcspn(rest, "^");
            add_whole(evidence, tests, rest, length);
            rest += length + 1;
        }
        if (tests->nelts == 0 && strchr(cell->text, '^')) {
            add_whole(evidence, tests, rest, strlen(rest));
        }
        rest = cell->text;
        length = 0;
        for (bool whole = tests->nelts > 0; !whole && lims_grid_word(&word, &length, &rest);) {
            if (length > 1) {
                add_named(tests, evidence->codes, word, length, LIMS_TEST_WITHIN);
            }
        }
    }
    apr_hash_set(evidence->named, apr_pmemdup(evidence->pool, &cell, sizeof(cell)), sizeof(cell),
                 tests);
    return tests;
}

/* The best matches seen, for this test and for any other. */
typedef struct {
    int ours, others;
} grades_t;

static void look(grades_t *grades, const apr_array_header_t *tests, const char *code)
{
    for (int i = 0; i < tests->nelts; i++) {
        const named_t *named = &APR_ARRAY_IDX(tests, i, named_t);
        bool several = named->code[0] == '\0';

        if ((several || strcmp(named->code, code) == 0) && named->grade > grades->ours) {
            grades->ours = named->grade;
        }
        if (strcmp(named->code, code) != 0 && named->grade > grades->others) {
            grades->others = named->grade;
        }
    }
}

static void look_above(grades_t *grades, lims_evidence_t *evidence, const char *code,
                       const lims_pointer_t *pointer)
{
    for (int r = pointer->value.row - 1; r >= 1 && grades->ours + grades->others == 0; r--) {
        const lims_grid_cell_t *cell =
            lims_grid_cell(evidence->grid, pointer->sheet, r, pointer->value.column);

        if (cell && !lims_evidence_is_numeric(cell->text)) {
            look(grades, tests_of(evidence, cell), code);
        }
    }
}

/* Returns the cells of a row that name tests. */
static const apr_array_header_t *naming_of(lims_evidence_t *evidence, const lims_grid_row_t *row)
{
    apr_array_header_t *naming = apr_hash_get(evidence->naming, &row, sizeof(row));

    if (!naming) {
        naming = apr_array_make(evidence->pool, 1, sizeof(naming_t));
        for (int c = 0; c < row->count; c++) {
            const apr_array_header_t *tests = tests_of(evidence, &row->cells[c]);

            if (tests->nelts > 0) {
                APR_ARRAY_PUSH(naming, naming_t) = (naming_t){ c + 1, tests };
            }
        }
        apr_hash_set(evidence->naming, apr_pmemdup(evidence->pool, &row, sizeof(row)), sizeof(row),
                     naming);
    }
    return naming;
}

static void look_beside(grades_t *grades, lims_evidence_t *evidence, const char *code,
                        const lims_pointer_t *pointer)
{
    const apr_array_header_t *naming =
        naming_of(evidence, row_of(evidence->grid, pointer->sheet, pointer->value.row));

    for (int i = 0; i < naming->nelts; i++) {
        const naming_t *cell = &APR_ARRAY_IDX(naming, i, naming_t);

        if (cell->column != pointer->value.column) {
            look(grades, cell->tests, code);
        }
    }
}

const char *lims_evidence_test(int *factor, lims_evidence_t *evidence,
                               const lims_candidate_t *candidate, const lims_pointer_t *pointer)
{
    grades_t grades = { 0, 0 };

    *factor = 0;
    if (!lims_evidence_is_message(evidence)) {
        look_above(&grades, evidence, candidate->code, pointer);
    }
    if (grades.ours + grades.others == 0) {
        look_beside(&grades, evidence, candidate->code, pointer);
    }
    if (grades.others > 0 && grades.others >= grades.ours) {
        return apr_psprintf(evidence->pool, "The file names another test there than %s.",
                            candidate->code);
    }
    *factor = grades.ours > 0 ? grades.ours : LIMS_TEST_MODEL;
    return NULL;
}
