/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layout.h - layouts: how the values of a document are arranged, and the rules
 * that all layouts share.
 *
 * A layout (layout_*.c) finds the values, and passes each of them with its
 * surroundings to the rules (rules.c). The rules decide, once for all layouts,
 * what a value means, which rows count, which are controls, and which values
 * are refused. Nothing here fails: a value that cannot be read becomes a
 * reason, and reading continues, so that a person sees all reasons at once.
 *
 * The time is linear in the number of cells.
 */
#ifndef LIMS_PROFILES_LAYOUT_H
#define LIMS_PROFILES_LAYOUT_H

#include "formats/read.h"
#include "profiles/readings.h"

#include <apr_hash.h>

/* Reads a document by a profile: fills .readings, .reasons and .counts of
 * `out`. Everything lives in `pool`, which has to be that of the document. */
void lims_layout_read(lims_readings_t *out, const lims_document_t *document,
                      const lims_profile_t *profile, apr_pool_t *pool);

/* --- What is being read ------------------------------------------------------ */

typedef struct {
    lims_readings_t *out;
    const lims_document_t *document;
    const lims_profile_t *profile;
    apr_pool_t *pool;
    apr_hash_t *tests;          /* folded name -> apr_array_header_t of const lims_test_t * */
    apr_hash_t *ignored;        /* folded names */
    apr_hash_t *controls;       /* rules_controls.c: those in the units of tests; or NULL */
    apr_hash_t *known_reasons;  /* reasons by code, place and words */
    apr_hash_t *unknown;        /* names and places that were reported; or NULL */
    apr_hash_t *paths;          /* layout_xml.c: where paths lead */
    bool uses_keys;             /* some source is a key */
    apr_hash_t *counted;        /* folded headers that a source numbers ("#2") */
    apr_hash_t *below;          /* folded labels that a source is below of; NULL: none */
    apr_hash_t *numbered;       /* columns that a source names by index, as that has it */
    apr_hash_t *reported_cells; /* cells that were reported as no number */
    apr_hash_t *named; /* folded headers, keys, labels and steps of paths that sources name */
    apr_hash_t *notes; /* layout_near.c: notes that were added */
    char *line;        /* of lims_layout_line(), and its size */
    apr_size_t line_size;
    /* State of the row that is being read. */
    int record;          /* its number, as readings and reasons have it; 0: none is being read */
    int values, skipped; /* of them */
    int left;            /* controls among the skipped */
    bool remark;         /* the text being read is a remark for people */
    bool id_reported;    /* reported for this row: it has no tracking id */
    bool time_reported;  /* reported for this row: its time is wrong */
    const char
        *flag_reported; /* cell of the last reported flag, so that it is reported once a row */
    bool judged;        /* all rules were evaluated for the row as a whole */
    /* rules_time.c: formats that some time of the file does not fit; times that could
     * be several. NULL: none so far. */
    bool *misfits;
    apr_array_header_t *open_times;
    /* Number of cells in the first row of a table without a header. */
    const lims_sheet_t *measured;
    int measured_from, measured_cells;
    const struct lims_layout_scope_t *once; /* scope for values that occur once in a file */
} lims_layout_t;

/* A text and where it stands. */
typedef struct {
    const char *text;        /* without blanks around it; NULL: there is no such place, or
                                the expression of the source does not match */
    const char *raw;         /* text exactly as in the file; NULL: no such place */
    const lims_cell_t *cell; /* or NULL: no cell of a sheet */
    apr_array_header_t *joined; /* of char: .text, where several remarks were joined to it;
                                   else NULL */
    int row, column;         /* from 1, or 0 */
    bool number;             /* a number of a workbook or of JSON, which has a decimal point
                                whatever the profile says of texts */
} lims_found_t;

/* Returns the signs with which a number is read at this place. */
lims_numbers_t lims_found_numbers(const lims_profile_t *profile, const lims_found_t *found);

/* The columns of a table by their folded headers. */
typedef struct {
    apr_hash_t *columns; /* -> apr_array_header_t of int, from 0, in order */
    int count;           /* columns up to the last header */
    const bool *named;   /* for each column whether it has a header */
} lims_header_t;

/* Values by folded keys, and what is below labels. */
typedef struct lims_keys_t lims_keys_t;

