/* SPDX-License-Identifier: Apache-2.0 */
/*
 * files.c - instrument files, and people's decisions about quarantined ones.
 *
 * No value can be typed in: a release reads the same bytes again, by a chosen
 * profile, with exclusions and with aliases for tracking ids, and imports
 * everything that remains, or nothing.
 */
#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

#include "documents/pdf_report.h"
#include "instruments/decisions.h"
#include "instruments/import.h"
#include "instruments/instruments.h"
#include "kernel/error.h"
#include "kernel/field.h"
#include "kernel/json.h"
#include "kernel/record.h"
#include "kernel/writer.h"
#include "service/csv.h"
#include "service/service.h"

const char *const lims_instrument_file_statuses[] = { "received", "imported", "quarantined",
                                                      "rejected", "released", NULL };
static const char *const row_statuses[] = { "written", "unchanged", "control", NULL };

enum { SHOWN = LIMS_F_OUT, PERHAPS = LIMS_F_OUT | LIMS_F_NULLABLE };

const lims_field_t lims_instrument_file_fields[] = {
    { .name = "id",
      .type = LIMS_T_ID,
      .flags = SHOWN,
      .doc = "Id of the file, assigned by the service; also its cursor value." },
    { .name = "fileName",
      .type = LIMS_T_STRING,
      .flags = SHOWN,
      .doc = "Name of the file, as its sender gave it." },
    { .name = "sha256",
      .type = LIMS_T_STRING,
      .flags = SHOWN,
      .doc = "SHA-256 of the file's bytes, hexadecimal." },
    { .name = "size", .type = LIMS_T_INTEGER, .flags = SHOWN, .doc = "Size of the file in bytes." },
    { .name = "status",
      .type = LIMS_T_ENUM,
      .values = lims_instrument_file_statuses,
      .flags = SHOWN,
      .doc = "Status of the file. received: not yet read to its end; quarantined: held for a "
             "person to decide." },
    { .name = "duplicateOf",
      .type = LIMS_T_ID,
      .flags = PERHAPS,
      .doc = "Id of the earlier file with the same results; null if there is none." },
    { .name = "profileAsked",
      .type = LIMS_T_STRING,
      .flags = PERHAPS,
      .doc = "Code of the profile that the sender asked for; null if none." },
    { .name = "profileCode",
      .type = LIMS_T_STRING,
      .flags = PERHAPS,
      .doc = "Code of the profile by which the file was read; null if none matched." },
    { .name = "profileVersion",
      .type = LIMS_T_INTEGER,
      .flags = PERHAPS,
      .doc = "Version of the profile by which the file was read." },
    { .name = "counts",
      .type = LIMS_T_JSON,
      .flags = SHOWN,
      .doc = "Numbers of rows and results that were read from the file." },
    { .name = "reasons",
      .type = LIMS_T_JSON,
      .flags = SHOWN,
      .doc = "Every reason why the file was held, and every note about it, each with its place in "
             "the file." },
    { .name = "receivedAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = SHOWN,
      .doc = "When the file was received, UTC." },
    { .name = "receivedBy",
      .type = LIMS_T_ID,
      .flags = PERHAPS,
      .doc = "Id of the user for whom the file was received." },
    { .name = "receivedByKey",
      .type = LIMS_T_ID,
      .flags = PERHAPS,
      .doc = "Id of the API key with which the file was sent; null if by limsctl." },
    { .name = "sentBy",
      .type = LIMS_T_STRING,
      .flags = PERHAPS,
      .doc = "Name of that API key, else of the user." },
    { .name = "instrumentId",
      .type = LIMS_T_ID,
      .flags = PERHAPS,
      .doc = "Id of the instrument of the profile; null if it has none." },
    { .name = "processedAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = PERHAPS,
      .doc = "When the file was last read or decided about, UTC." },
    { .name = "resolution",
      .type = LIMS_T_JSON,
      .flags = PERHAPS,
      .doc = "Decisions with which the file was released: profile, exclusions and aliases." },
    { .name = "decisions",
      .type = LIMS_T_JSON,
      .flags = SHOWN,
      .doc = "Decisions for a release to come, each with the person (by) and the time (at)." },
    { .name = "resolutionReason",
      .type = LIMS_T_STRING,
      .flags = PERHAPS,
      .doc = "Reason given for releasing, rejecting or reopening the file." },
    { .name = "resolvedAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = PERHAPS,
      .doc = "When the file was released, rejected or reopened, UTC." },
    { .name = "resolvedBy",
      .type = LIMS_T_ID,
      .flags = PERHAPS,
      .doc = "Id of the user who released, rejected or reopened the file." },
    { .name = "updatedAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = SHOWN,
      .doc = "When the record was last changed, UTC." },
    { .name = "contentRemovedAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = PERHAPS,
      .doc = "When the bytes of a rejected file were removed, UTC; null while they are kept." },
    LIMS_FIELD_END,
};

