/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profile_parse_source.c - where a text stands, and conditions on it: what the
 * tables of their members cannot say.
 */
#include <apr_lib.h>
#include <apr_strings.h>
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
    unsigned layouts; /* that have such places, a bit each */
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

/* "Units#2": the second of equal headers. */
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

/* "R-4.1": record, number of the field, component. */
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

/* The letters of a format, each in one of its lengths. That of a time of day has
 * hours and minutes alone, any other day, month and year. */
static bool format_fits(const char *format, bool time_of_day)
{
    static const char *const words[] = { "yyyy", "yy", "MMMM", "MMM", "MM", "M",   "dd", "d", "HH",
                                         "H",    "hh", "h",    "mm",  "ss", "SSS", "a",  "Z" };
    unsigned seen = 0;

    while (*format != '\0') {
        apr_size_t run = 1;
        bool known = false;

        if (*format == '\'') { /* words that stand for themselves */
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
            return false; /* other signs stand for themselves */
        }
        seen |= *format == 'y'                     ? 1U
                : *format == 'M'                   ? 2U
                : *format == 'd'                   ? 4U
                : *format == 'm'                   ? 8U
                : *format == 'H' || *format == 'h' ? 16U
                                                   : 0U;
        format += run;
    }
    return time_of_day ? seen == 24U : (seen & 7U) == 7U;
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

/* What a source names, once it is known that it names one place. */
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
