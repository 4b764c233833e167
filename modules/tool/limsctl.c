/* SPDX-License-Identifier: Apache-2.0 */
/* limsctl.c - the administrator's command line; tool.h says how it works. */
#include <apr_general.h>
#include <apr_strings.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "kernel/error.h"
#include "kernel/route.h"
#include "tool/session.h"
#include "service/spool.h"
#include "tool/tool.h"

static const char *ask_password(lims_session_t *session)
{
    lims_tool_t *tool = session->context;

    return lims_secret_ask(apr_psprintf(tool->pool, "Password of %s: ", session->user), tool->pool);
}

/* On standard error, so that standard output is the answer alone. */
static void show_signed(lims_session_t *session, const char *act, const char *records)
{
    lims_tool_t *tool = session->context;

    fprintf(stderr, "%s signs:\n", lims_printable(session->user, tool->pool));
    lims_print_whole(stderr, act, tool->pool);
    lims_print_whole(stderr, records, tool->pool);
}

static const lims_error_t *open_session(lims_session_t **session, lims_tool_t *tool)
{
    const char *password = NULL;
    const lims_error_t *error = NULL;

    if (tool->password_file) {
        error = lims_secret_read(&password, tool->password_file, tool->pool);
    }
    if (!error) {
        error = lims_session_open(session, tool->database, tool->pool);
    }
    if (!error) {
        (*session)->organization = tool->organization;
        (*session)->user = tool->user;
        (*session)->reason = tool->reason;
        (*session)->printer = lims_tool_printer(tool);
        (*session)->verification = tool->verification;
        (*session)->password = password;
        (*session)->ask = ask_password;
        /* A program that has the password at hand reads the answer alone. */
        (*session)->show = tool->json && password ? NULL : show_signed;
        (*session)->context = tool;
        if (tool->route->flags & LIMS_R_KEYRING) {
            error = lims_tool_keyring(&(*session)->keyring, tool);
        }
    }
    return error;
}

/* Prints a reply. The bytes of a file are not written to a terminal, which they could
 * control. */
static lims_exit_e print_reply(const lims_tool_t *tool, const lims_reply_t *reply)
{
    bool bytes = !tool->json && (tool->route->flags & LIMS_R_BYTES) != 0;

    if (bytes && isatty(STDOUT_FILENO)) {
        fputs("limsctl: the bytes as they came could contain control characters for your terminal: "
              "write them to a file (> FILE), or to a program that displays them.\n",
              stderr);
        return LIMS_EXIT_USAGE;
    }
    if (!bytes || !lims_print_bytes(stdout, reply->body, reply->length, tool->pool)) {
        lims_print_answer(tool, reply->body, reply->length);
    }
    return reply->failed ? LIMS_EXIT_REFUSED : LIMS_EXIT_OK;
}

static lims_exit_e run_route(lims_tool_t *tool)
{
    lims_session_t *session = NULL;
    lims_reply_t *reply = NULL;
    const lims_error_t *error = open_session(&session, tool);

    if (!error) {
        error = lims_session_call(&reply, session, tool->resource, tool->route, tool->values,
                                  tool->pool);
    }
    if (!error) {
        error = lims_spool_read(reply, tool->pool);
    }
    return error ? lims_print_error(tool, error) : print_reply(tool, reply);
}

static lims_exit_e run(lims_tool_t *tool, int argc, const char *const *argv)
{
    const char *problems =
        lims_route_check(lims_resources, lims_statements, LIMS_STMT_COUNT, tool->pool);
    const lims_error_t *error;

    if (problems) {
        fprintf(stderr, "limsctl: the tables contradict themselves:\n%s", problems);
        return LIMS_EXIT_SYSTEM;
    }
    error = lims_tool_read(tool, argc, argv);
    if (error) {
        lims_print_error(tool, error);
        return LIMS_EXIT_USAGE;
    }
    if (tool->version) {
        puts("limsctl " LIMS_VERSION);
        return LIMS_EXIT_OK;
    }
    if (tool->help) {
        lims_print_help(tool);
        return LIMS_EXIT_OK;
    }
    error = lims_tool_settings(tool);
    if (error) {
        lims_print_error(tool, error);
        return LIMS_EXIT_USAGE;
    }
    return tool->command ? tool->command->run(tool) : run_route(tool);
}

int main(int argc, const char *const argv[])
{
    lims_tool_t tool = { 0 };
    lims_exit_e status;

    if (apr_initialize() != APR_SUCCESS || apr_pool_create(&tool.pool, NULL) != APR_SUCCESS) {
        fputs("limsctl: out of memory\n", stderr);
        return LIMS_EXIT_SYSTEM;
    }
    atexit(apr_terminate);
    status = run(&tool, argc, argv);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        perror("limsctl: standard output");
        status = status == LIMS_EXIT_OK ? LIMS_EXIT_SYSTEM : status;
    }
    return (int)status;
}
