/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profile_parse_values.c - the members about tests and their values: names, numbers,
 * units, dilution and replicates.
 */
#include <stddef.h>

#include "profiles/profile_parse.h"

/* --- tests ----------------------------------------------------------------- */

static const char *const kinds[] = {
    [LIMS_KIND_NUMERIC] = "numeric",
    [LIMS_KIND_TEXT] = "text",
    [LIMS_KIND_CHOICE] = "choice",
    [LIMS_KIND_COUNT] = NULL,
};

static const char *const roundings[] = {
    [LIMS_ROUND_HALF_EVEN] = "halfEven",
    [LIMS_ROUND_HALF_UP] = "halfUp",
    [LIMS_ROUND_COUNT] = NULL,
};

#define FACTOR_MEMBERS                                                                             \
    { .name = "factor",                                                                            \
      .type = LIMS_M_DECIMAL,                                                                      \
      .flags = LIMS_M_REQUIRED,                                                                    \
      .offset = offsetof(lims_conversion_t, factor),                                               \
      .doc = "Factor by which the value is multiplied, exactly: `\"0.001\"`." },                   \
        { .name = "offset",                                                                        \
          .type = LIMS_M_DECIMAL,                                                                  \
          .offset = offsetof(lims_conversion_t, offset),                                           \
          .fallback = "0",                                                                         \
          .doc = "Number that is added after the multiplication." },                               \
        { .name = "decimals",                                                                      \
          .type = LIMS_M_INTEGER,                                                                  \
          .offset = offsetof(lims_conversion_t, decimals),                                         \
          .min = -1,                                                                               \
          .max = 30,                                                                               \
          .fallback = "-1",                                                                        \
          .doc =                                                                                   \
              "Number of decimals to which the value is then rounded; -1: it is not rounded." },   \
    {                                                                                              \
        .name = "rounding", .type = LIMS_M_ENUM, .offset = offsetof(lims_conversion_t, rounding),  \
        .values = roundings, .fallback = "halfEven",                                               \
        .doc = "Rounding of a half: to the even digit, or away from zero."                         \
    }

static const lims_member_t convert_members[] = {
    FACTOR_MEMBERS,
    LIMS_MEMBER_END,
};

static const lims_shape_t shape_convert = {
    .title = "tests[].convert",
    .doc = "Conversion from `fileUnit` to `unit`.",
    .members = convert_members,
    .size = sizeof(lims_conversion_t),
    .check = lims_check_conversion,
};

static const lims_member_t choice_members[] = {
    { .name = "text",
      .type = LIMS_M_NAME,
      .flags = LIMS_M_REQUIRED | LIMS_M_BLANK,
      .offset = offsetof(lims_choice_t, text),
      .doc = "Text in the file." },
    { .name = "write",
      .type = LIMS_M_TEXT,
      .flags = LIMS_M_REQUIRED,
      .offset = offsetof(lims_choice_t, write),
      .doc = "Text that is written as the result." },
    LIMS_MEMBER_END,
};

static const lims_shape_t shape_choice = {
    .title = "tests[].values",
    .doc = "One of the texts that a test's value can be.",
    .members = choice_members,
    .size = sizeof(lims_choice_t),
};

/* clang-format off */
#define COLUMN(member, column)                                                       \
    { .name = member,                                                                \
      .type = LIMS_M_OPTIONAL,                                                       \
      .flags = LIMS_M_SOURCE,                                                        \
      .offset = (column) * sizeof(lims_source_t *),                                  \
      .shape = &lims_shape_source,                                                   \
      .doc = "Source for this test, instead of `columns." member "`." }
/* clang-format on */

static const lims_member_t test_column_members[] = {
    COLUMN("value", LIMS_COLUMN_VALUE),
    COLUMN("unit", LIMS_COLUMN_UNIT),
    COLUMN("qualifier", LIMS_COLUMN_QUALIFIER),
    COLUMN("dilution", LIMS_COLUMN_DILUTION),
    COLUMN("flag", LIMS_COLUMN_FLAG),
    COLUMN("limit", LIMS_COLUMN_LIMIT),
    LIMS_MEMBER_END,
};

