/* SPDX-License-Identifier: Apache-2.0 */
/* layout_again.c - several texts of one source: they must be equal, and remarks are joined. */
#include "profiles/layout.h"

#include <apr_strings.h>
#include <string.h>

/* Length from which no further remark is joined, bytes: the record keeps the first 4,000
 * characters. */
#define REMARK_MAX 16000

/* Returns the text of a place; a cell is trimmed once, however many others it is compared
 * with. */
static const char *text_of(lims_found_t *found, apr_pool_t *pool)
{
    if (!found->text && found->raw) {
        found->text = lims_found_text(found->raw, 0, 0, pool).text;
    }
    return found->text ? found->text : "";
}

/* Joins a further remark to a text, in an array that grows: there may be thousands. */
static void join_remark(lims_found_t *found, const char *second, apr_pool_t *pool)
{
    const char *first = found->text;

    if (!found->joined || first != found->joined->elts) {
        found->joined = apr_array_make(pool, 64, sizeof(char));
        lims_text_append(found->joined, first, (int)strlen(first));
    }
    if (found->joined->nelts <= REMARK_MAX) {
        lims_text_append(found->joined, "; ", 2);
        lims_text_append(found->joined, second, (int)strlen(second) + 1);
        found->joined->nelts--; /* the next one begins at the NUL */
    }
    found->text = found->joined->elts;
}

bool lims_source_again(const lims_layout_t *layout, const lims_layout_scope_t *scope,
                       lims_found_t *found, const lims_found_t *again, const char *what)
{
    lims_found_t other = *again;
    const char *first = text_of(found, layout->pool), *second = text_of(&other, layout->pool);

    if (strcmp(first, second) == 0) {
        return true;
    }
    if (!layout->remark) {
        lims_layout_reason(layout, scope, LIMS_REASON_STRUCTURE_MISMATCH, true, again, first,
                           "There is more than one value of %s, \"%s\" and \"%s\": which of them "
                           "counts, the profile does not say.",
                           what, first, second);
        return false;
    }
    if (*first == '\0') {
        found->text = second;
    } else if (*second) {
        join_remark(found, second, layout->pool);
    }
    return true;
}

/* A field may have thousands of repetitions: each takes the place of the first in the same
 * copy of the row. */
void lims_source_repeated(const lims_layout_t *layout, const lims_layout_scope_t *scope,
                          lims_found_t *found, const lims_row_t *row, const lims_source_t *source,
                          const lims_repetitions_t *repetitions)
{
    const lims_cell_t *cell = lims_row_cell(row, repetitions->cell);
    const char sign = repetitions->sign, *end = cell->text + cell->length, *what;
    const char *at = sign ? memchr(cell->text, sign, cell->length) : NULL;
    lims_row_t copy = *row;
    lims_cell_t *cells;

    if (!at) {
        return;
    }
    what = apr_psprintf(layout->pool, "%s-%d", source->field.record, source->field.number);
    cells = apr_pmemdup(layout->pool, row->cells, (apr_size_t)row->count * sizeof(*cells));
    copy.cells = cells;
    for (; at; at = memchr(at, sign, (apr_size_t)(end - at))) {
        lims_found_t again;

        at++;
        cells[repetitions->cell].text = at;
        cells[repetitions->cell].length = (apr_uint16_t)(end - at);
        again = repetitions->field_of(layout, &copy, source);
        again.raw = found->raw;
        again.cell = found->cell;
        /* One without a text has several components with a value, of which none was named. */
        if ((!again.text || *again.text) &&
            !lims_source_again(layout, scope, found, &again, what)) {
            return;
        }
    }
}
