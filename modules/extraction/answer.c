/* SPDX-License-Identifier: Apache-2.0 */
/* answer.c - parsing the model's answer. */
#include "extraction/answer.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/json.h"
#include "kernel/writer.h"

/* Largest number in a pointer; larger than the bounds of any grid. */
#define NUMBER_MAX 1000000

const char *const lims_pointed_names[] = {
    [LIMS_POINTED_SAMPLE] = "sample",     [LIMS_POINTED_QC] = "qc",
    [LIMS_POINTED_STANDARD] = "standard", [LIMS_POINTED_BLANK] = "blank",
    [LIMS_POINTED_SUMMARY] = "summary",   [LIMS_POINTED_OTHER] = "other",
};

_Static_assert(LIMS_LENGTH(lims_pointed_names) == LIMS_POINTED_COUNT, "a name for each kind");

/* --- The envelope ------------------------------------------------------------------ */

static bool is(const char *text, const char *word)
{
    return text && strcmp(text, word) == 0;
}

static const lims_json_t *first_of(const lims_json_t *object, const char *name)
{
    const lims_json_t *list = object ? lims_json_member(object, name) : NULL;

    return list && list->type == LIMS_JSON_ARRAY ? list->first : NULL;
}

/* Extracts the text of a chat completion: choices[0].message.content, or the arguments of
 * the tool call. */
static lims_call_e open_completion(const char **text, const char **problem, const lims_json_t *root)
{
    const lims_json_t *choice = first_of(root, "choices");
    const lims_json_t *message = choice ? lims_json_member(choice, "message") : NULL;
    const lims_json_t *tool = first_of(message, "tool_calls");
    const char *finish = lims_json_string(choice, "finish_reason");

    if (lims_json_string(message, "refusal") || is(finish, "content_filter")) {
        *problem = "the model refused the file";
        return LIMS_CALL_REFUSED;
    }
    if (is(finish, "length")) {
        *problem = "the answer was cut off at the model's limit";
        return LIMS_CALL_NONSENSE;
    }
    *text = tool ? lims_json_string(lims_json_member(tool, "function"), "arguments")
                 : lims_json_string(message, "content");
    *problem = *text ? NULL : "the answer has no content";
    return *text ? LIMS_CALL_ANSWERED : LIMS_CALL_NONSENSE;
}

static const char *copied(const char *from, const char *end, apr_pool_t *pool)
{
    return apr_pstrmemdup(pool, from, (apr_size_t)(end - from));
}

/* Writes a JSON tree; the parser's bound on depth bounds the recursion. */
static void write_json(lims_writer_t *w, const lims_json_t *node)
{
    switch (node->type) {
    case LIMS_JSON_STRING:
        lims_writer_string_n(w, node->text, node->length);
        return;
    case LIMS_JSON_ARRAY:
    case LIMS_JSON_OBJECT:
        break;
    default:
        lims_writer_raw(w, node->text);
        return;
    }
    node->type == LIMS_JSON_OBJECT ? lims_writer_object_begin(w) : lims_writer_array_begin(w);
    for (const lims_json_t *child = node->first; child; child = child->next) {
        if (child->name) {
            lims_writer_key(w, child->name);
        }
        write_json(w, child);
    }
    node->type == LIMS_JSON_OBJECT ? lims_writer_object_end(w) : lims_writer_array_end(w);
}

static const char *text_of(const lims_json_t *node, apr_pool_t *pool)
{
    lims_writer_t *w = lims_writer_create(pool);
    apr_size_t length = 0;

    write_json(w, node);
    return lims_writer_finish(&length, w);
}

/* Extracts the text of an Anthropic message: its text blocks, or the input of the tool
 * call as JSON. */
static lims_call_e open_message(const char **text, const char **problem, const lims_json_t *root,
                                apr_pool_t *pool)
{
    const char *stop = lims_json_string(root, "stop_reason");

    if (is(stop, "refusal")) {
        *problem = "the model refused the file";
        return LIMS_CALL_REFUSED;
    }
    if (is(stop, "max_tokens")) {
        *problem = "the answer was cut off at the model's limit";
        return LIMS_CALL_NONSENSE;
    }
    for (const lims_json_t *block = first_of(root, "content"); block; block = block->next) {
        const lims_json_t *input = lims_json_member(block, "input");

        if (!*text && is(lims_json_string(block, "type"), "text")) {
            *text = lims_json_string(block, "text");
        } else if (is(lims_json_string(block, "type"), "tool_use") && input) {
            *text = text_of(input, pool);
            break;
        }
    }
    *problem = *text ? NULL : "the answer has no content";
    return *text ? LIMS_CALL_ANSWERED : LIMS_CALL_NONSENSE;
}

/* Removes a Markdown code fence, which models without structured output often add. */
static const char *without_fence(const char *text, apr_pool_t *pool)
{
    const char *begin = text + strspn(text, " \t\r\n"), *end;

    if (strncmp(begin, "```", 3) != 0) {
        return text;
    }
    begin += strcspn(begin, "\n");
    end = strstr(begin, "```");
    return end && end[3 + strspn(end + 3, " \t\r\n")] == '\0' ? copied(begin, end, pool) : text;
}

