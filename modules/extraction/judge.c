/* SPDX-License-Identifier: Apache-2.0 */
/* judge.c - what is made of the model's pointers. */
#include "extraction/judge.h"

#include <apr_hash.h>
#include <apr_lib.h>
#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

#include "extraction/evidence.h"

const char *const lims_match_names[] = {
    [LIMS_MATCH_APPLIED] = "applied",
    [LIMS_MATCH_PROPOSED] = "proposed",
    [LIMS_MATCH_BELOW_THRESHOLD] = "below_threshold",
    [LIMS_MATCH_UNMATCHED] = "unmatched",
    [LIMS_MATCH_AMBIGUOUS] = "ambiguous",
    [LIMS_MATCH_LOCKED] = "locked",
    [LIMS_MATCH_REJECTED_CHECK] = "rejected_check",
};

_Static_assert(LIMS_LENGTH(lims_match_names) == LIMS_MATCH_COUNT, "a name for each status");

/* Most characters of a result, as the API takes it. */
#define RESULT_MAX 1000

static void reject(lims_finding_t *finding, lims_match_status_e status, const char *message)
{
    finding->status = status;
    finding->message = message;
    finding->confidence = 0;
}

/* --- The value ------------------------------------------------------------------- */

/* A number with a decimal point, with or without a sign, exponent and "<" or ">"
 * before it: what the API reads as one. */
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

/* What laboratories write for a number that there is none of. */
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

static const char *value_problem(const lims_finding_t *finding)
{
    const char *text = finding->result;

    if (text[0] == '\0') {
        return "The cell is empty.";
    }
    if (strlen(text) > RESULT_MAX || !is_printable(text)) {
        return "The cell holds no result.";
    }
    if (finding->candidate->numeric && !is_number(text) && !is_token(text)) {
        return strchr(text, ',') != NULL
                   ? "The cell is no number with a decimal point: a comma can mean two things."
                   : "The cell is no number, and the test is numeric.";
    }
    return NULL;
}

