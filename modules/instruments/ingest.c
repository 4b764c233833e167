/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ingest.c - instrument files sent to be imported: each is imported as a whole,
 * or quarantined with every reason why.
 *
 * The bytes are committed before the file is read, so that an acknowledged
 * file, and one whose reading was interrupted, is never lost: sending the same
 * bytes again resumes it, and so does a job (resume.c).
 */
#include <apr_strings.h>
#include <string.h>

#include "instruments/import.h"
#include "instruments/instruments.h"
#include "kernel/error.h"
#include "kernel/field.h"
#include "kernel/record.h"
#include "kernel/utf8.h"
#include "service/content.h"
#include "service/service.h"

#define NAME_MAX 255
#define CONTENT_MAX (96 * 1024 * 1024)

static const char *const statuses[] = { "imported", "quarantined", NULL };
static const char *const severities[] = { "blocking", "note", NULL };

enum { SHOWN = LIMS_F_OUT, PERHAPS = LIMS_F_OUT | LIMS_F_NULLABLE };

/* clang-format off */
#define HOW_FIELDS                                                                                 \
    { .name = "profile",                                                                           \
      .type = LIMS_T_STRING,                                                                       \
      .min = 1,                                                                                    \
      .max = 64,                                                                                   \
      .doc = "Code of the profile to read the file by. Without it, the profile that matches the "  \
             "file.",                                                                              \
      .example = "cedex-bio-ht" },                                                                 \
    { .name = "dryRun",                                                                            \
      .type = LIMS_T_BOOLEAN,                                                                      \
      .fallback = "false",                                                                         \
      .doc = "Whether to do everything, answer, and roll back: nothing is kept. Not allowed with " \
             "an upload-only key." },                                                              \
    { .name = "again",                                                                             \
      .type = LIMS_T_BOOLEAN,                                                                      \
      .fallback = "false",                                                                         \
      .doc = "Whether to read bytes that were received before and are in quarantine once more, "   \
             "by today's profiles and records. A file that was imported or rejected stays so." }
/* clang-format on */

static const lims_field_t input[] = {
    { .name = "fileName",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_REQUIRED,
      .min = 1,
      .max = NAME_MAX,
      .doc = "Name of the file, such as run42.csv.",
      .example = "run42.csv" },
    { .name = "content",
      .type = LIMS_T_STRING,
      .max = CONTENT_MAX,
      .doc = "Content of a file that is text in UTF-8; or use contentBase64.",
      .example = "Sample;NO3\nLAB-26-0004217-K;7.10\n" },
    { .name = "contentBase64",
      .type = LIMS_T_STRING,
      .max = CONTENT_MAX,
      .doc = "Bytes of any file, in base64 without line breaks; or use content." },
    HOW_FIELDS,
    LIMS_FIELD_END,
};

static const lims_field_t form[] = {
    { .name = "file",
      .type = LIMS_T_FILE,
      .flags = LIMS_F_REQUIRED,
      .doc = "The instrument file, unchanged." },
    HOW_FIELDS,
    LIMS_FIELD_END,
};

static const lims_field_t count_fields[] = {
    { .name = "rows",
      .type = LIMS_T_INTEGER,
      .flags = SHOWN,
      .doc = "Number of rows in the file's tables." },
    { .name = "results",
      .type = LIMS_T_INTEGER,
      .flags = SHOWN,
      .doc = "Number of sample results that were read." },
    { .name = "controls",
      .type = LIMS_T_INTEGER,
      .flags = SHOWN,
      .doc = "Number of control values that were read. They make a QC batch that covers the file's "
             "tests." },
    { .name = "skipped",
      .type = LIMS_T_INTEGER,
      .flags = SHOWN,
      .doc = "Number of rows and values left out because the profile says so." },
    { .name = "written",
      .type = LIMS_T_INTEGER,
      .flags = SHOWN,
      .doc = "Number of results that were entered." },
    LIMS_FIELD_END,
};

