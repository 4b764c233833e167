/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first byte chooses whose form the answer has; the rest is the answer, then a
 * text of the model's own. Whatever it points at, what is made of it is a cell of
 * the file.
 */
#include "extraction/answer.h"

#include "extraction/report.h"
#include "fuzz.h"

static const char file[] = "Sample,NO3N (mg/L),CL,Unit\n"
                           "LAB-26-0000001-A,7.1,<0.5,mg/L\n"
                           "LAB-26-0000002-B,8,9,ug/L\n";

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
      .locked = true },
};

static bool stands_in_file(const char *text)
{
    return text == NULL || strstr(file, text) != NULL;
}

static void check_findings(const apr_array_header_t *findings, apr_pool_t *pool)
{
    const char *json = lims_report_rows(findings, pool);
    lims_json_t *root = NULL;

    must(json != NULL && lims_json_parse(&root, json, strlen(json), pool) == NULL,
         "what is kept is JSON");
    for (int i = 0; i < findings->nelts; i++) {
        const lims_finding_t *finding = &APR_ARRAY_IDX(findings, i, lims_finding_t);

        must(stands_in_file(finding->result) && stands_in_file(finding->unit) &&
                 stands_in_file(finding->qualifier),
             "nothing is there that does not stand in the file");
        must(finding->confidence >= 0 && finding->confidence <= 1000000, "a share");
        must(finding->status != LIMS_MATCH_PROPOSED ||
                 (finding->candidate != NULL && !finding->candidate->locked &&
                  strcmp(finding->candidate->tracking_id, finding->tracking_id) == 0),
             "what may be entered is open and the sample's own");
    }
}

static void read_text(const char *text, apr_pool_t *pool)
{
    lims_candidates_t candidates = { LIMS_LENGTH(items), items };
    apr_array_header_t *pointers = NULL;
    const char *problem = NULL;
    lims_grid_t *grid = NULL;

    if (!lims_answer_read(&pointers, &problem, text, pool)) {
        must(problem != NULL && lims_utf8_valid(problem, strlen(problem)), "a refusal has words");
        return;
    }
    must(pointers->nelts <= LIMS_POINTERS_MAX, "their number is bounded");
    must(lims_grid_read(&grid, file, sizeof(file) - 1, 100, 100, pool) == NULL, "the file is read");
    lims_candidates_name(&candidates, pool);
    lims_grid_hide(grid, &candidates, pool);
    check_findings(lims_judge(pointers, grid, &candidates, 500000, pool), pool);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    apr_pool_t *pool = fuzz_pool();
    const char *bytes = apr_pstrmemdup(pool, (const char *)data + (size > 0), size - (size > 0));
    lims_style_e style = (lims_style_e)(size > 0 ? data[0] % LIMS_STYLE_COUNT : 0);
    const char *text = NULL, *problem = NULL;
    lims_call_e outcome = lims_answer_open(&text, &problem, style, bytes, size - (size > 0), pool);

    must((outcome == LIMS_CALL_ANSWERED) == (text != NULL), "either a text or a reason");
    must(outcome == LIMS_CALL_ANSWERED || problem != NULL, "a reason has words");
    if (text != NULL) {
        read_text(text, pool);
    }
    read_text(bytes, pool);
    apr_pool_destroy(pool);
    return 0;
}
