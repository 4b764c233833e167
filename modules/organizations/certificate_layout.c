/* SPDX-License-Identifier: Apache-2.0 */
/*
 * certificate_layout.c - the layout of an organization's certificates: a declaration of
 * order, columns and texts, and its preview. lims.certificate_layout_mistake() refuses wrong
 * ones.
 */
#include "documents/documents.h"
#include "organizations/organizations.h"
#include "service/service.h"

enum { KEPT = LIMS_F_OUT | LIMS_F_NULLABLE };

static const char *const papers[] = { "a4", "letter", NULL };
static const char *const languages[] = { "ja", "ko", "zh-Hans", "zh-Hant", NULL };
static const char *const logo_places[] = { "left", "right", "none", NULL };
static const char *const columns[] = { "test",  "method", "result",      "qualifier",  "unit",
                                       "limits", "flag",   "uncertainty", "accredited", "analyzed",
                                       NULL };
static const char *const sections[] = { "client",     "order",     "sample",  "receipt",
                                        "results",    "qualifiers", "methods", "approvals",
                                        "people",     "amendments", "statements", NULL };

const lims_field_t lims_certificate_layout[] = {
    { .name = "paper",
      .type = LIMS_T_ENUM,
      .values = papers,
      .flags = KEPT,
      .doc = "Size of the pages: a4 (usual) or letter." },
    { .name = "language",
      .type = LIMS_T_ENUM,
      .values = languages,
      .flags = KEPT,
      .doc = "Language of names and texts in Han characters, by which their forms are chosen; "
             "usually zh-Hans (simplified Chinese)." },
    { .name = "title",
      .type = LIMS_T_STRING,
      .flags = KEPT,
      .max = 100,
      .doc = "Title of the document; usually Certificate of analysis.",
      .example = "Test report" },
    { .name = "logo",
      .type = LIMS_T_ENUM,
      .values = logo_places,
      .flags = KEPT,
      .doc = "Place of the laboratory's logo in the letterhead, usually left." },
    { .name = "header",
      .type = LIMS_T_STRING,
      .flags = KEPT,
      .max = 1000,
      .doc = "Text below the letterhead of the first page.",
      .example = "Telephone +1 970 555 0100" },
    { .name = "footer",
      .type = LIMS_T_STRING,
      .flags = KEPT,
      .max = 1000,
      .doc = "Text at the foot of each page." },
    { .name = "columns",
      .type = LIMS_T_STRING_LIST,
      .values = columns,
      .flags = KEPT,
      .min = 1,
      .max = 10,
      .doc = "Columns of the table of results in order. Only method and analyzed, which stand "
             "among the methods as well, may be left out; a column of which no result has a "
             "value is not printed.",
      .example = "[\"test\",\"result\",\"qualifier\",\"unit\",\"uncertainty\",\"limits\","
                 "\"flag\",\"accredited\"]" },
    { .name = "sections",
      .type = LIMS_T_STRING_LIST,
      .values = sections,
      .flags = KEPT,
      .min = 1,
      .max = 11,
      .doc = "Sections in order. Only order and approvals may be left out; a section of which the "
             "certificate has nothing is not printed.",
      .example = "[\"client\",\"sample\",\"receipt\",\"results\",\"qualifiers\",\"methods\","
                 "\"people\",\"amendments\",\"statements\"]" },
    { .name = "statements",
      .type = LIMS_T_STRING_LIST,
      .flags = KEPT,
      .max = 10,
      .doc = "Statements of the laboratory that each certificate makes, besides that the results "
             "concern the items tested only.",
      .example = "[\"This report may only be copied in full.\"]" },
    LIMS_FIELD_END,
};

/* --- Preview ---------------------------------------------------------------- */

/* A preview changes nothing, and its answer is not kept for an Idempotency-Key. */
static const lims_error_t *check_layout(lims_request_t *rq)
{
    rq->roll_back = true;
    return NULL;
}

static const lims_error_t *prepare_layout(lims_request_t *rq)
{
    lims_result_t *row = NULL;
    const lims_error_t *error = lims_database_call(&row, rq, LIMS_STMT_CERTIFICATE_LAYOUT_JOB);

    if (!error) {
        lims_print_later(rq, lims_result_get(row, 0, "job"), "layout-preview.pdf");
    }
    return error;
}

static const lims_error_e print_errors[] = { LIMS_E_DOCUMENT_FAILED, LIMS_E_COUNT };

static const lims_field_t layout_input[] = {
    { .name = "certificateLayout",
      .type = LIMS_T_OBJECT,
      .flags = LIMS_F_CREATE | LIMS_F_REQUIRED,
      .members = lims_certificate_layout,
      .doc = "Layout to be shown; of members that are null or missing the usual one." },
    LIMS_FIELD_END,
};

static const lims_route_t routes[] = {
    { .method = "POST",
      .path = "/organization/certificate-layout/preview",
      .command = "organization preview-layout",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "previewCertificateLayout",
      .summary = "An example of a certificate in a layout, as PDF",
      .description = "The letterhead is the laboratory's as it is now, all else is made up, and "
                     "marked as a draft. Nothing is changed.",
      .permission = "data.read",
      .flags = LIMS_PDF_FLAGS,
      .input = layout_input,
      .status = 200,
      .check = check_layout,
      .prepare = prepare_layout,
      .work = lims_print_staged,
      .handler = lims_answer_staged,
      .errors = print_errors },
    LIMS_ROUTE_END,
};

static const lims_field_t no_fields[] = { LIMS_FIELD_END };

const lims_resource_t lims_certificate_layout_preview = {
    .name = "certificate layout preview",
    .title = "Organizations",
    .schema = "CertificateLayoutPreview",
    .doc = "Example of a certificate in a layout.",
    .fields = no_fields,
    .routes = routes,
};
