/* SPDX-License-Identifier: Apache-2.0 */
/*
 * files.c - the files that were sent, and what a person decides about those that
 * could not be imported: released, with what was decided on record, or rejected.
 *
 * Nothing is typed over: a release reads the same bytes again, by a profile that
 * is chosen, without rows that are left out, with tracking ids that stand for
 * others; and imports all that remains, or nothing.
 */
#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

#include "instruments/import.h"
#include "instruments/instruments.h"
#include "kernel/error.h"
#include "kernel/field.h"
#include "kernel/json.h"
#include "kernel/record.h"
#include "kernel/writer.h"
#include "service/service.h"

static const char *const statuses[] = { "received", "imported", "quarantined",
                                        "rejected", "released", NULL };
static const char *const row_statuses[] = { "written", "unchanged", "control", NULL };

enum { SHOWN = LIMS_F_OUT, PERHAPS = LIMS_F_OUT | LIMS_F_NULLABLE };

static const lims_field_t fields[] = {
    { .name = "id",
      .type = LIMS_T_ID,
      .flags = SHOWN,
      .doc = "Assigned by the service; also the cursor value." },
    { .name = "fileName", .type = LIMS_T_STRING, .flags = SHOWN, .doc = "As it came." },
    { .name = "sha256", .type = LIMS_T_STRING, .flags = SHOWN, .doc = "Of its bytes." },
    { .name = "size", .type = LIMS_T_INTEGER, .flags = SHOWN, .doc = "Bytes." },
    { .name = "status",
      .type = LIMS_T_ENUM,
      .values = statuses,
      .flags = SHOWN,
      .doc = "received: not yet read to its end; quarantined: waits for a person." },
    { .name = "duplicateOf",
      .type = LIMS_T_ID,
      .flags = PERHAPS,
      .doc = "The file that brought the same results before." },
    { .name = "profileAsked",
      .type = LIMS_T_STRING,
      .flags = PERHAPS,
      .doc = "Code of the profile that the sender asked for." },
    { .name = "profileCode",
      .type = LIMS_T_STRING,
      .flags = PERHAPS,
      .doc = "The profile that it was read by." },
    { .name = "profileVersion", .type = LIMS_T_INTEGER, .flags = PERHAPS, .doc = "Of it." },
    { .name = "counts", .type = LIMS_T_JSON, .flags = SHOWN, .doc = "How much was read." },
    { .name = "reasons",
      .type = LIMS_T_JSON,
      .flags = SHOWN,
      .doc = "Everything that is the matter, each with its place." },
    { .name = "receivedAt", .type = LIMS_T_TIMESTAMP, .flags = SHOWN, .doc = "When it came." },
    { .name = "receivedBy", .type = LIMS_T_ID, .flags = PERHAPS, .doc = "User." },
    { .name = "receivedByKey", .type = LIMS_T_ID, .flags = PERHAPS, .doc = "API key." },
    { .name = "processedAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = PERHAPS,
      .doc = "When it was last decided about." },
    { .name = "resolution",
      .type = LIMS_T_JSON,
      .flags = PERHAPS,
      .doc = "What a release was made with." },
    { .name = "resolutionReason", .type = LIMS_T_STRING, .flags = PERHAPS, .doc = "Why." },
    { .name = "resolvedAt", .type = LIMS_T_TIMESTAMP, .flags = PERHAPS, .doc = "When." },
    { .name = "resolvedBy", .type = LIMS_T_ID, .flags = PERHAPS, .doc = "By which user." },
    { .name = "updatedAt", .type = LIMS_T_TIMESTAMP, .flags = SHOWN, .doc = "Last change." },
    { .name = "contentRemovedAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = PERHAPS,
      .doc = "When the bytes of a rejected file were removed; null: they are kept." },
    LIMS_FIELD_END,
};

static const lims_field_t row_fields[] = {
    { .name = "sheet", .type = LIMS_T_STRING, .flags = PERHAPS, .doc = "Of a workbook." },
    { .name = "row", .type = LIMS_T_INTEGER, .flags = SHOWN, .doc = "Line or row, from 1." },
    { .name = "column", .type = LIMS_T_INTEGER, .flags = PERHAPS, .doc = "From 1." },
    { .name = "offset", .type = LIMS_T_INTEGER, .flags = PERHAPS, .doc = "In the text." },
    { .name = "cell", .type = LIMS_T_STRING, .flags = PERHAPS, .doc = "To the letter." },
    { .name = "sampleTestId", .type = LIMS_T_ID, .flags = PERHAPS, .doc = "Whose result." },
    { .name = "qcControlId", .type = LIMS_T_ID, .flags = PERHAPS, .doc = "Or which control." },
    { .name = "trackingId", .type = LIMS_T_STRING, .flags = PERHAPS, .doc = "As read." },
    { .name = "testCode", .type = LIMS_T_STRING, .flags = PERHAPS, .doc = "The test." },
    { .name = "result", .type = LIMS_T_STRING, .flags = PERHAPS, .doc = "As entered." },
    { .name = "unit", .type = LIMS_T_STRING, .flags = PERHAPS, .doc = "Its unit." },
    { .name = "qualifier", .type = LIMS_T_STRING, .flags = PERHAPS, .doc = "Its qualifier." },
    { .name = "analyzedAt", .type = LIMS_T_TIMESTAMP, .flags = PERHAPS, .doc = "When." },
    { .name = "operator", .type = LIMS_T_STRING, .flags = PERHAPS, .doc = "By whom." },
    { .name = "status",
      .type = LIMS_T_ENUM,
      .values = row_statuses,
      .flags = SHOWN,
      .doc = "unchanged: the result stood already." },
    LIMS_FIELD_END,
};

