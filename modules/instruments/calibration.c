/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calibration.c - calibration of the confidence: how often extracted values
 * proved right, by their confidence.
 *
 * The factors of the confidence (extraction/pointer_check.h) are never changed:
 * a stored confidence has to have the same meaning in ten years. What can be
 * changed is the threshold, which people set by these figures.
 */
#include "instruments/uploads.h"

static const lims_field_t filters[] = {
    { .name = "since",
      .type = LIMS_T_MOMENT,
      .doc = "Only extractions at this time or later: a date (from the beginning of that UTC day) "
             "or a timestamp." },
    { .name = "until",
      .type = LIMS_T_MOMENT_END,
      .doc = "Only extractions at this time or earlier: a date (to the end of that UTC day) or a "
             "timestamp." },
    { .name = "model",
      .type = LIMS_T_STRING,
      .max = 255,
      .doc = "Only extractions by this model, as the AI service names it." },
    LIMS_FIELD_END,
};

static const lims_field_t figures[] = {
    { .name = "found",
      .type = LIMS_T_INTEGER,
      .flags = LIMS_F_OUT,
      .doc = "Number of values that were extracted." },
    { .name = "applied",
      .type = LIMS_T_INTEGER,
      .flags = LIMS_F_OUT,
      .doc = "Number of values that were written." },
    { .name = "right",
      .type = LIMS_T_INTEGER,
      .flags = LIMS_F_OUT,
      .doc = "Number of values that proved right." },
    { .name = "wrong",
      .type = LIMS_T_INTEGER,
      .flags = LIMS_F_OUT,
      .doc = "Number of values that proved wrong." },
    { .name = "open",
      .type = LIMS_T_INTEGER,
      .flags = LIMS_F_OUT,
      .doc = "Number of values that are not decided." },
    { .name = "share",
      .type = LIMS_T_DECIMAL,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Share of right values; null: none is decided." },
    { .name = "atLeast",
      .type = LIMS_T_DECIMAL,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Lower bound of that share, with 95 % certainty." },
    LIMS_FIELD_END,
};

static const lims_field_t calibration_output[] = {
    { .name = "total",
      .type = LIMS_T_JSON,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .members = figures,
      .doc = "Figures of all extracted values; null where there are none." },
    { .name = "byConfidence",
      .type = LIMS_T_OBJECT_LIST,
      .flags = LIMS_F_OUT,
      .members = figures,
      .doc = "Figures by confidence: each has from and to, its lowest and highest, besides." },
    { .name = "byEvidence",
      .type = LIMS_T_OBJECT_LIST,
      .flags = LIMS_F_OUT,
      .members = figures,
      .doc = "Figures by the evidence behind the confidence: each has evidence besides." },
    { .name = "byModel",
      .type = LIMS_T_OBJECT_LIST,
      .flags = LIMS_F_OUT,
      .members = figures,
      .doc = "Figures by model: each has model and looks besides." },
    LIMS_FIELD_END,
};

static const lims_route_t routes[] = {
    { .method = "GET",
      .path = "/extractions/calibration",
      .command = "extraction calibration",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "calibrateExtraction",
      .summary = "Show how often extracted values were right, by confidence",
      .description =
          "Of each sample test its last extraction counts. An extracted value is right if it was "
          "verified unchanged, or if a person entered the same value by hand; wrong if another "
          "result stands now, or it was withdrawn; otherwise open. Figures are listed by "
          "confidence, by the evidence behind it (the factors for sample, test, unit and a second "
          "look), and by model. atLeast is the lower bound of the share of right values, with 95 % "
          "certainty: with fewer than some 200 decided values keep the default threshold.",
      .permission = "data.read",
      .flags = LIMS_R_NO_RECORD | LIMS_R_DOCUMENT,
      .query = filters,
      .output = calibration_output,
      .status = 200,
      .statement = LIMS_STMT_EXTRACTION_CALIBRATION },
    LIMS_ROUTE_END,
};

static const lims_field_t no_fields[] = { LIMS_FIELD_END };

const lims_resource_t lims_extraction_calibration = {
    .name = "extraction",
    .title = "Extraction",
    .schema = "ExtractionCalibration",
    .doc = "Values that an AI service extracted from files, and whether they proved right.",
    .fields = no_fields,
    .routes = routes,
};