static const lims_field_t reason_fields[] = {
    { .name = "code",
      .type = LIMS_T_STRING,
      .flags = SHOWN,
      .doc = "Code of the reason, for programs.",
      .example = "unknown_tracking_id" },
    { .name = "severity",
      .type = LIMS_T_ENUM,
      .values = severities,
      .flags = SHOWN,
      .doc =
          "Severity of the reason: blocking keeps the file from being imported, note does not." },
    { .name = "message",
      .type = LIMS_T_STRING,
      .flags = PERHAPS,
      .doc = "Explanation for people. Its wording may change." },
    { .name = "sheet",
      .type = LIMS_T_STRING,
      .flags = PERHAPS,
      .doc = "Name of the workbook's sheet; null for other files." },
    { .name = "row",
      .type = LIMS_T_INTEGER,
      .flags = PERHAPS,
      .doc = "Number of the row or line, counted from 1; null where the reason is about the whole "
             "file." },
    { .name = "column",
      .type = LIMS_T_INTEGER,
      .flags = PERHAPS,
      .doc =
          "Number of the column, counted from 1; null where the reason is about the whole row." },
    { .name = "excludable",
      .type = LIMS_T_BOOLEAN,
      .flags = SHOWN,
      .doc = "Whether a person can leave out the value or the row that the reason is about, with "
             "which the reason goes; false where it is about a control, a table or the file." },
    { .name = "cell",
      .type = LIMS_T_STRING,
      .flags = PERHAPS,
      .doc = "Text of the cell, exactly as in the file." },
    { .name = "expected",
      .type = LIMS_T_STRING,
      .flags = PERHAPS,
      .doc = "Expected text or value." },
    LIMS_FIELD_END,
};

static const lims_field_t result_fields[] = {
    { .name = "row",
      .type = LIMS_T_INTEGER,
      .flags = SHOWN,
      .doc = "Number of the row or line in the file, counted from 1." },
    { .name = "sampleTestId", .type = LIMS_T_ID, .flags = SHOWN, .doc = "Id of the sample test." },
    { .name = "trackingId",
      .type = LIMS_T_STRING,
      .flags = PERHAPS,
      .doc = "Tracking id of the sample." },
    { .name = "testCode",
      .type = LIMS_T_STRING,
      .flags = PERHAPS,
      .doc = "Code of the test definition." },
    { .name = "result",
      .type = LIMS_T_STRING,
      .flags = PERHAPS,
      .doc = "Result as it was entered." },
    { .name = "unit",
      .type = LIMS_T_STRING,
      .flags = PERHAPS,
      .doc = "Unit of the result, as in the file." },
    { .name = "qualifier",
      .type = LIMS_T_STRING,
      .flags = PERHAPS,
      .doc = "Qualifier of the result, as in the file; null if it has none." },
    LIMS_FIELD_END,
};

static const lims_field_t output[] = {
    { .name = "id",
      .type = LIMS_T_ID,
      .flags = PERHAPS,
      .doc = "Id of the instrument file that was kept; null for a dry run.",
      .example = "812" },
    { .name = "fileName",
      .type = LIMS_T_STRING,
      .flags = SHOWN,
      .doc = "Name of the file when it was first received." },
    { .name = "sha256",
      .type = LIMS_T_STRING,
      .flags = SHOWN,
      .doc = "SHA-256 of the file's bytes, hexadecimal. An organization has each file only once." },
    { .name = "status",
      .type = LIMS_T_ENUM,
      .values = statuses,
      .flags = SHOWN,
      .doc = "Status of the file: imported with all of its results, or quarantined for a person to "
             "decide." },
    { .name = "duplicate",
      .type = LIMS_T_BOOLEAN,
      .flags = SHOWN,
      .doc = "Whether the same bytes had been received before, or the same results for the same "
             "tests, which still stand: nothing was entered again." },
    { .name = "duplicateOf",
      .type = LIMS_T_ID,
      .flags = PERHAPS,
      .doc = "Id of the earlier file that had the same results in other bytes; null if there is "
             "none." },
    { .name = "dryRun",
      .type = LIMS_T_BOOLEAN,
      .flags = SHOWN,
      .doc = "Whether this was a dry run, of which nothing was kept." },
    { .name = "profile",
      .type = LIMS_T_STRING,
      .flags = PERHAPS,
      .doc = "Code of the profile by which the file was read; null if none matched." },
    { .name = "profileVersion",
      .type = LIMS_T_INTEGER,
      .flags = PERHAPS,
      .doc = "Version of the profile by which the file was read." },
    { .name = "counts",
      .type = LIMS_T_OBJECT,
      .members = count_fields,
      .flags = SHOWN,
      .doc = "Numbers of rows, results and controls that were read and entered." },
    { .name = "reasons",
      .type = LIMS_T_OBJECT_LIST,
      .members = reason_fields,
      .flags = SHOWN,
      .doc = "Every reason and note about the file, at most 500 of each code. An upload-only key "
             "sees each code once, without its place, and unknown_tracking_id for every reason why "
             "a sample cannot take its result." },
    { .name = "results",
      .type = LIMS_T_OBJECT_LIST,
      .members = result_fields,
      .flags = SHOWN,
      .doc = "Results that were entered, or of a dry run would be; empty for an upload-only key." },
    LIMS_FIELD_END,
};

