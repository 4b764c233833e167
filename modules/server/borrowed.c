/* SPDX-License-Identifier: Apache-2.0 */
/*
 * borrowed.c - directives of mod_dbd and mod_ssl that mod_lims has to know too.
 *
 * httpd hands a directive to every module that lists it. So each server's are
 * noted as httpd reads them, and hold as they do for their owners: a virtual
 * host's before the main server's, wherever the lines come from. Looking them up
 * in the tree of the configuration would confuse hosts that an Include, or a
 * macro, makes of the same lines.
 */
#include "server/borrowed.h"

#include <apr_strings.h>
#include <stdlib.h>

/* Who owns each. */
static const struct {
    const char *name;
    const char *owner;
} directives[] = {
    [LIMS_BORROWED_DRIVER] = { "DBDriver", "mod_dbd.c" },
    [LIMS_BORROWED_PARAMS] = { "DBDParams", "mod_dbd.c" },
    [LIMS_BORROWED_PERSIST] = { "DBDPersist", "mod_dbd.c" },
    [LIMS_BORROWED_MIN] = { "DBDMin", "mod_dbd.c" },
    [LIMS_BORROWED_KEEP] = { "DBDKeep", "mod_dbd.c" },
    [LIMS_BORROWED_MAX] = { "DBDMax", "mod_dbd.c" },
    [LIMS_BORROWED_EXPTIME] = { "DBDExptime", "mod_dbd.c" },
    [LIMS_BORROWED_ENGINE] = { "SSLEngine", "mod_ssl.c" },
};

_Static_assert(LIMS_LENGTH(directives) == LIMS_BORROWED_COUNT, "a row for each");

const char *lims_borrowed_set(cmd_parms *cmd, void *unused, const char *arguments)
{
    lims_borrowed_e which = (lims_borrowed_e)(apr_uintptr_t)cmd->info;

    (void)unused;
    if (!ap_find_linked_module(directives[which].owner)) {
        /* As if it were not ours either: SSLEngine without mod_ssl must not pass. */
        return apr_psprintf(cmd->pool,
                            "Invalid command '%s', perhaps misspelled or defined by a module not "
                            "included in the server configuration",
                            directives[which].name);
    }
    /* What its owner takes for the argument, or refuses. */
    lims_config_of(cmd->server)->borrowed[which] = ap_getword_conf(cmd->pool, &arguments);
    return NULL;
}

const char *lims_borrowed(const server_rec *s, lims_borrowed_e which)
{
    return lims_config_of(s)->borrowed[which];
}

long lims_borrowed_number(const server_rec *s, lims_borrowed_e which, long fallback)
{
    const char *text = lims_borrowed(s, which);

    return text ? strtol(text, NULL, 10) : fallback;
}

void lims_borrowed_merge(lims_config_t *inner, const lims_config_t *outer)
{
    for (int i = 0; i < LIMS_BORROWED_COUNT; i++) {
        if (!inner->borrowed[i]) {
            inner->borrowed[i] = outer->borrowed[i];
        }
    }
}
