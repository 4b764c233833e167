/* SPDX-License-Identifier: Apache-2.0 */
/*
 * certificate.h - what the files of a certificate share.
 *
 * certificate.c has its paper: letterhead, title, feet. The other files add the sections
 * that stand in between.
 */
#ifndef LIMS_PRINT_CERTIFICATE_H
#define LIMS_PRINT_CERTIFICATE_H

#include "print/blocks.h"
#include "print/members.h"

typedef struct {
    const lims_json_t *content; /* of lims.certificate_content() */
    const lims_json_t *layout;  /* declared by the laboratory, or NULL */
    bool draft;
    bool has_units; /* the table of results has a column of units */
    lims_fonts_t *fonts;
    lims_blocks_t blocks;
    apr_pool_t *pool;
} lims_certificate_t;

/* Adds the section about the client, as all of the following do; nothing where there is
 * nothing to say. */
void lims_certificate_client(lims_certificate_t *certificate);

/* Adds the section about the order. */
void lims_certificate_order(lims_certificate_t *certificate);

/* Adds the section about the sample. */
void lims_certificate_sample(lims_certificate_t *certificate);

/* Adds the section about the receipt. */
void lims_certificate_receipt(lims_certificate_t *certificate);

/* Adds the table of results. */
void lims_certificate_results(lims_certificate_t *certificate);

/* Adds the explanations of the qualifiers. */
void lims_certificate_qualifiers(lims_certificate_t *certificate);

/* Adds the methods. */
void lims_certificate_methods(lims_certificate_t *certificate);

/* Adds the approvals. */
void lims_certificate_approvals(lims_certificate_t *certificate);

/* Adds the people who entered and verified. */
void lims_certificate_people(lims_certificate_t *certificate);

/* Adds the amendments. */
void lims_certificate_amendments(lims_certificate_t *certificate);

/* Adds the statements of the laboratory. */
void lims_certificate_statements(lims_certificate_t *certificate);

/* Returns a test's name with its code: "Lead, total (PB)". */
const char *lims_certificate_test(const lims_json_t *result, apr_pool_t *pool);

/* Whether any test is within the scope of an accreditation, or the laboratory has a mark. */
bool lims_certificate_is_accredited(const lims_certificate_t *certificate);

/* Facts of a section, in their order. */
typedef struct {
    lims_fact_t facts[16];
    int count;
} lims_fact_list_t;

/* Adds a fact; nothing if it has no value. */
void lims_fact_add(lims_fact_list_t *list, const char *label, lims_type_style_e style,
                   const char *value);

/* Adds a heading and the facts below it, if there are any. */
void lims_fact_section(lims_certificate_t *certificate, const char *heading,
                       const lims_fact_list_t *list);

#endif /* LIMS_PRINT_CERTIFICATE_H */
