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

/* --- Signing in by a password (sign_in.c): a route with long work ------------ */

/* Prepares it: finds the accounts of the address or name. */
const lims_error_t *lims_sign_in_prepare(lims_request_t *rq);

/* Does the work, with nothing held: checks the password against each account, or has a
 * provider of httpd check it. */
const lims_error_t *lims_sign_in_work(lims_request_t *rq);

/* Begins the session, or offers the organizations in which the password is right.
 * LIMS_E_UNAUTHORIZED: it is right in none, for whatever reason. */
const lims_error_t *lims_sign_in(lims_request_t *rq);

/* --- Signing in as the person whom a module of httpd has identified (sign_on.c) */

/* Answers with the identity, and with the organizations in which it has an account. */
const lims_error_t *lims_sign_on_show(lims_request_t *rq);

/* Begins the session. */
const lims_error_t *lims_sign_on(lims_request_t *rq);

extern const lims_field_t lims_sign_on_input[];
extern const lims_field_t lims_sign_on_output[];

/* Returns the statement that reads the actor's session, with `values`, whose row has
 * lims_own_session_output (own_session.c). */
lims_call_t lims_own_session_call(lims_values_t *values, const lims_request_t *rq);

/* Returns the refusal to sign in: the browser is told `message`, whatever the `cause`, which
 * is written to the log, for fail2ban. */
const lims_error_t *lims_sign_in_refused(lims_request_t *rq, const char *cause,
                                         const char *message);

/* Begins a session by `statement`, which returns its id, with these values, and answers with
 * the session. If the database began none, the error is that of `refuse`
 * (LIMS_E_UNAUTHORIZED). */
const lims_error_t *lims_session_begin(lims_request_t *rq, lims_stmt_e statement,
                                       lims_values_t *values,
                                       const lims_error_t *(*refuse)(lims_request_t *rq,
                                                                     const char *cause));

/* Writes code and name of an account's organization as an object. */
void lims_write_choice(lims_writer_t *w, const lims_result_t *accounts, int row);

/* Sets the values by which statements find an identity's accounts: its type and subject
 * (sign_on.c). */
void lims_set_identity(lims_values_t *values, const char *type, const char *subject,
                       lims_request_t *rq);

/* --- The person's own passwords (passwords.c): routes with long work ---------- */

/* Prepares a change of the password: reads the hash of the old one. */
const lims_error_t *lims_password_change_prepare(lims_request_t *rq);

/* Checks the old password and hashes the new one, with nothing held. */
const lims_error_t *lims_password_change_work(lims_request_t *rq);

/* Writes the new password. */
const lims_error_t *lims_password_change(lims_request_t *rq);

/* Prepares setting a password by a one-time link: finds the owner of the link. */
const lims_error_t *lims_link_prepare(lims_request_t *rq);

/* Hashes that password, with nothing held. */
const lims_error_t *lims_link_work(lims_request_t *rq);

/* Spends the link: writes the password, and answers with the address to sign in with. */
const lims_error_t *lims_link_spend(lims_request_t *rq);

/* Prepares setting the signature password of a person who signed in by an identity; the work
 * is lims_password_change_work(). */
const lims_error_t *lims_signature_password_prepare(lims_request_t *rq);

/* Writes the signature password. */
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