static const lims_field_t row_fields[] = {
    { .name = "sheet", .type = LIMS_T_STRING, .flags = PERHAPS, .doc = "Name of the sheet." },
    { .name = "row", .type = LIMS_T_INTEGER, .flags = SHOWN, .doc = "Row or line, from 1." },
    { .name = "column", .type = LIMS_T_INTEGER, .flags = PERHAPS, .doc = "Column, from 1." },
    { .name = "offset",
      .type = LIMS_T_INTEGER,
      .flags = PERHAPS,
      .doc = "Byte offset of the value in the text, counted from 0." },
    { .name = "cell",
      .type = LIMS_T_STRING,
      .flags = PERHAPS,
      .doc = "Text of the cell, exactly as in the file." },
    { .name = "sampleTestId",
      .type = LIMS_T_ID,
      .flags = PERHAPS,
      .doc = "Id of the sample test whose result the cell is; null for a control." },
    { .name = "qcControlId",
      .type = LIMS_T_ID,
      .flags = PERHAPS,
      .doc = "Id of the QC control whose value the cell is; null for a sample." },
    { .name = "trackingId",
      .type = LIMS_T_STRING,
      .flags = PERHAPS,
      .doc = "Tracking id of the sample, as read from the file." },
    { .name = "testCode", .type = LIMS_T_STRING, .flags = PERHAPS, .doc = "Code of the test." },
    { .name = "result", .type = LIMS_T_STRING, .flags = PERHAPS, .doc = "Result as entered." },
    { .name = "unit", .type = LIMS_T_STRING, .flags = PERHAPS, .doc = "Unit of the result." },
    { .name = "qualifier",
      .type = LIMS_T_STRING,
      .flags = PERHAPS,
      .doc = "Qualifier of the result; null if it has none." },
    { .name = "analyzedAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = PERHAPS,
      .doc = "When the analysis was done according to the file, UTC." },
    { .name = "operator",
      .type = LIMS_T_STRING,
      .flags = PERHAPS,
      .doc = "Name of the operator according to the file." },
    { .name = "status",
      .type = LIMS_T_ENUM,
      .values = row_statuses,
      .flags = SHOWN,
      .doc = "Outcome of the row. unchanged: the sample test had this result already." },
    LIMS_FIELD_END,
};

static const lims_field_t filters[] = {
    LIMS_PAGING_FIELDS,
    { .name = "status",
      .type = LIMS_T_ENUM,
      .values = lims_instrument_file_statuses,
      .doc = "Only files of this status." },
    { .name = "profile",
      .type = LIMS_T_STRING,
      .max = 64,
      .doc = "Only files that were read by a profile of this code." },
    { .name = "reasonCode",
      .type = LIMS_T_STRING,
      .max = 64,
      .doc = "Only files with a reason of this code." },
    LIMS_FIELD_END,
};

static const lims_field_t again_input[] = {
    { .name = "profile",
      .type = LIMS_T_STRING,
      .min = 1,
      .max = 64,
      .doc = "Code of the profile to read the file by." },
    { .name = "dryRun",
      .type = LIMS_T_BOOLEAN,
      .fallback = "false",
      .doc = "Whether only to show the outcome and leave the file as it is." },
    LIMS_FIELD_END,
};

/* Outcome of reading a file again. */
static const lims_field_t again_output[] = {
    { .name = "id", .type = LIMS_T_ID, .flags = SHOWN, .doc = "Id of the instrument file." },
    { .name = "fileName",
      .type = LIMS_T_STRING,
      .flags = SHOWN,
      .doc = "Name of the file, as its sender gave it." },
    { .name = "status",
      .type = LIMS_T_ENUM,
      .values = lims_instrument_file_statuses,
      .flags = SHOWN,
      .doc = "Status of the file now; of a dry run, the status that it would get." },
    { .name = "counts",
      .type = LIMS_T_JSON,
      .flags = SHOWN,
      .doc = "Numbers of rows and results that were read from the file." },
    { .name = "reasons",
      .type = LIMS_T_JSON,
      .flags = SHOWN,
      .doc = "Every reason that still holds the file, and every note about it." },
    LIMS_FIELD_END,
};

/* --- Reading again -------------------------------------------------------- */

static const lims_error_t *check_again(lims_request_t *rq)
{
    const char *dry = lims_values_get(rq->values, "dryRun");

    rq->roll_back = dry && *dry == 't';
    rq->staged = lims_import_create(NULL, NULL, 0, NULL, rq->pool);
    return NULL;
}

