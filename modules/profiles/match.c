/* SPDX-License-Identifier: Apache-2.0 */
/*
 * match.c - matching of all profiles against a file.
 *
 * Conditions are evaluated in order of their cost: container and file name, first
 * lines, then rows. A text is split only as far as headers are searched.
 */
#include "profiles/match_look.h"

#include <apr_hash.h>
#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

#include "profiles/fold.h"

/* The score of a profile: how well it fits the file. */
typedef struct {
    const lims_profile_t *profile;
    int score;          /* number of conditions that hold, then of headers in the best row */
    const char *misses; /* first condition that does not hold; NULL: the profile matches */
    int others;         /* number of other profiles with the same score */
    bool stopped;       /* an expression exceeded its limits: the outcome is unknown */
} verdict_t;

/* Score of a file of which only the container matches. */
#define FAR 1

/* --- Conditions ------------------------------------------------------------- */

static const char *quote(const lims_look_t *look, const char *text)
{
    return apr_psprintf(look->pool, "\"%s\"", text);
}

/* Quotes a name in the profile's spelling, instead of the folded one. */
static const char *quote_name(const lims_look_t *look, const lims_profile_t *profile,
                              const char *folded)
{
    const char *written = apr_hash_get(profile->match.written, folded, APR_HASH_KEY_STRING);

    return quote(look, written ? written : folded);
}

/* Joins the cells of a row by tabs. */
static const char *joined(const lims_row_t *row, apr_pool_t *pool)
{
    apr_array_header_t *parts = apr_array_make(pool, 2 * row->count + 1, sizeof(const char *));

    for (int i = 0; i < row->count; i++) {
        if (i > 0) {
            APR_ARRAY_PUSH(parts, const char *) = "\t";
        }
        APR_ARRAY_PUSH(parts, const char *) = row->cells[i].text;
    }
    return apr_array_pstrcat(pool, parts, 0);
}

/* Whether the container has rows by itself, without splitting by a profile. */
static bool has_rows(const lims_look_t *look)
{
    return look->container == LIMS_CONTAINER_XLSX || look->container == LIMS_CONTAINER_XLS ||
           look->container == LIMS_CONTAINER_HTML;
}

/* Checks the time limit of the file, which holds for all profiles together. */
static bool in_time(const lims_look_t *look)
{
    return lims_reasons_in_time(look->out->reasons);
}

static bool sheet_matches(lims_look_t *look, const lims_line_match_t *line,
                          const lims_sheet_t *sheet, apr_pool_t *row_pool)
{
    bool matches = false;

    for (int i = 0; i < sheet->count && sheet->rows[i].number <= line->within && !matches &&
                    !lims_matcher_exhausted(look->out->matcher) && in_time(look);
         i++) {
        const char *text = joined(&sheet->rows[i], row_pool);

        matches = lims_regex_matches(look->out->matcher, line->regex, text, strlen(text));
        apr_pool_clear(row_pool);
    }
    return matches;
}

static bool row_matches(lims_look_t *look, const lims_line_match_t *line)
{
    const lims_document_t *document = lims_look_document(look);
    apr_pool_t *row_pool;
    bool matches = false;

    apr_pool_create(&row_pool, look->pool);
    for (int i = 0; document && i < document->count && !matches; i++) {
        matches = sheet_matches(look, line, &document->sheets[i], row_pool);
    }
    apr_pool_destroy(row_pool);
    return matches;
}

static bool line_matches(lims_look_t *look, const lims_profile_t *profile,
                         const lims_line_match_t *line)
{
    const lims_text_t *text = look->container == LIMS_CONTAINER_TEXT
                                  ? lims_look_text(look, profile->decode.charset)
                                  : NULL;
    const char *at = text ? text->bytes : look->bytes;
    const char *end = at + (text ? text->length : look->length);

    if (has_rows(look)) {
        return row_matches(look, line);
    }
    if (!text && look->container == LIMS_CONTAINER_TEXT) {
        return false;
    }
    for (int i = 0; i < line->within && at < end && !lims_matcher_exhausted(look->out->matcher);
         i++) {
        const char *next;
        const char *stop = lims_line_end(&next, at, end);

        if (lims_regex_matches(look->out->matcher, line->regex, at, (apr_size_t)(stop - at))) {
            return true;
        }
        at = next;
    }
    return false;
}

