/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layout_xml.c - elements of a document, of XML or of JSON, whose outermost value
 * has no name: table.element is what a row is elsewhere. A path goes from there
 * down ("Peaks/Peak/Area"), up ("../@name"), or from the root
 * ("/File/Assay/Units"). Several elements at its end have to say the same, unless
 * the path says which: "Peak#1".
 */
#include "formats/xml.h"
#include "profiles/layout.h"

#include <apr_cstr.h>
#include <apr_lib.h>
#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

/* The length of the path's first step. */
static apr_size_t step_of(const char *path)
{
    return strcspn(path, "/");
}

/* "*" is any name. */
static bool is_named(const lims_element_t *element, const char *name, apr_size_t length)
{
    return (length == 1 && *name == '*') ||
           (strlen(element->name) == length && strncmp(element->name, name, length) == 0);
}

static const lims_element_t *root_of(const lims_element_t *element)
{
    while (element->parent) {
        element = element->parent;
    }
    return element;
}

/* The element or attribute that a path leads to. */
typedef struct {
    const lims_element_t *element;
    const char *attribute; /* or NULL */
} target_t;

/* "Peak#2": the second of such elements; 0: it does not say. A name that itself
 * ends so is taken for what it is. */
static int number_of(apr_size_t *length, const lims_element_t *element, const char *path)
{
    apr_size_t mark = *length;
    int number;

    while (mark > 0 && apr_isdigit(path[mark - 1])) {
        mark--;
    }
    if (mark == *length || *length - mark > 4 || mark < 2 || path[mark - 1] != '#') {
        return 0;
    }
    for (const lims_element_t *child = element->first; child; child = child->next) {
        if (is_named(child, path, *length)) {
            return 0;
        }
    }
    number = (int)strtol(path + mark, NULL, 10);
    *length = mark - 1;
    return number;
}

/* Follows a path down, by every way that can be gone to its end: adds the elements,
 * or those with the attribute that it names. */
static void follow(apr_array_header_t *targets, const lims_element_t *element, const char *path)
{
    apr_size_t length = step_of(path);
    const char *rest = path + length + (path[length] == '/');
    int number, count = 0;

    if (*path == '\0' || *path == '@') {
        APR_ARRAY_PUSH(targets, target_t) =
            (target_t){ .element = element, .attribute = *path == '@' ? path + 1 : NULL };
        return;
    }
    if (length == 1 && *path == '.') {
        follow(targets, element, rest);
        return;
    }
    number = number_of(&length, element, path);
    for (const lims_element_t *child = element->first; child; child = child->next) {
        if (is_named(child, path, length) && (number == 0 || ++count == number)) {
            follow(targets, child, rest);
        }
    }
}

/* What of a path from the root lies below it; NULL: it begins with another. */
static const char *below_root(const lims_element_t *root, const char *path)
{
    path++;
    if (*root->name == '\0') {
        return path;
    }
    if (!is_named(root, path, step_of(path))) {
        return NULL;
    }
    path += step_of(path);
    return path + (*path == '/');
}

/* Follows a path. One that goes up leads many rows to the same place: it is gone
 * once for each element where it turns down again. */
static apr_array_header_t *reach(const lims_layout_t *layout, const lims_element_t *element,
                                 const char *path)
{
    const lims_element_t *from = *path == '/' ? root_of(element) : element;
    apr_array_header_t *targets = apr_array_make(layout->pool, 1, sizeof(target_t)), *known;
    const char *key;

    if (*path == '/') {
        path = below_root(from, path);
        if (!path) {
            return targets;
        }
    }
    for (; from && step_of(path) == 2 && strncmp(path, "..", 2) == 0; path += *path == '/') {
        from = from->parent;
        path += 2;
    }
    if (!from || from == element) {
        if (from) {
            follow(targets, from, path);
        }
        return targets;
    }
    key = apr_psprintf(layout->pool, "%pp %s", (const void *)from, path);
    known = apr_hash_get(layout->paths, key, APR_HASH_KEY_STRING);
    if (!known) {
        known = targets;
        follow(known, from, path);
        apr_hash_set(layout->paths, key, APR_HASH_KEY_STRING, known);
    }
    return known;
}

/* Takes the text of an element or attribute; false: there is no such
 * attribute. */
static bool read_target(lims_found_t *found, const lims_layout_t *layout,
                        const lims_layout_scope_t *scope, const target_t *target, const char *path)
{
    const char *text = target->attribute ? lims_xml_attribute(target->element, target->attribute)
                                         : target->element->text;

    if (text && strlen(text) > LIMS_FILE_CELL_MAX) {
        const lims_found_t place = { .row = target->element->line };
        lims_layout_reason(layout, scope, LIMS_REASON_STRUCTURE_MISMATCH, true, &place, path,
                           "What stands here is longer than %d bytes: it is no value.",
                           LIMS_FILE_CELL_MAX);
        text = "";
    }
    if (text) {
        *found = lims_found_text(text, target->element->line, 0, layout->pool);
    }
    return text;
}

