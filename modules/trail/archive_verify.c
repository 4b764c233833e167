/* SPDX-License-Identifier: Apache-2.0 */
/* archive_verify.c - reading and verifying archives of the audit trail. */
#include <apr_file_io.h>
#include <apr_hash.h>
#include <apr_strings.h>
#include <string.h>

#include "kernel/json.h"
#include "trail/archive_file.h"
#include "trail/trail.h"

/* Longest line, in bytes: an entry may hold a long text before and after its change. */
#define LINE_MAX_LENGTH (64 * 1024 * 1024)

typedef struct {
    lims_archive_t *archive;
    const lims_keyring_t *ring;
    apr_pool_t *pool;
    apr_pool_t *scratch; /* of a line */
    apr_file_t *file;
    apr_array_header_t *line; /* char, with its end */
    bool broken;              /* a line has no end, or a NUL, behind which nothing is seen of it */
    lims_signed_lines_t *lines;
    apr_hash_t *chains; /* lims_chain_t by the key's id */
    /* The present block. */
    lims_chain_t *chain;
    const char *block;
    const char *position; /* its end */
    const char *head;
    const char *marks;
    int expected; /* entries */
    int read;
} reader_t;

/* --- Lines ------------------------------------------------------------------ */

/* Reads a line with its end. False: there is none, or it is broken. */
static bool read_line(reader_t *reader)
{
    char piece[8192];

    apr_array_clear(reader->line);
    while (reader->line->nelts < LINE_MAX_LENGTH &&
           apr_file_gets(piece, sizeof(piece), reader->file) == APR_SUCCESS) {
        apr_size_t length = strlen(piece);

        for (apr_size_t i = 0; i < length; i++) {
            APR_ARRAY_PUSH(reader->line, char) = piece[i];
        }
        if (length > 0 && piece[length - 1] == '\n') {
            return true;
        }
        if (length < sizeof(piece) - 1) {
            reader->broken = true;
            return false;
        }
    }
    return false;
}

static const char *member_of(const lims_json_t *object, const char *name)
{
    const lims_json_t *member = object ? lims_json_member(object, name) : NULL;

    return member && (member->type == LIMS_JSON_STRING || member->type == LIMS_JSON_NUMBER)
               ? member->text
               : NULL;
}

static const lims_json_t *parse(reader_t *reader)
{
    lims_json_t *root = NULL;

    return lims_json_parse(&root, reader->line->elts, (apr_size_t)reader->line->nelts - 1,
                           reader->scratch)
               ? NULL
               : root;
}

/* --- Entries ---------------------------------------------------------------- */

/* Appends a column as PostgreSQL writes it in the text of a row. */
static void append_column(apr_array_header_t *text, const lims_json_t *value)
{
    bool quoted = value->type == LIMS_JSON_STRING &&
                  (value->length == 0 || strpbrk(value->text, "\"\\(), \t\n\v\f\r"));

    if (quoted) {
        APR_ARRAY_PUSH(text, char) = '"';
    }
    for (const char *c = value->text; c && *c; c++) {
        if (quoted && (*c == '"' || *c == '\\')) {
            APR_ARRAY_PUSH(text, char) = *c;
        }
        APR_ARRAY_PUSH(text, char) = *c;
    }
    if (quoted) {
        APR_ARRAY_PUSH(text, char) = '"';
    }
}

/* Computes the digest of an entry, as lims.audit_digest() does. False: it has other columns, or
 * OpenSSL failed. */
static bool digest_of(unsigned char digest[LIMS_SHA256_LENGTH], const lims_json_t *entry,
                      apr_pool_t *pool)
{
    static const char *const columns[] = { "organizationId", "id",       "position",  "occurredAt",
                                           "table",          "recordId", "action",    "changes",
                                           "userId",         "apiKeyId", "requestId", "reason",
                                           "signatureId",    "surface",  "sessionId" };
    apr_array_header_t *text = apr_array_make(pool, 1024, sizeof(char));
    const lims_json_t *value = entry->first;

    for (apr_size_t i = 0; i < LIMS_LENGTH(columns); i++, value = value->next) {
        if (!value || strcmp(value->name, columns[i]) != 0) {
            return false;
        }
        APR_ARRAY_PUSH(text, char) = i == 0 ? '(' : ',';
        if (value->type != LIMS_JSON_NULL) {
            append_column(text, value);
        }
    }
    APR_ARRAY_PUSH(text, char) = ')';
    return !value && lims_sha256(digest, text->elts, (apr_size_t)text->nelts);
}

