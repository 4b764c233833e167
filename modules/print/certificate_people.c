/* SPDX-License-Identifier: Apache-2.0 */
/* certificate_people.c - who stands for it, what was amended, what it states. */
#include <apr_strings.h>
#include <apr_tables.h>
#include <string.h>

#include "print/certificate.h"

/* Returns a table with room for rows. */
static lims_print_table_t *new_table(const lims_table_column_t *columns, int column_count, int rows,
                                     apr_pool_t *pool)
{
    lims_print_table_t *table = apr_pcalloc(pool, sizeof(*table));
    lims_table_cell_t *cells =
        apr_pcalloc(pool, sizeof(*cells) * (apr_size_t)(column_count * (rows + 1)));

    *table = (lims_print_table_t){ .columns = columns, .column_count = column_count };
    table->rows = apr_pcalloc(pool, sizeof(lims_table_row_t) * (apr_size_t)(rows + 1));
    for (int i = 0; i < rows; i++) {
        table->rows[i].cells = cells + i * column_count;
        for (int k = 0; k < column_count; k++) {
            table->rows[i].cells[k].text = "";
        }
    }
    return table;
}

static const char *capital(const char *word, apr_pool_t *pool)
{
    char *copy = apr_pstrdup(pool, word);

    if (copy[0] >= 'a' && copy[0] <= 'z') {
        copy[0] = (char)(copy[0] - 'a' + 'A');
    }
    for (char *c = copy; *c; c++) {
        *c = *c == '_' ? ' ' : *c;
    }
    return copy;
}

/* --- Approvals -------------------------------------------------------------- */

void lims_certificate_approvals(lims_certificate_t *certificate)
{
    static const lims_table_column_t columns[] = {
        { "Approval", LIMS_COLUMN_TEXT },
        { "Decision", LIMS_COLUMN_TEXT },
        { "By", LIMS_COLUMN_TEXT },
        { "Time", LIMS_COLUMN_TEXT },
    };
    apr_pool_t *pool = certificate->pool;
    const lims_json_t *approval = lims_member_list(certificate->content, "approvals");
    lims_print_table_t *table = new_table(
        columns, LIMS_LENGTH(columns), lims_member_count(certificate->content, "approvals"), pool);

    for (; approval; approval = approval->next) {
        lims_table_row_t *row = &table->rows[table->row_count++];

        row->cells[0].text = lims_member_line(approval, "name", pool);
        row->cells[1].text = capital(lims_member_line(approval, "status", pool), pool);
        row->cells[2].text = lims_member_line(approval, "decidedBy", pool);
        row->cells[3].text = lims_member_time(approval, "decidedAt", true, pool);
        if (lims_member_false(approval, "signatureFits")) {
            row->note = "The signature is of another content than the present one.";
        }
    }
    if (table->row_count > 0) {
        lims_block_heading(&certificate->blocks, "Approvals");
        lims_block_table(&certificate->blocks, table);
    }
}

/* --- People ----------------------------------------------------------------- */

/* Whether a row says the same of the same person at the same time: what it is about is then
 * added to it. */
static bool is_same_act(const lims_table_row_t *a, const lims_table_row_t *b)
{
    return strcmp(a->cells[0].text, b->cells[0].text) == 0 &&
           strcmp(a->cells[1].text, b->cells[1].text) == 0 &&
           strcmp(a->cells[3].text, b->cells[3].text) == 0 &&
           strcmp(a->cells[4].text, b->cells[4].text) == 0;
}

static void fill_act(lims_table_row_t *row, const lims_json_t *person, apr_pool_t *pool)
{
    row->cells[0] = (lims_table_cell_t){ .text = lims_member_line(person, "printedName", pool),
                                         .strong = true };
    row->cells[1].text = capital(lims_member_line(person, "meaning", pool), pool);
    row->cells[3].text = lims_member_time(person, "at", true, pool);
    row->cells[4].text = lims_member_true(person, "signed") ? "Electronic signature" : "Recorded";
}

