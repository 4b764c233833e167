/* SPDX-License-Identifier: Apache-2.0 */
/*
 * privacy.c - de-identification of a file before it is sent to the model service: only
 * values, units, names of tests, and tokens for samples; no personal data and no
 * identifiers.
 */
#include <apr_lib.h>
#include <apr_strings.h>
#include <openssl/rand.h>
#include <stdlib.h>
#include <string.h>

#include "extraction/candidate.h"
#include "extraction/headings.h"
#include "profiles/fold.h"

/* --- Tokens -------------------------------------------------------------------- */

void lims_shuffle(int *numbers, int count)
{
    for (int i = count - 1; i > 0; i--) {
        unsigned int random = 0;
        int other, kept = numbers[i];

        RAND_bytes((unsigned char *)&random, sizeof(random));
        other = (int)(random % (unsigned)(i + 1));
        numbers[i] = numbers[other];
        numbers[other] = kept;
    }
}

/* The candidates are ordered by tracking id; each new id gets the next of a shuffled list
 * of numbers. */
void lims_candidates_name(lims_candidates_t *candidates, apr_pool_t *pool)
{
    int *numbers = apr_palloc(pool, sizeof(*numbers) * (apr_size_t)(candidates->count + 1));
    int samples = 0;

    for (int i = 0; i < candidates->count; i++) {
        const lims_candidate_t *item = &candidates->items[i];
        bool same = i > 0 && strcmp(item->tracking_id, item[-1].tracking_id) == 0;

        if (!same) {
            numbers[samples] = samples + 1;
            samples++;
        }
    }
    lims_shuffle(numbers, samples);
    samples = -1;
    for (int i = 0; i < candidates->count; i++) {
        lims_candidate_t *item = &candidates->items[i];
        bool same = i > 0 && strcmp(item->tracking_id, item[-1].tracking_id) == 0;

        samples += same ? 0 : 1;
        item->folded_code = lims_fold(item->code, strlen(item->code), pool);
        item->folded_name = lims_fold(item->name, strlen(item->name), pool);
        item->token = same ? item[-1].token : apr_psprintf(pool, "S%d", numbers[samples]);
    }
}

typedef struct {
    const char *text;
    apr_size_t length;
} span_t;

static int compare(const void *key, const void *member)
{
    const span_t *span = key;
    const lims_candidate_t *item = member;
    int order = strncmp(span->text, item->tracking_id, span->length);

    return order != 0 ? order : item->tracking_id[span->length] != '\0' ? -1 : 0;
}

static const lims_candidate_t *find(const char *text, apr_size_t length,
                                    const lims_candidates_t *candidates)
{
    const span_t span = { text, length };

    return candidates->count == 0 ? NULL
                                  : bsearch(&span, candidates->items, (size_t)candidates->count,
                                            sizeof(*candidates->items), compare);
}

const char *lims_tracking_id_in(bool *whole, const char *text, const lims_candidates_t *candidates)
{
    const lims_candidate_t *item = find(text, strlen(text), candidates);
    const char *rest = text, *word = NULL, *found = NULL;
    apr_size_t length = 0;

    *whole = item;
    if (item) {
        return item->tracking_id;
    }
    while (lims_grid_word(&word, &length, &rest)) {
        item = find(word, length, candidates);
        if (item && found && strcmp(found, item->tracking_id) != 0) {
            return NULL;
        }
        found = item ? item->tracking_id : found;
    }
    return found;
}

static apr_size_t run(const char *text, bool digits)
{
    apr_size_t length = 0;

    while (digits ? apr_isdigit(text[length]) : apr_isalnum(text[length])) {
        length++;
    }
    return length;
}

/* Returns the length of the tracking id at the begin of a text, in either case: prefix,
 * two digits of the year, number, check character (LAB-26-0004217-K); 0: none. The check
 * character is not verified, so that mistyped ids are found too. */
static apr_size_t tracking_id_at(const char *text)
{
    static const struct {
        bool digits;
        apr_size_t least, most;
    } parts[] = { { false, 1, 8 }, { true, 2, 2 }, { true, 5, 19 }, { false, 1, 1 } };
    apr_size_t at = 0;

    for (apr_size_t i = 0; i < LIMS_LENGTH(parts); i++) {
        apr_size_t length = run(text + at, parts[i].digits);
        bool last = i + 1 == LIMS_LENGTH(parts);

        if (length < parts[i].least || length > parts[i].most ||
            (!last && text[at + length] != '-')) {
            return 0;
        }
        at += length + (last ? 0 : 1);
    }
    return at;
}

