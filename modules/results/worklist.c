/* SPDX-License-Identifier: Apache-2.0 */
/*
 * worklist.c - the worklist: open tests of received samples, in the order in which they
 * are to be done.
 */
#include "documents/pdf_report.h"
#include "kernel/vocabulary.h"
#include "results/results.h"
#include "results/sequence.h"
#include "service/csv.h"

enum { SHOWN = LIMS_F_OUT, PERHAPS = LIMS_F_OUT | LIMS_F_NULLABLE };

static const lims_field_t fields[] = {
    { .name = "id", .type = LIMS_T_ID, .flags = SHOWN, .doc = "Id of the sample test." },
    { .name = "sampleId", .type = LIMS_T_ID, .flags = SHOWN, .doc = "Id of the sample." },
    { .name = "trackingId",
      .type = LIMS_T_STRING,
      .flags = SHOWN,
      .doc = "Tracking identifier of the sample." },
    { .name = "sampleIdentifier",
      .type = LIMS_T_STRING,
      .flags = SHOWN,
      .doc = "Identifier of the sample." },
    { .name = "clientName", .type = LIMS_T_STRING, .flags = SHOWN, .doc = "Name of the client." },
    { .name = "materialType",
      .type = LIMS_T_STRING,
      .flags = SHOWN,
      .doc = "Name of the material type." },
    { .name = "priority",
      .type = LIMS_T_ENUM,
      .values = lims_sample_priorities,
      .flags = SHOWN,
      .doc = "Priority of the sample: stat before rush before routine." },
    { .name = "sampleDisposition",
      .type = LIMS_T_ENUM,
      .values = lims_sample_dispositions,
      .flags = SHOWN,
      .doc = "Disposition of the sample, active or on_hold; holding times run on." },
    { .name = "receivedAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = SHOWN,
      .doc = "When the sample was received, UTC." },
    { .name = "dueDate",
      .type = LIMS_T_DATE,
      .flags = PERHAPS,
      .doc = "Day on which the sample's results are due." },
    { .name = "storageLocation",
      .type = LIMS_T_STRING,
      .flags = PERHAPS,
      .doc = "Name of the place where the sample is." },
    { .name = "testDefinitionId",
      .type = LIMS_T_ID,
      .flags = SHOWN,
      .doc = "Id of the test definition." },
    { .name = "testCode",
      .type = LIMS_T_STRING,
      .flags = SHOWN,
      .doc = "Code of the test definition." },
    { .name = "testName",
      .type = LIMS_T_STRING,
      .flags = SHOWN,
      .doc = "Name of the test definition." },
    { .name = "method",
      .type = LIMS_T_STRING,
      .flags = PERHAPS,
      .doc = "Method of the test definition." },
    { .name = "unit",
      .type = LIMS_T_STRING,
      .flags = PERHAPS,
      .doc = "Unit of the test definition." },
    { .name = "specification",
      .type = LIMS_T_STRING,
      .flags = PERHAPS,
      .doc = "Limit that applies to the result, as text." },
    { .name = "status",
      .type = LIMS_T_ENUM,
      .values = lims_test_statuses,
      .flags = SHOWN,
      .doc = "Status of the test: pending, or entered where its result was sent back." },
    { .name = "returned",
      .type = LIMS_T_JSON,
      .flags = PERHAPS,
      .members = lims_returned_fields,
      .doc = "Return of the result; null: it was not sent back." },
    { .name = "holdingStatus",
      .type = LIMS_T_ENUM,
      .values = lims_holding_statuses,
      .flags = PERHAPS,
      .doc = "Holding status of the test." },
    { .name = "holdingExpiresAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = PERHAPS,
      .doc = "When the holding time ends, UTC." },
    { .name = "qcBatchId",
      .type = LIMS_T_ID,
      .flags = PERHAPS,
      .doc = "Id of the QC batch that covers the test, the latest of several." },
    { .name = "qcBatchNumber",
      .type = LIMS_T_STRING,
      .flags = PERHAPS,
      .doc = "Number of that QC batch." },
    { .name = "instrumentId",
      .type = LIMS_T_ID,
      .flags = PERHAPS,
      .doc = "Id of the instrument on which that QC batch is run." },
    { .name = "assignedTo",
      .type = LIMS_T_ID,
      .flags = PERHAPS,
      .doc = "Id of the user who does the test." },
    { .name = "createdAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = SHOWN,
      .doc = "When the test was scheduled, UTC." },
    { .name = "updatedAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = SHOWN,
      .doc = "When the test was last changed, UTC." },
    LIMS_FIELD_END,
};

