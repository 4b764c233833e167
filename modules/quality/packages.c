/* SPDX-License-Identifier: Apache-2.0 */
/*
 * packages.c - packages of investigations and QC batches: results, controls, charts,
 * worksheets, notes and trail, as a PDF, or as a ZIP archive of that PDF, of the records as
 * JSON and of the bytes of attachments, with a manifest of digests. lims.package_of() puts
 * them together.
 */
#include <apr_strings.h>
#include <string.h>

#include "database/database.h"
#include "documents/documents.h"
#include "kernel/base64.h"
#include "kernel/digest.h"
#include "kernel/error.h"
#include "kernel/field.h"
#include "kernel/writer.h"
#include "quality/package_archive.h"
#include "quality/quality.h"
#include "service/service.h"

/* Columns of the statement that are files of the archive, "record" as "record.json". */
static const char *const parts[] = { "record", "results", "controls", "charts", "worksheets",
                                     "notes",  "trail" };

typedef struct {
    const char *name; /* of the record */
    const char *made_at;
    const char *laboratory;
    const char *attachments;   /* of the record, a JSON array: lims.package_files() */
    apr_array_header_t *files; /* lims_package_file_t: report, parts, attachments, manifest */
    apr_pool_t *pool;
} package_t;

/* The table of a package's record, by the path that was asked for. */
static const char *table_of(const lims_request_t *rq)
{
    return strncmp(rq->route->path, "/qc-batches/", 12) == 0 ? "qc_batch" : "investigation";
}

static const char *noun_of(const lims_request_t *rq)
{
    return strncmp(rq->route->path, "/qc-batches/", 12) == 0 ? "QC batch" : "investigation";
}

static const lims_error_t *find(lims_result_t **row, lims_request_t *rq)
{
    const lims_call_t call = { .statement = LIMS_STMT_PACKAGE_GET };
    const lims_error_t *error;

    lims_values_set(rq->values, "table", table_of(rq));
    error = lims_service_read(row, rq, &call, 1);
    return error || lims_result_count(*row) > 0
               ? error
               : lims_client_error(rq->pool, LIMS_E_NOT_FOUND,
                                   "There is no %s %s in your organization.", noun_of(rq),
                                   lims_values_get(rq->values, "id"));
}

/* --- PDF ---------------------------------------------------------------------- */

static const lims_error_t *prepare_pdf(lims_request_t *rq)
{
    lims_result_t *row = NULL;
    const lims_error_t *error = find(&row, rq);

    if (!error) {
        lims_print_later(rq, lims_result_get(row, 0, "job"),
                         apr_pstrcat(rq->pool, lims_result_get(row, 0, "name"), "-package.pdf",
                                     NULL));
    }
    return error;
}

/* --- ZIP ---------------------------------------------------------------------- */

static const lims_error_t *failure(const char *cause, apr_pool_t *pool)
{
    return lims_server_error(pool, LIMS_E_INTERNAL, 398, cause,
                             "The package could not be put together.");
}

static void add_file(package_t *package, const char *name, const char *bytes, apr_size_t length)
{
    APR_ARRAY_PUSH(package->files, lims_package_file_t) =
        (lims_package_file_t){ .name = name, .bytes = bytes, .length = length };
}

/* Adds the bytes of an attachment. */
static const lims_error_t *take_attachment(void *taker, const lims_result_t *row)
{
    package_t *package = taker;
    const char *path = apr_pstrdup(package->pool, lims_result_get(row, 0, "path"));
    const char *bytes = NULL;
    apr_size_t length = 0;

    if (!lims_base64_decode(&bytes, &length, lims_result_get(row, 0, "contentBase64"),
                            package->pool)) {
        return failure("bytes of an attachment", package->pool);
    }
    add_file(package, path, bytes, length);
    return NULL;
}

static const lims_error_t *prepare_zip(lims_request_t *rq)
{
    package_t *package = apr_pcalloc(rq->pool, sizeof(*package));
    const lims_call_t call = { .statement = LIMS_STMT_PACKAGE_FILE,
                               .each = take_attachment,
                               .taker = package };
    lims_result_t *row = NULL, *rest = NULL;
    const lims_error_t *error = find(&row, rq);

    if (error) {
        return error;
    }
    *package = (package_t){
        .name = lims_result_get(row, 0, "name"),
        .made_at = lims_result_get(row, 0, "madeAt"),
        .laboratory = lims_result_get(row, 0, "laboratory"),
        .attachments = lims_result_get(row, 0, "files"),
        .files = apr_array_make(rq->pool, 16, sizeof(lims_package_file_t)),
        .pool = rq->pool,
    };
    /* The report is its job until it is printed. */
    add_file(package, "package.pdf", lims_result_get(row, 0, "job"), 0);
    for (apr_size_t i = 0; i < LIMS_LENGTH(parts); i++) {
        const char *text = lims_result_get(row, 0, parts[i]);

        add_file(package, apr_pstrcat(rq->pool, parts[i], ".json", NULL), text, strlen(text));
    }
    rq->staged = package;
    lims_values_set(rq->values, "files", package->attachments);
    return lims_service_read(&rest, rq, &call, 1);
}

