/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profile_parse_values.c - the members about tests and their values, about rows
 * that are something else, and about writing.
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
      .doc = "The value is multiplied by this, exactly: `\"0.001\"`." },                           \
        { .name = "offset",                                                                        \
          .type = LIMS_M_DECIMAL,                                                                  \
          .offset = offsetof(lims_conversion_t, offset),                                           \
          .fallback = "0",                                                                         \
          .doc = "Then this is added." },                                                          \
        { .name = "decimals",                                                                      \
          .type = LIMS_M_INTEGER,                                                                  \
          .offset = offsetof(lims_conversion_t, decimals),                                         \
          .min = -1,                                                                               \
          .max = 30,                                                                               \
          .fallback = "-1",                                                                        \
          .doc = "Then it is rounded to so many digits behind the point; -1: not at all." },       \
    {                                                                                              \
        .name = "rounding", .type = LIMS_M_ENUM, .offset = offsetof(lims_conversion_t, rounding),  \
        .values = roundings, .fallback = "halfEven",                                               \
        .doc = "Where a half goes: to the even digit, or away from zero."                          \
    }

static const lims_member_t convert_members[] = {
    FACTOR_MEMBERS,
    LIMS_MEMBER_END,
};

static const lims_shape_t shape_convert = {
    .title = "tests[].convert",
    .doc = "From `fileUnit` to `unit`.",
    .members = convert_members,
    .size = sizeof(lims_conversion_t),
    .check = lims_check_conversion,
};

static const lims_member_t choice_members[] = {
    { .name = "text",
      .type = LIMS_M_NAME,
      .flags = LIMS_M_REQUIRED | LIMS_M_BLANK,
      .offset = offsetof(lims_choice_t, text),
      .doc = "What the file says." },
    { .name = "write",
      .type = LIMS_M_TEXT,
      .flags = LIMS_M_REQUIRED,
      .offset = offsetof(lims_choice_t, write),
      .doc = "What is written as the result." },
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
      .doc = "Instead of `columns." member "`, for this test." }
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
    .doc = "Sources of one test, where they are not those of the others.",
    .members = test_column_members,
    .size = LIMS_COLUMN_COUNT * sizeof(lims_source_t *),
};

static const lims_member_t test_members[] = {
    { .name = "name",
      .type = LIMS_M_NAMES,
      .flags = LIMS_M_REQUIRED,
      .offset = offsetof(lims_test_t, names),
      .max = 50,
      .doc =
          "What the file calls the test, or several such names: in layout wide the header, in "
          "keyvalue the key, in xml and json the path of the value; elsewhere what `columns.test` "
          "gives. Capitals, blanks and kinds of µ do not matter." },
    { .name = "testCode",
      .type = LIMS_M_TEXT,
      .flags = LIMS_M_REQUIRED,
      .offset = offsetof(lims_test_t, test_code),
      .max = 64,
      .doc = "The code of the organization's test definition." },
    { .name = "kind",
      .type = LIMS_M_ENUM,
      .offset = offsetof(lims_test_t, kind),
      .values = kinds,
      .fallback = "numeric",
      .doc = "What its values are: numbers, any text, or one of `values`." },
    { .name = "unit",
      .type = LIMS_M_TEXT,
      .flags = LIMS_M_BLANK,
      .offset = offsetof(lims_test_t, unit),
      .max = 64,
      .doc = "The unit of the results that are written; `\"\"` for none. Without it units are not "
             "looked at." },
    { .name = "fileUnit",
      .type = LIMS_M_TEXT,
      .flags = LIMS_M_BLANK,
      .offset = offsetof(lims_test_t, file_unit),
      .max = 64,
      .doc = "The unit of the file's values where the file does not say it; without it `unit`." },
    { .name = "convert",
      .type = LIMS_M_OPTIONAL,
      .offset = offsetof(lims_test_t, convert),
      .shape = &shape_convert,
      .doc = "How to come from `fileUnit` to `unit`." },
    { .name = "values",
      .type = LIMS_M_LIST,
      .offset = offsetof(lims_test_t, values),
      .min = 1,
      .max = 200,
      .shape = &shape_choice,
      .doc = "Of kind choice: every text there is, others are `unknown_qualifier`. Of kind text: "
             "those that are written as another." },
    { .name = "replicate",
      .type = LIMS_M_TEXT,
      .offset = offsetof(lims_test_t, replicate),
      .max = 64,
      .doc = "The replicate that is this test, where `replicates` is distinctTests." },
    { .name = "optional",
      .type = LIMS_M_BOOLEAN,
      .offset = offsetof(lims_test_t, optional),
      .fallback = "false",
      .doc = "Layouts wide, grouped, keyvalue, xml and json: not every file has its column, group, "
             "key "
             "or element. One that has none of the tests is refused nevertheless. Where a name "
             "of the file is a letter away from the missing one, and the profile names it nowhere, "
             "the file has a note." },
    { .name = "columns",
      .type = LIMS_M_OBJECT,
      .offset = offsetof(lims_test_t, columns),
      .shape = &shape_test_columns,
      .doc = "Sources of this test alone." },
    LIMS_MEMBER_END,
};

