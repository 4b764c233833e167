/* SPDX-License-Identifier: Apache-2.0 */
/*
 * command_archive.c - limsctl audit archive, audit verify-archive: old blocks of the audit
 * trail in a signed file, and its verification.
 *
 * The file is written, synchronized with the disk and read again with every digest before the
 * database is told of it; only then are entries removed, in short transactions. Whatever ends the
 * command, nothing is lost: without a record nothing was removed, with one the file is whole, and
 * the same command goes on.
 */
#include <apr_strings.h>
#include <stdio.h>
#include <string.h>

#include "kernel/error.h"
#include "kernel/field.h"
#include "kernel/header_fields.h"
#include "kernel/writer.h"
#include "tool/session.h"
#include "tool/tool.h"
#include "trail/archive_file.h"

const lims_field_t lims_archive_options[] = {
    { .name = "before",
      .type = LIMS_T_MOMENT,
      .flags = LIMS_F_REQUIRED,
      .doc =
          "Only blocks that were closed before this time, a date or a timestamp, and at least 31 "
          "days ago.",
      .example = "2024-01-01" },
    { .name = "to",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_REQUIRED,
      .min = 1,
      .max = 4000,
      .doc = "File to write, which must not exist; to go on with an archive whose entries were not "
             "all removed, its file.",
      .example = "/srv/archive/cedar-2023.jsonl" },
    LIMS_FIELD_END,
};

const lims_field_t lims_verify_archive_options[] = {
    { .name = "file",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_REQUIRED,
      .min = 1,
      .max = 4000,
      .doc = "Archive to verify.",
      .example = "/srv/archive/cedar-2023.jsonl" },
    LIMS_FIELD_END,
};

typedef struct {
    lims_tool_t *tool;
    lims_request_t rq;
    const lims_keyring_t *ring;
    lims_archive_t archive; /* once it was read */
    apr_int64_t removed;
} archive_t;

static const char *file_of(const archive_t *run)
{
    return lims_values_get(run->tool->values, "to");
}

/* Returns a refusal with a reason. */
static const lims_error_t *refuse(const archive_t *run, const char *what, const char *why)
{
    return lims_client_error(run->tool->pool, LIMS_E_BAD_REQUEST, "%s: %s.", what, why);
}

/* --- The organization ------------------------------------------------------- */

/* Reads the key file, connects, and finds the organization that is named. */
static const lims_error_t *begin(archive_t *run)
{
    lims_tool_t *tool = run->tool;
    lims_session_t *session = NULL;
    lims_result_t *found = NULL;
    const lims_error_t *error = lims_tool_keyring(&run->ring, tool);

    if (!tool->organization) {
        return lims_client_error(tool->pool, LIMS_E_INVALID_QUERY,
                                 "No organization is named: give --organization CODE.");
    }
    if (!error) {
        error = lims_session_open(&session, tool->database, tool->pool);
    }
    if (error) {
        return error;
    }
    run->rq = (lims_request_t){ .pool = tool->pool,
                                .id = lims_request_id_create(tool->pool),
                                .values = lims_values_create(tool->pool),
                                .connection = session->connection };
    lims_values_set(run->rq.values, "organizationCode", tool->organization);
    error = lims_database_call(&found, &run->rq, LIMS_STMT_TOOL_FIND);
    if (!error && lims_result_count(found) == 0) {
        error = lims_client_error(tool->pool, LIMS_E_NOT_FOUND, "There is no organization \"%s\".",
                                  tool->organization);
    }
    if (!error) {
        run->rq.actor.organization = lims_result_get(found, 0, "organizationId");
    }
    return error;
}

/* --- Writing ---------------------------------------------------------------- */

static const char *header_of(const archive_t *run, const lims_result_t *range)
{
    static const char *const numbers[] = { "fromBlock", "toBlock", "fromPosition" };
    static const char *const texts[] = { "lastHead", "code", "name" };
    lims_writer_t *w = lims_writer_create(run->tool->pool);
    apr_size_t length = 0;

    lims_writer_object_begin(w);
    lims_writer_key(w, "format");
    lims_writer_string(w, LIMS_ARCHIVE_FORMAT);
    lims_writer_key(w, "organizationId");
    lims_writer_raw(w, run->rq.actor.organization);
    for (apr_size_t i = 0; i < LIMS_LENGTH(numbers); i++) {
        lims_writer_key(w, numbers[i]);
        lims_writer_raw(w, lims_result_get(range, 0, numbers[i]));
    }
    for (apr_size_t i = 0; i < LIMS_LENGTH(texts); i++) {
        lims_writer_key(w, texts[i]);
        lims_writer_string(w, lims_result_get(range, 0, texts[i]));
    }
    lims_writer_key(w, "writtenAt");
    lims_writer_string(w, lims_result_get(range, 0, "now"));
    lims_writer_object_end(w);
    return lims_writer_finish(&length, w);
}

