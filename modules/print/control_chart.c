/* SPDX-License-Identifier: Apache-2.0 */
/*
 * control_chart.c - the data in ink, limits in hairlines with their values at the right edge,
 * a broken rule by the shape of its point and by name. It reads in black and white.
 */
#include "print/control_chart.h"

#include <apr_strings.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernel/error.h"
#include "print/members.h"

#define HEIGHT 190.0

/* Width at the right, for the values of the limits. */
#define MARGIN_RIGHT 92.0

/* Space above and below the plot, for times and names of rules. */
#define MARGIN_TOP 14.0
#define MARGIN_BOTTOM 18.0

#define POINT_SIZE 1.7
#define FLAG_SIZE 7.0

/* Least distance of two values at the right edge, so that they do not overlap. */
#define LABEL_STEP 9.0

/* --- Reading ---------------------------------------------------------------- */

static bool read_number(double *number, const lims_json_t *object, const char *name)
{
    *number = lims_member_number(object, name, NAN);
    return isfinite(*number);
}

static const char *read_rules(const lims_json_t *point, apr_pool_t *pool)
{
    const lims_json_t *rule = lims_member_list(point, "rules");
    lims_growing_t rules = { 0 };

    lims_grow(&rules, "", pool);
    for (; rule; rule = rule->next) {
        lims_grow(&rules, rules.length > 0 ? ", " : "", pool);
        lims_grow(&rules, lims_value_text(rule, true, pool), pool);
    }
    return rules.text;
}

static const lims_error_t *refuse(const char *why, apr_pool_t *pool)
{
    return lims_client_error(pool, LIMS_E_INVALID_BODY, "The chart cannot be drawn: %s", why);
}

static const lims_error_t *read_points(lims_chart_t *chart, const lims_json_t *block,
                                       apr_pool_t *pool)
{
    int count = lims_member_count(block, "points");
    const lims_json_t *point = lims_member_list(block, "points");
    lims_chart_point_t *points;

    if (count > LIMS_CHART_POINTS_MAX) {
        return refuse("it has more than 2,000 points", pool);
    }
    points = apr_pcalloc(pool, sizeof(*points) * (apr_size_t)(count + 1));
    for (; point; point = point->next) {
        lims_chart_point_t *one = &points[chart->point_count++];

        if (!read_number(&one->value, point, "value")) {
            return refuse("a point has no value that is a number", pool);
        }
        one->at = lims_member_time(point, "at", false, pool);
        one->rules = read_rules(point, pool);
        one->excluded = lims_member_true(point, "excluded");
    }
    chart->points = points;
    return NULL;
}

const lims_error_t *lims_chart_read(const lims_chart_t **chart, const lims_json_t *block,
                                    apr_pool_t *pool)
{
    lims_chart_t *read = apr_pcalloc(pool, sizeof(*read));
    const lims_json_t *limit = lims_member_list(block, "limits");

    read->title = lims_member_line(block, "title", pool);
    read->unit = lims_member_line(block, "unit", pool);
    read->has_mean = read_number(&read->mean, block, "mean");
    read->has_deviation =
        read->has_mean && read_number(&read->deviation, block, "sd") && read->deviation > 0;
    if (!read->has_deviation) {
        read->deviation = 0;
    }
    for (; limit && read->limit_count < LIMS_CHART_LIMITS_MAX; limit = limit->next) {
        lims_chart_limit_t *one = &read->limits[read->limit_count++];

        if (!read_number(&one->value, limit, "value")) {
            return refuse("a limit has no value that is a number", pool);
        }
        one->label = lims_member_line(limit, "label", pool);
    }
    *chart = read;
    return read_points(read, block, pool);
}

/* --- Scale ------------------------------------------------------------------ */

typedef struct {
    double left, right, top, bottom; /* of the plot; y from .y on */
    double low, high;                /* values at bottom and top */
} plot_t;

static void include(plot_t *plot, double value)
{
    plot->low = fmin(plot->low, value);
    plot->high = fmax(plot->high, value);
}

