/* SPDX-License-Identifier: Apache-2.0 */
/* caller_session.c - the caller of the application. */
#include "service/caller_session.h"

#include <apr_strings.h>
#include <string.h>

#include "kernel/error.h"
#include "kernel/field.h"
#include "kernel/key.h"
#include "kernel/permission.h"
#include "kernel/token.h"
#include "service/caller_cache.h"

bool lims_session_is_asked(const lims_exchange_t *x)
{
    return x->rq.settings->surface == LIMS_SURFACE_APPLICATION;
}

bool lims_session_is_needless(const lims_exchange_t *x)
{
    return x->match.route && (x->match.route->flags & LIMS_R_NO_SESSION);
}

/* --- The page -------------------------------------------------------------------- */

static bool is_of_this_host(const lims_exchange_t *x)
{
    if (x->fetch_site) {
        return strcmp(x->fetch_site, "same-origin") == 0;
    }
    return x->origin && strcasecmp(x->origin, x->rq.settings->origin) == 0;
}

const lims_error_t *lims_session_check_site(const lims_exchange_t *x)
{
    bool reads = strcmp(x->method, "GET") == 0 || strcmp(x->method, "HEAD") == 0;

    if (reads || (is_of_this_host(x) && x->asked_by_page && strcmp(x->asked_by_page, "1") == 0)) {
        return NULL;
    }
    return lims_client_error(x->rq.pool, LIMS_E_CROSS_SITE_REQUEST,
                             "Only pages of %s make such requests: with Sec-Fetch-Site: "
                             "same-origin, or the Origin of that host, and X-Lims-Request: 1.",
                             x->rq.settings->origin);
}

/* --- The cookie ------------------------------------------------------------------ */

const lims_error_t *lims_session_unauthorized(const lims_exchange_t *x, const char *cause)
{
    const lims_settings_t *settings = x->rq.settings;
    lims_error_t *error =
        apr_pmemdup(x->rq.pool,
                    lims_server_error(x->rq.pool, LIMS_E_UNAUTHORIZED, 0, cause,
                                      "Nobody is signed in here: sign in."),
                    sizeof(*error));

    if (settings->sign_in_by_httpd) {
        error->members = settings->sign_in_by_password || settings->sign_in_provider
                             ? "\"signIn\":\"both\""
                             : "\"signIn\":\"httpd\"";
    }
    if (settings->sign_in_provider) {
        error->members = apr_pstrcat(x->rq.pool, error->members ? error->members : "",
                                     error->members ? "," : "", "\"userNames\":true", NULL);
    }
    return lims_error_with_failure(error, LIMS_FAILURE_SESSION, x->rq.pool);
}

/* Returns the value of the cookie (RFC 6265 section 5.4), in the pool of the request;
 * NULL: it is missing, or there twice, which no browser sends of one with this prefix. */
static const char *find_cookie(const lims_exchange_t *x)
{
    char *rest = apr_pstrdup(x->rq.pool, x->cookies ? x->cookies : "");
    apr_size_t length = strlen(x->rq.settings->cookie);
    const char *found = NULL;
    int count = 0;

    for (char *each = apr_strtok(rest, "; ", &rest); each; each = apr_strtok(NULL, "; ", &rest)) {
        if (strncmp(each, x->rq.settings->cookie, length) == 0 && each[length] == '=') {
            found = each + length + 1;
            count++;
        }
    }
    return count == 1 ? found : NULL;
}

const lims_error_t *lims_session_present(lims_exchange_t *x)
{
    const char *token = find_cookie(x);
    unsigned char hash[LIMS_KEY_HASH_LENGTH];
    lims_known_caller_t known;
    bool whole = token && lims_token_well_formed(token);

    if (!whole) {
        return lims_session_is_needless(x)
                   ? NULL
                   : lims_session_unauthorized(x, token ? "malformed cookie" : "no cookie");
    }
    if (!lims_key_hash(hash, token)) {
        return lims_no_digest(x->rq.pool);
    }
    x->key_hash = lims_bytea(hash, LIMS_KEY_HASH_LENGTH, x->rq.pool);
    x->key_known = !lims_session_is_needless(x) &&
                   lims_caller_cache_get(&known, x->rq.settings->database, hash);
    if (x->key_known) {
        x->accepted = known.accepted;
        x->rq.actor.session = apr_ltoa(x->rq.pool, (long)known.caller);
        x->rq.actor.organization = apr_ltoa(x->rq.pool, (long)known.organization);
        x->rq.actor.user = apr_ltoa(x->rq.pool, (long)known.user);
    }
    return NULL;
}

/* --- The person ------------------------------------------------------------------ */

bool lims_session_is_another(const lims_exchange_t *x)
{
    /* A plain link to a file sends no header field of the page's. */
    bool any = x->match.route && (x->match.route->flags & (LIMS_R_ANY_SESSION | LIMS_R_BYTES));

    return x->session_named ? strcmp(x->session_named, x->rq.actor.session) != 0 : !any;
}

const lims_error_t *lims_session_adopt(lims_exchange_t *x, const lims_result_t *found)
{
    lims_actor_t *actor = &x->rq.actor;
    lims_known_caller_t known = { .database = x->rq.settings->database };

    if (lims_session_is_needless(x)) {
        return NULL;
    }
    actor->session = lims_result_get(found, 0, "sessionId");
    actor->organization = lims_result_get(found, 0, "organizationId");
    actor->user = lims_result_get(found, 0, "userId");
    actor->permissions = lims_result_get(found, 0, "permissions");
    x->touch_due = !x->asked_in_background && lims_result_true(found, 0, "touchDue");
    lims_caller_cache_hash(known.hash, x->key_hash);
    known.caller = apr_atoi64(actor->session);
    known.organization = apr_atoi64(actor->organization);
    known.user = apr_atoi64(actor->user);
    lims_caller_cache_put(&known);
    if (!lims_session_is_another(x)) {
        return NULL;
    }
    x->touch_due = false;
    return lims_client_error(x->rq.pool, LIMS_E_SESSION_CHANGED,
                             x->session_named
                                 ? "Somebody else signed in, or the same person again: this page's "
                                   "session is another than the browser's. Nothing was done."
                                 : "X-Lims-Session is missing: a request names the session that "
                                   "its page knows.");
}

/* Refuses all but reading and the person's own matters, while the account is locked: above
 * all, sessions can be ended. */
const lims_error_t *lims_session_check_lock(lims_exchange_t *x, const lims_result_t *found)
{
    const char *seconds = lims_result_get(found, 0, "lockedSeconds");

    if (!seconds || strcmp(x->match.route->permission, "self") == 0) {
        return NULL;
    }
    x->retry_after = seconds;
    return lims_client_error(x->rq.pool, LIMS_E_ACCOUNT_LOCKED,
                             "The account is locked for another %s s, after failed signatures: "
                             "until then its sessions only read.",
                             seconds);
}

const char *lims_session_lacking(const lims_exchange_t *x)
{
    bool undecided = x->match.route->permission_by && (x->late_refusal || !x->body_checked);

    return undecided ? NULL
                     : lims_permission_missing(x->rq.route, x->rq.values, x->rq.actor.permissions);
}
