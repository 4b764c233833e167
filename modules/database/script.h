/* SPDX-License-Identifier: Apache-2.0 */
/*
 * script.h - scripts of many SQL statements; for limsctl only.
 *
 * The service runs single, prepared statements. A script is a file of sql/, compiled
 * in: a migration or demonstration data.
 */
#ifndef LIMS_SCRIPT_H
#define LIMS_SCRIPT_H

#include "database/database.h"

/* Runs a script in the open transaction, else in one of its own. An error of PostgreSQL
 * is LIMS_E_INTERNAL with PostgreSQL's message, the file and, if known, the line; after
 * lock_timeout or a deadlock its retry is LIMS_RETRY_ROLLED_BACK. */
const lims_error_t *lims_script_run(lims_connection_t *connection, const char *file,
                                    const char *sql, apr_pool_t *pool);

#endif /* LIMS_SCRIPT_H */
