/* SPDX-License-Identifier: Apache-2.0 */
/* frames.h - reading jobs from standard input, writing answers to standard output. */
#ifndef LIMS_PRINT_FRAMES_H
#define LIMS_PRINT_FRAMES_H

#include "lims.h"

typedef enum {
    LIMS_FRAME_READ,
    LIMS_FRAME_END,       /* end of input between two frames */
    LIMS_FRAME_BROKEN,    /* end of input within a frame, or a failure */
    LIMS_FRAME_TOO_LARGE, /* larger than LIMS_PRINT_JOB_MAX: the rest cannot be read */
    LIMS_FRAME_COUNT
} lims_frame_e;

/* Reads the next job into `pool`. */
lims_frame_e lims_frame_read(const char **bytes, apr_size_t *length, apr_pool_t *pool);

/* Reads all of the input as one job, without a head. */
lims_frame_e lims_frame_read_all(const char **bytes, apr_size_t *length, apr_pool_t *pool);

/* Writes an answer: LIMS_PRINT_DOCUMENT or LIMS_PRINT_REFUSAL. False: nobody reads. */
bool lims_frame_write(char kind, const void *bytes, apr_size_t length);

/* Writes bytes without a head. False: nobody reads. */
bool lims_frame_write_bytes(const void *bytes, apr_size_t length);

#endif /* LIMS_PRINT_FRAMES_H */