const lims_shape_t lims_shape_test = {
    .title = "tests[]",
    .doc = "One test.",
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
      .doc = "The decimal sign, `.` or `,`. Results are written with a point." },
    { .name = "group",
      .type = LIMS_M_SIGNS,
      .offset = offsetof(lims_numbers_t, group),
      .max = 4,
      .doc = "Signs that group thousands: `[\",\"]`, `[\"'\"]`, `[\" \"]` (which is every kind of "
             "blank). Without it none does." },
    { .name = "scientific",
      .type = LIMS_M_BOOLEAN,
      .offset = offsetof(lims_numbers_t, scientific),
      .fallback = "true",
      .doc = "`1.60E6` is a number." },
    { .name = "percent",
      .type = LIMS_M_ENUM,
      .offset = offsetof(lims_numbers_t, percent),
      .values = percents,
      .fallback = "refuse",
      .doc = "`10 %` is no number, or 10 in the unit %." },
    { .name = "blank",
      .type = LIMS_M_ENUM,
      .offset = offsetof(lims_numbers_t, blank),
      .values = blanks,
      .fallback = "quarantine",
      .doc = "A blank cell where a value is due: `missing_value`, or not taken. It is never 0." },
    LIMS_MEMBER_END,
};

const lims_shape_t lims_shape_numbers = {
    .title = "numbers",
    .doc = "How numbers are written in the file. What can be read in two ways is "
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
      .doc = "As the file has it." },
    { .name = "means",
      .type = LIMS_M_TEXT,
      .flags = LIMS_M_REQUIRED | LIMS_M_BLANK,
      .offset = offsetof(lims_unit_alias_t, means),
      .max = 64,
      .doc = "The same unit as tests have it." },
    LIMS_MEMBER_END,
};

static const lims_shape_t shape_alias = {
    .title = "units.aliases[]",
    .doc = "Another spelling of a unit.",
    .members = alias_members,
    .size = sizeof(lims_unit_alias_t),
};

static const lims_member_t conversion_members[] = {
    { .name = "from",
      .type = LIMS_M_TEXT,
      .flags = LIMS_M_REQUIRED,
      .offset = offsetof(lims_conversion_t, from),
      .max = 64,
      .doc = "The unit in the file." },
    { .name = "to",
      .type = LIMS_M_TEXT,
      .flags = LIMS_M_REQUIRED,
      .offset = offsetof(lims_conversion_t, to),
      .max = 64,
      .doc = "The test's." },
    FACTOR_MEMBERS,
    LIMS_MEMBER_END,
};

static const lims_shape_t shape_conversion = {
    .title = "units.conversions[]",
    .doc = "How one unit becomes another, for all tests; beside those that are built in.",
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
      .doc = "exact: spelt alike but for blanks and kinds of µ; alias: or another spelling of the "
             "same; convert: or convertible." },
    { .name = "aliases",
      .type = LIMS_M_LIST,
      .offset = offsetof(lims_units_t, aliases),
      .min = 1,
      .max = 200,
      .shape = &shape_alias,
      .doc = "Spellings beside those that are built in." },
    { .name = "conversions",
      .type = LIMS_M_LIST,
      .offset = offsetof(lims_units_t, conversions),
      .min = 1,
      .max = 200,
      .shape = &shape_conversion,
      .doc = "Needs `policy` convert." },
    LIMS_MEMBER_END,
};

const lims_shape_t lims_shape_units = {
    .title = "units",
    .doc = "How a unit in the file is compared with the test's.",
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
      .doc = "Whether values are of the sample already, or have to be multiplied." },
    { .name = "notation",
      .type = LIMS_M_ENUM,
      .offset = offsetof(lims_dilution_t, notation),
      .values = notations,
      .fallback = "factor",
      .doc = "How five-fold is written: factor `5`, ratio `1/5` or `1:5`, share `0.2`." },
    { .name = "required",
      .type = LIMS_M_BOOLEAN,
      .offset = offsetof(lims_dilution_t, required),
      .fallback = "false",
      .doc = "A blank is `dilution_missing`; otherwise it is 1." },
    LIMS_MEMBER_END,
};

const lims_shape_t lims_shape_dilution = {
    .title = "dilution",
    .doc = "What `columns.dilution` means.",
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
      .doc = "Which of several values counts: quarantine: `duplicate_row`, a person decides." },
    { .name = "count",
      .type = LIMS_M_INTEGER,
      .offset = offsetof(lims_replicates_t, count),
      .min = 2,
      .max = 100,
      .doc = "Of a mean: how many there have to be; else `replicate_unresolved`." },
    { .name = "decimals",
      .type = LIMS_M_INTEGER,
      .offset = offsetof(lims_replicates_t, decimals),
      .min = -1,
      .max = 30,
      .fallback = "-1",
      .doc = "Of a mean: digits behind the point; -1: as many as its values have at most." },
    { .name = "rounding",
      .type = LIMS_M_ENUM,
      .offset = offsetof(lims_replicates_t, rounding),
      .values = roundings,
      .fallback = "halfEven",
      .doc = "Of a mean." },
    LIMS_MEMBER_END,
};

const lims_shape_t lims_shape_replicates = {
    .title = "replicates",
    .doc = "What to do with several values of the same test of the same sample.",
    .members = replicate_members,
    .size = sizeof(lims_replicates_t),
    .check = lims_check_replicates,
};
