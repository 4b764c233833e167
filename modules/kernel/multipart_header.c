/* SPDX-License-Identifier: Apache-2.0 */
/*
 * multipart_header.c - parsing of the boundary of a form and of the header of a part.
 */
#include "kernel/multipart_header.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <string.h>

#include "kernel/utf8.h"

#define BOUNDARY_MAX 70
#define NAME_MAX_LENGTH 64
#define FILE_NAME_MAX 255 /* characters */

/* --- Parameters: "; name=value" and "; name=\"value\"" ------------------------- */

static bool is_token(char c)
{
    return c > 0x20 && c < 0x7F && !strchr("()<>@,;:\\\"/[]?={}", c);
}

/* Reads a quoted value. Only \" is an escape: browsers write a quote in a name as %22 and
 * a backslash unescaped; other clients put a backslash before a quote. */
static const char *read_quoted(const char **rest, apr_pool_t *pool)
{
    const char *p = *rest + 1;
    char *text = apr_palloc(pool, strlen(p) + 1), *end = text;

    while (*p != '\0' && *p != '"') {
        if (p[0] == '\\' && p[1] == '"') {
            p++;
        }
        *end++ = *p++;
    }
    *end = '\0';
    *rest = p + 1;
    return *p == '"' ? text : NULL;
}

static const char *read_token(const char **rest, apr_pool_t *pool)
{
    const char *begin = *rest, *p = begin;

    while (*p != '\0' && is_token(*p)) {
        p++;
    }
    *rest = p;
    return p > begin ? apr_pstrmemdup(pool, begin, (apr_size_t)(p - begin)) : NULL;
}

/* Reads the next parameter; false at the end. Sets `*broken` if it is malformed. */
static bool next_parameter(const char **name, const char **value, bool *broken, const char **rest,
                           apr_pool_t *pool)
{
    const char *p = *rest + strspn(*rest, " \t");

    *broken = false;
    if (*p == '\0') {
        return false;
    }
    *broken = *p != ';';
    p += *p == ';' ? 1 : 0;
    p += strspn(p, " \t");
    if (!*broken && *p == '\0') {
        return false; /* a semicolon at the end */
    }
    *name = *broken ? NULL : read_token(&p, pool);
    *broken = !*name || *p != '=';
    if (*broken) {
        return false;
    }
    p++;
    *value = *p == '"' ? read_quoted(&p, pool) : read_token(&p, pool);
    *broken = !*value;
    *rest = p;
    return !*broken;
}

/* Finds the value of one parameter; `*found` is NULL if it is absent. False: the field is
 * malformed or has the parameter twice. */
static bool find_parameter(const char **found, const char *parameters, const char *wanted,
                           apr_pool_t *pool)
{
    const char *name = NULL, *value = NULL;
    bool broken = false, twice = false;

    *found = NULL;
    while (next_parameter(&name, &value, &broken, &parameters, pool)) {
        if (strcasecmp(name, wanted) == 0) {
            twice = *found;
            *found = value;
        }
        if (twice) {
            return false;
        }
    }
    return !broken;
}

bool lims_multipart_is(const char *content_type)
{
    static const char name[] = "multipart/form-data";
    apr_size_t length = sizeof(name) - 1;

    return content_type && strncasecmp(content_type, name, length) == 0 &&
           (content_type[length] == '\0' || strchr("; \t", content_type[length]));
}

const char *lims_multipart_boundary(const char *content_type, apr_pool_t *pool)
{
    static const char allowed[] = "0123456789abcdefghijklmnopqrstuvwxyz"
                                  "ABCDEFGHIJKLMNOPQRSTUVWXYZ'()+_,-./:=? ";
    const char *boundary = NULL;
    apr_size_t length;

    if (!lims_multipart_is(content_type) ||
        !find_parameter(&boundary, content_type + strcspn(content_type, "; \t"), "boundary",
                        pool) ||
        !boundary) {
        return NULL;
    }
    length = strlen(boundary);
    return length >= 1 && length <= BOUNDARY_MAX && strspn(boundary, allowed) == length &&
                   boundary[length - 1] != ' '
               ? boundary
               : NULL;
}

