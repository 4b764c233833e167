/* SPDX-License-Identifier: Apache-2.0 */
/*
 * organizations.c - organizations: plan and policies. They are created by the
 * owner of the database, since row-level security needs an organization, which
 * does not exist before.
 */
#include "organizations/organizations.h"

#include <string.h>

#include "documents/documents.h"
#include "kernel/error.h"
#include "kernel/field.h"
#include "kernel/vocabulary.h"
#include "organizations/letterhead_logo.h"
#include "service/service.h"

static const char *const plans[] = { "none", "starter", "professional", "enterprise", NULL };
/* The policies of people and of quality control. Each is as permissive by default as an API
 * key finds the service; what an update leaves out stays as it is. */
static const lims_field_t policy_members[] = {
    { .name = "selfVerification",
      .type = LIMS_T_ENUM,
      .values = lims_self_verifications,
      .flags = LIMS_F_OUT,
      .doc = "Whether a result may be verified by whoever entered the value, qualifier, lots or "
             "time of analysis that stand." },
    { .name = "approverMayBeVerifier",
      .type = LIMS_T_BOOLEAN,
      .flags = LIMS_F_OUT,
      .doc = "Whether whoever verified a test of a sample may decide its approvals, and one "
             "person several steps of a round." },
    { .name = "reasonOnChange",
      .type = LIMS_T_BOOLEAN,
      .flags = LIMS_F_OUT,
      .doc = "Whether replacing a result that stood, or a fact of a received sample, needs a "
             "reason." },
    { .name = "openInvestigationBlocks",
      .type = LIMS_T_BOOLEAN,
      .flags = LIMS_F_OUT,
      .doc = "Whether an open investigation of a sample blocks its report, and one of a test "
             "without an approved retest plan its retests." },
    { .name = "keysWithinRoles",
      .type = LIMS_T_BOOLEAN,
      .flags = LIMS_F_OUT,
      .doc = "Whether an API key may do only what the person whom it acts for may." },
    { .name = "qcRequired",
      .type = LIMS_T_ENUM,
      .values = lims_policy_consequences,
      .flags = LIMS_F_OUT,
      .doc = "Effect of quality control that a method requires and that is not evaluated." },
    { .name = "lotQcPolicy",
      .type = LIMS_T_ENUM,
      .values = lims_policy_consequences,
      .flags = LIMS_F_OUT,
      .doc = "Effect of a lot that is quarantined or failed its quality control." },
    { .name = "sessionMinutes",
      .type = LIMS_T_INTEGER,
      .flags = LIMS_F_OUT,
      .min = 5,
      .max = 60,
      .doc = "Minutes without use after which a session ends." },
    { .name = "investigationDays",
      .type = LIMS_T_INTEGER,
      .flags = LIMS_F_OUT,
      .min = 1,
      .max = 365,
      .doc = "Days after which an investigation is due." },
    { .name = "attachmentBytes",
      .type = LIMS_T_INTEGER,
      .flags = LIMS_F_OUT,
      .max = 1099511627776,
      .doc = "Bytes that all attachments together may have." },
    LIMS_FIELD_END,
};

