/* SPDX-License-Identifier: Apache-2.0 */
/*
 * encoding.h - bytes to UTF-8. A byte order mark decides; else bytes that are
 * well-formed UTF-8 are UTF-8; else they are what the profile declares. Nothing
 * is guessed: a detector that is right most of the time turns a micro sign into
 * a letter the other times.
 */
#ifndef LIMS_FORMATS_ENCODING_H
#define LIMS_FORMATS_ENCODING_H

#include "formats/document.h"

/* What a profile that says nothing means: the character set of Windows in
 * Western Europe and America, which instrument PCs write most. */
#define LIMS_ENCODING_DEFAULT "windows-1252"

typedef struct {
    const char *bytes; /* UTF-8 without a byte order mark, ends in NUL */
    apr_size_t length;
    const char *encoding; /* that it came in: "UTF-8", "UTF-16LE", or as declared */
} lims_text_t;

/* Whether the system can decode a character set of that name (IANA's names and
 * what iconv knows besides). */
bool lims_encoding_known(const char *charset);

/* Decodes from that character set, whatever the bytes look like. False with a
 * reason. */
bool lims_encoding_convert(lims_text_t *text, const char *bytes, apr_size_t length,
                           const char *charset, lims_reasons_t *reasons, apr_pool_t *pool);

/* Decodes; `charset` is the declared one. False, with LIMS_REASON_ENCODING_ERROR
 * and the place, for bytes that are none of these, and for NUL characters. */
bool lims_encoding_decode(lims_text_t *text, const char *bytes, apr_size_t length,
                          const char *charset, lims_reasons_t *reasons, apr_pool_t *pool);

#endif /* LIMS_FORMATS_ENCODING_H */
