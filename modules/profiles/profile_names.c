/* SPDX-License-Identifier: Apache-2.0 */
/* profile_names.c - the JSON names of the enumerations in profile.h. */
#include "profiles/profile.h"

const char *const lims_from_names[] = {
    [LIMS_FROM_FILE_NAME] = "fileName", [LIMS_FROM_SHEET_NAME] = "sheetName",
    [LIMS_FROM_BLOCK] = "block",        [LIMS_FROM_GROUP] = "group",
    [LIMS_FROM_ROW_LABEL] = "rowLabel", [LIMS_FROM_COLUMN_LABEL] = "columnLabel",
    [LIMS_FROM_WELL] = "well",          [LIMS_FROM_MAP] = "map",
    [LIMS_FROM_COUNT] = NULL,
};

const char *const lims_column_names[] = {
    [LIMS_COLUMN_TRACKING_ID] = "trackingId",
    [LIMS_COLUMN_TEST] = "test",
    [LIMS_COLUMN_VALUE] = "value",
    [LIMS_COLUMN_UNIT] = "unit",
    [LIMS_COLUMN_QUALIFIER] = "qualifier",
    [LIMS_COLUMN_DILUTION] = "dilution",
    [LIMS_COLUMN_REPLICATE] = "replicate",
    [LIMS_COLUMN_SAMPLE_TYPE] = "sampleType",
    [LIMS_COLUMN_ANALYSED_AT] = "analysedAt",
    [LIMS_COLUMN_ANALYSED_TIME] = "analysedTime",
    [LIMS_COLUMN_OPERATOR] = "operator",
    [LIMS_COLUMN_COMMENT] = "comment",
    [LIMS_COLUMN_FLAG] = "flag",
    [LIMS_COLUMN_STATUS] = "status",
    [LIMS_COLUMN_LIMIT] = "limit",
    [LIMS_COLUMN_COUNT] = NULL,
};

const char *const lims_layout_names[] = {
    [LIMS_LAYOUT_LONG] = "long",         [LIMS_LAYOUT_WIDE] = "wide",
    [LIMS_LAYOUT_GROUPED] = "grouped",   [LIMS_LAYOUT_TRANSPOSED] = "transposed",
    [LIMS_LAYOUT_KEYVALUE] = "keyvalue", [LIMS_LAYOUT_MATRIX] = "matrix",
    [LIMS_LAYOUT_ASTM] = "astm",         [LIMS_LAYOUT_HL7] = "hl7",
    [LIMS_LAYOUT_XML] = "xml",           [LIMS_LAYOUT_JSON] = "json",
    [LIMS_LAYOUT_COUNT] = NULL,
};

const char *const lims_doubled_names[] = {
    [LIMS_DOUBLED_QUARANTINE] = "quarantine",
    [LIMS_DOUBLED_FIRST] = "first",
    [LIMS_DOUBLED_SECOND] = "second",
    [LIMS_DOUBLED_COUNT] = NULL,
};
_Static_assert(LIMS_LENGTH(lims_doubled_names) == LIMS_DOUBLED_COUNT + 1, "a name for each choice");

/* Names of the bits LIMS_BY_…, in their order. */
const char *const lims_sample_ways[] = { "trackingId", "externalId", "sampleIdentifier", "name",
                                         NULL };
