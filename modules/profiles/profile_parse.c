/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profile_parse.c - parser of profiles: JSON to lims_profile_t, driven by the
 * tables of members.
 *
 * Each member is validated by its row; after all members of an object, the check
 * function of its shape validates their combination.
 */
#include "profiles/profile_parse.h"

#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/error.h"
#include "kernel/utf8.h"
#include "profiles/fold.h"

#define TEXT_DEFAULT_MAX 255
#define DECIMAL_DIGITS_MAX 40

static const lims_error_t *read_object(lims_profile_parser_t *parser, void *object,
                                       const lims_shape_t *shape, const lims_json_t *node,
                                       const lims_profile_place_t *place);

/* --- Errors ---------------------------------------------------------------- */

static const char *names_of(const char *const *names, apr_pool_t *pool)
{
    const char *list = NULL;

    for (; *names; names++) {
        list = !list ? *names : apr_psprintf(pool, "%s, %s", list, *names);
    }
    return list;
}

static int longest(const lims_member_t *member)
{
    return member->max > 0 ? member->max : TEXT_DEFAULT_MAX;
}

/* Describes the values that a member may have. */
static const char *expectation(const lims_member_t *member, apr_pool_t *pool)
{
    switch (member->type) {
    case LIMS_M_TEXT:
    case LIMS_M_NAME:
        return apr_psprintf(pool, "a string of %d to %d characters",
                            (member->flags & LIMS_M_BLANK) != 0 ? 0 : 1, longest(member));
    case LIMS_M_TEXTS:
    case LIMS_M_NAMES:
        return apr_psprintf(pool, "a string, or an array of 1 to %d strings%s", member->max,
                            (member->flags & LIMS_M_BLANK) != 0 ? "" : " that are not blank");
    case LIMS_M_SIGN:
        return "a string of one ASCII character, \"tab\" or \"none\"";
    case LIMS_M_SIGNS:
        return apr_psprintf(pool, "an array of 1 to %d strings of one character", member->max);
    case LIMS_M_REGEX:
        return "a regular expression as a string";
    case LIMS_M_DECIMAL:
        return "a decimal number as a string, like \"0.001\"";
    case LIMS_M_INTEGER:
        return apr_psprintf(pool, "an integer from %d to %d", member->min, member->max);
    case LIMS_M_INTEGERS:
        return apr_psprintf(pool, "an array of ascending integers from %d to %d", member->min,
                            member->max);
    case LIMS_M_BOOLEAN:
        return "true or false";
    case LIMS_M_ENUM:
        return apr_psprintf(pool, "one of %s", names_of(member->values, pool));
    case LIMS_M_SET:
        return apr_psprintf(pool, "one of %s, or an array of them", names_of(member->values, pool));
    case LIMS_M_LIST:
        return apr_psprintf(pool, "an array of %d to %d %s", member->min, member->max,
                            (member->flags & LIMS_M_SOURCE) != 0 ? "sources" : "objects");
    default:
        return (member->flags & LIMS_M_SOURCE) != 0
                   ? "an object, or a string that names the cell or column"
                   : "an object";
    }
}

static const lims_error_t *refuse_type(const lims_profile_parser_t *parser,
                                       const lims_member_t *member,
                                       const lims_profile_place_t *place)
{
    return lims_profile_refuse(parser, place, NULL, "must be %s",
                               expectation(member, parser->pool));
}

/* --- Single values --------------------------------------------------------- */

static void *at(void *object, const lims_member_t *member)
{
    return (char *)object + member->offset;
}

/* Stores a pointer of any type bytewise, to respect strict aliasing. */
static void store_pointer(void *object, const lims_member_t *member, const void *pointer)
{
    memcpy(at(object, member), &pointer, sizeof(pointer));
}

static apr_array_header_t *kept_list(void *object, const lims_member_t *member)
{
    apr_array_header_t *list;

    memcpy(&list, at(object, member), sizeof(list));
    return list;
}

static bool is_blank(const char *text)
{
    apr_size_t length;

    lims_trim(&length, text, strlen(text));
    return length == 0;
}

/* Whether a text is allowed for a member. */
static bool text_fits(const lims_member_t *member, const char *text)
{
    apr_size_t characters = lims_utf8_length(text, strlen(text));
    int most = member->type == LIMS_M_TEXTS || member->type == LIMS_M_NAMES ? TEXT_DEFAULT_MAX
                                                                            : longest(member);

    return characters <= (apr_size_t)most &&
           ((member->flags & LIMS_M_BLANK) != 0 || !is_blank(text));
}

static const char *taken_text(const lims_profile_parser_t *parser, const lims_member_t *member,
                              const char *text)
{
    bool folded = member->type == LIMS_M_NAME || member->type == LIMS_M_NAMES;

    return folded ? lims_fold(text, strlen(text), parser->pool) : apr_pstrdup(parser->pool, text);
}

