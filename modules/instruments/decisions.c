/* SPDX-License-Identifier: Apache-2.0 */
/*
 * decisions.c - what a quarantined file is released with: the profile, exclusions, aliases,
 * and the tests that values are for. People can decide one by one before the release; each
 * decision is kept with the person and the time (sql/213_file_decisions.sql).
 */
#include "instruments/decisions.h"

#include <stdlib.h>
#include <string.h>

#include "instruments/instruments.h"
#include "kernel/error.h"
#include "kernel/field.h"
#include "kernel/json.h"
#include "kernel/writer.h"
#include "service/service.h"

static const lims_field_t exclude_fields[] = {
    { .name = "sheet", .type = LIMS_T_STRING, .max = 255, .doc = "Name of the workbook's sheet." },
    { .name = "row",
      .type = LIMS_T_INTEGER,
      .min = 1,
      .max = APR_INT32_MAX,
      .doc = "Number of the row or line to leave out, from 1; with further members, only the cells "
             "of that row that fit them." },
    { .name = "column",
      .type = LIMS_T_INTEGER,
      .min = 1,
      .max = LIMS_FILE_COLUMNS_MAX,
      .doc = "Number of the column, counted from 1." },
    { .name = "cell",
      .type = LIMS_T_STRING,
      .min = 2,
      .max = 16,
      .doc = "Row and column together, as in a spreadsheet: D12." },
    { .name = "test",
      .type = LIMS_T_STRING,
      .min = 1,
      .max = 255,
      .doc = "Code of the test definition." },
    { .name = "trackingId",
      .type = LIMS_T_STRING,
      .min = 1,
      .max = 1000,
      .doc = "Sample name to leave out, as the file has it." },
    { .name = "reason",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_REQUIRED,
      .min = 1,
      .doc = "Reason why this is left out." },
    LIMS_FIELD_END,
};

static const lims_field_t alias_fields[] = {
    { .name = "from",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_REQUIRED,
      .min = 1,
      .doc = "Tracking id as the file has it." },
    { .name = "to",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_REQUIRED,
      .min = 1,
      .doc = "Tracking id of the sample that is meant." },
    { .name = "reason",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_REQUIRED,
      .min = 1,
      .doc = "Reason why the tracking id in the file is known to mean this sample." },
    LIMS_FIELD_END,
};

static const lims_field_t test_fields[] = {
    { .name = "row",
      .type = LIMS_T_INTEGER,
      .flags = LIMS_F_REQUIRED,
      .min = 1,
      .max = APR_INT32_MAX,
      .doc = "Number of the row or line, from 1." },
    { .name = "sheet",
      .type = LIMS_T_STRING,
      .max = 255,
      .doc = "Name of the workbook's sheet; required where several sheets have such a row." },
    { .name = "column",
      .type = LIMS_T_INTEGER,
      .min = 1,
      .max = LIMS_FILE_COLUMNS_MAX,
      .doc = "Number of the value's column, counted from 1; required where the row has several "
             "values for the test." },
    { .name = "sampleTestId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_REQUIRED,
      .doc = "Id of the sample test that a value of the row is for: an active one of the sample "
             "and the test that the row names." },
    LIMS_FIELD_END,
};

/* The members of a release that can be decided before it. */
/* clang-format off */
#define DECISIONS                                                                                  \
    { .name = "profile",                                                                           \
      .type = LIMS_T_STRING,                                                                       \
      .min = 1,                                                                                    \
      .max = 64,                                                                                   \
      .doc = "Code of the profile to read the file by." },                                         \
    { .name = "exclude",                                                                           \
      .type = LIMS_T_OBJECT_LIST,                                                                  \
      .members = exclude_fields,                                                                   \
      .max = 1000,                                                                                 \
      .doc = "Parts of the file to leave out: rows, cells, tests of a row, samples. All members "  \
             "of an element have to apply to a value, and each element to at least one. QC "       \
             "controls cannot be left out." },                                                     \
    { .name = "aliases",                                                                           \
      .type = LIMS_T_OBJECT_LIST,                                                                  \
      .flags = LIMS_F_UNIQUE,                                                                      \
      .members = alias_fields,                                                                     \
      .unique = "from",                                                                            \
      .max = 1000,                                                                                 \
      .doc = "Tracking ids to read in place of those in the file." },                              \
    { .name = "tests",                                                                             \
      .type = LIMS_T_OBJECT_LIST,                                                                  \
      .members = test_fields,                                                                      \
      .max = 1000,                                                                                 \
      .doc = "Sample tests that values of rows are for, where a row alone does not say it: of a "  \
             "repeated test, for instance." }
