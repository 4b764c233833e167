/* SPDX-License-Identifier: Apache-2.0 */
/* found_person.c - whom a module of httpd has found, in front of /app/sign-on. */
#include <http_ssl.h>
#include <string.h>

#include "server/server.h"

/* The type of a name that mod_ssl took from a client certificate (SSLUserName). */
#define CERTIFICATE "ClientCert"

/* Whether the client's certificate was verified: with "SSLVerifyClient optional_no_ca"
 * anybody's gives a name. */
static bool is_certificate_verified(request_rec *r)
{
    const char *verified =
        ap_ssl_var_lookup(r->pool, r->server, r->connection, r, "SSL_CLIENT_VERIFY");

    return verified && strcmp(verified, "SUCCESS") == 0;
}

/* Returns the type of the authentication by which httpd knows who asks; NULL: nobody was
 * found. */
static const char *authentication_of(request_rec *r)
{
    const char *type = r->user ? r->ap_auth_type : NULL;

    return type && strcasecmp(type, CERTIFICATE) == 0 && !is_certificate_verified(r) ? NULL : type;
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
