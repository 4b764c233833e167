/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profile_parse_source.c - members of sources and conditions, with their checks.
 */
#include <apr_lib.h>
#include <apr_strings.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "profiles/fold.h"
#include "profiles/profile_parse.h"

static bool given(const lims_json_t *node, const char *name)
{
    return lims_json_member(node, name);
}

/* --- Sources --------------------------------------------------------------- */

static const struct {
    const char *name;
    lims_source_e kind;
    unsigned layouts; /* layouts that have such a source, as bits */
} source_kinds[] = {
#define BIT(layout) (1U << LIMS_LAYOUT_##layout)
#define TABLES                                                                                     \
    (BIT(LONG) | BIT(WIDE) | BIT(GROUPED) | BIT(TRANSPOSED) | BIT(KEYVALUE) | BIT(MATRIX))
    { "header", LIMS_SOURCE_HEADER, TABLES },
    { "index", LIMS_SOURCE_INDEX, TABLES },
    { "key", LIMS_SOURCE_KEY, TABLES },
    { "below", LIMS_SOURCE_BELOW, TABLES },
    { "field", LIMS_SOURCE_FIELD, BIT(ASTM) | BIT(HL7) },
    { "path", LIMS_SOURCE_PATH, BIT(XML) | BIT(JSON) },
    { "text", LIMS_SOURCE_TEXT, ~0U },
    { "from", LIMS_SOURCE_FROM, ~0U },
    { "join", LIMS_SOURCE_JOIN, ~0U },
};

static const unsigned from_layouts[] = {
    [LIMS_FROM_FILE_NAME] = ~0U,
    [LIMS_FROM_SHEET_NAME] = TABLES,
    [LIMS_FROM_BLOCK] = TABLES,
    [LIMS_FROM_GROUP] = BIT(GROUPED) | BIT(TRANSPOSED),
    [LIMS_FROM_ROW_LABEL] = BIT(TRANSPOSED) | BIT(MATRIX),
    [LIMS_FROM_COLUMN_LABEL] = BIT(TRANSPOSED) | BIT(MATRIX),
    [LIMS_FROM_WELL] = BIT(MATRIX),
    [LIMS_FROM_MAP] = BIT(MATRIX),
};
_Static_assert(LIMS_LENGTH(from_layouts) == LIMS_FROM_COUNT, "layouts of every place");

/* Splits the occurrence from a header: "Units#2" is the second of equal headers. */
static void split_occurrence(lims_source_t *source, const char *text, int otherwise,
                             apr_pool_t *pool)
{
    const char *mark = strrchr(text, '#');
    apr_size_t length = strlen(text);

    source->occurrence = otherwise;
    if (mark && mark > text && mark[1] >= '1' && mark[1] <= '9' &&
        strspn(mark + 1, "0123456789") == strlen(mark + 1) && strlen(mark + 1) <= 4) {
        source->occurrence = (int)strtol(mark + 1, NULL, 10);
        length = (apr_size_t)(mark - text);
        source->numbered = true;
    }
    source->header = lims_fold(text, length, pool);
}

/* Splits a field reference: "R-4.1" is record, field number, component. */
static bool split_field(lims_source_t *source, lims_layout_e layout, apr_pool_t *pool)
{
    const char *text = source->field.record;
    apr_size_t name = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789");
    const char *number = text + name + 1;
    apr_size_t digits;

    if (name != (layout == LIMS_LAYOUT_ASTM ? 1U : 3U) || text[name] != '-') {
        return false;
    }
    digits = strspn(number, "0123456789");
    if (digits == 0 || digits > 3) {
        return false;
    }
    source->field.record = apr_pstrmemdup(pool, text, name);
    source->field.number = (int)strtol(number, NULL, 10);
    if (number[digits] == '.') {
        const char *component = number + digits + 1;

        digits = strspn(component, "0123456789");
        source->field.component = (int)strtol(component, NULL, 10);
        return digits > 0 && digits <= 3 && component[digits] == '\0' &&
               source->field.component > 0 && source->field.number > 0;
    }
    return number[digits] == '\0' && source->field.number > 0;
}

/* The letters of a format that matter together. */
enum {
    YEAR = 1,
    MONTH = 2,
    DAY = 4,
    MINUTE = 8,
    HOUR_OF_24 = 16,
    HOUR_OF_12 = 32,
    AFTERNOON = 64,
    DATE = YEAR | MONTH | DAY,
    CLOCK = HOUR_OF_24 | HOUR_OF_12 | AFTERNOON,
};