/* The scope of a value: the places in which its sources are searched. */
typedef struct lims_layout_scope_t lims_layout_scope_t;
struct lims_layout_scope_t {
    const lims_sheet_t *sheet; /* or NULL */
    const lims_row_t *row;     /* or NULL */
    int line;                  /* where there is no row (XML) */
    const lims_header_t *header;
    int from, to;                /* the group's columns; 0 and 0: all */
    int shared;                  /* of a group: columns before this are everybody's */
    const lims_header_t *common; /* where .header has no such column; or NULL */
    const lims_row_t *units;     /* of the unit row, or NULL */
    const lims_keys_t *keys[2];  /* of the block, of the sheet; or NULL */
    apr_hash_t *labels; /* transposed: folded row label -> apr_array_header_t of its rows */
    int column;         /* transposed: the sample's column, from 0 */
    bool unmapped;      /* matrix: the map has no sample in this well */
    const lims_found_t *places[LIMS_FROM_COUNT]; /* block, labels, well, …; or NULL */
    /* Fields and paths, where a layout has them. False: no such place. */
    bool (*find)(lims_found_t *found, const lims_layout_t *layout, const lims_layout_scope_t *scope,
                 const lims_source_t *source);
    /* ASTM, HL7: rows of the sheet, the result among them, the bounds of its order;
     * what stood last in the message, by the names of records. */
    const lims_row_t *rows;
    int index, begin, end;
    apr_hash_t *latest;
    bool specimen_behind; /* HL7: the specimen follows the results (ORU), */
    int specimen;         /* then where, or at the order's end */
    const lims_element_t *element;
};

/* --- Sources (layout_source.c) ------------------------------------------------ */

/* Evaluates a source: finds its text and applies its expression. */
void lims_source_read(lims_found_t *found, const lims_layout_t *layout,
                      const lims_layout_scope_t *scope, const lims_source_t *source);

/* Converts a cell of a row to a found text. */
lims_found_t lims_found_cell(const lims_row_t *row, int column);

/* Converts a text that is not in a cell of its own to a found text. */
lims_found_t lims_found_text(const char *text, int row, int column, apr_pool_t *pool);

/* The column of a header: its nth occurrence among the scope's columns, from 0;
 * -1: there is none. */
int lims_header_column(const lims_layout_scope_t *scope, const char *header, int occurrence);

/* The next column of the same header behind one of the scope's; -1: there is none. */
int lims_header_next(const lims_layout_scope_t *scope, const char *header, int column);

/* The header of columns [0, count) of some rows, joined by blanks. */
const lims_header_t *lims_header_of(const lims_row_t *rows, int count, apr_pool_t *pool);

/* Keys and values in rows [from, to) of a sheet, but those in [except, until). NULL
 * where the profile names no key. */
const lims_keys_t *lims_keys_of(const lims_layout_t *layout, const lims_sheet_t *sheet, int from,
                                int to, int except, int until);

/* Finds the cell below a label, outside of the table, for a source of that
 * kind. Different texts below a label that is named without a number are a
 * reason. */
bool lims_keys_below(lims_found_t *found, const lims_layout_t *layout, const lims_keys_t *keys,
                     const lims_source_t *source);

/* Finds the value of a key. A key with two different values is a reason. */
bool lims_keys_find(lims_found_t *found, const lims_layout_t *layout, const lims_keys_t *keys,
                    const char *key);

/* The cells of a row joined by tabs, as expressions for whole rows see them; valid
 * until the next call. */
const char *lims_layout_line(apr_size_t *length, lims_layout_t *layout, const lims_row_t *row);

/* Whether all cells of a row are blank. */
bool lims_row_is_blank(const lims_row_t *row);

/* Whether the row has a cell in this column that is not blank. */
bool lims_cell_says(const lims_row_t *row, int column);

/* Whether a row follows the other in the sheet as a person sees it: workbooks
 * leave blank rows out. */
bool lims_row_is_next(const lims_layout_t *layout, const lims_row_t *row, const lims_row_t *next);

/* --- Several texts of one source (layout_again.c) ----------------------------- */

/* Takes a repeated value of one source. A different text is a reason, since it
 * is not declared which one counts; only remarks are joined. `what` names the
 * place, "the column \"x\"". False: the texts differ. */
bool lims_source_again(const lims_layout_t *layout, const lims_layout_scope_t *scope,
                       lims_found_t *found, const lims_found_t *again, const char *what);

/* Repetitions of a field of a message. */
typedef struct {
    char sign; /* the delimiter between them; '\0': the field has none */
    int cell;  /* the field's cell in its row, from 0 */
    lims_found_t (*field_of)(const lims_layout_t *layout, const lims_row_t *row,
                             const lims_source_t *source); /* reads the first one */
} lims_repetitions_t;

