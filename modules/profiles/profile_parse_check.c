/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profile_parse_check.c - what a table of members cannot say: which members of
 * an object exclude or need each other. What concerns the profile as a whole
 * stands in profile_parse_whole.c.
 */
#include <apr_lib.h>
#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

#include "formats/encoding.h"
#include "profiles/fold.h"
#include "profiles/profile_parse.h"

static bool given(const lims_json_t *node, const char *name)
{
    return lims_json_member(node, name) != NULL;
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
    { "field", LIMS_SOURCE_FIELD, BIT(ASTM) | BIT(HL7) },
    { "path", LIMS_SOURCE_PATH, BIT(XML) | BIT(JSON) },
    { "text", LIMS_SOURCE_TEXT, ~0U },
    { "from", LIMS_SOURCE_FROM, ~0U },
};

static const unsigned from_layouts[] = {
    [LIMS_FROM_FILE_NAME] = ~0U,
    [LIMS_FROM_SHEET_NAME] = TABLES,
    [LIMS_FROM_BLOCK] = TABLES,
    [LIMS_FROM_GROUP] = BIT(GROUPED),
    [LIMS_FROM_ROW_LABEL] = BIT(TRANSPOSED) | BIT(MATRIX),
    [LIMS_FROM_COLUMN_LABEL] = BIT(TRANSPOSED) | BIT(MATRIX),
    [LIMS_FROM_WELL] = BIT(MATRIX),
    [LIMS_FROM_MAP] = BIT(MATRIX),
};
_Static_assert(LIMS_LENGTH(from_layouts) == LIMS_FROM_COUNT, "layouts of every place");

/* "Units#2": the second of equal headers. */
static void split_occurrence(lims_source_t *source, apr_pool_t *pool)
{
    const char *mark = strrchr(source->header, '#');
    apr_size_t length = strlen(source->header);

    source->occurrence = 1;
    if (mark != NULL && mark > source->header && mark[1] >= '1' && mark[1] <= '9' &&
        strspn(mark + 1, "0123456789") == strlen(mark + 1) && strlen(mark + 1) <= 4) {
        source->occurrence = (int)strtol(mark + 1, NULL, 10);
        length = (apr_size_t)(mark - source->header);
    }
    source->header = lims_fold(source->header, length, pool);
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

            if (end == NULL) {
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
        split_occurrence(source, parser->pool);
        return NULL;
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
                                   "must have exactly one of header, index, key, field, path, "
                                   "text, from");
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
    return place->name != NULL &&
           (strcmp(place->name, "operator") == 0 || strcmp(place->name, "comment") == 0);
}