static const char *check_lines(lims_look_t *look, const lims_profile_t *profile, int *score)
{
    const apr_array_header_t *lines = profile->match.lines;
    const char *misses = NULL;

    for (int i = 0; lines && i < lines->nelts && (!misses || look->nearness); i++) {
        const lims_line_match_t *line = &APR_ARRAY_IDX(lines, i, lims_line_match_t);

        if (line_matches(look, profile, line) != line->absent) {
            (*score)++;
        } else {
            misses = apr_psprintf(look->pool, "%s of the first %d lines looks like %s",
                                  line->absent ? "one" : "none", line->within,
                                  quote(look, lims_regex_pattern(line->regex)));
        }
    }
    return misses;
}

/* Returns how many of the names are in a row; `*missing` is the first absent one. */
static int names_in(const char **missing, const apr_array_header_t *names, const lims_row_t *row,
                    apr_pool_t *pool)
{
    apr_hash_t *cells = apr_hash_make(pool);
    int found = 0;

    *missing = NULL;
    for (int i = 0; i < row->count; i++) {
        apr_hash_set(cells, lims_fold(row->cells[i].text, row->cells[i].length, pool),
                     APR_HASH_KEY_STRING, row);
    }
    for (int i = 0; i < names->nelts; i++) {
        const char *name = APR_ARRAY_IDX(names, i, const char *);

        if (apr_hash_get(cells, name, APR_HASH_KEY_STRING)) {
            found++;
        } else if (!*missing) {
            *missing = name;
        }
    }
    return found;
}

/* Searches the row of headers in a sheet, and keeps the best so far. True if a row
 * has all. */
static bool headers_in(int *best, const char **missing, const lims_look_t *look,
                       const lims_profile_t *profile, const lims_sheet_t *sheet, apr_pool_t *pool)
{
    const apr_array_header_t *names = profile->match.headers;
    apr_pool_t *row_pool;
    bool whole = false;

    apr_pool_create(&row_pool, pool);
    for (int i = 0;
         i < sheet->count && i < profile->match.headers_within && !whole && in_time(look); i++) {
        const char *lacks;
        int found = names_in(&lacks, names, &sheet->rows[i], row_pool);

        if (found > *best) {
            *best = found;
            *missing = lacks;
        }
        whole = found == names->nelts;
        apr_pool_clear(row_pool);
    }
    apr_pool_destroy(row_pool);
    return whole;
}

static const char *headers_missing(const lims_look_t *look, const lims_profile_t *profile, int best,
                                   const char *missing)
{
    if (best == 0) {
        return apr_psprintf(look->pool, "none of its %d headers is in the first %d rows",
                            profile->match.headers->nelts, profile->match.headers_within);
    }
    return apr_psprintf(look->pool, "%d of its %d headers are there, and %s is not", best,
                        profile->match.headers->nelts, quote_name(look, profile, missing));
}

static bool sheet_fits(const lims_profile_t *profile, const lims_sheet_t *sheet)
{
    return !profile->match.sheet
               ? !sheet->hidden
               : lims_fold_equals(sheet->name, strlen(sheet->name), profile->match.sheet);
}