static bool decimal_fits(const char *text)
{
    apr_size_t sign = text[0] == '-' ? 1 : 0;
    apr_size_t whole = strspn(text + sign, "0123456789");
    const char *rest = text + sign + whole;
    apr_size_t fraction = rest[0] == '.' ? strspn(rest + 1, "0123456789") : 0;

    if (rest[0] == '.') {
        rest += 1 + fraction;
        whole = fraction > 0 ? whole : 0;
    }
    return whole > 0 && rest[0] == '\0' && whole + fraction <= DECIMAL_DIGITS_MAX;
}

static bool sign_fits(char *sign, const char *text)
{
    if (strcmp(text, "none") == 0) {
        *sign = '\0';
        return true;
    }
    *sign = strcmp(text, "tab") == 0 ? '\t' : text[0];
    return (*sign == '\t' || (text[0] > ' ' && text[0] < 0x7F) || text[0] == ' ') &&
           (strcmp(text, "tab") == 0 || text[1] == '\0');
}

static int index_of(const char *const *names, const char *name)
{
    for (int i = 0; names[i]; i++) {
        if (strcmp(names[i], name) == 0) {
            return i;
        }
    }
    return -1;
}

static bool integer_fits(int *value, const lims_member_t *member, const char *text)
{
    apr_size_t sign = text[0] == '-' ? 1 : 0;
    apr_size_t digits = strspn(text + sign, "0123456789");

    if (digits == 0 || digits > 9 || text[sign + digits] != '\0') {
        return false;
    }
    *value = (int)strtol(text, NULL, 10);
    return *value >= member->min && *value <= member->max;
}

static const lims_error_t *read_regex(lims_profile_parser_t *parser, void *object,
                                      const lims_member_t *member, const char *text,
                                      const lims_profile_place_t *place)
{
    const char *fault;
    const lims_regex_t *regex = lims_regex_compile(&fault, text, parser->pool);

    if (!regex) {
        return lims_profile_refuse(parser, place, NULL, "is no regular expression: %s", fault);
    }
    if ((member->flags & LIMS_M_GROUP) != 0 && !lims_regex_captures(regex)) {
        return lims_profile_refuse(parser, place, NULL,
                                   "must capture what counts: put it in parentheses");
    }
    store_pointer(object, member, regex);
    return NULL;
}

/* Sets a member from a single text, also from its default. */
static const lims_error_t *read_word(lims_profile_parser_t *parser, void *object,
                                     const lims_member_t *member, const char *text,
                                     const lims_profile_place_t *place)
{
    int number = -1;
    char sign = '\0';
    bool fits = false;

    switch (member->type) {
    case LIMS_M_TEXT:
    case LIMS_M_NAME:
        fits = text_fits(member, text);
        store_pointer(object, member, taken_text(parser, member, text));
        break;
    case LIMS_M_DECIMAL:
        fits = decimal_fits(text);
        store_pointer(object, member, apr_pstrdup(parser->pool, text));
        break;
    case LIMS_M_SIGN:
        fits = sign_fits(&sign, text);
        *(char *)at(object, member) = sign;
        break;
    case LIMS_M_INTEGER:
        fits = integer_fits(&number, member, text);
        *(int *)at(object, member) = number;
        break;
    case LIMS_M_BOOLEAN:
        fits = true;
        *(bool *)at(object, member) = text[0] == 't';
        break;
    case LIMS_M_ENUM:
        number = index_of(member->values, text);
        fits = number >= 0;
        *(int *)at(object, member) = number;
        break;
    default:
        return read_regex(parser, object, member, text, place);
    }
    return fits ? NULL : refuse_type(parser, member, place);
}

/* --- Lists of values ------------------------------------------------------- */

/* Adds an element to a list, or a bit to a set. */
static bool add_word(lims_profile_parser_t *parser, void *object, const lims_member_t *member,
                     const char *text)
{
    apr_array_header_t *list;

    if (member->type == LIMS_M_SET) {
        int bit = index_of(member->values, text);

        if (bit >= 0) {
            *(unsigned *)at(object, member) |= 1U << bit;
        }
        return bit >= 0;
    }
    list = kept_list(object, member);
    if (!list) {
        list = apr_array_make(parser->pool, 4, sizeof(const char *));
        store_pointer(object, member, list);
    }
    APR_ARRAY_PUSH(list, const char *) = taken_text(parser, member, text);
    if (member->type == LIMS_M_SIGNS) {
        return lims_utf8_length(text, strlen(text)) == 1 && list->nelts <= member->max;
    }
    return text_fits(member, text) && list->nelts <= member->max;
}

