/* SPDX-License-Identifier: Apache-2.0 */
/* import_document.c - the readings of a file as JSON for lims.import_file(). */
#include <apr_hash.h>
#include <apr_strings.h>
#include <string.h>

#include "instruments/import.h"
#include "kernel/vocabulary.h"
#include "kernel/writer.h"

/* Longest text of a reason that is shown, bytes. */
#define SHOWN_MAX 4000

static const char *const existing_names[] = {
    [LIMS_EXISTING_QUARANTINE] = "quarantine",
    [LIMS_EXISTING_SAME_VALUE] = "sameValue",
    [LIMS_EXISTING_OVERWRITE_UNVERIFIED] = "overwrite",
};

_Static_assert(LIMS_LENGTH(existing_names) == LIMS_EXISTING_COUNT, "a name for each policy");

static void member(lims_writer_t *w, const char *name, const char *text)
{
    if (text) {
        lims_writer_key(w, name);
        lims_writer_string(w, text);
    }
}

static void number(lims_writer_t *w, const char *name, apr_int64_t value)
{
    lims_writer_key(w, name);
    lims_writer_integer(w, value);
}

/* A row or column number of 0 means none, and is left out. */
static void place(lims_writer_t *w, const char *name, int value)
{
    lims_writer_key(w, name);
    if (value) {
        lims_writer_integer(w, value);
    } else {
        lims_writer_null(w);
    }
}

/* NULL too. */
static void text_or_null(lims_writer_t *w, const char *name, const char *text)
{
    lims_writer_key(w, name);
    lims_writer_string(w, text);
}

/* --- Its parts ------------------------------------------------------------ */

static void write_ways(lims_writer_t *w, unsigned by)
{
    lims_writer_key(w, "sampleBy");
    lims_writer_array_begin(w);
    for (unsigned i = 0; lims_sample_ways[i]; i++) {
        if (by & 1U << i) {
            lims_writer_string(w, lims_sample_ways[i]);
        }
    }
    lims_writer_array_end(w);
}

static void write_policy(lims_writer_t *w, const lims_profile_t *profile)
{
    const lims_write_t *policy = &profile->write;

    lims_writer_key(w, "policy");
    lims_writer_object_begin(w);
    lims_writer_key(w, "statuses");
    lims_writer_array_begin(w);
    if (policy->sample_statuses & LIMS_SAMPLE_RECEIVED) {
        lims_writer_string(w, "received");
    }
    if (policy->sample_statuses & LIMS_SAMPLE_PROCESSING) {
        lims_writer_string(w, "processing");
    }
    lims_writer_array_end(w);
    member(w, "existing", existing_names[policy->existing]);
    number(w, "maxAgeDays", policy->max_age_days);
    number(w, "futureToleranceMinutes", policy->future_tolerance_minutes);
    write_ways(w, profile->sample.by);
    lims_writer_object_end(w);
}

static void write_counts(lims_writer_t *w, const lims_readings_t *readings)
{
    lims_writer_key(w, "counts");
    lims_writer_object_begin(w);
    number(w, "rows", readings->counts.rows);
    number(w, "results", readings->counts.results);
    number(w, "controls", readings->counts.controls);
    number(w, "skipped", readings->counts.skipped);
    lims_writer_object_end(w);
}

/* Index of the control's kind among those that occur; -1 for a sample's
 * value. */
static int control_of(apr_array_header_t *controls, const lims_control_t *control)
{
    for (int i = 0; i < controls->nelts; i++) {
        if (APR_ARRAY_IDX(controls, i, const lims_control_t *) == control) {
            return i;
        }
    }
    if (control) {
        APR_ARRAY_PUSH(controls, const lims_control_t *) = control;
    }
    return control ? controls->nelts - 1 : -1;
}

