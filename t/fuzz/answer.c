/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first byte chooses whose form the answer has; the rest is the answer, then a
 * text of the model's own. Whatever it points at, what is made of it is a cell of
 * the file.
 */
#include "extraction/answer.h"

#include "extraction/report.h"
#include "fuzz.h"
#include "kernel/utf8.h"

static const char file[] = "Sample,NO3N,CL,Unit,Type\n"
                           "LAB-26-0000001-A,7.1,<0.5,mg/L,Unknown\n"
                           "LAB-26-0000002-B,8,9 g/L,ug/L,Std\n";

static lims_candidate_t items[] = {
    { .tracking_id = "LAB-26-0000001-A",
      .sample_test_id = "1",
      .code = "NO3N",
      .name = "Nitrate",
      .unit = "mg/L",
      .numeric = true },
    { .tracking_id = "LAB-26-0000001-A", .sample_test_id = "2", .code = "CL", .name = "Chloride" },
    { .tracking_id = "LAB-26-0000002-B",
      .sample_test_id = "3",
      .code = "NO3N",
      .name = "Nitrate",
      .unit = "mg/L",
      .numeric = true,
      .locked = "verified" },
};

static bool stands_in_file(const char *text)
{
    return !text || strstr(file, text);
}

/* Returns the confidence of the same value in other findings; the largest where there is
 * none. */
static int confidence_of(const apr_array_header_t *findings, const lims_finding_t *finding)
{
    for (int i = 0; i < findings->nelts; i++) {
        const lims_finding_t *other = &APR_ARRAY_IDX(findings, i, lims_finding_t);

        if (other->row == finding->row && other->column == finding->column &&
            other->candidate == finding->candidate && other->confidence > 0) {
            return other->confidence;
        }
    }
    return 600000;
}

/* `first`: of one look, where these are of two; or NULL. */
static void check_findings(const apr_array_header_t *findings, const apr_array_header_t *first,
                           apr_pool_t *pool)
{
    const char *json = lims_report_rows(findings, pool);
    lims_json_t *root = NULL;

    must(json && !lims_json_parse(&root, json, strlen(json), pool), "what is kept is JSON");
    for (int i = 0; i < findings->nelts; i++) {
        const lims_finding_t *finding = &APR_ARRAY_IDX(findings, i, lims_finding_t);

        must(stands_in_file(finding->cell) && stands_in_file(finding->cell_unit) &&
                 stands_in_file(finding->qualifier),
             "nothing is there that does not stand in the file");
        must(stands_in_file(finding->result) || finding->unit_factor == LIMS_UNIT_CONVERTED,
             "a number is another only in another unit");
        must(!first || finding->confidence <= confidence_of(first, finding),
             "two looks are never worth more than one");
        must(finding->confidence >= 0 && finding->confidence <= 1000000, "a share");
        must(finding->status != LIMS_MATCH_PROPOSED ||
                 (finding->candidate && !finding->candidate->locked &&
                  strcmp(finding->candidate->tracking_id, finding->tracking_id) == 0),
             "what may be entered is open and the sample's own");
    }
}

/* Once, and twice: the second look sees every other pointer, from the last on. */
static void look_twice(const apr_array_header_t *pointers, const lims_grid_t *grid,
                       const lims_candidates_t *candidates, apr_pool_t *pool)
{
    apr_array_header_t *second = apr_array_make(pool, 1, sizeof(lims_pointer_t));
    apr_array_header_t *once = lims_pointers_check(pointers, NULL, grid, candidates, 500000, pool);

    for (int i = pointers->nelts - 1; i >= 0; i -= 2) {
        APR_ARRAY_PUSH(second, lims_pointer_t) = APR_ARRAY_IDX(pointers, i, lims_pointer_t);
    }
    check_findings(once, NULL, pool);
    check_findings(lims_pointers_check(pointers, second, grid, candidates, 500000, pool), once,
                   pool);
}

static void read_text(const char *text, apr_pool_t *pool)
{
    lims_candidates_t candidates = { LIMS_LENGTH(items), items };
    apr_array_header_t *pointers = NULL;
    const char *problem = NULL;
    lims_grid_t *grid = NULL;

    if (!lims_answer_read(&pointers, &problem, text, pool)) {
        must(problem && lims_utf8_valid(problem, strlen(problem)), "a refusal has words");
        return;
    }
    must(pointers->nelts <= LIMS_POINTERS_MAX, "their number is bounded");
    must(!lims_grid_read(&grid, file, sizeof(file) - 1, 100, 100, pool), "the file is read");
    lims_candidates_name(&candidates, pool);
    lims_grid_hide(grid, &candidates, pool);
    look_twice(pointers, grid, &candidates, pool);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    apr_pool_t *pool = fuzz_pool();
    const char *bytes = apr_pstrmemdup(pool, (const char *)data + (size > 0), size - (size > 0));
    lims_style_e style = (lims_style_e)(size > 0 ? data[0] % LIMS_STYLE_COUNT : 0);
    const char *text = NULL, *problem = NULL;
    lims_call_e outcome = lims_answer_open(&text, &problem, style, bytes, size - (size > 0), pool);

    must((outcome == LIMS_CALL_ANSWERED) == !!text, "either a text or a reason");
    must(outcome == LIMS_CALL_ANSWERED || problem, "a reason has words");
    if (text) {
        read_text(text, pool);
    }
    read_text(bytes, pool);
    apr_pool_destroy(pool);
    return 0;
}
