/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sign_on.c - signing in by whom a module of httpd has found: OpenID Connect, SAML, Kerberos,
 * a client certificate. It stands in front of /app/sign-on alone; the session that begins
 * there is ours, so that it is seen, ended and times out like any other.
 */
#include <apr_strings.h>
#include <string.h>

#include "application/own_session.h"
#include "kernel/error.h"
#include "kernel/field.h"
#include "kernel/utf8.h"
#include "service/service.h"

static const lims_field_t choice_members[] = {
    { .name = "code",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Short name of the organization." },
    { .name = "name",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Name of the laboratory." },
    LIMS_FIELD_END,
};

const lims_field_t lims_sign_on_output[] = {
    { .name = "type",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Type of the authentication by which somebody was found." },
    { .name = "subject",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Name of the person there." },
    { .name = "person",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Name of the person here; null if nobody here is known by that name." },
    { .name = "organizations",
      .type = LIMS_T_OBJECT_LIST,
      .flags = LIMS_F_OUT,
      .members = choice_members,
      .doc = "Organizations in which the person may sign in." },
    LIMS_FIELD_END,
};

const lims_field_t lims_sign_on_input[] = {
    { .name = "organization",
      .type = LIMS_T_STRING,
      .min = 1,
      .max = 63,
      .doc = "Code of the organization, for a person who is known in several.",
      .example = "riverbend" },
    LIMS_FIELD_END,
};

static const lims_error_t *refuse(lims_request_t *rq, const char *cause)
{
    return lims_sign_in_refused(rq, cause,
                                "Nobody here is known by this identity, or the account is locked "
                                "for a time: whoever manages users gives it to an account.");
}

void lims_set_identity(lims_values_t *values, const char *type, const char *subject,
                       lims_request_t *rq)
{
    lims_values_set(values, "type", type);
    lims_values_set(values, "subject", subject);
    lims_values_set(values, "byAddress", rq->settings->match_address ? "t" : "f");
    lims_values_set(values, "codes", rq->settings->sign_in_organizations);
}

/* Finds the accounts of whom httpd has found. LIMS_E_NOT_FOUND elsewhere than at sign-on. */
static const lims_error_t *find(lims_result_t **accounts, lims_values_t *values,
                                lims_request_t *rq)
{
    const lims_exchange_t *x = rq->exchange;
    const lims_call_t call = { .statement = LIMS_STMT_SIGN_ON_ACCOUNTS, .values = values };

    if (!x->signs_on) {
        return lims_client_error(rq->pool, LIMS_E_NOT_FOUND, "There is nothing at %s%s.",
                                 rq->settings->base, x->path);
    }
    if (!x->identity) {
        return refuse(rq, "no module of a type of LimsSignInTypes has found anybody");
    }
    if (!lims_utf8_valid(x->identity, strlen(x->identity))) {
        return refuse(rq, apr_psprintf(rq->pool, "the name of %s \"%s\" is not UTF-8",
                                       x->identity_type, x->identity));
    }
    lims_set_identity(values, x->identity_type, x->identity, rq);
    lims_values_set(values, "organization", lims_values_get(rq->values, "organization"));
    lims_values_set(values, "address", x->address);
    return lims_database_run(accounts, rq, &call, 1, 0);
}

static void write_choices(lims_writer_t *w, const lims_result_t *accounts)
{
    lims_writer_key(w, "organizations");
    lims_writer_array_begin(w);
    for (int i = 0; i < lims_result_count(accounts); i++) {
        lims_write_choice(w, accounts, i);
    }
    lims_writer_array_end(w);
}

const lims_error_t *lims_sign_on_show(lims_request_t *rq)
{
    lims_values_t *values = lims_values_create(rq->pool);
    lims_writer_t *w = lims_writer_create(rq->pool);
    lims_result_t *accounts = NULL;
    const lims_error_t *error = find(&accounts, values, rq);
    const char *person;

    if (error) {
        return error;
    }
    person = lims_result_count(accounts) ? lims_result_get(accounts, 0, "person") : NULL;
    lims_writer_object_begin(w);
    lims_writer_key(w, "type");
    lims_writer_string(w, rq->exchange->identity_type);
    lims_writer_key(w, "subject");
    lims_writer_string(w, rq->exchange->identity);
    lims_writer_key(w, "person");
    if (person) {
        lims_writer_string(w, person);
    } else {
        lims_writer_null(w);
    }
    write_choices(w, accounts);
    lims_writer_object_end(w);
    lims_render_finish(rq, w);
    return NULL;
}

/* Answers with the organizations to choose from. */
static const lims_error_t *offer(lims_request_t *rq, const lims_result_t *accounts)
{
    lims_writer_t *w = lims_writer_create(rq->pool);

    lims_writer_object_begin(w);
    lims_writer_key(w, "id");
    lims_writer_null(w);
    write_choices(w, accounts);
    lims_writer_key(w, "session");
    lims_writer_null(w);
    lims_writer_object_end(w);
    lims_render_finish(rq, w);
    rq->reply->status = 200;
    return NULL;
}

const lims_error_t *lims_sign_on(lims_request_t *rq)
{
    static const char *const taken[] = { "organizationId", "userId" };
    lims_values_t *values = lims_values_create(rq->pool);
    lims_result_t *accounts = NULL;
    const lims_error_t *error = find(&accounts, values, rq);

    if (error) {
        return error;
    }
    if (lims_result_count(accounts) == 0) {
        return refuse(rq, apr_psprintf(rq->pool, "no account of %s \"%s\"",
                                       rq->exchange->identity_type, rq->exchange->identity));
    }
    if (lims_result_count(accounts) > 1) {
        return offer(rq, accounts);
    }
    for (apr_size_t i = 0; i < LIMS_LENGTH(taken); i++) {
        lims_values_set(values, taken[i], lims_result_get(accounts, 0, taken[i]));
    }
    return lims_session_begin(rq, LIMS_STMT_SIGN_ON_BEGIN, values, refuse);
}