static unsigned meaning_of(char letter)
{
    switch (letter) {
    case 'y':
        return YEAR;
    case 'M':
        return MONTH;
    case 'd':
        return DAY;
    case 'm':
        return MINUTE;
    case 'H':
        return HOUR_OF_24;
    case 'h':
        return HOUR_OF_12;
    case 'a':
        return AFTERNOON;
    default:
        return 0;
    }
}

/* Whether the letters make a date, with a time or without, or a time of day. An hour of twelve
 * without the half of the day, or with 24 hours beside it, would be read twelve hours off. */
static bool letters_fit(unsigned seen, bool time_of_day)
{
    unsigned clock = seen & CLOCK;
    bool whole = clock == HOUR_OF_24 || clock == (HOUR_OF_12 | AFTERNOON);

    return time_of_day ? (seen & (DATE | MINUTE)) == MINUTE && whole
                       : (seen & DATE) == DATE && (whole || clock == 0);
}

/* Whether a date or time format is valid: each letter in one of its lengths; hours
 * and minutes for a time of day, else day, month and year. */
static bool format_fits(const char *format, bool time_of_day)
{
    static const char *const words[] = { "yyyy", "yy", "MMMM", "MMM", "MM", "M",   "dd", "d", "HH",
                                         "H",    "hh", "h",    "mm",  "ss", "SSS", "a",  "Z" };
    unsigned seen = 0;

    while (*format != '\0') {
        apr_size_t run = 1;
        bool known = false;

        if (*format == '\'') { /* quoted literal text */
            const char *end = strchr(format + 1, '\'');

            if (!end) {
                return false;
            }
            format = end + 1;
            continue;
        }
        while (format[run] == format[0]) {
            run++;
        }
        for (apr_size_t i = 0; i < LIMS_LENGTH(words) && !known; i++) {
            known = strlen(words[i]) == run && strncmp(words[i], format, run) == 0;
        }
        if (!known && apr_isalpha(*format)) {
            return false; /* other signs are literal */
        }
        seen |= meaning_of(*format);
        format += run;
    }
    return letters_fit(seen, time_of_day);
}

static bool formats_fit(const apr_array_header_t *formats, bool time_of_day)
{
    for (int i = 0; i < formats->nelts; i++) {
        if (!format_fits(APR_ARRAY_IDX(formats, i, const char *), time_of_day)) {
            return false;
        }
    }
    return true;
}

/* Checks the place in a source, which is known to name exactly one. */
static const lims_error_t *check_place(lims_profile_parser_t *parser, lims_source_t *source,
                                       const lims_profile_place_t *place)
{
    switch (source->kind) {
    case LIMS_SOURCE_HEADER:
        split_occurrence(source, source->header, 1, parser->pool);
        return NULL;
    case LIMS_SOURCE_BELOW:
        split_occurrence(source, source->below, 0, parser->pool);
        return NULL;
    case LIMS_SOURCE_JOIN:
        return place->parent && place->parent->name && strcmp(place->parent->name, "join") == 0
                   ? lims_profile_refuse(parser, place, "join", "cannot stand within a join")
                   : NULL;
    case LIMS_SOURCE_FIELD:
        return split_field(source, parser->layout, parser->pool)
                   ? NULL
                   : lims_profile_refuse(parser, place, "field",
                                         "must be a record and the number of its field, like %s",
                                         parser->layout == LIMS_LAYOUT_ASTM ? "R-4 or R-3.4"
                                                                            : "OBX-5 or OBX-3.1");
    case LIMS_SOURCE_FROM:
        return (from_layouts[source->from] & 1U << parser->layout) != 0
                   ? NULL
                   : lims_profile_refuse(parser, place, "from", "layout %s has no %s",
                                         lims_layout_names[parser->layout],
                                         lims_from_names[source->from]);
    default:
        return NULL;
    }
}