lims_call_e lims_answer_open(const char **text, const char **problem, lims_style_e style,
                             const char *bytes, apr_size_t length, apr_pool_t *pool)
{
    lims_json_t *root = NULL;
    lims_call_e outcome;

    *text = NULL;
    if (lims_json_parse(&root, bytes, length, pool) || root->type != LIMS_JSON_OBJECT) {
        *problem = "the answer is not a JSON object";
        return LIMS_CALL_NONSENSE;
    }
    outcome = style == LIMS_STYLE_ANTHROPIC ? open_message(text, problem, root, pool)
                                            : open_completion(text, problem, root);
    if (outcome == LIMS_CALL_ANSWERED) {
        *text = without_fence(*text, pool);
    }
    return outcome;
}

/* --- The pointers ------------------------------------------------------------------ */

/* A member of a pointer: its offset, and whether it may be null. */
typedef struct {
    const char *name;
    apr_size_t offset;
    bool nullable;
} member_t;

static const member_t members[] = {
    { "sheet", APR_OFFSETOF(lims_pointer_t, sheet), false },
    { "idRow", APR_OFFSETOF(lims_pointer_t, id.row), false },
    { "idColumn", APR_OFFSETOF(lims_pointer_t, id.column), false },
    { "candidate", APR_OFFSETOF(lims_pointer_t, candidate), true },
    { "valueRow", APR_OFFSETOF(lims_pointer_t, value.row), false },
    { "valueColumn", APR_OFFSETOF(lims_pointer_t, value.column), false },
    { "unitRow", APR_OFFSETOF(lims_pointer_t, unit.row), true },
    { "unitColumn", APR_OFFSETOF(lims_pointer_t, unit.column), true },
    { "qualifierRow", APR_OFFSETOF(lims_pointer_t, qualifier.row), true },
    { "qualifierColumn", APR_OFFSETOF(lims_pointer_t, qualifier.column), true },
};

static bool parse_number(int *number, const lims_json_t *node, bool nullable)
{
    char *end = NULL;
    long value;

    *number = 0;
    if (node->type == LIMS_JSON_NULL) {
        return nullable;
    }
    if (node->type != LIMS_JSON_NUMBER || strlen(node->text) > 7) {
        return false;
    }
    value = strtol(node->text, &end, 10);
    *number = (int)value;
    return *end == '\0' && value >= 1 && value <= NUMBER_MAX;
}

static bool parse_kind(lims_pointed_e *kind, const lims_json_t *node)
{
    for (int i = 0; i < LIMS_POINTED_COUNT; i++) {
        if (node->type == LIMS_JSON_STRING && strcmp(node->text, lims_pointed_names[i]) == 0) {
            *kind = (lims_pointed_e)i;
            return true;
        }
    }
    return false;
}

static bool is_half(lims_at_t at)
{
    return (at.row == 0) != (at.column == 0);
}

static const char *parse_pointer(lims_pointer_t *pointer, const lims_json_t *node)
{
    const lims_json_t *kind;

    if (node->type != LIMS_JSON_OBJECT || node->count != (int)LIMS_LENGTH(members) + 1) {
        return "is no object of exactly the members that were asked for";
    }
    for (apr_size_t i = 0; i < LIMS_LENGTH(members); i++) {
        const lims_json_t *member = lims_json_member(node, members[i].name);
        int *number = (int *)(void *)((char *)pointer + members[i].offset);

        if (!member || !parse_number(number, member, members[i].nullable)) {
            return members[i].nullable ? "has a number that is missing, or neither null nor from 1"
                                       : "has a number that is missing or not from 1";
        }
    }
    kind = lims_json_member(node, "kind");
    if (!kind || !parse_kind(&pointer->kind, kind)) {
        return "has a kind that was not among those to choose from";
    }
    return is_half(pointer->unit) || is_half(pointer->qualifier)
               ? "has a cell with a row and no column, or the other way round"
               : NULL;
}

bool lims_answer_read(apr_array_header_t **pointers, const char **problem, const char *text,
                      apr_pool_t *pool)
{
    apr_array_header_t *taken = apr_array_make(pool, 64, sizeof(lims_pointer_t));
    lims_json_t *root = NULL;
    const lims_json_t *rows;

    if (lims_json_parse(&root, text, strlen(text), pool)) {
        *problem = "it is not JSON, or goes on behind it";
        return false;
    }
    rows = lims_json_member(root, "rows");
    if (root->type != LIMS_JSON_OBJECT || root->count != 1 || !rows ||
        rows->type != LIMS_JSON_ARRAY || rows->count > LIMS_POINTERS_MAX) {
        *problem = "it is not an object with the one member rows, a list";
        return false;
    }
    for (const lims_json_t *row = rows->first; row; row = row->next) {
        lims_pointer_t pointer = { .sheet = 0 };
        const char *wrong = parse_pointer(&pointer, row);

        if (wrong) {
            *problem = apr_psprintf(pool, "rows[%d] %s", taken->nelts, wrong);
            return false;
        }
        APR_ARRAY_PUSH(taken, lims_pointer_t) = pointer;
    }
    *pointers = taken;
    return true;
}
