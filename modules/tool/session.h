/* SPDX-License-Identifier: Apache-2.0 */
/*
 * session.h - carrying out routes at the command line.
 *
 * Each call is one transaction, in which the connection takes the role of the
 * service (lims_app), so that row-level security, gates, events and audit are
 * what they are for the REST API. Only routes marked LIMS_R_OWNER stay the
 * owner's: they make the organizations that the tenant wall is built around.
 */
#ifndef LIMS_SESSION_H
#define LIMS_SESSION_H

#include "database/database.h"
#include "lims.h"

typedef struct lims_session_t lims_session_t;

/* The acting user's password, or NULL when there is none to be had. */
typedef const char *(lims_session_password_fn)(lims_session_t *session);

/* Who acts. The caller may change any of it between two calls. */
struct lims_session_t {
    lims_connection_t *connection;
    const char *organization;      /* its code; NULL: none */
    const char *user;              /* e-mail address of the acting user; NULL: none */
    const char *reason;            /* for the audit trail; NULL: none */
    const lims_keyring_t *keyring; /* for routes with LIMS_R_KEYRING; NULL: none */
    const char *password;          /* of the user, for signing; NULL: not given */
    lims_session_password_fn *ask; /* asked when a signature needs one; or NULL */
    void *context;                 /* the caller's */
};

/* Connects, and makes sure that the schema fits. `conninfo` NULL: as libpq's
 * environment says. Closed with the pool. */
const lims_error_t *lims_session_open(lims_session_t **session, const char *conninfo,
                                      apr_pool_t *pool);

/* A connection without a look at the schema, for what makes it. */
const lims_error_t *lims_session_connect(lims_connection_t **connection, const char *conninfo,
                                         apr_pool_t *pool);

/* Carries out a route with validated values, and commits. The reply is as
 * through the API. After an error nothing was done. */
const lims_error_t *lims_session_call(lims_reply_t **reply, lims_session_t *session,
                                      const lims_resource_t *resource, const lims_route_t *route,
                                      lims_values_t *values, apr_pool_t *pool);

#endif /* LIMS_SESSION_H */