static const lims_field_t filters[] = {
    LIMS_PAGING_FIELDS,
    { .name = "status", .type = LIMS_T_ENUM, .values = statuses, .doc = "Only these." },
    { .name = "profile",
      .type = LIMS_T_STRING,
      .max = 64,
      .doc = "Only those read by a profile of this code." },
    { .name = "reasonCode",
      .type = LIMS_T_STRING,
      .max = 64,
      .doc = "Only those with a reason of this code." },
    LIMS_FIELD_END,
};

static const lims_field_t exclude_fields[] = {
    { .name = "sheet", .type = LIMS_T_STRING, .max = 255, .doc = "Of a workbook." },
    { .name = "row",
      .type = LIMS_T_INTEGER,
      .min = 1,
      .max = APR_INT32_MAX,
      .doc = "The line or row that is left out; with what follows, only that of it." },
    { .name = "column",
      .type = LIMS_T_INTEGER,
      .min = 1,
      .max = LIMS_FILE_COLUMNS_MAX,
      .doc = "The column." },
    { .name = "cell", .type = LIMS_T_STRING, .min = 2, .max = 16, .doc = "Both: D12." },
    { .name = "test", .type = LIMS_T_STRING, .min = 1, .max = 255, .doc = "The test's code." },
    { .name = "trackingId",
      .type = LIMS_T_STRING,
      .min = 1,
      .max = 1000,
      .doc = "What the file calls the sample." },
    { .name = "reason", .type = LIMS_T_STRING, .flags = LIMS_F_REQUIRED, .min = 1, .doc = "Why." },
    LIMS_FIELD_END,
};

static const lims_field_t alias_fields[] = {
    { .name = "from",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_REQUIRED,
      .min = 1,
      .doc = "The tracking id that the file has." },
    { .name = "to",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_REQUIRED,
      .min = 1,
      .doc = "The one that is meant." },
    { .name = "reason",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_REQUIRED,
      .min = 1,
      .doc = "How that is known." },
    LIMS_FIELD_END,
};

static const lims_field_t release_input[] = {
    { .name = "profile",
      .type = LIMS_T_STRING,
      .min = 1,
      .max = 64,
      .doc = "Code of the profile to read it by." },
    { .name = "exclude",
      .type = LIMS_T_OBJECT_LIST,
      .members = exclude_fields,
      .max = 1000,
      .doc = "What is left out: rows, cells, tests of a row, samples. All that an element says "
             "has to hold, and something has to be meant by it." },
    { .name = "aliases",
      .type = LIMS_T_OBJECT_LIST,
      .flags = LIMS_F_UNIQUE,
      .members = alias_fields,
      .unique = "from",
      .max = 1000,
      .doc = "Tracking ids that stand for others." },
    LIMS_FIELD_END,
};

static const lims_field_t again_input[] = {
    { .name = "profile",
      .type = LIMS_T_STRING,
      .min = 1,
      .max = 64,
      .doc = "Code of the profile to read it by." },
    { .name = "dryRun",
      .type = LIMS_T_BOOLEAN,
      .fallback = "false",
      .doc = "Show what would become of it, and leave it." },
    LIMS_FIELD_END,
};

/* What reading it again came to. */
static const lims_field_t again_output[] = {
    { .name = "id", .type = LIMS_T_ID, .flags = SHOWN, .doc = "The file." },
    { .name = "fileName", .type = LIMS_T_STRING, .flags = SHOWN, .doc = "As it came." },
    { .name = "status",
      .type = LIMS_T_ENUM,
      .values = statuses,
      .flags = SHOWN,
      .doc = "What it is now, or would be." },
    { .name = "counts", .type = LIMS_T_JSON, .flags = SHOWN, .doc = "How much was read." },
    { .name = "reasons",
      .type = LIMS_T_JSON,
      .flags = SHOWN,
      .doc = "Everything that is still the matter." },
    LIMS_FIELD_END,
};