static void write_controls(lims_writer_t *w, const apr_array_header_t *controls)
{
    lims_writer_key(w, "controls");
    lims_writer_array_begin(w);
    for (int i = 0; i < controls->nelts; i++) {
        const lims_control_t *control = APR_ARRAY_IDX(controls, i, const lims_control_t *);

        lims_writer_object_begin(w);
        member(w, "type", lims_control_types[control->type]);
        member(w, "criterion", control->criterion ? lims_criteria[control->criterion] : NULL);
        member(w, "expectedValue", control->expected_value);
        member(w, "lowerLimit", control->lower_limit);
        member(w, "upperLimit", control->upper_limit);
        member(w, "expectedText", control->expected_text);
        lims_writer_object_end(w);
    }
    lims_writer_array_end(w);
}

static void write_reading(lims_writer_t *w, const lims_reading_t *reading, int control, int times)
{
    lims_writer_object_begin(w);
    member(w, "sheet", reading->sheet);
    number(w, "row", reading->row);
    number(w, "column", reading->column);
    number(w, "offset", (apr_int64_t)reading->offset);
    member(w, "cell", reading->raw);
    member(w, "trackingId", reading->tracking_id);
    member(w, "testCode", reading->test_code);
    member(w, "result", reading->result);
    member(w, "unit", reading->unit);
    member(w, "qualifier", reading->qualifier);
    member(w, "analysedAt", reading->analysed_at);
    member(w, "operator", reading->operator_name);
    member(w, "comment", reading->comment);
    if (control >= 0) {
        number(w, "control", control);
        member(w, "native", reading->native);
        if (reading->excluded) {
            lims_writer_key(w, "excluded");
            lims_writer_boolean(w, true);
        }
    }
    if (times > 1) {
        number(w, "times", times);
    }
    lims_writer_object_end(w);
}

/* Whether a reading has all that identifies a result; what it lacks is among the
 * reasons. */
static bool is_whole(const lims_reading_t *reading)
{
    return reading->result && reading->test_code && (reading->control || reading->tracking_id);
}

/* Counts the readings of a sample's test, by tracking id and test code,
 * including this one. */
static int *count_of(apr_hash_t *tests, const lims_reading_t *reading, apr_pool_t *pool)
{
    const char *key = apr_pstrcat(pool, reading->tracking_id, "\n", reading->test_code, NULL);
    int *count = apr_hash_get(tests, key, APR_HASH_KEY_STRING);

    if (!count) {
        count = apr_pcalloc(pool, sizeof(*count));
        apr_hash_set(tests, key, APR_HASH_KEY_STRING, count);
    }
    ++*count;
    return count;
}

/* A reading, and the number of readings for the same sample test. */
typedef struct {
    const lims_reading_t *reading;
    const int *times;
} counted_t;

/* The readings to write, of which the first are sent; each with the number of
 * readings for the same sample test in the whole file. */
static const apr_array_header_t *counted(const lims_readings_t *readings, int at_most,
                                         apr_pool_t *pool)
{
    static const int once = 1;
    apr_array_header_t *list = apr_array_make(pool, at_most, sizeof(counted_t));
    apr_hash_t *tests = apr_hash_make(pool);
    bool blocked = readings->reasons->blocking > 0;

    for (int i = 0; i < readings->readings->nelts; i++) {
        const lims_reading_t *each = &APR_ARRAY_IDX(readings->readings, i, lims_reading_t);
        const int *times = &once;

        if (blocked && !is_whole(each) && !each->excluded) {
            continue;
        }
        if (at_most < readings->readings->nelts && !each->control && each->tracking_id &&
            each->test_code) {
            times = count_of(tests, each, pool);
        }
        if (list->nelts < at_most) {
            APR_ARRAY_PUSH(list, counted_t) = (counted_t){ .reading = each, .times = times };
        }
    }
    return list;
}

/* --- Reasons --------------------------------------------------------------- */

/* Returns as much of a text as a person may need of it to find it in the file. */
static const char *shown(const char *text, apr_pool_t *pool)
{
    apr_size_t length = SHOWN_MAX;

    if (!text || strlen(text) <= SHOWN_MAX) {
        return text;
    }
    while (((unsigned char)text[length] & 0xC0) == 0x80) {
        length--;
    }
    return apr_pstrcat(pool, apr_pstrmemdup(pool, text, length), "\xe2\x80\xa6", NULL);
}