static const char *check_headers(lims_look_t *look, const lims_profile_t *profile, int *score)
{
    const char *missing = NULL;
    int best = 0;
    bool whole = false;

    if (!profile->match.headers) {
        return NULL;
    }
    if (look->container == LIMS_CONTAINER_TEXT) {
        const lims_text_t *text = lims_look_text(look, profile->decode.charset);
        apr_pool_t *rows_pool;
        const lims_sheet_t *sheet;
        const char *why = NULL;

        apr_pool_create(&rows_pool, look->pool);
        sheet = text ? lims_look_rows(&why, look, profile, text, rows_pool) : NULL;
        why = apr_pstrdup(look->pool, why);
        whole = sheet && headers_in(&best, &missing, look, profile, sheet, rows_pool);
        apr_pool_destroy(rows_pool);
        if (text && !sheet) {
            return apr_psprintf(look->pool, "its lines cannot be split as the dialect says: %s",
                                why ? why : "");
        }
    } else {
        const lims_document_t *document = lims_look_document(look);

        for (int i = 0; document && i < document->count && !whole; i++) {
            whole = sheet_fits(profile, &document->sheets[i]) &&
                    headers_in(&best, &missing, look, profile, &document->sheets[i], look->pool);
        }
    }
    *score += whole ? 1000 : best;
    return whole ? NULL : headers_missing(look, profile, best, missing);
}

static const char *check_sheet(lims_look_t *look, const lims_profile_t *profile, int *score)
{
    const lims_document_t *document;

    if (!profile->match.sheet) {
        return NULL;
    }
    document = lims_look_document(look);
    for (int i = 0; document && i < document->count; i++) {
        if (sheet_fits(profile, &document->sheets[i])) {
            (*score)++;
            return NULL;
        }
    }
    return apr_psprintf(look->pool, "it has no sheet %s",
                        quote_name(look, profile, profile->match.sheet));
}

/* Returns the first cell of a line that is not blank; without a delimiter the
 * whole line. */
static const char *first_cell(apr_size_t *length, const char *at, const char *stop,
                              const lims_profile_dialect_t *dialect)
{
    const char *end;

    while (at < stop && (*at == ' ' || *at == dialect->delimiter || *at == dialect->quote)) {
        at++;
    }
    end = at;
    while (end < stop && (dialect->delimiter == '\0' || *end != dialect->delimiter)) {
        end++;
    }
    if (end > at && dialect->quote != '\0' && end[-1] == dialect->quote) {
        end--;
    }
    *length = (apr_size_t)(end - at);
    return at;
}

static bool line_begins(const lims_profile_t *profile, const lims_text_t *text, const char *name)
{
    const char *at = text->bytes;
    const char *end = at + text->length;

    while (at < end) {
        const char *next;
        const char *stop = lims_line_end(&next, at, end);
        apr_size_t length;
        const char *cell = first_cell(&length, at, stop, &profile->dialect);

        if (lims_fold_equals(cell, length, name)) {
            return true;
        }
        at = next;
    }
    return false;
}

static bool row_begins(const lims_document_t *document, const char *name)
{
    for (int i = 0; i < document->count; i++) {
        for (int j = 0; j < document->sheets[i].count; j++) {
            const lims_row_t *row = &document->sheets[i].rows[j];
            int column = 0;

            while (column < row->count - 1 && row->cells[column].length == 0) {
                column++;
            }
            if (row->count > 0 &&
                lims_fold_equals(row->cells[column].text, row->cells[column].length, name)) {
                return true;
            }
        }
    }
    return false;
}

static const char *check_sections(lims_look_t *look, const lims_profile_t *profile, int *score)
{
    const apr_array_header_t *sections = profile->match.sections;

    for (int i = 0; sections && i < sections->nelts; i++) {
        const char *name = APR_ARRAY_IDX(sections, i, const char *);
        bool found;

        if (look->container == LIMS_CONTAINER_TEXT) {
            const lims_text_t *text = lims_look_text(look, profile->decode.charset);

            found = text && line_begins(profile, text, name);
        } else {
            found = lims_look_document(look) && row_begins(lims_look_document(look), name);
        }
        if (!found) {
            return apr_psprintf(look->pool, "no row begins with %s",
                                quote_name(look, profile, name));
        }
        (*score)++;
    }
    return NULL;
}

/* --- Profiles --------------------------------------------------------------- */

static const char *check_kind(lims_look_t *look, const lims_profile_t *profile, int *score)
{
    if ((profile->match.containers & 1U << look->container) == 0) {
        return apr_psprintf(look->pool, "it is a file of the kind %s",
                            lims_container_name(look->container));
    }
    (*score)++;
    return NULL;
}