static bool is_qualifier(const char *text)
{
    static const char *const known[] = { "<", ">", "ND", "J", "U" };

    for (apr_size_t i = 0; i < LIMS_LENGTH(known); i++) {
        if (strcmp(text, known[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* --- One pointer ------------------------------------------------------------------- */

typedef struct {
    const lims_grid_t *grid;
    const lims_candidates_t *candidates;
    int threshold;
    apr_pool_t *pool;
} judge_t;

static const char *shown_text(const judge_t *judge, int sheet, lims_at_t at)
{
    const lims_grid_cell_t *cell = lims_grid_cell(judge->grid, sheet, at.row, at.column);

    return cell != NULL && cell->shown != NULL ? cell->text : NULL;
}

/* Where the value stands, and which sample its pointer names. */
static bool place(lims_finding_t *finding, const judge_t *judge, const lims_pointer_t *pointer)
{
    const char *value = shown_text(judge, pointer->sheet, pointer->value);
    const char *id = shown_text(judge, pointer->sheet, pointer->id);
    bool whole = false;

    if (value == NULL || id == NULL) {
        reject(finding, LIMS_MATCH_REJECTED_CHECK, "There is no such cell in the file.");
        return false;
    }
    finding->sheet = judge->grid->sheets[pointer->sheet - 1].name;
    finding->row = judge->grid->sheets[pointer->sheet - 1].rows[pointer->value.row - 1].number;
    finding->column = pointer->value.column;
    finding->result = value;
    finding->tracking_id = lims_tracking_id_in(&whole, id, judge->candidates);
    finding->id_factor = whole ? LIMS_ID_EXACT : LIMS_ID_WITHIN;
    return true;
}

static bool take_candidate(lims_finding_t *finding, const judge_t *judge,
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
    if (finding->tracking_id == NULL || strcmp(candidate->tracking_id, finding->tracking_id) != 0) {
        reject(finding, LIMS_MATCH_REJECTED_CHECK,
               "The cell that names the sample does not hold the tracking id of that test.");
        return false;
    }
    finding->candidate = candidate;
    return true;
}

static bool take_qualifier(lims_finding_t *finding, const judge_t *judge,
                           const lims_pointer_t *pointer)
{
    const char *text;

    if (pointer->qualifier.row == 0) {
        return true;
    }
    text = shown_text(judge, pointer->sheet, pointer->qualifier);
    if (text == NULL || pointer->qualifier.row != pointer->value.row ||
        (text[0] != '\0' && !is_qualifier(text))) {
        reject(finding, LIMS_MATCH_REJECTED_CHECK,
               "The qualifier is none that a result can have (<, >, ND, J, U), or stands in "
               "another row.");
        return false;
    }
    finding->qualifier = text[0] != '\0' ? text : NULL;
    return true;
}

/* Each of these has to hold, or the pointer is worth nothing. */
static bool passes(lims_finding_t *finding, const judge_t *judge, const lims_pointer_t *pointer)
{
    const char *problem;

    if (!place(finding, judge, pointer) || !take_candidate(finding, judge, pointer)) {
        return false;
    }
    problem = value_problem(finding);
    if (problem == NULL) {
        problem = lims_evidence_record(judge->grid, judge->candidates, pointer);
    }
    if (problem == NULL) {
        problem = lims_evidence_test(&finding->test_factor, judge->grid, judge->candidates,
                                     finding->candidate, pointer, judge->pool);
    }
    if (problem == NULL && finding->test_factor == LIMS_TEST_MODEL &&
        pointer->id.row != pointer->value.row) {
        problem = "Value and sample stand in different rows, and nothing there names the test.";
    }
    if (problem == NULL) {
        problem = lims_evidence_unit(&finding->unit_factor, &finding->unit, judge->grid,
                                     finding->candidate, pointer, judge->pool);
    }
    if (problem != NULL) {
        reject(finding, LIMS_MATCH_REJECTED_CHECK, problem);
        return false;
    }
    return take_qualifier(finding, judge, pointer);
}

static void weigh(lims_finding_t *finding, const judge_t *judge)
{
    const lims_candidate_t *candidate = finding->candidate;

    finding->confidence = finding->id_factor * finding->test_factor * finding->unit_factor;
    if (candidate->locked) {
        reject(finding, LIMS_MATCH_LOCKED,
               "The result is verified, or its sample reported: it takes no entry.");
    } else if (candidate->result != NULL && strcmp(candidate->result, finding->result) != 0) {
        reject(finding, LIMS_MATCH_REJECTED_CHECK,
               apr_psprintf(judge->pool, "Another result stands already: %s.", candidate->result));
    } else if (finding->confidence < judge->threshold) {
        finding->status = LIMS_MATCH_BELOW_THRESHOLD;
        finding->message = finding->test_factor == LIMS_TEST_MODEL
                               ? "Nothing in the file but the model's word names the test."
                           : finding->unit_factor == LIMS_UNIT_MISSING
                               ? "The file does not say the unit."
                               : "The evidence is not enough for the threshold.";
    } else {
        finding->status = LIMS_MATCH_PROPOSED;
    }
}

/* --- All of them --------------------------------------------------------------------- */

/* Two values for one test: neither, whichever the model would prefer. The same
 * cell named twice is one value. */
static void find_twins(apr_array_header_t *findings, apr_pool_t *pool)
{
    apr_hash_t *seen = apr_hash_make(pool);

    for (int i = 0; i < findings->nelts; i++) {
        lims_finding_t *finding = &APR_ARRAY_IDX(findings, i, lims_finding_t);
        lims_finding_t *other;

        if (finding->status != LIMS_MATCH_PROPOSED &&
            finding->status != LIMS_MATCH_BELOW_THRESHOLD &&
            finding->status != LIMS_MATCH_AMBIGUOUS) {
            continue;
        }
        other = apr_hash_get(seen, finding->candidate->sample_test_id, APR_HASH_KEY_STRING);
        if (other == NULL) {
            apr_hash_set(seen, finding->candidate->sample_test_id, APR_HASH_KEY_STRING, finding);
            continue;
        }
        reject(finding, LIMS_MATCH_AMBIGUOUS, "The file has more than one value for this test.");
        reject(other, LIMS_MATCH_AMBIGUOUS, "The file has more than one value for this test.");
    }
}

/* One column of values without a name of its own is one test for every sample. */
static void check_columns(apr_array_header_t *findings, const apr_array_header_t *pointers,
                          apr_pool_t *pool)
{
    apr_hash_t *tests = apr_hash_make(pool);

    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < findings->nelts; i++) {
            lims_finding_t *finding = &APR_ARRAY_IDX(findings, i, lims_finding_t);
            const lims_pointer_t *pointer = &APR_ARRAY_IDX(pointers, i, lims_pointer_t);
            const char *place, *code;

            if (finding->candidate == NULL || finding->test_factor != LIMS_TEST_MODEL) {
                continue;
            }
            place = apr_psprintf(pool, "%d %d", pointer->sheet, pointer->value.column);
            code = apr_hash_get(tests, place, APR_HASH_KEY_STRING);
            if (pass == 0 && code == NULL) {
                apr_hash_set(tests, place, APR_HASH_KEY_STRING, finding->candidate->code);
            } else if (pass == 0 && strcmp(code, finding->candidate->code) != 0) {
                apr_hash_set(tests, place, APR_HASH_KEY_STRING, "");
            } else if (pass == 1 && code[0] == '\0') {
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
    int sheets = strcmp(one->sheet != NULL ? one->sheet : "", other->sheet ? other->sheet : "");

    return sheets != 0              ? sheets
           : one->row != other->row ? one->row - other->row
                                    : one->column - other->column;
}

static bool same_value(const lims_pointer_t *a, const lims_pointer_t *b)
{
    return a->sheet == b->sheet && a->value.row == b->value.row &&
           a->value.column == b->value.column && a->candidate == b->candidate;
}

/* Without those that say the same of the same cell again. */
static apr_array_header_t *distinct(const apr_array_header_t *pointers, apr_pool_t *pool)
{
    apr_array_header_t *kept = apr_array_make(pool, pointers->nelts, sizeof(lims_pointer_t));
    apr_hash_t *seen = apr_hash_make(pool);

    for (int i = 0; i < pointers->nelts; i++) {
        const lims_pointer_t *pointer = &APR_ARRAY_IDX(pointers, i, lims_pointer_t);
        const char *place = apr_psprintf(pool, "%d %d %d", pointer->sheet, pointer->value.row,
                                         pointer->value.column);
        const lims_pointer_t *other = apr_hash_get(seen, place, APR_HASH_KEY_STRING);

        if (other == NULL || !same_value(other, pointer)) {
            apr_hash_set(seen, place, APR_HASH_KEY_STRING, pointer);
            APR_ARRAY_PUSH(kept, lims_pointer_t) = *pointer;
        }
    }
    return kept;
}

apr_array_header_t *lims_judge(const apr_array_header_t *pointers, const lims_grid_t *grid,
                               const lims_candidates_t *candidates, int threshold, apr_pool_t *pool)
{
    const judge_t judge = { grid, candidates, threshold, pool };
    apr_array_header_t *findings;

    pointers = distinct(pointers, pool);
    findings = apr_array_make(pool, pointers->nelts + 1, sizeof(lims_finding_t));
    for (int i = 0; i < pointers->nelts; i++) {
        const lims_pointer_t *pointer = &APR_ARRAY_IDX(pointers, i, lims_pointer_t);
        lims_finding_t finding = { .status = LIMS_MATCH_REJECTED_CHECK };

        if (passes(&finding, &judge, pointer)) {
            weigh(&finding, &judge);
        }
        APR_ARRAY_PUSH(findings, lims_finding_t) = finding;
    }
    check_columns(findings, pointers, pool);
    find_twins(findings, pool);
    qsort(findings->elts, (size_t)findings->nelts, sizeof(lims_finding_t), in_order);
    return findings;
}
