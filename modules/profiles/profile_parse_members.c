/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profile_parse_members.c - members of the profile object and its columns. The
 * members of sources are in profile_parse_source.c, about the file in
 * profile_parse_file.c, about tests and numbers in profile_parse_values.c, about
 * rows and writing in profile_parse_rows.c.
 */
#include <stddef.h>

#include "profiles/profile_parse.h"

/* --- columns --------------------------------------------------------------- */

/* clang-format off */
#define COLUMN(member, column, words)                                                \
    { .name = member,                                                                \
      .type = LIMS_M_OBJECT,                                                         \
      .flags = LIMS_M_SOURCE,                                                        \
      .offset = (column) * sizeof(lims_source_t),                                    \
      .shape = &lims_shape_source,                                                   \
      .doc = words }
/* clang-format on */

static const lims_member_t column_members[] = {
    COLUMN("trackingId", LIMS_COLUMN_TRACKING_ID,
           "Tracking id of the sample, exactly as it was registered except for blanks around it, "
           "or another name as `sample.by` says."),
    COLUMN("test", LIMS_COLUMN_TEST,
           "Name of the test in the file. Layouts long and matrix need it; grouped takes the "
           "group, transposed the row's label, astm `R-3.4`, hl7 `OBX-3.1`."),
    COLUMN("value", LIMS_COLUMN_VALUE,
           "Value of the result. Layouts long and grouped need it; astm takes `R-4` (of several "
           "components the only one that is not blank), hl7 `OBX-5`; in wide, transposed, keyvalue "
           "and matrix the test's own cell is the value, in xml and json its element may be. In "
           "layout transposed it declares that each sample has several columns, and which of them "
           "has the value."),
    COLUMN("unit", LIMS_COLUMN_UNIT, "Unit of the value. astm takes `R-5.1`, hl7 `OBX-6.1`."),
    COLUMN("qualifier", LIMS_COLUMN_QUALIFIER, "Qualifier beside the value: `<`, `>`, `J`, `U`."),
    COLUMN("dilution", LIMS_COLUMN_DILUTION, "Dilution of the sample; see `dilution`."),
    COLUMN("replicate", LIMS_COLUMN_REPLICATE, "Number of the replicate; see `replicates`."),
    COLUMN("sampleType", LIMS_COLUMN_SAMPLE_TYPE,
           "Type of what is measured: sample, blank, standard; for `rows`."),
    COLUMN("analysedAt", LIMS_COLUMN_ANALYSED_AT,
           "Time of the analysis, with its `format`. astm takes `R-13`."),
    COLUMN("analysedTime", LIMS_COLUMN_ANALYSED_TIME,
           "Time of day, where the file has it apart from the date. It is joined to the date with "
           "a blank before `analysedAt.format` applies, unless it has a `format` of its own."),
    COLUMN("operator", LIMS_COLUMN_OPERATOR, "Name of the operator."),
    COLUMN("comment", LIMS_COLUMN_COMMENT,
           "Remark, kept in the result's notes, unless they are to be printed on the certificate."),
    COLUMN("flag", LIMS_COLUMN_FLAG, "Flag of the instrument; see `qualifiers.flags`."),
    COLUMN("status", LIMS_COLUMN_STATUS,
           "Status of the result, which says whether it is final; see `rows.final`. astm takes "
           "`R-9`, hl7 `OBX-11`."),
    COLUMN("limit", LIMS_COLUMN_LIMIT, "Reporting limit, for `{limit}` in `qualifiers`."),
    LIMS_MEMBER_END,
};

_Static_assert(LIMS_LENGTH(column_members) == LIMS_COLUMN_COUNT + 1, "a member for every column");

const lims_shape_t lims_shape_columns = {
    .title = "columns",
    .doc = "Sources of the values that make up a row.",
    .members = column_members,
    .size = LIMS_COLUMN_COUNT * sizeof(lims_source_t),
    .check = lims_check_columns,
};

/* --- The profile ----------------------------------------------------------- */

/* clang-format off */
#define PART(member, part, its_shape, words)                                         \
    { .name = member,                                                                \
      .type = LIMS_M_OBJECT,                                                         \
      .offset = offsetof(lims_profile_t, part),                                      \
      .shape = &(its_shape),                                                         \
      .doc = words }
/* clang-format on */

static const char *const unknown_names[] = {
    [LIMS_UNKNOWN_QUARANTINE] = "quarantine",
    [LIMS_UNKNOWN_IGNORE] = "ignore",
    [LIMS_UNKNOWN_COUNT] = NULL,
};

