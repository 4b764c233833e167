/* SPDX-License-Identifier: Apache-2.0 */
/*
 * worksheets.c - method worksheets.
 *
 * A worksheet belongs to one sample test. Its values are entered, then its
 * steps are signed one by one. A value can be corrected only after the
 * sign-offs were withdrawn; nothing can be changed once the result is verified.
 */
#include <apr_strings.h>
#include <string.h>

#include "documents/pdf_report.h"
#include "kernel/error.h"
#include "kernel/field.h"
#include "kernel/vocabulary.h"
#include "quality/quality.h"
#include "service/csv.h"
#include "service/service.h"

static const char *const meanings[] = { "performed", "reviewed", "witnessed", NULL };

static const lims_field_t value_shape[] = {
    { .name = "field", .type = LIMS_T_STRING, .flags = LIMS_F_OUT, .doc = "Name of the field." },
    { .name = "label",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Label of the field, as printed." },
    { .name = "value",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Value of the field; null until it is entered or, of a computed field, as long as "
             "it has none. Of a lot or an instrument the code." },
    { .name = "unit",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Unit of the value." },
    { .name = "kind",
      .type = LIMS_T_ENUM,
      .values = lims_worksheet_kinds,
      .flags = LIMS_F_OUT,
      .doc = "Kind of the value." },
    { .name = "required",
      .type = LIMS_T_BOOLEAN,
      .flags = LIMS_F_OUT,
      .doc = "Whether the worksheet is incomplete without it." },
    { .name = "formula",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Formula of a computed field; null for any other." },
    { .name = "problem",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Reason why a computed field has no value: what it needs, or that it divides by "
             "zero." },
    { .name = "enteredBy",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Id of the user who entered the value; null for a computed one." },
    LIMS_FIELD_END,
};

static const lims_field_t signoff_shape[] = {
    { .name = "step", .type = LIMS_T_STRING, .flags = LIMS_F_OUT, .doc = "Name of the step." },
    { .name = "meaning",
      .type = LIMS_T_ENUM,
      .values = meanings,
      .flags = LIMS_F_OUT,
      .doc = "Meaning of the signature (21 CFR 11.50)." },
    { .name = "printedName",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Name of the signer, as printed." },
    { .name = "signedBy",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT,
      .doc = "Id of the user who signed." },
    { .name = "signedAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = LIMS_F_OUT,
      .doc = "When the step was signed, UTC." },
    LIMS_FIELD_END,
};

static const lims_field_t fields[] = {
    { .name = "id",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT,
      .doc = "Id of the worksheet, assigned by the service; also its cursor value." },
    { .name = "sampleTestId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT,
      .doc = "Id of the sample test that the worksheet belongs to." },
    { .name = "trackingId",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Tracking id of its sample.",
      .example = "LAB-26-0004217-K" },
    { .name = "testCode", .type = LIMS_T_STRING, .flags = LIMS_F_OUT, .doc = "Code of the test." },
    { .name = "templateId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT,
      .doc = "Id of the template version that the worksheet was begun on." },
    { .name = "templateName",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Name of this template." },
    { .name = "contentHash",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_UNTAGGED,
      .doc = "Digest of what a signature would cover now." },
    { .name = "status",
      .type = LIMS_T_ENUM,
      .values = lims_worksheet_statuses,
      .flags = LIMS_F_OUT,
      .doc = "Status of the worksheet. complete: every required value is entered and every step is "
             "signed." },
    { .name = "missing",
      .type = LIMS_T_STRING_LIST,
      .flags = LIMS_F_OUT,
      .doc = "Names of required fields without a value, of computed ones as well." },
    { .name = "needsSignoff",
      .type = LIMS_T_STRING_LIST,
      .flags = LIMS_F_OUT,
      .doc = "Names of steps that are not signed, the next one first." },
    { .name = "values",
      .type = LIMS_T_OBJECT_LIST,
      .flags = LIMS_F_OUT,
      .members = value_shape,
      .doc = "Fields of the template with their values." },
    { .name = "signOffs",
      .type = LIMS_T_OBJECT_LIST,
      .flags = LIMS_F_OUT,
      .members = signoff_shape,
      .doc = "Signatures that are in force." },
    { .name = "createdBy",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Id of the user who began the worksheet." },
    { .name = "createdAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = LIMS_F_OUT,
      .doc = "When the worksheet was begun, UTC." },
    { .name = "updatedAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = LIMS_F_OUT,
      .doc = "When the record was last changed, UTC." },
    LIMS_FIELD_END,
};

static const lims_field_t filters[] = {
    LIMS_PAGING_FIELDS,
    { .name = "sampleTestId", .type = LIMS_T_ID, .doc = "Only the worksheet of this sample test." },
    { .name = "templateId", .type = LIMS_T_ID, .doc = "Only worksheets on this template." },
    LIMS_FIELD_END,
};

static const lims_field_t value_input[] = {
    { .name = "field",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_REQUIRED,
      .max = 64,
      .doc = "Name of a field of the template.",
      .example = "initialVolume" },
    { .name = "value",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_REQUIRED | LIMS_F_NULLABLE,
      .max = 1000,
      .doc = "Value of the field, of the kind that the template says; null clears it. A computed "
             "field takes none.",
      .example = "1000" },
    { .name = "was",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_NULLABLE,
      .max = 1000,
      .doc = "Value of the field as it was read, null: none. If another stands there now, nothing "
             "is entered: 412.",
      .example = "998" },
    LIMS_FIELD_END,
};

static const lims_field_t fill_input[] = {
    { .name = "sampleTestId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_REQUIRED,
      .doc = "Id of the sample test.",
      .example = "90211" },
    { .name = "values",
      .type = LIMS_T_OBJECT_LIST,
      .flags = LIMS_F_REQUIRED | LIMS_F_UNIQUE,
      .max = 200,
      .members = value_input,
      .unique = "field",
      .doc = "Values to enter, each field once; fields that are not named stay as they are." },
    LIMS_FIELD_END,
};

static const lims_field_t signoff_input[] = {
    { .name = "step",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_REQUIRED,
      .max = 64,
      .doc = "Name of the step; steps are signed in their order.",
      .example = "Analyst" },
    { .name = "meaning",
      .type = LIMS_T_ENUM,
      .values = meanings,
      .flags = LIMS_F_REQUIRED,
      .doc = "Meaning of the signature, such as \"performed\" or \"reviewed\"." },
    LIMS_FIELD_END,
};

/* --- Actions -------------------------------------------------------------- */

/* Types of a field's values, by the kind of the field. The values of other kinds are looked up
 * in the database, which refuses what it does not know. */
static const struct {
    const char *kind;
    lims_type_e type;
} value_types[] = {
    { "text", LIMS_T_STRING },         { "number", LIMS_T_DECIMAL },  { "date", LIMS_T_DATE },
    { "timestamp", LIMS_T_TIMESTAMP }, { "boolean", LIMS_T_BOOLEAN },
};

/* A blank value clears the field, whatever its kind. */
static const lims_error_t *check_value(const char *name, const char *kind, const char *value,
                                       apr_pool_t *pool)
{
    lims_field_t field = { .name = name, .type = LIMS_T_STRING, .max = 1000 };

    if (!value || value[strspn(value, " \t\r\n")] == '\0') {
        return NULL;
    }
    for (apr_size_t i = 0; i < LIMS_LENGTH(value_types); i++) {
        if (strcmp(value_types[i].kind, kind) == 0) {
            field.type = value_types[i].type;
            field.max = field.type == LIMS_T_STRING ? field.max : 0;
        }
    }
    return lims_field_text(lims_values_create(pool), &field, value, LIMS_E_INVALID_BODY, pool);
}

static const lims_error_t *check_asked(lims_request_t *rq, const lims_result_t *asked, int i)
{
    const char *name = lims_result_get(asked, i, "field");
    const char *kind = lims_result_get(asked, i, "kind");

    if (!kind) {
        return lims_client_error(rq->pool, LIMS_E_INVALID_BODY,
                                 "values[%d].field: the worksheet has no field \"%s\".", i,
                                 lims_excerpt(name, rq->pool));
    }
    if (strcmp(kind, "computed") == 0) {
        return lims_client_error(rq->pool, LIMS_E_INVALID_BODY,
                                 "values[%d].field: the field \"%s\" is computed: its value cannot "
                                 "be entered.",
                                 i, lims_excerpt(name, rq->pool));
    }
    if (lims_result_true(asked, i, "stale")) {
        return lims_client_error(rq->pool, LIMS_E_PRECONDITION_FAILED,
                                 "values[%d].was: the field \"%s\" has another value now; "
                                 "nothing was entered. Read the worksheet again and decide "
                                 "anew.",
                                 i, lims_excerpt(name, rq->pool));
    }
    return check_value(name, kind, lims_result_get(asked, i, "value"), rq->pool);
}

static const lims_error_t *check_values(lims_request_t *rq, const lims_result_t *asked)
{
    const lims_error_t *error = NULL;

    for (int i = 0; !error && i < lims_result_count(asked); i++) {
        error = check_asked(rq, asked, i);
    }
    return error;
}

/* Locks the sample test, and creates its worksheet if it has none yet. */
static const lims_error_t *begin(lims_request_t *rq)
{
    const char *test = lims_values_get(rq->values, "sampleTestId");
    lims_result_t *row = NULL;
    const lims_error_t *error = lims_database_call(&row, rq, LIMS_STMT_WORKSHEET_TEST_HOLD);

    if (error) {
        return error;
    }
    if (lims_result_count(row) == 0) {
        return lims_client_error(rq->pool, LIMS_E_INVALID_REFERENCE,
                                 "sampleTestId: there is no sample test %s in your organization.",
                                 test);
    }
    if (lims_result_true(row, 0, "verified")) {
        return lims_client_error(rq->pool, LIMS_E_TEST_VERIFIED_LOCKED,
                                 "Sample test %s is verified, and its worksheet locked.", test);
    }
    error = lims_database_call(&row, rq, LIMS_STMT_WORKSHEET_BEGIN);
    if (!error) {
        error = lims_database_call(&row, rq, LIMS_STMT_WORKSHEET_OF_TEST);
    }
    if (!error && lims_result_count(row) == 0) {
        error =
            lims_client_error(rq->pool, LIMS_E_INVALID_REFERENCE,
                              "sampleTestId: the test definition of sample test %s has no active "
                              "worksheet template.",
                              test);
    }
    if (!error) {
        lims_values_set(rq->values, "id", lims_result_get(row, 0, "id"));
    }
    return error;
}

static const lims_error_t *fill(lims_request_t *rq)
{
    lims_result_t *asked = NULL;
    const lims_error_t *error = begin(rq);

    if (!error) {
        error = lims_database_call(&asked, rq, LIMS_STMT_WORKSHEET_ASKED);
    }
    if (!error) {
        error = check_values(rq, asked);
    }
    return error ? error : lims_database_call(&asked, rq, LIMS_STMT_WORKSHEET_FILL);
}

static const lims_error_t *sign_off(lims_request_t *rq)
{
    lims_result_t *row = NULL;
    const lims_error_t *error = lims_database_call(&row, rq, LIMS_STMT_WORKSHEET_SIGN_OFF);

    if (!error && lims_result_count(row) == 0) {
        error = lims_client_error(rq->pool, LIMS_E_INVALID_REFERENCE,
                                  "step: the worksheet has no sign-off step \"%s\".",
                                  lims_excerpt(lims_values_get(rq->values, "step"), rq->pool));
    }
    return error;
}

/* --- Routes --------------------------------------------------------------- */

static const lims_error_e fill_errors[] = { LIMS_E_INVALID_REFERENCE,
                                            LIMS_E_TEST_VERIFIED_LOCKED,
                                            LIMS_E_PRECONDITION_FAILED,
                                            LIMS_E_INVALID_TRANSITION,
                                            LIMS_E_REAGENT_LOT_EXPIRED,
                                            LIMS_E_LOT_NOT_RELEASED,
                                            LIMS_E_COUNT };
static const lims_error_e signoff_errors[] = {
    LIMS_E_INVALID_REFERENCE,    LIMS_E_ESIGNATURE_REQUIRED, LIMS_E_WORKSHEET_INCOMPLETE,
    LIMS_E_TEST_VERIFIED_LOCKED, LIMS_E_INVALID_TRANSITION,  LIMS_E_COUNT
};
static const lims_error_e withdraw_errors[] = { LIMS_E_TEST_VERIFIED_LOCKED, LIMS_E_COUNT };

static const lims_route_t routes[] = {
    { .method = "GET",
      .path = "/worksheets",
      .command = "worksheet list",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "listWorksheets",
      .summary = "List worksheets",
      .permission = "data.read",
      .flags = LIMS_R_LIST,
      .query = filters,
      .status = 200,
      .statement = LIMS_STMT_WORKSHEET_LIST },
    { LIMS_CSV_EXPORT("/worksheets", "worksheet export", "exportWorksheets", "worksheets"),
      .permission = "data.read", .flags = LIMS_CSV_FLAGS, .query = filters + LIMS_PAGING_COUNT },
    { LIMS_REPORT_LIST("/worksheets", "worksheet pdf", "printWorksheets", "worksheets"),
      .permission = "data.read", .flags = LIMS_PDF_FLAGS, .query = filters + LIMS_PAGING_COUNT },
    { .method = "GET",
      .path = "/worksheets/:id",
      .command = "worksheet show",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "getWorksheet",
      .summary = "One worksheet with its values, missing fields and unsigned steps",
      .permission = "data.read",
      .status = 200,
      .statement = LIMS_STMT_WORKSHEET_GET },
    { .method = "POST",
      .path = "/worksheets",
      .command = "worksheet fill",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "fillWorksheet",
      .summary = "Enter values on the worksheet of a sample test",
      .description = "Begins the worksheet, on the current template, if there is none yet. "
                     "Computed fields follow from the values at once.",
      .permission = "worksheet.fill",
      .input = fill_input,
      .status = 200,
      .handler = fill,
      .errors = fill_errors },
    { .method = "POST",
      .path = "/worksheets/:id/sign-offs",
      .command = "worksheet sign-off",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "signOffWorksheet",
      .summary = "Sign the next step of a worksheet",
      .description = "The signature is for the present result, or for the first one if none is "
                     "entered yet. When the result is replaced, withdrawn or reopened, every step "
                     "has to be signed again for the new one.",
      .permission = "worksheet.sign",
      .flags = LIMS_R_SIGN,
      .input = signoff_input,
      .status = 200,
      .meaning = ":meaning",
      .signs = "worksheet",
      .handler = sign_off,
      .errors = signoff_errors },
    { .method = "POST",
      .path = "/worksheets/:id/withdraw",
      .command = "worksheet withdraw",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "withdrawSignOffs",
      .summary = "Withdraw the sign-offs of a worksheet, so that it can be corrected",
      .permission = "worksheet.sign",
      .flags = LIMS_R_REASON,
      .input = lims_reason_input,
      .status = 200,
      .statement = LIMS_STMT_WORKSHEET_WITHDRAW,
      .errors = withdraw_errors },
    LIMS_ROUTE_END,
};

const lims_resource_t lims_worksheet = {
    .name = "worksheet",
    .title = "Worksheets",
    .schema = "Worksheet",
    .doc = "Worksheet of a sample test: values and signatures.",
    .fields = fields,
    .routes = routes,
    .record = LIMS_STMT_WORKSHEET_GET,
    .lock = LIMS_STMT_WORKSHEET_LOCK,
};
