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
      .doc = "The column under this header. `Units#2` is the second of two headers `Units`." },
    { .name = "index",
      .type = LIMS_M_INTEGER,
      .offset = offsetof(lims_source_t, index),
      .min = 1,
      .max = LIMS_FILE_COLUMNS_MAX,
      .doc = "The column of this number, counted from 1." },
    { .name = "key",
      .type = LIMS_M_NAME,
      .offset = offsetof(lims_source_t, key),
      .doc = "What stands behind this key: `Sample ID : CLB001`, or the next cell." },
    { .name = "below",
      .type = LIMS_M_TEXT,
      .offset = offsetof(lims_source_t, below),
      .doc = "The cell below this label, outside of the table: `Barcode` in the row above, the "
             "code itself under it. `Plate#2` is below the second cell `Plate`; without a number "
             "all such labels have to have the same below them." },
    { .name = "field",
      .type = LIMS_M_TEXT,
      .offset = offsetof(lims_source_t, field.record),
      .doc = "A field of an ASTM record or an HL7 segment, with its component: `R-4`, `OBX-3.1`." },
    { .name = "path",
      .type = LIMS_M_TEXT,
      .offset = offsetof(lims_source_t, path),
      .doc = "An XML element or attribute, or a JSON member, seen from `table.element`: "
             "`Concentration`, `../@id`, `/File/Assay/Units`, `*/value`. Several elements that it "
             "leads to have to say the same; `Peak#2` is the second of its name." },
    { .name = "text",
      .type = LIMS_M_TEXT,
      .offset = offsetof(lims_source_t, text),
      .doc = "This text itself, where the file does not say it." },
    { .name = "from",
      .type = LIMS_M_ENUM,
      .offset = offsetof(lims_source_t, from),
      .values = lims_from_names,
      .doc = "Another place: the file's name, the sheet's, what `table.block.start` captured, the "
             "header of the group (of a test, in transposed of a sample), the labels of row and "
             "column, both together, the plate map." },
    { .name = "join",
      .type = LIMS_M_LIST,
      .flags = LIMS_M_SOURCE,
      .offset = offsetof(lims_source_t, join),
      .min = 2,
      .max = 8,
      .shape = &lims_shape_source,
      .doc = "Several sources, joined in this order: plate and well, number and position. If one "
             "of them is blank, the whole is." },
    { .name = "separator",
      .type = LIMS_M_TEXT,
      .flags = LIMS_M_BLANK,
      .offset = offsetof(lims_source_t, separator),
      .max = 8,
      .doc = "Of a `join`: what stands between them, `\"-\"`; without it nothing." },
    { .name = "regex",
      .type = LIMS_M_REGEX,
      .offset = offsetof(lims_source_t, regex),
      .doc = "Takes only what this captures, or all that it matches; what it does not match counts "
             "as blank." },
    { .name = "format",
      .type = LIMS_M_TEXTS,
      .offset = offsetof(lims_source_t, formats),
      .max = 8,
      .doc = "Of `analysedAt` and `analysedTime`: how the time is written, from `yyyy yy MMMM MMM "
             "MM M dd d HH H hh h mm ss SSS a Z` and signs that are no letters, literally; words "
             "in apostrophes. Of several, those that fit a text have to make the same time of it; "
             "where they do not, `3/4/2026`, the other times of the file tell, by formats that do "
             "not fit them, or else it is `timestamp_invalid`. Without it ISO 8601, also without "
             "separators." },
    { .name = "optional",
      .type = LIMS_M_BOOLEAN,
      .offset = offsetof(lims_source_t, optional),
      .fallback = "false",
      .doc = "Of a `header` of `analysedAt`, `analysedTime`, `operator` and `comment`: not every "
             "file has this column; otherwise one without it is `structure_mismatch`." },
    LIMS_MEMBER_END,
};