static const lims_shape_t shape_test_columns = {
    .title = "tests[].columns",
    .doc = "Sources of one test, where they differ from those of the others.",
    .members = test_column_members,
    .size = LIMS_COLUMN_COUNT * sizeof(lims_source_t *),
};

static const lims_member_t test_members[] = {
    { .name = "name",
      .type = LIMS_M_NAMES,
      .flags = LIMS_M_REQUIRED,
      .offset = offsetof(lims_test_t, names),
      .max = 50,
      .doc = "Name of the test in the file, or several such names: in layout wide the header, in "
             "keyvalue the key, in xml and json the path of the value; elsewhere the text of "
             "`columns.test`. Capitals, blanks and kinds of µ do not matter." },
    { .name = "testCode",
      .type = LIMS_M_TEXT,
      .flags = LIMS_M_REQUIRED,
      .offset = offsetof(lims_test_t, test_code),
      .max = 64,
      .doc = "Code of the organization's test definition." },
    { .name = "kind",
      .type = LIMS_M_ENUM,
      .offset = offsetof(lims_test_t, kind),
      .values = kinds,
      .fallback = "numeric",
      .doc = "Kind of the test's values: numbers, any text, or one of `values`." },
    { .name = "unit",
      .type = LIMS_M_TEXT,
      .flags = LIMS_M_BLANK,
      .offset = offsetof(lims_test_t, unit),
      .max = 64,
      .doc = "Unit of the results that are written; `\"\"` for none. Without it units are not "
             "compared." },
    { .name = "fileUnit",
      .type = LIMS_M_TEXT,
      .flags = LIMS_M_BLANK,
      .offset = offsetof(lims_test_t, file_unit),
      .max = 64,
      .doc = "Unit of the file's values where the file does not state it; without it `unit`." },
    { .name = "convert",
      .type = LIMS_M_OPTIONAL,
      .offset = offsetof(lims_test_t, convert),
      .shape = &shape_convert,
      .doc = "Conversion from `fileUnit` to `unit`." },
    { .name = "values",
      .type = LIMS_M_LIST,
      .offset = offsetof(lims_test_t, values),
      .min = 1,
      .max = 200,
      .shape = &shape_choice,
      .doc = "Texts of the values. For kind choice: every text there is, others are "
             "`unknown_qualifier`. For kind text: those that are written as another." },
    { .name = "replicate",
      .type = LIMS_M_TEXT,
      .offset = offsetof(lims_test_t, replicate),
      .max = 64,
      .doc = "Number of the replicate that is this test, where `replicates` is distinctTests." },
    { .name = "optional",
      .type = LIMS_M_BOOLEAN,
      .offset = offsetof(lims_test_t, optional),
      .fallback = "false",
      .doc = "Whether the file may lack the test's column, group, key or element, in layouts wide, "
             "grouped, keyvalue, xml and json. A file that has none of the tests is refused "
             "nevertheless. Where a name in the file differs by one letter from the missing one, "
             "and the profile names it nowhere, the file has a note." },
    { .name = "columns",
      .type = LIMS_M_OBJECT,
      .offset = offsetof(lims_test_t, columns),
      .shape = &shape_test_columns,
      .doc = "Sources of this test alone." },
    LIMS_MEMBER_END,
};

const lims_shape_t lims_shape_test = {
    .title = "tests[]",
    .doc = "A test of the instrument, with the organization's test definition.",
    .members = test_members,
    .size = sizeof(lims_test_t),
    .check = lims_check_test,
};

/* --- numbers, units, dilution, replicates ---------------------------------- */

static const char *const percents[] = {
    [LIMS_PERCENT_REFUSE] = "refuse",
    [LIMS_PERCENT_KEEP] = "keep",
    [LIMS_PERCENT_COUNT] = NULL,
};

static const char *const blanks[] = {
    [LIMS_BLANK_QUARANTINE] = "quarantine",
    [LIMS_BLANK_SKIP] = "skip",
    [LIMS_BLANK_COUNT] = NULL,
};