const lims_field_t lims_allowance_fields[] = {
    { .name = "limit",
      .type = LIMS_T_INTEGER,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Samples that the plan allows in a calendar month (UTC); null: any number." },
    { .name = "used",
      .type = LIMS_T_INTEGER,
      .flags = LIMS_F_OUT,
      .doc = "Samples registered this month." },
    { .name = "left",
      .type = LIMS_T_INTEGER,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Samples that may still be registered this month; null: any number." },
    LIMS_FIELD_END,
};

enum {
    SHOWN = LIMS_F_OUT,
    KEPT = LIMS_F_OUT | LIMS_F_CREATE | LIMS_F_UPDATE,
};

static const lims_field_t fields[] = {
    { .name = "id",
      .type = LIMS_T_ID,
      .flags = SHOWN,
      .doc = "Id of the organization, assigned by the service." },
    { .name = "code",
      .type = LIMS_T_STRING,
      .flags = SHOWN | LIMS_F_CREATE | LIMS_F_REQUIRED,
      .max = 63,
      .pattern = "^[a-z0-9][a-z0-9-]*$",
      .doc = "Short name of the organization, for --organization; it cannot be changed.",
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
      .doc = "Time zone of the laboratory, in which its days begin and end, such as Europe/Vienna.",
      .example = "America/Denver" },
    { .name = "locale",
      .type = LIMS_T_STRING,
      .flags = KEPT,
      .pattern = "^[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|[0-9]{3}))?$",
      .fallback = "en-US",
      .doc = "Language tag (BCP 47) by whose rules the application writes days and times, such as "
             "en-GB.",
      .example = "en-GB" },
    { .name = "address",
      .type = LIMS_T_STRING,
      .flags = KEPT | LIMS_F_NULLABLE,
      .max = 4000,
      .doc = "Address of the laboratory, printed on certificates.",
      .example = "12 Mill Road\nRiverbend, CO 80000" },
    { .name = "logo",
      .type = LIMS_T_STRING,
      .flags = KEPT | LIMS_F_NULLABLE,
      .max = 1000,
      .doc = "Reference to the laboratory's logo, such as its address, for programs that read "
             "certificates." },
    { .name = "logoSha256",
      .type = LIMS_T_STRING,
      .flags = SHOWN | LIMS_F_NULLABLE,
      .doc = "SHA-256 of the logo that certificates are printed with, hexadecimal; null: none. GET "
             "/organization/logo has its bytes." },
    { .name = "accreditation",
      .type = LIMS_T_STRING,
      .flags = KEPT | LIMS_F_NULLABLE,
      .max = 2000,
      .doc = "Accreditation of the laboratory in words, printed on certificates.",
      .example = "ISO/IEC 17025, certificate 4711.01" },
    { .name = "certificateLayout",
      .type = LIMS_T_OBJECT,
      .flags = KEPT,
      .members = lims_certificate_layout,
      .doc = "Layout of certificates; in a change, the members that are to change, null for the "
             "usual one. Certificates that are issued keep theirs." },
    { .name = "trackingPrefix",
      .type = LIMS_T_STRING,
      .flags = KEPT | LIMS_F_TOOL,
      .pattern = "^[A-Z0-9]{1,8}$",
      .fallback = "LAB",
      .doc = "First characters of the organization's tracking ids.",
      .example = "LAB" },
    { .name = "plan",
      .type = LIMS_T_ENUM,
      .values = plans,
      .flags = KEPT | LIMS_F_TOOL,
      .fallback = "professional",
      .doc = "Plan of the organization; none has no API access." },
    { .name = "apiAccess",
      .type = LIMS_T_BOOLEAN,
      .flags = KEPT | LIMS_F_TOOL,
      .doc = "Whether the organization's API keys are accepted. Default: true for every plan but "
             "none." },
    { .name = "monthlySampleAllowance",
      .type = LIMS_T_INTEGER,
      .flags = KEPT | LIMS_F_TOOL | LIMS_F_NULLABLE,
      .max = 1000000000,
      .doc =
          "Number of samples that may be registered in a calendar month (UTC); null: no limit." },
    { .name = "reagentExpiryPolicy",
      .type = LIMS_T_ENUM,
      .values = lims_expiry_consequences,
      .flags = KEPT,
      .fallback = "block",
      .doc = "Effect of entering a result with an expired reagent lot: a refusal or a warning." },
    { .name = "coaBeforeApproval",
      .type = LIMS_T_BOOLEAN,
      .flags = KEPT,
      .fallback = "false",
      .doc = "Whether a sample may be reported before its final approval." },
    { .name = "esignatureRequired",
      .type = LIMS_T_BOOLEAN,
      .flags = KEPT,
      .fallback = "false",
      .doc = "Whether verifying and approving need an electronic signature, which no API key can "
             "give." },
    { .name = "aiDataAccess",
      .type = LIMS_T_BOOLEAN,
      .flags = KEPT,
      .fallback = "false",
      .doc = "Whether instrument files may be sent to the AI service." },
    { .name = "oosOpensInvestigation",
      .type = LIMS_T_BOOLEAN,
      .flags = KEPT,
      .fallback = "true",
      .doc = "Whether a numeric result outside its specification opens an investigation." },
    { .name = "holdingWarningHours",
      .type = LIMS_T_DECIMAL,
      .flags = KEPT,
      .fallback = "24",
      .doc = "Hours before the end of a holding time from which it counts as expiring soon." },
    { .name = "approvalSteps",
      .type = LIMS_T_STRING_LIST,
      .flags = KEPT,
      .max = 20,
      .fallback = "",
      .doc = "Names of the approvals that a completed sample needs, in order; the last is the "
             "final one. An empty list: no approval is needed." },
    { .name = "approvalStepRoles",
      .type = LIMS_T_STRING_LIST,
      .flags = KEPT | LIMS_F_PLACES,
      .values = lims_user_roles,
      .max = 20,
      .doc = "For each of approvalSteps the role that decides it, which needs the permission "
             "approval.decide; null: any role, and API keys. In a change left out, each place "
             "keeps its role.",
      .example = "[null,\"qa_officer\"]" },
    { .name = "policies",
      .type = LIMS_T_OBJECT,
      .flags = KEPT,
      .members = policy_members,
      .doc = "Further policies; in a change, those that are to change." },
    { .name = "active",
      .type = LIMS_T_BOOLEAN,
      .flags = KEPT | LIMS_F_TOOL,
      .fallback = "true",
      .doc = "Whether the organization is active; the keys of an inactive one are refused." },
    { .name = "allowance",
      .type = LIMS_T_OBJECT,
      .flags = LIMS_F_INCLUDED,
      .include = "allowance",
      .members = lims_allowance_fields,
      .doc = "Monthly allowance of samples, as it is now." },
    { .name = "createdAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = SHOWN,
      .doc = "When the organization was created, UTC." },
    { .name = "updatedAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = SHOWN,
      .doc = "When the record was last changed, UTC." },
    LIMS_REASON(LIMS_F_UPDATE,
                "Reason for a change of policies, kept in the audit trail; needed except for "
                "what the owner of the database sets.",
                .example = "four eyes from today on"),
    LIMS_FIELD_END,
};

static const lims_field_t filters[] = {
    LIMS_PAGING_FIELDS,
    { .name = "active",
      .type = LIMS_T_BOOLEAN,
      .doc = "Only active (true) or inactive (false) organizations." },
    LIMS_FIELD_END
};

static const char *const includes[] = { "allowance", NULL };

static const lims_field_t show_query[] = {
    { .name = "include",
      .type = LIMS_T_ENUM,
      .values = includes,
      .doc = "Members of the record besides: allowance, how many samples may still be registered "
             "this month. The answer's ETag is of all of it: If-Match takes that of the record "
             "alone." },
    LIMS_FIELD_END,
};

/* The caller's organization, which may be known only after the caller was
 * authenticated. */
static const lims_error_t *show(lims_request_t *rq)
{
    const lims_call_t call = { .statement = lims_values_get(rq->values, "include")
                                                ? LIMS_STMT_ORGANIZATION_GET_ALLOWANCE
                                                : rq->resource->record };
    lims_result_t *row = NULL;
    const lims_error_t *error = lims_service_read(NULL, rq, NULL, 0);

    if (!error) {
        lims_values_set(rq->values, "id", rq->actor.organization);
        error = lims_service_read(&row, rq, &call, 1);
    }
    if (!error) {
        lims_render_record(rq, row, NULL);
    }
    return error;
}

/* Returns the name of a given value: of those that the owner of the database sets
 * (LIMS_F_TOOL), or of the others. NULL: none is given. */
static const char *find_given(const lims_request_t *rq, bool owners)
{
    for (const lims_field_t *field = fields; field->name; field++) {
        if ((field->flags & LIMS_F_UPDATE) && !(field->flags & LIMS_F_TOOL) == !owners &&
            strcmp(field->name, "reason") != 0 && lims_values_has(rq->values, field->name)) {
            return field->name;
        }
    }
    return NULL;
}

/* Policies are a person's, who gives a reason; plan and allowance are the owner's, who may
 * also set policies while no person manages the organization's users. */
static const lims_error_t *guard_update(lims_request_t *rq)
{
    const char *owners = find_given(rq, true);
    const char *policy = find_given(rq, false);
    const lims_error_t *error = NULL;
    lims_result_t *row = NULL;

    if (owners && rq->actor.user) {
        return lims_client_error(rq->pool, LIMS_E_PERMISSION_REQUIRED,
                                 "%s can only be set by the owner of the database: use limsctl "
                                 "without --user.",
                                 owners);
    }
    if (!policy) {
        return NULL;
    }
    if (!rq->actor.user) {
        error = lims_database_call(&row, rq, LIMS_STMT_ORGANIZATION_MANAGED);
    }
    if (error) {
        return error;
    }
    if (row && lims_result_true(row, 0, "managed")) {
        return lims_client_error(rq->pool, LIMS_E_INVALID_QUERY,
                                 "%s can only be changed by a person with the permission "
                                 "policy.manage: give --user EMAIL.",
                                 policy);
    }
    return rq->reason ? NULL
                      : lims_client_error(rq->pool, LIMS_E_INVALID_BODY,
                                          "reason is missing: it must say why.");
}

/* The steps follow once there is the matrix, by which their roles are judged. */
static const lims_error_t *create(lims_request_t *rq)
{
    lims_result_t *row = NULL;
    const lims_error_t *error = lims_database_call(&row, rq, LIMS_STMT_ORGANIZATION_CREATE);

    if (error) {
        return error;
    }
    lims_values_set(rq->values, "id", lims_result_get(row, 0, "id"));
    return lims_database_call(&row, rq, LIMS_STMT_ORGANIZATION_FIRST_STEPS);
}

/* Changes the approval steps, then the other policies. Policies that the active users
 * cannot meet are refused at the end. */
static const lims_error_t *update(lims_request_t *rq)
{
    const lims_call_t calls[] = { { .statement = LIMS_STMT_ORGANIZATION_STEPS },
                                  { .statement = LIMS_STMT_ORGANIZATION_UPDATE },
                                  { .statement = LIMS_STMT_ORGANIZATION_SETTLE } };
    lims_result_t *results[3] = { NULL, NULL, NULL };
    const lims_error_t *error = NULL;

    if (find_given(rq, true)) {
        error = lims_database_call(&results[0], rq, LIMS_STMT_ORGANIZATION_SET_PLAN);
    }
    return error ? error : lims_database_run(results, rq, calls, 3, 0);
}

static const lims_error_e update_errors[] = { LIMS_E_INVALID_BODY,
                                              LIMS_E_REASON_REQUIRED,
                                              LIMS_E_ESIGNATURE_REQUIRED,
                                              LIMS_E_PERMISSION_REQUIRED,
                                              LIMS_E_POLICY_UNSATISFIABLE,
                                              LIMS_E_INVALID_TRANSITION,
                                              LIMS_E_COUNT };

static const lims_error_e no_logo[] = { LIMS_E_NOT_FOUND, LIMS_E_COUNT };
static const lims_error_e logo_errors[] = { LIMS_E_INVALID_BODY, LIMS_E_ESIGNATURE_REQUIRED,
                                            LIMS_E_DOCUMENT_FAILED, LIMS_E_PAYLOAD_TOO_LARGE,
                                            LIMS_E_COUNT };

static const lims_route_t routes[] = {
    { .method = "GET",
      .command = "organization list",
      .surfaces = LIMS_SURFACE_TOOL,
      .operation = "listOrganizations",
      .summary = "List the organizations",
      .flags = LIMS_R_OWNER | LIMS_R_LIST,
      .query = filters,
      .status = 200,
      .statement = LIMS_STMT_ORGANIZATION_LIST },
    { .method = "GET",
      .path = "/organization",
      .command = "organization show",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "getOrganization",
      .summary = "The organization named by --organization",
      .permission = "data.read",
      .flags = LIMS_R_OWNER,
      .query = show_query,
      .status = 200,
      .handler = show },
    { .method = "POST",
      .command = "organization create",
      .surfaces = LIMS_SURFACE_TOOL,
      .operation = "createOrganization",
      .summary = "Create an organization",
      .flags = LIMS_R_OWNER,
      .body = LIMS_F_CREATE,
      .status = 201,
      .statement = LIMS_STMT_ORGANIZATION_CREATE,
      .handler = create },
    { .method = "PATCH",
      .path = "/organization",
      .command = "organization update",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "updateOrganization",
      .summary = "Change plan and policies of the organization named by --organization",
      .description =
          "Policies are changed by a person with the permission policy.manage, with a reason, and "
          "signed where the policy esignatureRequired is on. A policy that the active people "
          "cannot meet is refused. The owner of the database sets plan, apiAccess, "
          "monthlySampleAllowance, trackingPrefix and active, without --user, and also the "
          "policies of an organization in which nobody who can sign in manages users.",
      .permission = "policy.manage",
      .flags = LIMS_R_OWNER | LIMS_R_OWN_RECORD,
      .body = LIMS_F_UPDATE,
      .status = 200,
      .meaning = "approved",
      .signs = "organization",
      .guard = guard_update,
      .handler = update,
      .errors = update_errors },
    { .method = "GET",
      .path = "/organization/logo",
      .command = "organization logo",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "getLogo",
      .summary = "The logo that certificates are printed with",
      .description = "A PNG. At the command line its bytes go to standard output: `limsctl ... > "
                     "logo.png`; with --json they are in base64.",
      .permission = "data.read",
      .flags = LIMS_R_NO_RECORD | LIMS_R_DOCUMENT | LIMS_R_BYTES,
      .status = 200,
      .handler = lims_logo_show,
      .errors = no_logo },
    { .method = "POST",
      .path = "/organization/logo",
      .command = "organization set-logo",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "setLogo",
      .summary = "Upload the logo that certificates are printed with",
      .description =
          "The printer reads the picture and writes its pixels as a PNG anew, which is what is "
          "kept. Certificates that are issued keep theirs. Signed where the policy "
          "esignatureRequired is on.",
      .permission = "policy.manage",
      .flags = LIMS_R_OWN_RECORD | LIMS_R_FILE | LIMS_R_REASON,
      .input = lims_logo_input,
      .status = 200,
      .meaning = "approved",
      .signs = "organization",
      .prepare = lims_logo_prepare,
      .work = lims_print_checked,
      .handler = lims_logo_keep,
      .errors = logo_errors },
    { .method = "DELETE",
      .path = "/organization/logo",
      .command = "organization remove-logo",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "removeLogo",
      .summary = "Print certificates without a logo from now on",
      .description = "Certificates that are issued keep theirs.",
      .permission = "policy.manage",
      .flags = LIMS_R_OWN_RECORD | LIMS_R_REASON,
      .input = lims_reason_input,
      .status = 200,
      .meaning = "approved",
      .signs = "organization",
      .handler = lims_logo_remove,
      .errors = logo_errors },
    LIMS_ROUTE_END,
};

const lims_resource_t lims_organization = {
    .name = "organization",
    .title = "Organizations",
    .schema = "Organization",
    .doc = "Laboratory that uses the service, with its plan and its policies.",
    .fields = fields,
    .routes = routes,
    .record = LIMS_STMT_ORGANIZATION_GET,
    .lock = LIMS_STMT_ORGANIZATION_LOCK,
};
