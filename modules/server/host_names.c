/* SPDX-License-Identifier: Apache-2.0 */
/* host_names.c - names of a server and of its database. */
#include <apr_strings.h>
#include <string.h>

#include "server/foreign_directives.h"

const char *lims_config_conninfo(const server_rec *s, const char *application, apr_pool_t *pool)
{
    const char *params = lims_foreign_directive(s, LIMS_FOREIGN_PARAMS);

    if (!params) {
        return "";
    }
    /* libpq uses the last of two settings. */
    return application && !strstr(params, "://")
               ? apr_pstrcat(pool, params, " application_name=", application, NULL)
               : params;
}

const char *lims_config_database(const server_rec *s)
{
    return lims_config_of(s)->settings.database;
}

const char *lims_config_host(const server_rec *s, apr_pool_t *pool)
{
    apr_port_t port = s->addrs && s->addrs->host_port ? s->addrs->host_port : s->port;
    const char *name = s->server_hostname ? s->server_hostname : "without ServerName";

    return port ? apr_psprintf(pool, "%s:%u", name, (unsigned)port) : name;
}
