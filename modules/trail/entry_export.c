/* SPDX-License-Identifier: Apache-2.0 */
/* entry_export.c - writes signed files of the trail's entries, and checks them. */
#include "trail/entry_export.h"

#include <apr_strings.h>
#include <string.h>

#include "database/database.h"
#include "kernel/error.h"
#include "kernel/field.h"
#include "service/csv.h"
#include "service/service.h"
#include "service/spool.h"
#include "trail/signed_lines.h"

/* Subject of the signature, before the organization: "lims-audit-entries-1:7". */
#define SUBJECT "lims-audit-entries-1:"

typedef struct {
    lims_request_t *rq;
    lims_spool_t *spool;
    lims_csv_t *csv; /* NULL: lines of JSON */
    lims_signed_lines_t *lines;
} export_t;

/* --- Writing ---------------------------------------------------------------- */

static void see(void *watcher, const char *bytes, apr_size_t length)
{
    lims_signed_lines_add(watcher, bytes, length);
}

static const lims_error_t *check_number(const lims_request_t *rq, const lims_result_t *row)
{
    return lims_result_true(row, 0, "tooMany")
               ? lims_client_error(rq->pool, LIMS_E_INVALID_QUERY,
                                   "There are more than 50,000 entries: ask for a shorter period.")
               : NULL;
}

static const lims_error_t *add_row(void *taker, const lims_result_t *row)
{
    export_t *out = taker;
    const lims_error_t *error = check_number(out->rq, row);
    const char *line;

    if (error || out->csv) {
        return error ? error : lims_csv_row(out->csv, row);
    }
    line = lims_result_get(row, 0, "line");
    error = lims_spool_write(out->spool, line, strlen(line));
    return error ? error : lims_spool_write(out->spool, "\n", 1);
}

/* Appends the last line, which signs those before it. */
static const lims_error_t *sign(export_t *out)
{
    const lims_request_t *rq = out->rq;
    apr_array_header_t *cell = apr_array_make(rq->pool, 512, sizeof(char));
    lims_signed_t said;
    const char *last = lims_signed_lines_end(
        &said, out->lines, apr_pstrcat(rq->pool, SUBJECT, rq->actor.organization, NULL),
        rq->keyring, rq->pool);

    if (!last) {
        return lims_no_digest(rq->pool);
    }
    if (!out->csv) {
        return lims_spool_write(out->spool, last, strlen(last));
    }
    lims_csv_cell(cell, apr_pstrmemdup(rq->pool, last, strlen(last) - 1));
    APR_ARRAY_PUSH(cell, char) = '\r';
    APR_ARRAY_PUSH(cell, char) = '\n';
    return lims_spool_write(out->spool, cell->elts, (apr_size_t)cell->nelts);
}

static const lims_error_t *begin(export_t *out, const lims_field_t *columns)
{
    const lims_error_t *error;

    out->lines = lims_signed_lines_begin(out->rq->pool);
    if (strcmp(lims_values_get(out->rq->values, "format"), "csv") == 0) {
        error = lims_csv_begin(&out->csv, out->rq, columns, 0, "audit-trail.csv");
        out->spool = error ? NULL : lims_csv_spool(out->csv);
    } else {
        error = lims_spool_open(&out->spool, "audit-trail.jsonl", out->rq->pool);
    }
    if (!error) {
        lims_spool_watch(out->spool, see, out->lines);
    }
    return error;
}

const lims_error_t *lims_entry_export(lims_request_t *rq, const lims_field_t *columns)
{
    export_t out = { .rq = rq };
    lims_call_t call = { .each = add_row, .taker = &out };
    lims_result_t *rest = NULL;
    const lims_error_t *error = begin(&out, columns);

    if (!error) {
        call.statement = out.csv ? LIMS_STMT_AUDIT_ENTRY_LINES : LIMS_STMT_AUDIT_ENTRY_DOCUMENTS;
        error = lims_service_read(&rest, rq, &call, 1);
    }
    if (!error && out.csv) {
        error = lims_csv_head(out.csv, rest);
    }
    if (!error) {
        error = sign(&out);
    }
    return error ? error : lims_spool_answer(rq->reply, out.spool);
}

/* --- Checking --------------------------------------------------------------- */

static const lims_error_t *refuse(const lims_request_t *rq, const char *why)
{
    return lims_client_error(rq->pool, LIMS_E_BAD_REQUEST, "The file cannot be relied on: %s.",
                             why);
}

/* Returns the last line without its end, and of CSV its only cell without quotes; where it has
 * others, nothing. NULL: it goes on behind its end. */
static const char *last_line(const char *begin, apr_pool_t *pool)
{
    char *line = apr_pstrdup(pool, begin), *to = line;
    char *end = line + strcspn(line, "\r\n");
    const char *from = line + 1;

    if (*end && strcmp(end, "\n") != 0 && strcmp(end, "\r\n") != 0) {
        return NULL;
    }
    *end = '\0';
    if (*line != '"') {
        return line;
    }
    for (; *from && (*from != '"' || from[1] == '"'); from++) {
        from += *from == '"' ? 1 : 0;
        *to++ = *from;
    }
    *to = '\0';
    return strcmp(from, "\"") == 0 ? line : "";
}

const lims_error_t *lims_entry_export_check(const char **key_id, lims_request_t *rq,
                                            const char *text)
{
    const char *end = text + strlen(text), *begin = end;
    lims_signed_lines_t *lines = lims_signed_lines_begin(rq->pool);
    const char *last, *problem;
    lims_signed_t said;

    while (begin > text && (begin == end || begin[-1] != '\n')) {
        begin--;
    }
    last = last_line(begin, rq->pool);
    if (!last) {
        return refuse(rq, "something stands behind its signature");
    }
    lims_signed_lines_add(lines, text, (apr_size_t)(begin - text));
    problem = lims_signed_lines_check(&said, lines, last, strlen(last), rq->keyring, rq->pool);
    if (problem) {
        return refuse(rq, problem);
    }
    if (strcmp(said.subject, apr_pstrcat(rq->pool, SUBJECT, rq->actor.organization, NULL)) != 0) {
        return refuse(rq, "it is no export of this organization's audit trail");
    }
    *key_id = said.key_id;
    return NULL;
}
