/* SPDX-License-Identifier: Apache-2.0 */
/*
 * decide_many.c - decision of many approvals by one signature act: one password, and a
 * signature of each.
 */
#include "approvals/approvals.h"
#include "database/database.h"
#include "kernel/field.h"
#include "kernel/validate.h"
#include "service/each.h"

static const lims_field_t item_fields[] = {
    { .name = "id",
      .type = LIMS_T_ID,
      .flags = LIMS_F_REQUIRED,
      .doc = "Id of the approval record.",
      .example = "412" },
    { .name = "status",
      .type = LIMS_T_ENUM,
      .values = lims_approval_statuses + 1,
      .flags = LIMS_F_REQUIRED,
      .doc = "Decision on this step: approved or rejected." },
    { .name = "comment",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_NULLABLE,
      .max = 4000,
      .doc = "Comment on the decision; required for a rejection." },
    LIMS_EACH_CONTENT_HASH_FIELD(
        "Digest of what is signed, as it was shown. If it differs now, this one is not "
        "decided (precondition_failed)."),
    LIMS_FIELD_END,
};

const lims_field_t lims_approvals_decide_input[] = {
    { .name = "items",
      .type = LIMS_T_OBJECT_LIST,
      .flags = LIMS_F_REQUIRED | LIMS_F_UNIQUE,
      .min = 1,
      .max = 200,
      .members = item_fields,
      .unique = "id",
      .doc = "Approvals to decide, each once.",
      .example = "[{\"id\":412,\"status\":\"approved\"}]" },
    LIMS_EACH_ATOMIC_FIELD("Whether nothing is decided if one of them is refused."),
    LIMS_FIELD_END,
};

static const lims_field_t result_fields[] = {
    { .name = "id", .type = LIMS_T_ID, .flags = LIMS_F_OUT, .doc = "Id of the approval record." },
    { .name = "status",
      .type = LIMS_T_ENUM,
      .values = lims_approval_statuses,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Status of the approval now; null for one that there is not." },
    LIMS_EACH_REFUSAL_FIELDS("Every reason that refuses this one, as when it is decided alone."),
    LIMS_FIELD_END,
};

const lims_field_t lims_approvals_decide_output[] = {
    { .name = "results",
      .type = LIMS_T_OBJECT_LIST,
      .flags = LIMS_F_OUT,
      .members = result_fields,
      .doc = "Outcome for each, in the order sent." },
    LIMS_FIELD_END,
};

/* Gives the request the decision of one, as if it came alone. */
static const lims_error_t *adopt(lims_request_t *rq, const lims_each_t *item)
{
    for (const lims_field_t *field = item_fields + 1; field->name; field++) {
        const lims_json_t *given = lims_json_member(item->asked, field->name);

        lims_values_put(rq->values, field, given ? given->text : NULL);
    }
    return NULL;
}

static const lims_error_t *decide(lims_request_t *rq, const lims_each_t *item)
{
    const lims_error_t *error = lims_approval_guard(rq);
    lims_result_t *ignored = NULL;

    (void)item;
    return error ? error : lims_database_call(&ignored, rq, LIMS_STMT_APPROVAL_DECIDE);
}

const lims_error_t *lims_approvals_decide_many(lims_request_t *rq)
{
    static const lims_each_act_t act = {
        .id_name = "id", .lock = LIMS_STMT_APPROVALS_LOCK, .prepare = adopt, .act = decide
    };

    return lims_each(rq, &act);
}