const lims_shape_t lims_shape_source = {
    .title = "A source",
    .doc =
        "Where a text stands: exactly one of `header`, `index`, `key`, `below`, `field`, `path`, "
        "`text`, `from` and `join`. A string alone is short for the natural one of the layout: "
        "`\"Sample "
        "ID\"` is `{\"header\": \"Sample ID\"}`, a `key` in layout keyvalue, a `field` in astm "
        "and hl7, a `path` in xml and json.",
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
      .doc = "What `columns` declares under this name, after its `regex`." },
    { .name = "header",
      .type = LIMS_M_TEXT,
      .offset = offsetof(lims_condition_t, source.header),
      .doc = "Or another source, as above." },
    { .name = "index",
      .type = LIMS_M_INTEGER,
      .offset = offsetof(lims_condition_t, source.index),
      .min = 1,
      .max = LIMS_FILE_COLUMNS_MAX,
      .doc = "Or this." },
    { .name = "key",
      .type = LIMS_M_NAME,
      .offset = offsetof(lims_condition_t, source.key),
      .doc = "Or this." },
    { .name = "below",
      .type = LIMS_M_TEXT,
      .offset = offsetof(lims_condition_t, source.below),
      .doc = "Or this." },
    { .name = "field",
      .type = LIMS_M_TEXT,
      .offset = offsetof(lims_condition_t, source.field.record),
      .doc = "Or this." },
    { .name = "path",
      .type = LIMS_M_TEXT,
      .offset = offsetof(lims_condition_t, source.path),
      .doc = "Or this." },
    { .name = "from",
      .type = LIMS_M_ENUM,
      .offset = offsetof(lims_condition_t, source.from),
      .values = lims_from_names,
      .doc = "Or this." },
    { .name = "equals",
      .type = LIMS_M_TEXTS,
      .flags = LIMS_M_BLANK,
      .offset = offsetof(lims_condition_t, equals),
      .max = 500,
      .doc = "Is exactly this, or one of these, without blanks around it. `\"\"` is a blank." },
    { .name = "matches",
      .type = LIMS_M_REGEX,
      .offset = offsetof(lims_condition_t, matches),
      .doc = "Matches this expression somewhere; `^…$` is the whole." },
    BOUND("less", less,
          "Is a number less than this, as the file has it: `numbers` says how it is "
          "written, no dilution and no conversion is applied. A blank and a text of "
          "`qualifiers.tokens` are no number, and no bound holds for them; any other "
          "text that is none holds the file back."),
    BOUND("atMost", at_most, "Or is a number that is not larger than this."),
    BOUND("atLeast", at_least, "Or is a number that is not less than this."),
    BOUND("more", more, "Or is a number larger than this. Of several bounds each has to hold."),
    LIMS_MEMBER_END,
};

const lims_shape_t lims_shape_condition = {
    .title = "A condition",
    .doc = "Whether a row is of some kind: `column` or one source, and `equals`, `matches` or "
           "bounds of a number.",
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
           "The sample's tracking id, exactly as it was registered but for blanks around it, or "
           "what else `sample.by` says."),
    COLUMN("test", LIMS_COLUMN_TEST,
           "The instrument's name of the test. Layouts long and matrix need it; grouped takes the "
           "group, transposed the row's label, astm `R-3.4`, hl7 `OBX-3.1`."),
    COLUMN("value", LIMS_COLUMN_VALUE,
           "The value. Long and grouped need it; astm takes `R-4` (of several "
           "components the only one that says something), hl7 `OBX-5`; wide, transposed, "
           "keyvalue and matrix have it in the place itself, xml and json may. In layout "
           "transposed it says that each sample has several columns, and which of them it is."),
    COLUMN("unit", LIMS_COLUMN_UNIT, "The unit. astm takes `R-5.1`, hl7 `OBX-6.1`."),
    COLUMN("qualifier", LIMS_COLUMN_QUALIFIER, "A column of `<`, `>`, `J`, `U` beside the value."),
    COLUMN("dilution", LIMS_COLUMN_DILUTION, "The dilution; see `dilution`."),
    COLUMN("replicate", LIMS_COLUMN_REPLICATE, "Which of several measurements; see `replicates`."),
    COLUMN("sampleType", LIMS_COLUMN_SAMPLE_TYPE,
           "What is measured: a sample, a blank, a standard; for `rows`."),
    COLUMN("analysedAt", LIMS_COLUMN_ANALYSED_AT,
           "When it was measured, with its `format`. astm takes `R-13`."),
    COLUMN("analysedTime", LIMS_COLUMN_ANALYSED_TIME,
           "The time of day where it stands apart: joined to the date with a blank before "
           "`analysedAt.format` applies, unless it has a `format` of its own."),
    COLUMN("operator", LIMS_COLUMN_OPERATOR, "Who measured it."),
    COLUMN("comment", LIMS_COLUMN_COMMENT, "A remark, kept in the result's notes."),
    COLUMN("flag", LIMS_COLUMN_FLAG, "The instrument's flag; see `qualifiers.flags`."),
    COLUMN("status", LIMS_COLUMN_STATUS,
           "Whether the result is final; see `rows.final`. astm takes `R-9`, hl7 `OBX-11`."),
    COLUMN("limit", LIMS_COLUMN_LIMIT, "The reporting limit, for `{limit}` in tokens."),
    LIMS_MEMBER_END,
};

