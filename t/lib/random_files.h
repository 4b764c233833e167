/* SPDX-License-Identifier: Apache-2.0 */
/*
 * random_files.h - makes files of instruments at random, one for each layout, each with a
 * profile that reads it and what has to be read.
 */
#ifndef LIMS_RANDOM_FILES_H
#define LIMS_RANDOM_FILES_H

#include <apr_strings.h>
#include <apr_tables.h>
#include <string.h>

#include "lims.h"

#define SAMPLES_MAX 4
#define TESTS_MAX 3

static apr_pool_t *pool;        /* of a file and all that is made of it */
static unsigned long long seed; /* xorshift */

static int chance(int below)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (int)(seed % (unsigned)below);
}

/* --- Files ---------------------------------------------------------------------------- */

typedef enum { ENDS_NOT, ENDS_LINE, ENDS } ends_e;

/* A cell that names something, and the class of such names. */
typedef struct {
    int row, column, class;
    const char *blank; /* what stands there when it is blank */
} named_t;

typedef struct {
    const char *name, *profile;
    apr_array_header_t *rows;     /* of apr_array_header_t * of const char * */
    const char *between, *break_; /* cells, lines */
    apr_array_header_t *keys;     /* of named_t */
    apr_array_header_t *expected; /* of const char *: "S1 T1=5.10" */
    int from, to;                 /* rows whose cells are damaged */
    ends_e ends;                  /* a cut can be seen: never, within a line, always */
    bool workbook;                /* cells have places of their own: none moves */
    bool page;                    /* a web page, with one table */
    bool tagged;                  /* a cell more is another value of the same name */
    int samples, tests;
} file_t;

static apr_array_header_t *row_at(const file_t *file, int i)
{
    return APR_ARRAY_IDX(file->rows, i, apr_array_header_t *);
}

static apr_array_header_t *new_row(file_t *file)
{
    apr_array_header_t *row = apr_array_make(pool, 8, sizeof(const char *));

    APR_ARRAY_PUSH(file->rows, apr_array_header_t *) = row;
    return row;
}

static void put(file_t *file, const char *text)
{
    APR_ARRAY_PUSH(row_at(file, file->rows->nelts - 1), const char *) = text;
}

static void put_key(file_t *file, int class, const char *text, const char *blank)
{
    named_t *key = apr_array_push(file->keys);

    *key = (named_t){ .row = file->rows->nelts - 1,
                      .column = row_at(file, file->rows->nelts - 1)->nelts,
                      .class = class,
                      .blank = blank };
    put(file, text);
}

static const char *sample(int i)
{
    return apr_psprintf(pool, "S-%d", i + 1);
}

static const char *test(int i)
{
    static const char *const names[TESTS_MAX] = { "Fe", "Pb", "NO3" };

    return names[i];
}

/* A value that no other cell of the file has, and what is expected of it. */
static const char *value(file_t *file, int i, int j)
{
    const char *text = apr_psprintf(pool, "%d.%0*d", 100 + file->expected->nelts * 3 + chance(3),
                                    1 + chance(3), 1 + chance(9));

    APR_ARRAY_PUSH(file->expected, const char *) =
        apr_pstrcat(pool, sample(i), " ", test(j), "=", text, NULL);
    return text;
}

static const char *tests_json(const file_t *file)
{
    const char *list = "";

    for (int i = 0; i < file->tests; i++) {
        list = apr_psprintf(pool, "%s%s{'name': '%s', 'testCode': '%s'}", list, i ? ", " : "",
                            test(i), test(i));
    }
    return apr_pstrcat(pool, "'tests': [", list, "]", NULL);
}

/* How such a file says that it ends, if it does. */
static const char *end_json(file_t *file)
{
    static const char *const integrity[] = { "", "'integrity': {'lineBreak': true},",
                                             "'integrity': {'end': '^END$'}," };

    file->ends = (ends_e)chance(3);
    return integrity[file->ends];
}

static const char *delimiter_json(file_t *file)
{
    static const char *const signs[][2] = { { ",", "," }, { ";", ";" }, { "\t", "tab" } };
    int i = chance(3);

    file->between = signs[i][0];
    return apr_psprintf(pool, "'dialect': {'delimiter': '%s'},", signs[i][1]);
}