/* Replaces tracking ids: those of candidates by their tokens, all others by one token. */
const char *lims_text_hide(const char *text, const lims_candidates_t *candidates, apr_pool_t *pool)
{
    const lims_candidate_t *item = find(text, strlen(text), candidates);
    const char *shown = "", *from = text, *at = text;

    if (item) {
        return item->token;
    }
    while (*at != '\0') {
        apr_size_t length = tracking_id_at(at);

        if (length > 0) {
            item = find(at, length, candidates);
            shown = apr_pstrcat(pool, shown, apr_pstrmemdup(pool, from, (apr_size_t)(at - from)),
                                item ? item->token : "UNKNOWN-SAMPLE", NULL);
            from = at = at + length;
        } else {
            length = run(at, false);
            at += length > 0 ? length : 1;
        }
    }
    return from == text ? text : apr_pstrcat(pool, shown, from, NULL);
}

/* --- Personal data and locations --------------------------------------------------- */

/* Whether a text contains a title and a name: "for Dr. Jane Doe". */
static bool has_title(const char *text)
{
    static const char *const titles[] = { "Dr",   "Prof", "Mr",   "Mrs", "Ms",
                                          "Miss", "Herr", "Frau", "Mme" };

    for (const char *at = text; *at != '\0'; at += run(at, false) + (run(at, false) == 0)) {
        apr_size_t length = run(at, false);

        for (apr_size_t i = 0; i < LIMS_LENGTH(titles); i++) {
            const char *name = at + length;

            if (length != strlen(titles[i]) || strncmp(at, titles[i], length) != 0) {
                continue;
            }
            name += *name == '.';
            name += *name == ' ';
            if (name > at + length && (apr_isupper(*name) || (*name & 0x80) != 0)) {
                return true;
            }
        }
    }
    return false;
}

/* Whether a text itself contains personal data or a location: "Operator: J. Smith",
 * C:\data\smith, a mail address. */
static bool is_revealing(const char *text, apr_pool_t *pool)
{
    const char *colon = strchr(text, ':');
    const char *at = strchr(text, '@');
    bool drive = apr_isalpha(text[0]) && text[1] == ':' && (text[2] == '\\' || text[2] == '/');
    bool share = text[0] == '\\' && text[1] == '\\';
    bool home = strstr(text, "/home/") || strstr(text, "/Users/") || strstr(text, ":\\");
    bool mail = at && at > text && strchr(at, '.');

    return drive || share || home || mail || has_title(text) ||
           (colon && colon[1] != '\0' &&
            lims_heading_tells(text, (apr_size_t)(colon - text), pool));
}

/* --- Headers --------------------------------------------------------------------- */

/* Whether a text is `name`, or begins with it as a word: "NO3N (mg/L)". */
static bool begins_with(const char *folded, const char *name)
{
    apr_size_t length = strlen(name);

    return length > 0 && strncmp(folded, name, length) == 0 && !apr_isalnum(folded[length]) &&
           (folded[length] & 0x80) == 0;
}

/* Whether a text is a column name and no person's: a candidate's test, or a usual column
 * of result tables. */
static bool is_heading(const char *text, const lims_candidates_t *candidates, apr_pool_t *pool)
{
    const char *folded = lims_fold(text, strlen(text), pool);

    for (int i = 0; i < candidates->count; i++) {
        if (begins_with(folded, candidates->items[i].folded_code) ||
            begins_with(folded, candidates->items[i].folded_name)) {
            return true;
        }
    }
    return lims_heading_is_of_table(folded);
}

/* Whether the column has a cell in the row below. */
static bool is_filled(const lims_grid_sheet_t *sheet, int row, int column)
{
    const lims_grid_row_t *below = row + 1 < sheet->count ? &sheet->rows[row + 1] : NULL;

    return below && column < below->count && below->cells[column].text[0] != '\0';
}

/* Whether the cell next to a hiding word is a column header, which is sent: both are at
 * the head of filled columns, and the cell is a usual column name. Filled columns alone
 * are not enough: "Operator; M. Keller" may stand above "Method; NO3". */
static bool is_header_too(const lims_grid_sheet_t *sheet, int row, int word, int column,
                          const lims_candidates_t *candidates, apr_pool_t *pool)
{
    return is_filled(sheet, row, word) && is_filled(sheet, row, column) &&
           is_heading(sheet->rows[row].cells[column].text, candidates, pool);
}

/* Hides cells of one row. `hidden` has the hidden columns; a header adds its own. */
static void hide_row(lims_grid_sheet_t *sheet, int r, bool *hidden, bool tree,
                     const lims_candidates_t *candidates, apr_pool_t *pool)
{
    lims_grid_row_t *row = &sheet->rows[r];
    int word = -1; /* column of a word that hides the next cell; -1: none */

    for (int c = 0; c < row->count; c++) {
        lims_grid_cell_t *cell = &row->cells[c];
        bool empty = cell->text[0] == '\0';
        bool header = !empty && lims_heading_tells(cell->text, strlen(cell->text), pool);
        bool beside =
            word >= 0 && !empty && (tree || !is_header_too(sheet, r, word, c, candidates, pool));

        if (!empty && !header && (hidden[c] || beside || is_revealing(cell->text, pool))) {
            cell->shown = NULL;
        }
        hidden[c] = hidden[c] || (header && !tree);
        word = header ? c : empty ? word : -1;
    }
}

