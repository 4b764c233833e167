/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mod_lims.c - laboratory sample management as an Apache httpd module.
 *
 * This file is the table of contents: the module record and the hooks, each
 * with its reason. Start reading at modules/README.md.
 */
#include "server/server.h"
#include "server/watchdog.h"

#include <http_config.h>
#include <http_protocol.h>
#include <http_request.h>
#include <mpm_common.h>

/* mod_ssl must have seen the connection, mod_dbd must have made its pool. */
static const char *const after_dbd[] = { "mod_dbd.c", NULL };

static void register_hooks(apr_pool_t *pool)
{
    /* Every prerequisite that is missing, at configtest and at start. */
    ap_hook_check_config(lims_check_config, after_dbd, NULL, APR_HOOK_LAST);

    /* Shared memory that outlives restarts; the schema, if it can be asked. */
    ap_hook_post_config(lims_post_config, after_dbd, NULL, APR_HOOK_MIDDLE);

    /* State of a child process: the bound on its connections, the keys it has seen, the
     * jobs that may run in it. */
    ap_hook_child_init(lims_child_init, after_dbd, NULL, APR_HOOK_MIDDLE);

    /* The dispatcher begins nothing more, while requests come to their end. */
    ap_hook_child_stopping(lims_webhooks_stopping, NULL, NULL, APR_HOOK_MIDDLE);

    /* A job that runs makes an end. */
    ap_hook_child_stopping(lims_watchdog_stopping, NULL, NULL, APR_HOOK_MIDDLE);

    /* Our URLs stand for no files: they are claimed before anything maps them
     * into the file system, where other rules would apply. */
    ap_hook_translate_name(lims_translate_name, NULL, NULL, APR_HOOK_REALLY_FIRST);
    ap_hook_map_to_storage(lims_map_to_storage, NULL, NULL, APR_HOOK_REALLY_FIRST);

    /* Before handlers that go by file name endings. */
    ap_hook_handler(lims_handler, NULL, NULL, APR_HOOK_REALLY_FIRST);

    /* Metrics and probes for operators, where SetHandler says so; our section in
     * mod_status's page, if that module is there. */
    ap_hook_handler(lims_status_handler, NULL, NULL, APR_HOOK_MIDDLE);
    lims_status_register(pool);
}

AP_DECLARE_MODULE(lims) = {
    STANDARD20_MODULE_STUFF,
    NULL, /* no per-directory configuration */
    NULL,
    lims_config_create,
    lims_config_merge,
    lims_config_directives,
    register_hooks,
    0,
};
