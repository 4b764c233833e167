/* SPDX-License-Identifier: Apache-2.0 */
/*
 * session.h - execution of routes at the command line.
 *
 * Each call is one transaction, in which the connection assumes the role of the service
 * (lims_app), so that row-level security, gates, events and audit trail apply as in the
 * REST API. Only routes with LIMS_R_OWNER run as the owner of the schema: they create
 * organizations, which row-level security separates.
 */
#ifndef LIMS_SESSION_H
#define LIMS_SESSION_H

#include "database/database.h"
#include "lims.h"

typedef struct lims_session_t lims_session_t;

/* Asks for the acting user's password; NULL: there is nobody to ask. */
typedef const char *(lims_session_password_fn)(lims_session_t *session);

/* Shows what will be signed (tool/signed_preview.h). */
typedef void (lims_session_show_fn)(lims_session_t *session, const char *act,
                                    const char *records);

/* The actor and its connection. The caller may change every member between two calls. */
struct lims_session_t {
    lims_connection_t *connection;
    const char *organization;      /* its code; NULL: none */
    const char *user;              /* e-mail address of the acting user; NULL: none */
    const char *reason;            /* for the audit trail; NULL: none */
    const lims_keyring_t *keyring; /* for routes with LIMS_R_KEYRING; NULL: none */
    const lims_printer_t *printer; /* NULL: none */
    const char *verification;      /* address below which certificates are verified; or NULL */
    const char *password;          /* of the user, for signing; NULL: not given */
    lims_session_password_fn
        *ask;      /* called if a signature needs a password that is not given; or NULL */
    lims_session_show_fn *show; /* called before a password is asked for or checked; or NULL */
    void *context; /* the caller's */
};

/* Connects and checks that the schema fits. `conninfo` NULL: by libpq's environment
 * variables. The connection is closed with the pool. */
const lims_error_t *lims_session_open(lims_session_t **session, const char *conninfo,
                                      apr_pool_t *pool);

/* Connects without checking the schema, for the commands that migrate it. The connection
 * is closed with the pool. */
const lims_error_t *lims_session_connect(lims_connection_t **connection, const char *conninfo,
                                         apr_pool_t *pool);

/* Runs a route with validated values and commits. `*reply`, in `pool`, is that of the
 * REST API. After an error the transaction was rolled back. */
const lims_error_t *lims_session_call(lims_reply_t **reply, lims_session_t *session,
                                      const lims_resource_t *resource, const lims_route_t *route,
                                      lims_values_t *values, apr_pool_t *pool);

#endif /* LIMS_SESSION_H */