/* --- Who ------------------------------------------------------------------ */

const lims_error_t *lims_instruments_reviewer(lims_request_t *rq, const char *what)
{
    lims_result_t *row = NULL;
    const lims_error_t *error = lims_database_call(&row, rq, LIMS_STMT_INSTRUMENT_REVIEWER);

    if (error || lims_result_true(row, 0, "reviewer")) {
        return error;
    }
    return lims_fail(rq->pool, LIMS_E_SCOPE_REQUIRED,
                     "%s by users with the role administrator, lab_manager or qa_officer.", what);
}

static const lims_error_t *check_reviewer(lims_request_t *rq)
{
    return lims_instruments_reviewer(rq, "What becomes of a file is decided");
}

/* --- What a release is made with ------------------------------------------ */

static const char *text_of(const lims_json_t *object, const char *name, const char *otherwise)
{
    const lims_json_t *member = lims_json_member(object, name);

    return member && member->text ? member->text : otherwise;
}

/* The lists were validated as fields; what is read here is what came through that. */
static const lims_error_t *take_lists(lims_import_t *import, lims_request_t *rq)
{
    const char *exclude = lims_values_get(rq->values, "exclude");
    const char *aliases = lims_values_get(rq->values, "aliases");
    apr_array_header_t *rows = apr_array_make(rq->pool, 4, sizeof(lims_excluded_t));
    apr_array_header_t *names = apr_array_make(rq->pool, 4, sizeof(lims_alias_t));
    lims_json_t *list = NULL;
    const lims_error_t *error = NULL;

    if (exclude) {
        error = lims_json_parse(&list, exclude, strlen(exclude), rq->pool);
        for (const lims_json_t *each = error ? NULL : list->first; each && !error;
             each = each->next) {
            int index = rows->nelts;
            error = lims_exclude_take(apr_array_push(rows), each, index, rq->pool);
        }
        import->excluded = rows;
    }
    if (aliases && !error) {
        error = lims_json_parse(&list, aliases, strlen(aliases), rq->pool);
        for (const lims_json_t *each = error ? NULL : list->first; each; each = each->next) {
            APR_ARRAY_PUSH(names, lims_alias_t) =
                (lims_alias_t){ .from = text_of(each, "from", ""), .to = text_of(each, "to", "") };
        }
        import->aliases = names;
    }
    return error;
}

/* As it is kept with the file. */
static const char *resolution_of(lims_request_t *rq)
{
    static const char *const names[] = { "exclude", "aliases" };
    const char *profile = lims_values_get(rq->values, "profile");
    lims_writer_t *w = lims_writer_create(rq->pool);
    apr_size_t length = 0;

    lims_writer_object_begin(w);
    if (profile) {
        lims_writer_key(w, "profile");
        lims_writer_string(w, profile);
    }
    for (apr_size_t i = 0; i < LIMS_LENGTH(names); i++) {
        const char *list = lims_values_get(rq->values, names[i]);
        if (list) {
            lims_writer_key(w, names[i]);
            lims_writer_raw(w, list);
        }
    }
    lims_writer_object_end(w);
    return lims_writer_finish(&length, w);
}

/* --- Reading again -------------------------------------------------------- */

static const lims_error_t *check_again(lims_request_t *rq)
{
    const char *dry = lims_values_get(rq->values, "dryRun");
    lims_import_t *import = lims_import_create(NULL, NULL, 0, NULL, rq->pool);

    rq->roll_back = dry && *dry == 't';
    rq->staged = import;
    return take_lists(import, rq);
}

static const lims_error_t *prepare(lims_request_t *rq)
{
    const char *profile = lims_values_get(rq->values, "profile");
    lims_import_t *import = rq->staged;
    const lims_error_t *error = check_reviewer(rq);

    if (!error) {
        error = lims_import_load(import, rq, lims_values_get(rq->values, "id"));
    }
    if (!error && strcmp(import->status, "quarantined") != 0) {
        return lims_fail(rq->pool, LIMS_E_INVALID_TRANSITION,
                         "File %s is %s: there is nothing to decide.", import->id, import->status);
    }
    if (profile) {
        import->asked = profile;
    }
    return error;
}

static const lims_error_t *work(lims_request_t *rq)
{
    lims_import_read(rq->staged);
    return NULL;
}

static const lims_error_t *refuse_changed(lims_request_t *rq, const lims_import_t *import)
{
    return lims_fail(rq->pool, LIMS_E_INVALID_TRANSITION,
                     "File %s was decided about meanwhile: it is %s.", import->id, import->status);
}

