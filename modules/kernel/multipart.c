/* SPDX-License-Identifier: Apache-2.0 */
/*
 * multipart.c - a streaming parser of multipart/form-data, a state machine over bytes.
 *
 * The delimiter of parts is CR LF -- boundary. It contains a carriage return only at its
 * begin, so after a failed match the matched bytes are data, and matching begins again at
 * the byte that failed. The first boundary is parsed as if a line had just ended.
 */
#include "kernel/multipart.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <string.h>
#include <sys/mman.h>

#include "kernel/digest.h"
#include "kernel/error.h"
#include "kernel/json.h"
#include "kernel/multipart_header.h"

typedef enum {
    BODY,      /* of a part, or the preamble */
    DELIMITED, /* after a boundary */
    CLOSING,   /* after a boundary and one hyphen */
    PADDING,   /* after a boundary and a blank */
    LINE_END,  /* after a boundary and a carriage return */
    HEADER,
    AFTER, /* after the last boundary */
} state_e;

struct lims_multipart_t {
    apr_pool_t *pool;
    const char *delimiter;
    apr_size_t delimiter_length;
    const char *file;
    apr_size_t file_max;
    state_e state;
    apr_size_t matched; /* of the delimiter */
    bool in_part;
    apr_array_header_t *parts; /* lims_part_t; the last is the one that is read */
    char *header;              /* of the part that is read */
    apr_size_t header_length;
    char *buffer; /* of the part that is read */
    apr_size_t room;
    apr_size_t length;
    apr_size_t seen; /* bytes, for messages */
};

static const lims_error_t *refuse(const lims_multipart_t *form, const char *what)
{
    return lims_client_error(form->pool, LIMS_E_INVALID_BODY,
                             "The form is not well-formed at byte %" APR_SIZE_T_FMT ": %s",
                             form->seen + 1, what);
}

/* --- Memory of a part --------------------------------------------------------- */

typedef struct {
    void *memory;
    apr_size_t size;
} mapping_t;

static apr_status_t unmap(void *data)
{
    const mapping_t *mapping = data;

    munmap(mapping->memory, mapping->size);
    return APR_SUCCESS;
}

/* Maps memory for a file of the maximal size; only pages in use take memory. */
static char *map_file(apr_size_t size, apr_pool_t *pool)
{
    mapping_t *mapping = apr_palloc(pool, sizeof(*mapping));

    mapping->size = size;
    mapping->memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapping->memory == MAP_FAILED) {
        return NULL;
    }
    apr_pool_cleanup_register(pool, mapping, unmap, apr_pool_cleanup_null);
    return mapping->memory;
}

static bool is_file(const lims_multipart_t *form, const lims_part_t *part)
{
    return form->file && strcmp(part->name, form->file) == 0;
}

static const lims_error_t *begin_part(lims_multipart_t *form)
{
    lims_part_t part = { .name = NULL };
    const char *problem;

    form->header[form->header_length] = '\0';
    problem = strlen(form->header) == form->header_length
                  ? lims_multipart_header(&part, form->header, form->pool)
                  : "the header of a part has a NUL";
    if (problem) {
        return refuse(form, problem);
    }
    if (lims_multipart_find(form->parts, part.name)) {
        return refuse(form, apr_psprintf(form->pool, "the part %s is there twice",
                                         lims_excerpt(part.name, form->pool)));
    }
    if (form->parts->nelts == LIMS_MULTIPART_PARTS_MAX) {
        return refuse(form, "there are too many parts");
    }
    form->length = 0;
    form->room = is_file(form, &part) ? form->file_max : LIMS_MULTIPART_FIELD_MAX;
    form->buffer = is_file(form, &part) ? map_file(form->room + 1, form->pool)
                                        : apr_palloc(form->pool, form->room + 1);
    if (!form->buffer) {
        return lims_server_error(form->pool, LIMS_E_INTERNAL, 64,
                                 "no memory could be mapped for a file",
                                 "The request could not be carried out.");
    }
    form->in_part = true;
    form->state = BODY;
    APR_ARRAY_PUSH(form->parts, lims_part_t) = part;
    return NULL;
}

static lims_part_t *current_part(const lims_multipart_t *form)
{
    return &APR_ARRAY_IDX(form->parts, form->parts->nelts - 1, lims_part_t);
}

static void end_part(lims_multipart_t *form)
{
    if (form->in_part) {
        form->buffer[form->length] = '\0';
        current_part(form)->bytes = form->buffer;
        current_part(form)->length = form->length;
    }
    form->in_part = false;
}

static const lims_error_t *append_data(lims_multipart_t *form, const char *bytes, apr_size_t length)
{
    if (length == 0) {
        return NULL;
    }
    if (!form->in_part) {
        return refuse(form, "it does not begin with its boundary");
    }
    if (length > form->room - form->length) {
        if (is_file(form, current_part(form))) {
            return lims_client_error(form->pool, LIMS_E_PAYLOAD_TOO_LARGE,
                                     "%s: a file may have at most %" APR_SIZE_T_FMT " bytes.",
                                     form->file, form->file_max);
        }
        return refuse(form, apr_psprintf(form->pool, "%s is too long",
                                         lims_excerpt(current_part(form)->name, form->pool)));
    }
    memcpy(form->buffer + form->length, bytes, length);
    form->length += length;
    return NULL;
}

/* --- States ------------------------------------------------------------------- */

