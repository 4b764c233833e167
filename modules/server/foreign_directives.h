/* SPDX-License-Identifier: Apache-2.0 */
/* foreign_directives.h - directives of other modules that mod_lims reads too. */
#ifndef LIMS_FOREIGN_DIRECTIVES_H
#define LIMS_FOREIGN_DIRECTIVES_H

#include "server/server.h"

/* Setter of these directives. It takes one argument as it stands; the owner of the
 * directive says how many there may be. */
const char *lims_foreign_directive_set(cmd_parms *cmd, void *unused, const char *arguments);

/* Setter of one that may stand there several times: adds its arguments, as written, to a
 * list. */
const char *lims_foreign_directive_add(cmd_parms *cmd, void *unused, const char *arguments);

/* The argument as it holds for this server, NULL: it has none. */
const char *lims_foreign_directive(const server_rec *s, lims_foreign_directive_e which);

/* Returns a setting as a number; `fallback` where the server has none. */
long lims_foreign_directive_number(const server_rec *s, lims_foreign_directive_e which,
                                   long fallback);

#endif /* LIMS_FOREIGN_DIRECTIVES_H */
