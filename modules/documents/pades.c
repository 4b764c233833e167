/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pades.c - the update of a PDF that signs it. It knows the form that the printer writes
 * (print/pdf_archive.c): one table of all objects, with the trailer behind it.
 */
#include "documents/pades.h"

#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/digest.h"

/* Length of a row of the table: "0000000015 00000 n \n". */
#define ROW 20

/* The last bytes of a file, which say where its table is. */
#define TAIL 48

/* Deepest tree of pages. */
#define DEPTH_MAX 8

#define BYTE_RANGE "[0 %010" APR_SIZE_T_FMT " %010" APR_SIZE_T_FMT " %010" APR_SIZE_T_FMT "]"
#define BYTE_RANGE_LENGTH 36

typedef struct {
    const char *pdf;
    apr_size_t length;
    apr_size_t table, rows;       /* where the table and its rows stand */
    unsigned count;               /* of objects, with that of number 0 */
    unsigned root, info, page;    /* catalogue, metadata, first page */
    const char *identifier;       /* the trailer's /ID */
    apr_size_t written[4];        /* places of the objects of the update */
    apr_array_header_t *out;      /* char */
    apr_size_t range, signature;  /* places of /ByteRange and of the digits of /Contents */
    apr_pool_t *pool;
} update_t;

/* Objects of the update, in the order in which they are written. */
enum { SIGNATURE, FIELD, ROOT, PAGE };

/* --- Reading ---------------------------------------------------------------- */

/* Finds words between two places. */
static const char *find(const char *from, const char *end, const char *words)
{
    return memmem(from, (size_t)(end - from), words, strlen(words));
}

/* Returns an object from "<<" up to its end, or NULL. */
static const char *object_of(const char **end, const update_t *update, unsigned number)
{
    const char *limit = update->pdf + update->table, *start;
    apr_size_t place;

    if (number == 0 || number >= update->count) {
        return NULL;
    }
    place = strtoul(update->pdf + update->rows + (apr_size_t)number * ROW, NULL, 10);
    if (place >= update->table) {
        return NULL;
    }
    *end = find(update->pdf + place, limit, ">>\nendobj");
    start = *end ? find(update->pdf + place, *end, "<<") : NULL;
    return start;
}

/* Returns the number behind words in an object; 0: they are not there. */
static unsigned number_behind(const char *from, const char *end, const char *words)
{
    const char *at = find(from, end, words);

    return at ? (unsigned)strtoul(at + strlen(words), NULL, 10) : 0;
}

static bool read_trailer(update_t *update)
{
    const char *end = update->pdf + update->length;
    const char *trailer = update->pdf + update->rows + (apr_size_t)update->count * ROW, *identifier;

    update->root = number_behind(trailer, end, "/Root ");
    update->info = number_behind(trailer, end, "/Info ");
    identifier = find(trailer, end, "/ID [");
    if (!identifier || !update->root || !update->info || !find(identifier, end, "]")) {
        return false;
    }
    update->identifier = apr_pstrmemdup(update->pool, identifier, strcspn(identifier, "]") + 1);
    return true;
}

static bool read_table(update_t *update)
{
    apr_size_t tail = update->length < TAIL ? update->length : TAIL, left;
    const char *end = update->pdf + update->length;
    const char *start = find(end - tail, end, "startxref\n"), *table;

    update->table = start ? strtoul(start + 10, NULL, 10) : 0;
    if (update->table == 0 || update->table + 7 >= update->length) {
        return false;
    }
    table = update->pdf + update->table;
    if (strncmp(table, "xref\n0 ", 7) != 0) {
        return false;
    }
    update->count = (unsigned)strtoul(table + 7, NULL, 10);
    update->rows = update->table + 7 + strcspn(table + 7, "\n") + 1;
    left = update->length - update->rows;
    return update->count > 0 && left / ROW >= update->count && read_trailer(update);
}