static const char *check_name(lims_look_t *look, const lims_profile_t *profile, int *score)
{
    const lims_regex_t *name = profile->match.file_name;

    if (name && !lims_regex_matches(look->out->matcher, name, look->out->file_name,
                                    strlen(look->out->file_name))) {
        return apr_psprintf(look->pool, "its name does not look like %s",
                            quote(look, lims_regex_pattern(name)));
    }
    *score += name ? 1 : 0;
    return NULL;
}

static const char *(*const checks[])(lims_look_t *look, const lims_profile_t *profile,
                                     int *score) = {
    check_kind,  check_name,    check_lines,         check_sections,
    check_sheet, check_headers, lims_match_messages, lims_match_root,
};

static verdict_t judge(lims_look_t *look, const lims_profile_t *profile)
{
    verdict_t verdict = { .profile = profile };

    for (apr_size_t i = 0; i < LIMS_LENGTH(checks) && !verdict.misses && in_time(look); i++) {
        const char *stopped;

        verdict.misses = checks[i](look, profile, &verdict.score);
        stopped = lims_matcher_exhausted(look->out->matcher);
        if (stopped) {
            verdict.misses = apr_psprintf(
                look->pool, "its expression \"%s\" takes too long on this file", stopped);
            verdict.stopped = true;
            lims_matcher_forget(look->out->matcher);
        }
    }
    return verdict;
}

/* Completes the score of a profile that does not match: counts which conditions
 * after the first failed one hold too. An expression that exceeds its limits here
 * counts as not holding. */
static void complete_score(lims_look_t *look, verdict_t *verdict)
{
    if (verdict->score == 0) {
        return;
    }
    verdict->score = 0;
    for (apr_size_t i = 0; i < LIMS_LENGTH(checks) && in_time(look); i++) {
        checks[i](look, verdict->profile, &verdict->score);
        lims_matcher_forget(look->out->matcher);
    }
}

/* Returns the profile with the best score, the first of several. */
static verdict_t nearest_of(lims_look_t *look, const apr_array_header_t *missed)
{
    verdict_t nearest = { .score = -1 };

    look->nearness = true;
    for (int i = 0; i < missed->nelts; i++) {
        verdict_t *verdict = &APR_ARRAY_IDX(missed, i, verdict_t);

        complete_score(look, verdict);
        if (verdict->score > nearest.score) {
            nearest = *verdict;
        } else if (verdict->score == nearest.score) {
            nearest.others++;
        }
    }
    return nearest;
}

static int by_code(const void *a, const void *b)
{
    const lims_profile_t *one = *(const lims_profile_t *const *)a;
    const lims_profile_t *other = *(const lims_profile_t *const *)b;
    int order = strcmp(one->code, other->code);

    return order != 0 ? order : (one->version > other->version) - (one->version < other->version);
}

/* Adds a reason for a profile whose expression exceeded its limits: it may be the
 * right one, and the fault is the profile's own. */
static void report_stopped(lims_look_t *look, const verdict_t *verdict)
{
    lims_reasons_block(look->out->reasons, LIMS_REASON_PROFILE_ERROR, 0, 0,
                       "Whether the profile \"%s\" is for this file cannot be said: %s.",
                       verdict->profile->code, verdict->misses);
}

/* Adds the reason that no profile matches, explained by the nearest one. */
static void report_no_match(lims_look_t *look, const apr_array_header_t *missed, const char *named)
{
    lims_reasons_t *reasons = look->out->reasons;
    const verdict_t found = nearest_of(look, missed);
    const verdict_t *nearest = &found;

    if (!in_time(look)) {
        return; /* the nearest is not known, and the reason is there */
    }
    if (!nearest->profile && named) {
        lims_reasons_block(reasons, LIMS_REASON_UNKNOWN_PROFILE, 0, 0,
                           "No active profile has the code \"%s\".", named);
    } else if (!nearest->profile) {
        lims_reasons_block(reasons, LIMS_REASON_UNKNOWN_PROFILE, 0, 0,
                           "There is no active profile.");
    } else if (named) {
        lims_reasons_block(reasons, LIMS_REASON_UNKNOWN_PROFILE, 0, 0,
                           "The file is none for the profile \"%s\": %s.", named, nearest->misses);
    } else if (nearest->score <= FAR && nearest->others > 0) {
        lims_reasons_block(reasons, LIMS_REASON_UNKNOWN_PROFILE, 0, 0,
                           "No active profile is for this file, and none comes near.");
    } else {
        lims_reasons_block(reasons, LIMS_REASON_UNKNOWN_PROFILE, 0, 0,
                           "No active profile is for this file. The nearest is \"%s\", but %s.",
                           nearest->profile->code, nearest->misses);
    }
}

