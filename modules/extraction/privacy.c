/* SPDX-License-Identifier: Apache-2.0 */
/*
 * privacy.c - what leaves the house of a file: values, units and names of tests,
 * and tokens for samples. Nobody's name, nobody's number.
 */
#include <apr_lib.h>
#include <apr_strings.h>
#include <openssl/rand.h>
#include <stdlib.h>
#include <string.h>

#include "extraction/candidate.h"
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

/* The candidates come in the order of their tracking ids; each new one takes the
 * next of a shuffled row of numbers. */
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

    *whole = item != NULL;
    if (item != NULL) {
        return item->tracking_id;
    }
    while (lims_grid_word(&word, &length, &rest)) {
        item = find(word, length, candidates);
        if (item != NULL && found != NULL && strcmp(found, item->tracking_id) != 0) {
            return NULL;
        }
        found = item != NULL ? item->tracking_id : found;
    }
    return found;
}

const char *lims_text_hide(const char *text, const lims_candidates_t *candidates, apr_pool_t *pool)
{
    const lims_candidate_t *item = find(text, strlen(text), candidates);
    const char *rest = text, *word = NULL, *shown = "", *from = text;
    apr_size_t length = 0;

    if (item != NULL) {
        return item->token;
    }
    while (lims_grid_word(&word, &length, &rest)) {
        item = find(word, length, candidates);
        if (item != NULL) {
            shown = apr_pstrcat(pool, shown, apr_pstrmemdup(pool, from, (apr_size_t)(word - from)),
                                item->token, NULL);
            from = word + length;
        }
    }
    return from == text ? text : apr_pstrcat(pool, shown, from, NULL);
}

/* --- Who and where --------------------------------------------------------------- */

/* Words of headers whose column, or whose neighbour, says who or where. Folded. */
static const char *const telling[] = {
    /* who measured, and for whom */
    "operator",
    "analyst",
    "analysed by",
    "analyzed by",
    "user",
    "username",
    "user name",
    "login",
    "technician",
    "performed by",
    "measured by",
    "created by",
    "modified by",
    "reviewed by",
    "approved by",
    "author",
    "customer",
    "client",
    "submitter",
    "bediener",
    "benutzer",
    "anwender",
    "bearbeiter",
    "pr\303\274fer",
    "analytiker",
    "kunde",
    "op\303\251rateur",
    "utilisateur",
    "analyste",
    "operador",
    "usuario",
    "analista",
    "operatore",
    "utente",
    "usu\303\241rio",
    "operat\303\266r",
    /* whose sample */
    "patient",
    "patient id",
    "patient name",
    "patientenname",
    "name of patient",
    "paciente",
    "paziente",
    "physician",
    "doctor",
    "arzt",
    "m\303\251decin",
    "m\303\251dico",
    "medico",
    "birth",
    "birthdate",
    "birth date",
    "date of birth",
    "dob",
    "geburtsdatum",
    "sex",
    "gender",
    "geschlecht",
    "mrn",
    "ssn",
    "address",
    "adresse",
    "phone",
    "telefon",
    "e-mail",
    "email",
    "ward",
    "room",
    "first name",
    "last name",
    "surname",
    "vorname",
    "nachname",
    /* where */
    "path",
    "file path",
    "filename",
    "file name",
    "file",
    "folder",
    "directory",
    "pfad",
    "datei",
    "dateiname",
    "data file",
    "data path",
    "method path",
    "computer",
    "host",
    "ip",
};

/* What is longer is no name of a column or a member. */
#define LONGEST_NAME 100

static bool is_listed(const char *text, apr_size_t length, apr_pool_t *pool)
{
    const char *folded = lims_fold(text, length, pool);
    apr_size_t size = strlen(folded);

    while (size > 0 && (folded[size - 1] == ':' || folded[size - 1] == ' ')) {
        size--;
    }
    for (apr_size_t i = 0; i < LIMS_LENGTH(telling); i++) {
        apr_size_t word = strlen(telling[i]);

        if (size == word && memcmp(folded, telling[i], word) == 0) {
            return true;
        }
        /* "Patient ID (external)", "Operator name": what begins so, and goes on. */
        if (size > word && memcmp(folded, telling[i], word) == 0 && word >= 7 &&
            strchr(" (_/-", folded[word]) != NULL) {
            return true;
        }
    }
    return false;
}