/* clang-format off */

#define WORK_FILTERS                                                                          \
    { .name = "method", .type = LIMS_T_STRING, .doc = "Only tests by this method." },         \
    { .name = "testDefinitionId",                                                             \
      .type = LIMS_T_ID,                                                                      \
      .doc = "Only tests of this test definition." },                                         \
    { .name = "assignedTo", .type = LIMS_T_ID, .doc = "Only tests assigned to this user." },  \
    { .name = "instrumentId",                                                                 \
      .type = LIMS_T_ID,                                                                      \
      .doc = "Only tests that a QC batch on this instrument covers." },                       \
    { .name = "dueDate",                                                                      \
      .type = LIMS_T_DATE,                                                                    \
      .doc = "Only tests of samples that are due on this day." }

/* clang-format on */

static const lims_field_t filters[] = { LIMS_CURSOR_FIELDS, WORK_FILTERS, LIMS_FIELD_END };

static const lims_field_t sequence_filters[] = {
    { .name = "sampleTestIds",
      .type = LIMS_T_ID_LIST,
      .min = 1,
      .max = 500,
      .doc = "Only samples of these tests, whatever their status, in this order.",
      .example = "[90211, 90212]" },
    WORK_FILTERS,
    LIMS_FIELD_END,
};

static const lims_error_t *export_list(lims_request_t *rq)
{
    return lims_csv_list(rq, LIMS_STMT_WORKLIST, "worklist.csv");
}

static const lims_route_t routes[] = {
    { .method = "GET",
      .path = "/worklist",
      .command = "worklist",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "getWorklist",
      .summary = "List open tests in the order in which they are to be done",
      .description = "Pending tests of received samples, and results that were sent back, by the "
                     "end of their holding time (none: last), then by priority. The cursor is the "
                     "id of a page's last test: the list goes on behind the place that this test "
                     "has then.",
      .permission = "data.read",
      .flags = LIMS_R_LIST,
      .query = filters,
      .status = 200,
      .statement = LIMS_STMT_WORKLIST },
    { .method = "GET",
      .path = "/worklist/export",
      .command = "worklist-export",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "exportWorklist",
      .summary = "Export the worklist as CSV",
      .description = "At most 50,000 tests. The file goes to standard output: "
                     "`limsctl ... > worklist.csv`. With --json it is in base64.",
      .permission = "data.read",
      .flags = LIMS_R_NO_RECORD | LIMS_R_DOCUMENT | LIMS_R_BYTES,
      .query = filters + LIMS_CURSOR_COUNT,
      .status = 200,
      .handler = export_list },
    { LIMS_REPORT_LIST("/worklist", "worklist-pdf", "printWorklist", "open tests"),
      .permission = "data.read", .flags = LIMS_PDF_FLAGS, .query = filters + LIMS_CURSOR_COUNT },
    { .method = "GET",
      .path = "/worklist/sequence",
      .command = "worklist-sequence",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "exportWorklistSequence",
      .summary = "Export the samples of the worklist as an instrument's sequence (CSV)",
      .description = "Position, name and type of each sample that has open tests, each once, in "
                     "the order in which they are to be done, or of each sample of the tests "
                     "that are given, in their order; at most 50,000 samples. The file goes to "
                     "standard output: `limsctl ... > sequence.csv`. With --json it is in base64.",
      .permission = "data.read",
      .flags = LIMS_R_NO_RECORD | LIMS_R_DOCUMENT | LIMS_R_BYTES,
      .query = sequence_filters,
      .status = 200,
      .handler = lims_worklist_sequence },
    LIMS_ROUTE_END,
};

const lims_resource_t lims_worklist = {
    .name = "worklist",
    .title = "Worklist",
    .schema = "WorklistTest",
    .doc = "Open test in the worklist.",
    .fields = fields,
    .routes = routes,
};
