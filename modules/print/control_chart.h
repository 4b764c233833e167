/* SPDX-License-Identifier: Apache-2.0 */
/* control_chart.h - a control chart after Levey and Jennings. */
#ifndef LIMS_PRINT_CONTROL_CHART_H
#define LIMS_PRINT_CONTROL_CHART_H

#include "kernel/json.h"
#include "print/blocks.h"

#define LIMS_CHART_POINTS_MAX 2000
#define LIMS_CHART_LIMITS_MAX 8

typedef struct {
    double value;
    const char *at;    /* below the axis, for the first and last point */
    const char *rules; /* that it breaks, "" for none */
    bool excluded;     /* from the statistics: an open point */
} lims_chart_point_t;

typedef struct {
    double value;
    const char *label;
} lims_chart_limit_t;

struct lims_chart_t {
    const char *title, *unit;
    bool has_mean, has_deviation;
    double mean, deviation;
    lims_chart_limit_t limits[LIMS_CHART_LIMITS_MAX]; /* of the method */
    int limit_count;
    const lims_chart_point_t *points;
    int point_count;
};

/* Reads a block of a report. LIMS_E_INVALID_BODY: it is no chart. */
const lims_error_t *lims_chart_read(const lims_chart_t **chart, const lims_json_t *block,
                                    apr_pool_t *pool);

#endif /* LIMS_PRINT_CONTROL_CHART_H */
