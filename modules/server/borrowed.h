/* SPDX-License-Identifier: Apache-2.0 */
/* borrowed.h - directives of mod_dbd and mod_ssl that mod_lims has to know too. */
#ifndef LIMS_BORROWED_H
#define LIMS_BORROWED_H

#include "server/server.h"

/* Their setter. It takes one argument as it stands there: the owner of the directive
 * says how many there may be. */
const char *lims_borrowed_set(cmd_parms *cmd, void *unused, const char *arguments);

/* The argument as it holds for this server, NULL: it has none. */
const char *lims_borrowed(const server_rec *s, lims_borrowed_e which);

/* The same as a number; `fallback` where the server has none. */
long lims_borrowed_number(const server_rec *s, lims_borrowed_e which, long fallback);

#endif /* LIMS_BORROWED_H */
