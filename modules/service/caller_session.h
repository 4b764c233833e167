/* SPDX-License-Identifier: Apache-2.0 */
/*
 * caller_session.h - the caller of the application: a person who is signed in, known by a
 * cookie, or nobody where the route lets everybody in (LIMS_R_NO_SESSION).
 */
#ifndef LIMS_CALLER_SESSION_H
#define LIMS_CALLER_SESSION_H

#include "service/exchange.h"

/* Whether the request is one of the application's. */
bool lims_session_is_asked(const lims_exchange_t *x);

/* Whether nobody has to be signed in for the route of the request. */
bool lims_session_is_needless(const lims_exchange_t *x);

/* Refuses a request that changes something unless a page of this host made it
 * (LIMS_E_CROSS_SITE_REQUEST): by Sec-Fetch-Site (Fetch Metadata), or where a browser does
 * not send that by Origin (RFC 6454), and in any case by a header field that a form or a
 * link of another site cannot set. */
const lims_error_t *lims_session_check_site(const lims_exchange_t *x);

/* Takes the token out of the cookie, without the database. Fills in x->key_hash, and
 * session, organization and person if they are cached. */
const lims_error_t *lims_session_present(lims_exchange_t *x);

/* Whether the session that the page named is another than the one that is cached. */
bool lims_session_is_another(const lims_exchange_t *x);

/* Sets the caller from the result of the check, and refuses where the page named another
 * session (LIMS_E_SESSION_CHANGED). */
const lims_error_t *lims_session_adopt(lims_exchange_t *x, const lims_result_t *found);

/* Returns the permission that the route needs and the person lacks; NULL: none, or a
 * member of a body that was refused decides which. */
const char *lims_session_lacking(const lims_exchange_t *x);

/* Refuses what changes something while the account is locked after failed signatures
 * (LIMS_E_ACCOUNT_LOCKED), from the result of the check of a request that writes; the
 * person's own things excepted. */
const lims_error_t *lims_session_check_lock(lims_exchange_t *x, const lims_result_t *found);

/* Returns what a browser hears whose session is missing, unknown, ended or timed out;
 * `cause` is for the log. */
const lims_error_t *lims_session_unauthorized(const lims_exchange_t *x, const char *cause);

#endif /* LIMS_CALLER_SESSION_H */
