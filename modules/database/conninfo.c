/* SPDX-License-Identifier: Apache-2.0 */
/* conninfo.c - parsing of connection strings. */
#include <apr_lib.h>
#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

#include "database/database_private.h"

/* libpq's defaults. */
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

bool lims_connection_string_has(const char *conninfo, const char *keyword)
{
    PQconninfoOption *options = PQconninfoParse(conninfo, NULL);
    bool setting_of = value_of(options, keyword);

    PQconninfoFree(options);
    return setting_of;
}

const char *lims_connection_string_problem(const char *conninfo, apr_pool_t *pool)
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

/* Returns the next element of a comma-separated list and advances it; "" at its end. */
static const char *next_of(const char **list, apr_pool_t *pool)
{
    const char *comma = strchr(*list, ',');
    const char *element = comma ? apr_pstrmemdup(pool, *list, (apr_size_t)(comma - *list)) : *list;

    *list = comma ? comma + 1 : "";
    return element;
}

/* Returns the canonical form of a host: a folder without symbolic links, a name in lower
 * case. */
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

static const char *hosts_of(const char *hosts, const char *ports, apr_pool_t *pool)
{
    /* A single port holds for all hosts. */
    const char *only = strchr(ports, ',') ? NULL : ports;
    const char *list = "";

    do {
        const char *host = next_of(&hosts, pool);
        const char *port = only ? only : next_of(&ports, pool);
        list = apr_pstrcat(pool, list, *list ? "," : "", plain_host(host, pool), ":",
                           *port ? port : PORT_DEFAULT, NULL);
    } while (*hosts);
    return list;
}

/* Returns the value of a keyword, or of its environment variable. */
static const char *setting_of(const PQconninfoOption *options, const char *keyword,
                              const char *variable)
{
    const char *value = value_of(options, keyword);

    value = value ? value : getenv(variable);
    return value ? value : "";
}

const char *lims_connection_name(const char *conninfo, apr_pool_t *pool)
{
    PQconninfoOption *options = PQconninfoParse(conninfo, NULL);
    const char *service = value_of(options, "service");
    const char *database = setting_of(options, "dbname", "PGDATABASE");
    const char *hosts = setting_of(options, "host", "PGHOST");
    const char *name;

    if (!options) {
        return "";
    }
    if (!*database) {
        database = setting_of(options, "user", "PGUSER");
    }
    if (!*hosts) {
        hosts = setting_of(options, "hostaddr", "PGHOSTADDR");
    }
    /* The settings of a service file are not known here. */
    name = apr_pstrcat(pool, database, "@",
                       hosts_of(hosts, setting_of(options, "port", "PGPORT"), pool),
                       service ? "/" : NULL, service, NULL);
    PQconninfoFree(options);
    return name;
}