/* Takes the repetitions of the field that was found in a row: all that are not blank are
 * repeated values as above. */
void lims_source_repeated(const lims_layout_t *layout, const lims_layout_scope_t *scope,
                          lims_found_t *found, const lims_row_t *row, const lims_source_t *source,
                          const lims_repetitions_t *repetitions);

/* --- Tables (layout_table.c) --------------------------------------------------- */

/* Rows of data under a header. */
typedef struct {
    const lims_sheet_t *sheet;
    int header;     /* index of its first row, or -1 */
    int begin, end; /* the data: indexes of rows [begin, end) */
    const lims_header_t *columns;
    const lims_row_t *units; /* or NULL */
    lims_found_t block;      /* what its start captured; .text NULL: it is in none */
    const lims_keys_t *keys[2];
    const char *lacks; /* the code of an optional test without a column, or NULL */
} lims_table_t;

/* Finds the tables of the document; each block and each repeated header is a
 * table. A declared part that is missing is a reason. */
const apr_array_header_t *lims_tables_find(lims_layout_t *layout);

/* The scope of a row of a table. */
lims_layout_scope_t lims_table_scope(const lims_table_t *table, const lims_row_t *row);

/* Whether a row has the columns of its header, or without a header those of the
 * table's first row; otherwise a reason (layout_fit.c). */
bool lims_table_row_fits(lims_layout_t *layout, const lims_table_t *table, const lims_row_t *row);

/* Whether the profile names a column by its number, counted from 0 here. */
bool lims_column_is_numbered(const lims_layout_t *layout, int column);

/* Whether the table has every header that the profile names, tests included if
 * `tests`; else reasons. */
bool lims_table_complete(lims_layout_t *layout, const lims_table_t *table, bool tests);

/* The columns that a test's names head, "#2" understood: of int, or NULL. */
const apr_array_header_t *lims_test_columns(const lims_layout_t *layout,
                                            const lims_layout_scope_t *scope,
                                            const lims_test_t *test);

/* --- Names that are nearly a test's (layout_near.c) ------------------------------- */

/* Whether a name is a misspelling of a test's, `b`: one letter changed, added,
 * missing, or two swapped. Both are folded. Names with less than three letters are
 * never misspelt, and different digits make different names. */
bool lims_name_is_near(const char *a, apr_size_t a_length, const char *b, apr_size_t b_length);

/* Notes, without blocking, that the name at this place is nearly that of a test that is
 * optional and missing; once a file. */
void lims_near_note(lims_layout_t *layout, const lims_layout_scope_t *scope,
                    const lims_test_t *test, const lims_found_t *found, const char *name);

/* Checks a name and adds that note, if it is a misspelling and the profile does
 * not declare it. False: it is not. */
bool lims_near_check(lims_layout_t *layout, const lims_layout_scope_t *scope,
                     const lims_test_t *test, const lims_found_t *found, const char *name,
                     apr_size_t length);

/* Searches misspellings of a missing test among the headers of a table. */
void lims_near_header(lims_layout_t *layout, const lims_table_t *table, const lims_test_t *test);

/* Searches misspellings of a missing test among the keys of a block or sheet. */
void lims_keys_near(lims_layout_t *layout, const lims_layout_scope_t *scope,
                    const lims_test_t *test);

/* The same for the name of a group of columns that columns.test does not accept,
 * compared with the text that it would contain if written like the group `like`. */
void lims_near_group(lims_layout_t *layout, const lims_layout_scope_t *scope,
                     const lims_test_t *test, const lims_found_t *cell, const lims_found_t *like);

/* Searches misspellings of a missing test among the elements from `child` on, where the
 * step (folded) of its path is missing. */
void lims_near_child(lims_layout_t *layout, const lims_layout_scope_t *scope,
                     const lims_test_t *test, const lims_element_t *child, const char *step,
                     apr_size_t length);

/* --- Rules (rules.c and rules_*.c) ---------------------------------------------- */

/* Begins a row of the file, or the unit that the layout treats as a row. False:
 * the profile skips it. `scope` NULL: it is decided for each value. */
bool lims_rules_begin(lims_layout_t *layout, const lims_layout_scope_t *scope);

/* Ends a row; its values are taken between begin and end. */
void lims_rules_end(lims_layout_t *layout);

/* Takes a value. `test` NULL: the test that `name` names, or if that is NULL too,
 * columns.test. `value` NULL: columns.value. */
void lims_rules_value(lims_layout_t *layout, const lims_layout_scope_t *scope,
                      const lims_test_t *test, const lims_found_t *name, const lims_found_t *value);