/* Hides the cells below and to the right of such headers. A column ends at a row where it
 * has no cell. In a `tree` all names are in one column, and no cells are below them. */
static void hide_table(lims_grid_sheet_t *sheet, bool tree, const lims_candidates_t *candidates,
                       apr_pool_t *pool)
{
    int columns = 0;
    bool *hidden;

    for (int r = 0; r < sheet->count; r++) {
        columns = sheet->rows[r].count > columns ? sheet->rows[r].count : columns;
    }
    hidden = apr_pcalloc(pool, (apr_size_t)columns + 1);
    for (int r = 0; r < sheet->count; r++) {
        hide_row(sheet, r, hidden, tree, candidates, pool);
    }
}

/* --- Messages ---------------------------------------------------------------------- */

typedef struct {
    const char *segment; /* its name or a prefix of it */
    int fields[8];       /* to hide, in the numbering of the standard; {0}: all */
} hidden_fields_t;

/* HL7 v2.5.1 chapters 3, 4 and 7: persons, locations, free text. */
static const hidden_fields_t hl7_hidden[] = {
    { "PID", { 0 } },
    { "PD1", { 0 } },
    { "NK1", { 0 } },
    { "PV1", { 0 } },
    { "PV2", { 0 } },
    { "GT1", { 0 } },
    { "IN1", { 0 } },
    { "IN2", { 0 } },
    { "IN3", { 0 } },
    { "NTE", { 0 } },
    { "MRG", { 0 } },
    { "ROL", { 0 } },
    { "MSH", { 4, 6, 8 } },
    { "ORC", { 10, 11, 12, 13, 14, 17, 18, 19 } },
    { "OBR", { 10, 16, 17, 28, 32, 33, 34, 35 } },
    { "OBX", { 16, 23, 24, 25 } },
};

/* CLSI LIS02-A2 clauses 7 to 12. */
static const hidden_fields_t astm_hidden[] = {
    { "P", { 0 } },
    { "C", { 0 } },
    { "M", { 0 } },
    { "S", { 0 } },
    { "Q", { 0 } },
    { "H", { 4, 6, 8 } },
    { "O", { 11, 17, 18, 24 } },
    { "R", { 11 } },
};

static void hide_fields(lims_grid_row_t *row, const hidden_fields_t *rule, int first)
{
    for (int c = 0; c < row->count; c++) {
        bool hidden = rule->fields[0] == 0;

        for (apr_size_t i = 0; i < LIMS_LENGTH(rule->fields) && rule->fields[i] != 0; i++) {
            hidden = hidden || rule->fields[i] == c + first;
        }
        if (hidden) {
            row->cells[c].shown = NULL;
        }
    }
}

/* Hides fields of a message. `first`: the number of cell 0 in the standard. */
static void hide_message(lims_grid_sheet_t *sheet, const hidden_fields_t *rules, apr_size_t count,
                         int first)
{
    for (int r = 0; r < sheet->count; r++) {
        lims_grid_row_t *row = &sheet->rows[r];
        bool segment = false;

        for (apr_size_t i = 0; i < count && row->count > 0; i++) {
            if (strcmp(row->cells[0].text, rules[i].segment) == 0) {
                hide_fields(row, &rules[i], first);
                segment = true;
            }
        }
        /* Z segments are defined by the sender and may contain anything. */
        if (!segment && row->count > 0 && row->cells[0].text[0] == 'Z') {
            hide_fields(row, &(const hidden_fields_t){ .fields = { 0 } }, first);
        }
    }
}

void lims_grid_hide(lims_grid_t *grid, const lims_candidates_t *candidates, apr_pool_t *pool)
{
    bool whole = false;

    for (int s = 0; s < grid->count; s++) {
        lims_grid_sheet_t *sheet = &grid->sheets[s];

        if (grid->container == LIMS_CONTAINER_HL7) {
            hide_message(sheet, hl7_hidden, LIMS_LENGTH(hl7_hidden), 0);
        } else if (grid->container == LIMS_CONTAINER_ASTM) {
            hide_message(sheet, astm_hidden, LIMS_LENGTH(astm_hidden), 1);
        } else {
            hide_table(sheet,
                       grid->container == LIMS_CONTAINER_XML ||
                           grid->container == LIMS_CONTAINER_JSON,
                       candidates, pool);
        }
        for (int r = 0; r < sheet->count; r++) {
            for (int c = 0; c < sheet->rows[r].count; c++) {
                lims_grid_cell_t *cell = &sheet->rows[r].cells[c];

                if (cell->shown && cell->text[0] != '\0') {
                    cell->tracking_id = lims_tracking_id_in(&whole, cell->text, candidates);
                    cell->shown = lims_text_hide(cell->text, candidates, pool);
                    sheet->rows[r].named |= cell->shown != cell->text;
                }
            }
        }
    }
}