/* Writes a reason; `rest` is the number of further ones, stated behind the last. */
static void write_reason(lims_writer_t *w, const lims_reason_t *reason, bool excludable, int rest,
                         apr_pool_t *pool)
{
    lims_writer_object_begin(w);
    member(w, "code", lims_reason_name(reason->code));
    member(w, "severity", reason->blocking ? "blocking" : "note");
    text_or_null(w, "message",
                 rest > 0 ? apr_psprintf(pool, "%s (%d more reasons of the file are not listed.)",
                                         shown(reason->message, pool), rest)
                          : shown(reason->message, pool));
    text_or_null(w, "sheet", reason->sheet && *reason->sheet ? reason->sheet : NULL);
    place(w, "row", reason->row);
    place(w, "column", reason->column);
    lims_writer_key(w, "excludable");
    lims_writer_boolean(w, excludable);
    text_or_null(w, "cell", shown(reason->cell, pool));
    text_or_null(w, "expected", shown(reason->expected, pool));
    lims_writer_object_end(w);
}

static const char *place_of(const char *sheet, int row, int column, apr_pool_t *pool)
{
    return apr_psprintf(pool, "%d %d %s", row, column, sheet ? sheet : "");
}

/* Returns the places of all readings of a sample test that occurs several times
 * among those sent: the database reports each of them, the first too. */
static apr_hash_t *repeated_places(const apr_array_header_t *list, apr_pool_t *pool)
{
    apr_hash_t *tests = apr_hash_make(pool);
    apr_hash_t *places = apr_hash_make(pool);
    const int **times = apr_pcalloc(pool, (apr_size_t)(list->nelts + 1) * sizeof(*times));

    for (int i = 0; i < list->nelts; i++) {
        const lims_reading_t *reading = APR_ARRAY_IDX(list, i, counted_t).reading;

        if (!reading->control && reading->tracking_id && reading->test_code) {
            times[i] = count_of(tests, reading, pool);
        }
    }
    for (int i = 0; i < list->nelts; i++) {
        const lims_reading_t *reading = APR_ARRAY_IDX(list, i, counted_t).reading;

        if (times[i] && *times[i] > 1) {
            apr_hash_set(places, place_of(reading->sheet, reading->row, reading->column, pool),
                         APR_HASH_KEY_STRING, reading);
        }
    }
    return places;
}

/* Returns the reasons without duplicate_row of a place that the database reports itself. */
static const apr_array_header_t *reasons_shown(const lims_reasons_t *reasons,
                                               const apr_array_header_t *list, apr_pool_t *pool)
{
    apr_array_header_t *all = apr_array_make(pool, reasons->list->nelts, sizeof(lims_reason_t));
    apr_hash_t *places = NULL;

    for (int i = 0; i < reasons->list->nelts; i++) {
        const lims_reason_t *reason = &APR_ARRAY_IDX(reasons->list, i, lims_reason_t);
        bool repeated = reason->code == LIMS_REASON_DUPLICATE_ROW;

        if (repeated && !places) {
            places = repeated_places(list, pool);
        }
        if (!repeated ||
            !apr_hash_get(places, place_of(reason->sheet, reason->row, reason->column, pool),
                          APR_HASH_KEY_STRING)) {
            APR_ARRAY_PUSH(all, lims_reason_t) = *reason;
        }
    }
    return all;
}

/* Returns the rows of a file that have a control, which is never left out. */
static apr_hash_t *control_rows(const lims_readings_t *readings, apr_pool_t *pool)
{
    apr_hash_t *rows = apr_hash_make(pool);

    for (int i = 0; i < readings->readings->nelts; i++) {
        const lims_reading_t *reading = &APR_ARRAY_IDX(readings->readings, i, lims_reading_t);

        if (reading->control) {
            apr_hash_set(rows, place_of(reading->sheet, reading->row, 0, pool), APR_HASH_KEY_STRING,
                         reading);
        }
    }
    return rows;
}

static bool is_in(apr_hash_t *rows, const lims_reason_t *reason, apr_pool_t *pool)
{
    int row = reason->value_row ? reason->value_row : reason->row;

    return apr_hash_get(rows, place_of(reason->sheet, row, 0, pool), APR_HASH_KEY_STRING);
}

