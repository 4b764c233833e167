/* SPDX-License-Identifier: Apache-2.0 */
/* borrowed.h - directives of mod_dbd and mod_ssl that mod_lims has to know too. */
#ifndef LIMS_BORROWED_H
#define LIMS_BORROWED_H

#include "server/server.h"

/* One argument as it stands there: its owner says how many it takes. */
#define LIMS_BORROWED(name, which)                                                                 \
    AP_INIT_RAW_ARGS(name, lims_borrowed_set, (void *)(apr_uintptr_t)(which), RSRC_CONF,           \
                     "also read by mod_lims")

/* Rows of config.c's table. */
#define LIMS_BORROWED_DIRECTIVES                                                                   \
    LIMS_BORROWED("DBDriver", LIMS_BORROWED_DRIVER),                                               \
        LIMS_BORROWED("DBDParams", LIMS_BORROWED_PARAMS),                                          \
        LIMS_BORROWED("DBDPersist", LIMS_BORROWED_PERSIST),                                        \
        LIMS_BORROWED("DBDMin", LIMS_BORROWED_MIN), LIMS_BORROWED("DBDKeep", LIMS_BORROWED_KEEP),  \
        LIMS_BORROWED("DBDMax", LIMS_BORROWED_MAX),                                                \
        LIMS_BORROWED("DBDExptime", LIMS_BORROWED_EXPTIME),                                        \
        LIMS_BORROWED("SSLEngine", LIMS_BORROWED_ENGINE)

const char *lims_borrowed_set(cmd_parms *cmd, void *unused, const char *arguments);

/* The argument as it holds for this server, NULL: it has none. */
const char *lims_borrowed(const server_rec *s, lims_borrowed_e which);
long lims_borrowed_number(const server_rec *s, lims_borrowed_e which, long fallback);

/* What `inner` does not say it has of `outer`. */
void lims_borrowed_merge(lims_config_t *inner, const lims_config_t *outer);

#endif /* LIMS_BORROWED_H */
