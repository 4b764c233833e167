/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layout_xml.c - XML and JSON documents: table.element is the element of a row. A
 * path leads down from it ("Peaks/Peak/Area"), up ("../@name"), or from the root
 * ("/File/Assay/Units"). If it leads to several elements, their texts must be
 * equal, unless the path selects one: "Peak#1". In JSON the root has no name.
 */
#include "formats/xml.h"
#include "profiles/layout.h"

#include <apr_cstr.h>
#include <apr_lib.h>
#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

/* Returns the length of the path's first step. */
static apr_size_t step_of(const char *path)
{
    return strcspn(path, "/");
}

/* Whether an element has a name; "*" is any name. */
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

/* Target of a path: an element, or one of its attributes. */
typedef struct {
    const lims_element_t *element;
    const char *attribute; /* name of the attribute, or NULL */
} target_t;

/* Parses the number in a step: "Peak#2" is the second such element; 0: none. A
 * name that itself ends in # and digits is taken literally. */
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

/* Follows a path down through all matching elements, and adds those at its end, or
 * those that have the attribute it names. */
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

/* Returns the part of a root path below the root; NULL: it begins with another
 * name. */
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

/* Follows any path. Many rows share the targets of a path that goes up, so it is
 * evaluated once for each element where it turns down again, and cached. */
static apr_array_header_t *resolve_path(const lims_layout_t *layout, const lims_element_t *element,
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

/* Reads the text of an element or attribute; false: there is no such attribute. */
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
        found->number = target->element->number;
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
    targets = resolve_path(layout, scope->element, source->path);
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
    targets->nelts = any && !layout->remark
                         ? 1
                         : targets->nelts; /* targets shared by many rows are compared once */
    return any;
}

/* Finds the value of a test without a source of its own: its folded name is the
 * path. */
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

/* Looks for the path of a missing optional test with one step misspelt. */
static void check_misspelt_path(lims_layout_t *layout, const lims_layout_scope_t *scope,
                                const lims_test_t *test, const lims_element_t *element,
                                const char *path)
{
    apr_size_t length = step_of(path);
    apr_size_t name = strcspn(path, "/#");

    for (const lims_element_t *child = element->first; *path && child; child = child->next) {
        if (strlen(child->name) == name && apr_cstr_casecmpn(child->name, path, name) == 0) {
            check_misspelt_path(layout, scope, test, child, path + length + (path[length] == '/'));
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

        found.number = element->number;

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
        check_misspelt_path(layout, scope, test, scope->element,
                            APR_ARRAY_IDX(test->names, i, const char *));
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

/* Reads every element at a path below this one, each as a row. */
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
