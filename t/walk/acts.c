/* SPDX-License-Identifier: Apache-2.0 */
/*
 * acts.c - limsctl for many commands in a row, for the walks beside it: of each line, the
 * arguments of a command, separated by the unit separator (0x1f), it writes the exit status
 * of limsctl and the length of the answer, a tab between them and a newline behind, and then
 * the bytes of the answer or of the refusal.
 *
 *     acts CONNINFO PASSWORD
 *     acts
 *
 * Without arguments it writes the table of routes: of each its method, path, command, surfaces
 * (k: keys, p: people over HTTP, t: limsctl), whether it reads, the table whose record is
 * signed and whether each record of a list is, separated by tabs.
 *
 * All that a command does is done by what limsctl is made of; only the connection and the
 * process stay.
 */
#include <apr_general.h>
#include <apr_strings.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/error.h"
#include "kernel/route.h"
#include "tool/session.h"
#include "tool/tool.h"

#define LINE_MAX_BYTES 65536
#define ARGUMENTS_MAX 128

static void write_answer(lims_exit_e status, const char *body, apr_size_t length)
{
    printf("%d\t%" APR_SIZE_T_FMT "\n", status, length);
    fwrite(body, 1, length, stdout);
    fflush(stdout);
}

static void write_error(const lims_error_t *error, apr_pool_t *pool)
{
    apr_size_t length;
    const char *body = lims_error_body(&length, error, pool);

    write_answer(LIMS_EXIT_REFUSED, body, length);
}

static void act(lims_session_t *session, char *line, apr_pool_t *pool)
{
    const char *arguments[ARGUMENTS_MAX] = { "limsctl" };
    lims_tool_t tool = { .pool = pool };
    lims_reply_t *reply = NULL;
    const lims_error_t *error;
    char *state;
    int count = 1;

    for (char *word = apr_strtok(line, "\x1f", &state); word && count < ARGUMENTS_MAX;
         word = apr_strtok(NULL, "\x1f", &state)) {
        arguments[count++] = word;
    }
    error = lims_tool_read(&tool, count, arguments);
    if (!error) {
        error = lims_tool_settings(&tool);
    }
    if (!error) {
        session->organization = tool.organization;
        session->user = tool.user;
        session->reason = tool.reason;
        session->keyring = NULL;
        session->printer = lims_tool_printer(&tool);
        if (tool.route->flags & LIMS_R_KEYRING) {
            error = lims_tool_keyring(&session->keyring, &tool);
        }
    }
    if (!error) {
        error = lims_session_call(&reply, session, tool.resource, tool.route, tool.values, pool);
    }
    if (error) {
        write_error(error, pool);
    } else {
        write_answer(reply->failed ? LIMS_EXIT_REFUSED : LIMS_EXIT_OK,
                     reply->body ? reply->body : "", reply->body ? reply->length : 0);
    }
}

static void write_routes(void)
{
    for (const lims_resource_t *const *resource = lims_resources; *resource; resource++) {
        for (const lims_route_t *route = (*resource)->routes; route->method; route++) {
            printf("%s\t%s\t%s\t%s%s%s\t%d\t%s\t%d\n", route->method, route->path ? route->path : "",
                   route->command ? route->command : "",
                   lims_route_is_on(route, LIMS_SURFACE_API) ? "k" : "",
                   lims_route_is_on(route, LIMS_SURFACE_APPLICATION) ? "p" : "",
                   lims_route_is_on(route, LIMS_SURFACE_TOOL) ? "t" : "", lims_route_reads(route),
                   route->signs ? route->signs : "", (route->flags & LIMS_R_EACH) != 0);
        }
    }
}

int main(int argc, const char *const argv[])
{
    static char line[LINE_MAX_BYTES];
    lims_session_t *session = NULL;
    const lims_error_t *error;
    apr_pool_t *pool;

    if (argc == 1) {
        write_routes();
        return 0;
    }
    if (argc != 3 || apr_initialize() != APR_SUCCESS ||
        apr_pool_create(&pool, NULL) != APR_SUCCESS) {
        return 2;
    }
    atexit(apr_terminate);
    error = lims_session_open(&session, argv[1], pool);
    if (error) {
        fprintf(stderr, "%s\n", error->message);
        return 1;
    }
    session->password = argv[2];
    while (fgets(line, sizeof(line), stdin)) {
        apr_pool_t *round;

        line[strcspn(line, "\n")] = '\0';
        apr_pool_create(&round, pool);
        act(session, line, round);
        apr_pool_destroy(round);
    }
    return 0;
}