/* clang-format on */

const lims_field_t lims_release_input[] = {
    LIMS_REASON(LIMS_F_CREATE,
                "Reason for the release, kept in the audit trail; a dry run needs none.",
                .example = "the analyst has confirmed the tube"),
    { .name = "dryRun",
      .type = LIMS_T_BOOLEAN,
      .fallback = "false",
      .doc = "Whether only to show the outcome and leave the file as it is." },
    DECISIONS,
    LIMS_FIELD_END,
};

static const lims_field_t decision_fields[] = { DECISIONS, LIMS_FIELD_END };

static const lims_field_t decisions_input[] = {
    { .name = "decisions",
      .type = LIMS_T_OBJECT,
      .flags = LIMS_F_REQUIRED,
      .members = decision_fields,
      .doc = "All decisions, as a release takes them, in place of those that were kept." },
    LIMS_FIELD_END,
};

static const char *const lists[] = { "exclude", "aliases", "tests" };

/* --- A release ------------------------------------------------------------- */

static const char *text_of(const lims_json_t *object, const char *name, const char *otherwise)
{
    const lims_json_t *member = lims_json_member(object, name);

    return member && member->text ? member->text : otherwise;
}

static const lims_error_t *parse_exclusions(lims_import_t *import, const lims_json_t *list)
{
    const lims_error_t *error = NULL;

    import->excluded = apr_array_make(import->pool, 4, sizeof(lims_excluded_t));
    for (const lims_json_t *each = list->first; each && !error; each = each->next) {
        int index = import->excluded->nelts;

        error = lims_exclude_parse(apr_array_push(import->excluded), each, index, import->pool);
    }
    return error;
}

static void parse_aliases(lims_import_t *import, const lims_json_t *list)
{
    apr_array_header_t *names = apr_array_make(import->pool, 4, sizeof(lims_alias_t));

    for (const lims_json_t *each = list->first; each; each = each->next) {
        APR_ARRAY_PUSH(names, lims_alias_t) =
            (lims_alias_t){ .from = text_of(each, "from", ""), .to = text_of(each, "to", "") };
    }
    import->aliases = names;
}

static void parse_tests(lims_import_t *import, const lims_json_t *list, const char *text)
{
    import->tests = text;
    import->named = apr_array_make(import->pool, 4, sizeof(lims_named_t));
    for (const lims_json_t *each = list->first; each; each = each->next) {
        APR_ARRAY_PUSH(import->named, lims_named_t) =
            (lims_named_t){ .sheet = text_of(each, "sheet", NULL),
                            .row = (int)strtol(text_of(each, "row", "0"), NULL, 10),
                            .column = (int)strtol(text_of(each, "column", "0"), NULL, 10) };
    }
}

/* The lists are JSON that was already validated as fields. */
const lims_error_t *lims_decisions_parse(lims_import_t *import, lims_request_t *rq)
{
    const lims_error_t *error = NULL;

    for (apr_size_t i = 0; i < LIMS_LENGTH(lists) && !error; i++) {
        const char *text = lims_values_get(rq->values, lists[i]);
        lims_json_t *list = NULL;

        error = text ? lims_json_parse(&list, text, strlen(text), rq->pool) : NULL;
        if (error || !list) {
            continue;
        }
        if (strcmp(lists[i], "exclude") == 0) {
            error = parse_exclusions(import, list);
        } else if (strcmp(lists[i], "aliases") == 0) {
            parse_aliases(import, list);
        } else {
            parse_tests(import, list, text);
        }
    }
    return error;
}

const lims_error_t *lims_decisions_recall(lims_request_t *rq)
{
    lims_result_t *kept = NULL;
    const lims_error_t *error = lims_database_call(&kept, rq, LIMS_STMT_INSTRUMENT_FILE_DECISIONS);

    if (error || lims_result_count(kept) == 0) {
        return error;
    }
    for (apr_size_t i = 0; i <= LIMS_LENGTH(lists); i++) {
        const char *name = i < LIMS_LENGTH(lists) ? lists[i] : "profile";

        if (!lims_values_get(rq->values, name)) {
            lims_values_set(rq->values, name, lims_result_get(kept, 0, name));
        }
    }
    return NULL;
}

