/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calibration.c - whether confidence means what it says: what became of the values
 * that were found in files, by the confidence that they had.
 *
 * The factors of the confidence (extraction/judge.h) stay what they are: a figure
 * that stands in a record has to mean the same in ten years. What moves is the
 * threshold, which people set by this.
 */
#include "instruments/uploads.h"

static const lims_field_t filters[] = {
    { .name = "since",
      .type = LIMS_T_MOMENT,
      .doc = "Files looked at then or later: a date (its UTC day begins) or a timestamp." },
    { .name = "until",
      .type = LIMS_T_MOMENT_END,
      .doc = "Files looked at then or earlier: a date (the whole UTC day) or a timestamp." },
    { .name = "model", .type = LIMS_T_STRING, .max = 255, .doc = "Only what this model found." },
    LIMS_FIELD_END,
};

static const lims_route_t routes[] = {
    { .method = "GET",
      .path = "/extractions/calibration",
      .command = "extraction calibration",
      .operation = "calibrateExtraction",
      .summary = "How often values that a model found in files were right",
      .description =
          "Of each test the last extraction counts. Right is what was verified as it was found, or "
          "what a person entered by hand and is the same; wrong what stands otherwise now, or was "
          "taken back; the rest is open. By confidence, by the evidence that made it (the factors "
          "for sample, test, unit and a second look), and by model. atLeast is what the share is "
          "with 95 % certainty: before some 200 decided values keep the default threshold.",
      .flags = LIMS_R_TOOL | LIMS_R_NO_RECORD | LIMS_R_DOCUMENT,
      .query = filters,
      .status = 200,
      .statement = LIMS_STMT_EXTRACTION_CALIBRATION },
    LIMS_ROUTE_END,
};

static const lims_field_t no_fields[] = { LIMS_FIELD_END };

const lims_resource_t lims_extraction_calibration = {
    .name = "extraction",
    .title = "Extraction",
    .schema = "ExtractionCalibration",
    .doc = "Values that an AI service found in files, and what became of them.",
    .fields = no_fields,
    .routes = routes,
};