/* --- What came ------------------------------------------------------------ */

static const lims_error_t *read_json(const char **bytes, apr_size_t *length, lims_request_t *rq)
{
    if (!lims_values_get(rq->values, "content") == !lims_values_get(rq->values, "contentBase64")) {
        return lims_client_error(rq->pool, LIMS_E_INVALID_BODY,
                                 "The file comes as content or as contentBase64: one of the two.");
    }
    return lims_content_read(bytes, length, rq);
}

static const lims_error_t *read_form(const char **name, const char **bytes, apr_size_t *length,
                                     lims_request_t *rq)
{
    *name = rq->file->name;
    *bytes = rq->file->bytes;
    *length = rq->file->length;
    if (!**name || lims_utf8_length(*name, strlen(*name)) > NAME_MAX) {
        return lims_client_error(rq->pool, LIMS_E_INVALID_BODY,
                                 "The file's name must have 1 to %d characters.", NAME_MAX);
    }
    return NULL;
}

static const lims_error_t *check(lims_request_t *rq)
{
    const char *name = lims_values_get(rq->values, "fileName");
    const char *bytes = NULL;
    apr_size_t length = 0;
    const lims_error_t *error =
        rq->file ? read_form(&name, &bytes, &length, rq) : read_json(&bytes, &length, rq);

    if (error) {
        return error;
    }
    if (length > rq->settings->file_max) {
        return lims_client_error(rq->pool, LIMS_E_PAYLOAD_TOO_LARGE,
                                 "The file may have at most %" APR_SIZE_T_FMT " bytes (%.4g MB).",
                                 rq->settings->file_max,
                                 (double)rq->settings->file_max / (1024 * 1024));
    }
    rq->roll_back = *lims_values_get(rq->values, "dryRun") == 't';
    rq->staged =
        lims_import_create(name, bytes, length, lims_values_get(rq->values, "profile"), rq->pool);
    return rq->staged ? NULL : lims_no_digest(rq->pool);
}

/* --- The answer ----------------------------------------------------------- */

static const char *cell(void *row, const char *name)
{
    return lims_result_get(row, 0, name);
}

static const lims_error_t *answer(lims_request_t *rq, const lims_import_t *import, bool duplicate)
{
    lims_values_t *values = lims_values_create(rq->pool);
    const lims_call_t call = { .statement = LIMS_STMT_INGEST_ANSWER, .values = values };
    lims_writer_t *w = lims_writer_create(rq->pool);
    lims_result_t *row = NULL;
    const lims_error_t *error;

    lims_values_set(values, "fileId", import->id);
    lims_values_set(values, "dryRun", rq->roll_back ? "t" : "f");
    lims_values_set(values, "duplicate", duplicate ? "t" : "f");
    lims_values_set(values, "bare", rq->actor.upload_only ? "t" : "f");
    error = lims_database_run(&row, rq, &call, 1, 0);
    if (error) {
        return error;
    }
    lims_writer_object_begin(w);
    lims_record_write(w, output, cell, row);
    lims_writer_object_end(w);
    lims_render_finish(rq, w);
    rq->reply->status = rq->roll_back || lims_result_true(row, 0, "duplicate") ? 200
                        : strcmp(import->status, "quarantined") == 0           ? 202
                                                                               : 201;
    return NULL;
}