const lims_error_t *lims_check_source(lims_profile_parser_t *parser, void *object,
                                      const lims_json_t *node, const lims_profile_place_t *place)
{
    lims_source_t *source = object;
    bool date = place->name != NULL && strcmp(place->name, "analysedAt") == 0;
    bool time = place->name != NULL && strcmp(place->name, "analysedTime") == 0;

    if (source->formats != NULL && !date && !time) {
        return lims_profile_refuse(parser, place, "format",
                                   "is for analysedAt and analysedTime alone");
    }
    if (source->formats != NULL && !formats_fit(source->formats, time)) {
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
    return check_source(parser, source, node, place);
}

const lims_error_t *lims_check_condition(lims_profile_parser_t *parser, void *object,
                                         const lims_json_t *node, const lims_profile_place_t *place)
{
    lims_condition_t *condition = object;

    if (given(node, "equals") == given(node, "matches")) {
        return lims_profile_refuse(parser, place, NULL, "must have either equals or matches");
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

/* --- The file -------------------------------------------------------------- */

/* What files have not says too little of what they are. */
static bool has_present(const apr_array_header_t *lines)
{
    bool present = false;

    for (int i = 0; i < lines->nelts; i++) {
        present = present || !APR_ARRAY_IDX(lines, i, lims_line_match_t).absent;
    }
    return present;
}

const lims_error_t *lims_check_match(lims_profile_parser_t *parser, void *object,
                                     const lims_json_t *node, const lims_profile_place_t *place)
{
    static const struct {
        const char *member;
        unsigned containers; /* that have it */
    } needs[] = {
#define KIND(container) (1U << LIMS_CONTAINER_##container)
        { "headers", KIND(TEXT) | KIND(XLSX) | KIND(XLS) },
        { "sheet", KIND(XLSX) | KIND(XLS) },
        { "sections", KIND(TEXT) | KIND(XLSX) | KIND(XLS) },
        { "lines", ~0U },
        { "sender", KIND(ASTM) | KIND(HL7) },
        { "messages", KIND(HL7) },
        { "root", KIND(XML) | KIND(JSON) },
    };
    const lims_match_t *match = object;
    int conditions = 0;

    for (apr_size_t i = 0; i < LIMS_LENGTH(needs); i++) {
        if (!given(node, needs[i].member)) {
            continue;
        }
        conditions += strcmp(needs[i].member, "lines") != 0 || has_present(match->lines);
        if ((match->containers & ~needs[i].containers) != 0) {
            return lims_profile_refuse(parser, place, needs[i].member,
                                       "not every container named has it");
        }
    }
    if (conditions == 0) {
        return lims_profile_refuse(parser, place, NULL,
                                   "must say what only such files have: headers, lines, sheet, "
                                   "sections, sender, messages or root");
    }
    return NULL;
}

const lims_error_t *lims_check_dialect(lims_profile_parser_t *parser, void *object,
                                       const lims_json_t *node, const lims_profile_place_t *place)
{
    const lims_profile_dialect_t *dialect = object;

    (void)node;
    if (dialect->delimiter != '\0' && dialect->delimiter == dialect->quote) {
        return lims_profile_refuse(parser, place, "quote", "is the delimiter too");
    }
    if (dialect->columns != NULL && dialect->delimiter != '\0') {
        return lims_profile_refuse(parser, place, "columns", "needs \"delimiter\": \"none\"");
    }
    if (dialect->unwrap && dialect->quote == '\0') {
        return lims_profile_refuse(parser, place, "unwrap", "needs a quote to take off");
    }
    return NULL;
}

const lims_error_t *lims_check_table(lims_profile_parser_t *parser, void *object,
                                     const lims_json_t *node, const lims_profile_place_t *place)
{
    lims_profile_table_t *table = object;
    const lims_json_t *header = lims_json_member(node, "header");

    if (table->unit_row > table->skip) {
        table->skip = table->unit_row;
    }
    if (parser->layout == LIMS_LAYOUT_GROUPED && !given(header, "rows")) {
        table->header.rows = 2;
    }
    if (parser->layout == LIMS_LAYOUT_GROUPED && table->header.rows < 2) {
        return lims_profile_refuse(parser, place, "header.rows",
                                   "must be 2 or 3 in layout grouped: groups above columns");
    }
    if ((table->map.section != NULL) && parser->layout != LIMS_LAYOUT_MATRIX) {
        return lims_profile_refuse(parser, place, "map", "is for layout matrix alone");
    }
    if ((table->element != NULL) != (((BIT(XML) | BIT(JSON)) & 1U << parser->layout) != 0)) {
        return lims_profile_refuse(parser, place, "element",
                                   table->element != NULL
                                       ? "is for layouts xml and json alone"
                                       : "is missing: the path of the element that is a row");
    }
    return NULL;
}

/* --- Values ---------------------------------------------------------------- */

const lims_error_t *lims_check_conversion(lims_profile_parser_t *parser, void *object,
                                          const lims_json_t *node,
                                          const lims_profile_place_t *place)
{
    const lims_conversion_t *conversion = object;

    (void)node;
    if (strpbrk(conversion->factor, "123456789") == NULL) {
        return lims_profile_refuse(parser, place, "factor", "must not be zero");
    }
    return NULL;
}

const lims_error_t *lims_check_test(lims_profile_parser_t *parser, void *object,
                                    const lims_json_t *node, const lims_profile_place_t *place)
{
    lims_test_t *test = object;
    const lims_source_t *const *columns = test->columns;

    if (test->convert != NULL && (test->unit == NULL || test->file_unit == NULL)) {
        return lims_profile_refuse(parser, place, "convert",
                                   "needs fileUnit and unit: what it converts from and to");
    }
    if (test->kind != LIMS_KIND_NUMERIC &&
        (test->convert != NULL || given(node, "unit") || given(node, "fileUnit"))) {
        return lims_profile_refuse(parser, place, test->convert != NULL ? "convert" : "unit",
                                   "is for tests of kind numeric");
    }
    if (test->file_unit != NULL && test->unit == NULL) {
        return lims_profile_refuse(parser, place, "fileUnit", "needs unit");
    }
    if ((test->kind == LIMS_KIND_CHOICE && test->values == NULL) ||
        (test->kind == LIMS_KIND_NUMERIC && test->values != NULL)) {
        return lims_profile_refuse(parser, place, "values",
                                   test->values == NULL ? "is missing: kind choice needs them"
                                                        : "is for kinds choice and text; what "
                                                          "stands for a number is a token");
    }
    if (test->optional && ((BIT(WIDE) | BIT(GROUPED) | BIT(KEYVALUE) | BIT(XML) | BIT(JSON)) &
                           1U << parser->layout) == 0) {
        return lims_profile_refuse(parser, place, "optional",
                                   "is for layouts wide, grouped, keyvalue, xml and json");
    }
    if (columns[LIMS_COLUMN_VALUE] != NULL &&
        (parser->layout == LIMS_LAYOUT_MATRIX || parser->layout == LIMS_LAYOUT_TRANSPOSED)) {
        return lims_profile_refuse(parser, place, "columns.value",
                                   "layout %s has values in its cells alone",
                                   lims_layout_names[parser->layout]);
    }
    return NULL;
}

const lims_error_t *lims_check_numbers(lims_profile_parser_t *parser, void *object,
                                       const lims_json_t *node, const lims_profile_place_t *place)
{
    const lims_numbers_t *numbers = object;

    (void)node;
    if (numbers->decimal != '.' && numbers->decimal != ',') {
        return lims_profile_refuse(parser, place, "decimal", "must be \".\" or \",\"");
    }
    for (int i = 0; numbers->group != NULL && i < numbers->group->nelts; i++) {
        const char *sign = APR_ARRAY_IDX(numbers->group, i, const char *);

        if (sign[0] == numbers->decimal) {
            return lims_profile_refuse(parser, place, "group", "has the decimal sign in it");
        }
        if (strpbrk(sign, "0123456789+-eE<>%") != NULL) {
            return lims_profile_refuse(parser, place, "group",
                                       "has a sign in it that is part of numbers");
        }
    }
    return NULL;
}

const lims_error_t *lims_check_qualifiers(lims_profile_parser_t *parser, void *object,
                                          const lims_json_t *node,
                                          const lims_profile_place_t *place)
{
    const lims_qualifiers_t *qualifiers = object;

    (void)node;
    for (int i = 0; qualifiers->tokens != NULL && i < qualifiers->tokens->nelts; i++) {
        const char *write = APR_ARRAY_IDX(qualifiers->tokens, i, lims_token_t).write;

        if (write != NULL && strstr(write, "{value}") != NULL) {
            return lims_profile_refuse(parser, place, "tokens",
                                       "has {value} where the value is the token itself");
        }
    }
    for (int i = 0; i < qualifiers->operators->nelts; i++) {
        const char *sign = APR_ARRAY_IDX(qualifiers->operators, i, const char *);

        if (strpbrk(sign, "0123456789") != NULL || strlen(sign) > 16) {
            return lims_profile_refuse(parser, place, "operators",
                                       "must be signs or words of at most 16 bytes without digits");
        }
    }
    return NULL;
}

const lims_error_t *lims_check_units(lims_profile_parser_t *parser, void *object,
                                     const lims_json_t *node, const lims_profile_place_t *place)
{
    const lims_units_t *units = object;

    (void)node;
    if (units->conversions != NULL && units->policy != LIMS_UNITS_CONVERT) {
        return lims_profile_refuse(parser, place, "conversions", "needs \"policy\": \"convert\"");
    }
    if (units->aliases != NULL && units->policy == LIMS_UNITS_EXACT) {
        return lims_profile_refuse(parser, place, "aliases", "needs policy alias or convert");
    }
    return NULL;
}

const lims_error_t *lims_check_replicates(lims_profile_parser_t *parser, void *object,
                                          const lims_json_t *node,
                                          const lims_profile_place_t *place)
{
    const lims_replicates_t *replicates = object;
    bool mean = replicates->policy == LIMS_REPLICATES_MEAN;

    if (mean != given(node, "count")) {
        return lims_profile_refuse(parser, place, "count",
                                   mean ? "is missing: of how many values the mean is taken"
                                        : "is for the policy mean");
    }
    if (!mean && (given(node, "decimals") || given(node, "rounding"))) {
        return lims_profile_refuse(parser, place, given(node, "decimals") ? "decimals" : "rounding",
                                   "is for the policy mean");
    }
    return NULL;
}

/* --- Rows ------------------------------------------------------------------ */

const lims_error_t *lims_check_control(lims_profile_parser_t *parser, void *object,
                                       const lims_json_t *node, const lims_profile_place_t *place)
{
    static const char *const members[] = { "expectedValue", "lowerLimit", "upperLimit",
                                           "expectedText" };
    /* Which of them each criterion has, a bit each: all of them and no other. */
    static const unsigned needs[] = {
        [LIMS_CRITERION_NONE] = 0,    [LIMS_CRITERION_RECOVERY] = 7, [LIMS_CRITERION_RPD] = 4,
        [LIMS_CRITERION_MAXIMUM] = 4, [LIMS_CRITERION_RANGE] = 6,    [LIMS_CRITERION_EXPECTED] = 8,
    };
    const lims_control_t *control = object;
    bool known = control->against == NULL;

    _Static_assert(LIMS_LENGTH(needs) == LIMS_CRITERION_COUNT, "needs of every criterion");
    if ((control->criterion != LIMS_CRITERION_NONE) != (control->route == LIMS_ROUTE_QC_BATCH)) {
        return lims_profile_refuse(parser, place, "criterion",
                                   control->route == LIMS_ROUTE_QC_BATCH
                                       ? "is missing: how the QC batch judges the control"
                                       : "needs \"route\": \"qcBatch\"");
    }
    for (unsigned i = 0; i < LIMS_LENGTH(members); i++) {
        bool needed = (needs[control->criterion] & 1U << i) != 0;

        if (needed != given(node, members[i])) {
            return lims_profile_refuse(parser, place, members[i],
                                       needed ? "is missing: the criterion needs it"
                                              : "has no meaning for this criterion");
        }
    }
    if (control->lower_limit != NULL) {
        const char *width = lims_decimal_convert(control->lower_limit, "-1", control->upper_limit,
                                                 -1, LIMS_ROUND_HALF_EVEN, parser->pool);

        if (width == NULL || *width == '-') {
            return lims_profile_refuse(parser, place, "upperLimit", "lies below lowerLimit");
        }
    }
    if (control->against != NULL && control->criterion != LIMS_CRITERION_RPD) {
        return lims_profile_refuse(parser, place, "against", "is for the criterion rpd");
    }
    for (int i = 0; lims_control_types[i] != NULL && !known; i++) {
        known = strcmp(lims_control_types[i], control->against) == 0;
    }
    return known ? NULL
                 : lims_profile_refuse(parser, place, "against", "must be a type of control");
}

const lims_error_t *lims_check_integrity(lims_profile_parser_t *parser, void *object,
                                         const lims_json_t *node, const lims_profile_place_t *place)
{
    const lims_integrity_t *integrity = object;

    (void)node;
    if (integrity->frames == LIMS_FRAMES_REQUIRED && parser->layout != LIMS_LAYOUT_ASTM) {
        return lims_profile_refuse(parser, place, "frames", "is for layout astm alone");
    }
    return NULL;
}
