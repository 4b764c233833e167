/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profile_parse_check.c - checks of the combination of members in an object: which
 * exclude or require each other. Checks of the profile as a whole are in
 * profile_parse_whole.c.
 */
#include <apr_strings.h>
#include <string.h>

#include "formats/encoding.h"
#include "kernel/vocabulary.h"
#include "profiles/fold.h"
#include "profiles/profile_parse.h"

#define BIT(layout) (1U << LIMS_LAYOUT_##layout)

static bool given(const lims_json_t *node, const char *name)
{
    return lims_json_member(node, name);
}

/* --- The file -------------------------------------------------------------- */

/* Whether some line is required: conditions on absent lines alone identify
 * nothing. */
static bool has_present(const apr_array_header_t *lines)
{
    bool present = false;

    for (int i = 0; i < lines->nelts; i++) {
        present = present || !APR_ARRAY_IDX(lines, i, lims_line_match_t).absent;
    }
    return present;
}

/* Stores the spelling of folded names, for messages to people. */
static void store_spelling(lims_match_t *match, const lims_json_t *node, apr_pool_t *pool)
{
    static const char *const members[] = { "headers", "sheet", "sections" };

    match->written = apr_hash_make(pool);
    for (apr_size_t i = 0; i < LIMS_LENGTH(members); i++) {
        const lims_json_t *names = lims_json_member(node, members[i]);
        const lims_json_t *name = names && names->type == LIMS_JSON_ARRAY ? names->first : names;

        for (; name; name = name == names ? NULL : name->next) {
            apr_hash_set(match->written, lims_fold(name->text, strlen(name->text), pool),
                         APR_HASH_KEY_STRING, apr_pstrdup(pool, name->text));
        }
    }
}