/* A profile of a table in a text or a workbook. */
static void set_table(file_t *file, const char *layout, const char *table, const char *columns)
{
    const char *integrity = file->workbook || file->page ? "" : end_json(file);
    const char *dialect = file->workbook || file->page ? "" : delimiter_json(file);

    file->ends = *integrity || *dialect ? file->ends : ENDS;
    file->between = file->page ? "</td><td>" : file->between;
    file->profile = apr_psprintf(
        pool,
        "{'code': 'c', 'name': 'n', 'layout': '%s', 'match': {'container': '%s',"
        " 'lines': [{'regex': '.'}]}, %s %s 'table': {'end': {'row': '^END'}%s}, %s %s}",
        layout,
        file->page       ? "html"
        : file->workbook ? "xlsx"
                         : "text",
        dialect, integrity, table, columns, tests_json(file));
}

/* --- Layouts -------------------------------------------------------------------------- */

enum { SAMPLE, TEST, LABEL };

static void make_wide(file_t *file)
{
    set_table(file, "wide", ", 'header': {'find': ['Sample']}",
              "'columns': {'trackingId': 'Sample', 'operator': 'By'},");
    new_row(file);
    put_key(file, TEST, "Sample", "");
    put_key(file, TEST, "By", "");
    for (int j = 0; j < file->tests; j++) {
        put_key(file, TEST, test(j), "");
    }
    for (int i = 0; i < file->samples; i++) {
        new_row(file);
        put_key(file, SAMPLE, sample(i), "");
        put(file, "me");
        for (int j = 0; j < file->tests; j++) {
            put(file, value(file, i, j));
        }
    }
}

static void make_long(file_t *file)
{
    set_table(file, "long", ", 'header': {'find': ['ID', 'Value']}",
              "'columns': {'trackingId': 'ID', 'test': 'Test', 'value': 'Value'},");
    new_row(file);
    put_key(file, LABEL, "ID", "");
    put_key(file, LABEL, "Test", "");
    put_key(file, LABEL, "Value", "");
    for (int i = 0; i < file->samples; i++) {
        for (int j = 0; j < file->tests; j++) {
            new_row(file);
            put_key(file, SAMPLE, sample(i), "");
            put_key(file, TEST, test(j), "");
            put(file, value(file, i, j));
        }
    }
}

/* Columns by their numbers: rows are held against the first. */
static void make_numbered(file_t *file)
{
    set_table(file, "long", "",
              "'columns': {'trackingId': {'index': 1}, 'test': {'index': 2},"
              " 'value': {'index': 3}},");
    for (int i = 0; i < file->samples; i++) {
        for (int j = 0; j < file->tests; j++) {
            new_row(file);
            put_key(file, SAMPLE, sample(i), "");
            put_key(file, TEST, test(j), "");
            put(file, value(file, i, j));
            put(file, "x");
        }
    }
}

static void make_grouped(file_t *file)
{
    set_table(file, "grouped", ", 'header': {'find': ['ID', 'Conc'], 'rows': 2}",
              "'columns': {'trackingId': 'ID', 'value': 'Conc'},");
    new_row(file);
    put(file, "Sample");
    for (int j = 0; j < file->tests; j++) {
        put_key(file, TEST, test(j), "");
        put(file, "");
    }
    new_row(file);
    put(file, "ID");
    for (int j = 0; j < file->tests; j++) {
        put_key(file, LABEL, "RT", "");
        put_key(file, LABEL, "Conc", "");
    }
    for (int i = 0; i < file->samples; i++) {
        new_row(file);
        put_key(file, SAMPLE, sample(i), "");
        for (int j = 0; j < file->tests; j++) {
            put(file, apr_psprintf(pool, "0.%d", 1 + chance(9)));
            put(file, value(file, i, j));
        }
    }
}

static void make_transposed(file_t *file)
{
    set_table(file, "transposed", ", 'header': {'find': ['Test']}",
              "'columns': {'operator': {'key': 'By'}},");
    new_row(file);
    put(file, "Test");
    for (int i = 0; i < file->samples; i++) {
        put_key(file, SAMPLE, sample(i), "");
    }
    new_row(file);
    put(file, "By");
    for (int i = 0; i < file->samples; i++) {
        put(file, "me");
    }
    for (int j = 0; j < file->tests; j++) {
        new_row(file);
        put_key(file, TEST, test(j), "");
        for (int i = 0; i < file->samples; i++) {
            put(file, value(file, i, j));
        }
    }
}