static void write_reasons(lims_writer_t *w, const lims_import_t *import,
                          const apr_array_header_t *list, apr_pool_t *pool)
{
    const lims_reasons_t *reasons = import->readings->reasons;
    const apr_array_header_t *all = reasons_shown(reasons, list, pool);
    apr_hash_t *controls = control_rows(import->readings, pool);

    number(w, "blocking", reasons->blocking);
    lims_writer_key(w, "reasons");
    lims_writer_array_begin(w);
    for (int i = 0; i < all->nelts; i++) {
        const lims_reason_t *reason = &APR_ARRAY_IDX(all, i, lims_reason_t);

        write_reason(w, reason, lims_reason_is_excludable(reason) && !is_in(controls, reason, pool),
                     i + 1 == all->nelts ? reasons->count - reasons->list->nelts : 0, pool);
    }
    if (import->broken) {
        lims_writer_object_begin(w);
        member(w, "code", "profile_error");
        member(w, "severity", "note");
        member(w, "message",
               apr_psprintf(pool, "Profile %s cannot be read by this version of the service.",
                            import->broken));
        lims_writer_object_end(w);
    }
    lims_writer_array_end(w);
}

static void write_readings(lims_writer_t *w, const apr_array_header_t *list, apr_pool_t *pool)
{
    apr_array_header_t *controls = apr_array_make(pool, 4, sizeof(const lims_control_t *));

    lims_writer_key(w, "readings");
    lims_writer_array_begin(w);
    for (int i = 0; i < list->nelts && lims_writer_length(w) <= LIMS_IMPORT_DOCUMENT_MAX; i++) {
        const counted_t *each = &APR_ARRAY_IDX(list, i, counted_t);

        write_reading(w, each->reading, control_of(controls, each->reading->control), *each->times);
    }
    lims_writer_array_end(w);
    write_controls(w, controls);
}

/* Returns the document; NULL: it is too long. */
static const char *write_document(const lims_import_t *import, int at_most, apr_pool_t *pool)
{
    bool more = at_most && at_most < import->readings->readings->nelts;
    const lims_readings_t *readings = import->readings;
    const lims_profile_t *profile = readings->profile;
    const apr_array_header_t *list =
        counted(readings, more ? at_most : readings->readings->nelts, pool);
    lims_writer_t *w = lims_writer_create(pool);
    apr_size_t length = 0;

    lims_writer_object_begin(w);
    if (profile) {
        lims_writer_key(w, "profileId");
        lims_writer_raw(w, profile->id);
        member(w, "profileName", profile->name);
        member(w, "timeZone", profile->time_zone);
        member(w, "doubledHour", lims_doubled_names[profile->doubled_hour]);
        write_policy(w, profile);
    }
    write_counts(w, readings);
    write_reasons(w, import, list, pool);
    if (more) {
        lims_writer_key(w, "more");
        lims_writer_boolean(w, true);
    }
    write_readings(w, list, pool);
    if (lims_writer_length(w) > LIMS_IMPORT_DOCUMENT_MAX) {
        return NULL;
    }
    if (import->tests) {
        lims_writer_key(w, "tests");
        lims_writer_raw(w, import->tests);
    }
    if (import->sheets) {
        lims_writer_key(w, "sheets");
        lims_writer_raw(w, import->sheets);
    }
    lims_writer_object_end(w);
    return lims_writer_finish(&length, w);
}

const char *lims_import_document(const lims_import_t *import, int at_most, apr_pool_t *pool)
{
    lims_readings_t *readings = import->readings;
    const char *document = write_document(import, at_most, pool);

    if (!document) {
        lims_reasons_block(readings->reasons, LIMS_REASON_ARCHIVE_LIMITS, 0, 0,
                           "The values of the file, each with the texts that they share, are more "
                           "than %d MB: export less at a time.",
                           LIMS_IMPORT_DOCUMENT_MAX / 1048576);
        readings->readings->nelts = 0;
        document = write_document(import, 0, pool);
    }
    return document;
}
