/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profile_parse_whole.c - checks of the profile as a whole: the columns that its
 * layout requires, members that its layout does not have, and references between
 * parts.
 */
#include <apr_hash.h>
#include <apr_strings.h>
#include <string.h>

#include "formats/encoding.h"
#include "profiles/profile_parse.h"

#define BIT(column) (1U << LIMS_COLUMN_##column)

/* Columns of each layout: required and impossible ones. */
static const struct {
    unsigned needed, excluded;
    unsigned containers; /* containers in which the layout occurs, as bits */
} layouts[] = {
#define KIND(container) (1U << LIMS_CONTAINER_##container)
#define SHEETS (KIND(TEXT) | KIND(XLSX) | KIND(XLS) | KIND(HTML))
    [LIMS_LAYOUT_LONG] = { BIT(TRACKING_ID) | BIT(TEST) | BIT(VALUE), 0, SHEETS },
    [LIMS_LAYOUT_WIDE] = { BIT(TRACKING_ID), BIT(TEST) | BIT(VALUE), SHEETS },
    [LIMS_LAYOUT_GROUPED] = { BIT(TRACKING_ID) | BIT(TEST) | BIT(VALUE), 0, SHEETS },
    [LIMS_LAYOUT_TRANSPOSED] = { BIT(TRACKING_ID) | BIT(TEST), 0, SHEETS },
    [LIMS_LAYOUT_KEYVALUE] = { BIT(TRACKING_ID), BIT(TEST) | BIT(VALUE), SHEETS },
    [LIMS_LAYOUT_MATRIX] = { BIT(TRACKING_ID) | BIT(TEST), BIT(VALUE), SHEETS },
    [LIMS_LAYOUT_ASTM] = { BIT(TRACKING_ID) | BIT(TEST) | BIT(VALUE), 0, KIND(ASTM) },
    [LIMS_LAYOUT_HL7] = { BIT(TRACKING_ID) | BIT(TEST) | BIT(VALUE), 0, KIND(HL7) },
    [LIMS_LAYOUT_XML] = { BIT(TRACKING_ID), 0, KIND(XML) },
    [LIMS_LAYOUT_JSON] = { BIT(TRACKING_ID), 0, KIND(JSON) },
};
_Static_assert(LIMS_LENGTH(layouts) == LIMS_LAYOUT_COUNT, "columns of every layout");

bool lims_profile_groups(const lims_profile_t *profile)
{
    return profile->layout == LIMS_LAYOUT_GROUPED ||
           (profile->layout == LIMS_LAYOUT_TRANSPOSED && !profile->table.header.group &&
            profile->columns[LIMS_COLUMN_VALUE].kind != LIMS_SOURCE_NONE);
}

/* --- A layout's own places ------------------------------------------------- */

static void set_field(lims_profile_t *profile, lims_column_e column, const char *record, int number,
                      int component)
{
    lims_source_t *source = &profile->columns[column];

    if (source->kind == LIMS_SOURCE_NONE) {
        source->kind = LIMS_SOURCE_FIELD;
        source->field.record = record;
        source->field.number = number;
        source->field.component = component;
    }
}

static void set_from(lims_profile_t *profile, lims_column_e column, lims_from_e from)
{
    lims_source_t *source = &profile->columns[column];

    if (source->kind == LIMS_SOURCE_NONE) {
        source->kind = LIMS_SOURCE_FROM;
        source->from = from;
    }
}

static void set_final(lims_profile_t *profile, apr_pool_t *pool)
{
    apr_array_header_t *final = apr_array_make(pool, 2, sizeof(const char *));

    APR_ARRAY_PUSH(final, const char *) = "F";
    APR_ARRAY_PUSH(final, const char *) = "C";
    if (!profile->rows.final) {
        profile->rows.final = final;
    }
}

