/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table_columns.c - widths of columns by what stands in them: each as wide as its widest
 * text where all fit, else the wide ones give way together, down to their widest word.
 */
#include "print/table_columns.h"

#include <string.h>

/* No column asks for more, nor insists on more. */
#define WISH_MAX 260.0
#define INSIST_MAX 96.0

typedef struct {
    double wish;   /* width of the widest text */
    double insist; /* width of the widest word */
    double point;  /* of decimals: in front of, */
    double behind; /* and from the decimal point on */
} need_t;

lims_type_style_e lims_cell_style(const lims_table_column_t *column, const lims_table_cell_t *cell)
{
    if (column->kind == LIMS_COLUMN_CODE) {
        return LIMS_STYLE_CELL_CODE;
    }
    return cell->strong ? LIMS_STYLE_CELL_STRONG : LIMS_STYLE_CELL;
}

apr_size_t lims_whole_part(const char *text)
{
    return strcspn(text, ".,");
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static void weigh_cell(need_t *need, const lims_fonts_t *fonts, const lims_table_column_t *column,
                       const lims_table_cell_t *cell)
{
    lims_type_style_e style = lims_cell_style(column, cell);
    double shape = cell->shape == LIMS_SHAPE_NONE ? 0 : LIMS_SHAPE_ROOM;
    apr_size_t length = strlen(cell->text);
    double width = shape + lims_fonts_estimate(fonts, style, cell->text, length);

    need->wish = larger(need->wish, width);
    need->insist = larger(need->insist, shape + lims_fonts_widest_word(fonts, style, cell->text));
    if (column->kind == LIMS_COLUMN_DECIMAL) {
        double whole = lims_fonts_estimate(fonts, style, cell->text, lims_whole_part(cell->text));

        need->point = larger(need->point, whole);
        need->behind = larger(need->behind, width - whole);
    }
}

static void weigh(need_t *needs, const lims_paper_t *paper, const lims_print_table_t *table)
{
    for (int i = 0; i < table->column_count; i++) {
        const char *title = table->columns[i].title;

        needs[i].wish =
            lims_fonts_estimate(paper->fonts, LIMS_STYLE_CELL_HEAD, title, strlen(title));
        needs[i].insist = lims_fonts_widest_word(paper->fonts, LIMS_STYLE_CELL_HEAD, title);
    }
    for (int row = 0; row < table->row_count; row++) {
        for (int i = 0; i < table->column_count; i++) {
            weigh_cell(&needs[i], paper->fonts, &table->columns[i], &table->rows[row].cells[i]);
        }
    }
    for (int i = 0; i < table->column_count; i++) {
        needs[i].wish = larger(needs[i].wish, needs[i].point + needs[i].behind) + 0.5;
        needs[i].wish = needs[i].wish > WISH_MAX ? WISH_MAX : needs[i].wish;
        needs[i].insist = larger(needs[i].insist, needs[i].point + needs[i].behind) + 0.5;
        needs[i].insist = needs[i].insist > INSIST_MAX ? INSIST_MAX : needs[i].insist;
    }
}

/* Returns the sum of widths when no column gets more than `cap` but what it insists on. */
static double sum_at(const need_t *needs, int count, double cap)
{
    double sum = 0;

    for (int i = 0; i < count; i++) {
        sum += larger(needs[i].insist, needs[i].wish > cap ? cap : needs[i].wish);
    }
    return sum;
}

/* Returns the largest cap with which all columns fit. */
static double fitting_cap(const need_t *needs, int count, double room)
{
    double low = 0, high = WISH_MAX;

    for (int step = 0; step < 24; step++) {
        double middle = (low + high) / 2;

        if (sum_at(needs, count, middle) <= room) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

void lims_table_places(lims_place_t *places, const lims_paper_t *paper,
                       const lims_print_table_t *table)
{
    int count = table->column_count;
    double room = paper->right - paper->left - (count - 1) * LIMS_COLUMN_GAP;
    need_t needs[LIMS_TABLE_COLUMNS_MAX] = { { 0 } };
    double cap, sum, x = paper->left, spread;

    weigh(needs, paper, table);
    cap = fitting_cap(needs, count, room);
    sum = sum_at(needs, count, cap);
    /* Room that is left widens the gaps; room that is missing is taken from all alike. */
    spread = sum < room && count > 1 ? (room - sum) / (count - 1) : 0;
    for (int i = 0; i < count; i++) {
        double width = larger(needs[i].insist, needs[i].wish > cap ? cap : needs[i].wish);

        width = sum > room ? width * room / sum : width;
        /* One long text would move the numbers beside it into the next columns. */
        places[i] = (lims_place_t){
            .x = x,
            .width = width,
            .point = needs[i].point + needs[i].behind <= width ? needs[i].point : -1,
        };
        x += width + LIMS_COLUMN_GAP + spread;
    }
}
