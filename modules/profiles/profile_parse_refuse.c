/* SPDX-License-Identifier: Apache-2.0 */
/* profile_parse_refuse.c - errors in a profile, with their JSON path. */
#include "profiles/profile_parse.h"

#include <apr_strings.h>
#include <stdarg.h>

#include "kernel/error.h"

static const char *path_of(const lims_profile_place_t *place, apr_pool_t *pool)
{
    const char *parent;

    if (!place || !place->parent) {
        return place && place->name ? place->name : "";
    }
    parent = path_of(place->parent, pool);
    if (!place->name) {
        return apr_psprintf(pool, "%s[%d]", parent, place->index);
    }
    return apr_psprintf(pool, "%s%s%s", parent, parent[0] != '\0' ? "." : "", place->name);
}

const lims_error_t *lims_profile_refuse(const lims_profile_parser_t *parser,
                                        const lims_profile_place_t *place, const char *member,
                                        const char *format, ...)
{
    const lims_profile_place_t below = { .parent = place, .name = member };
    const char *path = path_of(member ? &below : place, parser->pool);
    va_list arguments;
    const char *words;

    va_start(arguments, format);
    words = apr_pvsprintf(parser->pool, format, arguments);
    va_end(arguments);
    return lims_client_error(parser->pool, LIMS_E_INVALID_BODY, "%s: %s",
                             path[0] != '\0' ? path : "The profile", words);
}
