/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event_types.c - the catalogue of event types with the schemas of their payloads.
 *
 * Enumerations that may grow without a new version of the API (categories, severities,
 * kinds) are documented as open, so that receivers accept unknown values.
 */
#include "openapi/event_types.h"

#include "kernel/vocabulary.h"

/* --- Members that several payloads have ----------------------------------- */

#define SAMPLE_ID                                                                                  \
    {                                                                                              \
        .name = "sampleId", .type = LIMS_T_ID, .flags = LIMS_F_OUT, .doc = "Id of the sample.",    \
        .example = "4217"                                                                          \
    }

#define TRACKING_ID                                                                                \
    {                                                                                              \
        .name = "trackingId", .type = LIMS_T_STRING, .flags = LIMS_F_OUT,                          \
        .doc = "Tracking identifier of the sample.", .example = "LAB-26-0004217-K"                 \
    }

#define SAMPLE_IDENTIFIER                                                                          \
    {                                                                                              \
        .name = "sampleIdentifier", .type = LIMS_T_STRING, .flags = LIMS_F_OUT,                    \
        .doc = "Identifier of the sample within its project; without composite identifiers the "   \
               "tracking identifier.",                                                             \
        .example = "NPDES001-EFF-001-20261121-1"                                                   \
    }

#define CLIENT_NAME                                                                                \
    {                                                                                              \
        .name = "clientName", .type = LIMS_T_STRING, .flags = LIMS_F_OUT,                          \
        .doc = "Name of the client whose sample it is.", .example = "City of Riverbend"            \
    }

#define STATUS(text)                                                                               \
    {                                                                                              \
        .name = "status", .type = LIMS_T_ENUM, .values = lims_sample_statuses,                     \
        .flags = LIMS_F_OUT | LIMS_F_CLOSED, .doc = "Workflow status of the sample.",              \
        .example = text                                                                            \
    }

#define LIFECYCLE(text)                                                                            \
    SAMPLE_ID, TRACKING_ID, SAMPLE_IDENTIFIER, CLIENT_NAME, STATUS(text),                          \
    {                                                                                              \
        .name = "reasons", .type = LIMS_T_OBJECT_LIST, .flags = LIMS_F_OUT,                        \
        .members = reason_fields,                                                                  \
        .doc = "Findings behind the release state; empty when nothing blocks.",                    \
    }

/* --- Payloads ------------------------------------------------------------- */

static const lims_field_t reason_fields[] = {
    { .name = "category",
      .type = LIMS_T_ENUM,
      .values = lims_finding_categories,
      .flags = LIMS_F_OUT,
      .doc = "Category of the finding, as in the sample's readiness.",
      .example = "unverified_result" },
    { .name = "severity",
      .type = LIMS_T_ENUM,
      .values = lims_finding_severities,
      .flags = LIMS_F_OUT,
      .doc = "Severity of the finding: blocking, or warning for an advisory one.",
      .example = "blocking" },
    { .name = "message",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Explanation for people. Its wording may change.",
      .example = "Nitrate-N: the result is not verified" },
    LIMS_FIELD_END,
};

static const lims_field_t sample_created[] = { SAMPLE_ID,   TRACKING_ID,       SAMPLE_IDENTIFIER,
                                               CLIENT_NAME, STATUS("pending"), LIMS_FIELD_END };

static const lims_field_t sample_received[] = { SAMPLE_ID, TRACKING_ID, STATUS("received"),
                                                LIMS_FIELD_END };

static const lims_field_t result_entered[] = {
    { .name = "sampleTestId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT,
      .doc = "Id of the sample test.",
      .example = "90211" },
    { .name = "testDefinitionId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT,
      .doc = "Id of the test definition.",
      .example = "3" },
    LIMS_FIELD_END,
};

static const lims_field_t result_verified[] = {
    { .name = "sampleTestId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT,
      .doc = "Id of the sample test.",
      .example = "90211" },
    SAMPLE_ID,
    LIMS_FIELD_END,
};

