/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of every layout are made at random, read, and damaged: a cell too many or
 * too few, keys that are blank or stand there twice, a cut at every line and half
 * line. What is read of the damaged file is the same, or it is held back with a
 * reason at the place. Other values are never read, and fewer only where a text was
 * cut whose format has no end and whose profile declares none: then the last value
 * may lack digits too, as the manual says.
 *
 * A laboratory knows its samples: an id that it has not given out holds a file back
 * (unknown_tracking_id), which is judged behind the reader and here by the harness.
 *
 * DAMAGE_SECONDS=3600 goes on for an hour, DAMAGE_SEED repeats a run.
 */
#include <apr_time.h>

#include "../lib/archive.h"
#include "../lib/readings.h"
/* Behind the others, whose functions have a pool of their own. */
#include "../lib/random_files.h"

/* Files of each kind in the short form. */
#define ROUNDS 6

static int files, damages, held, failures;

/* --- Reading -------------------------------------------------------------------------- */

static const char *book(apr_size_t *length, const file_t *file)
{
    apr_array_header_t *parts = apr_array_make(pool, 64, sizeof(const char *));
    book_parts_t book = { .workbook = NULL };

    APR_ARRAY_PUSH(parts, const char *) = "<sheetData>";
    for (int i = 0; i < file->rows->nelts; i++) {
        const apr_array_header_t *row = row_at(file, i);

        APR_ARRAY_PUSH(parts, const char *) = apr_psprintf(pool, "<row r=\"%d\">", i + 1);
        for (int j = 0; j < row->nelts; j++) {
            const char *text = APR_ARRAY_IDX(row, j, const char *);
            const char *cell = apr_psprintf(
                pool, "<c r=\"%c%d\" t=\"inlineStr\"><is><t>%s</t></is></c>", 'A' + j, i + 1, text);
            APR_ARRAY_PUSH(parts, const char *) = *text ? cell : "";
        }
        APR_ARRAY_PUSH(parts, const char *) = "</row>";
    }
    APR_ARRAY_PUSH(parts, const char *) = "</sheetData>";
    book.sheet = apr_array_pstrcat(pool, parts, 0);
    return book_of(length, &book, true, pool);
}

static const char *bytes_of(apr_size_t *length, const file_t *file)
{
    apr_array_header_t *parts = apr_array_make(pool, 64, sizeof(const char *));
    const char *text;

    if (file->workbook) {
        return book(length, file);
    }
    APR_ARRAY_PUSH(parts, const char *) = file->page ? "<html><table>" : "";
    for (int i = 0; i < file->rows->nelts; i++) {
        const apr_array_header_t *row = row_at(file, i);

        APR_ARRAY_PUSH(parts, const char *) = file->page ? "<tr><td>" : "";
        for (int j = 0; j < row->nelts; j++) {
            APR_ARRAY_PUSH(parts, const char *) = j > 0 ? file->between : "";
            APR_ARRAY_PUSH(parts, const char *) = APR_ARRAY_IDX(row, j, const char *);
        }
        APR_ARRAY_PUSH(parts, const char *) = file->page ? "</td></tr>" : "";
        APR_ARRAY_PUSH(parts, const char *) = file->break_;
    }
    APR_ARRAY_PUSH(parts, const char *) = file->page ? "</table></html>" : "";
    APR_ARRAY_PUSH(parts, const char *) = file->page ? file->break_ : "";
    text = apr_array_pstrcat(pool, parts, 0);
    *length = strlen(text);
    return text;
}