const lims_error_t *lims_check_match(lims_profile_parser_t *parser, void *object,
                                     const lims_json_t *node, const lims_profile_place_t *place)
{
    static const struct {
        const char *member;
        unsigned containers; /* containers that have the member */
    } needs[] = {
#define KIND(container) (1U << LIMS_CONTAINER_##container)
        { "headers", KIND(TEXT) | KIND(XLSX) | KIND(XLS) | KIND(HTML) },
        { "sheet", KIND(XLSX) | KIND(XLS) },
        { "sections", KIND(TEXT) | KIND(XLSX) | KIND(XLS) | KIND(HTML) },
        { "lines", ~0U },
        { "sender", KIND(ASTM) | KIND(HL7) },
        { "messages", KIND(HL7) },
        { "root", KIND(XML) | KIND(JSON) },
    };
    lims_match_t *match = object;
    int conditions = 0;

    store_spelling(match, node, parser->pool);
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
    if (dialect->columns && dialect->delimiter != '\0') {
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
    if (parser->layout == LIMS_LAYOUT_MATRIX && table->header.rows > 1) {
        return lims_profile_refuse(parser, place, "header.rows",
                                   "must be 1 in layout matrix: the row of column labels");
    }
    if (table->map.section && parser->layout != LIMS_LAYOUT_MATRIX) {
        return lims_profile_refuse(parser, place, "map", "is for layout matrix alone");
    }
    if (!!table->element != (((BIT(XML) | BIT(JSON)) & 1U << parser->layout) != 0)) {
        return lims_profile_refuse(parser, place, "element",
                                   table->element
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
    if (!strpbrk(conversion->factor, "123456789")) {
        return lims_profile_refuse(parser, place, "factor", "must not be zero");
    }
    return NULL;
}

const lims_error_t *lims_check_test(lims_profile_parser_t *parser, void *object,
                                    const lims_json_t *node, const lims_profile_place_t *place)
{
    lims_test_t *test = object;
    const lims_source_t *const *columns = test->columns;

    if (test->convert && (!test->unit || !test->file_unit)) {
        return lims_profile_refuse(parser, place, "convert",
                                   "needs fileUnit and unit: what it converts from and to");
    }
    if (test->kind != LIMS_KIND_NUMERIC &&
        (test->convert || given(node, "unit") || given(node, "fileUnit"))) {
        return lims_profile_refuse(parser, place, test->convert ? "convert" : "unit",
                                   "is for tests of kind numeric");
    }
    if (test->file_unit && !test->unit) {
        return lims_profile_refuse(parser, place, "fileUnit", "needs unit");
    }
    if ((test->kind == LIMS_KIND_CHOICE && !test->values) ||
        (test->kind == LIMS_KIND_NUMERIC && test->values)) {
        return lims_profile_refuse(parser, place, "values",
                                   !test->values ? "is missing: kind choice needs them"
                                                 : "is for kinds choice and text; what "
                                                   "stands for a number is a token");
    }
    if (test->optional && ((BIT(WIDE) | BIT(GROUPED) | BIT(KEYVALUE) | BIT(XML) | BIT(JSON)) &
                           1U << parser->layout) == 0) {
        return lims_profile_refuse(parser, place, "optional",
                                   "is for layouts wide, grouped, keyvalue, xml and json");
    }
    if (columns[LIMS_COLUMN_VALUE] &&
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
    for (int i = 0; numbers->group && i < numbers->group->nelts; i++) {
        const char *sign = APR_ARRAY_IDX(numbers->group, i, const char *);

        if (sign[0] == numbers->decimal) {
            return lims_profile_refuse(parser, place, "group", "has the decimal sign in it");
        }
        if (strpbrk(sign, "0123456789+-eE<>%")) {
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
    for (int i = 0; qualifiers->tokens && i < qualifiers->tokens->nelts; i++) {
        const char *write = APR_ARRAY_IDX(qualifiers->tokens, i, lims_token_t).write;

        if (write && strstr(write, "{value}")) {
            return lims_profile_refuse(parser, place, "tokens",
                                       "has {value} where the value is the token itself");
        }
    }
    for (int i = 0; i < qualifiers->operators->nelts; i++) {
        const char *sign = APR_ARRAY_IDX(qualifiers->operators, i, const char *);

        if (strpbrk(sign, "0123456789") || strlen(sign) > 16) {
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
    if (units->conversions && units->policy != LIMS_UNITS_CONVERT) {
        return lims_profile_refuse(parser, place, "conversions", "needs \"policy\": \"convert\"");
    }
    if (units->aliases && units->policy == LIMS_UNITS_EXACT) {
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
    /* Members that each criterion requires, as bits; all others are refused. */
    static const unsigned needs[] = {
        [LIMS_CRITERION_NONE] = 0,    [LIMS_CRITERION_RECOVERY] = 7, [LIMS_CRITERION_RPD] = 4,
        [LIMS_CRITERION_MAXIMUM] = 4, [LIMS_CRITERION_RANGE] = 6,    [LIMS_CRITERION_EXPECTED] = 8,
    };
    const lims_control_t *control = object;
    bool known = !control->against;

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
    if (control->unit && control->criterion != LIMS_CRITERION_RECOVERY &&
        control->criterion != LIMS_CRITERION_MAXIMUM &&
        control->criterion != LIMS_CRITERION_RANGE) {
        return lims_profile_refuse(parser, place, "unit", "has no meaning for this criterion");
    }
    if (control->lower_limit) {
        const char *width = lims_decimal_convert(control->lower_limit, "-1", control->upper_limit,
                                                 -1, LIMS_ROUND_HALF_EVEN, parser->pool);

        if (!width || *width == '-') {
            return lims_profile_refuse(parser, place, "upperLimit", "lies below lowerLimit");
        }
    }
    if (control->against && control->criterion != LIMS_CRITERION_RPD) {
        return lims_profile_refuse(parser, place, "against", "is for the criterion rpd");
    }
    for (int i = 0; lims_control_types[i] && !known; i++) {
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
