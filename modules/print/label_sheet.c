/* SPDX-License-Identifier: Apache-2.0 */
/* label_sheet.c - sheets of labels: a code in bars or modules, and in text. */
#include <apr_strings.h>
#include <math.h>
#include <string.h>

#include "kernel/error.h"
#include "print/job.h"
#include "print/members.h"
#include "print/symbol.h"

/* Bounds of a sheet's lengths in millimetres, and of its labels. */
#define PAGE_MAX 1000.0
#define LABEL_MIN 8.0
#define CELLS_MAX 60
#define LABELS_MAX 2000

/* Space inside of a label, and between its parts. */
#define INSET (1.5 * LIMS_MM)
#define GAP (1.2 * LIMS_MM)

/* Width of a module that printers and readers manage: of bars, of a matrix. */
#define BAR_MIN (0.19 * LIMS_MM)
#define BAR_MAX (0.5 * LIMS_MM)
#define MODULE_MIN (0.24 * LIMS_MM)
#define MODULE_MAX (0.7 * LIMS_MM)

/* Modules that stay white beside bars, and around a matrix. */
#define BAR_QUIET 10
#define MATRIX_QUIET 2

typedef struct {
    const char *code, *title;
    const char **lines;         /* NULL at the end */
    lims_symbol_t bars, matrix; /* .rows 0: without */
} label_t;

typedef struct {
    double page_width, page_height, width, height, left, top, gap_x, gap_y; /* points */
    int columns, rows, skip;
    const label_t *labels;
    int count;
} sheet_t;

/* --- Drawing ---------------------------------------------------------------- */

/* Returns how high the bars of a label are. */
static double bars_height(const label_t *label, double height)
{
    return label->bars.rows > 0 ? fmax(0.32 * height, 5 * LIMS_MM) : 0;
}

/* Returns how wide a module of the matrix is that stands above the bars. */
static double matrix_module(const label_t *label, double width, double height)
{
    int modules = label->matrix.rows + 2 * MATRIX_QUIET;

    return fmin(fmin(width, height - bars_height(label, height)) / modules, MODULE_MAX);
}

/* Draws the matrix at the left of a label; returns the width that it takes. */
static double draw_matrix(lims_paper_t *paper, const label_t *label, double x, double module)
{
    double side = module * label->matrix.rows;

    if (label->matrix.rows == 0) {
        return 0;
    }
    lims_symbol_draw(paper, &label->matrix, x + MATRIX_QUIET * module, MATRIX_QUIET * module, side,
                     side);
    return (label->matrix.rows + 2 * MATRIX_QUIET) * module;
}

/* Draws the bars at the bottom of a label and returns how high they are; none when they
 * would be too narrow to be read. */
static double draw_bars(lims_paper_t *paper, const label_t *label, double x, double width,
                        double height)
{
    int modules = label->bars.columns + 2 * BAR_QUIET;
    double module = fmin(width / modules, BAR_MAX), high = bars_height(label, height);

    if (label->bars.rows == 0) {
        return 0;
    }
    lims_symbol_draw(paper, &label->bars, x + BAR_QUIET * module, height - high,
                     label->bars.columns * module, high);
    return high;
}

/* Draws the lines of a text that there is room for; a code or name that is not whole ends
 * with an ellipsis, lest it be read as another. A column with no room for two wide letters
 * stays empty: beside a matrix that fills the label its text would stand on the next one. */
static double draw_text(lims_paper_t *paper, lims_type_style_e style, double x, double dy,
                        double width, double room, const char *text)
{
    int fit = (int)((room - dy) / lims_styles[style].leading + 0.05);
    lims_set_text_t set;

    if (!*text || fit < 1 || width < 2 * lims_styles[style].size) {
        return dy;
    }
    set = lims_text_set(paper, style, width, text, strlen(text));
    lims_text_shorten(&set, fit);
    lims_text_draw(paper, &set, 0, set.lines, x, dy, LIMS_ALIGN_START);
    dy += set.lines * set.style->leading;
    lims_text_drop(&set);
    return dy;
}