/* One function for each state; it consumes at least one byte and returns how many. */
static const lims_error_t *in_body(apr_size_t *taken, lims_multipart_t *form, const char *bytes,
                                   apr_size_t length)
{
    const lims_error_t *error;

    if (form->matched == 0) {
        const char *end = memchr(bytes, '\r', length);

        *taken = end ? (apr_size_t)(end - bytes) : length;
        error = append_data(form, bytes, *taken);
        if (!error && end) {
            form->matched = 1;
            *taken += 1;
        }
        return error;
    }
    if (*bytes == form->delimiter[form->matched]) {
        *taken = 1;
        if (++form->matched == form->delimiter_length) {
            end_part(form);
            form->matched = 0;
            form->state = DELIMITED;
        }
        return NULL;
    }
    *taken = 0; /* the byte that failed is examined again */
    error = append_data(form, form->delimiter, form->matched);
    form->matched = 0;
    return error;
}

/* Parses the bytes behind a boundary: "--" ends the form; blanks are allowed before the
 * line ends (RFC 2046 section 5.1.1). */
static const lims_error_t *behind_boundary(lims_multipart_t *form, char byte)
{
    bool blank = byte == ' ' || byte == '\t';

    if (form->state == CLOSING) {
        form->state = AFTER;
        return byte == '-' ? NULL : refuse(form, "a boundary goes on");
    }
    if (form->state == LINE_END) {
        form->state = HEADER;
        form->header_length = 0;
        return byte == '\n' ? NULL : refuse(form, "a line does not end in CR LF");
    }
    if (form->state == DELIMITED && byte == '-') {
        form->state = CLOSING;
    } else if (blank) {
        form->state = PADDING;
    } else if (byte == '\r') {
        form->state = LINE_END;
    } else {
        return refuse(form, "a boundary goes on");
    }
    return NULL;
}

static bool header_ends(const lims_multipart_t *form)
{
    const char *end = form->header + form->header_length;

    return (form->header_length == 2 && memcmp(end - 2, "\r\n", 2) == 0) ||
           (form->header_length >= 4 && memcmp(end - 4, "\r\n\r\n", 4) == 0);
}

static const lims_error_t *in_header(lims_multipart_t *form, char byte)
{
    if (form->header_length == LIMS_MULTIPART_HEADER_MAX) {
        return refuse(form, "the header of a part is too long");
    }
    form->header[form->header_length++] = byte;
    return header_ends(form) ? begin_part(form) : NULL;
}

static const lims_error_t *parse_line_end(const lims_multipart_t *form, char byte)
{
    bool blank = byte == '\r' || byte == '\n' || byte == ' ' || byte == '\t';

    return blank ? NULL : refuse(form, "something stands behind the last boundary");
}

static const lims_error_t *step(apr_size_t *taken, lims_multipart_t *form, const char *bytes,
                                apr_size_t length)
{
    *taken = 1;
    switch (form->state) {
    case BODY:
        return in_body(taken, form, bytes, length);
    case DELIMITED:
    case CLOSING:
    case PADDING:
    case LINE_END:
        return behind_boundary(form, *bytes);
    case HEADER:
        return in_header(form, *bytes);
    case AFTER:
        return parse_line_end(form, *bytes);
    }
    return refuse(form, "the parser is lost");
}

/* --- The parser ----------------------------------------------------------------- */

const lims_error_t *lims_multipart_create(lims_multipart_t **form, const char *content_type,
                                          const char *file, apr_size_t file_max, apr_pool_t *pool)
{
    lims_multipart_t *made = apr_pcalloc(pool, sizeof(*made));
    const char *boundary = lims_multipart_boundary(content_type, pool);

    if (!boundary) {
        return lims_client_error(
            pool, LIMS_E_INVALID_BODY,
            "Content-Type: multipart/form-data needs a boundary of 1 to 70 of the "
            "characters that RFC 2046 allows.");
    }
    made->pool = pool;
    made->delimiter = apr_pstrcat(pool, "\r\n--", boundary, NULL);
    made->delimiter_length = strlen(made->delimiter);
    made->file = file;
    made->file_max = file_max;
    made->state = BODY;
    made->matched = 2;
    made->parts = apr_array_make(pool, 4, sizeof(lims_part_t));
    made->header = apr_palloc(pool, LIMS_MULTIPART_HEADER_MAX + 1);
    *form = made;
    return NULL;
}

const lims_error_t *lims_multipart_feed(lims_multipart_t *form, const char *bytes,
                                        apr_size_t length)
{
    const lims_error_t *error = NULL;

    while (length > 0 && !error) {
        apr_size_t taken = 0;

        error = step(&taken, form, bytes, length);
        bytes += taken;
        length -= taken;
        form->seen += !error ? taken : 0;
    }
    return error;
}

const lims_error_t *lims_multipart_finish(const apr_array_header_t **parts, lims_multipart_t *form)
{
    if (form->state != AFTER) {
        return refuse(form, "it ends before its last boundary");
    }
    *parts = form->parts;
    return NULL;
}

const lims_part_t *lims_multipart_find(const apr_array_header_t *parts, const char *name)
{
    for (int i = 0; i < parts->nelts; i++) {
        const lims_part_t *part = &APR_ARRAY_IDX(parts, i, lims_part_t);

        if (strcmp(part->name, name) == 0) {
            return part;
        }
    }
    return NULL;
}

const char *lims_multipart_digest(const apr_array_header_t *parts, apr_pool_t *pool)
{
    const char *text = "";

    for (int i = 0; i < parts->nelts; i++) {
        const lims_part_t *part = &APR_ARRAY_IDX(parts, i, lims_part_t);
        const char *digest = lims_sha256_hex(part->bytes, part->length, LIMS_SHA256_LENGTH, pool);

        if (!digest) {
            return NULL;
        }
        text = apr_pstrcat(pool, text, part->name, "\n", part->file_name ? part->file_name : "",
                           "\n", digest, "\n", NULL);
    }
    return text;
}
