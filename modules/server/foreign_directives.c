/* SPDX-License-Identifier: Apache-2.0 */
/*
 * foreign_directives.c - directives of other modules that mod_lims reads too.
 *
 * httpd hands a directive to every module that lists it. So each server's are
 * noted as httpd reads them, and hold as they do for their owners: a virtual
 * host's before the main server's, wherever the lines come from. Looking them up
 * in the tree of the configuration would confuse hosts that an Include, or a
 * macro, makes of the same lines.
 */
#include "server/foreign_directives.h"

#include <apr_strings.h>
#include <stdlib.h>

#include "server/directive.h"

/* Without its owner a directive is not ours either: SSLEngine without mod_ssl must not pass. */
static const char *refuse_without_owner(const cmd_parms *cmd)
{
    const lims_directive_t *directive = cmd->info;

    return ap_find_linked_module(directive->owner)
               ? NULL
               : apr_psprintf(cmd->pool,
                              "Invalid command '%s', perhaps misspelled or defined by a module "
                              "not included in the server configuration",
                              cmd->cmd->name);
}

const char *lims_foreign_directive_set(cmd_parms *cmd, void *unused, const char *arguments)
{
    const char *problem = refuse_without_owner(cmd);

    /* Reads the argument as the module that owns the directive does, or refuses it. */
    return problem ? problem
                   : lims_directive_set_text(cmd, unused, ap_getword_conf(cmd->pool, &arguments));
}

const char *lims_foreign_directive_add(cmd_parms *cmd, void *unused, const char *arguments)
{
    const char *problem = refuse_without_owner(cmd);

    return problem ? problem : lims_directive_add_text(cmd, unused, arguments);
}

const char *lims_foreign_directive(const server_rec *s, lims_foreign_directive_e which)
{
    return lims_config_of(s)->foreign_directives[which];
}

long lims_foreign_directive_number(const server_rec *s, lims_foreign_directive_e which,
                                   long fallback)
{
    const char *text = lims_foreign_directive(s, which);

    return text ? strtol(text, NULL, 10) : fallback;
}