/* Applies the rules about the whole file: replicates, duplicates, integrity. */
void lims_rules_finish(lims_layout_t *layout);

/* The state of a value while it becomes a reading. */
typedef struct {
    lims_layout_t *layout;
    const lims_layout_scope_t *scope;
    const lims_test_t *test;
    lims_found_t found[LIMS_COLUMN_COUNT];
    lims_reading_t reading;
    bool skipped; /* the value must not be taken */
} lims_cell_value_t;

/* Whether a condition's bounds hold for a text; false with a reason for one that
 * is no number (rules_compare.c). */
bool lims_rules_compare(const lims_layout_t *layout, const lims_layout_scope_t *scope,
                        const lims_condition_t *condition, const lims_found_t *found);

/* Reads the time of the analysis. Where the profile's formats allow several
 * times, the decision is left to lims_times_decide(), which knows all times of
 * the file (rules_time.c). */
void lims_time_read(lims_cell_value_t *value);

/* Decides, after all rows were read, which of the formats the file's times have. */
void lims_times_decide(lims_layout_t *layout);

/* Reads result, unit, qualifier and dilution of a value (rules_value.c). */
void lims_value_read(lims_cell_value_t *value);

/* Whether the value's cell is blank, or has a token that says the same. */
bool lims_value_is_blank(const lims_cell_value_t *value);

/* Compares the unit with the test's, and converts the value (rules_unit.c).
 * `number` is canonical. NULL: refused. */
const char *lims_value_convert(lims_cell_value_t *value, const char *number, bool percent);

/* Finds the control rule that applies to the value, with its numbers in the
 * unit of the value's test; NULL: the value is of a sample
 * (rules_controls.c). */
const lims_control_t *lims_control_in_unit(lims_cell_value_t *value);

/* Resolves several values of one sample and test (rules_replicates.c). */
void lims_replicates_resolve(lims_layout_t *layout);

/* Checks that the file is complete (rules_integrity.c). */
void lims_integrity_check(lims_layout_t *layout);

/* --- Reasons (reason.c) --------------------------------------------------------- */

/* Adds a reason at a place. `expected` may be NULL, `message` is a format. */
void lims_layout_reason(const lims_layout_t *layout, const lims_layout_scope_t *scope,
                        lims_reason_e code, bool blocking, const lims_found_t *found,
                        const char *expected, const char *message, ...)
    __attribute__((format(printf, 7, 8)));

/* The same for a reason that says itself which record or which value it is about. */
void lims_layout_add_reason(const lims_layout_t *layout, const lims_layout_scope_t *scope,
                            lims_reason_t reason, const lims_found_t *found);

/* The row of a value's cell; without one, of the row or the line that is read. */
int lims_value_row(const lims_cell_value_t *value);

/* Adds a blocking reason about a value. */
void lims_value_refuse(lims_cell_value_t *value, lims_reason_e code, lims_column_e column,
                       const char *expected, const char *message, ...)
    __attribute__((format(printf, 5, 6)));

/* --- Layouts -------------------------------------------------------------------- */

/* Reads tables with a row for each result. */
void lims_layout_long(lims_layout_t *layout);

/* Reads tables with a row for each sample and a column for each test. */
void lims_layout_wide(lims_layout_t *layout);

/* Reads tables with a group of columns for each test, under two header rows. */
void lims_layout_grouped(lims_layout_t *layout);

/* Reads tables with a row for each test and a column for each sample. */
void lims_layout_transposed(lims_layout_t *layout);

/* A table of layout transposed in which each sample has several columns. `labels`:
 * its rows by their labels (layout_transposed_groups.c). */
void lims_layout_sample_groups(lims_layout_t *layout, const lims_table_t *table,
                               apr_hash_t *labels);

/* Whether a row has a label that the profile names as a key (layout_transposed.c). */
bool lims_layout_is_key(const lims_profile_t *profile, const char *label);

/* Reads reports of pairs "key: value", a block for each sample. */
void lims_layout_keyvalue(lims_layout_t *layout);

/* Reads plates: a value in each well, and the map of their samples, if there is one. */
void lims_layout_matrix(lims_layout_t *layout);

/* Reads messages of ASTM E1394. */
void lims_layout_astm(lims_layout_t *layout);

/* Reads messages of HL7 version 2. */
void lims_layout_hl7(lims_layout_t *layout);

/* Reads the elements of an XML or JSON document. */
void lims_layout_xml(lims_layout_t *layout);

#endif /* LIMS_PROFILES_LAYOUT_H */