/* A group of columns for each sample: its name above them. */
static void make_sample_groups(file_t *file)
{
    set_table(file, "transposed", ", 'header': {'find': ['Test', 'Conc']}",
              "'columns': {'test': 'Test', 'value': 'Conc'},");
    new_row(file);
    put(file, "");
    for (int i = 0; i < file->samples; i++) {
        put_key(file, SAMPLE, sample(i), "");
        put(file, "");
        put(file, "");
    }
    new_row(file);
    put(file, "Test");
    for (int i = 0; i < file->samples; i++) {
        put_key(file, LABEL, "RT", "");
        put_key(file, LABEL, "Conc", "");
        put_key(file, LABEL, "Area", "");
    }
    for (int j = 0; j < file->tests; j++) {
        new_row(file);
        put_key(file, TEST, test(j), "");
        for (int i = 0; i < file->samples; i++) {
            put(file, apr_psprintf(pool, "0.%d", 1 + chance(9)));
            put(file, value(file, i, j));
            put(file, apr_psprintf(pool, "9%d", 1 + chance(9)));
        }
    }
}

/* The same with sample and column in one header. */
static void make_sample_headers(file_t *file)
{
    set_table(file, "transposed", ", 'header': {'find': ['Test'], 'group': '^(.*) (?:Conc|RT)$'}",
              "'columns': {'test': 'Test', 'value': 'Conc'},");
    new_row(file);
    put(file, "Test");
    for (int i = 0; i < file->samples; i++) {
        put_key(file, SAMPLE, apr_pstrcat(pool, sample(i), " RT", NULL), "");
        put_key(file, SAMPLE, apr_pstrcat(pool, sample(i), " Conc", NULL), "");
    }
    for (int j = 0; j < file->tests; j++) {
        new_row(file);
        put_key(file, TEST, test(j), "");
        for (int i = 0; i < file->samples; i++) {
            put(file, apr_psprintf(pool, "0.%d", 1 + chance(9)));
            put(file, value(file, i, j));
        }
    }
}

static void put_labels(file_t *file)
{
    new_row(file);
    put(file, "");
    for (int i = 0; i < file->samples; i++) {
        put_key(file, LABEL, apr_itoa(pool, i + 1), "");
    }
}

/* A plate of one test, whose samples stand in a map before it. One well is empty. */
static void make_matrix(file_t *file)
{
    static const char *const rows[] = { "A", "B", "C" };
    int lines = file->tests, samples = file->samples, empty = 1 + chance(lines * samples - 1);

    file->tests = 1;
    set_table(file, "matrix",
              ", 'section': '^Results', 'header': {'find': ['1', '2']},"
              " 'map': {'section': '^Layout'}",
              "'columns': {'trackingId': {'from': 'map'}, 'test': {'text': 'Fe'}},");
    APR_ARRAY_PUSH(new_row(file), const char *) = "Layout";
    file->from = 1;
    put_labels(file);
    for (int i = 0; i < lines; i++) {
        new_row(file);
        put_key(file, LABEL, rows[i], "");
        for (int j = 0; j < samples; j++) {
            put(file, i * samples + j == empty ? "" : sample(i * samples + j));
        }
    }
    new_row(file);
    APR_ARRAY_PUSH(new_row(file), const char *) = "Results";
    put_labels(file);
    for (int i = 0; i < lines; i++) {
        new_row(file);
        put_key(file, LABEL, rows[i], "");
        for (int j = 0; j < samples; j++) {
            put(file, i * samples + j == empty ? "" : value(file, i * samples + j, 0));
        }
    }
    file->samples = lines * samples;
}