/* A dry run needs no reason. */
static const lims_error_t *check_release(lims_request_t *rq)
{
    const lims_error_t *error = check_again(rq);

    if (!error && !rq->roll_back && !rq->reason) {
        return lims_client_error(rq->pool, LIMS_E_INVALID_BODY,
                                 "reason is missing (--reason at the command line): a file is "
                                 "released with one.");
    }
    return error ? error : lims_decisions_parse(rq->staged, rq);
}

static const lims_error_t *prepare(lims_request_t *rq)
{
    const char *profile = lims_values_get(rq->values, "profile");
    lims_import_t *import = rq->staged;
    const lims_error_t *error = lims_import_load(import, rq, lims_values_get(rq->values, "id"));

    if (!error && strcmp(import->status, "quarantined") != 0) {
        return lims_client_error(rq->pool, LIMS_E_INVALID_TRANSITION,
                                 "File %s is %s: there is nothing to decide.", import->id,
                                 import->status);
    }
    if (profile) {
        import->asked = profile;
    }
    return error;
}

/* Earlier decisions apply as well, unless this release decides the same thing itself. */
static const lims_error_t *prepare_release(lims_request_t *rq)
{
    const lims_error_t *error = lims_decisions_recall(rq);

    if (!error) {
        error = lims_decisions_parse(rq->staged, rq);
    }
    return error ? error : prepare(rq);
}

static const lims_error_t *work(lims_request_t *rq)
{
    lims_import_read(rq->staged);
    return NULL;
}

static const lims_error_t *refuse_changed(lims_request_t *rq, const lims_import_t *import)
{
    return lims_client_error(rq->pool, LIMS_E_INVALID_TRANSITION,
                             "File %s was decided about meanwhile: it is %s.", import->id,
                             import->status);
}

/* Refuses a release that reasons still block, and rolls it back. */
static const lims_error_t *refuse_release(lims_request_t *rq, const lims_import_t *import)
{
    lims_result_t *row = NULL;
    const lims_error_t *error = lims_database_call(&row, rq, LIMS_STMT_INSTRUMENT_FILE_GET);

    if (error) {
        return error;
    }
    return lims_client_error_with(
        rq->pool, LIMS_E_INVALID_TRANSITION,
        apr_pstrcat(rq->pool, "\"reasons\":", lims_result_get(row, 0, "reasons"), NULL),
        "File %s cannot be released so: %s", import->id, lims_result_get(row, 0, "firstReason"));
}

static const lims_error_t *release(lims_request_t *rq)
{
    lims_import_t import = *(lims_import_t *)rq->staged;
    const lims_error_t *error = lims_import_decide(
        &import, rq, "quarantined", lims_decisions_text(rq), rq->reason ? rq->reason : "dry run");

    if (error) {
        return error;
    }
    if (!import.decided) {
        return refuse_changed(rq, &import);
    }
    return strcmp(import.status, "quarantined") == 0 ? refuse_release(rq, &import)
                                                     : lims_exclude_check(&import, rq->pool);
}

static const char *cell(void *row, const char *name)
{
    return lims_result_get(row, 0, name);
}

static const lims_error_t *reevaluate(lims_request_t *rq)
{
    lims_import_t import = *(lims_import_t *)rq->staged;
    const lims_error_t *error = lims_import_decide(&import, rq, "quarantined", NULL, NULL);
    lims_result_t *row = NULL;
    lims_writer_t *w;

    if (!error && !import.decided) {
        return refuse_changed(rq, &import);
    }
    if (!error) {
        error = lims_database_call(&row, rq, LIMS_STMT_INSTRUMENT_FILE_GET);
    }
    if (error) {
        return error;
    }
    w = lims_writer_create(rq->pool);
    lims_writer_object_begin(w);
    lims_record_write(w, again_output, cell, row);
    lims_writer_object_end(w);
    lims_render_finish(rq, w);
    return NULL;
}

/* --- Routes --------------------------------------------------------------- */

static const lims_error_e review_errors[] = { LIMS_E_INVALID_TRANSITION, LIMS_E_COUNT };
static const lims_error_e release_errors[] = { LIMS_E_INVALID_BODY, LIMS_E_INVALID_TRANSITION,
                                               LIMS_E_COUNT };