/* Sets the defaults that depend on the layout; the reference names them. */
static void set_layout_defaults(lims_profile_t *profile, apr_pool_t *pool)
{
    switch (profile->layout) {
    case LIMS_LAYOUT_GROUPED:
        set_from(profile, LIMS_COLUMN_TEST, LIMS_FROM_GROUP);
        /* If `table` is absent; a given single row is refused. */
        if (profile->table.header.rows < 2) {
            profile->table.header.rows = 2;
        }
        break;
    case LIMS_LAYOUT_TRANSPOSED:
        if (profile->columns[LIMS_COLUMN_VALUE].kind != LIMS_SOURCE_NONE &&
            !profile->table.header.group) {
            profile->table.header.rows = 2;
        }
        set_from(profile, LIMS_COLUMN_TEST, LIMS_FROM_ROW_LABEL);
        set_from(profile, LIMS_COLUMN_TRACKING_ID, LIMS_FROM_COLUMN_LABEL);
        break;
    case LIMS_LAYOUT_ASTM:
        set_field(profile, LIMS_COLUMN_TRACKING_ID, "O", 3, 1);
        set_field(profile, LIMS_COLUMN_TEST, "R", 3, 4);
        set_field(profile, LIMS_COLUMN_VALUE, "R", 4, 0);
        set_field(profile, LIMS_COLUMN_UNIT, "R", 5, 1);
        set_field(profile, LIMS_COLUMN_STATUS, "R", 9, 1);
        set_field(profile, LIMS_COLUMN_ANALYSED_AT, "R", 13, 1);
        set_final(profile, pool);
        break;
    case LIMS_LAYOUT_HL7:
        set_field(profile, LIMS_COLUMN_TEST, "OBX", 3, 1);
        set_field(profile, LIMS_COLUMN_VALUE, "OBX", 5, 0);
        set_field(profile, LIMS_COLUMN_UNIT, "OBX", 6, 1);
        set_field(profile, LIMS_COLUMN_STATUS, "OBX", 11, 1);
        set_final(profile, pool);
        break;
    default:
        break;
    }
}

/* --- Columns --------------------------------------------------------------- */

static const lims_error_t *check_layout(lims_profile_parser_t *parser,
                                        const lims_profile_t *profile,
                                        const lims_profile_place_t *place)
{
    const char *layout = lims_layout_names[profile->layout];

    for (unsigned column = 0; column < LIMS_COLUMN_COUNT; column++) {
        bool there = profile->columns[column].kind != LIMS_SOURCE_NONE;
        const char *member = apr_pstrcat(parser->pool, "columns.", lims_column_names[column], NULL);

        if ((layouts[profile->layout].needed & 1U << column) != 0 && !there) {
            return lims_profile_refuse(parser, place, member, "is missing: layout %s needs it",
                                       layout);
        }
        if ((layouts[profile->layout].excluded & 1U << column) != 0 && there) {
            return lims_profile_refuse(parser, place, member,
                                       "layout %s has none: its tests have names and places",
                                       layout);
        }
    }
    if ((profile->match.containers & ~layouts[profile->layout].containers) != 0) {
        return lims_profile_refuse(parser, place, "layout",
                                   "%s does not occur in every container of match.container",
                                   layout);
    }
    return NULL;
}

/* Checks a place that refers into the table. */
static const lims_error_t *check_one_pointer(lims_profile_parser_t *parser,
                                             const lims_profile_t *profile,
                                             const lims_source_t *source, const char *member,
                                             const lims_profile_place_t *place)
{
    const lims_profile_table_t *table = &profile->table;

    if (source->kind == LIMS_SOURCE_HEADER && !table->has_header) {
        return lims_profile_refuse(parser, place, member,
                                   "names a header, and neither table.header.find nor "
                                   "match.headers says which row that is");
    }
    if (source->kind != LIMS_SOURCE_FROM) {
        return NULL;
    }
    if (source->from == LIMS_FROM_GROUP && profile->layout == LIMS_LAYOUT_TRANSPOSED &&
        profile->columns[LIMS_COLUMN_VALUE].kind == LIMS_SOURCE_NONE) {
        return lims_profile_refuse(parser, place, member,
                                   "needs columns.value: samples with several columns each");
    }
    if (source->from == LIMS_FROM_BLOCK &&
        (!table->block.start || !lims_regex_captures(table->block.start))) {
        return lims_profile_refuse(parser, place, member,
                                   "needs table.block.start to capture something");
    }
    if (source->from == LIMS_FROM_MAP && !table->map.section) {
        return lims_profile_refuse(parser, place, member, "needs table.map");
    }
    return NULL;
}