static plot_t scale(const lims_paper_t *paper, const lims_chart_t *chart, double above)
{
    plot_t plot = {
        .left = paper->left,
        .right = paper->right - MARGIN_RIGHT,
        .top = above + MARGIN_TOP,
        .bottom = above + HEIGHT - MARGIN_BOTTOM,
        .low = INFINITY,
        .high = -INFINITY,
    };
    double room;

    for (int i = 0; i < chart->point_count; i++) {
        include(&plot, chart->points[i].value);
    }
    for (int i = 0; i < chart->limit_count; i++) {
        include(&plot, chart->limits[i].value);
    }
    if (chart->has_mean) {
        include(&plot, chart->mean - 3 * chart->deviation);
        include(&plot, chart->mean + 3 * chart->deviation);
    }
    if (plot.low > plot.high) {
        plot.low = plot.high = 0;
    }
    room = plot.high > plot.low ? 0.06 * (plot.high - plot.low) : 1;
    plot.low -= room;
    plot.high += room;
    return plot;
}

static double y_of(const plot_t *plot, double value)
{
    return plot->bottom -
           (value - plot->low) / (plot->high - plot->low) * (plot->bottom - plot->top);
}

static double x_of(const plot_t *plot, int i, int count)
{
    double inset = 6, width = plot->right - plot->left - 2 * inset;

    return plot->left + inset + (count > 1 ? width * i / (count - 1) : width / 2);
}

/* --- Lines ------------------------------------------------------------------ */

typedef struct {
    double value, y;
    const char *label;
    int dash; /* 0: solid, 1: dashed, 2: dotted */
    double thickness;
} line_t;

#define LINES_MAX (7 + LIMS_CHART_LIMITS_MAX)

static int compare_lines(const void *a, const void *b)
{
    const line_t *one = a, *other = b;

    return (one->y > other->y) - (one->y < other->y);
}

/* Returns a value to four digits; APR's own %g leaves out the zero of 0.00012. */
static const char *short_number(double value, apr_pool_t *pool)
{
    char text[32];

    snprintf(text, sizeof(text), "%.4g", value);
    return apr_pstrdup(pool, text);
}

static int list_lines(line_t *lines, const lims_chart_t *chart, apr_pool_t *pool)
{
    int count = 0;

    for (int k = -3; k <= 3 && chart->has_mean; k++) {
        if (k == 0 || chart->has_deviation) {
            double value = chart->mean + k * chart->deviation;

            lines[count++] = (line_t){
                .value = value,
                .label = k == 0 ? apr_pstrcat(pool, "mean ", short_number(value, pool), NULL)
                                : apr_psprintf(pool, "%s%d s  %s", k > 0 ? "+" : "\xE2\x88\x92",
                                               abs(k), short_number(value, pool)),
                .dash = k == 0 ? 0 : 1,
                .thickness = k == 0 ? 0.75 : 0.35,
            };
        }
    }
    for (int i = 0; i < chart->limit_count; i++) {
        lines[count++] = (line_t){
            .value = chart->limits[i].value,
            .label = apr_pstrcat(pool, chart->limits[i].label, " ",
                                 short_number(chart->limits[i].value, pool), NULL),
            .dash = 2,
            .thickness = 0.75,
        };
    }
    return count;
}

static void draw_lines(lims_paper_t *paper, const plot_t *plot, const lims_chart_t *chart)
{
    static const double dashes[][2] = { { 1, 0 }, { 3, 2 }, { 0.8, 1.6 } };
    line_t lines[LINES_MAX];
    int count = list_lines(lines, chart, paper->pool);
    double last = -INFINITY;

    for (int i = 0; i < count; i++) {
        lines[i].y = y_of(plot, lines[i].value);
    }
    qsort(lines, (size_t)count, sizeof(*lines), compare_lines);
    for (int i = 0; i < count; i++) {
        double at = fmax(lines[i].y - 5, last + LABEL_STEP);

        if (paper->cr) {
            cairo_set_dash(paper->cr, dashes[lines[i].dash], lines[i].dash == 0 ? 0 : 2, 0);
        }
        lims_paper_rule(paper, plot->left, plot->right, lines[i].y, lines[i].thickness, &lims_ink);
        lims_text_line(paper, LIMS_STYLE_FOOT, plot->right + 6, at, MARGIN_RIGHT - 6,
                       LIMS_ALIGN_LEFT, lines[i].label);
        last = at;
    }
    if (paper->cr) {
        cairo_set_dash(paper->cr, NULL, 0, 0);
    }
}

/* --- Points ----------------------------------------------------------------- */

static void draw_path(lims_paper_t *paper, const plot_t *plot, const lims_chart_t *chart)
{
    if (!paper->cr) {
        return;
    }
    cairo_set_source_rgb(paper->cr, lims_ink.red, lims_ink.green, lims_ink.blue);
    cairo_set_line_width(paper->cr, 0.5);
    cairo_new_path(paper->cr);
    for (int i = 0; i < chart->point_count; i++) {
        cairo_line_to(paper->cr, x_of(plot, i, chart->point_count),
                      paper->y + y_of(plot, chart->points[i].value));
    }
    cairo_stroke(paper->cr);
}

