/* SPDX-License-Identifier: Apache-2.0 */
/*
 * uploads.c - extraction: a model finds the results in files without a profile.
 *
 * Three parts, of which only the first and the last hold a database connection:
 * the candidates that the file can be about (prepare), the model's pointers and
 * their confidence (work), and entering the results as by hand (handler). A dry
 * run does the same and rolls back.
 */
#include "instruments/uploads.h"

#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

#include "extraction/client.h"
#include "extraction/report.h"
#include "kernel/digest.h"
#include "kernel/error.h"
#include "kernel/field.h"
#include "service/service.h"

#define MILLION 1000000

/* State that the three parts pass on. */
typedef struct {
    lims_grid_t *grid;
    lims_candidates_t candidates;
    int threshold; /* millionths */
    bool dry_run;
    apr_array_header_t *findings; /* lims_finding_t */
} upload_t;

/* --- Fields ---------------------------------------------------------------------------- */

static const lims_field_t form[] = {
    { .name = "file",
      .type = LIMS_T_FILE,
      .flags = LIMS_F_REQUIRED,
      .doc = "The instrument's file, unchanged: CSV and other text, XLSX, XLS, ASTM, HL7, XML, "
             "JSON." },
    { .name = "hint",
      .type = LIMS_T_STRING,
      .max = 500,
      .doc = "Remarks of the sender on the file's content. The model takes them as data, not as "
             "instructions.",
      .example = "Ion chromatograph, anions in water" },
    { .name = "dryRun",
      .type = LIMS_T_BOOLEAN,
      .fallback = "false",
      .doc = "Whether only to show the results that would be entered." },
    { .name = "confidenceThreshold",
      .type = LIMS_T_DECIMAL,
      .min = 0,
      .max = 1,
      .fallback = "0.9",
      .doc = "Lowest confidence with which a result is entered, from 0 to 1." },
    LIMS_FIELD_END,
};

