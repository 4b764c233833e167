/* SPDX-License-Identifier: Apache-2.0 */
/* conninfo.c - what a connection string says, without connecting. */
#include <apr_lib.h>
#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

#include "database/database_private.h"

/* As libpq has them where nothing else says otherwise. */
#define PORT_DEFAULT "5432"

static const char *value_of(const PQconninfoOption *options, const char *keyword)
{
    for (; options && options->keyword; options++) {
        if (strcmp(options->keyword, keyword) == 0) {
            return options->val && *options->val ? options->val : NULL;
        }
    }
    return NULL;
}

bool lims_connection_says(const char *conninfo, const char *keyword)
{
    PQconninfoOption *options = PQconninfoParse(conninfo, NULL);
    bool said = value_of(options, keyword);

    PQconninfoFree(options);
    return said;
}

const char *lims_connection_misspelt(const char *conninfo, apr_pool_t *pool)
{
    char *words = NULL;
    PQconninfoOption *options = PQconninfoParse(conninfo, &words);
    const char *trouble = NULL;

    if (!options) {
        trouble = lims_database_one_line(words ? words : "there is no memory", pool);
    }
    PQfreemem(words);
    PQconninfoFree(options);
    return trouble;
}

/* --- The database's name --------------------------------------------------- */

/* The next element of a list with commas, which moves on; "" behind its end. */
static const char *next_of(const char **list, apr_pool_t *pool)
{
    const char *comma = strchr(*list, ',');
    const char *element = comma ? apr_pstrmemdup(pool, *list, (apr_size_t)(comma - *list)) : *list;

    *list = comma ? comma + 1 : "";
    return element;
}

/* A host as all write it: folders without symbolic links, names in lower case. */
static const char *plain_host(const char *host, apr_pool_t *pool)
{
    char *real = *host == '/' ? realpath(host, NULL) : NULL;
    char *plain = apr_pstrdup(pool, real ? real : *host ? host : "local");

    free(real);
    for (char *c = plain; *plain != '/' && *c; c++) {
        *c = (char)apr_tolower(*c);
    }
    return plain;
}

static const char *places_of(const char *hosts, const char *ports, apr_pool_t *pool)
{
    /* One port is for all hosts. */
    const char *only = strchr(ports, ',') ? NULL : ports;
    const char *places = "";

    do {
        const char *host = next_of(&hosts, pool);
        const char *port = only ? only : next_of(&ports, pool);
        places = apr_pstrcat(pool, places, *places ? "," : "", plain_host(host, pool), ":",
                             *port ? port : PORT_DEFAULT, NULL);
    } while (*hosts);
    return places;
}

/* Of a keyword, or of the variable of the environment that stands in for it. */
static const char *said(const PQconninfoOption *options, const char *keyword, const char *variable)
{
    const char *value = value_of(options, keyword);

    value = value ? value : getenv(variable);
    return value ? value : "";
}

const char *lims_connection_name(const char *conninfo, apr_pool_t *pool)
{
    PQconninfoOption *options = PQconninfoParse(conninfo, NULL);
    const char *service = value_of(options, "service");
    const char *database = said(options, "dbname", "PGDATABASE");
    const char *hosts = said(options, "host", "PGHOST");
    const char *name;

    if (!options) {
        return "";
    }
    if (!*database) {
        database = said(options, "user", "PGUSER");
    }
    if (!*hosts) {
        hosts = said(options, "hostaddr", "PGHOSTADDR");
    }
    /* What a service's file says of it is not known here. */
    name = apr_pstrcat(pool, database, "@", places_of(hosts, said(options, "port", "PGPORT"), pool),
                       service ? "/" : NULL, service, NULL);
    PQconninfoFree(options);
    return name;
}
