/* SPDX-License-Identifier: Apache-2.0 */
/* job.c - the kinds of jobs. */
#include "print/job.h"

#include <string.h>

#include "kernel/base64.h"
#include "kernel/error.h"
#include "print/logo.h"
#include "print/members.h"

/* Most values in a job: what fits into memory beside the document. */
#define VALUES_MAX 400000

static const struct {
    const char *kind;
    const lims_error_t *(*document)(lims_print_document_t *document, const lims_json_t *job,
                                    lims_fonts_t *fonts, apr_pool_t *pool);
} kinds[] = {
    { "certificate", lims_certificate_document },
    { "certificates", lims_certificate_document },
    { "report", lims_report_document },
    { "labels", lims_label_document },
};

/* Reads a logo and writes its pixels as a PNG anew: what a laboratory uploads is kept as this
 * only. */
static const lims_error_t *clean_logo(const char **bytes, apr_size_t *length,
                                      const lims_json_t *job, apr_pool_t *pool)
{
    const char *file = lims_member_raw(job, "file"), *png = NULL;
    const lims_error_t *error;
    apr_size_t size = 0;
    lims_logo_t logo;

    if (!file || !lims_base64_decode(&png, &size, file, pool)) {
        return lims_client_error(pool, LIMS_E_INVALID_BODY, "The logo is not base64");
    }
    error = lims_logo_read(&logo, png, size, pool);
    error = error ? error : lims_logo_write(bytes, length, &logo, pool);
    if (!error && *length > LIMS_LOGO_BYTES_MAX) {
        error = lims_client_error(pool, LIMS_E_INVALID_BODY,
                                  "The logo cannot be used: it would be larger than 1 MB; give one "
                                  "with fewer pixels");
    }
    return error;
}

const lims_error_t *lims_job_make(const char **bytes, apr_size_t *length, const char *job,
                                  apr_size_t job_length, lims_fonts_t *fonts, apr_pool_t *pool)
{
    lims_print_document_t document = { .title = "", .language = "en" };
    lims_json_t *root = NULL;
    const lims_error_t *error = lims_json_parse_bounded(&root, job, job_length, VALUES_MAX, pool);
    const char *kind = error ? NULL : lims_member_raw(root, "kind");

    if (error) {
        return error;
    }
    if (kind && strcmp(kind, "logo") == 0) {
        return clean_logo(bytes, length, root, pool);
    }
    for (size_t i = 0; kind && i < LIMS_LENGTH(kinds); i++) {
        if (strcmp(kinds[i].kind, kind) == 0) {
            error = kinds[i].document(&document, root, fonts, pool);
            document.han = lims_fonts_han(document.language, job, job_length);
            return error ? error : lims_document_make(bytes, length, &document, fonts, pool);
        }
    }
    return lims_client_error(pool, LIMS_E_INVALID_BODY, "The job has no kind that is known");
}