/* --- The steps ------------------------------------------------------------ */

static bool is(const char *status, const lims_import_t *import)
{
    return import->status && strcmp(import->status, status) == 0;
}

/* Whether the file has to be read: a quarantined one only on request (`again`),
 * or in a dry run. */
static bool is_open(const lims_import_t *import, const lims_request_t *rq)
{
    bool again = *lims_values_get(rq->values, "again") == 't';

    return is("received", import) || (is("quarantined", import) && (again || rq->roll_back));
}

/* Commits the bytes with status received, before they are read; bytes with a
 * decision are answered with it. */
static const lims_error_t *prepare(lims_request_t *rq)
{
    lims_import_t *import = rq->staged;
    const lims_error_t *error;

    if (rq->actor.upload_only && rq->roll_back) {
        return lims_client_error(
            rq->pool, LIMS_E_UPLOAD_ONLY_KEY,
            "This key may deliver files, but not try without leaving a trace what "
            "would become of one.");
    }
    import->id = import->status = NULL;
    error = lims_import_find(import, rq);
    if (!error && !import->id && !rq->roll_back) {
        error = lims_import_store(import, rq, rq->values);
    }
    return error || !import->id || is_open(import, rq) ? error : answer(rq, import, true);
}

static const lims_error_t *work(lims_request_t *rq)
{
    lims_import_read(rq->staged);
    return NULL;
}

/* A dry run stores the bytes too, and rolls back. */
static const lims_error_t *act(lims_request_t *rq)
{
    lims_import_t import = *(lims_import_t *)rq->staged;
    const lims_error_t *error = NULL;

    if (!import.id) {
        error = lims_import_store(&import, rq, rq->values);
    }
    if (!error) {
        /* Another process has decided about the file meanwhile: its status is
         * no longer received. */
        error = lims_import_decide(&import, rq, is_open(&import, rq) ? import.status : "received",
                                   NULL, NULL);
    }
    return error ? error : answer(rq, &import, !import.decided);
}

/* --- Routes --------------------------------------------------------------- */

static const int also[] = { 200, 202, 0 };
static const lims_error_e errors[] = { LIMS_E_UPLOAD_ONLY_KEY, LIMS_E_FILE_STORAGE_EXCEEDED,
                                       LIMS_E_COUNT };

static const lims_route_t routes[] = {
    { .method = "POST",
      .path = "/instrument-ingest",
      .surfaces = LIMS_SURFACES_HTTP,
      .operation = "ingestInstrumentFile",
      .summary = "Import an instrument file, or keep it for review",
      .description =
          "The file is kept byte for byte and read by a profile of the laboratory. Its results are "
          "entered in one transaction behind the same gates as results entered by hand: either all "
          "of them (201), or none, with every reason listed (202). Bytes that were received before "
          "are answered with the state of their file (200); a quarantined file is read again on "
          "request (again) and by a dry run, which are answered with 200 too. The storage for the "
          "files of one key is limited: a file beyond it is refused and not kept.",
      .scope = "instruments:write",
      .permission = "file.import",
      .flags = LIMS_R_NO_RECORD | LIMS_R_UPLOAD_KEY | LIMS_R_FILE | LIMS_R_QUEUED,
      .input = input,
      .form = form,
      .output = output,
      .status = 201,
      .also = also,
      .check = check,
      .prepare = prepare,
      .work = work,
      .handler = act,
      .errors = errors },
    LIMS_ROUTE_END,
};

const lims_resource_t lims_ingest = {
    .name = "instrument file",
    .title = "Instrument files",
    .schema = "InstrumentIngest",
    .doc = "Instrument files sent to be imported.",
    .routes = routes,
};