static const lims_member_t profile_members[] = {
    { .name = "code",
      .type = LIMS_M_TEXT,
      .flags = LIMS_M_REQUIRED,
      .offset = offsetof(lims_profile_t, code),
      .max = 64,
      .doc = "Code of the profile, shared by its versions." },
    { .name = "name",
      .type = LIMS_M_TEXT,
      .flags = LIMS_M_REQUIRED,
      .offset = offsetof(lims_profile_t, name),
      .doc = "Name of the profile, for people." },
    { .name = "description",
      .type = LIMS_M_TEXT,
      .offset = offsetof(lims_profile_t, description),
      .max = 4000,
      .doc = "Description of the export: of which software it is, and special points about it." },
    { .name = "timeZone",
      .type = LIMS_M_TEXT,
      .offset = offsetof(lims_profile_t, time_zone),
      .max = 64,
      .doc = "Time zone of times that do not state theirs: `Europe/Zurich`. Without it the "
             "organization's." },
    { .name = "doubledHour",
      .type = LIMS_M_ENUM,
      .offset = offsetof(lims_profile_t, doubled_hour),
      .values = lims_doubled_names,
      .fallback = "quarantine",
      .doc = "Choice between the two instants that a time without a zone can mean when clocks are "
             "set back (25 October 2026, 02:30 in Zurich). Only for instruments whose software is "
             "known to write one of them; otherwise such a time is `timestamp_invalid`. A time "
             "that is skipped when clocks are set forward always is." },
    { .name = "layout",
      .type = LIMS_M_ENUM,
      .flags = LIMS_M_REQUIRED,
      .offset = offsetof(lims_profile_t, layout),
      .values = lims_layout_names,
      .doc = "Layout of the results in the file; see above." },
    { .name = "match",
      .type = LIMS_M_OBJECT,
      .flags = LIMS_M_REQUIRED,
      .offset = offsetof(lims_profile_t, match),
      .shape = &lims_shape_match,
      .doc = "Conditions for the files that the profile is for." },
    PART("decode", decode, lims_shape_decode, "Character encoding of a text file."),
    PART("dialect", dialect, lims_shape_dialect, "Rules by which lines are split into cells."),
    PART("table", table, lims_shape_table, "Location of the results in the file."),
    PART("columns", columns, lims_shape_columns, "Sources of the values that make up a row."),
    { .name = "tests",
      .type = LIMS_M_LIST,
      .flags = LIMS_M_REQUIRED,
      .offset = offsetof(lims_profile_t, tests),
      .min = 1,
      .max = 5000,
      .shape = &lims_shape_test,
      .doc = "Tests of the instrument, with the organization's test definitions." },
    { .name = "ignoreTests",
      .type = LIMS_M_NAMES,
      .offset = offsetof(lims_profile_t, ignore_tests),
      .max = 5000,
      .doc = "Tests of the instrument whose values are not taken." },
    { .name = "unknownTest",
      .type = LIMS_M_ENUM,
      .offset = offsetof(lims_profile_t, unknown_test),
      .values = unknown_names,
      .fallback = "quarantine",
      .doc = "Effect of a test that is in neither list. Layouts wide and keyvalue read only the "
             "columns and keys of `tests`, so there it has none." },
    PART("numbers", numbers, lims_shape_numbers, "Notation of numbers in the file."),
    PART("qualifiers", qualifiers, lims_shape_qualifiers, "Texts beside a number or in its place."),
    PART("units", units, lims_shape_units, "Rules for comparing and converting units."),
    PART("dilution", dilution, lims_shape_dilution, "Meaning of dilutions."),
    PART("replicates", replicates, lims_shape_replicates,
         "Treatment of several values of the same test of the same sample."),
    PART("rows", rows, lims_shape_rows, "Rules for rows that are no results of samples."),
    PART("integrity", integrity, lims_shape_integrity, "Proof that a file is complete."),
    PART("write", write, lims_shape_write, "Conditions under which results are written."),
    PART("sample", sample, lims_shape_sample, "Ways in which samples are found."),
    { .name = "goldenFiles",
      .type = LIMS_M_LIST,
      .offset = offsetof(lims_profile_t, golden_files),
      .min = 1,
      .max = 20,
      .shape = &lims_shape_golden,
      .doc = "Files with the readings that are expected of them." },
    LIMS_MEMBER_END,
};

const lims_shape_t lims_shape_profile = {
    .title = "The profile",
    .doc = "A profile is one JSON object.",
    .members = profile_members,
    .size = sizeof(lims_profile_t),
    .check = lims_check_profile,
};