/* A table for each test, under a line that may have its name. */
static void make_blocks(file_t *file)
{
    set_table(
        file, "long",
        ", 'header': {'find': ['ID', 'Value']}, 'block': {'start': '^Compound(?:: (\\\\S+))?'}",
        "'columns': {'trackingId': 'ID', 'test': {'from': 'block'}, 'value': 'Value'},");
    for (int j = 0; j < file->tests; j++) {
        new_row(file);
        put_key(file, TEST, apr_pstrcat(pool, "Compound: ", test(j), NULL), "Compound:");
        new_row(file);
        put(file, "ID");
        put(file, "Value");
        for (int i = 0; i < file->samples; i++) {
            new_row(file);
            put_key(file, SAMPLE, sample(i), "");
            put(file, value(file, i, j));
        }
    }
}

static void make_keyvalue(file_t *file)
{
    set_table(file, "keyvalue", ", 'block': {'start': '^Sample\\\\b'}",
              "'columns': {'trackingId': 'Sample'},");
    for (int i = 0; i < file->samples; i++) {
        new_row(file);
        put(file, "Sample");
        put_key(file, SAMPLE, sample(i), "");
        for (int j = 0; j < file->tests; j++) {
            new_row(file);
            put_key(file, TEST, test(j), "");
            put(file, value(file, i, j));
        }
    }
}

static void set_message(file_t *file, const char *layout, const char *match, const char *columns)
{
    file->between = "|";
    file->break_ = "\r";
    file->profile =
        apr_psprintf(pool, "{'code': 'c', 'name': 'n', 'layout': '%s', 'match': {%s}, %s %s}",
                     layout, match, columns, tests_json(file));
}

static void make_hl7(file_t *file)
{
    set_message(file, "hl7", "'container': 'hl7', 'messages': ['ORU^R01']",
                "'columns': {'trackingId': 'OBR-3'},");
    APR_ARRAY_PUSH(new_row(file), const char *) = "MSH|^~\\&|A|B|C|D|2026||ORU^R01|1|P|2.5";
    file->from = 1;
    file->ends = ENDS_LINE;
    for (int i = 0; i < file->samples; i++) {
        new_row(file);
        put(file, apr_psprintf(pool, "OBR|%d|", i + 1));
        put_key(file, SAMPLE, sample(i), "");
        for (int j = 0; j < file->tests; j++) {
            new_row(file);
            put(file, apr_psprintf(pool, "OBX|%d", j + 1));
            put(file, "NM");
            put_key(file, TEST, test(j), "");
            put(file, "");
            put(file, value(file, i, j));
            put(file, "||||");
            put(file, "F");
        }
    }
}

static void make_astm(file_t *file)
{
    set_message(file, "astm", "'container': 'astm', 'sender': '.'", "");
    APR_ARRAY_PUSH(new_row(file), const char *) = "H|\\^&|||D";
    file->from = 1;
    file->ends = ENDS;
    for (int i = 0; i < file->samples; i++) {
        new_row(file);
        put(file, apr_psprintf(pool, "O|%d", i + 1));
        put_key(file, SAMPLE, sample(i), "");
        for (int j = 0; j < file->tests; j++) {
            new_row(file);
            put(file, apr_psprintf(pool, "R|%d", j + 1));
            put_key(file, TEST, apr_pstrcat(pool, "^^^", test(j), NULL), "");
            put(file, value(file, i, j));
            put(file, "|||");
            put(file, "F");
        }
    }
    file->to = file->rows->nelts;
    APR_ARRAY_PUSH(new_row(file), const char *) = "L|1|N";
}

static void make_xml(file_t *file)
{
    set_message(file, "xml", "'container': 'xml', 'root': 'F'",
                "'table': {'element': '/F/S'}, 'columns': {'trackingId': '@id'},");
    file->between = "";
    file->break_ = "\n";
    file->tagged = true;
    file->ends = ENDS;
    APR_ARRAY_PUSH(new_row(file), const char *) = "<F>";
    file->from = 1;
    for (int i = 0; i < file->samples; i++) {
        new_row(file);
        put_key(file, SAMPLE, apr_psprintf(pool, "<S id='%s'>", sample(i)), "<S id=''>");
        for (int j = 0; j < file->tests; j++) {
            put(file, apr_psprintf(pool, "<%s>%s</%s>", test(j), value(file, i, j), test(j)));
        }
        put(file, "</S>");
    }
    file->to = file->rows->nelts;
    APR_ARRAY_PUSH(new_row(file), const char *) = "</F>";
}

