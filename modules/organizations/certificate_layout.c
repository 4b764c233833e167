/* SPDX-License-Identifier: Apache-2.0 */
/*
 * certificate_layout.c - the layout of an organization's certificates: a declaration of
 * order, columns and texts. lims.certificate_layout_mistake() refuses wrong ones.
 */
#include "organizations/organizations.h"

enum { KEPT = LIMS_F_OUT | LIMS_F_NULLABLE };

static const char *const papers[] = { "a4", "letter", NULL };
static const char *const logo_places[] = { "left", "right", "none", NULL };
static const char *const columns[] = { "test",  "method", "result",      "qualifier",  "unit",
                                       "limits", "flag",   "uncertainty", "accredited", "analyzed",
                                       NULL };
static const char *const sections[] = { "client",     "order",     "sample",  "receipt",
                                        "results",    "qualifiers", "methods", "approvals",
                                        "people",     "amendments", "statements", NULL };

const lims_field_t lims_certificate_layout[] = {
    { .name = "paper",
      .type = LIMS_T_ENUM,
      .values = papers,
      .flags = KEPT,
      .doc = "Size of the pages: a4 (usual) or letter." },
    { .name = "title",
      .type = LIMS_T_STRING,
      .flags = KEPT,
      .max = 100,
      .doc = "Title of the document; usually Certificate of analysis.",
      .example = "Test report" },
    { .name = "logo",
      .type = LIMS_T_ENUM,
      .values = logo_places,
      .flags = KEPT,
      .doc = "Place of the laboratory's logo in the letterhead, usually left." },
    { .name = "header",
      .type = LIMS_T_STRING,
      .flags = KEPT,
      .max = 1000,
      .doc = "Text below the letterhead of the first page.",
      .example = "Telephone +1 970 555 0100" },
    { .name = "footer",
      .type = LIMS_T_STRING,
      .flags = KEPT,
      .max = 1000,
      .doc = "Text at the foot of each page." },
    { .name = "columns",
      .type = LIMS_T_STRING_LIST,
      .values = columns,
      .flags = KEPT,
      .min = 1,
      .max = 10,
      .doc = "Columns of the table of results in order, test and result among them.",
      .example = "[\"test\",\"result\",\"unit\",\"limits\"]" },
    { .name = "sections",
      .type = LIMS_T_STRING_LIST,
      .values = sections,
      .flags = KEPT,
      .min = 1,
      .max = 11,
      .doc = "Sections in order; results, people and amendments among them.",
      .example = "[\"client\",\"sample\",\"results\",\"people\",\"amendments\"]" },
    { .name = "statements",
      .type = LIMS_T_STRING_LIST,
      .flags = KEPT,
      .max = 10,
      .doc = "Statements of the laboratory that each certificate makes, besides that the results "
             "concern the items tested only.",
      .example = "[\"This report may only be copied in full.\"]" },
    LIMS_FIELD_END,
};