/* Finds the first page, from the catalogue downwards. */
static bool find_page(update_t *update)
{
    const char *end = NULL, *object = object_of(&end, update, update->root);
    unsigned number = object ? number_behind(object, end, "/Pages ") : 0;

    for (int depth = 0; number && depth < DEPTH_MAX; depth++) {
        object = object_of(&end, update, number);
        if (!object) {
            return false;
        }
        if (!find(object, end, "/Kids [")) {
            update->page = number;
            return true;
        }
        number = number_behind(object, end, "/Kids [");
    }
    return false;
}

/* --- Writing ---------------------------------------------------------------- */

static void put(update_t *update, const char *bytes, apr_size_t length)
{
    apr_array_header_t *out = update->out;

    if (length > 0) {
        apr_size_t before = (apr_size_t)out->nelts;

        while ((apr_size_t)(out->nalloc - out->nelts) < length) {
            apr_array_header_t *more =
                apr_array_make(update->pool, 2 * out->nalloc + (int)length, 1);

            memcpy(more->elts, out->elts, before);
            more->nelts = out->nelts;
            out = update->out = more;
        }
        memcpy(out->elts + before, bytes, length);
        out->nelts += (int)length;
    }
}

static void put_text(update_t *update, const char *text)
{
    put(update, text, strlen(text));
}

static void begin_object(update_t *update, int which, unsigned number)
{
    update->written[which] = (apr_size_t)update->out->nelts;
    put_text(update, apr_psprintf(update->pool, "%u 0 obj\n", number));
}

/* Writes the signature's dictionary, with room for `most` bytes in hexadecimal. */
static void put_signature(update_t *update, const char *at, int most)
{
    char *room = apr_palloc(update->pool, 2 * (apr_size_t)most + 1);

    memset(room, '0', 2 * (apr_size_t)most);
    room[2 * most] = '\0';
    begin_object(update, SIGNATURE, update->count);
    put_text(update, "<< /Type /Sig\n   /Filter /Adobe.PPKLite\n"
                     "   /SubFilter /ETSI.CAdES.detached\n   /ByteRange ");
    update->range = (apr_size_t)update->out->nelts;
    put_text(update, apr_psprintf(update->pool, BYTE_RANGE, (apr_size_t)0, (apr_size_t)0,
                                  (apr_size_t)0));
    put_text(update, "\n   /Contents <");
    update->signature = (apr_size_t)update->out->nelts;
    put_text(update, room);
    put_text(update, apr_psprintf(update->pool, ">\n   /M (D:%sZ)\n>>\nendobj\n", at));
}

/* A field without a look of its own: the certificate says who signed it. */
static void put_field(update_t *update)
{
    begin_object(update, FIELD, update->count + FIELD);
    put_text(update, apr_psprintf(update->pool,
                                  "<< /Type /Annot\n   /Subtype /Widget\n   /FT /Sig\n"
                                  "   /T (Signature)\n   /F 132\n   /Rect [ 0 0 0 0 ]\n"
                                  "   /P %u 0 R\n   /V %u 0 R\n>>\nendobj\n",
                                  update->page, update->count));
}

/* Copies an object with something put in at a place. */
static void put_changed(update_t *update, int which, unsigned number, const char *place,
                        const char *text)
{
    const char *end = NULL, *object = object_of(&end, update, number);

    begin_object(update, which, number);
    put(update, object, (apr_size_t)(place - object));
    put_text(update, text);
    put(update, place, (apr_size_t)(end - place));
    put_text(update, ">>\nendobj\n");
}

static bool put_objects(update_t *update)
{
    const char *root_end = NULL, *page_end = NULL, *annotations;
    const char *root = object_of(&root_end, update, update->root);
    const char *page = object_of(&page_end, update, update->page);
    unsigned field = update->count + FIELD;

    if (!root || !page || find(root, root_end, "/AcroForm")) {
        return false;
    }
    put_field(update);
    put_changed(update, ROOT, update->root, root_end,
                apr_psprintf(update->pool,
                             "   /AcroForm << /Fields [ %u 0 R ] /SigFlags 3 >>\n", field));
    annotations = find(page, page_end, "/Annots ");
    if (annotations && annotations[8] != '[') {
        return false;
    }
    put_changed(update, PAGE, update->page, annotations ? annotations + 9 : page_end,
                apr_psprintf(update->pool, annotations ? " %u 0 R" : "   /Annots [ %u 0 R ]\n",
                             field));
    return true;
}

