/* SPDX-License-Identifier: Apache-2.0 */
/*
 * encoding.h - decoding of text to UTF-8, in this order: by the byte order mark;
 * as UTF-8 if the bytes are well-formed; by the charset that the profile declares.
 * There is no statistical detection, since one that is mostly right sometimes
 * turns a micro sign into a letter.
 */
#ifndef LIMS_FORMATS_ENCODING_H
#define LIMS_FORMATS_ENCODING_H

#include "formats/document.h"

/* Charset of profiles that declare none: that of Windows in Western Europe and
 * America, which is the most frequent on instrument PCs. */
#define LIMS_ENCODING_DEFAULT "windows-1252"

typedef struct {
    const char *bytes; /* UTF-8 without byte order mark, NUL-terminated */
    apr_size_t length;
    const char *encoding; /* encoding of the file: "UTF-8", "UTF-16LE", or as declared */
} lims_text_t;

/* Whether iconv can decode a charset with this name (IANA's names and others). */
bool lims_encoding_known(const char *charset);

/* Decodes from exactly this charset, into `pool`. False with a reason. */
bool lims_encoding_convert(lims_text_t *text, const char *bytes, apr_size_t length,
                           const char *charset, lims_reasons_t *reasons, apr_pool_t *pool);

/* Decodes by the order above, into `pool`; `charset` is the declared one, NULL:
 * LIMS_ENCODING_DEFAULT. False, with LIMS_REASON_ENCODING_ERROR and the position,
 * for undecodable bytes and for NUL characters. */
bool lims_encoding_decode(lims_text_t *text, const char *bytes, apr_size_t length,
                          const char *charset, lims_reasons_t *reasons, apr_pool_t *pool);

#endif /* LIMS_FORMATS_ENCODING_H */