/* --- The header of a part ------------------------------------------------------- */

static bool has_control(const char *text)
{
    for (const unsigned char *p = (const unsigned char *)text; *p != '\0'; p++) {
        if (*p < 0x20 || *p == 0x7F || (p[0] == 0xC2 && p[1] >= 0x80 && p[1] <= 0x9F)) {
            return true;
        }
    }
    return false;
}

static bool is_text(const char *text, apr_size_t max)
{
    return lims_utf8_valid(text, strlen(text)) && !has_control(text) && text[0] != '\0' &&
           lims_utf8_length(text, strlen(text)) <= max;
}

/* Returns the file name without folders, which are ignored (RFC 7578 section 4.2). */
static const char *base_name(const char *text)
{
    for (const char *p = text; *p != '\0'; p++) {
        if (*p == '/' || *p == '\\') {
            text = p + 1;
        }
    }
    return text;
}

static const char *parse_disposition(lims_part_t *part, const char *value, apr_pool_t *pool)
{
    static const char form_data[] = "form-data";
    apr_size_t length = sizeof(form_data) - 1;
    const char *file_name = NULL;

    if (strncasecmp(value, form_data, length) != 0 ||
        !find_parameter(&part->name, value + length, "name", pool) ||
        !find_parameter(&file_name, value + length, "filename", pool)) {
        return "a Content-Disposition is not of the form: form-data; name=\"...\"";
    }
    if (!part->name || !is_text(part->name, NAME_MAX_LENGTH)) {
        return "a part has no name, or one of more than 64 characters";
    }
    if (file_name) {
        file_name = base_name(file_name);
        if (*file_name != '\0' && !is_text(file_name, FILE_NAME_MAX)) {
            return "a file name is not a UTF-8 text of at most 255 characters";
        }
        part->file_name = *file_name != '\0' ? file_name : NULL;
    }
    return NULL;
}

static const char *check_encoding(const char *value)
{
    static const char *const plain[] = { "7bit", "8bit", "binary" };

    for (apr_size_t i = 0; i < LIMS_LENGTH(plain); i++) {
        if (strcasecmp(value, plain[i]) == 0) {
            return NULL;
        }
    }
    return "a part has a Content-Transfer-Encoding; send it as it is";
}

/* Parses one header line, without its end. */
static const char *parse_line(lims_part_t *part, char *line, apr_pool_t *pool)
{
    char *colon = strchr(line, ':');
    char *value = colon ? colon + 1 : line;
    apr_size_t length;

    if (!colon || colon == line || strcspn(line, " \t") < (apr_size_t)(colon - line)) {
        return "a header line of a part is not of the form: name: value";
    }
    *colon = '\0';
    value += strspn(value, " \t");
    length = strlen(value);
    while (length > 0 && (value[length - 1] == ' ' || value[length - 1] == '\t')) {
        value[--length] = '\0';
    }
    for (const char *p = line; *p != '\0'; p++) {
        if (!is_token(*p)) {
            return "a header line of a part is not of the form: name: value";
        }
    }
    if (strcasecmp(line, "Content-Disposition") == 0) {
        return part->name ? "a part has two Content-Dispositions"
                          : parse_disposition(part, value, pool);
    }
    return strcasecmp(line, "Content-Transfer-Encoding") == 0 ? check_encoding(value) : NULL;
}

const char *lims_multipart_header(lims_part_t *part, const char *header, apr_pool_t *pool)
{
    const char *problem = NULL;

    while (*header != '\0' && !problem) {
        const char *end = strchr(header, '\r');

        if (!end || end[1] != '\n') {
            return "the header of a part has a line that does not end in CR LF";
        }
        if (memchr(header, '\n', (apr_size_t)(end - header))) {
            return "the header of a part has a line that does not end in CR LF";
        }
        if (end > header) {
            problem =
                parse_line(part, apr_pstrmemdup(pool, header, (apr_size_t)(end - header)), pool);
        }
        header = end + 2;
    }
    if (!problem && !part->name) {
        problem = "a part has no Content-Disposition";
    }
    return problem;
}
