/* SPDX-License-Identifier: Apache-2.0 */
/* head_export.c - the heads of the chain in a signed file. */
#include "trail/head_export.h"

#include <apr_hash.h>
#include <apr_strings.h>
#include <string.h>

#include "database/database.h"
#include "kernel/error.h"
#include "kernel/field.h"
#include "kernel/writer.h"
#include "service/service.h"
#include "service/spool.h"
#include "trail/signed_lines.h"
#include "trail/trail.h"

/* Format of the file, named in its first line and by its signature. */
#define FORMAT "lims-audit-heads-1"
#define SUBJECT FORMAT ":"

/* --- Writing ---------------------------------------------------------------- */

typedef struct {
    lims_spool_t *spool;
    lims_signed_lines_t *lines;
    char last[24]; /* number of the last block */
} export_t;

static const lims_error_t *add(export_t *out, const char *text)
{
    lims_signed_lines_add(out->lines, text, strlen(text));
    return lims_spool_write(out->spool, text, strlen(text));
}

static const lims_error_t *add_block(void *taker, const lims_result_t *row)
{
    export_t *out = taker;
    const lims_error_t *error = add(out, lims_result_get(row, 0, "line"));

    apr_cpystrn(out->last, lims_result_get(row, 0, "id"), sizeof(out->last));
    return error ? error : add(out, "\n");
}

/* Returns the first line: whose heads these are. */
static const char *header_of(const lims_request_t *rq, const lims_result_t *row)
{
    lims_writer_t *w = lims_writer_create(rq->pool);
    apr_size_t length = 0;

    lims_writer_object_begin(w);
    lims_writer_key(w, "format");
    lims_writer_string(w, FORMAT);
    lims_writer_key(w, "organizationId");
    lims_writer_raw(w, rq->actor.organization);
    lims_writer_key(w, "code");
    lims_writer_string(w, lims_result_get(row, 0, "code"));
    lims_writer_key(w, "name");
    lims_writer_string(w, lims_result_get(row, 0, "name"));
    lims_writer_key(w, "exportedAt");
    lims_writer_string(w, lims_result_get(row, 0, "now"));
    lims_writer_object_end(w);
    return apr_pstrcat(rq->pool, lims_writer_finish(&length, w), "\n", NULL);
}

static const lims_error_t *sign(export_t *out, lims_request_t *rq, const char *from)
{
    lims_signed_t said;
    const char *last = lims_signed_lines_end(
        &said, out->lines,
        apr_pstrcat(rq->pool, SUBJECT, rq->actor.organization, ":", from, ":", out->last, NULL),
        rq->keyring, rq->pool);

    return last ? lims_spool_write(out->spool, last, strlen(last)) : lims_no_digest(rq->pool);
}

const lims_error_t *lims_head_export(lims_request_t *rq)
{
    export_t out = { .lines = lims_signed_lines_begin(rq->pool), .last = "0" };
    const lims_call_t begin = { .statement = LIMS_STMT_AUDIT_HEAD_EXPORT_FROM };
    const lims_call_t read = { .statement = LIMS_STMT_AUDIT_HEAD_EXPORT,
                               .each = add_block,
                               .taker = &out };
    lims_result_t *row = NULL;
    lims_result_t *rest = NULL;
    const char *from = NULL;
    const lims_error_t *error = lims_service_read(&row, rq, &begin, 1);

    if (!error) {
        from = lims_result_get(row, 0, "from");
        lims_values_set(rq->values, "from", from);
        error = lims_spool_open(
            &out.spool,
            apr_psprintf(rq->pool, "audit-heads-%s-%s.jsonl", lims_result_get(row, 0, "code"),
                         apr_pstrmemdup(rq->pool, lims_result_get(row, 0, "now"), 10)),
            rq->pool);
    }
    if (!error) {
        error = add(&out, header_of(rq, row));
    }
    if (!error) {
        error = lims_service_read(&rest, rq, &read, 1);
    }
    if (!error) {
        error = sign(&out, rq, from);
    }
    return error ? error : lims_spool_answer(rq->reply, out.spool);
}

/* --- Reading ---------------------------------------------------------------- */

static const lims_error_t *refuse(lims_request_t *rq, const char *why)
{
    return lims_client_error(rq->pool, LIMS_E_BAD_REQUEST,
                             "The file of heads cannot be relied on: %s.", why);
}

/* Checks one file of the text, up to behind its signature; `*text` goes on behind it. Returns
 * NULL, or what is wrong. */
static const char *read_one(lims_signed_t *said, const char **text, lims_request_t *rq)
{
    lims_signed_lines_t *lines = lims_signed_lines_begin(rq->pool);
    const apr_size_t mark = strlen(LIMS_SIGNED_LAST);

    while (**text) {
        const char *line = *text;
        const char *end = strchr(line, '\n');

        if (!end) {
            break;
        }
        *text = end + 1;
        if (strncmp(line, LIMS_SIGNED_LAST, mark) == 0) {
            const char *problem = lims_signed_lines_check(
                said, lines, line, (apr_size_t)(end - line), rq->keyring, rq->pool);

            return problem || strncmp(said->subject, SUBJECT, strlen(SUBJECT)) == 0
                       ? problem
                       : "it is another kind of file";
        }
        lims_signed_lines_add(lines, line, (apr_size_t)(end + 1 - line));
    }
    return "it has no signature at its end";
}

const lims_error_t *lims_head_export_read(const char **heads, lims_request_t *rq, const char *text)
{
    const char *ours = apr_pstrcat(rq->pool, SUBJECT, rq->actor.organization, ":", NULL);
    apr_array_header_t *parts = apr_array_make(rq->pool, 4, sizeof(const char *));
    apr_hash_t *known = apr_hash_make(rq->pool); /* what the files say that was signed */

    *heads = NULL;
    if (!*text) {
        return refuse(rq, "it is empty");
    }
    while (*text) {
        const char *begin = text;
        lims_signed_t said;
        const char *problem = read_one(&said, &text, rq), *file;

        if (problem) {
            return refuse(rq, problem);
        }
        file = apr_pstrcat(rq->pool, said.subject, ":", said.sha256, NULL);
        if (apr_hash_get(known, file, APR_HASH_KEY_STRING)) {
            return refuse(rq, "the same exported file stands in it twice");
        }
        apr_hash_set(known, file, APR_HASH_KEY_STRING, file);
        if (strncmp(said.subject, ours, strlen(ours)) == 0) {
            APR_ARRAY_PUSH(parts, const char *) =
                apr_pstrmemdup(rq->pool, begin, (apr_size_t)(text - begin));
        }
    }
    if (parts->nelts == 0) {
        return refuse(rq, "it has no heads of this organization");
    }
    *heads = apr_array_pstrcat(rq->pool, parts, 0);
    return NULL;
}
