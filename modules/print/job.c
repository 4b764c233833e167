/* SPDX-License-Identifier: Apache-2.0 */
/* job.c - the kinds of jobs. */
#include "print/job.h"

#include <string.h>

#include "kernel/error.h"
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
};

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
    document.han = lims_fonts_han(NULL, job, job_length);
    for (size_t i = 0; kind && i < LIMS_LENGTH(kinds); i++) {
        if (strcmp(kinds[i].kind, kind) == 0) {
            error = kinds[i].document(&document, root, fonts, pool);
            return error ? error : lims_document_make(bytes, length, &document, fonts, pool);
        }
    }
    return lims_client_error(pool, LIMS_E_INVALID_BODY, "The job has no kind that is known");
}
