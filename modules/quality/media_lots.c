/* SPDX-License-Identifier: Apache-2.0 */
/*
 * media_lots.c - culture media lots and their own quality control.
 *
 * A lot's statuses are derived from its tests (growth promotion with each
 * organism, sterility): the latest test of an organism counts, so that a
 * requalification replaces a failure. The only status that a person sets is
 * quarantine.
 */
#include "documents/pdf_report.h"
#include "kernel/vocabulary.h"
#include "quality/quality.h"
#include "reference/reference.h"
#include "service/csv.h"

/* All statuses of one kind of test; those from the second on are outcomes of a
 * test. */
static const char *const test_statuses[] = { "pending", "passed", "failed", NULL };
static const char *const kinds[] = { "growth_promotion", "sterility", "inhibition", "indication",
                                     NULL };

static const lims_field_t fields[] = {
    LIMS_LOT_HEAD_FIELDS,
    { .name = "medium",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_KEPT | LIMS_F_REQUIRED,
      .min = 1,
      .max = 64,
      .doc = "Short name of the culture medium.",
      .example = "TSA" },
    { .name = "preparedOn",
      .type = LIMS_T_DATE,
      .flags = LIMS_F_KEPT_NULLABLE,
      .doc = "Day on which the lot was prepared or received." },
    { .name = "growthPromotionStatus",
      .type = LIMS_T_ENUM,
      .values = test_statuses,
      .flags = LIMS_F_OUT,
      .doc = "Status of the growth promotion, inhibition and indication tests together." },
    { .name = "sterilityStatus",
      .type = LIMS_T_ENUM,
      .values = test_statuses,
      .flags = LIMS_F_OUT,
      .doc = "Status of the sterility test." },
    { .name = "qcStatus",
      .type = LIMS_T_ENUM,
      .values = lims_lot_statuses,
      .flags = LIMS_F_OUT,
      .doc = "Status of the lot, derived from growth promotion and sterility, or quarantined." },
    { .name = "quarantined",
      .type = LIMS_T_BOOLEAN,
      .flags = LIMS_F_OUT | LIMS_F_UPDATE,
      .doc = "Whether the lot is quarantined. true: it is set aside; false: its status is derived "
             "from "
             "its tests again." },
    LIMS_LOT_REASON_FIELD(LIMS_F_UPDATE),
    LIMS_LOT_TAIL_FIELDS,
    LIMS_FIELD_END,
};

/* Fields of a lot's test, for recording it and for showing it. */
#define TEST_FIELDS(GIVEN)                                                                         \
    { .name = "kind",                                                                              \
      .type = LIMS_T_ENUM,                                                                         \
      .values = kinds,                                                                             \
      .flags = (GIVEN) | LIMS_F_REQUIRED,                                                          \
      .doc =                                                                                       \
          "Kind of test; inhibition and indication are for selective and differential media." },   \
        { .name = "organism",                                                                      \
          .type = LIMS_T_STRING,                                                                   \
          .flags = (GIVEN) | LIMS_F_NULLABLE,                                                      \
          .min = 1,                                                                                \
          .doc = "Test organism with its strain; null for sterility.",                             \
          .example = "Escherichia coli ATCC 8739" },                                               \
        { .name = "inoculumCfu",                                                                   \
          .type = LIMS_T_DECIMAL,                                                                  \
          .flags = (GIVEN) | LIMS_F_NULLABLE,                                                      \
          .max = 1000000000000,                                                                    \
          .doc = "Size of the inoculum in colony-forming units.",                                  \
          .example = "60" },                                                                       \
        { .name = "recoveryPercent",                                                               \
          .type = LIMS_T_DECIMAL,                                                                  \
          .flags = (GIVEN) | LIMS_F_NULLABLE,                                                      \
          .max = 1000000,                                                                          \
          .doc = "Recovery in percent of the standardized inoculum (USP <61>: 50 to 200).",        \
          .example = "92" },                                                                       \
        { .name = "outcome",                                                                       \
          .type = LIMS_T_ENUM,                                                                     \
          .values = test_statuses + 1,                                                             \
          .flags = (GIVEN) | LIMS_F_REQUIRED,                                                      \
          .doc = "Outcome of the test: whether the lot met the requirement." },                    \
        { .name = "performedOn",                                                                   \
          .type = LIMS_T_DATE,                                                                     \
          .flags = (GIVEN) | LIMS_F_NULLABLE,                                                      \
          .doc =                                                                                   \
              "Day of the test, by default today, not in the future. The latest test counts." },   \
    {                                                                                              \
        .name = "notes", .type = LIMS_T_STRING, .flags = (GIVEN) | LIMS_F_NULLABLE, .max = 4000,   \
        .doc = "Remarks on the test."                                                              \
    }

static const lims_field_t test_input[] = { TEST_FIELDS(0), LIMS_LOT_REASON_FIELD(0),
                                           LIMS_FIELD_END };