/* Where the writing is. */
typedef struct {
    lims_archive_out_t *out;
    const char *after;    /* last block that was written */
    const char *position; /* its end */
    const char *head;
    apr_int64_t entries;
} place_t;

/* Writes the lines of some blocks with their entries. Returns NULL, or the problem. */
static const char *write_blocks(place_t *place, const lims_result_t *blocks,
                                const lims_result_t *entries, apr_pool_t *pool)
{
    const char *problem = NULL;
    int next = 0;

    for (int i = 0; !problem && i < lims_result_count(blocks); i++) {
        apr_int64_t end = apr_atoi64(lims_result_get(blocks, i, "toPosition"));

        problem = lims_archive_line(place->out, lims_result_get(blocks, i, "line"));
        for (; !problem && next < lims_result_count(entries) &&
               apr_atoi64(lims_result_cell(entries, next, 0)) < end;
             next++) {
            problem = lims_archive_line(
                place->out,
                apr_pstrcat(pool, "{\"entry\":", lims_result_cell(entries, next, 1), "}", NULL));
            place->entries++;
        }
    }
    return problem;
}

/* Writes a piece; `*more`: another may follow. `rq`: the request, with a pool of the piece. */
static const lims_error_t *write_piece(bool *more, archive_t *run, place_t *place,
                                       lims_request_t *rq)
{
    lims_values_t *values = lims_values_create(rq->pool);
    const lims_call_t calls[] = {
        { .statement = LIMS_STMT_TOOL_ARCHIVE_BLOCKS, .values = values },
        { .statement = LIMS_STMT_TOOL_ARCHIVE_ENTRIES, .values = values },
    };
    lims_result_t *blocks = NULL;
    lims_result_t *entries = NULL;
    const char *problem;
    const lims_error_t *error;
    int last;

    lims_values_set(values, "after", place->after);
    lims_values_set(values, "toBlock", lims_values_get(run->rq.values, "toBlock"));
    error = lims_database_run(&blocks, rq, &calls[0], 1, 0);
    last = error ? -1 : lims_result_count(blocks) - 1;
    *more = last >= 0;
    if (!*more) {
        return error;
    }
    lims_values_set(values, "from", place->position);
    lims_values_set(values, "to", lims_result_get(blocks, last, "toPosition"));
    error = lims_database_run(&entries, rq, &calls[1], 1, 0);
    if (error) {
        return error;
    }
    problem = write_blocks(place, blocks, entries, rq->pool);
    place->after = apr_pstrdup(run->tool->pool, lims_result_get(blocks, last, "id"));
    place->position = apr_pstrdup(run->tool->pool, lims_result_get(blocks, last, "toPosition"));
    place->head = apr_pstrdup(run->tool->pool, lims_result_get(blocks, last, "head"));
    return problem ? refuse(run, "The archive could not be written", problem) : NULL;
}

static const lims_error_t *write_all(archive_t *run, place_t *place, const lims_result_t *range)
{
    lims_request_t piece = run->rq;
    const char *problem = lims_archive_line(place->out, header_of(run, range));
    const lims_error_t *error =
        problem ? refuse(run, "The archive could not be written", problem) : NULL;

    place->after = apr_psprintf(run->tool->pool, "%" APR_INT64_T_FMT,
                                apr_atoi64(lims_result_get(range, 0, "fromBlock")) - 1);
    place->position = lims_result_get(range, 0, "fromPosition");
    apr_pool_create(&piece.pool, run->tool->pool);
    for (bool more = true; more && !error;) {
        error = write_piece(&more, run, place, &piece);
        if (!error) {
            apr_pool_clear(piece.pool);
        }
    }
    return error;
}

/* Signs the file, makes it durable, and reads it again with every digest. */
static const lims_error_t *sign_and_read(archive_t *run, const place_t *place)
{
    const lims_archive_t written = { .organization = run->rq.actor.organization,
                                     .from_block = lims_values_get(run->rq.values, "fromBlock"),
                                     .to_block = lims_values_get(run->rq.values, "toBlock"),
                                     .entries = place->entries,
                                     .head = place->head };
    const char *name = NULL;
    const char *problem = lims_archive_end(
        &name, place->out, lims_archive_subject(&written, run->tool->pool), run->ring);

    if (problem) {
        return refuse(run, "The archive could not be written", problem);
    }
    problem = lims_archive_verify(&run->archive, name, run->ring, run->tool->pool);
    if (problem) {
        return refuse(run, "The archive was written, but does not hold what was closed", problem);
    }
    problem = lims_archive_publish(place->out);
    return problem ? refuse(run, "The archive could not be written", problem) : NULL;
}

