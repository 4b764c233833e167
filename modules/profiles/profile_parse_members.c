/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profile_parse_members.c - the members of a profile itself, its columns, and
 * how it says where a text stands. Those about the file are tabled in
 * profile_parse_file.c, those about values in profile_parse_values.c.
 */
#include <stddef.h>

#include "profiles/profile_parse.h"

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

/* --- Sources and conditions ------------------------------------------------ */

static const lims_member_t source_members[] = {
    { .name = "header",
      .type = LIMS_M_TEXT,
      .offset = offsetof(lims_source_t, header),
      .doc = "Header of the column. `Units#2` is the second of two headers `Units`." },
    { .name = "index",
      .type = LIMS_M_INTEGER,
      .offset = offsetof(lims_source_t, index),
      .min = 1,
      .max = LIMS_FILE_COLUMNS_MAX,
      .doc = "Number of the column, counted from 1." },
    { .name = "key",
      .type = LIMS_M_NAME,
      .offset = offsetof(lims_source_t, key),
      .doc = "Key before the value: `Sample ID : CLB001`, or with the value in the next cell." },
    { .name = "below",
      .type = LIMS_M_TEXT,
      .offset = offsetof(lims_source_t, below),
      .doc = "Label above the value, outside of the table: `Barcode` in one row, the code itself "
             "below it. `Plate#2` is the second cell `Plate`; without a number all such labels "
             "have to have the same value below them." },
    { .name = "field",
      .type = LIMS_M_TEXT,
      .offset = offsetof(lims_source_t, field.record),
      .doc = "Field of an ASTM record or an HL7 segment, with its component: `R-4`, `OBX-3.1`." },
    { .name = "path",
      .type = LIMS_M_TEXT,
      .offset = offsetof(lims_source_t, path),
      .doc =
          "Path of an XML element or attribute, or of a JSON member, relative to `table.element`: "
          "`Concentration`, `../@id`, `/File/Assay/Units`, `*/value`. If it leads to several "
          "elements, they have to have the same value; `Peak#2` is the second of its name." },
    { .name = "text",
      .type = LIMS_M_TEXT,
      .offset = offsetof(lims_source_t, text),
      .doc = "Constant text, where the file does not have it." },
    { .name = "from",
      .type = LIMS_M_ENUM,
      .offset = offsetof(lims_source_t, from),
      .values = lims_from_names,
      .doc = "Source outside of the row: the file's name, the sheet's name, the text captured by "
             "`table.block.start`, the header of the group (of the test, in layout transposed of "
             "the sample), the labels of row and column, both together, the plate map." },
    { .name = "join",
      .type = LIMS_M_LIST,
      .flags = LIMS_M_SOURCE,
      .offset = offsetof(lims_source_t, join),
      .min = 2,
      .max = 8,
      .shape = &lims_shape_source,
      .doc = "Sources that are joined in this order: plate and well, number and position. If one "
             "of them is blank, the result is blank." },
    { .name = "separator",
      .type = LIMS_M_TEXT,
      .flags = LIMS_M_BLANK,
      .offset = offsetof(lims_source_t, separator),
      .max = 8,
      .doc = "Separator between the sources of a `join`, `\"-\"`; without it there is none." },
    { .name = "regex",
      .type = LIMS_M_REGEX,
      .offset = offsetof(lims_source_t, regex),
      .doc = "Expression of which only the captured text is taken, or everything that it matches; "
             "a text that does not match counts as blank." },
    { .name = "format",
      .type = LIMS_M_TEXTS,
      .offset = offsetof(lims_source_t, formats),
      .max = 8,
      .doc = "Format of the time in `analysedAt` and `analysedTime`, made of `yyyy yy MMMM MMM MM "
             "M dd d HH H hh h mm ss SSS a Z`, of signs other than letters, which stand for "
             "themselves, and of words in apostrophes. If several formats fit a text, they have to "
             "give the same time. Where they do not, `3/4/2026`, the other times of the file "
             "decide, by formats that do not fit them; or else it is `timestamp_invalid`. Without "
             "`format`: ISO 8601, also without separators." },
    { .name = "optional",
      .type = LIMS_M_BOOLEAN,
      .offset = offsetof(lims_source_t, optional),
      .fallback = "false",
      .doc = "Whether the file may lack this column, a `header` of `analysedAt`, `analysedTime`, "
             "`operator` or `comment`; otherwise a file without it is `structure_mismatch`." },
    LIMS_MEMBER_END,
};

