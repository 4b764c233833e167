/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rules_time.c - the time of analysis. If several formats of a profile fit a text,
 * they must give the same time. For an ambiguous text such as 3/4/2026 the other
 * times of the file decide: a file is written with one setting, so a format that
 * does not fit one of its times is excluded for all. A text that remains ambiguous
 * is refused.
 */
#include <apr_strings.h>
#include <string.h>

#include "profiles/layout.h"
#include "profiles/timestamp.h"

/* An ambiguous time, to be decided after the whole file was read. */
typedef struct {
    int reading; /* index of its reading */
    const char *date, *clock;
    lims_found_t found;
    const lims_sheet_t *sheet;
} open_time_t;

/* Whether a cell is a workbook's date, which needs no format. */
static bool is_date(const lims_found_t *found)
{
    return found->cell && found->cell->kind == LIMS_CELL_DATE;
}

static const apr_array_header_t *formats_of(const lims_layout_t *layout, lims_column_e column)
{
    return layout->profile->columns[column].formats;
}

/* Parses a time by format number `i`; NULL: it does not fit. */
static const char *parse_by_format(bool *ambiguous, const lims_layout_t *layout, int i,
                                   const char *date, const char *clock)
{
    apr_array_header_t *one = apr_array_make(layout->pool, 1, sizeof(const char *));

    APR_ARRAY_PUSH(one, const char *) =
        APR_ARRAY_IDX(formats_of(layout, LIMS_COLUMN_ANALYSED_AT), i, const char *);
    return lims_timestamp_read_any(ambiguous, date, one, clock,
                                   formats_of(layout, LIMS_COLUMN_ANALYSED_TIME), layout->pool);
}

/* Whether a format has fitted every time of the file so far. */
static bool is_possible(const lims_layout_t *layout, int i)
{
    return !layout->misfits || !layout->misfits[i];
}

/* Excludes the formats that do not fit a time which other formats fit. */
static void exclude_formats(lims_layout_t *layout, const char *date, const char *clock)
{
    int count = formats_of(layout, LIMS_COLUMN_ANALYSED_AT)->nelts;
    bool ambiguous;

    if (!layout->misfits) {
        layout->misfits = apr_pcalloc(layout->pool, (apr_size_t)count * sizeof(bool));
    }
    for (int i = 0; i < count; i++) {
        if (!layout->misfits[i] && !parse_by_format(&ambiguous, layout, i, date, clock) &&
            !ambiguous) {
            layout->misfits[i] = true;
        }
    }
}

static void refuse(lims_cell_value_t *value, bool ambiguous)
{
    lims_layout_t *layout = value->layout;
    const apr_array_header_t *formats = formats_of(layout, LIMS_COLUMN_ANALYSED_AT);

    if (layout->time_reported) {
        return;
    }
    layout->time_reported = true;
    lims_value_refuse(value, LIMS_REASON_TIMESTAMP_INVALID, LIMS_COLUMN_ANALYSED_AT,
                      formats ? apr_array_pstrcat(layout->pool, formats, '|') : "ISO 8601",
                      ambiguous
                          ? "The formats of the profile allow more than one time here."
                          : "The time is not written as the profile says, or does not exist.");
}

/* Postpones an ambiguous time until all times of the file are known. */
static void postpone(lims_cell_value_t *value, const char *date, const char *clock)
{
    lims_layout_t *layout = value->layout;
    open_time_t open = { .reading = layout->out->readings->nelts,
                         .date = date,
                         .clock = clock,
                         .found = value->found[LIMS_COLUMN_ANALYSED_AT],
                         .sheet = value->scope->sheet };

    if (!layout->open_times) {
        layout->open_times = apr_array_make(layout->pool, 8, sizeof(open_time_t));
    }
    APR_ARRAY_PUSH(layout->open_times, open_time_t) = open;
}

