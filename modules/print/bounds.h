/* SPDX-License-Identifier: Apache-2.0 */
/* bounds.h - what the printer allows itself of the machine. */
#ifndef LIMS_PRINT_BOUNDS_H
#define LIMS_PRINT_BOUNDS_H

#include "lims.h"

/* Most memory of its own in bytes, without what is mapped of programs and fonts: with
 * these the process stays below 150 MB. */
#ifdef __SANITIZE_ADDRESS__
/* AddressSanitizer's own terabytes count as this process' memory. */
#define LIMS_PRINT_MEMORY_MAX (1L << 50)
#else
#define LIMS_PRINT_MEMORY_MAX (112L * 1024 * 1024)
#endif

/* Seconds of a processor for one document. */
#define LIMS_PRINT_CPU_SECONDS 60

/* Most cells of the tables of one document: each is an element of its structure. */
#define LIMS_PRINT_CELLS_MAX 64000

/* Most pages of one document. */
#define LIMS_PRINT_PAGES_MAX 3000

/* Bounds memory, files, processes and core dumps of this process, makes it nice, and has
 * running out of memory or time answered with a refusal (`framed`: as a frame) before the
 * process ends. */
void lims_bounds_set(bool framed);

/* Allows the next document its seconds of a processor. */
void lims_bounds_renew(void);

/* Gives back to the system what a large document took. */
void lims_bounds_tidy(void);

/* Says that an answer is being written: from now on none is added at the end. */
void lims_bounds_answering(bool answering);

/* Ends the process for lack of memory: the abort function of its pools. */
int lims_bounds_no_memory(int status);

/* LIMS_E_PAYLOAD_TOO_LARGE: there is no room for so many bytes more. */
const lims_error_t *lims_bounds_check(apr_size_t expected, apr_pool_t *pool);

#endif /* LIMS_PRINT_BOUNDS_H */
