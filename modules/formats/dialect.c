/* SPDX-License-Identifier: Apache-2.0 */
/* dialect.c - the delimiter and quotes that lines of text show. */
#include <string.h>

#include "formats/delimited.h"

/* Number of lines that are compared, blank lines not counted. */
#define LINES 50

/* Most first: a comma also stands in numbers and in remarks. */
static const char candidates[] = { '\t', ';', '|', ',' };

typedef struct {
    int counts[sizeof(candidates)][LINES]; /* outside of quotes */
    int lines;
    int wrapped; /* lines that are one pair of quotes */
} look_t;

/* Counts the candidates of a record; returns its end, which lies behind a line
 * break in quotes. A quote within a cell is a character. `inside` counts within
 * the quotes of a wrapped record. */
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

static look_t look_at(const lims_text_t *text, bool inside)
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

/* Of a candidate: how many lines have it as often as most of those that have it
 * do, weighed by how often that is; 0 for one that too few have. */
static int weight(const look_t *look, apr_size_t candidate)
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
        int own = weight(look, i);
        if (own > best) {
            best = own;
            found = candidates[i];
        }
    }
    return found;
}

lims_dialect_t lims_dialect_of(const lims_text_t *text)
{
    look_t look = look_at(text, false);
    lims_dialect_t dialect = { .delimiter = delimiter_of(&look) };

    if (!dialect.delimiter && look.wrapped * 2 > look.lines) {
        look = look_at(text, true);
        dialect.delimiter = delimiter_of(&look);
        dialect.unwrap_record = dialect.delimiter != '\0';
    }
    dialect.quote = dialect.delimiter ? '"' : '\0';
    return dialect;
}
