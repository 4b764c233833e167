/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profile_trial.c - a profile is tried on a file before files are read by it: what it
 * reads, each reason, and the cells as it divides the file. Nothing is kept.
 */
#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

#include "instruments/cells.h"
#include "instruments/import.h"
#include "instruments/instruments.h"
#include "kernel/error.h"
#include "kernel/field.h"
#include "profiles/match.h"
#include "service/content.h"
#include "service/service.h"

static const lims_field_t trial_input[] = {
    { .name = "fileName",
      .type = LIMS_T_STRING,
      .min = 1,
      .max = 255,
      .fallback = "file",
      .doc = "Name of the file, such as run42.csv." },
    { .name = "content",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_FILE,
      .max = 64 * 1024 * 1024,
      .doc = "Content of a file that is text in UTF-8: `--content @run42.csv`." },
    { .name = "contentBase64",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_FILE64,
      .max = 96 * 1024 * 1024,
      .doc = "Content of any file: `--content-base64 @run42.xlsx`, or its bytes in base64 without "
             "line breaks." },
    { .name = "fileId",
      .type = LIMS_T_ID,
      .doc = "Id of an instrument file that the service has kept." },
    { .name = "gridRows",
      .type = LIMS_T_INTEGER,
      .min = 0,
      .max = LIMS_CELLS_ROWS_MAX,
      .fallback = "0",
      .doc = "Number of rows of each sheet to show beside the readings." },
    { .name = "gridFrom",
      .type = LIMS_T_INTEGER,
      .min = 1,
      .max = LIMS_FILE_ROWS_MAX,
      .fallback = "1",
      .doc = "Number of the first row to show." },
    { .name = "gridSheet",
      .type = LIMS_T_STRING,
      .max = 255,
      .doc = "Name of the sheet to show; without it, every sheet that is not hidden." },
    LIMS_FIELD_END,
};

static const lims_field_t trial_counts[] = {
    { .name = "rows",
      .type = LIMS_T_INTEGER,
      .flags = LIMS_F_OUT,
      .doc = "Number of rows that were read." },
    { .name = "results",
      .type = LIMS_T_INTEGER,
      .flags = LIMS_F_OUT,
      .doc = "Number of results of samples." },
    { .name = "controls",
      .type = LIMS_T_INTEGER,
      .flags = LIMS_F_OUT,
      .doc = "Number of results of QC controls." },
    { .name = "skipped",
      .type = LIMS_T_INTEGER,
      .flags = LIMS_F_OUT,
      .doc = "Number of rows that the profile leaves out." },
    LIMS_FIELD_END,
};

/* The first five are there where the profile fits the file. */
static const lims_field_t trial_output[] = {
    { .name = "profileId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT | LIMS_F_OPTIONAL,
      .doc = "Id of the profile, absent where it does not fit the file." },
    { .name = "profileName",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_OPTIONAL,
      .doc = "Name of the profile, absent where it does not fit the file." },
    { .name = "timeZone",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_OPTIONAL,
      .doc = "Time zone of times that do not state theirs, absent where the profile has none: the "
             "organization's." },
    { .name = "doubledHour",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_OPTIONAL,
      .doc = "The profile's choice between the two instants that a time can mean when clocks are "
             "set back, absent where the profile does not fit the file." },
    { .name = "policy",
      .type = LIMS_T_JSON,
      .flags = LIMS_F_OUT | LIMS_F_OPTIONAL,
      .doc = "Rules of the profile for writing results, absent where it does not fit the file." },
    { .name = "counts",
      .type = LIMS_T_JSON,
      .flags = LIMS_F_OUT,
      .members = trial_counts,
      .doc = "Number of rows by what they are." },
    { .name = "blocking",
      .type = LIMS_T_INTEGER,
      .flags = LIMS_F_OUT,
      .doc = "Number of reasons for which the file would not be imported." },
    { .name = "reasons",
      .type = LIMS_T_JSON,
      .flags = LIMS_F_OUT,
      .doc = "Reasons, each with code, severity, message and its place in the file." },
    { .name = "readings",
      .type = LIMS_T_JSON,
      .flags = LIMS_F_OUT,
      .doc = "Readings, each with its place in the file and what it says." },
    { .name = "controls",
      .type = LIMS_T_JSON,
      .flags = LIMS_F_OUT,
      .doc = "Kinds of QC controls that the readings refer to by their index." },
    { .name = "sheets",
      .type = LIMS_T_OBJECT_LIST,
      .flags = LIMS_F_OUT | LIMS_F_OPTIONAL,
      .members = lims_sheet_fields,
      .doc = "Sheets of the file as the profile divides it into cells, absent where `gridRows` is "
             "0." },
    LIMS_FIELD_END,
};

/* --- Trying --------------------------------------------------------------- */

static int number_of(const lims_request_t *rq, const char *name)
{
    return (int)strtol(lims_values_get(rq->values, name), NULL, 10);
}