static const lims_error_t *check_pointer(lims_profile_parser_t *parser,
                                         const lims_profile_t *profile, const lims_source_t *source,
                                         const char *member, const lims_profile_place_t *place)
{
    const lims_error_t *error = NULL;
    const lims_source_t *one;

    for (int i = 0; !error && (one = lims_source_place(source, i)); i++) {
        error = check_one_pointer(parser, profile, one, member, place);
    }
    return error;
}

static const lims_error_t *check_pointers(lims_profile_parser_t *parser,
                                          const lims_profile_t *profile,
                                          const lims_profile_place_t *place)
{
    const lims_error_t *error = NULL;

    for (int column = 0; column < LIMS_COLUMN_COUNT && !error; column++) {
        error = check_pointer(
            parser, profile, &profile->columns[column],
            apr_pstrcat(parser->pool, "columns.", lims_column_names[column], NULL), place);
    }
    for (int i = 0; i < profile->tests->nelts && !error; i++) {
        const lims_test_t *test = &APR_ARRAY_IDX(profile->tests, i, lims_test_t);

        for (int column = 0; column < LIMS_COLUMN_COUNT && !error; column++) {
            if (test->columns[column]) {
                error = check_pointer(parser, profile, test->columns[column],
                                      apr_psprintf(parser->pool, "tests[%d].columns.%s", i,
                                                   lims_column_names[column]),
                                      place);
            }
        }
    }
    return error;
}

/* --- Parts that refer to each other ---------------------------------------- */

/* Whether a column is declared for all tests, or for one. */
static bool has_column(const lims_profile_t *profile, lims_column_e column)
{
    bool there = profile->columns[column].kind != LIMS_SOURCE_NONE;

    for (int i = 0; i < profile->tests->nelts && !there; i++) {
        there = APR_ARRAY_IDX(profile->tests, i, lims_test_t).columns[column];
    }
    return there;
}

/* Checks that a column in a condition is declared. */
static const lims_error_t *check_conditions(lims_profile_parser_t *parser,
                                            const lims_profile_t *profile,
                                            const apr_array_header_t *conditions,
                                            const char *member, const lims_profile_place_t *place)
{
    const lims_error_t *error = NULL;

    for (int i = 0; conditions && i < conditions->nelts && !error; i++) {
        const lims_condition_t *condition = &APR_ARRAY_IDX(conditions, i, lims_condition_t);
        const char *path = apr_psprintf(parser->pool, "%s[%d]", member, i);

        if (condition->column == LIMS_COLUMN_COUNT) {
            error = check_pointer(parser, profile, &condition->source, path, place);
        } else if (profile->columns[condition->column].kind == LIMS_SOURCE_NONE &&
                   (layouts[profile->layout].excluded & 1U << condition->column) == 0) {
            error = lims_profile_refuse(parser, place, path, "columns.%s is not declared",
                                        lims_column_names[condition->column]);
        }
    }
    return error;
}

