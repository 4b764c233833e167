/* SPDX-License-Identifier: Apache-2.0 */
/*
 * connection_budget.c - compares the connections that httpd may open with those that the
 * database accepts.
 */
#include "server/connection_budget.h"

#include <ap_mpm.h>
#include <apr_strings.h>

#include "database/database.h"
#include "kernel/field.h"
#include "server/foreign_directives.h"

APLOG_USE_MODULE(lims);

/* mod_dbd's default of DBDMax. */
#define DBD_MAX_DEFAULT 10

/* Connections of a child besides those of requests: the dispatcher and a running job. */
#define OWN_CONNECTIONS 2

/* Returns how many children there may be at once (MaxRequestWorkers / ThreadsPerChild). */
static int children(void)
{
    int number = 0;

    return ap_mpm_query(AP_MPMQ_MAX_DAEMONS, &number) == APR_SUCCESS && number > 0 ? number : 1;
}

void lims_connection_budget_check(lims_connection_t *connection, server_rec *s, apr_pool_t *pool)
{
    lims_request_t rq = { .pool = pool,
                          .values = lims_values_create(pool),
                          .connection = connection };
    int each = (int)lims_foreign_directive_number(s, LIMS_FOREIGN_MAX, DBD_MAX_DEFAULT);
    int needed = children() * each + OWN_CONNECTIONS;
    lims_result_t *row = NULL;
    int room;

    if (lims_database_call(&row, &rq, LIMS_STMT_CONNECTION_ROOM)) {
        return;
    }
    room = (int)apr_atoi64(lims_result_get(row, 0, "room"));
    if (needed > room) {
        ap_log_error(APLOG_MARK, APLOG_WARNING, 0, s,
                     "LIMS0382: host %s, database %s: PostgreSQL has room for %d connections, and "
                     "this httpd may ask for "
                     "%d: %d children with DBDMax %d, and %d of its own; raise max_connections, or "
                     "lower MaxRequestWorkers or DBDMax",
                     lims_config_host(s, pool), lims_config_database(s), room, needed, children(),
                     each, OWN_CONNECTIONS);
    }
}