static void put_row(update_t *update, unsigned number, int which)
{
    put_text(update, apr_psprintf(update->pool, "%u 1\n%010" APR_SIZE_T_FMT " 00000 n \n", number,
                                  update->written[which]));
}

static void put_table(update_t *update)
{
    apr_size_t table = (apr_size_t)update->out->nelts;
    bool root_first = update->root < update->page;

    put_text(update, "xref\n");
    put_row(update, root_first ? update->root : update->page, root_first ? ROOT : PAGE);
    put_row(update, root_first ? update->page : update->root, root_first ? PAGE : ROOT);
    put_row(update, update->count, SIGNATURE);
    put_row(update, update->count + FIELD, FIELD);
    put_text(update,
             apr_psprintf(update->pool,
                          "trailer\n<< /Size %u\n   /Root %u 0 R\n   /Info %u 0 R\n   %s\n"
                          "   /Prev %" APR_SIZE_T_FMT "\n>>\nstartxref\n%" APR_SIZE_T_FMT
                          "\n%%%%EOF\n",
                          update->count + 2, update->root, update->info, update->identifier,
                          update->table, table));
}

/* --- Signing ---------------------------------------------------------------- */

/* Writes which bytes are signed: all but the signature itself. */
static void set_range(const update_t *update, apr_size_t behind)
{
    char range[BYTE_RANGE_LENGTH + 1];

    apr_snprintf(range, sizeof(range), BYTE_RANGE, update->signature - 1, behind,
                 (apr_size_t)update->out->nelts - behind);
    memcpy(update->out->elts + update->range, range, BYTE_RANGE_LENGTH);
}

static const char *sign(const update_t *update, const lims_document_key_t *key, int most)
{
    static const char digits[] = "0123456789abcdef";
    char *bytes = update->out->elts, *to = bytes + update->signature;
    apr_size_t behind = update->signature + 2 * (apr_size_t)most + 1;
    const struct iovec pieces[] = {
        { .iov_base = bytes, .iov_len = update->signature - 1 },
        { .iov_base = bytes + behind, .iov_len = (apr_size_t)update->out->nelts - behind },
    };
    unsigned char sha256[LIMS_SHA256_LENGTH];
    const unsigned char *cms;
    int length = 0;

    set_range(update, behind);
    if (!lims_sha256_pieces(sha256, pieces, (int)LIMS_LENGTH(pieces))) {
        return "OpenSSL could not digest it";
    }
    cms = lims_pades_cms(&length, key, sha256, update->pool);
    if (!cms || length > most) {
        return "OpenSSL could not sign it";
    }
    for (int i = 0; i < length; i++) {
        *to++ = digits[cms[i] >> 4];
        *to++ = digits[cms[i] & 15];
    }
    return NULL;
}

const char *lims_pades_sign(const char **signed_bytes, apr_size_t *signed_length,
                            const lims_document_key_t *key, const char *pdf, apr_size_t length,
                            const char *at, apr_pool_t *pool)
{
    update_t update = { .pdf = pdf, .length = length, .pool = pool };
    int most = lims_pades_cms_max(key);
    const char *problem;

    if (!read_table(&update) || !find_page(&update)) {
        return "it has another form than the printer's";
    }
    update.out = apr_array_make(pool, (int)length + 2 * most + 8192, 1);
    put(&update, pdf, length);
    put_signature(&update, at, most);
    if (!put_objects(&update)) {
        return "it has another form than the printer's";
    }
    put_table(&update);
    problem = sign(&update, key, most);
    *signed_bytes = update.out->elts;
    *signed_length = (apr_size_t)update.out->nelts;
    return problem;
}
