/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layout_xml.c - elements of a document, of XML or of JSON, whose outermost value
 * has no name: table.element is what a row is elsewhere. A path goes from there
 * down ("Peaks/Peak/Area"), up ("../@name"), or from the root
 * ("/File/Assay/Units"); of several elements of a name the first.
 */
#include "formats/xml.h"
#include "profiles/layout.h"

#include <apr_cstr.h>
#include <apr_strings.h>
#include <string.h>

/* The length of the path's first step. */
static apr_size_t step_of(const char *path)
{
    return strcspn(path, "/");
}

/* "*" is any name. */
static bool is_named(const lims_xml_t *element, const char *name, apr_size_t length)
{
    return (length == 1 && *name == '*') ||
           (strlen(element->name) == length && strncmp(element->name, name, length) == 0);
}

static const lims_xml_t *root_of(const lims_xml_t *element)
{
    while (element->parent) {
        element = element->parent;
    }
    return element;
}

/* Follows a path down to an element, or to the attribute of one: then `*attribute`
 * is its name. The first way that can be gone to its end. */
static const lims_xml_t *follow(const char **attribute, const lims_xml_t *element, const char *path)
{
    apr_size_t length = step_of(path);
    const char *rest = path + length + (path[length] == '/');

    *attribute = *path == '@' ? path + 1 : NULL;
    if (*path == '\0' || *path == '@') {
        return element;
    }
    if (length == 1 && *path == '.') {
        return follow(attribute, element, rest);
    }
    for (const lims_xml_t *child = element->first; child; child = child->next) {
        const lims_xml_t *found =
            is_named(child, path, length) ? follow(attribute, child, rest) : NULL;
        if (found) {
            return found;
        }
    }
    return NULL;
}

/* What a path led to. */
typedef struct {
    const lims_xml_t *element; /* or NULL */
    const char *attribute;
} target_t;

/* What of a path from the root lies below it; NULL: it begins with another. */
static const char *below_root(const lims_xml_t *root, const char *path)
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
static target_t reach(const lims_layout_t *layout, const lims_xml_t *element, const char *path)
{
    const lims_xml_t *from = *path == '/' ? root_of(element) : element;
    const char *key;
    target_t target = { .element = NULL }, *known;

    if (*path == '/') {
        path = below_root(from, path);
        if (!path) {
            return target;
        }
    }
    for (; from && step_of(path) == 2 && strncmp(path, "..", 2) == 0; path += *path == '/') {
        from = from->parent;
        path += 2;
    }
    if (!from || from == element) {
        target.element = from ? follow(&target.attribute, from, path) : NULL;
        return target;
    }
    key = apr_psprintf(layout->pool, "%pp %s", (const void *)from, path);
    known = apr_hash_get(layout->paths, key, APR_HASH_KEY_STRING);
    if (!known) {
        known = apr_pcalloc(layout->pool, sizeof(*known));
        known->element = follow(&known->attribute, from, path);
        apr_hash_set(layout->paths, key, APR_HASH_KEY_STRING, known);
    }
    return *known;
}

static bool find(lims_found_t *found, const lims_layout_t *layout, const lims_scope_t *scope,
                 const lims_source_t *source)
{
    target_t target = { .element = NULL };
    const char *text;

    if (source->kind == LIMS_SOURCE_PATH) {
        target = reach(layout, scope->element, source->path);
    }
    if (!target.element) {
        return false;
    }
    text = target.attribute ? lims_xml_attribute(target.element, target.attribute)
                            : target.element->text;
    if (text && strlen(text) > LIMS_FILE_CELL_MAX) {
        const lims_found_t place = { .row = target.element->line };
        lims_layout_reason(
            layout, scope, LIMS_REASON_STRUCTURE_MISMATCH, true, &place, source->path,
            "What stands here is longer than %d bytes: it is no value.", LIMS_FILE_CELL_MAX);
        text = "";
    }
    if (text) {
        *found = lims_found_text(text, target.element->line, 0, layout->pool);
    }
    return text != NULL;
}

/* The value of a test without a source of its own: its name is the path, folded. */
static const lims_xml_t *find_named(const lims_xml_t *element, const char *path)
{
    apr_size_t length = step_of(path);

    if (*path == '\0') {
        return element;
    }
    for (const lims_xml_t *child = element->first; child; child = child->next) {
        const lims_xml_t *found = NULL;
        if (strlen(child->name) == length && apr_cstr_casecmpn(child->name, path, length) == 0) {
            found = find_named(child, path + length + (path[length] == '/'));
        }
        if (found) {
            return found;
        }
    }
    return NULL;
}

static void read_test(lims_layout_t *layout, const lims_scope_t *scope, const lims_test_t *test)
{
    const lims_found_t name = { .text = APR_ARRAY_IDX(test->names, 0, const char *) };
    lims_found_t value = { .row = scope->line };

    if (test->columns[LIMS_COLUMN_VALUE]) {
        lims_rules_value(layout, scope, test, &name, NULL);
        return;
    }
    for (int i = 0; i < test->names->nelts && !value.raw; i++) {
        const lims_xml_t *found =
            find_named(scope->element, APR_ARRAY_IDX(test->names, i, const char *));
        if (found) {
            value = lims_found_text(found->text, found->line, 0, layout->pool);
        }
    }
    if (value.raw || !test->optional) {
        lims_rules_value(layout, scope, test, &name, &value);
    }
}

static void read_element(lims_layout_t *layout, const lims_xml_t *element)
{
    const lims_profile_t *profile = layout->profile;
    const lims_scope_t scope = { .line = element->line, .element = element, .find = find };

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
static int read_elements(lims_layout_t *layout, const lims_xml_t *element, const char *path)
{
    apr_size_t length = step_of(path);
    int count = 0;

    if (*path == '\0') {
        read_element(layout, element);
        return 1;
    }
    for (const lims_xml_t *child = element->first; child; child = child->next) {
        if (is_named(child, path, length)) {
            count += read_elements(layout, child, path + length + (path[length] == '/'));
        }
    }
    return count;
}

void lims_layout_xml(lims_layout_t *layout)
{
    const lims_xml_t *root = layout->document->xml;
    const lims_scope_t once = { .line = root->line, .element = root, .find = find };
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
