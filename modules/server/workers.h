/* SPDX-License-Identifier: Apache-2.0 */
/* workers.h - how many of httpd's threads are at work. */
#ifndef LIMS_WORKERS_H
#define LIMS_WORKERS_H

typedef struct {
    int busy;
    int most; /* as many as there may be */
} lims_workers_t;

/* Of the whole httpd, other sites included: when none is left, everything waits,
 * and nothing that a request can tell says so. */
lims_workers_t lims_workers_count(void);

#endif /* LIMS_WORKERS_H */
