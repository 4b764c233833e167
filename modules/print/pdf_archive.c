/* SPDX-License-Identifier: Apache-2.0 */
/* pdf_archive.c - reads the table of objects, adds entries to some, writes all anew. */
#include "print/pdf_archive.h"

#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/digest.h"
#include "print/pdf_metadata.h"
#include "print/srgb_profile.h"

#define IDENTIFIER_BYTES 16

/* Length of a row of the table: "0000000015 00000 n \n". */
#define ROW 20

/* The last bytes of a file, which say where its table is. */
#define TAIL 48

typedef struct {
    GByteArray *out;
    const GByteArray *pdf;
    const lims_pdf_facts_t *facts;
    apr_size_t table;    /* where the table stands in `pdf` */
    unsigned count;      /* of objects, with that of number 0 */
    unsigned root, info; /* objects of the catalogue and of the metadata */
    apr_size_t *places;  /* of objects in `pdf` by their number */
    apr_size_t *written; /* ... in `out`, with those that are added */
    guint figures;       /* that have been met */
    apr_pool_t *pool;
} writer_t;

/* Objects that are added behind cairo's. */
enum { METADATA, INTENT, PROFILE, ADDED };

/* --- Reading ---------------------------------------------------------------- */

static const char *text_at(const writer_t *writer, apr_size_t at)
{
    return (const char *)writer->pdf->data + at;
}

/* Reads the number behind a name in the trailer. */
static bool read_entry(unsigned *number, const char *trailer, apr_size_t length, const char *name)
{
    const char *at = g_strstr_len(trailer, (gssize)length, name);

    *number = at ? (unsigned)strtoul(at + strlen(name), NULL, 10) : 0;
    return *number > 0;
}

/* Finds the table of objects by the last lines of the file. */
static bool read_table(writer_t *writer)
{
    apr_size_t tail = writer->pdf->len < TAIL ? writer->pdf->len : TAIL;
    const char *start =
        g_strstr_len(text_at(writer, writer->pdf->len - tail), (gssize)tail, "startxref\n");
    const char *trailer;
    apr_size_t rows, left;

    writer->table = start ? strtoul(start + 10, NULL, 10) : 0;
    if (writer->table == 0 || writer->table >= writer->pdf->len ||
        strncmp(text_at(writer, writer->table), "xref\n0 ", 7) != 0) {
        return false;
    }
    writer->count = (unsigned)strtoul(text_at(writer, writer->table + 7), NULL, 10);
    rows = writer->table + 7 + strcspn(text_at(writer, writer->table + 7), "\n") + 1;
    left = writer->pdf->len - rows;
    trailer = text_at(writer, rows + (apr_size_t)writer->count * ROW);
    if (writer->count == 0 || left / ROW < writer->count ||
        !read_entry(&writer->root, trailer, left - (apr_size_t)writer->count * ROW, "/Root ") ||
        !read_entry(&writer->info, trailer, left - (apr_size_t)writer->count * ROW, "/Info ")) {
        return false;
    }
    writer->places = apr_pcalloc(writer->pool, sizeof(apr_size_t) * writer->count);
    writer->written = apr_pcalloc(writer->pool, sizeof(apr_size_t) * (writer->count + ADDED));
    for (unsigned i = 1; i < writer->count; i++) {
        writer->places[i] = strtoul(text_at(writer, rows + (apr_size_t)i * ROW), NULL, 10);
        if (writer->places[i] == 0 || writer->places[i] >= writer->table) {
            return false;
        }
    }
    return true;
}

/* --- Writing ---------------------------------------------------------------- */

static void put(writer_t *writer, const char *text, apr_size_t length)
{
    g_byte_array_append(writer->out, (const guint8 *)text, (guint)length);
}

static void put_text(writer_t *writer, const char *text)
{
    put(writer, text, strlen(text));
}

static bool begins(const char *object, apr_size_t length, const char *words)
{
    return memmem(object, length < 400 ? length : 400, words, strlen(words));
}

/* Returns the entries that an object gets. */
static const char *entries_of(writer_t *writer, unsigned number, const char *object,
                              apr_size_t length)
{
    if (number == writer->root) {
        return apr_psprintf(
            writer->pool,
            "   /Lang %s\n%s"
            "   /ViewerPreferences << /DisplayDocTitle true >>\n"
            "   /Metadata %u 0 R\n   /OutputIntents [ %u 0 R ]\n",
            lims_pdf_string(writer->facts->language, writer->pool),
            begins(object, length, "/MarkInfo") ? "" : "   /MarkInfo << /Marked true >>\n",
            writer->count + METADATA, writer->count + INTENT);
    }
    if (begins(object, length, "/Subtype /CIDFontType2")) {
        return "   /CIDToGIDMap /Identity\n";
    }
    if (!begins(object, length, "<< /Type /StructElem")) {
        return NULL;
    }
    if (begins(object, length, "/S /TH\n")) {
        return "   /A << /O /Table /Scope /Column >>\n";
    }
    if (begins(object, length, "/S /Figure\n")) {
        guint figure = writer->figures++;
        const char *text = figure < writer->facts->alternatives->len
                               ? g_ptr_array_index(writer->facts->alternatives, figure)
                               : "";

        return apr_pstrcat(writer->pool, "   /Alt ", lims_pdf_string(text, writer->pool), "\n",
                           NULL);
    }
    return NULL;
}