/* Returns the values that were read, "S-1 Fe=5.10", in the file's order. */
static apr_array_header_t *values_of(const lims_readings_t *out)
{
    apr_array_header_t *values = apr_array_make(pool, 16, sizeof(const char *));

    for (int i = 0; i < out->readings->nelts; i++) {
        const lims_reading_t *reading = &APR_ARRAY_IDX(out->readings, i, lims_reading_t);
        APR_ARRAY_PUSH(values, const char *) =
            apr_pstrcat(pool, reading->tracking_id ? reading->tracking_id : "?", " ",
                        reading->test_code, "=", reading->result ? reading->result : "?", NULL);
    }
    return values;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static const char *sorted(const apr_array_header_t *values)
{
    apr_array_header_t *copy = apr_array_copy(pool, values);

    qsort(copy->elts, (size_t)copy->nelts, sizeof(const char *), by_text);
    return apr_array_pstrcat(pool, copy, '|');
}

/* A sample that the laboratory has not. */
static bool is_foreign(const file_t *file, const lims_readings_t *out)
{
    for (int i = 0; i < out->readings->nelts; i++) {
        const char *id = APR_ARRAY_IDX(out->readings, i, lims_reading_t).tracking_id;
        bool known = false;

        for (int j = 0; id && j < file->samples; j++) {
            known = known || strcmp(id, sample(j)) == 0;
        }
        if (!known) {
            return true;
        }
    }
    return false;
}

static bool has_place(const lims_readings_t *out)
{
    for (int i = 0; i < out->reasons->list->nelts; i++) {
        const lims_reason_t *reason = &APR_ARRAY_IDX(out->reasons->list, i, lims_reason_t);
        /* Or what should be there, where it is nowhere. */
        if (reason->blocking && (reason->row > 0 || reason->expected)) {
            return true;
        }
    }
    return false;
}

typedef enum {
    SAME,  /* every value, or held back at a place */
    WHOLE, /* every value, or held back */
    FEWER, /* or those before the cut */
    SHORT  /* of which the last may lack digits */
} allowed_e;

/* The values before a cut. */
static bool is_begin(const apr_array_header_t *values, const apr_array_header_t *all, bool cut)
{
    int last = values->nelts - 1;

    for (int i = 0; i <= last && i < all->nelts; i++) {
        const char *one = APR_ARRAY_IDX(values, i, const char *);
        const char *other = APR_ARRAY_IDX(all, i, const char *);

        if (strcmp(one, other) != 0 &&
            (!cut || i < last || strncmp(one, other, strlen(one)) != 0 || !strchr(one, '='))) {
            return false;
        }
    }
    return last < all->nelts;
}

static void judge(const file_t *file, const lims_profile_t *profile, const char *bytes,
                  apr_size_t length, const apr_array_header_t *all, allowed_e allowed,
                  const char *damage)
{
    const lims_readings_t *out = lims_file_read_with(bytes, length, "f", profile, pool);
    const apr_array_header_t *values = values_of(out);
    bool good;

    damages++;
    if (out->reasons->blocking > 0 || is_foreign(file, out)) {
        held++;
        good = allowed != SAME || out->reasons->blocking == 0 || has_place(out);
    } else if (allowed >= FEWER) {
        good = is_begin(values, all, allowed == SHORT);
    } else {
        good = strcmp(sorted(values), sorted(file->expected)) == 0;
    }
    if (!good && failures++ < 5) {
        ok(false, "%s, %s", file->name, damage);
        printf("# profile %s\n", file->profile);
        for (const char *line = file->workbook ? "" : bytes; line < bytes + length && *line;) {
            apr_size_t size = strcspn(line, "\r\n");
            printf("# | %.*s\n", (int)size, line);
            line += size;
            line += strspn(line, "\r\n");
        }
        printf("# read     %s\n# expected %s\n# reasons  %s\n",
               apr_array_pstrcat(pool, values, '|'), apr_array_pstrcat(pool, all, '|'),
               why_text(out, pool));
    }
}

/* --- Damages -------------------------------------------------------------------------- */

/* A cell's text with another number. */
static const char *another(const char *text)
{
    const char *number = strpbrk(text, "0123456789.");
    const char *at = text + strlen(text);

    /* The last number: of "<NO3>1.5</NO3>" that before the tag that closes. */
    for (const char *p = text; (p = strstr(p, "1")); p++) {
        if (strspn(p, "0123456789.") > 2) {
            number = p;
            break;
        }
    }
    if (!number) {
        return text;
    }
    at = number + strspn(number, "0123456789.");
    return apr_pstrcat(pool, apr_pstrmemdup(pool, text, (apr_size_t)(number - text)), "77.7", at,
                       NULL);
}

typedef struct {
    file_t *file;
    const lims_profile_t *profile;
    const apr_array_header_t *all;
} damaged_t;

static void judge_rows(const damaged_t *d, const char *what, int row, int column)
{
    apr_size_t length;
    const char *bytes = bytes_of(&length, d->file);

    judge(d->file, d->profile, bytes, length, d->all, SAME,
          apr_psprintf(pool, "%s in row %d at cell %d", what, row + 1, column + 1));
}

/* A row with other cells; the row itself is put back by the caller. */
static apr_array_header_t *begin_row(const damaged_t *d, int row)
{
    apr_array_header_t *old = row_at(d->file, row);

    APR_ARRAY_IDX(d->file->rows, row, apr_array_header_t *) = apr_array_copy(pool, old);
    return old;
}

static void insert_cell(const damaged_t *d, int row, int column, const char *text)
{
    apr_array_header_t *old = begin_row(d, row), *cells = row_at(d->file, row);

    APR_ARRAY_PUSH(cells, const char *) = "";
    for (int i = cells->nelts - 1; i > column; i--) {
        APR_ARRAY_IDX(cells, i, const char *) = APR_ARRAY_IDX(cells, i - 1, const char *);
    }
    APR_ARRAY_IDX(cells, column, const char *) = text;
    judge_rows(d, apr_psprintf(pool, "a cell \"%s\" too many", text), row, column);
    APR_ARRAY_IDX(d->file->rows, row, apr_array_header_t *) = old;
}

static void lose_cell(const damaged_t *d, int row, int column)
{
    apr_array_header_t *old = begin_row(d, row), *cells = row_at(d->file, row);

    for (int i = column; i + 1 < cells->nelts && !d->file->workbook; i++) {
        APR_ARRAY_IDX(cells, i, const char *) = APR_ARRAY_IDX(cells, i + 1, const char *);
    }
    if (d->file->workbook) {
        APR_ARRAY_IDX(cells, column, const char *) = "";
    } else {
        cells->nelts--;
    }
    judge_rows(d, "a cell too few", row, column);
    APR_ARRAY_IDX(d->file->rows, row, apr_array_header_t *) = old;
}

static void damage_cells(const damaged_t *d)
{
    for (int row = d->file->from; row < d->file->to; row++) {
        const apr_array_header_t *cells = row_at(d->file, row);

        for (int column = 0; column <= cells->nelts; column++) {
            const char *text =
                column < cells->nelts ? APR_ARRAY_IDX(cells, column, const char *) : "";

            if (!d->file->workbook || column == cells->nelts) {
                insert_cell(d, row, column, d->file->tagged ? another(text) : "77");
            }
            if (!d->file->workbook && !d->file->tagged) {
                insert_cell(d, row, column, "");
            }
            if (column < cells->nelts) {
                lose_cell(d, row, column);
            }
        }
    }
}

static void replace(const damaged_t *d, const named_t *key, const char *text, const char *what)
{
    apr_array_header_t *old = begin_row(d, key->row);

    APR_ARRAY_IDX(row_at(d->file, key->row), key->column, const char *) = text;
    judge_rows(d, what, key->row, key->column);
    APR_ARRAY_IDX(d->file->rows, key->row, apr_array_header_t *) = old;
}

static void damage_keys(const damaged_t *d)
{
    for (int i = 0; i < d->file->keys->nelts; i++) {
        const named_t *key = &APR_ARRAY_IDX(d->file->keys, i, named_t);
        const named_t *other = &APR_ARRAY_IDX(d->file->keys, chance(d->file->keys->nelts), named_t);

        replace(d, key, key->blank, "a blank key");
        if (other->class == key->class) {
            replace(d, key, APR_ARRAY_IDX(row_at(d->file, other->row), other->column, const char *),
                    "a key that stands there twice");
        }
    }
}

static void cut(const damaged_t *d, const char *bytes, apr_size_t length, bool between)
{
    allowed_e allowed = d->file->ends == ENDS_NOT               ? SHORT
                        : d->file->ends == ENDS_LINE && between ? FEWER
                                                                : WHOLE;

    judge(d->file, d->profile, apr_pstrmemdup(pool, bytes, length), length, d->all, allowed,
          apr_psprintf(pool, "cut at byte %d", (int)length));
}

static void damage_end(const damaged_t *d)
{
    apr_size_t length, size = strlen(d->file->break_);
    const char *bytes = bytes_of(&length, d->file);

    if (d->file->workbook) {
        for (int i = 0; i < 8; i++) {
            cut(d, bytes, (apr_size_t)chance((int)length), false);
        }
        return;
    }
    for (const char *line = bytes; *line;) {
        const char *end = strstr(line, d->file->break_);

        cut(d, bytes, (apr_size_t)(line + (end - line) / 2 - bytes), end - line < 2);
        cut(d, bytes, (apr_size_t)(end - bytes), false);
        line = end + size;
        cut(d, bytes, (apr_size_t)(line - bytes), true);
    }
}

static void damage(int kind)
{
    file_t file = make(kind);
    damaged_t d = { .file = &file, .profile = profile_of(file.profile, pool) };
    lims_readings_t *out;
    apr_size_t length;
    const char *bytes = bytes_of(&length, &file);

    files++;
    if (!d.profile) {
        failures++;
        return;
    }
    out = lims_file_read_with(bytes, length, "f", d.profile, pool);
    d.all = values_of(out);
    if (out->reasons->count > 0 || strcmp(sorted(d.all), sorted(file.expected)) != 0) {
        judge(&file, d.profile, bytes, length, d.all, SAME, "as it was made");
        is(why_text(out, pool), "", "a whole file is taken");
        failures++;
        return;
    }
    damage_cells(&d);
    damage_keys(&d);
    damage_end(&d);
}

int main(void)
{
    const char *given = getenv("DAMAGE_SEED"), *seconds = getenv("DAMAGE_SECONDS");
    apr_time_t until = seconds ? apr_time_now() + apr_time_from_sec(strtol(seconds, NULL, 10)) : 0;
    apr_pool_t *parent = unit_pool();
    int round = 0;

    seed = given     ? strtoull(given, NULL, 10)
           : seconds ? (unsigned long long)apr_time_now()
                     : 20261123;
    printf("# DAMAGE_SEED=%llu\n", seed);
    seed |= 1;
    do {
        for (int kind = 0; kind < (int)LIMS_LENGTH(kinds); kind++) {
            apr_pool_create(&pool, parent);
            damage(kind);
            apr_pool_destroy(pool);
        }
        round++;
    } while (failures == 0 && (seconds ? apr_time_now() < until : round < ROUNDS));
    printf("# %d files, %d damages, %d of them held back\n", files, damages, held);
    ok(failures == 0, "damaged files give the same values, or are held back at a place");
    ok(held > damages / 2 && held < damages, "some damaged files are held back, some are not");
    return tap_done();
}
