/* SPDX-License-Identifier: Apache-2.0 */
/*
 * astm.h - messages of ASTM E1394 (CLSI LIS02-A2): records of fields, framed
 * by E1381 (CLSI LIS01-A2) or saved without frames by some middleware.
 *
 * Frames are checked, not trusted: each checksum, and that the message ends.
 * Of what devices do differently, measured on eleven of them, this accepts
 * frames of any length and frame numbers that begin anew.
 */
#ifndef LIMS_FORMATS_ASTM_H
#define LIMS_FORMATS_ASTM_H

#include "formats/encoding.h"

/* The signs that the header record declares; they may differ by device. */
typedef struct {
    char field, repeat, component, escape;
} lims_astm_signs_t;

typedef struct {
    lims_astm_signs_t signs;
    const lims_sheet_t *sheet; /* a row is a record, a cell a field: cell 0 is R-1 */
    const char *encoding;      /* that it came in */
    bool framed;               /* by E1381: every frame with its checksum */
} lims_astm_t;

/* Reads the messages of a file. NULL with reasons: a checksum that is wrong, a
 * message without its terminator record, a record before the header. */
const lims_astm_t *lims_astm_read(const char *bytes, apr_size_t length, const char *charset,
                                  lims_reasons_t *reasons, apr_pool_t *pool);

/* A component of a field, both counted from 1, of its first repetition, with
 * escapes resolved; "" where there is none. */
const char *lims_astm_component(const lims_row_t *record, int field, int component,
                                const lims_astm_signs_t *signs, apr_pool_t *pool);

#endif /* LIMS_FORMATS_ASTM_H */