static const lims_error_t *check_source(lims_profile_parser_t *parser, lims_source_t *source,
                                        const lims_json_t *node, const lims_profile_place_t *place)
{
    int count = 0;
    apr_size_t kind = 0;

    for (apr_size_t i = 0; i < LIMS_LENGTH(source_kinds); i++) {
        if (given(node, source_kinds[i].name)) {
            count++;
            kind = i;
        }
    }
    if (count != 1) {
        return lims_profile_refuse(parser, place, NULL,
                                   "must have exactly one of header, index, key, below, field, "
                                   "path, text, from, join");
    }
    source->kind = source_kinds[kind].kind;
    if ((source_kinds[kind].layouts & 1U << parser->layout) == 0) {
        return lims_profile_refuse(parser, place, source_kinds[kind].name,
                                   "layout %s has no such places",
                                   lims_layout_names[parser->layout]);
    }
    return check_place(parser, source, place);
}

static bool is_remark(const lims_profile_place_t *place)
{
    return place->name &&
           (strcmp(place->name, "operator") == 0 || strcmp(place->name, "comment") == 0);
}

const lims_error_t *lims_check_source(lims_profile_parser_t *parser, void *object,
                                      const lims_json_t *node, const lims_profile_place_t *place)
{
    lims_source_t *source = object;
    bool date = place->name && strcmp(place->name, "analysedAt") == 0;
    bool time = place->name && strcmp(place->name, "analysedTime") == 0;

    if (source->formats && !date && !time) {
        return lims_profile_refuse(parser, place, "format",
                                   "is for analysedAt and analysedTime alone");
    }
    if (source->formats && !formats_fit(source->formats, time)) {
        return lims_profile_refuse(parser, place, "format",
                                   time ? "must have hours and minutes alone, from HH H hh h mm ss "
                                          "SSS a Z and signs that are no letters"
                                        : "must have year, month and day, from yyyy yy MMMM MMM "
                                          "MM M dd d HH H hh h mm ss SSS a Z and signs that are "
                                          "no letters");
    }
    if (source->optional && (!given(node, "header") || (!date && !time && !is_remark(place)))) {
        return lims_profile_refuse(parser, place, "optional",
                                   "is for a header of analysedAt, analysedTime, operator and "
                                   "comment alone");
    }
    if (source->separator && !source->join) {
        return lims_profile_refuse(parser, place, "separator", "is for a join alone");
    }
    return check_source(parser, source, node, place);
}

const lims_source_t *lims_source_place(const lims_source_t *source, int number)
{
    if (source && source->kind == LIMS_SOURCE_JOIN) {
        return number < source->join->nelts ? &APR_ARRAY_IDX(source->join, number, lims_source_t)
                                            : NULL;
    }
    return number == 0 && source && source->kind != LIMS_SOURCE_NONE ? source : NULL;
}

bool lims_condition_compares(const lims_condition_t *condition)
{
    return condition->less || condition->at_most || condition->at_least || condition->more;
}

const lims_error_t *lims_check_condition(lims_profile_parser_t *parser, void *object,
                                         const lims_json_t *node, const lims_profile_place_t *place)
{
    lims_condition_t *condition = object;

    if (given(node, "equals") + given(node, "matches") + lims_condition_compares(condition) != 1) {
        return lims_profile_refuse(parser, place, NULL,
                                   "must have one of equals, matches, and bounds of a number: "
                                   "less, atMost, atLeast, more");
    }
    if (!given(node, "column")) {
        condition->column = LIMS_COLUMN_COUNT;
        return check_source(parser, &condition->source, node, place);
    }
    for (apr_size_t i = 0; i < LIMS_LENGTH(source_kinds); i++) {
        if (given(node, source_kinds[i].name)) {
            return lims_profile_refuse(parser, place, source_kinds[i].name,
                                       "cannot stand beside column: one place is compared");
        }
    }
    return NULL;
}

const lims_error_t *lims_check_columns(lims_profile_parser_t *parser, void *object,
                                       const lims_json_t *node, const lims_profile_place_t *place)
{
    (void)object;
    if (given(node, "analysedTime") && !given(node, "analysedAt")) {
        return lims_profile_refuse(parser, place, "analysedTime",
                                   "needs analysedAt, to whose date it belongs");
    }
    return NULL;
}

/* --- Members of a source ---------------------------------------------------- */

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
      .doc =
          "Format of the time in `analysedAt` and `analysedTime`, made of `yyyy yy MMMM MMM MM "
          "M dd d HH H hh h mm ss SSS a Z` (`hh` and `h` are hours of twelve, with `a` for AM or "
          "PM; `HH` and `H` stand without it), of signs other than letters, which stand for "
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

/* --- Members of a condition ------------------------------------------------- */

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