void lims_certificate_people(lims_certificate_t *certificate)
{
    static const lims_table_column_t columns[] = {
        { "Name", LIMS_COLUMN_TEXT }, { "Meaning", LIMS_COLUMN_TEXT }, { "Of", LIMS_COLUMN_TEXT },
        { "Time", LIMS_COLUMN_TEXT }, { "Form", LIMS_COLUMN_TEXT },
    };
    apr_pool_t *pool = certificate->pool;
    const lims_json_t *person = lims_member_list(certificate->content, "people");
    lims_print_table_t *table = new_table(columns, LIMS_LENGTH(columns),
                                          lims_member_count(certificate->content, "people"), pool);
    lims_growing_t about = { 0 };

    for (; person; person = person->next) {
        lims_table_row_t *row = &table->rows[table->row_count];

        fill_act(row, person, pool);
        if (table->row_count > 0 && is_same_act(row - 1, row)) {
            lims_grow(&about, ", ", pool);
            row--;
        } else {
            about = (lims_growing_t){ 0 };
            table->row_count++;
        }
        lims_grow(&about, lims_member_text(person, "about", pool), pool);
        row->cells[2].text = about.text;
    }
    if (table->row_count > 0) {
        lims_block_heading(&certificate->blocks, "Signatures and acts");
        lims_block_table(&certificate->blocks, table);
    }
}

/* --- Amendments ------------------------------------------------------------- */

/* Returns a member's name in words: "collectionDate" is "Collection date". */
static const char *words_of(const char *member, apr_pool_t *pool)
{
    char *words = apr_palloc(pool, 2 * strlen(member) + 1), *at = words;

    for (; *member; member++) {
        if (*member >= 'A' && *member <= 'Z') {
            *at++ = ' ';
            *at++ = (char)(*member - 'A' + 'a');
        } else {
            *at++ = *member;
        }
    }
    *at = '\0';
    return capital(words, pool);
}

/* Returns what changed in words: "tests[12].result" of Lead is "Result of Lead (PB)", and
 * "tests[12]", a test that came or went, "Test". */
static const char *changed_of(const lims_json_t *change, apr_pool_t *pool)
{
    const char *member = lims_member_line(change, "member", pool);
    const char *end = strchr(member, ']');

    if (strncmp(member, "tests[", 6) != 0 || !end) {
        return words_of(member, pool);
    }
    return end[1] == '.' ? apr_pstrcat(pool, words_of(end + 2, pool), " of ",
                                       lims_certificate_test(change, pool), NULL)
                         : "Test";
}

