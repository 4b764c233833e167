/* SPDX-License-Identifier: Apache-2.0 */
/* policies.c - what policies touch now, and what nobody could do under them. */
#include "database/database.h"
#include "kernel/field.h"
#include "kernel/vocabulary.h"
#include "kernel/writer.h"
#include "organizations/organizations.h"
#include "service/service.h"

static const lims_field_t query[] = {
    { .name = "selfVerification",
      .type = LIMS_T_ENUM,
      .values = lims_self_verifications,
      .doc = "Value of this policy to judge by, instead of the one in force." },
    { .name = "approverMayBeVerifier",
      .type = LIMS_T_BOOLEAN,
      .doc = "Value of this policy to judge by, instead of the one in force." },
    LIMS_FIELD_END,
};

static const lims_field_t impact_fields[] = {
    { .name = "policy",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Name of the policy, as a member of the organization." },
    { .name = "value",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Value of the policy to which the rest belongs." },
    { .name = "inForce",
      .type = LIMS_T_BOOLEAN,
      .flags = LIMS_F_OUT,
      .doc = "Whether the policy has this value now." },
    { .name = "affected",
      .type = LIMS_T_INTEGER,
      .flags = LIMS_F_OUT,
      .max = 10000,
      .doc = "Number of records that it touches now, counted up to 10,000." },
    { .name = "sentence",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Consequence for these records, for people." },
    LIMS_FIELD_END,
};

static const lims_field_t output[] = {
    { .name = "policies",
      .type = LIMS_T_OBJECT_LIST,
      .members = impact_fields,
      .flags = LIMS_F_OUT,
      .doc = "Consequences of policies today, those in force first." },
    { .name = "lacks",
      .type = LIMS_T_STRING_LIST,
      .flags = LIMS_F_OUT,
      .doc = "Acts that no active person could do; empty: every sample can be reported." },
    { .name = "remedies",
      .type = LIMS_T_STRING_LIST,
      .flags = LIMS_F_OUT,
      .doc = "Changes of which each would be enough alone; empty: nothing lacks." },
    LIMS_FIELD_END,
};

/* Writes the texts of one column as a member. */
static void write_texts(lims_writer_t *w, const char *name, const lims_result_t *rows,
                        const char *column)
{
    lims_writer_key(w, name);
    lims_writer_array_begin(w);
    for (int i = 0; i < lims_result_count(rows); i++) {
        lims_writer_string(w, lims_result_get(rows, i, column));
    }
    lims_writer_array_end(w);
}

static const lims_error_t *impact(lims_request_t *rq)
{
    const lims_call_t calls[] = { { .statement = LIMS_STMT_POLICY_IMPACT },
                                  { .statement = LIMS_STMT_POLICY_LACKS },
                                  { .statement = LIMS_STMT_POLICY_REMEDIES } };
    lims_result_t *results[3] = { NULL, NULL, NULL };
    const lims_error_t *error = lims_service_read(results, rq, calls, 3);
    lims_writer_t *w = lims_writer_create(rq->pool);

    if (error) {
        return error;
    }
    lims_writer_object_begin(w);
    lims_writer_key(w, "policies");
    lims_render_objects(w, impact_fields, results[0], lims_result_count(results[0]), rq->pool);
    write_texts(w, "lacks", results[1], "lack");
    write_texts(w, "remedies", results[2], "remedy");
    lims_writer_object_end(w);
    lims_render_finish(rq, w);
    return NULL;
}

static const lims_route_t routes[] = {
    { .method = "GET",
      .path = "/policies/impact",
      .command = "policy impact",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "getPolicyImpact",
      .summary = "List what policies touch now, and what nobody could do under them",
      .permission = "policy.manage",
      .flags = LIMS_R_NO_RECORD,
      .query = query,
      .output = output,
      .status = 200,
      .handler = impact },
    LIMS_ROUTE_END,
};

static const lims_field_t no_fields[] = { LIMS_FIELD_END };

const lims_resource_t lims_policy = {
    .name = "policy",
    .title = "Policies",
    .schema = "Policy",
    .doc = "Policy of the organization, with its consequences.",
    .fields = no_fields,
    .routes = routes,
};
