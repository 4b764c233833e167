/* SPDX-License-Identifier: Apache-2.0 */
/* found_person.c - whom a module of httpd has found, in front of /app/sign-on. */
#include <http_ssl.h>
#include <string.h>

#include "server/server.h"

/* The type of a name that mod_ssl took from a client certificate (SSLUserName): it sets none
 * of its own. */
#define CERTIFICATE "certificate"

/* Returns the type of the authentication by which httpd knows who asks; NULL: nobody was
 * found. A certificate counts only if it was verified. */
static const char *authentication_of(request_rec *r)
{
    const char *verified;

    if (!r->user || r->ap_auth_type) {
        return r->user ? r->ap_auth_type : NULL;
    }
    verified = ap_ssl_var_lookup(r->pool, r->server, r->connection, r, "SSL_CLIENT_VERIFY");
    return verified && strcmp(verified, "SUCCESS") == 0 ? CERTIFICATE : NULL;
}

const char *lims_found_person(const char **type, request_rec *r)
{
    const apr_array_header_t *types = lims_config_of(r->server)->sign_in_types;
    const char *found = authentication_of(r);

    for (int i = 0; found && types && i < types->nelts; i++) {
        const char *trusted = APR_ARRAY_IDX(types, i, const char *);

        if (strcasecmp(trusted, found) == 0) {
            *type = trusted;
            return r->user;
        }
    }
    return NULL;
}