const lims_shape_t lims_shape_source = {
    .title = "A source",
    .doc = "The source of a text: exactly one of `header`, `index`, `key`, `below`, `field`, "
           "`path`, `text`, `from` and `join`. A string alone is short for the usual one of the "
           "layout: `\"Sample ID\"` is `{\"header\": \"Sample ID\"}`, a `key` in layout keyvalue, "
           "a `field` in astm and hl7, a `path` in xml and json.",
    .members = source_members,
    .size = sizeof(lims_source_t),
    .check = lims_check_source,
};

/* clang-format off */
#define BOUND(member, part, words)                                                   \
    { .name = member,                                                                \
      .type = LIMS_M_DECIMAL,                                                        \
      .offset = offsetof(lims_condition_t, part),                                    \
      .doc = words }
/* clang-format on */

static const lims_member_t condition_members[] = {
    { .name = "column",
      .type = LIMS_M_ENUM,
      .offset = offsetof(lims_condition_t, column),
      .values = lims_column_names,
      .doc = "Name of a member of `columns`, whose text is compared, after its `regex`." },
    { .name = "header",
      .type = LIMS_M_TEXT,
      .offset = offsetof(lims_condition_t, source.header),
      .doc = "Header of the column to compare, instead of `column`." },
    { .name = "index",
      .type = LIMS_M_INTEGER,
      .offset = offsetof(lims_condition_t, source.index),
      .min = 1,
      .max = LIMS_FILE_COLUMNS_MAX,
      .doc = "Number of the column to compare, instead of `column`." },
    { .name = "key",
      .type = LIMS_M_NAME,
      .offset = offsetof(lims_condition_t, source.key),
      .doc = "Key before the value to compare, instead of `column`." },
    { .name = "below",
      .type = LIMS_M_TEXT,
      .offset = offsetof(lims_condition_t, source.below),
      .doc = "Label above the value to compare, instead of `column`." },
    { .name = "field",
      .type = LIMS_M_TEXT,
      .offset = offsetof(lims_condition_t, source.field.record),
      .doc = "Field to compare, instead of `column`." },
    { .name = "path",
      .type = LIMS_M_TEXT,
      .offset = offsetof(lims_condition_t, source.path),
      .doc = "Path of the value to compare, instead of `column`." },
    { .name = "from",
      .type = LIMS_M_ENUM,
      .offset = offsetof(lims_condition_t, source.from),
      .values = lims_from_names,
      .doc = "Source outside of the row to compare, instead of `column`." },
    { .name = "equals",
      .type = LIMS_M_TEXTS,
      .flags = LIMS_M_BLANK,
      .offset = offsetof(lims_condition_t, equals),
      .max = 500,
      .doc = "Text that the value equals, or several, one of which it equals, without blanks "
             "around it. "
             "`\"\"` is a blank." },
    { .name = "matches",
      .type = LIMS_M_REGEX,
      .offset = offsetof(lims_condition_t, matches),
      .doc = "Expression that some part of the text matches; `^…$` is for the whole text." },
    BOUND("less", less,
          "Upper bound, exclusive: the value is a number less than this, as the file has it: "
          "`numbers` says how it is written, and no dilution or conversion is applied. A blank and "
          "a text of `qualifiers.tokens` are no numbers, and no bound holds for them; any other "
          "text that is no number holds the file back."),
    BOUND("atMost", at_most, "Upper bound, inclusive: the value is a number that is at most this."),
    BOUND("atLeast", at_least,
          "Lower bound, inclusive: the value is a number that is at least this."),
    BOUND("more", more,
          "Lower bound, exclusive: the value is a number larger than this. If several bounds are "
          "given, all have to hold."),
    LIMS_MEMBER_END,
};

const lims_shape_t lims_shape_condition = {
    .title = "A condition",
    .doc = "A condition for a row: `column` or one source, and `equals`, `matches` or bounds of a "
           "number.",
    .members = condition_members,
    .size = sizeof(lims_condition_t),
    .check = lims_check_condition,
};

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
    COLUMN("comment", LIMS_COLUMN_COMMENT, "Remark, kept in the result's notes."),
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

const char *const lims_doubled_names[] = {
    [LIMS_DOUBLED_QUARANTINE] = "quarantine",
    [LIMS_DOUBLED_FIRST] = "first",
    [LIMS_DOUBLED_SECOND] = "second",
    [LIMS_DOUBLED_COUNT] = NULL,
};
_Static_assert(LIMS_LENGTH(lims_doubled_names) == LIMS_DOUBLED_COUNT + 1, "a name for each choice");

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
