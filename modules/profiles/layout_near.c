/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layout_near.c - detection of misspelt names of optional tests: if such a test is
 * missing and a name is nearly its own (mistyped, renamed or damaged), its values
 * would be lost silently.
 */
#include "profiles/fold.h"
#include "profiles/layout.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <string.h>

/* In shorter names a difference of one letter is too much. */
#define LETTERS_MIN 3

static bool is_inside(char byte)
{
    return ((unsigned char)byte & 0xC0) == 0x80;
}

static int letters(const char *text, apr_size_t length)
{
    int count = 0;

    for (apr_size_t i = 0; i < length; i++) {
        count += apr_isalpha(text[i]) || (unsigned char)text[i] >= 0xC0;
    }
    return count;
}

static int characters(const char *text, apr_size_t length)
{
    int count = 0;

    for (apr_size_t i = 0; i < length; i++) {
        count += !is_inside(text[i]);
    }
    return count;
}

static bool are_digits(const char *text, apr_size_t length)
{
    for (apr_size_t i = 0; i < length; i++) {
        if (!apr_isdigit(text[i])) {
            return false;
        }
    }
    return true;
}

/* Reduces two names to the part in which they differ, in whole characters. */
static void differing(const char **a, apr_size_t *a_length, const char **b, apr_size_t *b_length)
{
    apr_size_t begin = 0, end = 0;
    apr_size_t least = *a_length < *b_length ? *a_length : *b_length;

    while (begin < least && (*a)[begin] == (*b)[begin]) {
        begin++;
    }
    while (begin > 0 && ((begin < *a_length && is_inside((*a)[begin])) ||
                         (begin < *b_length && is_inside((*b)[begin])))) {
        begin--;
    }
    while (end < least - begin && (*a)[*a_length - end - 1] == (*b)[*b_length - end - 1]) {
        end++;
    }
    while (end > 0 && (is_inside((*a)[*a_length - end]) || is_inside((*b)[*b_length - end]))) {
        end--;
    }
    *a += begin;
    *b += begin;
    *a_length -= begin + end;
    *b_length -= begin + end;
}

/* Digits count as different names: "A260" and "A280". */
bool lims_name_is_near(const char *a, apr_size_t a_length, const char *b, apr_size_t b_length)
{
    int only_a, only_b;

    if (a_length > b_length + 4 || b_length > a_length + 4 || letters(b, b_length) < LETTERS_MIN) {
        return false;
    }
    differing(&a, &a_length, &b, &b_length);
    only_a = characters(a, a_length);
    only_b = characters(b, b_length);
    if (only_a + only_b == 0 || (are_digits(a, a_length) && are_digits(b, b_length))) {
        return false;
    }
    return (only_a <= 1 && only_b <= 1) ||
           (a_length == 2 && b_length == 2 && a[0] == b[1] && a[1] == b[0]);
}

static bool is_declared_name(const lims_layout_t *layout, const char *folded)
{
    return apr_hash_get(layout->tests, folded, APR_HASH_KEY_STRING) ||
           apr_hash_get(layout->ignored, folded, APR_HASH_KEY_STRING) ||
           apr_hash_get(layout->counted, folded, APR_HASH_KEY_STRING) ||
           apr_hash_get(layout->named, folded, APR_HASH_KEY_STRING);
}

/* Names of a test in the file: its own source's, or its names without "#2". */
static bool is_near_test(const lims_test_t *test, const char *folded)
{
    const lims_source_t *own = test->columns[LIMS_COLUMN_VALUE];
    apr_size_t length = strlen(folded);

    if (own) {
        return own->kind == LIMS_SOURCE_HEADER &&
               lims_name_is_near(folded, length, own->header, strlen(own->header));
    }
    for (int i = 0; i < test->names->nelts; i++) {
        const char *name = APR_ARRAY_IDX(test->names, i, const char *);
        if (lims_name_is_near(folded, length, name, strcspn(name, "#"))) {
            return true;
        }
    }
    return false;
}

void lims_near_note(lims_layout_t *layout, const lims_layout_scope_t *scope,
                    const lims_test_t *test, const lims_found_t *found, const char *name)
{
    const char *key = apr_pstrcat(layout->pool, test->test_code, "\n", name, NULL);

    if (apr_hash_get(layout->notes, key, APR_HASH_KEY_STRING)) {
        return;
    }
    apr_hash_set(layout->notes, key, APR_HASH_KEY_STRING, key);
    lims_layout_reason(layout, scope, LIMS_REASON_STRUCTURE_MISMATCH, false, found,
                       APR_ARRAY_IDX(test->names, 0, const char *),
                       "The test %s is missing, which is optional; but \"%s\" is nearly its name, "
                       "and the profile does not name that.",
                       test->test_code, name);
}

bool lims_near_check(lims_layout_t *layout, const lims_layout_scope_t *scope,
                     const lims_test_t *test, const lims_found_t *found, const char *name,
                     apr_size_t length)
{
    const char *folded = lims_fold(name, length, layout->pool);

    if (!is_near_test(test, folded) || is_declared_name(layout, folded)) {
        return false;
    }
    lims_near_note(
        layout, scope, test, found,
        lims_found_text(apr_pstrmemdup(layout->pool, name, length), 0, 0, layout->pool).text);
    return true;
}

void lims_near_header(lims_layout_t *layout, const lims_table_t *table, const lims_test_t *test)
{
    const lims_layout_scope_t scope = { .sheet = table->sheet };
    const int rows = layout->profile->table.header.rows;

    for (int i = 0; i < rows && table->header + i < table->sheet->count; i++) {
        const lims_row_t *row = &table->sheet->rows[table->header + i];

        for (int column = 0; column < row->count && column < table->columns->count; column++) {
            const lims_found_t found = lims_found_cell(row, column);
            lims_near_check(layout, &scope, test, &found, found.raw, found.cell->length);
        }
    }
}

void lims_near_group(lims_layout_t *layout, const lims_layout_scope_t *scope,
                     const lims_test_t *test, const lims_found_t *cell, const lims_found_t *like)
{
    const char *at = strstr(like->raw, like->text);
    const char *label = lims_fold(cell->raw, strlen(cell->raw), layout->pool);

    for (int i = 0; at && !is_declared_name(layout, label) && i < test->names->nelts; i++) {
        const char *name = APR_ARRAY_IDX(test->names, i, const char *);
        const char *whole = apr_pstrcat(
            layout->pool, apr_pstrmemdup(layout->pool, like->raw, (apr_size_t)(at - like->raw)),
            apr_pstrmemdup(layout->pool, name, strcspn(name, "#")), at + strlen(like->text), NULL);

        whole = lims_fold(whole, strlen(whole), layout->pool);
        if (lims_name_is_near(label, strlen(label), whole, strlen(whole))) {
            lims_near_note(layout, scope, test, cell,
                           lims_found_text(cell->raw, 0, 0, layout->pool).text);
            return;
        }
    }
}

void lims_near_child(lims_layout_t *layout, const lims_layout_scope_t *scope,
                     const lims_test_t *test, const lims_element_t *child, const char *step,
                     apr_size_t length)
{
    const lims_found_t found = { .row = child->line };
    char name[128];

    if (strlen(child->name) >= sizeof(name)) {
        return;
    }
    apr_cpystrn(name, child->name, sizeof(name));
    for (char *at = name; *at; at++) {
        *at = (char)apr_tolower(*at);
    }
    if (lims_name_is_near(name, strlen(name), step, length) && !is_declared_name(layout, name)) {
        lims_near_note(layout, scope, test, &found, child->name);
    }
}