static const lims_member_t number_members[] = {
    { .name = "decimal",
      .type = LIMS_M_SIGN,
      .offset = offsetof(lims_numbers_t, decimal),
      .fallback = ".",
      .doc = "Decimal sign, `.` or `,`. Results are written with a point." },
    { .name = "group",
      .type = LIMS_M_SIGNS,
      .offset = offsetof(lims_numbers_t, group),
      .max = 4,
      .doc = "Signs between groups of thousands: `[\",\"]`, `[\"'\"]`, `[\" \"]` (which is every "
             "kind of blank). Without it there are none." },
    { .name = "scientific",
      .type = LIMS_M_BOOLEAN,
      .offset = offsetof(lims_numbers_t, scientific),
      .fallback = "true",
      .doc = "Whether `1.60E6` is a number." },
    { .name = "percent",
      .type = LIMS_M_ENUM,
      .offset = offsetof(lims_numbers_t, percent),
      .values = percents,
      .fallback = "refuse",
      .doc = "Treatment of `10 %`: no number, or 10 in the unit %." },
    { .name = "blank",
      .type = LIMS_M_ENUM,
      .offset = offsetof(lims_numbers_t, blank),
      .values = blanks,
      .fallback = "quarantine",
      .doc = "Treatment of a blank cell in place of a value: `missing_value`, or skipped. It is "
             "never 0." },
    LIMS_MEMBER_END,
};

const lims_shape_t lims_shape_numbers = {
    .title = "numbers",
    .doc = "Notation of numbers in the file. A text that can be read in two ways is "
           "`ambiguous_number`.",
    .members = number_members,
    .size = sizeof(lims_numbers_t),
    .check = lims_check_numbers,
};

static const char *const unit_policies[] = {
    [LIMS_UNITS_EXACT] = "exact",
    [LIMS_UNITS_ALIAS] = "alias",
    [LIMS_UNITS_CONVERT] = "convert",
    [LIMS_UNITS_COUNT] = NULL,
};

static const lims_member_t alias_members[] = {
    { .name = "text",
      .type = LIMS_M_TEXT,
      .flags = LIMS_M_REQUIRED,
      .offset = offsetof(lims_unit_alias_t, text),
      .max = 64,
      .doc = "Spelling of the unit in the file." },
    { .name = "means",
      .type = LIMS_M_TEXT,
      .flags = LIMS_M_REQUIRED | LIMS_M_BLANK,
      .offset = offsetof(lims_unit_alias_t, means),
      .max = 64,
      .doc = "Spelling of the same unit in test definitions." },
    LIMS_MEMBER_END,
};

static const lims_shape_t shape_alias = {
    .title = "units.aliases[]",
    .doc = "A spelling of a unit, other than that of the test definitions.",
    .members = alias_members,
    .size = sizeof(lims_unit_alias_t),
};

static const lims_member_t conversion_members[] = {
    { .name = "from",
      .type = LIMS_M_TEXT,
      .flags = LIMS_M_REQUIRED,
      .offset = offsetof(lims_conversion_t, from),
      .max = 64,
      .doc = "Unit of the value in the file." },
    { .name = "to",
      .type = LIMS_M_TEXT,
      .flags = LIMS_M_REQUIRED,
      .offset = offsetof(lims_conversion_t, to),
      .max = 64,
      .doc = "Unit of the test." },
    FACTOR_MEMBERS,
    LIMS_MEMBER_END,
};

static const lims_shape_t shape_conversion = {
    .title = "units.conversions[]",
    .doc = "A conversion between two units, for all tests, beside those that are built in.",
    .members = conversion_members,
    .size = sizeof(lims_conversion_t),
    .check = lims_check_conversion,
};

static const lims_member_t unit_members[] = {
    { .name = "policy",
      .type = LIMS_M_ENUM,
      .offset = offsetof(lims_units_t, policy),
      .values = unit_policies,
      .fallback = "alias",
      .doc = "Policy for comparing units. exact: the same spelling, except for blanks and kinds of "
             "µ; alias: or another spelling of the same unit; convert: or a unit that can be "
             "converted." },
    { .name = "aliases",
      .type = LIMS_M_LIST,
      .offset = offsetof(lims_units_t, aliases),
      .min = 1,
      .max = 200,
      .shape = &shape_alias,
      .doc = "Spellings of units beside those that are built in." },
    { .name = "conversions",
      .type = LIMS_M_LIST,
      .offset = offsetof(lims_units_t, conversions),
      .min = 1,
      .max = 200,
      .shape = &shape_conversion,
      .doc = "Conversions of units; they need `policy` convert." },
    LIMS_MEMBER_END,
};