static const lims_error_t *check_rules(lims_profile_parser_t *parser, const lims_profile_t *profile,
                                       const apr_array_header_t *rules, const char *member,
                                       const lims_profile_place_t *place)
{
    const lims_error_t *error = NULL;

    for (int i = 0; rules && i < rules->nelts && !error; i++) {
        const lims_row_rule_t *rule = &APR_ARRAY_IDX(rules, i, lims_row_rule_t);

        error = check_conditions(parser, profile, rule->when,
                                 apr_psprintf(parser->pool, "rows.%s[%d].when", member, i), place);
    }
    return error;
}

/* Checks that a control's unit can be converted to the unit of each of its tests. */
static const lims_error_t *check_unit(lims_profile_parser_t *parser, const lims_profile_t *profile,
                                      const lims_control_t *control, int index,
                                      const lims_profile_place_t *place)
{
    for (int i = 0; control->unit && i < profile->tests->nelts; i++) {
        const lims_test_t *test = &APR_ARRAY_IDX(profile->tests, i, lims_test_t);
        lims_control_t copy = *control;

        if (lims_control_is_for(control, test) &&
            !lims_control_convert(&copy, profile, test, parser->pool)) {
            return lims_profile_refuse(
                parser, place, apr_psprintf(parser->pool, "rows.controls[%d].unit", index),
                "\"%s\" cannot be converted to the unit of test %s, which is %s%s%s: name in "
                "`tests` those that the rule is for",
                control->unit, test->test_code, test->unit ? "\"" : "",
                test->unit ? test->unit : "not given", test->unit ? "\"" : "");
        }
    }
    return NULL;
}

static const lims_error_t *check_rows(lims_profile_parser_t *parser, const lims_profile_t *profile,
                                      const lims_profile_place_t *place)
{
    const lims_rows_t *rows = &profile->rows;
    const lims_error_t *error = check_conditions(parser, profile, rows->only, "rows.only", place);

    if (!error) {
        error = check_rules(parser, profile, rows->skip, "skip", place);
    }
    if (!error) {
        error = check_rules(parser, profile, rows->errors, "errors", place);
    }
    for (int i = 0; rows->controls && i < rows->controls->nelts && !error; i++) {
        const lims_control_t *control = &APR_ARRAY_IDX(rows->controls, i, lims_control_t);

        error = check_conditions(parser, profile, control->when,
                                 apr_psprintf(parser->pool, "rows.controls[%d].when", i), place);
        if (!error) {
            error = check_unit(parser, profile, control, i, place);
        }
    }
    if (!error && rows->final && !has_column(profile, LIMS_COLUMN_STATUS)) {
        error = lims_profile_refuse(parser, place, "rows.final", "needs columns.status");
    }
    return error;
}

/* Checks that no name means two tests, unless they are replicates. */
static const lims_error_t *check_names(lims_profile_parser_t *parser, const lims_profile_t *profile,
                                       const lims_profile_place_t *place)
{
    apr_hash_t *seen = apr_hash_make(parser->pool);
    bool distinct = profile->replicates.policy == LIMS_REPLICATES_DISTINCT_TESTS;

    for (int i = 0; i < profile->tests->nelts; i++) {
        const lims_test_t *test = &APR_ARRAY_IDX(profile->tests, i, lims_test_t);

        if (distinct != !!test->replicate) {
            return lims_profile_refuse(parser, place,
                                       apr_psprintf(parser->pool, "tests[%d].replicate", i),
                                       distinct ? "is missing: replicates.policy distinctTests"
                                                : "needs replicates.policy distinctTests");
        }
        for (int j = 0; j < test->names->nelts; j++) {
            const char *name = APR_ARRAY_IDX(test->names, j, const char *);
            const char *key =
                distinct ? apr_pstrcat(parser->pool, name, "\n", test->replicate, NULL) : name;

            if (apr_hash_get(seen, key, APR_HASH_KEY_STRING)) {
                return lims_profile_refuse(parser, place,
                                           apr_psprintf(parser->pool, "tests[%d].name", i),
                                           "\"%s\" is a test's name already", name);
            }
            apr_hash_set(seen, key, APR_HASH_KEY_STRING, name);
        }
    }
    for (int i = 0; profile->ignore_tests && i < profile->ignore_tests->nelts; i++) {
        const char *name = APR_ARRAY_IDX(profile->ignore_tests, i, const char *);

        if (apr_hash_get(seen, name, APR_HASH_KEY_STRING)) {
            return lims_profile_refuse(parser, place,
                                       apr_psprintf(parser->pool, "ignoreTests[%d]", i),
                                       "\"%s\" is one of tests too", name);
        }
    }
    return NULL;
}