/* Writes the size and SHA-256 of each file. */
static bool write_digests(lims_writer_t *w, const package_t *package)
{
    const char *digest = "";

    lims_writer_array_begin(w);
    for (int i = 0; i < package->files->nelts && digest; i++) {
        const lims_package_file_t *file = &APR_ARRAY_IDX(package->files, i, lims_package_file_t);

        digest = lims_sha256_hex(file->bytes, file->length, LIMS_SHA256_LENGTH, package->pool);
        lims_writer_object_begin(w);
        lims_writer_key(w, "name");
        lims_writer_string(w, file->name);
        lims_writer_key(w, "size");
        lims_writer_raw(w, apr_psprintf(package->pool, "%" APR_SIZE_T_FMT, file->length));
        lims_writer_key(w, "sha256");
        lims_writer_string(w, digest ? digest : "");
        lims_writer_object_end(w);
    }
    lims_writer_array_end(w);
    return digest;
}

/* Adds the manifest: the size and SHA-256 of each other file, and the attachments, of which
 * those without a path are left out. */
static bool add_manifest(package_t *package)
{
    lims_writer_t *w = lims_writer_create(package->pool);
    const char *text;
    apr_size_t length = 0;
    bool written;

    lims_writer_object_begin(w);
    lims_writer_key(w, "package");
    lims_writer_string(w, package->name);
    lims_writer_key(w, "laboratory");
    lims_writer_string(w, package->laboratory);
    lims_writer_key(w, "madeAt");
    lims_writer_string(w, package->made_at);
    lims_writer_key(w, "files");
    written = write_digests(w, package);
    lims_writer_key(w, "attachments");
    lims_writer_raw(w, package->attachments);
    lims_writer_object_end(w);
    text = lims_writer_finish(&length, w);
    add_file(package, "manifest.json", text, length);
    return written;
}

static const lims_error_t *print_zip(lims_request_t *rq)
{
    package_t *package = rq->staged;
    lims_package_file_t *report = &APR_ARRAY_IDX(package->files, 0, lims_package_file_t);
    const char *bytes = NULL, *problem;
    apr_size_t length = 0;
    const lims_error_t *error =
        lims_print_pdf(&report->bytes, &report->length, report->bytes, rq);

    if (error) {
        return error;
    }
    if (!add_manifest(package)) {
        return lims_no_digest(rq->pool);
    }
    problem = lims_package_archive(&bytes, &length, package->files, apr_time_now(), rq->pool);
    if (problem) {
        return failure(problem, rq->pool);
    }
    rq->reply->body = bytes;
    rq->reply->length = length;
    rq->reply->file_name = apr_pstrcat(rq->pool, package->name, "-package.zip", NULL);
    return NULL;
}

/* --- Routes ------------------------------------------------------------------- */

static const lims_error_e errors[] = { LIMS_E_DOCUMENT_FAILED, LIMS_E_PAYLOAD_TOO_LARGE,
                                       LIMS_E_COUNT };

/* clang-format off */
#define PACKAGE_PDF(list, noun, word, name)                                          \
    .method = "GET",                                                                 \
    .path = list "/:id/package.pdf",                                                 \
    .command = word " package-pdf",                                                  \
    .surfaces = LIMS_SURFACES_PEOPLE,                                                \
    .operation = "get" name "Package",                                               \
    .summary = "The package of " noun " as PDF",                                     \
    .description = "Results, controls with their charts, worksheets, comments, attachments " \
                   "by name, size and SHA-256, and the trail, as they are now.",     \
    .permission = "data.read",                                                       \
    .flags = LIMS_PDF_FLAGS,                                                         \
    .status = 200,                                                                   \
    .handler = prepare_pdf,                                                          \
    .work = lims_print_and_answer,                                                   \
    .errors = errors

#define PACKAGE_ZIP(list, noun, word, name)                                          \
    .method = "GET",                                                                 \
    .path = list "/:id/package.zip",                                                 \
    .command = word " package-zip",                                                  \
    .surfaces = LIMS_SURFACES_PEOPLE,                                                \
    .operation = "get" name "Archive",                                               \
    .summary = "The package of " noun " as ZIP archive",                             \
    .description = "The PDF of the package, its records as JSON, and the record's "  \
                   "attachments, withdrawn ones too, below attachments/; manifest.json has the " \
                   "size and SHA-256 of each other file. Attachments are in it in the order in " \
                   "which they were attached, up to 32 MB in all; those beyond are listed with " \
                   "their size and SHA-256, and a null `path`. At the command line the bytes "   \
                   "go to standard output: `limsctl ... > package.zip`.",            \
    .permission = "data.read",                                                       \
    .flags = LIMS_R_NO_RECORD | LIMS_R_DOCUMENT | LIMS_R_BYTES,                      \
    .status = 200,                                                                   \
    .handler = prepare_zip,                                                          \
    .work = print_zip,                                                               \
    .errors = errors
/* clang-format on */

static const lims_route_t routes[] = {
    { PACKAGE_PDF("/investigations", "an investigation", "investigation", "Investigation") },
    { PACKAGE_ZIP("/investigations", "an investigation", "investigation", "Investigation") },
    { PACKAGE_PDF("/qc-batches", "a QC batch", "qc-batch", "QcBatch") },
    { PACKAGE_ZIP("/qc-batches", "a QC batch", "qc-batch", "QcBatch") },
    LIMS_ROUTE_END,
};

static const lims_field_t no_fields[] = { LIMS_FIELD_END };

const lims_resource_t lims_package = {
    .name = "package",
    .title = "Packages",
    .schema = "Package",
    .doc = "Package of an investigation or a QC batch, for whoever looks into it elsewhere.",
    .fields = no_fields,
    .routes = routes,
};
