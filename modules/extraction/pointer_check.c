/* SPDX-License-Identifier: Apache-2.0 */
/* pointer_check.c - checks of the model's pointers. */
#include "extraction/pointer_check.h"

#include <apr_hash.h>
#include <apr_lib.h>
#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

#include "extraction/evidence.h"
#include "profiles/decimal.h"

const char *const lims_match_names[] = {
    [LIMS_MATCH_APPLIED] = "applied",
    [LIMS_MATCH_PROPOSED] = "proposed",
    [LIMS_MATCH_BELOW_THRESHOLD] = "below_threshold",
    [LIMS_MATCH_UNMATCHED] = "unmatched",
    [LIMS_MATCH_AMBIGUOUS] = "ambiguous",
    [LIMS_MATCH_LOCKED] = "locked",
    [LIMS_MATCH_REJECTED_CHECK] = "rejected_check",
    [LIMS_MATCH_COUNT] = NULL,
};

_Static_assert(LIMS_LENGTH(lims_match_names) == LIMS_MATCH_COUNT + 1, "a name for each status");

/* Longest result that the API accepts, characters. */
#define RESULT_MAX 1000

static void reject(lims_finding_t *finding, lims_match_status_e status, const char *message)
{
    finding->status = status;
    finding->message = message;
    finding->confidence = 0;
}

/* --- The value ------------------------------------------------------------------- */

/* Whether the API would read a text as a number: with a decimal point, optional sign and
 * exponent, and an optional "<" or ">" before it. */
static bool is_number(const char *text)
{
    const char *p = text + strspn(text, "<>");
    const char *digits;
    int count = 0;

    p += strspn(p, " ");
    p += *p == '-' || *p == '+' ? 1 : 0;
    for (digits = p; apr_isdigit(*p) || (*p == '.' && strchr(digits, '.') == p); p++) {
        count += apr_isdigit(*p) ? 1 : 0;
    }
    if (count > 0 && (*p == 'e' || *p == 'E')) {
        const char *exponent = p + 1 + (p[1] == '-' || p[1] == '+' ? 1 : 0);

        p = apr_isdigit(*exponent) ? exponent + strspn(exponent, "0123456789") : p;
    }
    return count > 0 && *p == '\0' && p - text <= 40 && strspn(text, "<>") <= 1;
}