static const lims_field_t provenance[] = {
    { .name = "sheet",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Name of the workbook's sheet; null for other files." },
    { .name = "row",
      .type = LIMS_T_INTEGER,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .min = 1,
      .doc = "Number of the row or line, counted from 1." },
    { .name = "column",
      .type = LIMS_T_INTEGER,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .min = 1,
      .doc = "Number of the column, counted from 1." },
    { .name = "cell",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Text of the cell, exactly as in the file." },
    { .name = "unit",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Unit of the value, exactly as in the file; null when the file has none." },
    LIMS_FIELD_END,
};

static const lims_field_t row_fields[] = {
    { .name = "row",
      .type = LIMS_T_INTEGER,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .min = 1,
      .doc = "Number of the row of the value, counted from 1; null when there is no such cell." },
    { .name = "trackingId",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Tracking id of the sample, as the row names it." },
    { .name = "testCode",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Code of the test definition that the value is a result of." },
    { .name = "result",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Text of the cell, without a unit that stands in it. Where the file has another unit "
             "than the test, the value is converted to the test's unit by a power of ten." },
    { .name = "unit",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Unit of the result: as the file spells it, or the test's unit after a conversion." },
    { .name = "qualifier",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Qualifier of the result, as in the file; null if it has none." },
    { .name = "sampleTestId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Id of the sample test; null if none was found." },
    { .name = "confidence",
      .type = LIMS_T_DECIMAL,
      .flags = LIMS_F_OUT,
      .min = 0,
      .max = 1,
      .doc = "Confidence from 0 to 1, computed by the service from the evidence in the file; 0 "
             "when a check failed." },
    { .name = "status",
      .type = LIMS_T_ENUM,
      .flags = LIMS_F_OUT,
      .values = lims_match_names,
      .doc = "Outcome of the row. applied: entered. proposed: would be entered without dryRun. Not "
             "entered: below_threshold, unmatched, ambiguous (more than one value for the test, "
             "or more than one test for the value), locked (verified, reported, not active, sent "
             "back, or with a value that is replaced only with a reason), rejected_check." },
    { .name = "message",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Reason why the result was not entered; null if it was." },
    { .name = "provenance",
      .type = LIMS_T_OBJECT,
      .flags = LIMS_F_OUT,
      .members = provenance,
      .doc = "Place of the value in the file." },
    LIMS_FIELD_END,
};

static const lims_field_t summary[] = {
    { .name = "total", .type = LIMS_T_INTEGER, .flags = LIMS_F_OUT, .doc = "Number of rows." },
    { .name = "applied",
      .type = LIMS_T_INTEGER,
      .flags = LIMS_F_OUT,
      .doc = "Number of results that were entered." },
    { .name = "proposed",
      .type = LIMS_T_INTEGER,
      .flags = LIMS_F_OUT,
      .doc = "Number of results that would be entered without dryRun." },
    { .name = "skipped",
      .type = LIMS_T_INTEGER,
      .flags = LIMS_F_OUT,
      .doc = "Number of all other rows." },
    LIMS_FIELD_END,
};

static const lims_field_t output[] = {
    { .name = "id",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Id of the extraction's record; null for a dry run." },
    { .name = "fileName",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Name of the file, as it was sent." },
    { .name = "dryRun",
      .type = LIMS_T_BOOLEAN,
      .flags = LIMS_F_OUT,
      .doc = "Whether this was a dry run, which enters nothing." },
    { .name = "confidenceThreshold",
      .type = LIMS_T_DECIMAL,
      .flags = LIMS_F_OUT,
      .min = 0,
      .max = 1,
      .doc = "Confidence threshold that was applied, from 0 to 1." },
    { .name = "model",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Name of the model that was asked; null if none was." },
    { .name = "message",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Reason why there are no rows, where the model was not asked." },
    { .name = "rows",
      .type = LIMS_T_OBJECT_LIST,
      .flags = LIMS_F_OUT,
      .members = row_fields,
      .doc = "Values that the model found, in the order of the file. Empty when no tracking id of "
             "the organization stands in the file: then the model is not asked." },
    { .name = "summary",
      .type = LIMS_T_OBJECT,
      .flags = LIMS_F_OUT,
      .members = summary,
      .doc = "Numbers of rows by their outcome." },
    LIMS_FIELD_END,
};

/* --- Before the database ---------------------------------------------------------------- */

static const lims_error_t *check_upload(lims_request_t *rq)
{
    upload_t *upload = apr_pcalloc(rq->pool, sizeof(*upload));
    const char *threshold = lims_values_get(rq->values, "confidenceThreshold");

    upload->threshold = (int)(strtod(threshold, NULL) * MILLION + 0.5);
    upload->dry_run = strcmp(lims_values_get(rq->values, "dryRun"), "t") == 0;
    rq->staged = upload;
    rq->roll_back = upload->dry_run;
    if (!rq->model) {
        return NULL; /* reported after the refusals that come from the organization's policy */
    }
    if (rq->file->length > rq->model->bytes_max) {
        return lims_client_error(rq->pool, LIMS_E_PAYLOAD_TOO_LARGE,
                                 "file: an extraction takes at most %" APR_SIZE_T_FMT
                                 " bytes; split the file, or import it by a profile.",
                                 rq->model->bytes_max);
    }
    return lims_grid_read(&upload->grid, rq->file->bytes, rq->file->length, rq->model->rows_max,
                          rq->model->cells_max, rq->pool);
}

/* --- What the file can be about --------------------------------------------------------- */

static void fill_candidates(lims_candidates_t *candidates, const lims_result_t *rows,
                            apr_pool_t *pool)
{
    int count = lims_result_count(rows);

    candidates->count = count;
    candidates->items = apr_pcalloc(pool, sizeof(lims_candidate_t) * (apr_size_t)(count + 1));
    for (int i = 0; i < count; i++) {
        candidates->items[i] = (lims_candidate_t){
            .tracking_id = lims_result_get(rows, i, "trackingId"),
            .sample_test_id = lims_result_get(rows, i, "sampleTestId"),
            .code = lims_result_get(rows, i, "code"),
            .name = lims_result_get(rows, i, "name"),
            .unit = lims_result_get(rows, i, "unit"),
            .result = lims_result_get(rows, i, "result"),
            .qualifier = lims_result_get(rows, i, "qualifier"),
            .locked = lims_result_get(rows, i, "locked"),
            .numeric = lims_result_true(rows, i, "numeric"),
            .several = lims_result_true(rows, i, "several"),
        };
    }
    lims_candidates_name(candidates, pool);
}

static const lims_error_t *prepare_upload(lims_request_t *rq)
{
    upload_t *upload = rq->staged;
    lims_values_t *values = lims_values_create(rq->pool);
    const lims_call_t calls[] = { { .statement = LIMS_STMT_EXTRACTION_POLICY, .values = values },
                                  { .statement = LIMS_STMT_EXTRACTION_CANDIDATES,
                                    .values = values } };
    lims_result_t *found[2] = { NULL, NULL };
    const lims_error_t *error;

    lims_values_set(values, "words", upload->grid ? lims_grid_words(upload->grid, rq->pool) : "{}");
    lims_values_set(values, "candidatesMax", apr_itoa(rq->pool, LIMS_CANDIDATES_MAX));
    error = lims_database_run(found, rq, calls, 2, 0);
    if (error) {
        return error;
    }
    if (!lims_result_true(found[0], 0, "aiDataAccess")) {
        return lims_client_error(
            rq->pool, LIMS_E_AI_DATA_ACCESS_DISABLED,
            "Your organization does not let its files be sent to an AI service: an "
            "administrator can change that (aiDataAccess).");
    }
    if (!rq->model) {
        return lims_client_error(
            rq->pool, LIMS_E_AI_UNAVAILABLE,
            "There is no AI service on this server; instrument-ingest imports files "
            "by profiles.");
    }
    if (lims_result_count(found[1]) > LIMS_CANDIDATES_MAX) {
        return lims_client_error(rq->pool, LIMS_E_PAYLOAD_TOO_LARGE,
                                 "file: the samples in it have more than %d tests; split the file.",
                                 LIMS_CANDIDATES_MAX);
    }
    fill_candidates(&upload->candidates, found[1], rq->pool);
    return NULL;
}

/* --- The model --------------------------------------------------------------------------- */

static const lims_error_t *no_answer(lims_request_t *rq, lims_call_e outcome, const char *problem)
{
    return lims_server_error(rq->pool, LIMS_E_AI_UNAVAILABLE, 140, problem, "%s",
                             outcome == LIMS_CALL_REFUSED
                                 ? "The AI service refused this file. Nothing was entered."
                             : outcome == LIMS_CALL_BUSY
                                 ? "The AI service is busy. Nothing was entered; try again shortly."
                                 : "The AI service gave no answer of use. Nothing was entered; try "
                                   "again, or enter the results by hand.");
}

static const lims_error_t *find_results(lims_request_t *rq)
{
    upload_t *upload = rq->staged;
    apr_array_header_t *pointers[LIMS_LOOKS_MAX] = {
        apr_array_make(rq->pool, 1, sizeof(lims_pointer_t)), NULL
    };
    const char *looks[LIMS_LOOKS_MAX] = { NULL, NULL }, *problem = NULL;
    lims_call_e outcome = LIMS_CALL_ANSWERED;

    if (upload->candidates.count > 0) {
        lims_grid_hide(upload->grid, &upload->candidates, rq->pool);
        for (int i = 0; i < rq->model->looks; i++) {
            looks[i] = lims_prompt_data(upload->grid, &upload->candidates,
                                        lims_values_get(rq->values, "hint"), i > 0, rq->pool);
            if (!looks[i]) {
                return lims_server_error(rq->pool, LIMS_E_INTERNAL, 141, "no random bytes",
                                         "The request could not be carried out.");
            }
        }
        outcome = lims_model_ask(pointers, &problem, rq->model, looks, rq->model->looks, rq->pool);
    }
    if (outcome != LIMS_CALL_ANSWERED && outcome != LIMS_CALL_REPAIRED) {
        return no_answer(rq, outcome, problem);
    }
    upload->findings = lims_pointers_check(pointers[0], pointers[1], upload->grid,
                                           &upload->candidates, upload->threshold, rq->pool);
    return NULL;
}

/* --- Entering ----------------------------------------------------------------------------- */

static lims_finding_t *finding_of(const apr_array_header_t *findings, const char *sample_test_id)
{
    for (int i = 0; i < findings->nelts; i++) {
        lims_finding_t *finding = &APR_ARRAY_IDX(findings, i, lims_finding_t);

        if (finding->status == LIMS_MATCH_PROPOSED &&
            strcmp(finding->candidate->sample_test_id, sample_test_id) == 0) {
            return finding;
        }
    }
    return NULL;
}

static bool locks(const char *slug)
{
    return strcmp(slug, "test_verified_locked") == 0 ||
           strcmp(slug, "reason_required") == 0 || strcmp(slug, "invalid_transition") == 0;
}

/* Enters the results that may be entered, and adds the refusals of the
 * database's rules to the others. */
static const lims_error_t *apply(lims_request_t *rq, apr_array_header_t *findings, bool dry_run)
{
    lims_values_t *values = lims_values_create(rq->pool);
    const lims_call_t call = { .statement = LIMS_STMT_EXTRACTION_APPLY, .values = values };
    lims_result_t *outcome = NULL;
    const lims_error_t *error;

    lims_values_set(values, "updates", lims_report_updates(findings, rq->pool));
    error = lims_database_run(&outcome, rq, &call, 1, 0);
    for (int i = 0; !error && i < lims_result_count(outcome); i++) {
        lims_finding_t *finding = finding_of(findings, lims_result_get(outcome, i, "sampleTestId"));
        const char *slug = lims_result_get(outcome, i, "slug");

        if (finding && slug) {
            finding->status = locks(slug) ? LIMS_MATCH_LOCKED : LIMS_MATCH_REJECTED_CHECK;
            finding->message = lims_result_get(outcome, i, "message");
            finding->confidence = 0;
        } else if (finding && !dry_run) {
            finding->status = LIMS_MATCH_APPLIED;
        }
    }
    return error;
}

/* --- What is kept, and what is answered ------------------------------------------------------ */

static const lims_error_t *keep(const char **id, lims_request_t *rq,
                                const apr_array_header_t *findings)
{
    lims_values_t *values = lims_values_create(rq->pool);
    const lims_call_t first = { .statement = LIMS_STMT_EXTRACTION_KEEP, .values = values };
    const lims_call_t rest = { .statement = LIMS_STMT_EXTRACTION_KEEP_ROWS, .values = values };
    unsigned char digest[LIMS_SHA256_LENGTH];
    lims_result_t *row = NULL;
    const lims_error_t *error;

    if (!lims_sha256(digest, rq->file->bytes, rq->file->length)) {
        return lims_no_digest(rq->pool);
    }
    lims_values_set(values, "fileName", rq->file->name);
    lims_values_set(values, "sha256", lims_bytea(digest, sizeof(digest), rq->pool));
    lims_values_set(values, "size", apr_psprintf(rq->pool, "%" APR_SIZE_T_FMT, rq->file->length));
    lims_values_set(values, "host", rq->model->host);
    lims_values_set(values, "model", rq->model->name);
    lims_values_set(values, "promptVersion", LIMS_PROMPT_VERSION);
    lims_values_set(values, "looks", apr_itoa(rq->pool, rq->model->looks));
    lims_values_set(values, "confidenceThreshold",
                    lims_values_get(rq->values, "confidenceThreshold"));
    error = lims_database_run(&row, rq, &first, 1, 0);
    if (error) {
        return error;
    }
    *id = lims_result_get(row, 0, "id");
    lims_values_set(values, "extractionId", *id);
    lims_values_set(values, "rows", lims_report_rows(findings, rq->pool));
    return lims_database_run(&row, rq, &rest, 1, 0);
}

static void answer(lims_request_t *rq, const char *id, const apr_array_header_t *findings)
{
    const upload_t *upload = rq->staged;
    lims_writer_t *w = lims_writer_create(rq->pool);

    lims_writer_object_begin(w);
    lims_writer_key(w, "id");
    lims_writer_raw(w, id);
    lims_writer_key(w, "fileName");
    lims_writer_string(w, rq->file->name);
    lims_writer_key(w, "dryRun");
    lims_writer_boolean(w, upload->dry_run);
    lims_writer_key(w, "confidenceThreshold");
    lims_writer_raw(w, lims_report_share(upload->threshold, rq->pool));
    lims_writer_key(w, "model");
    lims_writer_string(w, rq->model->name);
    lims_writer_key(w, "message");
    lims_writer_string(w, upload->candidates.count > 0
                              ? NULL
                              : "No tracking id of a sample of yours with a test stands in this "
                                "file: the AI service was not asked.");
    lims_report_answer(w, findings);
    lims_writer_object_end(w);
    lims_render_finish(rq, w);
}

/* May be called again after a rollback: it works on a copy. */
static const lims_error_t *enter_findings(lims_request_t *rq)
{
    const upload_t *upload = rq->staged;
    apr_array_header_t *findings = apr_array_copy(rq->pool, upload->findings);
    const lims_error_t *error = apply(rq, findings, upload->dry_run);
    const char *id = NULL;

    if (!error && !upload->dry_run) {
        error = keep(&id, rq, findings);
    }
    if (!error) {
        answer(rq, id, findings);
    }
    return error;
}

/* --- The route -------------------------------------------------------------------------------- */

static const lims_error_e errors[] = { LIMS_E_AI_DATA_ACCESS_DISABLED, LIMS_E_AI_UNAVAILABLE,
                                       LIMS_E_COUNT };

static const lims_route_t routes[] = {
    { .method = "POST",
      .path = "/instrument-uploads",
      .surfaces = LIMS_SURFACES_HTTP,
      .operation = "uploadInstrumentFile",
      .summary = "Extract results from an instrument file with an AI service",
      .description =
          "For files without a profile; for others use `POST /instrument-ingest`. The model points "
          "at cells, the service copies and checks them: a value that does not stand in the file "
          "cannot be entered. Each row is decided on its own. Tracking ids are sent as tokens; "
          "names of people, comments and paths are left out. At most 20 requests a minute.",
      .scope = "instruments:write",
      .permission = "file.import",
      .flags = LIMS_R_NO_RECORD | LIMS_R_COSTLY,
      .form = form,
      .output = output,
      .status = 200,
      .check = check_upload,
      .prepare = prepare_upload,
      .work = find_results,
      .handler = enter_findings,
      .errors = errors },
    LIMS_ROUTE_END,
};

static const lims_field_t no_fields[] = { LIMS_FIELD_END };

const lims_resource_t lims_instrument_upload = {
    .name = "instrument upload",
    .title = "Instrument uploads",
    .schema = "InstrumentUpload",
    .doc = "Instrument files from which an AI service extracts results.",
    .fields = no_fields,
    .routes = routes,
};