/* Returns the name of a file without its folder. */
static const char *base_name(const char *file)
{
    const char *slash = strrchr(file, '/');

    return slash ? slash + 1 : file;
}

/* Writes to the database that the file has these entries. */
static const lims_error_t *record(archive_t *run)
{
    lims_values_t *values = run->rq.values;
    const lims_archive_t *archive = &run->archive;
    lims_result_t *row = NULL;
    const lims_error_t *error;

    lims_values_set(values, "entries",
                    apr_psprintf(run->tool->pool, "%" APR_INT64_T_FMT, archive->entries));
    lims_values_set(values, "lastEntryAt",
                    apr_psprintf(run->tool->pool, "%" APR_INT64_T_FMT, archive->last_entry_at));
    lims_values_set(values, "fileName", base_name(file_of(run)));
    lims_values_set(values, "sha256", archive->said.sha256);
    lims_values_set(values, "keyId", archive->said.key_id);
    lims_values_set(values, "signature", archive->said.signature);
    lims_values_set(values, "head", archive->head);
    error = lims_database_call(&row, &run->rq, LIMS_STMT_TOOL_ARCHIVE_RECORD);
    if (!error && lims_result_count(row) == 0) {
        error = refuse(run, "The archive was not recorded",
                       "the chain has changed while it was written; nothing was removed");
    }
    if (!error) {
        lims_values_set(values, "archive", lims_result_get(row, 0, "archive"));
    }
    return error;
}

static const lims_error_t *write_archive(archive_t *run, const lims_result_t *range)
{
    place_t place = { .entries = 0 };
    const char *problem = lims_archive_begin(&place.out, file_of(run), run->tool->pool);
    const lims_error_t *error;

    if (problem) {
        return refuse(run, "The archive cannot be written", problem);
    }
    lims_values_set(run->rq.values, "fromBlock", lims_result_get(range, 0, "fromBlock"));
    lims_values_set(run->rq.values, "toBlock", lims_result_get(range, 0, "toBlock"));
    error = write_all(run, &place, range);
    if (!error) {
        error = sign_and_read(run, &place);
    }
    if (error) {
        lims_archive_discard(place.out);
    }
    return error ? error : record(run);
}

/* --- Removing --------------------------------------------------------------- */

/* Removes the entries of the archive, in a transaction for each 5,000. */
static const lims_error_t *remove_entries(archive_t *run)
{
    lims_result_t *row = NULL;
    const lims_error_t *error = NULL;

    for (apr_int64_t removed = 1; removed > 0 && !error;) {
        error = lims_database_call(&row, &run->rq, LIMS_STMT_TOOL_ARCHIVE_REMOVE);
        removed = error ? 0 : apr_atoi64(lims_result_get(row, 0, "removed"));
        run->removed += removed;
    }
    return error;
}

/* Reads the file of an archive whose entries were not all removed again. */
static const lims_error_t *resume(archive_t *run, const lims_result_t *unfinished)
{
    const char *problem =
        lims_archive_verify(&run->archive, file_of(run), run->ring, run->tool->pool);

    if (!problem &&
        strcmp(run->archive.said.sha256, lims_result_get(unfinished, 0, "sha256")) != 0) {
        problem = "it is another archive";
    }
    if (problem) {
        return refuse(run,
                      apr_psprintf(run->tool->pool,
                                   "The entries of the archive %s were not all removed: give that "
                                   "file as --to. As for this one",
                                   lims_result_get(unfinished, 0, "fileName")),
                      problem);
    }
    lims_values_set(run->rq.values, "archive", lims_result_get(unfinished, 0, "archive"));
    return NULL;
}

/* Finds what is to be archived, and archives it. `*nothing`: there is nothing. */
static const lims_error_t *archive(bool *nothing, archive_t *run)
{
    lims_result_t *unfinished = NULL;
    lims_result_t *range = NULL;
    const lims_error_t *error =
        lims_database_call(&unfinished, &run->rq, LIMS_STMT_TOOL_ARCHIVE_UNFINISHED);

    *nothing = false;
    lims_values_set(run->rq.values, "before", lims_values_get(run->tool->values, "before"));
    if (!error && lims_result_count(unfinished) > 0) {
        return resume(run, unfinished);
    }
    if (!error) {
        error = lims_database_call(&range, &run->rq, LIMS_STMT_TOOL_ARCHIVE_RANGE);
    }
    if (error) {
        return error;
    }
    if (lims_result_true(range, 0, "future")) {
        return lims_client_error(run->tool->pool, LIMS_E_INVALID_QUERY,
                                 "--before lies in the future.");
    }
    *nothing = !lims_result_get(range, 0, "fromBlock");
    return *nothing ? NULL : write_archive(run, range);
}

