/* SPDX-License-Identifier: Apache-2.0 */
/* password_input.c - reads passwords from a file or the terminal; not from an argument,
 * which every user of the machine could see. */
#include <apr_strings.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>

#include "kernel/error.h"
#include "tool/tool.h"

/* Longest secret, bytes. */
#define SECRET_MAX 1024

static bool read_line(char line[SECRET_MAX + 2], FILE *file)
{
    if (!fgets(line, SECRET_MAX + 2, file)) {
        return false;
    }
    line[strcspn(line, "\r\n")] = '\0';
    return true;
}

const lims_error_t *lims_secret_read(const char **secret, const char *file, apr_pool_t *pool)
{
    bool standard = strcmp(file, "-") == 0;
    FILE *stream = standard ? stdin : fopen(file, "r");
    char line[SECRET_MAX + 2];
    bool found;

    if (!stream) {
        return lims_client_error(pool, LIMS_E_INVALID_QUERY, "%s: %s", file, strerror(errno));
    }
    found = read_line(line, stream);
    if (!standard) {
        fclose(stream);
    }
    if (!found || strlen(line) > SECRET_MAX) {
        return lims_client_error(pool, LIMS_E_INVALID_QUERY,
                                 "%s holds no password of at most %d bytes.",
                                 standard ? "Standard input" : file, SECRET_MAX);
    }
    *secret = apr_pstrdup(pool, line);
    return NULL;
}

/* Prints the prompt and reads a line without echo. Echo is off before the prompt appears,
 * so that early input is not shown either. Signals are blocked meanwhile: one that ended
 * the program here would leave the terminal without echo. */
static bool read_without_echo(char line[SECRET_MAX + 2], const char *prompt, FILE *terminal,
                              const struct termios *before)
{
    struct termios silent = *before;
    sigset_t held, former;
    bool found;

    sigemptyset(&held);
    sigaddset(&held, SIGINT);
    sigaddset(&held, SIGQUIT);
    sigaddset(&held, SIGTERM);
    sigaddset(&held, SIGTSTP);
    silent.c_lflag &= ~(tcflag_t)ECHO;
    sigprocmask(SIG_BLOCK, &held, &former);
    found = tcsetattr(fileno(terminal), TCSAFLUSH, &silent) == 0 && fputs(prompt, stderr) >= 0 &&
            read_line(line, terminal);
    tcsetattr(fileno(terminal), TCSAFLUSH, before);
    fputc('\n', stderr);
    sigprocmask(SIG_SETMASK, &former, NULL);
    return found;
}

const char *lims_secret_ask(const char *prompt, apr_pool_t *pool)
{
    FILE *terminal = fopen("/dev/tty", "r");
    struct termios before;
    char line[SECRET_MAX + 2];
    const char *secret = NULL;

    if (!terminal) {
        return NULL;
    }
    if (tcgetattr(fileno(terminal), &before) == 0 &&
        read_without_echo(line, prompt, terminal, &before) && strlen(line) <= SECRET_MAX) {
        secret = apr_pstrdup(pool, line);
    }
    fclose(terminal);
    return secret;
}