/* Whether a time zone name is acceptable: POSIX reads "UTC+2" with the opposite
 * sign. Whether a zone of that name exists is checked by the database. */
static bool time_zone_fits(const char *name)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    const char *sign = name;

    if (!name) {
        return true;
    }
    if (strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+-/") !=
        strlen(name)) {
        return false;
    }
    for (sign = strpbrk(name, "+-"); sign; sign = strpbrk(sign + 1, "+-")) {
        if (!strchr(name, '/') && (sign[1] == '\0' || !strchr(letters, sign[1]))) {
            return false;
        }
    }
    return strchr(letters, *name);
}

/* Whether a token's replacement text contains a placeholder for this column. */
static bool has_placeholder(const apr_array_header_t *tokens, const char *place)
{
    bool any = false;

    for (int i = 0; tokens && i < tokens->nelts; i++) {
        const char *write = APR_ARRAY_IDX(tokens, i, lims_token_t).write;

        any = any || (write && strstr(write, place));
    }
    return any;
}

static const lims_error_t *check_qualifiers(lims_profile_parser_t *parser,
                                            const lims_profile_t *profile,
                                            const lims_profile_place_t *place)
{
    const lims_qualifiers_t *qualifiers = &profile->qualifiers;
    const char *member = NULL;
    const char *words = NULL;

    if (qualifiers->flags && !has_column(profile, LIMS_COLUMN_FLAG)) {
        member = "flags";
        words = "needs columns.flag";
    } else if (qualifiers->codes && !has_column(profile, LIMS_COLUMN_QUALIFIER)) {
        member = "codes";
        words = "needs columns.qualifier";
    } else if (!has_column(profile, LIMS_COLUMN_LIMIT) &&
               (has_placeholder(qualifiers->tokens, "{limit}") ||
                has_placeholder(qualifiers->codes, "{limit}"))) {
        member = has_placeholder(qualifiers->tokens, "{limit}") ? "tokens" : "codes";
        words = "writes {limit}, which needs columns.limit";
    }
    return member ? lims_profile_refuse(parser, place,
                                        apr_pstrcat(parser->pool, "qualifiers.", member, NULL),
                                        "%s", words)
                  : NULL;
}

/* Checks the groups of columns in layout transposed: all members or none. */
static const lims_error_t *check_groups(lims_profile_parser_t *parser,
                                        const lims_profile_t *profile,
                                        const lims_profile_place_t *place)
{
    const lims_source_t *value = &profile->columns[LIMS_COLUMN_VALUE];
    bool transposed = profile->layout == LIMS_LAYOUT_TRANSPOSED;
    const char *member = NULL;
    const char *words = NULL;

    if (profile->table.header.group && !transposed) {
        member = "table.header.group";
        words = "is for layout transposed alone";
    } else if (transposed && value->kind == LIMS_SOURCE_NONE &&
               (profile->table.header.group || profile->table.header.rows > 1)) {
        member = "columns.value";
        words = "is missing: which of the columns of a sample has the value";
    } else if (transposed && value->kind != LIMS_SOURCE_NONE && value->kind != LIMS_SOURCE_HEADER) {
        member = "columns.value";
        words = "must be a header: that of one of the columns of a sample";
    } else if (transposed && profile->table.header.group && profile->table.header.rows > 1) {
        member = "table.header.rows";
        words = "must be 1 beside group: sample and column stand in one cell";
    } else if (transposed && profile->table.header.rows > 2) {
        member = "table.header.rows";
        words = "must be 2 in layout transposed: samples above their columns";
    }
    return member ? lims_profile_refuse(parser, place, member, "%s", words) : NULL;
}

