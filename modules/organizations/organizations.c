/* SPDX-License-Identifier: Apache-2.0 */
/*
 * organizations.c - organizations: what they have bought and how strict they
 * are. They are made by the owner of the database, since the tenant that
 * row-level security asks for is what comes into being here.
 */
#include "organizations/organizations.h"

#include "kernel/field.h"
#include "service/service.h"

static const char *const plans[] = { "none", "starter", "professional", "enterprise", NULL };
static const char *const expiry_policies[] = { "block", "warn", NULL };

enum {
    SHOWN = LIMS_F_OUT,
    KEPT = LIMS_F_OUT | LIMS_F_CREATE | LIMS_F_UPDATE,
};

static const lims_field_t fields[] = {
    { .name = "id", .type = LIMS_T_ID, .flags = SHOWN, .doc = "Assigned by the service." },
    { .name = "code",
      .type = LIMS_T_STRING,
      .flags = SHOWN | LIMS_F_CREATE | LIMS_F_REQUIRED,
      .max = 63,
      .pattern = "^[a-z0-9][a-z0-9-]*$",
      .doc = "Short name that --organization takes; it stays.",
      .example = "riverbend" },
    { .name = "name",
      .type = LIMS_T_STRING,
      .flags = KEPT | LIMS_F_REQUIRED,
      .min = 1,
      .doc = "Name of the laboratory.",
      .example = "Riverbend Environmental" },
    { .name = "timeZone",
      .type = LIMS_T_STRING,
      .flags = KEPT,
      .min = 1,
      .fallback = "UTC",
      .doc = "Its days begin and end here.",
      .example = "America/Denver" },
    { .name = "trackingPrefix",
      .type = LIMS_T_STRING,
      .flags = KEPT,
      .pattern = "^[A-Z0-9]{1,8}$",
      .fallback = "LAB",
      .doc = "Beginning of its tracking ids.",
      .example = "LAB" },
    { .name = "plan",
      .type = LIMS_T_ENUM,
      .values = plans,
      .flags = KEPT,
      .fallback = "professional",
      .doc = "What it has bought; none has no API access." },
    { .name = "apiAccess",
      .type = LIMS_T_BOOLEAN,
      .flags = KEPT,
      .doc = "Whether its API keys are accepted; unless given, every plan but none has it." },
    { .name = "monthlySampleAllowance",
      .type = LIMS_T_INTEGER,
      .flags = KEPT | LIMS_F_NULLABLE,
      .max = 1000000000,
      .doc = "Samples it may register in a calendar month (UTC); empty: any number." },
    { .name = "reagentExpiryPolicy",
      .type = LIMS_T_ENUM,
      .values = expiry_policies,
      .flags = KEPT,
      .fallback = "block",
      .doc = "What a result entered with an expired reagent lot meets: a refusal or a warning." },
    { .name = "coaBeforeApproval",
      .type = LIMS_T_BOOLEAN,
      .flags = KEPT,
      .fallback = "false",
      .doc = "Whether a sample may be reported before its final approval." },
    { .name = "esignatureRequired",
      .type = LIMS_T_BOOLEAN,
      .flags = KEPT,
      .fallback = "false",
      .doc = "Whether verifying and approving need an electronic signature, which no API key "
             "can give." },
    { .name = "aiDataAccess",
      .type = LIMS_T_BOOLEAN,
      .flags = KEPT,
      .fallback = "false",
      .doc = "Whether instrument files may be sent to the AI integration." },
    { .name = "oosOpensInvestigation",
      .type = LIMS_T_BOOLEAN,
      .flags = KEPT,
      .fallback = "true",
      .doc = "Whether a numeric result outside its specification opens an investigation." },
    { .name = "holdingWarningHours",
      .type = LIMS_T_DECIMAL,
      .flags = KEPT,
      .fallback = "24",
      .doc = "How long before its end a holding time counts as expiring soon." },
    { .name = "approvalSteps",
      .type = LIMS_T_STRING_LIST,
      .flags = KEPT,
      .max = 20,
      .fallback = "",
      .doc = "Names of the approvals a completed sample needs, in order; the last is the final "
             "one. An empty list: none is needed." },
    { .name = "active",
      .type = LIMS_T_BOOLEAN,
      .flags = KEPT,
      .fallback = "true",
      .doc = "The keys of an inactive organization are refused." },
    { .name = "createdAt", .type = LIMS_T_TIMESTAMP, .flags = SHOWN, .doc = "Creation." },
    { .name = "updatedAt", .type = LIMS_T_TIMESTAMP, .flags = SHOWN, .doc = "Last change." },
    LIMS_FIELD_END,
};

static const lims_field_t filters[] = { LIMS_PAGING_FIELDS,
                                        { .name = "active",
                                          .type = LIMS_T_BOOLEAN,
                                          .doc = "Only active (true) or inactive (false) ones." },
                                        LIMS_FIELD_END };

/* The organization that the caller acts in. */
static const lims_error_t *show(lims_request_t *rq)
{
    lims_result_t *row = NULL;
    const lims_error_t *error;

    lims_values_set(rq->values, "id", rq->actor.organization);
    error = lims_database_call(&row, rq, rq->resource->record);
    if (!error) {
        lims_render_record(rq, row, NULL);
    }
    return error;
}

enum { OWNER = LIMS_R_TOOL | LIMS_R_OWNER };

static const lims_route_t routes[] = {
    { .method = "GET",
      .command = "organization list",
      .operation = "listOrganizations",
      .summary = "List the organizations",
      .flags = OWNER | LIMS_R_LIST,
      .query = filters,
      .status = 200,
      .statement = LIMS_STMT_ORGANIZATION_LIST },
    { .method = "GET",
      .command = "organization show",
      .operation = "getOrganization",
      .summary = "The organization named by --organization",
      .flags = OWNER,
      .status = 200,
      .handler = show },
    { .method = "POST",
      .command = "organization create",
      .operation = "createOrganization",
      .summary = "Create an organization",
      .flags = OWNER,
      .body = LIMS_F_CREATE,
      .status = 201,
      .statement = LIMS_STMT_ORGANIZATION_CREATE },
    { .method = "PATCH",
      .command = "organization update",
      .operation = "updateOrganization",
      .summary = "Change plan and policies of the organization named by --organization",
      .flags = OWNER,
      .body = LIMS_F_UPDATE,
      .status = 200,
      .statement = LIMS_STMT_ORGANIZATION_UPDATE },
    LIMS_ROUTE_END,
};

const lims_resource_t lims_organization = {
    .name = "organization",
    .title = "Organizations",
    .schema = "Organization",
    .doc = "A laboratory that uses the service: its plan and its policies.",
    .fields = fields,
    .routes = routes,
    .record = LIMS_STMT_ORGANIZATION_GET,
};