/* Copies an object, with its entries in front of the end of its dictionary. */
static void put_object(writer_t *writer, unsigned number, apr_size_t end)
{
    const char *object = text_at(writer, writer->places[number]);
    apr_size_t length = end - writer->places[number];
    const char *entries = entries_of(writer, number, object, length), *close = NULL;

    writer->written[number] = writer->out->len;
    if (number == writer->info) {
        put_text(writer, lims_pdf_info(number, writer->facts, writer->pool));
        return;
    }
    if (entries) {
        close = g_strrstr_len(object, (gssize)length, ">>\nendobj");
    }
    if (close) {
        put(writer, object, (apr_size_t)(close - object));
        put_text(writer, entries);
        put(writer, close, length - (apr_size_t)(close - object));
    } else {
        put(writer, object, length);
    }
}

static int compare_places(const void *a, const void *b, void *places)
{
    const apr_size_t *all = places;
    apr_size_t one = all[*(const unsigned *)a], other = all[*(const unsigned *)b];

    return (one > other) - (one < other);
}

/* Copies all objects in the order in which they stand. */
static void put_objects(writer_t *writer)
{
    unsigned *order = apr_palloc(writer->pool, sizeof(unsigned) * writer->count);

    for (unsigned i = 1; i < writer->count; i++) {
        order[i - 1] = i;
    }
    g_qsort_with_data(order, (gint)(writer->count - 1), sizeof(*order), compare_places,
                      writer->places);
    put(writer, text_at(writer, 0), writer->places[order[0]]);
    for (unsigned i = 0; i + 1 < writer->count; i++) {
        put_object(writer, order[i],
                   i + 2 < writer->count ? writer->places[order[i + 1]] : writer->table);
    }
}

static void put_stream(writer_t *writer, int added, const char *entries, const void *bytes,
                       apr_size_t length)
{
    writer->written[writer->count + (unsigned)added] = writer->out->len;
    put_text(writer, apr_psprintf(writer->pool,
                                  "%u 0 obj\n<< %s\n   /Length %" APR_SIZE_T_FMT "\n>>\nstream\n",
                                  writer->count + (unsigned)added, entries, length));
    put(writer, bytes, length);
    put_text(writer, "\nendstream\nendobj\n");
}

static void put_added(writer_t *writer)
{
    const char *metadata = lims_pdf_xmp(writer->facts, writer->pool);
    apr_size_t length = 0;
    const unsigned char *profile = lims_srgb_profile(&length, writer->pool);

    put_stream(writer, METADATA, "/Type /Metadata\n   /Subtype /XML", metadata, strlen(metadata));
    writer->written[writer->count + INTENT] = writer->out->len;
    put_text(writer, apr_psprintf(writer->pool,
                                  "%u 0 obj\n<< /Type /OutputIntent\n   /S /GTS_PDFA1\n"
                                  "   /OutputConditionIdentifier (sRGB)\n   /Info (sRGB)\n"
                                  "   /DestOutputProfile %u 0 R\n>>\nendobj\n",
                                  writer->count + INTENT, writer->count + PROFILE));
    put_stream(writer, PROFILE, "/N 3", profile, length);
}

/* Writes the table and the trailer; the identifier is the digest of all that stands before. */
static bool put_table(writer_t *writer)
{
    const char *identifier =
        lims_sha256_hex(writer->out->data, writer->out->len, IDENTIFIER_BYTES, writer->pool);
    apr_size_t table = writer->out->len;
    unsigned count = writer->count + ADDED;

    put_text(writer, apr_psprintf(writer->pool, "xref\n0 %u\n0000000000 65535 f \n", count));
    for (unsigned i = 1; i < count; i++) {
        char row[ROW + 1];

        apr_snprintf(row, sizeof(row), "%010" APR_SIZE_T_FMT " 00000 n \n", writer->written[i]);
        put_text(writer, row);
    }
    put_text(writer,
             apr_psprintf(writer->pool,
                          "trailer\n<< /Size %u\n   /Root %u 0 R\n   /Info %u 0 R\n"
                          "   /ID [ <%s> <%s> ]\n>>\nstartxref\n%" APR_SIZE_T_FMT "\n%%%%EOF\n",
                          count, writer->root, writer->info, identifier, identifier, table));
    return identifier;
}

bool lims_pdf_archive(GByteArray *archive, const GByteArray *pdf, const lims_pdf_facts_t *facts,
                      apr_pool_t *pool)
{
    writer_t writer = { .out = archive, .pdf = pdf, .facts = facts, .pool = pool };

    if (!read_table(&writer)) {
        return false;
    }
    put_objects(&writer);
    put_added(&writer);
    return put_table(&writer);
}
