/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hl7.h - messages of HL7 version 2: segments of fields, one message after the
 * other or in batches, with MLLP's bytes still around them or not.
 *
 * What the file says of itself is checked: a batch holds as many messages as
 * its trailer counts, a file as many batches, an open batch is a truncation.
 */
#ifndef LIMS_FORMATS_HL7_H
#define LIMS_FORMATS_HL7_H

#include "formats/encoding.h"

/* MSH-1 and MSH-2. */
typedef struct {
    char field, component, repeat, escape, subcomponent;
} lims_hl7_signs_t;

typedef struct {
    lims_hl7_signs_t signs;
    const lims_sheet_t *sheet; /* a row is a segment; cell 0 its name, cell n is SEG-n */
    const char *encoding;      /* that it came in */
    int unended;               /* line of the last segment, if nothing ends it; else 0 */
} lims_hl7_t;

/* Reads the messages of a file; a row's .message says which it belongs to, 0 for
 * the segments of file and batch. The declared character set holds where neither
 * the bytes nor MSH-18 tell. NULL with reasons. */
const lims_hl7_t *lims_hl7_read(const char *bytes, apr_size_t length, const char *charset,
                                lims_reasons_t *reasons, apr_pool_t *pool);

/* A component of a field, both counted from 1, of its first repetition, with
 * escapes (\F\ \S\ \T\ \R\ \E\ \Xdd..\ \.br\) resolved; "" where there is none. */
const char *lims_hl7_component(const lims_row_t *segment, int field, int component,
                               const lims_hl7_signs_t *signs, apr_pool_t *pool);

#endif /* LIMS_FORMATS_HL7_H */
