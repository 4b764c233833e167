/* SPDX-License-Identifier: Apache-2.0 */
/*
 * script.h - texts of many SQL statements; for limsctl only.
 *
 * What the service runs are single, prepared statements. A script is what a
 * migration or the demonstration data is: a file of sql/, compiled in.
 */
#ifndef LIMS_SCRIPT_H
#define LIMS_SCRIPT_H

#include "database/database.h"

/* Runs a script, in the transaction that is open, else in one of its own. What
 * PostgreSQL refuses is LIMS_E_INTERNAL; the message, in PostgreSQL's words,
 * names the file and, where PostgreSQL says it, the line. A lock that was not to
 * be had within lock_timeout is LIMS_RETRY_ROLLED_BACK. */
const lims_error_t *lims_script_run(lims_connection_t *connection, const char *file,
                                    const char *sql, apr_pool_t *pool);

#endif /* LIMS_SCRIPT_H */