_Static_assert(LIMS_LENGTH(column_members) == LIMS_COLUMN_COUNT + 1, "a member for every column");

const lims_shape_t lims_shape_columns = {
    .title = "columns",
    .doc = "What a row consists of: each a source.",
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
      .doc = "By which the profile is called; versions of a profile share it." },
    { .name = "name",
      .type = LIMS_M_TEXT,
      .flags = LIMS_M_REQUIRED,
      .offset = offsetof(lims_profile_t, name),
      .doc = "For people." },
    { .name = "description",
      .type = LIMS_M_TEXT,
      .offset = offsetof(lims_profile_t, description),
      .max = 4000,
      .doc = "Which export of which software this is, and what to know about it." },
    { .name = "timeZone",
      .type = LIMS_M_TEXT,
      .offset = offsetof(lims_profile_t, time_zone),
      .max = 64,
      .doc = "Of times that do not say theirs: `Europe/Zurich`. Without it the organization's." },
    { .name = "doubledHour",
      .type = LIMS_M_ENUM,
      .offset = offsetof(lims_profile_t, doubled_hour),
      .values = lims_doubled_names,
      .fallback = "quarantine",
      .doc = "Which of the two a time is that does not say its zone and comes twice, when clocks "
             "are set back (25 October 2026, 02:30 in Zurich). Only for instruments whose software "
             "is known to write the one or the other; else such a time is `timestamp_invalid`, as "
             "is always one that is skipped when clocks are set forward." },
    { .name = "layout",
      .type = LIMS_M_ENUM,
      .flags = LIMS_M_REQUIRED,
      .offset = offsetof(lims_profile_t, layout),
      .values = lims_layout_names,
      .doc = "How results lie in the file; see above." },
    { .name = "match",
      .type = LIMS_M_OBJECT,
      .flags = LIMS_M_REQUIRED,
      .offset = offsetof(lims_profile_t, match),
      .shape = &lims_shape_match,
      .doc = "Which files the profile is for." },
    PART("decode", decode, lims_shape_decode, "Characters."),
    PART("dialect", dialect, lims_shape_dialect, "Lines into cells."),
    PART("table", table, lims_shape_table, "Where the results are."),
    PART("columns", columns, lims_shape_columns, "What a row consists of."),
    { .name = "tests",
      .type = LIMS_M_LIST,
      .flags = LIMS_M_REQUIRED,
      .offset = offsetof(lims_profile_t, tests),
      .min = 1,
      .max = 5000,
      .shape = &lims_shape_test,
      .doc = "The instrument's tests and the organization's." },
    { .name = "ignoreTests",
      .type = LIMS_M_NAMES,
      .offset = offsetof(lims_profile_t, ignore_tests),
      .max = 5000,
      .doc = "The instrument's tests whose values are not taken." },
    { .name = "unknownTest",
      .type = LIMS_M_ENUM,
      .offset = offsetof(lims_profile_t, unknown_test),
      .values = unknown_names,
      .fallback = "quarantine",
      .doc = "What a test in neither list does to the file. (Layouts wide and keyvalue read the "
             "columns and keys of `tests` alone: others are none.)" },
    PART("numbers", numbers, lims_shape_numbers, "How numbers are written."),
    PART("qualifiers", qualifiers, lims_shape_qualifiers, "What stands beside or for a number."),
    PART("units", units, lims_shape_units, "How strictly units are compared."),
    PART("dilution", dilution, lims_shape_dilution, "What a dilution means."),
    PART("replicates", replicates, lims_shape_replicates,
         "The same test of the same sample again."),
    PART("rows", rows, lims_shape_rows, "Rows that are no results of samples."),
    PART("integrity", integrity, lims_shape_integrity, "What tells that the file is whole."),
    PART("write", write, lims_shape_write, "When results may be written."),
    PART("sample", sample, lims_shape_sample, "By what samples are found."),
    { .name = "goldenFiles",
      .type = LIMS_M_LIST,
      .offset = offsetof(lims_profile_t, golden_files),
      .min = 1,
      .max = 20,
      .shape = &lims_shape_golden,
      .doc = "Files and what has to be read of them." },
    LIMS_MEMBER_END,
};

const lims_shape_t lims_shape_profile = {
    .title = "The profile",
    .doc = "One JSON object.",
    .members = profile_members,
    .size = sizeof(lims_profile_t),
    .check = lims_check_profile,
};