/* Whether a text is a usual replacement of a number, such as ND. */
static bool is_token(const char *text)
{
    static const char *const tokens[] = { "ND", "N.D.", "TNTC", "BDL", "BLQ", "<LOD", "<LOQ" };

    for (apr_size_t i = 0; i < LIMS_LENGTH(tokens); i++) {
        if (strcasecmp(text, tokens[i]) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_printable(const char *text)
{
    for (const unsigned char *p = (const unsigned char *)text; *p != '\0'; p++) {
        if (*p < 0x20 || *p == 0x7F || (p[0] == 0xC2 && p[1] <= 0x9F)) {
            return false;
        }
    }
    return true;
}

/* Says why a cell holds no value that people read there; NULL: it does. */
static const char *why_no_value(lims_cell_e kind)
{
    switch (kind) {
    case LIMS_CELL_SHOWN:
        return "The workbook shows another number than the cell holds.";
    case LIMS_CELL_ERROR:
        return "The formula of the cell has no value.";
    case LIMS_CELL_DATE:
        return "The workbook has a date here.";
    default:
        return NULL;
    }
}

/* Takes the value from its cell. A unit after a number is split off into `*beside`. */
static const char *copy_value(lims_finding_t *finding, const char **beside, apr_pool_t *pool)
{
    const char *text = finding->cell, *why = why_no_value(finding->cell_kind);
    apr_size_t length;

    *beside = NULL;
    finding->result = text;
    if (text[0] == '\0') {
        return "The cell is empty.";
    }
    if (why) {
        return why;
    }
    if (strlen(text) > RESULT_MAX || !is_printable(text)) {
        return "The cell holds no result.";
    }
    if (!finding->candidate->numeric || is_number(text) || is_token(text)) {
        return NULL;
    }
    length = lims_evidence_split(beside, text, finding->candidate, pool);
    if (length > 0) {
        finding->result = apr_pstrmemdup(pool, text, length);
    }
    return length > 0 && is_number(finding->result) ? NULL
           : strchr(text, ',')
               ? "The cell is no number with a decimal point: a comma can mean two things."
               : "The cell is no number, and the test is numeric.";
}

/* Converts a number to the unit of the test by a power of ten, which is exact. Other
 * values are left unchanged. */
static const char *convert(lims_finding_t *finding, int power, apr_pool_t *pool)
{
    const char *text = finding->result, *number = text + strspn(text, "<> ");
    const char *factor = apr_psprintf(pool, "1E%d", power), *converted;

    finding->unit = finding->candidate->unit;
    if (finding->candidate->numeric && is_token(text)) {
        return NULL;
    }
    converted = finding->candidate->numeric
                    ? lims_decimal_convert(number, factor, NULL, -1, LIMS_ROUND_HALF_EVEN, pool)
                    : NULL;
    if (!converted) {
        return apr_psprintf(pool,
                            "The file has the unit %s, the test %s, and the value is none "
                            "that can be converted.",
                            finding->cell_unit, finding->unit);
    }
    finding->result =
        apr_pstrcat(pool, apr_pstrmemdup(pool, text, (apr_size_t)(number - text)), converted, NULL);
    return NULL;
}

/* --- One pointer ------------------------------------------------------------------- */

typedef struct {
    const lims_grid_t *grid;
    const lims_candidates_t *candidates;
    lims_evidence_t *evidence;
    int threshold;
    apr_pool_t *pool;
} judge_t;

static const lims_grid_cell_t *shown_cell(const judge_t *judge, int sheet, lims_at_t at)
{
    const lims_grid_cell_t *cell = lims_grid_cell(judge->grid, sheet, at.row, at.column);

    return cell && cell->shown ? cell : NULL;
}

/* Finds the cell of the value and the sample that the pointer names. */
static bool locate(lims_finding_t *finding, const judge_t *judge, const lims_pointer_t *pointer)
{
    const lims_grid_cell_t *value = shown_cell(judge, pointer->sheet, pointer->value);
    const lims_grid_cell_t *id = shown_cell(judge, pointer->sheet, pointer->id);
    bool whole = false;

    if (!value || !id) {
        reject(finding, LIMS_MATCH_REJECTED_CHECK, "There is no such cell in the file.");
        return false;
    }
    finding->sheet_number = pointer->sheet;
    finding->sheet = judge->grid->sheets[pointer->sheet - 1].name;
    finding->row = judge->grid->sheets[pointer->sheet - 1].rows[pointer->value.row - 1].number;
    finding->column = pointer->value.column;
    finding->cell = value->text;
    finding->cell_kind = value->kind;
    finding->result = value->text;
    finding->tracking_id = lims_tracking_id_in(&whole, id->text, judge->candidates);
    finding->id_factor = whole ? LIMS_ID_EXACT : LIMS_ID_WITHIN;
    return true;
}

static bool check_candidate(lims_finding_t *finding, const judge_t *judge,
                            const lims_pointer_t *pointer)
{
    const lims_candidate_t *candidate;

    if (pointer->kind != LIMS_POINTED_SAMPLE) {
        reject(finding, LIMS_MATCH_UNMATCHED,
               apr_pstrcat(judge->pool, "Not a sample's result: ",
                           lims_pointed_names[pointer->kind], ".", NULL));
        return false;
    }
    if (pointer->candidate == 0) {
        reject(finding, LIMS_MATCH_UNMATCHED, "No scheduled test fits this value.");
        return false;
    }
    if (pointer->candidate > judge->candidates->count) {
        reject(finding, LIMS_MATCH_REJECTED_CHECK, "There is no such candidate.");
        return false;
    }
    candidate = &judge->candidates->items[pointer->candidate - 1];
    if (!finding->tracking_id || strcmp(candidate->tracking_id, finding->tracking_id) != 0) {
        reject(finding, LIMS_MATCH_REJECTED_CHECK,
               "The cell that names the sample does not hold the tracking id of that test.");
        return false;
    }
    finding->candidate = candidate;
    return true;
}

/* Checks sample, test and unit of a value by the evidence around it. */
static const char *check_context(lims_finding_t *finding, const judge_t *judge,
                                 const lims_pointer_t *pointer)
{
    const char *problem = lims_evidence_sample(judge->evidence, pointer);

    if (!problem) {
        problem = lims_evidence_record(judge->evidence, pointer);
    }
    if (!problem) {
        problem =
            lims_evidence_test(&finding->test_factor, judge->evidence, finding->candidate, pointer);
    }
    if (!problem && finding->test_factor == LIMS_TEST_MODEL &&
        pointer->id.row != pointer->value.row) {
        problem = "Value and sample stand in different rows, and nothing there names the test.";
    }
    return problem;
}

static const char *check_unit(lims_finding_t *finding, const judge_t *judge,
                              const lims_pointer_t *pointer, const char *beside)
{
    lims_unit_found_t unit = { 0, NULL, 0 };
    const char *problem =
        lims_evidence_unit(&unit, judge->evidence, finding->candidate, pointer, beside);

    finding->unit_factor = unit.factor;
    finding->cell_unit = unit.text;
    finding->unit = unit.text;
    return !problem && unit.power != 0 ? convert(finding, unit.power, judge->pool) : problem;
}

/* The hard checks: a pointer that fails one is rejected. */
static bool passes(lims_finding_t *finding, const judge_t *judge, apr_hash_t *values,
                   const lims_pointer_t *pointer)
{
    const char *problem, *beside = NULL;

    if (!locate(finding, judge, pointer) || !check_candidate(finding, judge, pointer)) {
        return false;
    }
    problem = copy_value(finding, &beside, judge->pool);
    if (!problem) {
        problem = check_context(finding, judge, pointer);
    }
    if (!problem) {
        problem = check_unit(finding, judge, pointer, beside);
    }
    if (!problem) {
        problem = lims_evidence_qualifier(&finding->qualifier, judge->evidence, values, pointer);
    }
    if (problem) {
        reject(finding, LIMS_MATCH_REJECTED_CHECK, problem);
        return false;
    }
    return true;
}

static const char *what_lacks(const lims_finding_t *finding)
{
    return finding->looks_factor == LIMS_LOOKS_DISAGREE
               ? "Only one of two looks at the file found this value."
           : finding->test_factor == LIMS_TEST_MODEL
               ? "Nothing in the file but the model's word names the test."
           : finding->unit_factor == LIMS_UNIT_MISSING
               ? "The file does not say the unit."
               : "The evidence is not enough for the threshold.";
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool is_standing(const lims_finding_t *finding)
{
    return same_text(finding->candidate->result, finding->result) &&
           same_text(finding->candidate->qualifier, finding->qualifier);
}

static void weigh(lims_finding_t *finding, const judge_t *judge)
{
    const lims_candidate_t *candidate = finding->candidate;

    finding->confidence = finding->id_factor * finding->test_factor * finding->unit_factor;
    if (finding->looks_factor > 0) {
        finding->confidence = finding->confidence / 100 * finding->looks_factor;
    }
    if (candidate->locked) {
        reject(finding, LIMS_MATCH_LOCKED, candidate->locked);
    } else if (candidate->several) {
        reject(finding, LIMS_MATCH_AMBIGUOUS,
               "The sample has several tests for this value: enter it by hand.");
    } else if (candidate->result && !is_standing(finding)) {
        reject(finding, LIMS_MATCH_REJECTED_CHECK,
               apr_pstrcat(judge->pool, "Another result stands already: ", candidate->result,
                           candidate->qualifier ? " " : ".", candidate->qualifier,
                           candidate->qualifier ? "." : NULL, NULL));
    } else if (finding->confidence < judge->threshold) {
        finding->status = LIMS_MATCH_BELOW_THRESHOLD;
        finding->message = what_lacks(finding);
    }
}

/* --- Two looks ----------------------------------------------------------------------- */

static const char *place_of(const lims_finding_t *finding, apr_pool_t *pool)
{
    return apr_psprintf(pool, "%d %d %d", finding->sheet_number, finding->row, finding->column);
}

static apr_hash_t *by_place(const apr_array_header_t *findings, apr_pool_t *pool)
{
    apr_hash_t *places = apr_hash_make(pool);

    for (int i = 0; i < findings->nelts; i++) {
        lims_finding_t *finding = &APR_ARRAY_IDX(findings, i, lims_finding_t);

        apr_hash_set(places, place_of(finding, pool), APR_HASH_KEY_STRING, finding);
    }
    return places;
}

static void compare(lims_finding_t *finding, const lims_finding_t *other)
{
    if (!other || other->status == LIMS_MATCH_REJECTED_CHECK) {
        finding->looks_factor = LIMS_LOOKS_DISAGREE;
    } else if (other->status == LIMS_MATCH_PROPOSED && other->candidate == finding->candidate &&
               same_text(other->result, finding->result) &&
               same_text(other->qualifier, finding->qualifier)) {
        finding->looks_factor = LIMS_LOOKS_AGREE;
    } else {
        reject(finding, LIMS_MATCH_AMBIGUOUS,
               "Two looks at the file took this value for different things.");
    }
}

/* Compares the findings of two looks; what only the second proposes is added, for a
 * person to review. */
static void compare_looks(apr_array_header_t *findings, const apr_array_header_t *others,
                          apr_pool_t *pool)
{
    apr_hash_t *first = by_place(findings, pool), *second = by_place(others, pool);
    int count = findings->nelts;

    for (int i = 0; i < count; i++) {
        lims_finding_t *finding = &APR_ARRAY_IDX(findings, i, lims_finding_t);

        if (finding->status == LIMS_MATCH_PROPOSED) {
            compare(finding, apr_hash_get(second, place_of(finding, pool), APR_HASH_KEY_STRING));
        }
    }
    for (int i = 0; i < others->nelts; i++) {
        lims_finding_t other = APR_ARRAY_IDX(others, i, lims_finding_t);

        if (other.status == LIMS_MATCH_PROPOSED &&
            !apr_hash_get(first, place_of(&other, pool), APR_HASH_KEY_STRING)) {
            other.looks_factor = LIMS_LOOKS_DISAGREE;
            APR_ARRAY_PUSH(findings, lims_finding_t) = other;
        }
    }
}

/* --- All findings -------------------------------------------------------------------- */

static bool is_open(const lims_finding_t *finding)
{
    return finding->status == LIMS_MATCH_PROPOSED ||
           finding->status == LIMS_MATCH_BELOW_THRESHOLD || finding->status == LIMS_MATCH_AMBIGUOUS;
}

/* Registers a claim; two findings with the same claim are both ambiguous. */
static void claim(apr_hash_t *claims, const char *what, lims_finding_t *finding,
                  const char *problem)
{
    lims_finding_t *other = apr_hash_get(claims, what, APR_HASH_KEY_STRING);

    if (!other) {
        apr_hash_set(claims, what, APR_HASH_KEY_STRING, finding);
        return;
    }
    reject(finding, LIMS_MATCH_AMBIGUOUS, problem);
    reject(other, LIMS_MATCH_AMBIGUOUS, problem);
}

/* Finds conflicts: a test may have one value, and a value one test. The same cell named
 * twice for the same test is no conflict. */
static void find_conflicts(apr_array_header_t *findings, apr_pool_t *pool)
{
    apr_hash_t *tests = apr_hash_make(pool), *cells = apr_hash_make(pool);

    for (int i = 0; i < findings->nelts; i++) {
        lims_finding_t *finding = &APR_ARRAY_IDX(findings, i, lims_finding_t);

        if (finding->candidate && is_open(finding)) {
            claim(tests, finding->candidate->sample_test_id, finding,
                  "The file has more than one value for this test.");
            claim(cells, place_of(finding, pool), finding,
                  "The value was taken for more than one test.");
        }
    }
}

/* Checks that all values of a column without a header belong to one test. */
static void check_columns(apr_array_header_t *findings, apr_pool_t *pool)
{
    apr_hash_t *tests = apr_hash_make(pool);

    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < findings->nelts; i++) {
            lims_finding_t *finding = &APR_ARRAY_IDX(findings, i, lims_finding_t);
            const char *locate, *code;

            if (!finding->candidate || finding->test_factor != LIMS_TEST_MODEL) {
                continue;
            }
            locate = apr_psprintf(pool, "%d %d", finding->sheet_number, finding->column);
            code = apr_hash_get(tests, locate, APR_HASH_KEY_STRING);
            if (pass == 0) {
                apr_hash_set(tests, locate, APR_HASH_KEY_STRING,
                             code && strcmp(code, finding->candidate->code) != 0
                                 ? ""
                                 : finding->candidate->code);
            } else if (code[0] == '\0') {
                reject(finding, LIMS_MATCH_REJECTED_CHECK,
                       "The values of this column were taken for different tests, and nothing in "
                       "the file tells them apart.");
            }
        }
    }
}

static int in_order(const void *a, const void *b)
{
    const lims_finding_t *one = a, *other = b;
    int sheets = strcmp(one->sheet ? one->sheet : "", other->sheet ? other->sheet : "");

    return sheets != 0              ? sheets
           : one->row != other->row ? one->row - other->row
                                    : one->column - other->column;
}

/* Returns the pointers without duplicates. */
static apr_array_header_t *distinct(const apr_array_header_t *pointers, apr_pool_t *pool)
{
    apr_array_header_t *kept = apr_array_make(pool, pointers->nelts, sizeof(lims_pointer_t));
    apr_hash_t *seen = apr_hash_make(pool);

    for (int i = 0; i < pointers->nelts; i++) {
        const lims_pointer_t *pointer = &APR_ARRAY_IDX(pointers, i, lims_pointer_t);
        const char *claim = apr_psprintf(pool, "%d %d %d %d", pointer->sheet, pointer->value.row,
                                         pointer->value.column, pointer->candidate);

        if (!apr_hash_get(seen, claim, APR_HASH_KEY_STRING)) {
            apr_hash_set(seen, claim, APR_HASH_KEY_STRING, pointer);
            APR_ARRAY_PUSH(kept, lims_pointer_t) = *pointer;
        }
    }
    return kept;
}

/* Checks each pointer by itself; those that pass are PROPOSED, without a confidence yet. */
static apr_array_header_t *examine(const apr_array_header_t *pointers, const judge_t *judge)
{
    const apr_array_header_t *kept = distinct(pointers, judge->pool);
    apr_array_header_t *findings =
        apr_array_make(judge->pool, kept->nelts + 1, sizeof(lims_finding_t));
    apr_hash_t *values = lims_evidence_values(kept, judge->pool);

    for (int i = 0; i < kept->nelts; i++) {
        lims_finding_t finding = { .status = LIMS_MATCH_REJECTED_CHECK };

        if (passes(&finding, judge, values, &APR_ARRAY_IDX(kept, i, lims_pointer_t))) {
            finding.status = LIMS_MATCH_PROPOSED;
        }
        APR_ARRAY_PUSH(findings, lims_finding_t) = finding;
    }
    return findings;
}

apr_array_header_t *lims_pointers_check(const apr_array_header_t *pointers,
                                        const apr_array_header_t *second, const lims_grid_t *grid,
                                        const lims_candidates_t *candidates, int threshold,
                                        apr_pool_t *pool)
{
    const judge_t judge = { grid, candidates, lims_evidence_create(grid, candidates, pool),
                            threshold, pool };
    apr_array_header_t *findings = examine(pointers, &judge);

    if (second) {
        compare_looks(findings, examine(second, &judge), pool);
    }
    for (int i = 0; i < findings->nelts; i++) {
        lims_finding_t *finding = &APR_ARRAY_IDX(findings, i, lims_finding_t);

        if (finding->status == LIMS_MATCH_PROPOSED) {
            weigh(finding, &judge);
        }
    }
    check_columns(findings, pool);
    find_conflicts(findings, pool);
    qsort(findings->elts, (size_t)findings->nelts, sizeof(lims_finding_t), in_order);
    return findings;
}