static const lims_field_t lifecycle[] = { LIFECYCLE("completed"), LIMS_FIELD_END };

static const lims_field_t sample_reported[] = {
    SAMPLE_ID,
    STATUS("reported"),
    { .name = "trackingId",
      .type = LIMS_T_STRING,
      .doc = "Tracking identifier of the sample; absent when several samples are reported at once, "
             "so use sampleId.",
      .example = "LAB-26-0004217-K" },
    LIMS_FIELD_END,
};

static const lims_field_t coa_generated[] = { SAMPLE_ID, TRACKING_ID, SAMPLE_IDENTIFIER,
                                              LIMS_FIELD_END };

static const lims_field_t qc_failed[] = {
    { .name = "qcBatchId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT,
      .doc = "Id of the QC batch.",
      .example = "18" },
    { .name = "batchNumber",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Number of the QC batch in the laboratory.",
      .example = "IC-261120-A" },
    { .name = "qcStatus",
      .type = LIMS_T_ENUM,
      .values = lims_qc_statuses,
      .flags = LIMS_F_OUT,
      .doc = "Status of the QC batch after its evaluation.",
      .example = "failed" },
    LIMS_FIELD_END,
};

static const lims_field_t holding_time_expiring[] = {
    LIFECYCLE("received"),
    { .name = "holdingStatus",
      .type = LIMS_T_ENUM,
      .values = lims_holding_statuses + 1,
      .flags = LIMS_F_OUT,
      .doc = "Holding status of the sample: expiring_soon or expired.",
      .example = "expiring_soon" },
    { .name = "expiresAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Earliest expiry among the sample's tests, UTC; null if there is none.",
      .example = "2026-11-22T14:05:00.000Z" },
    { .name = "testNames",
      .type = LIMS_T_STRING_LIST,
      .flags = LIMS_F_OUT,
      .doc = "Names of the tests concerned.",
      .example = "[\"Nitrate-N\"]" },
    LIMS_FIELD_END,
};

static const lims_field_t investigation_opened[] = {
    { .name = "investigationId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT,
      .doc = "Id of the investigation.",
      .example = "31" },
    { .name = "investigationNumber",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Number of the investigation in the laboratory.",
      .example = "OOS-2026-0031" },
    { .name = "title",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Title of the investigation.",
      .example = "Nitrate-N above specification" },
    { .name = "kind",
      .type = LIMS_T_ENUM,
      .values = lims_investigation_kinds,
      .flags = LIMS_F_OUT,
      .doc = "Kind of investigation, such as oos (out of specification), deviation, capa.",
      .example = "oos" },
    { .name = "sampleId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Id of the sample; null for an investigation that concerns none.",
      .example = "4217" },
    LIMS_FIELD_END,
};

static const lims_field_t webhook_test[] = {
    { .name = "message",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Text of the test event.",
      .example = "Test event" },
    LIMS_FIELD_END,
};

/* --- The catalogue -------------------------------------------------------- */

const lims_event_t lims_events[] = {
    { "sample.created", "Fires when a new sample is registered.", sample_created },
    { "sample.received", "Fires when a sample is marked received.", sample_received },
    { "result.entered", "Fires when a result value is entered, not yet verified.", result_entered },
    { "result.verified", "Fires when a result is verified and locked.", result_verified },
    { "sample.blocked",
      "Fires when a sample enters a blocked release state: a hard blocker is present. Found by "
      "the lifecycle scan.",
      lifecycle },
    { "sample.ready_for_review",
      "Fires when the only remaining blockers are soft: an unverified result, an approval. Found "
      "by the lifecycle scan.",
      lifecycle },
    { "sample.ready_to_report",
      "Fires when all release blockers are cleared; `reasons` is empty. Found by the lifecycle "
      "scan.",
      lifecycle },
    { "sample.reported", "Fires when a sample is marked reported.", sample_reported },
    { "coa.generated", "Fires when a Certificate of Analysis is generated for a sample.",
      coa_generated },
    { "qc.failed", "Fires when a QC batch evaluates to a failing status.", qc_failed },
    { "holding_time.expiring",
      "Fires when a sample's holding-time status changes: approaching or past expiry. Found by "
      "the lifecycle scan.",
      holding_time_expiring },
    { "investigation.opened",
      "Fires when an investigation is opened, for example an out-of-specification result.",
      investigation_opened },
    { "webhook.test", "Sent when an administrator asks for a test of the endpoint.", webhook_test },
    { NULL, NULL, NULL },
};