static const lims_error_t *check_parts(lims_profile_parser_t *parser, const lims_profile_t *profile,
                                       const lims_profile_place_t *place)
{
    const char *member = NULL;
    const char *words = NULL;

    if (!lims_encoding_known(profile->decode.charset)) {
        member = "decode.charset";
        words = "is no character set that this system knows; windows-1252 is one";
    } else if (!time_zone_fits(profile->time_zone)) {
        member = "timeZone";
        words = "must be a name like Europe/Zurich, not a difference like UTC+2";
    } else if (profile->integrity.line_break &&
               (profile->match.containers & (KIND(TEXT) | KIND(HL7))) == 0) {
        member = "integrity.lineBreak";
        words = "is for texts and HL7: files of other kinds have ends of their own";
    } else if (profile->integrity.hash.regex && (profile->match.containers & KIND(TEXT)) == 0) {
        member = "integrity.hash";
        words = "is for texts alone";
    } else if (profile->dilution.apply == LIMS_DILUTION_MULTIPLY &&
               !has_column(profile, LIMS_COLUMN_DILUTION)) {
        member = "dilution.apply";
        words = "needs columns.dilution";
    } else if (profile->replicates.policy == LIMS_REPLICATES_DISTINCT_TESTS &&
               !has_column(profile, LIMS_COLUMN_REPLICATE)) {
        member = "replicates.policy";
        words = "needs columns.replicate";
    } else if (profile->table.unit_row > 0 && has_column(profile, LIMS_COLUMN_UNIT)) {
        member = "table.unitRow";
        words = "cannot stand beside columns.unit: which of them is right?";
    } else if (profile->table.unit_row > 0 && !profile->table.has_header) {
        member = "table.unitRow";
        words = "needs a header to count from: table.header.find or match.headers";
    } else if (profile->layout == LIMS_LAYOUT_MATRIX && !profile->table.has_header) {
        member = "table.header.find";
        words = "is missing: layout matrix needs the row of column labels";
    } else if ((profile->layout == LIMS_LAYOUT_XML || profile->layout == LIMS_LAYOUT_JSON) &&
               !profile->table.element) {
        member = "table.element";
        words = "is missing: the path of the element that is a row";
    }
    return member ? lims_profile_refuse(parser, place, member, "%s", words) : NULL;
}

const lims_error_t *lims_check_profile(lims_profile_parser_t *parser, void *object,
                                       const lims_json_t *node, const lims_profile_place_t *place)
{
    lims_profile_t *profile = object;
    const lims_error_t *error;

    set_layout_defaults(profile, parser->pool);
    if (profile->layout == LIMS_LAYOUT_HL7 &&
        !lims_json_member(lims_json_member(node, "integrity"), "lineBreak")) {
        profile->integrity.line_break = true; /* the standard requires an end for every segment */
    }
    profile->table.has_header = profile->table.header.find || profile->match.headers;
    if (!profile->table.header.find) {
        profile->table.header.find = profile->match.headers;
    }
    if (!profile->table.sheet) {
        profile->table.sheet = profile->match.sheet;
    }
    error = check_layout(parser, profile, place);
    if (!error) {
        error = check_groups(parser, profile, place);
    }
    if (!error) {
        error = check_parts(parser, profile, place);
    }
    if (!error) {
        error = check_qualifiers(parser, profile, place);
    }
    if (!error) {
        error = check_pointers(parser, profile, place);
    }
    if (!error) {
        error = check_rows(parser, profile, place);
    }
    if (!error) {
        error = check_names(parser, profile, place);
    }
    return error;
}
