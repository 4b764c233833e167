/* SPDX-License-Identifier: Apache-2.0 */
/*
 * providers.c - authentication providers of httpd (mod_authnz_ldap, mod_authn_file,
 * mod_authn_dbd, ...), which know people by name and password.
 *
 * They are asked as mod_auth_basic asks them, but for what was typed into our own form:
 * nothing is read from a header field of the request.
 */
#include <apr_strings.h>
#include <ap_provider.h>
#include <mod_auth.h>
#include <string.h>

#include "kernel/error.h"
#include "server/foreign_directives.h"
#include "server/server.h"

static const authn_provider *find(const char *name)
{
    return ap_lookup_provider(AUTHN_PROVIDER_GROUP, name, AUTHN_PROVIDER_VERSION);
}

bool lims_provider_exists(const char *provider)
{
    const authn_provider *found = find(provider);

    return found && found->check_password;
}

/* Returns the provider behind an <AuthnProviderAlias base alias>, or the provider itself. */
static const char *base_of(const server_rec *s, const char *provider, apr_pool_t *pool)
{
    const apr_array_header_t *aliases = lims_config_of(s)->provider_aliases;

    for (int i = 0; aliases && i < aliases->nelts; i++) {
        const char *arguments = APR_ARRAY_IDX(aliases, i, const char *);
        const char *base = ap_getword_conf(pool, &arguments);
        const char *rest = apr_pstrndup(pool, arguments, strcspn(arguments, ">"));

        if (strcmp(ap_getword_conf(pool, &rest), provider) == 0) {
            return base;
        }
    }
    return provider;
}

bool lims_provider_caches(const server_rec *s, const char *provider, apr_pool_t *pool)
{
    const char *base = base_of(s, provider, pool);

    /* mod_ldap keeps the passwords of its last binds, unless it is told not to. */
    return strcmp(base, "socache") == 0 ||
           (strcmp(base, "ldap") == 0 &&
            lims_foreign_directive_number(s, LIMS_FOREIGN_LDAP_ENTRIES, 1) != 0);
}

static authn_status check_password(request_rec *r, const char *provider, const char *name,
                                   const char *password)
{
    const authn_provider *found = find(provider);
    char *user = r->user;
    authn_status status;

    if (!found || !found->check_password) {
        return AUTH_GENERAL_ERROR;
    }
    /* The note is how an alias learns which one it is. */
    apr_table_setn(r->notes, AUTHN_PROVIDER_NAME_NOTE, provider);
    r->user = apr_pstrdup(r->pool, name);
    status = found->check_password(r, r->user, password);
    r->user = user;
    apr_table_unset(r->notes, AUTHN_PROVIDER_NAME_NOTE);
    return status;
}

const lims_error_t *lims_provider_ask(bool *right, request_rec *r, const char *provider,
                                      const char *name, const char *password)
{
    authn_status status;

    *right = false;
    /* LDAP takes a bind without a password for one of nobody (RFC 4513 section 5.1.2). */
    if (!*password || !*name) {
        return NULL;
    }
    status = check_password(r, provider, name, password);
    *right = status == AUTH_GRANTED;
    if (*right || status == AUTH_DENIED || status == AUTH_USER_NOT_FOUND) {
        return NULL;
    }
    return lims_server_error(r->pool, LIMS_E_SERVICE_UNAVAILABLE, 69,
                             apr_psprintf(r->pool, "the authentication provider \"%s\" failed",
                                          provider),
                             "Passwords cannot be checked at the moment; try again in a few "
                             "seconds.");
}