static const char *read_entry(reader_t *reader, const lims_json_t *entry)
{
    unsigned char digest[LIMS_SHA256_LENGTH];
    const char *id = member_of(entry, "id");
    const char *at = member_of(entry, "occurredAt");

    if (!reader->chain || reader->read >= reader->expected) {
        return "it has an entry more than its block";
    }
    if (!id || !at || !digest_of(digest, entry, reader->scratch) ||
        !lims_chain_add(reader->chain, digest)) {
        return apr_psprintf(reader->pool, "an entry of block %s is none", reader->block);
    }
    if (!lims_chain_fits_mark(reader->chain, reader->marks, reader->read)) {
        return apr_psprintf(reader->pool,
                            "entry %s is not as it was when block %s was closed, or one before it "
                            "in the block is missing",
                            id, reader->block);
    }
    reader->read++;
    reader->archive->entries++;
    if (apr_atoi64(at) > reader->archive->last_entry_at) {
        reader->archive->last_entry_at = apr_atoi64(at);
    }
    return NULL;
}

/* --- Blocks ----------------------------------------------------------------- */

/* Ends the present block, if there is one. */
static const char *end_block(reader_t *reader)
{
    if (!reader->chain) {
        return NULL;
    }
    if (reader->read < reader->expected) {
        return apr_psprintf(reader->pool, "block %s has %d of its %d entries", reader->block,
                            reader->read, reader->expected);
    }
    return lims_chain_fits_head(reader->chain, reader->head)
               ? NULL
               : apr_psprintf(reader->pool, "block %s has another head than its entries make",
                              reader->block);
}

/* Takes what a block's line says; the head and the end of the block before are still those of
 * the reader. */
static const char *begin_block(reader_t *reader, const lims_json_t *line)
{
    const char *id = member_of(line, "block");
    const char *from = member_of(line, "fromPosition");
    const char *key_id = member_of(line, "keyId");
    const char *entries = member_of(line, "entries");
    const char *marks = member_of(line, "marks");
    const char *head = member_of(line, "head");
    lims_block_header_t header = { .organization = reader->archive->organization,
                                   .id = id,
                                   .from_position = from,
                                   .to_position = member_of(line, "toPosition"),
                                   .closed_at = member_of(line, "closedAt"),
                                   .last_head = reader->head };

    if (!id || !from || !key_id || !entries || !marks || !head || !header.to_position ||
        !header.closed_at ||
        strlen(marks) != (apr_size_t)apr_atoi64(entries) * 2 * LIMS_CHAIN_MARK) {
        return "a block's line is none";
    }
    if (strcmp(from, reader->position) != 0 ||
        (reader->block && apr_atoi64(id) != apr_atoi64(reader->block) + 1)) {
        return apr_psprintf(reader->pool, "block %s does not follow the one before it", id);
    }
    header.entries = (int)apr_atoi64(entries);
    reader->chain = lims_chain_of(reader->chains, reader->ring, key_id);
    if (!reader->chain) {
        return apr_psprintf(reader->pool, "the key file does not have the key \"%s\" of block %s",
                            key_id, id);
    }
    if (!lims_block_begin(reader->chain, &header, reader->scratch)) {
        return "OpenSSL failed";
    }
    reader->block = apr_pstrdup(reader->pool, id);
    reader->position = apr_pstrdup(reader->pool, header.to_position);
    reader->head = apr_pstrdup(reader->pool, head);
    reader->marks = apr_pstrdup(reader->pool, marks);
    reader->expected = header.entries;
    reader->read = 0;
    reader->archive->blocks++;
    APR_ARRAY_PUSH(reader->archive->heads, const char *) = reader->head;
    return NULL;
}

/* --- The file --------------------------------------------------------------- */

