/* SPDX-License-Identifier: Apache-2.0 */
/*
 * connection_budget.h - compares the connections that httpd may open with those that the
 * database accepts.
 */
#ifndef LIMS_CONNECTION_BUDGET_H
#define LIMS_CONNECTION_BUDGET_H

#include "server/server.h"

/* Warns if PostgreSQL accepts fewer connections than httpd may open. In the parent, at
 * each start, on a connection of its own. */
void lims_connection_budget_check(lims_connection_t *connection, server_rec *s, apr_pool_t *pool);

#endif /* LIMS_CONNECTION_BUDGET_H */