static bool find(lims_found_t *found, const lims_layout_t *layout, const lims_layout_scope_t *scope,
                 const lims_source_t *source)
{
    apr_array_header_t *targets;
    bool any = false, same = true;

    if (source->kind != LIMS_SOURCE_PATH) {
        return false;
    }
    targets = reach(layout, scope->element, source->path);
    for (int i = 0; i < targets->nelts && same; i++) {
        const target_t target = APR_ARRAY_IDX(targets, i, target_t);
        lims_found_t text;

        if (!read_target(&text, layout, scope, &target, source->path)) {
            continue;
        }
        if (any) {
            same = lims_source_again(layout, scope, found, &text,
                                     apr_psprintf(layout->pool, "\"%s\"", source->path));
        } else {
            *found = text;
            APR_ARRAY_IDX(targets, 0, target_t) = target;
            any = true;
        }
    }
    targets->nelts =
        any && !layout->remark ? 1 : targets->nelts; /* what many rows share is compared once */
    return any;
}

/* The value of a test without a source of its own: its name is the path, folded. */
static void find_named(apr_array_header_t *targets, const lims_element_t *element, const char *path)
{
    apr_size_t length = step_of(path);
    const char *rest = path + length + (path[length] == '/');
    int number, count = 0;

    if (*path == '\0') {
        APR_ARRAY_PUSH(targets, target_t) = (target_t){ .element = element };
        return;
    }
    number = number_of(&length, element, path);
    for (const lims_element_t *child = element->first; child; child = child->next) {
        if (strlen(child->name) == length && apr_cstr_casecmpn(child->name, path, length) == 0 &&
            (number == 0 || ++count == number)) {
            find_named(targets, child, rest);
        }
    }
}

/* Where a path of a test that is missing would go on but for a letter. */
static void find_near(lims_layout_t *layout, const lims_layout_scope_t *scope,
                      const lims_test_t *test, const lims_element_t *element, const char *path)
{
    apr_size_t length = step_of(path);
    apr_size_t name = strcspn(path, "/#");

    for (const lims_element_t *child = element->first; *path && child; child = child->next) {
        if (strlen(child->name) == name && apr_cstr_casecmpn(child->name, path, name) == 0) {
            find_near(layout, scope, test, child, path + length + (path[length] == '/'));
        } else {
            lims_near_child(layout, scope, test, child, path, name);
        }
    }
}

static void read_test(lims_layout_t *layout, const lims_layout_scope_t *scope,
                      const lims_test_t *test)
{
    const lims_found_t name = { .text = APR_ARRAY_IDX(test->names, 0, const char *) };
    apr_array_header_t *targets = apr_array_make(layout->pool, 1, sizeof(target_t));
    lims_found_t value = { .row = scope->line };

    if (test->columns[LIMS_COLUMN_VALUE]) {
        lims_rules_value(layout, scope, test, &name, NULL);
        return;
    }
    for (int i = 0; i < test->names->nelts; i++) {
        find_named(targets, scope->element, APR_ARRAY_IDX(test->names, i, const char *));
    }
    for (int i = 0; i < targets->nelts; i++) {
        const lims_element_t *element = APR_ARRAY_IDX(targets, i, target_t).element;
        lims_found_t found = lims_found_text(element->text, element->line, 0, layout->pool);

        if (i == 0) {
            value = found;
        } else {
            lims_source_again(layout, scope, &value, &found,
                              apr_psprintf(layout->pool, "the test %s", test->test_code));
        }
    }
    if (value.raw || !test->optional) {
        lims_rules_value(layout, scope, test, &name, &value);
        return;
    }
    for (int i = 0; i < test->names->nelts; i++) {
        find_near(layout, scope, test, scope->element, APR_ARRAY_IDX(test->names, i, const char *));
    }
}

static void read_element(lims_layout_t *layout, const lims_element_t *element)
{
    const lims_profile_t *profile = layout->profile;
    const lims_layout_scope_t scope = { .line = element->line, .element = element, .find = find };

    if (!lims_rules_begin(layout, &scope)) {
        return;
    }
    if (profile->columns[LIMS_COLUMN_TEST].kind != LIMS_SOURCE_NONE) {
        lims_rules_value(layout, &scope, NULL, NULL, NULL);
    }
    for (int i = 0;
         profile->columns[LIMS_COLUMN_TEST].kind == LIMS_SOURCE_NONE && i < profile->tests->nelts;
         i++) {
        read_test(layout, &scope, &APR_ARRAY_IDX(profile->tests, i, lims_test_t));
    }
    lims_rules_end(layout);
}

/* Every element at a path below this one: unlike sources, rows are all of them. */
static int read_elements(lims_layout_t *layout, const lims_element_t *element, const char *path)
{
    apr_size_t length = step_of(path);
    int count = 0;

    if (*path == '\0') {
        read_element(layout, element);
        return 1;
    }
    for (const lims_element_t *child = element->first; child; child = child->next) {
        if (is_named(child, path, length)) {
            count += read_elements(layout, child, path + length + (path[length] == '/'));
        }
    }
    return count;
}

void lims_layout_xml(lims_layout_t *layout)
{
    const lims_element_t *root = layout->document->xml;
    const lims_layout_scope_t once = { .line = root->line, .element = root, .find = find };
    const char *path = layout->profile->table.element;
    const char *below = path;

    layout->once = apr_pmemdup(layout->pool, &once, sizeof(once));
    if (*below == '/') {
        below = below_root(root, below);
    }
    if (!below || read_elements(layout, root, below) == 0) {
        lims_layout_reason(layout, NULL, LIMS_REASON_STRUCTURE_MISMATCH, true, NULL, path,
                           "There is no such element.");
    }
}