static const char *read_header(reader_t *reader)
{
    const lims_json_t *line = read_line(reader) ? parse(reader) : NULL;
    const char *format = member_of(line, "format");
    const char *values[] = { member_of(line, "organizationId"), member_of(line, "fromBlock"),
                             member_of(line, "toBlock"), member_of(line, "fromPosition"),
                             member_of(line, "lastHead") };

    for (apr_size_t i = 0; i < LIMS_LENGTH(values); i++) {
        if (!format || strcmp(format, LIMS_ARCHIVE_FORMAT) != 0 || !values[i]) {
            return "it does not begin as an archive of the audit trail";
        }
        values[i] = apr_pstrdup(reader->pool, values[i]);
    }
    lims_signed_lines_add(reader->lines, reader->line->elts, (apr_size_t)reader->line->nelts);
    reader->archive->organization = values[0];
    reader->archive->from_block = values[1];
    reader->archive->to_block = values[2];
    reader->position = values[3];
    reader->head = values[4];
    return NULL;
}

/* Reads a line behind the first; `*last`: it is the last one. */
static const char *read_next(bool *last, reader_t *reader)
{
    const lims_json_t *line;
    const char *problem = NULL;

    *last = strncmp(reader->line->elts, LIMS_SIGNED_LAST, strlen(LIMS_SIGNED_LAST)) == 0;
    if (*last) {
        return NULL;
    }
    line = parse(reader);
    if (!line) {
        return "a line of it is no JSON";
    }
    if (lims_json_member(line, "entry")) {
        problem = read_entry(reader, lims_json_member(line, "entry"));
    } else {
        problem = end_block(reader);
        problem = problem ? problem : begin_block(reader, line);
    }
    lims_signed_lines_add(reader->lines, reader->line->elts, (apr_size_t)reader->line->nelts);
    return problem;
}

/* Compares what was read with what the first and the last line say. */
static const char *check_whole(reader_t *reader)
{
    lims_archive_t *archive = reader->archive;
    const char *problem = end_block(reader);

    if (problem) {
        return problem;
    }
    archive->head = reader->head;
    if (!reader->block || strcmp(reader->block, archive->to_block) != 0 ||
        archive->blocks != apr_atoi64(archive->to_block) - apr_atoi64(archive->from_block) + 1) {
        return "it does not have the blocks that its first line names";
    }
    if (strcmp(archive->said.subject,
               lims_archive_subject(archive, reader->pool)) != 0) {
        return "its signature is of another file";
    }
    return NULL;
}

static const char *read_all(reader_t *reader)
{
    const char *problem = read_header(reader);
    bool last = false;

    while (!problem && !last && read_line(reader)) {
        apr_pool_clear(reader->scratch);
        problem = read_next(&last, reader);
    }
    if (!problem && reader->broken) {
        problem = "a line of it has no end, or a byte that is no text";
    }
    if (!problem && !last) {
        problem = "it has no signature at its end: it was cut off";
    }
    if (!problem) {
        problem = lims_signed_lines_check(&reader->archive->said, reader->lines, reader->line->elts,
                                          (apr_size_t)reader->line->nelts - 1, reader->ring,
                                          reader->pool);
    }
    if (!problem && (read_line(reader) || reader->broken)) {
        problem = "it goes on behind its signature";
    }
    return problem ? problem : check_whole(reader);
}

const char *lims_archive_verify(lims_archive_t *archive, const char *name,
                                const lims_keyring_t *ring, apr_pool_t *pool)
{
    reader_t reader = { .archive = archive,
                        .ring = ring,
                        .pool = pool,
                        .line = apr_array_make(pool, 4096, sizeof(char)),
                        .lines = lims_signed_lines_begin(pool),
                        .chains = apr_hash_make(pool) };
    char reason[120];
    const char *problem;
    apr_status_t rv = apr_file_open(&reader.file, name, APR_FOPEN_READ | APR_FOPEN_BUFFERED,
                                    APR_FPROT_OS_DEFAULT, pool);

    *archive = (lims_archive_t){ .heads = apr_array_make(pool, 64, sizeof(const char *)) };
    if (rv != APR_SUCCESS) {
        return apr_psprintf(pool, "it cannot be read: %s",
                            apr_strerror(rv, reason, sizeof(reason)));
    }
    apr_pool_create(&reader.scratch, pool);
    problem = read_all(&reader);
    apr_file_close(reader.file);
    return problem;
}
