/* SPDX-License-Identifier: Apache-2.0 */
/*
 * writer.h - writing JSON into one growing buffer of a pool.
 *
 * Calls must nest as JSON does; after a call that does not (a value where a key is due)
 * lims_writer_finish() returns NULL.
 */
#ifndef LIMS_KERNEL_WRITER_H
#define LIMS_KERNEL_WRITER_H

#include "lims.h"

typedef struct lims_writer_t lims_writer_t;

/* Makes a writer with an empty text; both live in `pool`. */
lims_writer_t *lims_writer_create(apr_pool_t *pool);

/* Returns the pool that the writer was created in. */
apr_pool_t *lims_writer_pool(const lims_writer_t *w);

/* Returns the number of bytes that were written so far. */
apr_size_t lims_writer_length(const lims_writer_t *w);

/* Begins an object, whose members are a key and a value each. */
void lims_writer_object_begin(lims_writer_t *w);

/* Ends the innermost object. */
void lims_writer_object_end(lims_writer_t *w);

/* Begins an array, whose elements are values. */
void lims_writer_array_begin(lims_writer_t *w);

/* Ends the innermost array. */
void lims_writer_array_end(lims_writer_t *w);

/* Writes the name of a member, whose value is written next. */
void lims_writer_key(lims_writer_t *w, const char *name);

/* Writes a string, or null for NULL. The text must be valid UTF-8. */
void lims_writer_string(lims_writer_t *w, const char *text);

/* Writes a string of `length` bytes, which may include NUL characters. */
void lims_writer_string_n(lims_writer_t *w, const char *text, apr_size_t length);

/* Writes a value that is JSON already, such as a number's text or a document of the
 * database, unchecked; null for NULL. */
void lims_writer_raw(lims_writer_t *w, const char *json);

/* Writes null. */
void lims_writer_null(lims_writer_t *w);

/* Writes true or false. */
void lims_writer_boolean(lims_writer_t *w, bool value);

/* Writes an integer. */
void lims_writer_integer(lims_writer_t *w, apr_int64_t value);

/* Ends the text and returns it, NUL-terminated, in the pool of the writer; `*length` is
 * without the NUL. The writer must not be used again. NULL: the calls did not nest. */
const char *lims_writer_finish(apr_size_t *length, lims_writer_t *w);

#endif /* LIMS_KERNEL_WRITER_H */