#define SUBSCRIBED                                                                                 \
    "sample.created", "sample.received", "result.entered", "result.verified", "sample.blocked",    \
        "sample.ready_for_review", "sample.ready_to_report", "sample.reported", "coa.generated",   \
        "qc.failed", "holding_time.expiring", "investigation.opened"

const char *const lims_event_types[] = { SUBSCRIBED, NULL };
const char *const lims_delivered_types[] = { SUBSCRIBED, "webhook.test", NULL };

/* An entry for each row of the table except webhook.test, and the NULL at its end. */
_Static_assert(LIMS_LENGTH(lims_event_types) == LIMS_LENGTH(lims_events) - 1,
               "a type for each event");

/* --- The delivery --------------------------------------------------------- */

#define UUID "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"
#define UUID_EXAMPLE "5b6f1c9e-0d0f-4a55-9a1e-6c1f3f6f2f10"

const lims_field_t lims_envelope_fields[] = {
    { .name = "id",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .pattern = UUID,
      .doc = "Id of the delivery, the same at every attempt: the receiver's idempotency key. In "
             "GET /events the id of the event itself.",
      .example = UUID_EXAMPLE },
    { .name = "type",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Type of the event, as in X-Service-Event." },
    { .name = "createdAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = LIMS_F_OUT,
      .doc = "When the event occurred, UTC.",
      .example = "2026-11-21T07:48:00.000Z" },
    { .name = "organizationId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT,
      .doc = "Id of the organization in which the event occurred.",
      .example = "1" },
    LIMS_FIELD_END,
};

const lims_field_t lims_delivery_headers[] = {
    { .name = "X-Service-Event",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_REQUIRED,
      .doc = "Type of the event.",
      .example = "sample.created" },
    { .name = "X-Service-Delivery",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_REQUIRED,
      .pattern = UUID,
      .doc = "Id of the delivery, equal to the envelope's id.",
      .example = UUID_EXAMPLE },
    { .name = "X-Service-Timestamp",
      .type = LIMS_T_INTEGER,
      .flags = LIMS_F_REQUIRED,
      .max = APR_INT64_MAX,
      .doc = "Unix time in seconds at which this attempt was signed.",
      .example = "1795247280" },
    { .name = "X-Service-Signature",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_REQUIRED,
      .pattern = "^sha256=[0-9a-f]{64}$",
      .doc = "HMAC-SHA256 with the endpoint's secret over the timestamp, a period and the exact "
             "bytes of the body." },
    { .name = "X-Service-Signature-Previous",
      .type = LIMS_T_STRING,
      .pattern = "^sha256=[0-9a-f]{64}$",
      .doc = "Signature with the previous secret, sent for a while after the secret was rotated." },
    { .name = "webhook-id",
      .type = LIMS_T_STRING,
      .pattern = UUID,
      .doc = "Id of the delivery, for endpoints with the header fields of Standard Webhooks.",
      .example = UUID_EXAMPLE },
    { .name = "webhook-timestamp",
      .type = LIMS_T_INTEGER,
      .max = APR_INT64_MAX,
      .doc = "Unix time in seconds at which this attempt was signed, for endpoints with the header "
             "fields of Standard Webhooks.",
      .example = "1795247280" },
    { .name = "webhook-signature",
      .type = LIMS_T_STRING,
      .pattern = "^v1,[A-Za-z0-9+/]{43}=( v1,[A-Za-z0-9+/]{43}=)?$",
      .doc = "Signature of Standard Webhooks, for endpoints with its header fields; followed by "
             "the signature with the previous secret while the secret is being replaced." },
    LIMS_FIELD_END,
};
