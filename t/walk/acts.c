/* SPDX-License-Identifier: Apache-2.0 */
/*
 * acts.c - limsctl for many commands in a row, for the walks beside it: of each line, the
 * arguments of a command, separated by the unit separator (0x1f), it writes one line, the
 * exit status of limsctl and the answer or the refusal as JSON.
 *
 *     acts CONNINFO PASSWORD
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
#include "tool/session.h"
#include "tool/tool.h"

#define LINE_MAX_BYTES 65536
#define ARGUMENTS_MAX 128

static void write_error(const lims_error_t *error, apr_pool_t *pool)
{
    apr_size_t length;
    const char *body = lims_error_body(&length, error, pool);

    printf("%d\t%.*s\n", LIMS_EXIT_REFUSED, (int)length, body);
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
        session->organization = tool.organization;
        session->user = tool.user;
        session->reason = tool.reason;
        error = lims_session_call(&reply, session, tool.resource, tool.route, tool.values, pool);
    }
    if (error) {
        write_error(error, pool);
    } else {
        printf("%d\t%.*s\n", reply->failed ? LIMS_EXIT_REFUSED : LIMS_EXIT_OK, (int)reply->length,
               reply->body ? reply->body : "null");
    }
    fflush(stdout);
}

int main(int argc, const char *const argv[])
{
    static char line[LINE_MAX_BYTES];
    lims_session_t *session = NULL;
    const lims_error_t *error;
    apr_pool_t *pool;

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
