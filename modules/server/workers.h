/* SPDX-License-Identifier: Apache-2.0 */
/* workers.h - the busy worker threads of httpd. */
#ifndef LIMS_WORKERS_H
#define LIMS_WORKERS_H

typedef struct {
    int busy;
    int most; /* upper bound (MaxRequestWorkers) */
} lims_workers_t;

/* Counts the workers of the whole httpd, other sites included. When all are busy,
 * requests wait before the service sees them, and no other metric shows it. */
lims_workers_t lims_workers_count(void);

#endif /* LIMS_WORKERS_H */