const char *lims_decisions_text(lims_request_t *rq)
{
    const char *profile = lims_values_get(rq->values, "profile");
    lims_writer_t *w = lims_writer_create(rq->pool);
    apr_size_t length = 0;

    lims_writer_object_begin(w);
    if (profile) {
        lims_writer_key(w, "profile");
        lims_writer_string(w, profile);
    }
    for (apr_size_t i = 0; i < LIMS_LENGTH(lists); i++) {
        const char *list = lims_values_get(rq->values, lists[i]);

        if (list) {
            lims_writer_key(w, lists[i]);
            lims_writer_raw(w, list);
        }
    }
    lims_writer_object_end(w);
    return lims_writer_finish(&length, w);
}

/* Whether the value that a reason is about was read: one without a mean, or of a replicate
 * without a test, was not. */
static bool is_read(const lims_import_t *import, const lims_reason_t *reason)
{
    const apr_array_header_t *readings = import->readings->readings;

    for (int i = 0; reason->value_row && i < readings->nelts; i++) {
        const lims_reading_t *reading = &APR_ARRAY_IDX(readings, i, lims_reading_t);

        if (reading->record == reason->record && reading->row == reason->value_row &&
            reading->column == reason->value_column && reason->test &&
            strcmp(reading->test_code, reason->test) == 0) {
            return true;
        }
    }
    return false;
}

/* Whether a test is named for the value that a reason is about. */
static bool is_named(const lims_named_t *named, const lims_reason_t *reason)
{
    return named->row == reason->row &&
           (!named->sheet || strcmp(named->sheet, reason->sheet ? reason->sheet : "") == 0) &&
           (!named->column || named->column == reason->value_column);
}

/* Several values of a row for one test are repetitions, once it is said which test each is
 * for: the database looks at them again, and refuses a name that several values fit. */
static bool is_settled(const lims_import_t *import, const lims_reason_t *reason)
{
    bool repeated = (reason->code == LIMS_REASON_DUPLICATE_ROW ||
                     reason->code == LIMS_REASON_REPLICATE_UNRESOLVED) &&
                    is_read(import, reason);

    for (int i = 0; repeated && i < import->named->nelts; i++) {
        if (is_named(&APR_ARRAY_IDX(import->named, i, lims_named_t), reason)) {
            return true;
        }
    }
    return false;
}

void lims_decisions_settle(lims_import_t *import)
{
    lims_reasons_t *reasons = import->readings->reasons;
    int kept = 0;

    for (int i = 0; i < reasons->list->nelts; i++) {
        const lims_reason_t reason = APR_ARRAY_IDX(reasons->list, i, lims_reason_t);

        if (is_settled(import, &reason)) {
            reasons->count--;
            reasons->blocking -= reason.blocking ? 1 : 0;
        } else {
            APR_ARRAY_IDX(reasons->list, kept++, lims_reason_t) = reason;
        }
    }
    reasons->list->nelts = kept;
}

/* --- Before the release ---------------------------------------------------- */

static const lims_error_e errors[] = { LIMS_E_INVALID_TRANSITION, LIMS_E_COUNT };

static const lims_route_t routes[] = {
    { .method = "PATCH",
      .path = "/instrument-files/:id",
      .command = "instrument-file decide",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "decideInstrumentFile",
      .summary = "Keep decisions about a quarantined file, for its release",
      .description = "The decisions replace those that were kept; one that was there already keeps "
                     "its person and its time. A release uses them, but for the members that it "
                     "has itself.",
      .permission = "file.review",
      .input = decisions_input,
      .status = 200,
      .statement = LIMS_STMT_INSTRUMENT_FILE_DECIDE,
      .errors = errors },
    LIMS_ROUTE_END,
};

const lims_resource_t lims_file_decisions = {
    .name = "instrument file",
    .title = "Instrument files",
    .schema = "InstrumentFile",
    .doc = "File that an instrument sent: decisions for its release.",
    .fields = lims_instrument_file_fields,
    .routes = routes,
    .record = LIMS_STMT_INSTRUMENT_FILE_GET,
    .lock = LIMS_STMT_INSTRUMENT_FILE_LOCK,
    .nested = "results",
    .nested_resource = &lims_instrument_file_row,
    .nested_statement = LIMS_STMT_INSTRUMENT_FILE_ROWS,
};