static void make_json(file_t *file)
{
    set_message(file, "json", "'container': 'json', 'root': 'results'",
                "'table': {'element': '/results'}, 'columns': {'trackingId': 'id'},");
    file->between = "";
    file->break_ = "\n";
    file->tagged = true;
    file->ends = ENDS;
    APR_ARRAY_PUSH(new_row(file), const char *) = "{\"results\": [";
    file->from = 1;
    for (int i = 0; i < file->samples; i++) {
        new_row(file);
        put(file, i ? ", {\"n\": 0" : "{\"n\": 0");
        put_key(file, SAMPLE, apr_psprintf(pool, ", \"id\": \"%s\"", sample(i)), ", \"id\": \"\"");
        for (int j = 0; j < file->tests; j++) {
            bool list = chance(2) == 0;
            put(file, apr_psprintf(pool, list ? ", \"%s\": [%s]" : ", \"%s\": %s", test(j),
                                   value(file, i, j)));
        }
        put(file, "}");
    }
    file->to = file->rows->nelts;
    APR_ARRAY_PUSH(new_row(file), const char *) = "]}";
}

typedef enum { IN_TEXT, IN_WORKBOOK, IN_PAGE } form_e;

static const struct {
    const char *name;
    void (*make)(file_t *file);
    form_e form;
} kinds[] = {
    { "wide", make_wide, IN_TEXT },
    { "wide in a workbook", make_wide, IN_WORKBOOK },
    { "long", make_long, IN_TEXT },
    { "long in a workbook", make_long, IN_WORKBOOK },
    { "long by numbers of columns", make_numbered, IN_TEXT },
    { "grouped", make_grouped, IN_TEXT },
    { "grouped in a workbook", make_grouped, IN_WORKBOOK },
    { "transposed", make_transposed, IN_TEXT },
    { "transposed in a workbook", make_transposed, IN_WORKBOOK },
    { "matrix", make_matrix, IN_TEXT },
    { "matrix in a workbook", make_matrix, IN_WORKBOOK },
    { "blocks", make_blocks, IN_TEXT },
    { "blocks in a workbook", make_blocks, IN_WORKBOOK },
    { "keys and values", make_keyvalue, IN_TEXT },
    { "samples above columns", make_sample_groups, IN_TEXT },
    { "samples above columns, in a workbook", make_sample_groups, IN_WORKBOOK },
    { "samples in headers", make_sample_headers, IN_TEXT },
    { "samples in headers, in a workbook", make_sample_headers, IN_WORKBOOK },
    { "wide in a web page", make_wide, IN_PAGE },
    { "long in a web page", make_long, IN_PAGE },
    { "long by numbers, in a web page", make_numbered, IN_PAGE },
    { "grouped in a web page", make_grouped, IN_PAGE },
    { "transposed in a web page", make_transposed, IN_PAGE },
    { "samples above columns, in a web page", make_sample_groups, IN_PAGE },
    { "HL7", make_hl7, IN_TEXT },
    { "ASTM", make_astm, IN_TEXT },
    { "XML", make_xml, IN_TEXT },
    { "JSON", make_json, IN_TEXT },
};

static file_t make(int kind)
{
    file_t file = { .name = kinds[kind].name,
                    .rows = apr_array_make(pool, 16, sizeof(apr_array_header_t *)),
                    .keys = apr_array_make(pool, 16, sizeof(named_t)),
                    .expected = apr_array_make(pool, 16, sizeof(const char *)),
                    .break_ = chance(2) ? "\n" : "\r\n",
                    .workbook = kinds[kind].form == IN_WORKBOOK,
                    .page = kinds[kind].form == IN_PAGE,
                    .samples = 2 + chance(SAMPLES_MAX - 1),
                    .tests = 2 + chance(TESTS_MAX - 1) };

    kinds[kind].make(&file);
    file.to = file.to ? file.to : file.rows->nelts;
    if (file.ends == ENDS && strstr(file.profile, "'end': '^END$'")) {
        APR_ARRAY_PUSH(new_row(&file), const char *) = "END";
    }
    return file;
}

#endif /* LIMS_RANDOM_FILES_H */