const lims_shape_t lims_shape_units = {
    .title = "units",
    .doc = "Rules by which a unit in the file is compared with the test's.",
    .members = unit_members,
    .size = sizeof(lims_units_t),
    .check = lims_check_units,
};

static const char *const dilutions[] = {
    [LIMS_DILUTION_APPLIED] = "alreadyApplied",
    [LIMS_DILUTION_MULTIPLY] = "multiply",
    [LIMS_DILUTION_COUNT] = NULL,
};

static const char *const notations[] = {
    [LIMS_NOTATION_FACTOR] = "factor",
    [LIMS_NOTATION_RATIO] = "ratio",
    [LIMS_NOTATION_SHARE] = "share",
    [LIMS_NOTATION_COUNT] = NULL,
};

static const lims_member_t dilution_members[] = {
    { .name = "apply",
      .type = LIMS_M_ENUM,
      .offset = offsetof(lims_dilution_t, apply),
      .values = dilutions,
      .fallback = "alreadyApplied",
      .doc = "Whether values already apply to the undiluted sample, or have to be multiplied." },
    { .name = "notation",
      .type = LIMS_M_ENUM,
      .offset = offsetof(lims_dilution_t, notation),
      .values = notations,
      .fallback = "factor",
      .doc = "Notation of a five-fold dilution: factor `5`, ratio `1/5` or `1:5`, share `0.2`." },
    { .name = "required",
      .type = LIMS_M_BOOLEAN,
      .offset = offsetof(lims_dilution_t, required),
      .fallback = "false",
      .doc = "Whether a blank is `dilution_missing`; otherwise it means 1." },
    LIMS_MEMBER_END,
};

const lims_shape_t lims_shape_dilution = {
    .title = "dilution",
    .doc = "Meaning of `columns.dilution`.",
    .members = dilution_members,
    .size = sizeof(lims_dilution_t),
};

static const char *const replicate_policies[] = {
    [LIMS_REPLICATES_QUARANTINE] = "quarantine",
    [LIMS_REPLICATES_FIRST] = "first",
    [LIMS_REPLICATES_LAST] = "last",
    [LIMS_REPLICATES_MEAN] = "mean",
    [LIMS_REPLICATES_DISTINCT_TESTS] = "distinctTests",
    [LIMS_REPLICATES_COUNT] = NULL,
};

static const lims_member_t replicate_members[] = {
    { .name = "policy",
      .type = LIMS_M_ENUM,
      .offset = offsetof(lims_replicates_t, policy),
      .values = replicate_policies,
      .fallback = "quarantine",
      .doc = "Policy for choosing among several values. quarantine: `duplicate_row`, a person "
             "decides." },
    { .name = "count",
      .type = LIMS_M_INTEGER,
      .offset = offsetof(lims_replicates_t, count),
      .min = 2,
      .max = 100,
      .doc =
          "Number of values that a mean needs; otherwise the result is `replicate_unresolved`." },
    { .name = "decimals",
      .type = LIMS_M_INTEGER,
      .offset = offsetof(lims_replicates_t, decimals),
      .min = -1,
      .max = 30,
      .fallback = "-1",
      .doc = "Number of decimals of a mean; -1: as many as the values have at most." },
    { .name = "rounding",
      .type = LIMS_M_ENUM,
      .offset = offsetof(lims_replicates_t, rounding),
      .values = roundings,
      .fallback = "halfEven",
      .doc = "Rounding of a mean." },
    LIMS_MEMBER_END,
};

const lims_shape_t lims_shape_replicates = {
    .title = "replicates",
    .doc = "Treatment of several values of the same test of the same sample.",
    .members = replicate_members,
    .size = sizeof(lims_replicates_t),
    .check = lims_check_replicates,
};