/* Nothing of it stays: the file waits as it did. */
static const lims_error_t *refuse_release(lims_request_t *rq, const lims_import_t *import)
{
    lims_result_t *row = NULL;
    const lims_error_t *error = lims_database_call(&row, rq, LIMS_STMT_INSTRUMENT_FILE_GET);

    if (error) {
        return error;
    }
    return lims_fail_with(
        rq->pool, LIMS_E_INVALID_TRANSITION,
        apr_pstrcat(rq->pool, "\"reasons\":", lims_result_get(row, 0, "reasons"), NULL),
        "File %s cannot be released so: %s", import->id, lims_result_get(row, 0, "firstReason"));
}

static const lims_error_t *release(lims_request_t *rq)
{
    lims_import_t import = *(lims_import_t *)rq->staged;
    const lims_error_t *error =
        lims_import_decide(&import, rq, "quarantined", resolution_of(rq), rq->reason);

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
      .operation = "listInstrumentFiles",
      .summary = "List files that instruments sent",
      .flags = LIMS_R_TOOL | LIMS_R_LIST,
      .query = filters,
      .status = 200,
      .statement = LIMS_STMT_INSTRUMENT_FILE_LIST },
    { .method = "GET",
      .path = "/instrument-files/:id",
      .command = "instrument-file show",
      .operation = "getInstrumentFile",
      .summary = "One file: every reason, and where each of its results stands",
      .flags = LIMS_R_TOOL,
      .status = 200,
      .statement = LIMS_STMT_INSTRUMENT_FILE_GET },
    { .method = "GET",
      .path = "/instrument-files/:id/content",
      .command = "instrument-file content",
      .operation = "getInstrumentFileContent",
      .summary = "The bytes of a file, as they came",
      .description = "To standard output, as `limsctl ... > run42.csv`; with --json in base64.",
      .flags = LIMS_R_TOOL | LIMS_R_DOCUMENT | LIMS_R_BYTES,
      .status = 200,
      .statement = LIMS_STMT_INSTRUMENT_FILE_CONTENT },
    { .method = "POST",
      .path = "/instrument-files/:id/release",
      .command = "instrument-file release",
      .operation = "releaseInstrumentFile",
      .summary = "Import a file from quarantine, with what was decided about it",
      .description = "Its bytes are read again: by the profile that is named, without the rows "
                     "that are left out, with tracking ids in place of others. All that remains "
                     "is imported, or nothing. What was decided is kept with the file.",
      .flags = LIMS_R_TOOL | LIMS_R_REASON,
      .input = release_input,
      .status = 200,
      .check = check_again,
      .prepare = prepare,
      .work = work,
      .handler = release,
      .errors = release_errors },
    { .method = "POST",
      .path = "/instrument-files/:id/reevaluate",
      .command = "instrument-file reevaluate",
      .operation = "reevaluateInstrumentFile",
      .summary = "Read a file in quarantine again, by today's profiles and records",
      .flags = LIMS_R_TOOL,
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
      .operation = "rejectInstrumentFile",
      .summary = "Not import a file from quarantine, with a reason",
      .description = "Its bytes stay for as long as LimsRejectedFileDays says, its record for "
                     "good; the same bytes sent again are answered with that.",
      .flags = LIMS_R_TOOL | LIMS_R_NO_BODY | LIMS_R_REASON,
      .status = 200,
      .guard = check_reviewer,
      .statement = LIMS_STMT_INSTRUMENT_FILE_REJECT,
      .errors = review_errors },
    { .method = "POST",
      .path = "/instrument-files/:id/reopen",
      .command = "instrument-file reopen",
      .operation = "reopenInstrumentFile",
      .summary = "Put a rejected file back into quarantine, with a reason",
      .flags = LIMS_R_TOOL | LIMS_R_NO_BODY | LIMS_R_REASON,
      .status = 200,
      .guard = check_reviewer,
      .statement = LIMS_STMT_INSTRUMENT_FILE_REOPEN,
      .errors = review_errors },
    LIMS_ROUTE_END,
};

static const lims_route_t no_routes[] = { LIMS_ROUTE_END };

static const lims_resource_t file_row = {
    .name = "row of an instrument file",
    .title = "Instrument files",
    .schema = "InstrumentFileRow",
    .doc = "Where a result stands in its file.",
    .fields = row_fields,
    .routes = no_routes,
};

const lims_resource_t lims_instrument_file = {
    .name = "instrument file",
    .title = "Instrument files",
    .schema = "InstrumentFile",
    .doc = "A file that an instrument sent, and what became of it.",
    .fields = fields,
    .routes = routes,
    .record = LIMS_STMT_INSTRUMENT_FILE_GET,
    .lock = LIMS_STMT_INSTRUMENT_FILE_LOCK,
    .nested = "results",
    .nested_resource = &file_row,
    .nested_statement = LIMS_STMT_INSTRUMENT_FILE_ROWS,
};
