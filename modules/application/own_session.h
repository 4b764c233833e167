/* SPDX-License-Identifier: Apache-2.0 */
/*
 * own_session.h - the session of the person who asks, and signing in, for the files of
 * this folder.
 */
#ifndef LIMS_APPLICATION_OWN_SESSION_H
#define LIMS_APPLICATION_OWN_SESSION_H

#include "database/database.h"
#include "kernel/writer.h"
#include "lims.h"

/* Fields (own_session_fields.c). */
extern const lims_field_t lims_own_session_output[];
extern const lims_field_t lims_sign_in_input[];
extern const lims_field_t lims_sign_in_output[];

/* Signing in, as the steps of a route with long work (sign_in.c): finds the accounts of
 * the address or name; checks the password against each, or has a provider of httpd do so,
 * with nothing held; begins the session, or offers the organizations in which the password
 * is right. LIMS_E_UNAUTHORIZED: it is right in none, for whatever reason. */
const lims_error_t *lims_sign_in_prepare(lims_request_t *rq);
const lims_error_t *lims_sign_in_work(lims_request_t *rq);
const lims_error_t *lims_sign_in(lims_request_t *rq);

/* Signing in by whom a module of httpd has found (sign_on.c): who that is, and the session. */
const lims_error_t *lims_sign_on_show(lims_request_t *rq);
const lims_error_t *lims_sign_on(lims_request_t *rq);

extern const lims_field_t lims_sign_on_input[];
extern const lims_field_t lims_sign_on_output[];

/* Returns what a browser hears whose person cannot sign in: `message`, whatever the `cause`,
 * which is a line of the log, for fail2ban. */
const lims_error_t *lims_sign_in_refused(lims_request_t *rq, const char *cause,
                                         const char *message);

/* Begins a session by `statement`, whose answer is its id, with these values, and answers with
 * it. LIMS_E_UNAUTHORIZED by `refuse`: the database began none. */
const lims_error_t *lims_session_begin(lims_request_t *rq, lims_stmt_e statement,
                                       lims_values_t *values,
                                       const lims_error_t *(*refuse)(lims_request_t *rq,
                                                                     const char *cause));

/* Writes code and name of an account's organization as an object. */
void lims_write_choice(lims_writer_t *w, const lims_result_t *accounts, int row);

/* Sets what finds and begins sessions by an identity, besides the organization chosen: its
 * type and subject (sign_on.c). */
void lims_set_identity(lims_values_t *values, const char *type, const char *subject,
                       lims_request_t *rq);

/* The own password (passwords.c): changed with the old one, or set by a one-time link, as the
 * steps of routes with long work. */
const lims_error_t *lims_password_change_prepare(lims_request_t *rq);
const lims_error_t *lims_password_change_work(lims_request_t *rq);
const lims_error_t *lims_password_change(lims_request_t *rq);
const lims_error_t *lims_link_prepare(lims_request_t *rq);
const lims_error_t *lims_link_work(lims_request_t *rq);
const lims_error_t *lims_link_spend(lims_request_t *rq);

/* The signature password, of a person who signed in by an identity, likewise; the work is
 * that of a change of password. */
const lims_error_t *lims_signature_password_prepare(lims_request_t *rq);
const lims_error_t *lims_signature_password_set(lims_request_t *rq);

extern const lims_field_t lims_password_input[];
extern const lims_field_t lims_signature_password_input[];
extern const lims_field_t lims_link_input[];
extern const lims_field_t lims_link_spent_output[];

/* Makes a token, and its SHA-256 the value `tokenHash`. */
const lims_error_t *lims_session_token(const char **token, lims_values_t *values,
                                       lims_request_t *rq);

/* Sets the value `tokenHash` to the SHA-256 of a token. */
const lims_error_t *lims_token_hash(lims_values_t *values, const char *token, lims_request_t *rq);

/* Overwrites a secret of the body in memory, after its last use. */
void lims_wipe_value(lims_request_t *rq, const char *name);

/* Sets the cookie of the session with this token, or removes it (NULL). */
void lims_session_cookie(lims_request_t *rq, const char *token);

#endif /* LIMS_APPLICATION_OWN_SESSION_H */