static void draw_point(lims_paper_t *paper, double x, double y, bool open)
{
    if (!paper->cr) {
        return;
    }
    cairo_arc(paper->cr, x, paper->y + y, POINT_SIZE, 0, 2 * G_PI);
    if (open) {
        cairo_set_source_rgb(paper->cr, 1, 1, 1);
        cairo_fill_preserve(paper->cr);
        cairo_set_source_rgb(paper->cr, lims_ink.red, lims_ink.green, lims_ink.blue);
        cairo_set_line_width(paper->cr, 0.7);
        cairo_stroke(paper->cr);
    } else {
        cairo_set_source_rgb(paper->cr, lims_ink.red, lims_ink.green, lims_ink.blue);
        cairo_fill(paper->cr);
    }
}

/* Whitens what lies below the name of a rule. */
static void draw_ground(lims_paper_t *paper, double x, double y, const char *text)
{
    double width = lims_fonts_estimate(paper->fonts, LIMS_STYLE_FOOT, text, strlen(text));

    if (paper->cr) {
        cairo_set_source_rgb(paper->cr, 1, 1, 1);
        cairo_rectangle(paper->cr, x - width / 2 - 1, paper->y + y, width + 2,
                        lims_styles[LIMS_STYLE_FOOT].leading);
        cairo_fill(paper->cr);
    }
}

/* Draws all points; one that breaks a rule is a triangle with the rule's name beside it. */
static void draw_points(lims_paper_t *paper, const plot_t *plot, const lims_chart_t *chart)
{
    draw_path(paper, plot, chart);
    for (int i = 0; i < chart->point_count; i++) {
        const lims_chart_point_t *point = &chart->points[i];
        double x = x_of(plot, i, chart->point_count), y = y_of(plot, point->value);
        bool high = !chart->has_mean || point->value >= chart->mean;

        if (!*point->rules) {
            draw_point(paper, x, y, point->excluded);
            continue;
        }
        lims_shape_draw(paper, high ? LIMS_SHAPE_ABOVE : LIMS_SHAPE_BELOW, x - FLAG_SIZE / 2,
                        y - FLAG_SIZE / 2, FLAG_SIZE);
        draw_ground(paper, x, high ? y - FLAG_SIZE / 2 - 10 : y + 4, point->rules);
        lims_text_line(paper, LIMS_STYLE_FOOT, x - 30, high ? y - FLAG_SIZE / 2 - 10 : y + 4, 60,
                       LIMS_ALIGN_CENTRE, point->rules);
    }
}

static void draw_times(lims_paper_t *paper, const plot_t *plot, const lims_chart_t *chart)
{
    double width = (plot->right - plot->left) / 2;

    if (chart->point_count > 0) {
        lims_text_line(paper, LIMS_STYLE_FOOT, plot->left, plot->bottom + 6, width, LIMS_ALIGN_LEFT,
                       chart->points[0].at);
    }
    if (chart->point_count > 1) {
        lims_text_line(paper, LIMS_STYLE_FOOT, plot->left + width, plot->bottom + 6, width,
                       LIMS_ALIGN_END, chart->points[chart->point_count - 1].at);
    }
}

void lims_chart_set(lims_paper_t *paper, const lims_chart_t *chart)
{
    double above = *chart->title ? 14 : 0;
    plot_t plot;

    lims_paper_need(paper, HEIGHT + above + 8);
    plot = scale(paper, chart, above);
    lims_tag_figure(paper, apr_psprintf(paper->pool, "Control chart %s of %d points", chart->title,
                                        chart->point_count));
    if (*chart->title) {
        const char *unit = *chart->unit ? apr_pstrcat(paper->pool, ", ", chart->unit, NULL) : "";

        lims_text_line(paper, LIMS_STYLE_STRONG, paper->left, 0, paper->right - paper->left,
                       LIMS_ALIGN_LEFT, apr_pstrcat(paper->pool, chart->title, unit, NULL));
    }
    draw_lines(paper, &plot, chart);
    draw_points(paper, &plot, chart);
    draw_times(paper, &plot, chart);
    lims_tag_close(paper, "Figure");
    paper->y += HEIGHT + above + 8;
}
