/* SPDX-License-Identifier: Apache-2.0 */
/*
 * decide_many.c - decision of many approvals by one signature act: one password, and a
 * signature of each.
 */
#include <string.h>

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
    { .name = "contentHash",
      .type = LIMS_T_STRING,
      .min = 64,
      .max = 64,
      .pattern = "^[0-9a-f]*$",
      .doc = "Digest of what is signed, as it was shown. If it differs now, this one is not "
             "decided (precondition_failed)." },
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
    { .name = "atomic",
      .type = LIMS_T_BOOLEAN,
      .fallback = "true",
      .doc = "Whether nothing is decided if one of them is refused." },
    LIMS_FIELD_END,
};

static const lims_field_t result_fields[] = {
    { .name = "id",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT,
      .doc = "Id of the approval record." },
    { .name = "status",
      .type = LIMS_T_ENUM,
      .values = lims_approval_statuses,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Status of the approval now; null for one that there is not." },
    { .name = "error",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Slug of the error by which this one was refused; null: it was not." },
    { .name = "message",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Text of the refusal, for people." },
    { .name = "blockers",
      .type = LIMS_T_JSON,
      .flags = LIMS_F_OUT,
      .doc = "Every reason that refuses this one, as when it is decided alone." },
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

/* Tells each item the status that its approval has, and will have. */
static void note_statuses(lims_each_t *items, int count, const lims_result_t *approvals)
{
    for (int i = 0; i < count; i++) {
        items[i].becomes = lims_json_member(items[i].asked, "status")->text;
        for (int row = 0; row < lims_result_count(approvals); row++) {
            if (strcmp(lims_result_get(approvals, row, "id"), items[i].id) == 0) {
                items[i].stood = lims_result_get(approvals, row, "status");
            }
        }
    }
}

const lims_error_t *lims_approvals_decide_many(lims_request_t *rq)
{
    bool atomic = strcmp(lims_values_get(rq->values, "atomic"), "t") == 0;
    lims_each_t *items = NULL;
    lims_result_t *approvals = NULL;
    int count = 0;
    const lims_error_t *error = lims_each_read(&items, &count, rq, "items", "id");

    if (!error) {
        error = lims_database_call(&approvals, rq, LIMS_STMT_APPROVALS_LOCK);
    }
    if (!error) {
        note_statuses(items, count, approvals);
        error = lims_each(rq, items, count, adopt, decide);
    }
    return error ? error : lims_each_answer(rq, items, count, "id", atomic);
}