/* --- The commands ----------------------------------------------------------- */

static void write_number(lims_writer_t *w, const char *name, const char *number)
{
    lims_writer_key(w, name);
    lims_writer_raw(w, number);
}

static void print_archive(const archive_t *run, const char *file)
{
    const lims_archive_t *read = &run->archive;
    lims_writer_t *w = lims_writer_create(run->tool->pool);
    apr_size_t length = 0;
    const char *json;

    lims_writer_object_begin(w);
    lims_writer_key(w, "file");
    lims_writer_string(w, file);
    write_number(w, "fromBlock", read->from_block);
    write_number(w, "toBlock", read->to_block);
    lims_writer_key(w, "entries");
    lims_writer_integer(w, read->entries);
    lims_writer_key(w, "sha256");
    lims_writer_string(w, read->said.sha256);
    lims_writer_key(w, "keyId");
    lims_writer_string(w, read->said.key_id);
    if (lims_values_get(run->rq.values, "archive")) {
        lims_writer_key(w, "removed");
        lims_writer_integer(w, run->removed);
    }
    lims_writer_object_end(w);
    json = lims_writer_finish(&length, w);
    lims_print_answer(run->tool, json, length);
}

lims_exit_e lims_command_audit_archive(lims_tool_t *tool)
{
    archive_t run = { .tool = tool };
    bool nothing = false;
    const lims_error_t *error = begin(&run);

    if (!error) {
        error = archive(&nothing, &run);
    }
    if (!error && nothing) {
        error = lims_client_error(tool->pool, LIMS_E_BAD_REQUEST,
                                  "Nothing is to be archived: no block was closed before that time "
                                  "and at least 31 days ago, "
                                  "or all of them are archived.");
    }
    if (!error) {
        error = remove_entries(&run);
    }
    if (error) {
        return lims_print_error(tool, error);
    }
    print_archive(&run, file_of(&run));
    return LIMS_EXIT_OK;
}

/* Compares the heads of the archive with those of the chain, and with its record. */
static const lims_error_t *compare(archive_t *run)
{
    const lims_archive_t *read = &run->archive;
    lims_result_t *rows = NULL;
    const lims_error_t *error;

    if (strcmp(read->organization, run->rq.actor.organization) != 0) {
        return refuse(run, "The archive is sound", "but it is another organization's");
    }
    lims_values_set(run->rq.values, "fromBlock", read->from_block);
    lims_values_set(run->rq.values, "toBlock", read->to_block);
    error = lims_database_call(&rows, &run->rq, LIMS_STMT_TOOL_ARCHIVE_COMPARE);
    if (error) {
        return error;
    }
    for (int i = 0; i < read->heads->nelts; i++) {
        apr_int64_t block = apr_atoi64(read->from_block) + i;

        if (i >= lims_result_count(rows) || apr_atoi64(lims_result_get(rows, i, "id")) != block ||
            strcmp(lims_result_get(rows, i, "head"), APR_ARRAY_IDX(read->heads, i, const char *)) !=
                0) {
            return refuse(run, "The archive is sound",
                          apr_psprintf(run->tool->pool,
                                       "but block %" APR_INT64_T_FMT
                                       " of the database is missing or has another head",
                                       block));
        }
    }
    if (!lims_result_get(rows, 0, "sha256") ||
        strcmp(lims_result_get(rows, 0, "sha256"), read->said.sha256) != 0) {
        return refuse(run, "The archive is sound",
                      "but the database has no record of it: its entries were not removed by it");
    }
    return NULL;
}

lims_exit_e lims_command_audit_verify_archive(lims_tool_t *tool)
{
    archive_t run = { .tool = tool };
    const char *file = lims_values_get(tool->values, "file");
    const lims_error_t *error = begin(&run);
    const char *problem =
        error ? NULL : lims_archive_verify(&run.archive, file, run.ring, tool->pool);

    if (problem) {
        error = refuse(&run, "The archive cannot be relied on", problem);
    }
    if (!error) {
        error = compare(&run);
    }
    if (error) {
        return lims_print_error(tool, error);
    }
    print_archive(&run, file);
    return LIMS_EXIT_OK;
}