static void report_ambiguous(lims_look_t *look, const apr_array_header_t *matching)
{
    const char *list = NULL;

    for (int i = 0; i < matching->nelts; i++) {
        const char *code = APR_ARRAY_IDX(matching, i, const lims_profile_t *)->code;

        list = !list ? quote(look, code)
                     : apr_pstrcat(look->pool, list, ", ", quote(look, code), NULL);
    }
    lims_reasons_block(look->out->reasons, LIMS_REASON_AMBIGUOUS_PROFILE, 0, 0,
                       "%d active profiles are for this file: %s. Name one, or make their match "
                       "stricter.",
                       matching->nelts, list);
}

static const apr_array_header_t *match_all(lims_look_t *look, const apr_array_header_t *profiles,
                                           const char *named)
{
    apr_array_header_t *sorted = apr_array_copy(look->pool, profiles);
    apr_array_header_t *matching = apr_array_make(look->pool, 2, sizeof(const lims_profile_t *));
    apr_array_header_t *stopped = apr_array_make(look->pool, 1, sizeof(verdict_t));
    apr_array_header_t *missed = apr_array_make(look->pool, 8, sizeof(verdict_t));

    qsort(sorted->elts, (size_t)sorted->nelts, sizeof(const lims_profile_t *), by_code);
    for (int i = 0; i < sorted->nelts && in_time(look); i++) {
        const lims_profile_t *profile = APR_ARRAY_IDX(sorted, i, const lims_profile_t *);
        verdict_t verdict;

        if (named && strcmp(profile->code, named) != 0) {
            continue;
        }
        verdict = judge(look, profile);
        if (!verdict.misses) {
            APR_ARRAY_PUSH(matching, const lims_profile_t *) = profile;
        } else {
            APR_ARRAY_PUSH(verdict.stopped ? stopped : missed, verdict_t) = verdict;
        }
    }
    if (!in_time(look)) {
        /* Whether other profiles are for the file too was not looked at. */
        return apr_array_make(look->pool, 0, sizeof(const lims_profile_t *));
    }
    if (matching->nelts > 1) {
        report_ambiguous(look, matching);
    } else if (matching->nelts == 0 && look->faults->blocking > 0 && !look->readable) {
        apr_array_cat(look->out->reasons->list, look->faults->list);
        look->out->reasons->count += look->faults->count;
        look->out->reasons->blocking += look->faults->blocking;
    } else if (matching->nelts == 0 && stopped->nelts == 0) {
        report_no_match(look, missed, named);
    }
    for (int i = 0; matching->nelts == 0 && i < stopped->nelts; i++) {
        report_stopped(look, &APR_ARRAY_IDX(stopped, i, verdict_t));
    }
    return matching;
}

const apr_array_header_t *lims_match(lims_readings_t *out, const char *bytes, apr_size_t length,
                                     const apr_array_header_t *profiles, const char *named,
                                     apr_pool_t *pool)
{
    lims_look_t look = {
        .bytes = bytes,
        .length = length,
        .out = out,
        .texts = apr_hash_make(pool),
        .faults = lims_reasons_create(pool),
        .pool = pool,
    };

    look.faults->until = out->reasons->until;
    if (!lims_container_detect(&look.container, bytes, length, out->reasons)) {
        return apr_array_make(pool, 0, sizeof(const lims_profile_t *));
    }
    return match_all(&look, profiles, named);
}
