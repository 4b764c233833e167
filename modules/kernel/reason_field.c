/* SPDX-License-Identifier: Apache-2.0 */
/* reason_field.c - the body of actions that ask for a reason alone. */
#include "lims.h"

const lims_field_t lims_reason_input[] = { LIMS_REASON_FIELD, LIMS_FIELD_END };

static const lims_field_t signature_members[] = {
    { .name = "password",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_REQUIRED | LIMS_F_SECRET,
      .min = 1,
      .max = 255,
      .doc = "Password of the person who signs." },
    { .name = "contentHash",
      .type = LIMS_T_STRING,
      .min = 64,
      .max = 64,
      .pattern = "^[0-9a-f]*$",
      .doc = "Digest of what the signer saw, as the record showed it; of an act over many records "
             "each has its own." },
    LIMS_FIELD_END,
};

const lims_field_t lims_reserved_fields[] = {
    [LIMS_RESERVED_REASON] = { .name = "reason",
                               .type = LIMS_T_STRING,
                               .flags = LIMS_F_CREATE | LIMS_F_UPDATE | LIMS_F_WORDS,
                               .min = 1,
                               .max = 1000,
                               .doc = "Reason for the act, kept in the audit trail.",
                               .example = "bottle broken in transit" },
    [LIMS_RESERVED_SIGNATURE] = { .name = "signature",
                                  .type = LIMS_T_OBJECT,
                                  .flags = LIMS_F_CREATE | LIMS_F_UPDATE,
                                  .members = signature_members,
                                  .doc = "Electronic signature of the person who acts." },
    [LIMS_RESERVED_COUNT] = LIMS_FIELD_END,
};