static void draw_label(lims_paper_t *paper, const sheet_t *sheet, const label_t *label, double x)
{
    double height = sheet->height - 2 * INSET, left = x + INSET, width = sheet->width - 2 * INSET;
    double dy = 0, room, matrix;

    paper->y += INSET;
    lims_tag_open(paper, "P");
    room = height - draw_bars(paper, label, left, width, height);
    matrix = draw_matrix(paper, label, left, matrix_module(label, width, height));
    left += matrix > 0 ? matrix + GAP : 0;
    width -= matrix > 0 ? matrix + GAP : 0;
    dy = draw_text(paper, LIMS_STYLE_CELL_CODE, left, dy, width, room, label->code);
    dy = draw_text(paper, LIMS_STYLE_CELL_STRONG, left, dy, width, room, label->title);
    for (const char **line = label->lines; *line; line++) {
        dy = draw_text(paper, LIMS_STYLE_LABEL_TEXT, left, dy, width, room, *line);
    }
    lims_tag_close(paper, "P");
}

static void no_frame(lims_paper_t *paper, const void *baton)
{
    (void)paper;
    (void)baton;
}

static void set_labels(lims_paper_t *paper, const void *baton)
{
    const sheet_t *sheet = baton;
    int cells = sheet->columns * sheet->rows;

    for (int i = 0; i < sheet->count && !paper->error; i++) {
        int cell = (sheet->skip + i) % cells;

        if (i > 0 && cell == 0) {
            lims_paper_break(paper);
        }
        paper->y = sheet->top + (cell / sheet->columns) * (sheet->height + sheet->gap_y);
        draw_label(paper, sheet, &sheet->labels[i],
                   sheet->left + (cell % sheet->columns) * (sheet->width + sheet->gap_x));
    }
}

/* --- Reading ---------------------------------------------------------------- */

static const lims_error_t *refuse(const char *why, apr_pool_t *pool)
{
    return lims_client_error(pool, LIMS_E_INVALID_BODY, "The labels cannot be set: %s", why);
}

static const lims_error_t *read_sheet(sheet_t *sheet, const lims_json_t *job, apr_pool_t *pool)
{
    const lims_json_t *object = lims_json_member(job, "sheet");
    double columns = lims_member_number(object, "columns", 1);
    double rows = lims_member_number(object, "rows", 1);
    double skip = lims_member_number(job, "skip", 0);

    *sheet = (sheet_t){
        .page_width = LIMS_MM * lims_member_number(object, "pageWidth", 0),
        .page_height = LIMS_MM * lims_member_number(object, "pageHeight", 0),
        .width = LIMS_MM * lims_member_number(object, "labelWidth", 0),
        .height = LIMS_MM * lims_member_number(object, "labelHeight", 0),
        .left = LIMS_MM * lims_member_number(object, "marginLeft", 0),
        .top = LIMS_MM * lims_member_number(object, "marginTop", 0),
        .gap_x = LIMS_MM * lims_member_number(object, "gapX", 0),
        .gap_y = LIMS_MM * lims_member_number(object, "gapY", 0),
    };
    if (!(columns >= 1 && columns <= CELLS_MAX && rows >= 1 && rows <= CELLS_MAX)) {
        return refuse("a sheet has 1 to 60 columns and rows", pool);
    }
    sheet->columns = (int)columns;
    sheet->rows = (int)rows;
    if (!(skip >= 0 && skip < sheet->columns * sheet->rows)) {
        return refuse("fewer places are skipped than a sheet has", pool);
    }
    sheet->skip = (int)skip;
    if (!(sheet->width >= LABEL_MIN * LIMS_MM && sheet->height >= LABEL_MIN * LIMS_MM &&
          sheet->page_width <= PAGE_MAX * LIMS_MM && sheet->page_height <= PAGE_MAX * LIMS_MM &&
          sheet->left >= 0 && sheet->top >= 0 && sheet->gap_x >= 0 && sheet->gap_y >= 0)) {
        return refuse("a label is at least 8 mm, a page at most 1,000 mm, no length negative",
                      pool);
    }
    if (sheet->left + columns * sheet->width + (columns - 1) * sheet->gap_x >
            sheet->page_width + 0.1 ||
        sheet->top + rows * sheet->height + (rows - 1) * sheet->gap_y > sheet->page_height + 0.1) {
        return refuse("the labels do not fit on the page", pool);
    }
    return NULL;
}

static const char **read_lines(const lims_json_t *label, apr_pool_t *pool)
{
    const lims_json_t *line = lims_member_list(label, "lines");
    const char **lines =
        apr_pcalloc(pool, sizeof(*lines) * (apr_size_t)(lims_member_count(label, "lines") + 1));

    for (int i = 0; line; line = line->next) {
        lines[i++] = lims_value_text(line, true, pool);
    }
    return lines;
}