void lims_time_read(lims_cell_value_t *value)
{
    lims_layout_t *layout = value->layout;
    const lims_found_t *date = &value->found[LIMS_COLUMN_ANALYSED_AT];
    const lims_found_t *time = &value->found[LIMS_COLUMN_ANALYSED_TIME];
    const apr_array_header_t *formats =
        is_date(date) ? NULL : formats_of(layout, LIMS_COLUMN_ANALYSED_AT);
    const apr_array_header_t *time_formats =
        is_date(date) && is_date(time) ? NULL : formats_of(layout, LIMS_COLUMN_ANALYSED_TIME);
    const char *clock = time->text && *time->text ? time->text : NULL;
    const char *text = date->text;
    bool ambiguous;

    if (!text || *text == '\0') {
        return;
    }
    /* Without a format of its own, the time is parsed together with the date. */
    if (clock && formats && !time_formats) {
        text = apr_pstrcat(layout->pool, text, " ", clock, NULL);
        clock = NULL;
    }
    value->reading.analysed_at =
        lims_timestamp_read_any(&ambiguous, text, formats, clock, time_formats, layout->pool);
    if (formats && formats->nelts > 1 && (value->reading.analysed_at || ambiguous)) {
        exclude_formats(layout, text, clock);
    }
    if (ambiguous && formats && formats->nelts > 1) {
        postpone(value, text, clock);
    } else if (!value->reading.analysed_at) {
        refuse(value, ambiguous);
    }
}

/* Returns the only time that the remaining formats give; NULL: several, or none. */
static const char *decide(const lims_layout_t *layout, const open_time_t *open)
{
    int count = formats_of(layout, LIMS_COLUMN_ANALYSED_AT)->nelts;
    const char *found = NULL;

    for (int i = 0; i < count; i++) {
        bool ambiguous = false;
        const char *text = is_possible(layout, i)
                               ? parse_by_format(&ambiguous, layout, i, open->date, open->clock)
                               : NULL;
        if (ambiguous || (text && found && strcmp(text, found) != 0)) {
            return NULL;
        }
        found = found ? found : text;
    }
    return found;
}

static int record_of(const lims_layout_t *layout, const open_time_t *open)
{
    return APR_ARRAY_IDX(layout->out->readings, open->reading, lims_reading_t).record;
}

/* Adds one reason for each cell, even if it is the time of several values. */
static void refuse_open(lims_layout_t *layout, const open_time_t *open)
{
    const lims_layout_scope_t scope = { .sheet = open->sheet };

    lims_layout_add_reason(
        layout, &scope,
        (lims_reason_t){
            .code = LIMS_REASON_TIMESTAMP_INVALID,
            .blocking = true,
            .record = record_of(layout, open),
            .expected =
                apr_array_pstrcat(layout->pool, formats_of(layout, LIMS_COLUMN_ANALYSED_AT), '|'),
            .message = "The formats of the profile allow more than one time here, and no other "
                       "time of the file decides which: declare only the format of your "
                       "instrument in the profile." },
        &open->found);
}

static bool same_cell(const open_time_t *one, const open_time_t *other)
{
    return one->sheet == other->sheet && one->found.row == other->found.row &&
           one->found.column == other->found.column;
}

/* Whether the reason for a time was added for this cell and this row. */
static bool is_reported(const lims_layout_t *layout, const open_time_t *reported,
                        const open_time_t *open)
{
    return reported && same_cell(reported, open) &&
           record_of(layout, reported) == record_of(layout, open);
}

void lims_times_decide(lims_layout_t *layout)
{
    const open_time_t *reported = NULL;

    for (int i = 0; layout->open_times && i < layout->open_times->nelts; i++) {
        const open_time_t *open = &APR_ARRAY_IDX(layout->open_times, i, open_time_t);
        const char *time = decide(layout, open);

        if (time) {
            APR_ARRAY_IDX(layout->out->readings, open->reading, lims_reading_t).analysed_at = time;
        } else if (!is_reported(layout, reported, open)) {
            reported = open;
            refuse_open(layout, open);
        }
    }
}