static const lims_route_t routes[] = {
    { .method = "GET",
      .path = "/instrument-files",
      .command = "instrument-file list",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "listInstrumentFiles",
      .summary = "List instrument files",
      .permission = "data.read",
      .flags = LIMS_R_LIST,
      .query = filters,
      .status = 200,
      .statement = LIMS_STMT_INSTRUMENT_FILE_LIST },
    { LIMS_CSV_EXPORT("/instrument-files", "instrument-file export", "exportInstrumentFiles",
                      "instrument files"),
      .permission = "data.read", .flags = LIMS_CSV_FLAGS, .query = filters + LIMS_PAGING_COUNT },
    { LIMS_REPORT_LIST("/instrument-files", "instrument-file pdf", "printInstrumentFiles",
                       "instrument files"),
      .permission = "data.read", .flags = LIMS_PDF_FLAGS, .query = filters + LIMS_PAGING_COUNT },
    { .method = "GET",
      .path = "/instrument-files/:id",
      .command = "instrument-file show",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "getInstrumentFile",
      .summary = "One instrument file, with every reason and the place of each result",
      .permission = "data.read",
      .status = 200,
      .statement = LIMS_STMT_INSTRUMENT_FILE_GET },
    { .method = "GET",
      .path = "/instrument-files/:id/content",
      .command = "instrument-file content",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "getInstrumentFileContent",
      .summary = "Bytes of an instrument file, unchanged",
      .description = "The bytes go to standard output: `limsctl ... > run42.csv`. With --json they "
                     "are in base64.",
      .permission = "data.read",
      .flags = LIMS_R_NO_RECORD | LIMS_R_DOCUMENT | LIMS_R_BYTES,
      .status = 200,
      .statement = LIMS_STMT_INSTRUMENT_FILE_CONTENT },
    { .method = "POST",
      .path = "/instrument-files/:id/release",
      .command = "instrument-file release",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "releaseInstrumentFile",
      .summary = "Release a quarantined file: import it with corrections",
      .description = "The file's bytes are read again: by the profile that is named, without what "
                     "is excluded, with aliases in place of tracking ids, into the tests that are "
                     "named. Everything that remains is imported, or nothing. QC controls cannot "
                     "be excluded: the reason `control_excluded` names each. The decisions are "
                     "kept with the file. A dry run needs no reason.",
      .permission = "file.review",
      .input = lims_release_input,
      .status = 200,
      .check = check_release,
      .prepare = prepare_release,
      .work = work,
      .handler = release,
      .errors = release_errors },
    { .method = "POST",
      .path = "/instrument-files/:id/reevaluate",
      .command = "instrument-file reevaluate",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "reevaluateInstrumentFile",
      .summary = "Read a quarantined file again, by today's profiles and records",
      .permission = "file.review",
      .flags = LIMS_R_NO_RECORD,
      .input = again_input,
      .output = again_output,
      .status = 200,
      .check = check_again,
      .prepare = prepare,
      .work = work,
      .handler = reevaluate,
      .errors = review_errors },
    { .method = "POST",
      .path = "/instrument-files/:id/reject",
      .command = "instrument-file reject",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "rejectInstrumentFile",
      .summary = "Reject a quarantined file, with a reason",
      .description = "The file's bytes are kept for LimsRejectedFileDays, its record for good. The "
                     "same bytes sent again are answered with that record.",
      .permission = "file.review",
      .flags = LIMS_R_REASON,
      .input = lims_reason_input,
      .status = 200,
      .statement = LIMS_STMT_INSTRUMENT_FILE_REJECT,
      .errors = review_errors },
    { .method = "POST",
      .path = "/instrument-files/:id/reopen",
      .command = "instrument-file reopen",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "reopenInstrumentFile",
      .summary = "Reopen a rejected file: put it back into quarantine, with a reason",
      .permission = "file.review",
      .flags = LIMS_R_REASON,
      .input = lims_reason_input,
      .status = 200,
      .statement = LIMS_STMT_INSTRUMENT_FILE_REOPEN,
      .errors = review_errors },
    LIMS_ROUTE_END,
};

static const lims_route_t no_routes[] = { LIMS_ROUTE_END };

const lims_resource_t lims_instrument_file_row = {
    .name = "row of an instrument file",
    .title = "Instrument files",
    .schema = "InstrumentFileRow",
    .doc = "Place of one result in its instrument file.",
    .fields = row_fields,
    .routes = no_routes,
};

const lims_resource_t lims_instrument_file = {
    .name = "instrument file",
    .title = "Instrument files",
    .schema = "InstrumentFile",
    .doc = "File that an instrument sent, with its status and reasons.",
    .fields = lims_instrument_file_fields,
    .routes = routes,
    .record = LIMS_STMT_INSTRUMENT_FILE_GET,
    .lock = LIMS_STMT_INSTRUMENT_FILE_LOCK,
    .nested = "results",
    .nested_resource = &lims_instrument_file_row,
    .nested_statement = LIMS_STMT_INSTRUMENT_FILE_ROWS,
};