/* Whether a member of a test is true or false; the word "true" as a result is a word. */
static bool is_boolean(const char *member)
{
    static const char *const names[] = { "outOfSpecification", "accredited", "holdingTimeMet" };
    const char *point = strchr(member, '.');

    for (size_t i = 0; point && i < LIMS_LENGTH(names); i++) {
        if (strcmp(point + 1, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* Returns a value before or after a change; times are members that end in "At". */
static const char *shown_value(const lims_json_t *change, const char *name, apr_pool_t *pool)
{
    const char *member = lims_member_line(change, "member", pool);
    apr_size_t length = strlen(member);
    bool is_time = length > 2 && strcmp(member + length - 2, "At") == 0;
    const char *text =
        is_time ? lims_member_time(change, name, true, pool) : lims_member_text(change, name, pool);

    if (is_boolean(member) && *text) {
        return strcmp(text, "true") == 0 ? "yes" : "no";
    }
    return *text ? text : "(none)";
}

static void add_changes(lims_certificate_t *certificate, const lims_json_t *amendment)
{
    static const lims_table_column_t columns[] = {
        { "Changed", LIMS_COLUMN_TEXT },
        { "Before", LIMS_COLUMN_TEXT },
        { "Now", LIMS_COLUMN_TEXT },
    };
    apr_pool_t *pool = certificate->pool;
    const lims_json_t *change = lims_member_list(amendment, "changes");
    lims_print_table_t *table =
        new_table(columns, LIMS_LENGTH(columns), lims_member_count(amendment, "changes"), pool);

    for (; change; change = change->next) {
        lims_table_row_t *row = &table->rows[table->row_count++];

        row->cells[0].text = changed_of(change, pool);
        row->cells[1].text = shown_value(change, "old", pool);
        row->cells[2].text = shown_value(change, "new", pool);
    }
    if (table->row_count > 0) {
        lims_block_table(&certificate->blocks, table);
    }
}

void lims_certificate_amendments(lims_certificate_t *certificate)
{
    const lims_json_t *amendment = lims_member_list(certificate->content, "amendments");
    apr_pool_t *pool = certificate->pool;

    for (; amendment; amendment = amendment->next) {
        lims_fact_list_t list = { .count = 0 };

        lims_fact_add(&list, "Opened by", LIMS_STYLE_BODY,
                      lims_member_line(amendment, "openedBy", pool));
        lims_fact_add(&list, "Opened", LIMS_STYLE_BODY,
                      lims_member_time(amendment, "openedAt", true, pool));
        lims_fact_add(&list, "Reason", LIMS_STYLE_BODY,
                      lims_member_text(amendment, "reason", pool));
        lims_fact_section(certificate,
                          apr_pstrcat(pool, "Amendment that led to version ",
                                      lims_member_line(amendment, "version", pool), NULL),
                          &list);
        add_changes(certificate, amendment);
    }
}

/* --- Statements ------------------------------------------------------------- */

/* A decision rule, and the tests to which it applies. */
typedef struct {
    const char *rule;
    lims_growing_t tests;
} rule_t;

static rule_t *rule_named(apr_array_header_t *rules, const char *rule)
{
    rule_t *new_rule;

    for (int i = 0; i < rules->nelts; i++) {
        if (strcmp(APR_ARRAY_IDX(rules, i, rule_t).rule, rule) == 0) {
            return &APR_ARRAY_IDX(rules, i, rule_t);
        }
    }
    new_rule = apr_array_push(rules);
    *new_rule = (rule_t){ .rule = rule };
    return new_rule;
}

/* Adds each decision rule once, with the tests to which it applies where there are several. */
static void add_decision_rules(lims_certificate_t *certificate)
{
    apr_pool_t *pool = certificate->pool;
    apr_array_header_t *rules = apr_array_make(pool, 4, sizeof(rule_t));
    const lims_json_t *result = lims_member_list(certificate->content, "results");

    for (; result; result = result->next) {
        const char *text = lims_member_text(result, "decisionRule", pool);

        if (*text) {
            rule_t *rule = rule_named(rules, text);

            lims_grow(&rule->tests, rule->tests.length > 0 ? ", " : "", pool);
            lims_grow(&rule->tests, lims_certificate_test(result, pool), pool);
        }
    }
    for (int i = 0; i < rules->nelts; i++) {
        const rule_t *rule = &APR_ARRAY_IDX(rules, i, rule_t);

        lims_block_paragraph(&certificate->blocks, LIMS_STYLE_BODY,
                             apr_pstrcat(pool, "Decision rule", rules->nelts > 1 ? " for " : "",
                                         rules->nelts > 1 ? rule->tests.text : "", ": ", rule->rule,
                                         NULL));
    }
}

static void add_texts(lims_certificate_t *certificate, const lims_json_t *text)
{
    for (; text; text = text->next) {
        const char *statement = lims_value_text(text, false, certificate->pool);

        if (*statement) {
            lims_block_paragraph(&certificate->blocks, LIMS_STYLE_BODY, statement);
        }
    }
}

static void add_replaced(lims_certificate_t *certificate)
{
    const lims_json_t *head = lims_json_member(certificate->content, "certificate");
    const lims_json_t *replaced = lims_json_member(head, "replaces");
    apr_pool_t *pool = certificate->pool;

    if (replaced && replaced->type == LIMS_JSON_OBJECT) {
        lims_block_paragraph(&certificate->blocks, LIMS_STYLE_STRONG,
                             apr_pstrcat(pool, "This version replaces version ",
                                         lims_member_line(replaced, "version", pool), " of ",
                                         lims_member_time(replaced, "issuedAt", false, pool),
                                         ", which is no longer valid.", NULL));
    }
}

void lims_certificate_statements(lims_certificate_t *certificate)
{
    const lims_json_t *laboratory = lims_json_member(certificate->content, "laboratory");
    apr_pool_t *pool = certificate->pool;
    const char *zone = lims_member_line(laboratory, "timeZone", pool);
    const char *digest = lims_member_line(certificate->content, "contentSha256", pool);

    lims_block_heading(&certificate->blocks, "Statements");
    add_replaced(certificate);
    add_decision_rules(certificate);
    add_texts(certificate, lims_member_list(certificate->content, "statements"));
    if (*zone) {
        lims_block_paragraph(&certificate->blocks, LIMS_STYLE_SMALL,
                             apr_pstrcat(pool, "Times are those of ", zone, ".", NULL));
    }
    if (*digest) {
        lims_block_paragraph(&certificate->blocks, LIMS_STYLE_SMALL,
                             apr_pstrcat(pool, "SHA-256 of the content: ", digest, NULL));
    }
}
