/* SPDX-License-Identifier: Apache-2.0 */
/*
 * astm.h - reading of ASTM E1394 messages (CLSI LIS02-A2): records of fields, in
 * frames of E1381 (CLSI LIS01-A2), or without frames as some middleware stores
 * them.
 *
 * Every frame's checksum is verified, and that each message ends. Two known
 * deviations of devices are accepted: frames of any length, and frame numbers that
 * restart with a message.
 */
#ifndef LIMS_FORMATS_ASTM_H
#define LIMS_FORMATS_ASTM_H

#include "formats/encoding.h"

/* The delimiters that the header record declares; devices may differ. */
typedef struct {
    char field, repeat, component, escape;
} lims_astm_signs_t;

typedef struct {
    lims_astm_signs_t signs;
    const lims_sheet_t *sheet; /* a row for each record, a cell for each field: cell 0 is R-1 */
    const char *encoding;      /* character encoding of the file */
    bool framed;               /* the file has E1381 frames, all with correct checksums */
} lims_astm_t;

/* Reads the messages of a file; `charset` is the declared encoding
 * (lims_encoding_decode()). Everything lives in `pool`. NULL with reasons: a wrong
 * checksum, a message without its terminator record, a record before the header. */
const lims_astm_t *lims_astm_read(const char *bytes, apr_size_t length, const char *charset,
                                  lims_reasons_t *reasons, apr_pool_t *pool);

/* Returns a component of a field, both counted from 1, in the first repetition of
 * the field, with escapes resolved; "" if there is none. */
const char *lims_astm_component(const lims_row_t *record, int field, int component,
                                const lims_astm_signs_t *signs, apr_pool_t *pool);

#endif /* LIMS_FORMATS_ASTM_H */