static const lims_error_t *read_words(lims_profile_parser_t *parser, void *object,
                                      const lims_member_t *member, const lims_json_t *node,
                                      const lims_profile_place_t *place)
{
    const lims_json_t *first = node->type == LIMS_JSON_ARRAY ? node->first : node;
    int index = 0;

    if (!first || (node->type != LIMS_JSON_ARRAY && member->type == LIMS_M_SIGNS)) {
        return refuse_type(parser, member, place);
    }
    for (const lims_json_t *element = first; element; element = element->next, index++) {
        const lims_profile_place_t below = { .parent = place, .index = index };

        if (element->type != LIMS_JSON_STRING || !add_word(parser, object, member, element->text)) {
            return refuse_type(parser, member, node->type == LIMS_JSON_ARRAY ? &below : place);
        }
        if (node->type != LIMS_JSON_ARRAY) {
            break;
        }
    }
    return NULL;
}

static const lims_error_t *read_integers(lims_profile_parser_t *parser, void *object,
                                         const lims_member_t *member, const lims_json_t *node,
                                         const lims_profile_place_t *place)
{
    apr_array_header_t *list = apr_array_make(parser->pool, 8, sizeof(int));
    int last = member->min - 1;

    if (node->type != LIMS_JSON_ARRAY || !node->first || node->count > LIMS_FILE_COLUMNS_MAX) {
        return refuse_type(parser, member, place);
    }
    for (const lims_json_t *element = node->first; element; element = element->next) {
        int value = 0;

        if (element->type != LIMS_JSON_NUMBER || !integer_fits(&value, member, element->text) ||
            value <= last) {
            return refuse_type(parser, member, place);
        }
        last = APR_ARRAY_PUSH(list, int) = value;
    }
    store_pointer(object, member, list);
    return NULL;
}

/* --- Objects --------------------------------------------------------------- */

/* Returns the member of a source that a plain string abbreviates. */
static const char *default_source_member(lims_layout_e layout)
{
    switch (layout) {
    case LIMS_LAYOUT_KEYVALUE:
        return "key";
    case LIMS_LAYOUT_ASTM:
    case LIMS_LAYOUT_HL7:
        return "field";
    case LIMS_LAYOUT_XML:
    case LIMS_LAYOUT_JSON:
        return "path";
    default:
        return "header";
    }
}

/* Returns `node`, or for an abbreviated source the object that it means. */
static const lims_json_t *spelt_out(const lims_profile_parser_t *parser,
                                    const lims_member_t *member, const lims_json_t *node)
{
    lims_json_t *object;
    lims_json_t *text;

    if ((member->flags & LIMS_M_SOURCE) == 0 || node->type != LIMS_JSON_STRING) {
        return node;
    }
    text = apr_pmemdup(parser->pool, node, sizeof(*text));
    text->name = default_source_member(parser->layout);
    text->next = NULL;
    object = apr_pcalloc(parser->pool, sizeof(*object));
    object->type = LIMS_JSON_OBJECT;
    object->count = 1;
    object->first = text;
    return object;
}

static const lims_error_t *read_list(lims_profile_parser_t *parser, void *object,
                                     const lims_member_t *member, const lims_json_t *node,
                                     const lims_profile_place_t *place)
{
    apr_array_header_t *list;
    int index = 0;

    if (node->type != LIMS_JSON_ARRAY || node->count < member->min || node->count > member->max) {
        return refuse_type(parser, member, place);
    }
    list = apr_array_make(parser->pool, node->count, (int)member->shape->size);
    for (const lims_json_t *element = node->first; element; element = element->next) {
        const lims_profile_place_t below = { .parent = place, .index = index++ };
        void *item = apr_array_push(list);
        const lims_error_t *error;

        memset(item, 0, member->shape->size);
        error =
            read_object(parser, item, member->shape, spelt_out(parser, member, element), &below);
        if (error) {
            return error;
        }
    }
    store_pointer(object, member, list);
    return NULL;
}

static const lims_error_t *read_member(lims_profile_parser_t *parser, void *object,
                                       const lims_member_t *member, const lims_json_t *node,
                                       const lims_profile_place_t *place)
{
    void *optional;

    switch (member->type) {
    case LIMS_M_INTEGER:
        return node->type == LIMS_JSON_NUMBER ? read_word(parser, object, member, node->text, place)
                                              : refuse_type(parser, member, place);
    case LIMS_M_BOOLEAN:
        return node->type == LIMS_JSON_BOOLEAN
                   ? read_word(parser, object, member, node->text, place)
                   : refuse_type(parser, member, place);
    case LIMS_M_TEXTS:
    case LIMS_M_NAMES:
    case LIMS_M_SIGNS:
    case LIMS_M_SET:
        return read_words(parser, object, member, node, place);
    case LIMS_M_INTEGERS:
        return read_integers(parser, object, member, node, place);
    case LIMS_M_LIST:
        return read_list(parser, object, member, node, place);
    case LIMS_M_OPTIONAL:
        optional = apr_pcalloc(parser->pool, member->shape->size);
        store_pointer(object, member, optional);
        return read_object(parser, optional, member->shape, spelt_out(parser, member, node), place);
    case LIMS_M_OBJECT:
        return read_object(parser, at(object, member), member->shape,
                           spelt_out(parser, member, node), place);
    default:
        return node->type == LIMS_JSON_STRING ? read_word(parser, object, member, node->text, place)
                                              : refuse_type(parser, member, place);
    }
}