/* Names in XML and JSON are written as one word: "patientName" has two. */
static const char *parted(const char *text, apr_size_t length, apr_pool_t *pool)
{
    char *words = apr_palloc(pool, 2 * length + 1), *to = words;

    for (apr_size_t i = 0; i < length; i++) {
        if (i > 0 && apr_isupper(text[i]) && apr_islower(text[i - 1])) {
            *to++ = ' ';
        }
        *to++ = text[i];
    }
    *to = '\0';
    return words;
}

static bool is_telling(const char *text, apr_size_t length, apr_pool_t *pool)
{
    const char *words;

    if (is_listed(text, length, pool)) {
        return true;
    }
    if (length > LONGEST_NAME) {
        return false;
    }
    words = parted(text, length, pool);
    return strlen(words) > length && is_listed(words, strlen(words), pool);
}

/* Says itself who or where: "Operator: J. Smith", C:\data\smith, a mail address. */
static bool tells(const char *text, apr_pool_t *pool)
{
    const char *colon = strchr(text, ':');
    const char *at = strchr(text, '@');
    bool drive = apr_isalpha(text[0]) && text[1] == ':' && (text[2] == '\\' || text[2] == '/');
    bool share = text[0] == '\\' && text[1] == '\\';
    bool home = strstr(text, "/home/") != NULL || strstr(text, "/Users/") != NULL ||
                strstr(text, ":\\") != NULL;
    bool mail = at != NULL && at > text && strchr(at, '.') != NULL;

    return drive || share || home || mail ||
           (colon != NULL && colon[1] != '\0' &&
            is_telling(text, (apr_size_t)(colon - text), pool));
}

/* Below such a header, and at its right, nothing is shown. A column ends at a row
 * where it has no cell. In a `tree` names stand in one column: nothing is below them. */
static void hide_table(lims_grid_sheet_t *sheet, bool tree, apr_pool_t *pool)
{
    int columns = 0;
    bool *hidden;

    for (int r = 0; r < sheet->count; r++) {
        columns = sheet->rows[r].count > columns ? sheet->rows[r].count : columns;
    }
    hidden = apr_pcalloc(pool, (apr_size_t)columns + 1);
    for (int r = 0; r < sheet->count; r++) {
        lims_grid_row_t *row = &sheet->rows[r];
        bool next = false;

        for (int c = 0; c < row->count; c++) {
            lims_grid_cell_t *cell = &row->cells[c];
            bool header = cell->text[0] != '\0' && is_telling(cell->text, strlen(cell->text), pool);

            if (!header && (hidden[c] || next || tells(cell->text, pool))) {
                cell->shown = cell->text[0] != '\0' ? NULL : cell->shown;
            }
            hidden[c] = hidden[c] || (header && !tree);
            next = header || (next && cell->text[0] == '\0');
        }
    }
}

/* --- Messages ---------------------------------------------------------------------- */

typedef struct {
    const char *segment; /* its name, or the begin of it */
    int fields[8];       /* that are hidden, counted as the standard does; {0}: all */
} hidden_fields_t;

/* HL7 v2.5.1 chapters 3, 4 and 7: people, places, free text. */
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

/* `first`: the number that the standard gives to cell 0. */
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
        /* Segments of a sender's own say what they like. */
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
                       pool);
        }
        for (int r = 0; r < sheet->count; r++) {
            for (int c = 0; c < sheet->rows[r].count; c++) {
                lims_grid_cell_t *cell = &sheet->rows[r].cells[c];

                if (cell->shown != NULL && cell->text[0] != '\0') {
                    cell->tracking_id = lims_tracking_id_in(&whole, cell->text, candidates);
                    cell->shown = lims_text_hide(cell->text, candidates, pool);
                    sheet->rows[r].named |= cell->shown != cell->text;
                }
            }
        }
    }
}
