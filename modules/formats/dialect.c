/* SPDX-License-Identifier: Apache-2.0 */
/* dialect.c - detection of delimiter and quotes by the first lines of a text. */
#include <string.h>

#include "formats/delimited.h"

/* Number of lines that are compared, blank lines not counted. */
#define LINES 50

/* Delimiters, most specific first: a comma also occurs in numbers and in free
 * text. */
static const char candidates[] = { '\t', ';', '|', ',' };

typedef struct {
    int counts[sizeof(candidates)][LINES]; /* outside of quotes */
    int lines;
    int wrapped; /* number of lines that are quoted as a whole */
} look_t;

/* Counts the candidates in one record, and returns its end, which may be some
 * lines below if a quoted cell contains line breaks. A quote within a cell is an
 * ordinary character. `inside`: count within the quotes of a wrapped record. */
static const char *count_record(look_t *look, const char *at, const char *end, bool inside)
{
    const char *begin = at;
    bool quoted = false;
    int pairs = 0;

    for (; at < end && (quoted || (*at != '\r' && *at != '\n')); at++) {
        const char *candidate = memchr(candidates, *at, sizeof(candidates));

        if (*at == '"' && quoted) {
            quoted = at + 1 < end && at[1] == '"';
            at += quoted;
            pairs += !quoted;
        } else if (*at == '"') {
            quoted = at == begin || memchr(candidates, at[-1], sizeof(candidates));
        } else if (candidate && quoted == inside) {
            look->counts[candidate - candidates][look->lines]++;
        }
    }
    look->wrapped += at - begin > 2 && *begin == '"' && at[-1] == '"' && pairs == 1;
    return at;
}

static look_t count_candidates(const lims_text_t *text, bool inside)
{
    const char *at = text->bytes;
    const char *end = at + text->length;
    look_t look = { .lines = 0 };

    while (look.lines < LINES) {
        at += strspn(at, " \r\n");
        if (at >= end) {
            break;
        }
        at = count_record(&look, at, end, inside);
        look.lines++;
    }
    return look;
}

/* Scores a candidate: the number of lines that have its most frequent count, times
 * that count; 0 if too few lines have it. */
static int score(const look_t *look, apr_size_t candidate)
{
    const int *counts = look->counts[candidate];
    int best = 0, most = 0;

    for (int i = 0; i < look->lines; i++) {
        int same = 0;
        for (int j = 0; counts[i] && j < look->lines; j++) {
            same += counts[j] == counts[i];
        }
        if (same > best || (same == best && counts[i] > most)) {
            best = same;
            most = counts[i];
        }
    }
    return best * 3 < look->lines ? 0 : best * 1000 + (most < 999 ? most : 999);
}

static char delimiter_of(const look_t *look)
{
    char found = '\0';
    int best = 0;

    for (apr_size_t i = 0; i < sizeof(candidates); i++) {
        int own = score(look, i);
        if (own > best) {
            best = own;
            found = candidates[i];
        }
    }
    return found;
}

lims_dialect_t lims_dialect_of(const lims_text_t *text)
{
    look_t look = count_candidates(text, false);
    lims_dialect_t dialect = { .delimiter = delimiter_of(&look) };

    if (!dialect.delimiter && look.wrapped * 2 > look.lines) {
        look = count_candidates(text, true);
        dialect.delimiter = delimiter_of(&look);
        dialect.unwrap_record = dialect.delimiter != '\0';
    }
    dialect.quote = dialect.delimiter ? '"' : '\0';
    return dialect;
}