/* Sets the defaults of absent members, recursively. */
static void set_defaults(lims_profile_parser_t *parser, void *object, const lims_shape_t *shape,
                         const lims_json_t *node)
{
    for (const lims_member_t *member = shape->members; member->name; member++) {
        if (lims_json_member(node, member->name)) {
            continue;
        }
        if (member->type == LIMS_M_OBJECT) {
            set_defaults(parser, at(object, member), member->shape, NULL);
        } else if (member->fallback &&
                   (member->type == LIMS_M_TEXTS || member->type == LIMS_M_SET)) {
            char *state = NULL;
            char *words = apr_pstrdup(parser->pool, member->fallback);

            for (char *word = apr_strtok(words, " ", &state); word;
                 word = apr_strtok(NULL, " ", &state)) {
                add_word(parser, object, member, word);
            }
        } else if (member->fallback) {
            read_word(parser, object, member, member->fallback, NULL);
        }
    }
}

static const lims_member_t *find(const lims_shape_t *shape, const char *name)
{
    const lims_member_t *member = shape->members;

    while (member->name && strcmp(member->name, name) != 0) {
        member++;
    }
    return member->name ? member : NULL;
}

static const lims_error_t *unknown(const lims_profile_parser_t *parser, const lims_shape_t *shape,
                                   const char *name, const lims_profile_place_t *place)
{
    const char *list = NULL;

    for (const lims_member_t *member = shape->members; member->name; member++) {
        list = !list ? member->name : apr_psprintf(parser->pool, "%s, %s", list, member->name);
    }
    return lims_profile_refuse(parser, place, lims_excerpt(name, parser->pool),
                               "is no member here; there are %s", list);
}

static const lims_error_t *read_object(lims_profile_parser_t *parser, void *object,
                                       const lims_shape_t *shape, const lims_json_t *node,
                                       const lims_profile_place_t *place)
{
    if (node->type != LIMS_JSON_OBJECT) {
        return lims_profile_refuse(parser, place, NULL, "must be an object");
    }
    for (const lims_json_t *child = node->first; child; child = child->next) {
        const lims_member_t *member = find(shape, child->name);
        const lims_profile_place_t below = { .parent = place, .name = child->name };
        const lims_error_t *error = !member ? unknown(parser, shape, child->name, place)
                                            : read_member(parser, object, member, child, &below);
        if (error) {
            return error;
        }
    }
    for (const lims_member_t *member = shape->members; member->name; member++) {
        if ((member->flags & LIMS_M_REQUIRED) != 0 && !lims_json_member(node, member->name)) {
            return lims_profile_refuse(parser, place, member->name, "is missing; it must be %s",
                                       expectation(member, parser->pool));
        }
    }
    set_defaults(parser, object, shape, node);
    return shape->check ? shape->check(parser, object, node, place) : NULL;
}

const lims_error_t *lims_profile_parse(const lims_profile_t **profile, const char *json,
                                       apr_size_t length, apr_pool_t *pool)
{
    const lims_profile_place_t root = { .name = NULL };
    lims_profile_parser_t parser = { .pool = pool };
    lims_profile_t *made = apr_pcalloc(pool, sizeof(*made));
    const lims_json_t *layout;
    lims_json_t *tree = NULL;
    const lims_error_t *error = NULL;

    *profile = NULL;
    if (length > LIMS_PROFILE_MAX) {
        return lims_client_error(pool, LIMS_E_INVALID_BODY, "The profile is larger than %d bytes",
                                 LIMS_PROFILE_MAX);
    }
    error = lims_json_parse(&tree, json, length, pool);
    if (error) {
        return error;
    }
    /* The layout is read first, since it determines the meaning of abbreviated
     * sources. */
    layout = lims_json_member(tree, "layout");
    if (layout && layout->type == LIMS_JSON_STRING) {
        int value = index_of(lims_layout_names, layout->text);

        parser.layout = value >= 0 ? (lims_layout_e)value : LIMS_LAYOUT_LONG;
    }
    error = read_object(&parser, made, &lims_shape_profile, tree, &root);
    if (!error) {
        *profile = made;
    }
    return error;
}
