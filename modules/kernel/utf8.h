/* SPDX-License-Identifier: Apache-2.0 */
/* utf8.h - checks of UTF-8, and its characters. */
#ifndef LIMS_KERNEL_UTF8_H
#define LIMS_KERNEL_UTF8_H

#include "lims.h"

/* Whether bytes are well-formed UTF-8 by table 3-7 of the Unicode Standard 15: no
 * overlong form, no surrogate, nothing beyond U+10FFFF. A NUL byte is a character
 * here. */
bool lims_utf8_valid(const char *bytes, apr_size_t length);

/* Returns the offset of the first byte that is not well-formed, or `length`. */
apr_size_t lims_utf8_fault(const char *bytes, apr_size_t length);

/* Decodes the first character of at least one byte and returns its size in bytes; 0: no
 * well-formed character begins there. */
apr_size_t lims_utf8_decode(apr_uint32_t *character, const char *bytes, apr_size_t length);

/* Writes a character, which is no surrogate, in one to four bytes, and returns the place behind
 * it. */
char *lims_utf8_encode(char *to, apr_uint32_t character);

/* Returns the number of code points in valid UTF-8; `length` is in bytes. */
apr_size_t lims_utf8_length(const char *bytes, apr_size_t length);

#endif /* LIMS_KERNEL_UTF8_H */
