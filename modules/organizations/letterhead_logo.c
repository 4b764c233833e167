/* SPDX-License-Identifier: Apache-2.0 */
/*
 * letterhead_logo.c - the logo in the letterhead of certificates. What is uploaded is given to the
 * printer, a process of its own, and kept as the PNG that it writes anew of the pixels;
 * nothing else of the file is.
 */
#include "organizations/letterhead_logo.h"

#include <apr_strings.h>
#include <string.h>

#include "documents/documents.h"
#include "kernel/base64.h"
#include "kernel/error.h"
#include "kernel/field.h"
#include "service/content.h"
#include "service/service.h"

/* Maximum length of base64 text, for 1 MB of bytes. */
#define CONTENT_MAX 1398104

const lims_field_t lims_logo_input[] = {
    { .name = "contentBase64",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_CREATE | LIMS_F_REQUIRED | LIMS_F_FILE64,
      .min = 1,
      .max = CONTENT_MAX,
      .doc = "Bytes of the picture, a PNG, in base64 without line breaks; at most 1 MB of bytes, "
             "4,000 pixels on a side and 2 million in all." },
    LIMS_REASON_FIELD,
    LIMS_FIELD_END,
};

const lims_error_t *lims_logo_prepare(lims_request_t *rq)
{
    const char *bytes = NULL;
    apr_size_t length = 0;
    const lims_error_t *error = lims_content_read(&bytes, &length, rq);

    if (!error) {
        lims_print_later(rq,
                         apr_pstrcat(rq->pool, "{\"kind\":\"logo\",\"file\":\"",
                                     lims_values_get(rq->values, "contentBase64"), "\"}", NULL),
                         "logo.png");
    }
    return error;
}

const lims_error_t *lims_logo_keep(lims_request_t *rq)
{
    lims_result_t *results[2] = { NULL, NULL };
    const lims_call_t calls[] = { { .statement = LIMS_STMT_LOGO_ADD },
                                  { .statement = LIMS_STMT_LOGO_CHOOSE } };
    const lims_printed_t *printed = lims_printed_staged(rq);

    if (printed->outcome == LIMS_PRINT_REFUSED) {
        return lims_client_error(rq->pool, LIMS_E_INVALID_BODY, "contentBase64: %s.",
                                 printed->reason);
    }
    lims_values_set(rq->values, "logo",
                    lims_base64_encode(printed->bytes, printed->length, rq->pool));
    return lims_database_run(results, rq, calls, 2, 0);
}

const lims_error_t *lims_logo_remove(lims_request_t *rq)
{
    lims_result_t *row = NULL;

    lims_values_set(rq->values, "logo", NULL);
    return lims_database_call(&row, rq, LIMS_STMT_LOGO_CHOOSE);
}

const lims_error_t *lims_logo_show(lims_request_t *rq)
{
    const lims_call_t call = { .statement = LIMS_STMT_LOGO_GET };
    lims_result_t *row = NULL;
    const lims_error_t *error = lims_service_read(&row, rq, &call, 1);

    if (error) {
        return error;
    }
    if (lims_result_count(row) == 0) {
        return lims_client_error(rq->pool, LIMS_E_NOT_FOUND, "Your organization has no logo.");
    }
    rq->reply->body = lims_result_get(row, 0, "document");
    rq->reply->length = strlen(rq->reply->body);
    return NULL;
}
