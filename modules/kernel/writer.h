/* SPDX-License-Identifier: Apache-2.0 */
/*
 * writer.h - writing JSON into one growing buffer of a pool.
 *
 * Calls must nest as JSON does; a call that cannot (a value where a key is
 * due) makes lims_writer_finish() return NULL.
 */
#ifndef LIMS_KERNEL_WRITER_H
#define LIMS_KERNEL_WRITER_H

#include "lims.h"

typedef struct lims_writer_t lims_writer_t;

/* An empty text. Writer and text live in `pool`. */
lims_writer_t *lims_writer_create(apr_pool_t *pool);

/* The pool it was created in. */
apr_pool_t *lims_writer_pool(const lims_writer_t *w);

/* An object, of members: a key and a value each. */
void lims_writer_object_begin(lims_writer_t *w);
void lims_writer_object_end(lims_writer_t *w);

/* An array, of values. */
void lims_writer_array_begin(lims_writer_t *w);
void lims_writer_array_end(lims_writer_t *w);

/* Member name of what is written next. */
void lims_writer_key(lims_writer_t *w, const char *name);

/* NULL is written as null. The text must be valid UTF-8. */
void lims_writer_string(lims_writer_t *w, const char *text);

/* The same of `length` bytes, which may include NUL characters. */
void lims_writer_string_n(lims_writer_t *w, const char *text, apr_size_t length);

/* A value that is JSON already: a number's text, a document of the database.
 * NULL is written as null. Not checked. */
void lims_writer_raw(lims_writer_t *w, const char *json);

/* A null, true or false, an integer. */
void lims_writer_null(lims_writer_t *w);
void lims_writer_boolean(lims_writer_t *w, bool value);
void lims_writer_integer(lims_writer_t *w, apr_int64_t value);

/* The text, NUL-terminated, in the pool of the writer; `*length` without the
 * NUL. The writer is used up. NULL: the calls did not nest. */
const char *lims_writer_finish(apr_size_t *length, lims_writer_t *w);

#endif /* LIMS_KERNEL_WRITER_H */