/* Gets the file to test, from the request or from the stored files. */
static const lims_error_t *read_file(lims_import_t **import, lims_request_t *rq)
{
    const char *name = lims_values_get(rq->values, "fileName");
    const char *id = lims_values_get(rq->values, "fileId");
    int given = !!lims_values_get(rq->values, "content") +
                !!lims_values_get(rq->values, "contentBase64") + !!id;
    const char *bytes = NULL;
    apr_size_t length = 0;
    const lims_error_t *error;

    if (given != 1) {
        return lims_client_error(
            rq->pool, LIMS_E_INVALID_BODY,
            "The file comes as content, as contentBase64 or as fileId: one of them.");
    }
    error = lims_content_read(&bytes, &length, rq);
    if (error) {
        return error;
    }
    *import = lims_import_create(name, bytes, length, NULL, rq->pool);
    if (!*import) {
        return lims_no_digest(rq->pool);
    }
    return id ? lims_import_load(*import, rq, id) : NULL;
}

/* A trial on its way from the first transaction to the second one. */
typedef struct {
    lims_import_t *import;
    const lims_profile_t *profile;
} trial_t;

/* Keeps nothing, nor its answer, which may be as long as the file. */
static const lims_error_t *check_trial(lims_request_t *rq)
{
    rq->roll_back = true;
    rq->staged = apr_pcalloc(rq->pool, sizeof(trial_t));
    return NULL;
}

static const lims_error_t *prepare_trial(lims_request_t *rq)
{
    trial_t *trial = rq->staged;
    const char *id = lims_values_get(rq->values, "id");
    const lims_profile_t *parsed = NULL;
    lims_profile_t *profile;
    lims_result_t *row = NULL;
    const char *text;
    const lims_error_t *error = lims_database_call(&row, rq, LIMS_STMT_PROFILE_GET);

    if (!error && lims_result_count(row) == 0) {
        error = lims_client_error(rq->pool, LIMS_E_NOT_FOUND,
                                  "There is no profile %s in your organization.", id);
    }
    if (error) {
        return error;
    }
    text = lims_result_get(row, 0, "definition");
    error = lims_profile_parse(&parsed, text, strlen(text), rq->pool);
    if (!error) {
        error = read_file(&trial->import, rq);
    }
    if (error) {
        return error;
    }
    profile = apr_pmemdup(rq->pool, parsed, sizeof(*parsed));
    profile->id = id;
    trial->profile = profile;
    trial->import->asked = NULL;
    trial->import->profiles = apr_array_make(rq->pool, 1, sizeof(const lims_profile_t *));
    APR_ARRAY_PUSH(trial->import->profiles, const lims_profile_t *) = profile;
    return NULL;
}

/* The cells as the profile divides the file into them. */
static const char *cells(lims_request_t *rq, const trial_t *trial)
{
    const lims_cells_t which = { .sheet = lims_values_get(rq->values, "gridSheet"),
                                 .from = number_of(rq, "gridFrom"),
                                 .rows = number_of(rq, "gridRows") };
    lims_writer_t *w = lims_writer_create(rq->pool);
    const lims_document_t *document;
    apr_size_t length = 0;

    if (which.rows == 0) {
        return NULL;
    }
    document = lims_profile_document(trial->profile, trial->import->bytes, trial->import->length,
                                     lims_reasons_create(rq->pool), rq->pool);
    lims_cells_write(w, document, &which);
    return lims_writer_finish(&length, w);
}

/* Reading may take seconds, during which nothing is held. */
static const lims_error_t *work_on_trial(lims_request_t *rq)
{
    trial_t *trial = rq->staged;

    lims_import_read(trial->import);
    trial->import->sheets = cells(rq, trial);
    return NULL;
}

/* Answers with the document of the import that nothing was decided about. */
static const lims_error_t *show_trial(lims_request_t *rq)
{
    const trial_t *trial = rq->staged;
    const char *text = lims_import_document(trial->import, 0, rq->pool);

    rq->reply->body = text;
    rq->reply->length = text ? strlen(text) : 0;
    return NULL;
}

/* --- The route ------------------------------------------------------------ */

static const lims_error_e trial_errors[] = { LIMS_E_INVALID_BODY, LIMS_E_COUNT };

static const lims_route_t trial_routes[] = {
    { .method = "POST",
      .path = "/instrument-profiles/:id/test",
      .command = "profile test",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "testInstrumentProfile",
      .summary = "Test a profile on a file: show what it reads, and keep nothing",
      .description = "The answer has the readings, each with its place, and every reason why the "
                     "file would not be imported. Whether its samples and tests exist is not "
                     "checked: instrument-file reevaluate does that.",
      .permission = "profile.manage",
      .flags = LIMS_R_NO_RECORD | LIMS_R_DOCUMENT | LIMS_R_FILE,
      .input = trial_input,
      .output = trial_output,
      .status = 200,
      .check = check_trial,
      .prepare = prepare_trial,
      .work = work_on_trial,
      .handler = show_trial,
      .errors = trial_errors },
    LIMS_ROUTE_END,
};

const lims_resource_t lims_profile_trial = {
    .name = "profile",
    .title = "Profiles",
    .schema = "InstrumentProfileTrial",
    .doc = "Test of a profile on a file.",
    .routes = trial_routes,
    .lock = LIMS_STMT_PROFILE_LOCK,
};
