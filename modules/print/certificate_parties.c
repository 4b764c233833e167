/* SPDX-License-Identifier: Apache-2.0 */
/* certificate_parties.c - client, order, sample and receipt. */
#include <apr_strings.h>
#include <string.h>

#include "print/certificate.h"

void lims_fact_add(lims_fact_list_t *list, const char *label, lims_type_style_e style,
                   const char *value)
{
    if (*value && list->count < (int)LIMS_LENGTH(list->facts)) {
        list->facts[list->count++] =
            (lims_fact_t){ .label = label, .value = value, .style = style };
    }
}

void lims_fact_section(lims_certificate_t *certificate, const char *heading,
                       const lims_fact_list_t *list)
{
    lims_block_t *block;

    if (list->count == 0) {
        return;
    }
    lims_block_heading(&certificate->blocks, heading);
    block = lims_block_add(&certificate->blocks, LIMS_BLOCK_FACTS);
    block->facts = apr_pmemdup(certificate->pool, list->facts, sizeof(list->facts));
    block->fact_count = list->count;
}

/* A row of a section: which member, below which label. */
typedef struct {
    const char *member, *label;
    lims_type_style_e style;
    bool time;
} row_t;

static void add_rows(lims_fact_list_t *list, const lims_certificate_t *certificate,
                     const lims_json_t *object, const row_t *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        lims_fact_add(list, rows[i].label, rows[i].style,
                      rows[i].time
                          ? lims_member_time(object, rows[i].member, false, certificate->pool)
                          : lims_member_text(object, rows[i].member, certificate->pool));
    }
}

void lims_certificate_client(lims_certificate_t *certificate)
{
    static const row_t rows[] = {
        { "name", "Name", LIMS_STYLE_STRONG, false },
        { "address", "Address", LIMS_STYLE_BODY, false },
        { "contactName", "Contact", LIMS_STYLE_BODY, false },
        { "code", "Client code", LIMS_STYLE_CODE, false },
    };
    lims_fact_list_t list = { .count = 0 };

    add_rows(&list, certificate, lims_json_member(certificate->content, "client"), rows,
             LIMS_LENGTH(rows));
    lims_fact_section(certificate, "Client", &list);
}

void lims_certificate_order(lims_certificate_t *certificate)
{
    static const row_t rows[] = {
        { "orderNumber", "Order number", LIMS_STYLE_CODE, false },
        { "contact", "Contact of the order", LIMS_STYLE_BODY, false },
    };
    lims_fact_list_t list = { .count = 0 };

    add_rows(&list, certificate, lims_json_member(certificate->content, "order"), rows,
             LIMS_LENGTH(rows));
    lims_fact_section(certificate, "Order", &list);
}

void lims_certificate_sample(lims_certificate_t *certificate)
{
    static const row_t rows[] = {
        { "trackingId", "Laboratory's sample", LIMS_STYLE_CODE, false },
        { "sampleIdentifier", "Client's sample", LIMS_STYLE_STRONG, false },
        { "externalId", "Client's system", LIMS_STYLE_CODE, false },
        { "materialType", "Material", LIMS_STYLE_BODY, false },
        { "project", "Project", LIMS_STYLE_BODY, false },
        { "plantLocation", "Place of sampling", LIMS_STYLE_BODY, false },
    };
    const lims_json_t *sample = lims_json_member(certificate->content, "sample");
    lims_fact_list_t list = { .count = 0 };
    const char *collected = lims_member_time(sample, "collectedAt", false, certificate->pool);

    if (!*collected) {
        collected = lims_member_line(sample, "collectionDate", certificate->pool);
    }
    add_rows(&list, certificate, sample, rows, LIMS_LENGTH(rows));
    lims_fact_add(&list, "Sampled", LIMS_STYLE_BODY, collected);
    lims_fact_add(&list, "Remark", LIMS_STYLE_BODY,
                  lims_member_text(sample, "remark", certificate->pool));
    lims_fact_section(certificate, "Sample", &list);
}

void lims_certificate_receipt(lims_certificate_t *certificate)
{
    static const row_t rows[] = {
        { "receivedAt", "Received", LIMS_STYLE_BODY, true },
        { "receivedBy", "Received by", LIMS_STYLE_BODY, false },
        { "condition", "Condition", LIMS_STYLE_BODY, false },
        { "containers", "Containers", LIMS_STYLE_BODY, false },
        { "deviations", "Deviations", LIMS_STYLE_BODY, false },
    };
    const lims_json_t *receipt = lims_json_member(certificate->content, "receipt");
    const char *temperature = lims_member_line(receipt, "temperature", certificate->pool);
    lims_fact_list_t list = { .count = 0 };

    add_rows(&list, certificate, receipt, rows, 2);
    if (*temperature) {
        lims_fact_add(&list, "Temperature", LIMS_STYLE_BODY,
                      apr_pstrcat(certificate->pool, temperature,
                                  " \xC2\xB0"
                                  "C",
                                  NULL));
    }
    add_rows(&list, certificate, receipt, rows + 2, LIMS_LENGTH(rows) - 2);
    lims_fact_section(certificate, "Receipt", &list);
}