static const lims_field_t test_fields[] = {
    { .name = "id",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT,
      .doc = "Id of the media lot test, assigned by the service." },
    TEST_FIELDS(LIMS_F_OUT),
    { .name = "performedBy",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Id of the user who recorded the test." },
    { .name = "createdAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = LIMS_F_OUT,
      .doc = "When the test was recorded, UTC." },
    LIMS_FIELD_END,
};

static const lims_field_t filters[] = {
    LIMS_PAGING_FIELDS,
    { .name = "code", .type = LIMS_T_STRING, .doc = "Only the lot with this code." },
    { .name = "qcStatus",
      .type = LIMS_T_ENUM,
      .values = lims_lot_statuses,
      .doc = "Only lots of this status." },
    LIMS_FIELD_END,
};

static const lims_route_t routes[] = {
    { .method = "GET",
      .path = "/media-lots",
      .command = "media-lot list",
      .surfaces = LIMS_SURFACES_ALL,
      .operation = "listMediaLots",
      .summary = "List media lots",
      .scope = "reference:read",
      .permission = "data.read",
      .flags = LIMS_R_LIST,
      .query = filters,
      .status = 200,
      .statement = LIMS_STMT_MEDIA_LOT_LIST },
    { LIMS_CSV_EXPORT("/media-lots", "media-lot export", "exportMediaLots", "media lots"),
      .permission = "data.read", .flags = LIMS_CSV_FLAGS, .query = filters + LIMS_PAGING_COUNT },
    { LIMS_REPORT_LIST("/media-lots", "media-lot pdf", "printMediaLots", "media lots"),
      .permission = "data.read", .flags = LIMS_PDF_FLAGS, .query = filters + LIMS_PAGING_COUNT },
    { .method = "GET",
      .path = "/media-lots/:id",
      .command = "media-lot show",
      .surfaces = LIMS_SURFACES_ALL,
      .operation = "getMediaLot",
      .summary = "One media lot with its tests",
      .scope = "reference:read",
      .permission = "data.read",
      .status = 200,
      .statement = LIMS_STMT_MEDIA_LOT_GET },
    { .method = "POST",
      .path = "/media-lots",
      .command = "media-lot create",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "createMediaLot",
      .summary = "Create a media lot",
      .permission = "lot.manage",
      .body = LIMS_F_CREATE,
      .status = 201,
      .statement = LIMS_STMT_MEDIA_LOT_CREATE,
      .errors = lims_reference_create_errors },
    { .method = "PATCH",
      .path = "/media-lots/:id",
      .command = "media-lot update",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "updateMediaLot",
      .summary = "Change or quarantine a media lot",
      .permission = "lot.manage",
      .body = LIMS_F_UPDATE,
      .status = 200,
      .statement = LIMS_STMT_MEDIA_LOT_UPDATE,
      .errors = lims_lot_update_errors },
    { .method = "POST",
      .path = "/media-lots/:id/tests",
      .command = "media-lot test",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "testMediaLot",
      .summary = "Record a growth promotion, sterility, inhibition or indication test",
      .description = "The statuses of the lot are derived from its tests. A passed test that takes "
                     "the place of a failed one needs lot.release and a reason.",
      .permission = "lot.manage",
      .input = test_input,
      .status = 200,
      .statement = LIMS_STMT_MEDIA_LOT_TEST,
      .errors = lims_lot_errors },
    { .method = "POST",
      .path = "/media-lots/:id/open",
      .command = "media-lot open",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "openMediaLot",
      .summary = "Record that a media lot was opened",
      .permission = "lot.manage",
      .input = lims_lot_opening,
      .status = 200,
      .statement = LIMS_STMT_MEDIA_LOT_OPEN,
      .errors = lims_lot_errors },
    { .method = "POST",
      .path = "/media-lots/:id/quarantine",
      .command = "media-lot quarantine",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "quarantineMediaLot",
      .summary = "Quarantine a media lot",
      .permission = "lot.manage",
      .flags = LIMS_R_REASON,
      .input = lims_reason_input,
      .status = 200,
      .statement = LIMS_STMT_MEDIA_LOT_QUARANTINE },
    { .method = "POST",
      .path = "/media-lots/:id/release",
      .command = "media-lot release",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "releaseMediaLot",
      .summary = "Release a media lot from quarantine",
      .permission = "lot.release",
      .flags = LIMS_R_REASON,
      .input = lims_reason_input,
      .status = 200,
      .statement = LIMS_STMT_MEDIA_LOT_RELEASE,
      .errors = lims_lot_errors },
    LIMS_ROUTE_END,
};

static const lims_resource_t media_lot_test = {
    .name = "media lot test",
    .title = "Media lots",
    .schema = "MediaLotTest",
    .doc = "Quality control test of a media lot.",
    .fields = test_fields,
};

const lims_resource_t lims_media_lot = {
    .name = "media lot",
    .title = "Media lots",
    .schema = "MediaLot",
    .doc = "Lot of culture medium, with its quality control tests.",
    .fields = fields,
    .routes = routes,
    .record = LIMS_STMT_MEDIA_LOT_GET,
    .lock = LIMS_STMT_MEDIA_LOT_LOCK,
    .nested = "tests",
    .nested_resource = &media_lot_test,
    .nested_statement = LIMS_STMT_MEDIA_LOT_TESTS,
};