static const lims_error_t *refuse_code(const char *code, const char *why, apr_pool_t *pool)
{
    return refuse(apr_pstrcat(pool, why, lims_excerpt(code, pool),
                              " would be too narrow to be read on labels of this size", NULL),
                  pool);
}

/* Encodes a code in the symbols of a label, without regard to their size. */
static const lims_error_t *encode(label_t *label, const char *symbology, const char *code,
                                  apr_pool_t *pool)
{
    bool matrix = strcmp(symbology, "datamatrix") == 0, bars = strcmp(symbology, "code128") == 0;
    bool both = strcmp(symbology, "both") == 0 || strcmp(symbology, "fitting") == 0;
    const lims_error_t *error = NULL;

    if (!matrix && !bars && !both) {
        return refuse("a symbology is code128, datamatrix, both or fitting", pool);
    }
    if (both || matrix) {
        error = lims_symbol_make(&label->matrix, LIMS_SYMBOL_DATAMATRIX, code, pool);
    }
    if (!error && (both || bars)) {
        error = lims_symbol_make(&label->bars, LIMS_SYMBOL_CODE128, code, pool);
    }
    return error;
}

static bool bars_narrow(const label_t *label, double width)
{
    return label->bars.rows > 0 && width / (label->bars.columns + 2 * BAR_QUIET) < BAR_MIN;
}

static bool modules_narrow(const label_t *label, double width, double height)
{
    return label->matrix.rows > 0 && matrix_module(label, width, height) < MODULE_MIN;
}

/* Encodes the code of a label, in symbols that can be read from it. */
static const lims_error_t *fit(label_t *label, const sheet_t *sheet, const char *symbology,
                               const char *code, apr_pool_t *pool)
{
    double width = sheet->width - 2 * INSET, height = sheet->height - 2 * INSET;
    const lims_error_t *error = encode(label, symbology, code, pool);

    if (error) {
        return error;
    }
    if (strcmp(symbology, "fitting") == 0 &&
        (bars_narrow(label, width) || modules_narrow(label, width, height))) {
        label->bars = (lims_symbol_t){ 0 };
    }
    if (bars_narrow(label, width)) {
        return refuse_code(code, "the bars of ", pool);
    }
    return modules_narrow(label, width, height) ? refuse_code(code, "the modules of ", pool) : NULL;
}

static const lims_error_t *read_labels(sheet_t *sheet, const lims_json_t *job, apr_pool_t *pool)
{
    const lims_json_t *value = lims_member_list(job, "labels");
    int count = lims_member_count(job, "labels");
    label_t *labels;
    const lims_error_t *error = NULL;

    if (count < 1 || count > LABELS_MAX) {
        return refuse("a job has 1 to 2,000 labels", pool);
    }
    labels = apr_pcalloc(pool, sizeof(*labels) * (apr_size_t)count);
    for (; value && !error; value = value->next) {
        label_t *label = &labels[sheet->count++];
        const char *symbology = lims_member_raw(value, "symbology");
        const char *code = lims_member_raw(value, "code");

        label->code = lims_member_line(value, "code", pool);
        label->title = lims_member_line(value, "title", pool);
        label->lines = read_lines(value, pool);
        error = fit(label, sheet, symbology ? symbology : "code128", code ? code : "", pool);
    }
    sheet->labels = labels;
    return error;
}

const lims_error_t *lims_label_document(lims_print_document_t *document, const lims_json_t *job,
                                        lims_fonts_t *fonts, apr_pool_t *pool)
{
    sheet_t *sheet = apr_pcalloc(pool, sizeof(*sheet));
    const lims_error_t *error = read_sheet(sheet, job, pool);

    (void)fonts;
    if (!error) {
        error = read_labels(sheet, job, pool);
    }
    document->title = "Labels";
    document->width = sheet->page_width;
    document->height = sheet->page_height;
    document->without_margins = true;
    document->made_at = lims_member_raw(job, "madeAt");
    document->parts = apr_pcalloc(pool, sizeof(*document->parts));
    *document->parts = (lims_print_part_t){
        .frame = { .head = no_frame, .foot = no_frame },
        .set = set_labels,
        .baton = sheet,
    };
    return error;
}
