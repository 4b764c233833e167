/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process.c - starting and ending the printer's process.
 *
 * posix_spawn() and not fork(): a child process of httpd has many threads. The process is
 * in a group of its own, which is killed with whatever it started. Its limits are set from
 * outside, right after its start and before it is given anything.
 */
#include "documents/process.h"

#include <apr_strings.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "kernel/time.h"

/* Descriptors that it may have open, fonts included. */
#define FILES_MAX 256

/* How long a process that has closed its output may take to end. */
#define PATIENCE apr_time_from_sec(1)

/* How much of what it wrote to standard error is told. */
#define TOLD_MAX 200

/* All that it is told of our environment. */
static const char *const environment[] = { "PATH=/usr/bin:/bin", "HOME=/nonexistent",
                                           "LANG=C.UTF-8", "MALLOC_ARENA_MAX=1", NULL };

static const char *failure(const char *what, int number, apr_pool_t *pool)
{
    char text[128];

    return apr_pstrcat(pool, what, ": ",
                       apr_strerror(APR_FROM_OS_ERROR(number), text, sizeof(text)), NULL);
}

static void limit(pid_t pid, __rlimit_resource_t resource, rlim_t most)
{
    const struct rlimit bound = { .rlim_cur = most, .rlim_max = most };

    prlimit(pid, resource, &bound, NULL);
}

static void set_limits(pid_t pid)
{
    limit(pid, RLIMIT_DATA, (rlim_t)LIMS_PRINTER_MEMORY);
    limit(pid, RLIMIT_CORE, 0);
    limit(pid, RLIMIT_NOFILE, FILES_MAX);
    setpriority(PRIO_PROCESS, (id_t)pid, 10);
}

/* Forgets what the process wrote to standard error about earlier documents. */
static void drain(int errors)
{
    char text[4096];

    while (read(errors, text, sizeof(text)) > 0) {
    }
}

void lims_process_renew(const lims_printer_process_t *process, const lims_printer_t *printer)
{
    clockid_t clock;
    struct timespec used = { 0 };
    struct rlimit bound = { .rlim_max = RLIM_INFINITY };

    drain(process->errors);
    if (clock_getcpuclockid(process->pid, &clock) == 0) {
        clock_gettime(clock, &used);
    }
    prlimit(process->pid, RLIMIT_CPU, NULL, &bound);
    bound.rlim_cur = (rlim_t)used.tv_sec + (rlim_t)(printer->timeout / APR_USEC_PER_SEC) + 2;
    prlimit(process->pid, RLIMIT_CPU, &bound, NULL);
}

/* Prepares what is done between fork and exec: its three descriptors and no others, default
 * signals, a group of its own. Returns an errno. */
static int prepare(posix_spawn_file_actions_t *actions, posix_spawnattr_t *attributes, int socket,
                   int errors)
{
    sigset_t none, all;
    int error = posix_spawn_file_actions_adddup2(actions, socket, STDIN_FILENO);

    sigemptyset(&none);
    sigfillset(&all);
    if (!error) {
        error = posix_spawn_file_actions_adddup2(actions, socket, STDOUT_FILENO);
    }
    if (!error) {
        error = posix_spawn_file_actions_adddup2(actions, errors, STDERR_FILENO);
    }
    if (!error) {
        error = posix_spawn_file_actions_addclosefrom_np(actions, STDERR_FILENO + 1);
    }
    if (!error) {
        error = posix_spawn_file_actions_addchdir_np(actions, "/");
    }
    posix_spawnattr_setsigmask(attributes, &none);
    posix_spawnattr_setsigdefault(attributes, &all);
    posix_spawnattr_setpgroup(attributes, 0);
    posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
                                             POSIX_SPAWN_SETPGROUP);
    return error;
}

/* Returns an errno. */
static int spawn(pid_t *pid, const char *program, int socket, int errors)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    char *const arguments[] = { (char *)(apr_uintptr_t)program, NULL };
    int error = posix_spawn_file_actions_init(&actions);

    if (error) {
        return error;
    }
    error = posix_spawnattr_init(&attributes);
    if (!error) {
        error = prepare(&actions, &attributes, socket, errors);
        if (!error) {
            error = posix_spawn(pid, program, &actions, &attributes, arguments,
                                (char *const *)(apr_uintptr_t)environment);
        }
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

const char *lims_process_start(lims_printer_process_t *process, const lims_printer_t *printer,
                               apr_pool_t *pool)
{
    int sockets[2], errors[2], error;

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0) {
        return failure("a socket", errno, pool);
    }
    if (pipe2(errors, O_CLOEXEC) != 0) {
        error = errno;
        close(sockets[0]);
        close(sockets[1]);
        return failure("a pipe", error, pool);
    }
    error = spawn(&process->pid, printer->program, sockets[1], errors[1]);
    close(sockets[1]);
    close(errors[1]);
    if (error) {
        process->pid = 0;
        close(sockets[0]);
        close(errors[0]);
        return failure(printer->program, error, pool);
    }
    set_limits(process->pid);
    fcntl(sockets[0], F_SETFL, O_NONBLOCK);
    fcntl(errors[0], F_SETFL, O_NONBLOCK);
    process->socket = sockets[0];
    process->errors = errors[0];
    return NULL;
}

/* Returns the beginning of what the process wrote to standard error; "": nothing. */
static const char *told(int errors, apr_pool_t *pool)
{
    char text[TOLD_MAX];
    ssize_t length = read(errors, text, sizeof(text));

    while (length > 0 && (text[length - 1] == '\n' || text[length - 1] == ' ')) {
        length--;
    }
    for (ssize_t i = 0; i < length; i++) {
        text[i] = text[i] >= ' ' && text[i] <= '~' ? text[i] : '?';
    }
    if (length <= 0) {
        return "";
    }
    return apr_pstrcat(pool, ": ", apr_pstrmemdup(pool, text, (apr_size_t)length), NULL);
}

/* Waits until the process has ended, for `patience` microseconds at most; it stays there as
 * a zombie, so that no other process gets its number. */
static bool has_ended(siginfo_t *how, pid_t pid, apr_interval_time_t patience)
{
    apr_time_t until = lims_time_monotonic() + patience;

    for (;;) {
        memset(how, 0, sizeof(*how));
        if (waitid(P_PID, (id_t)pid, how, WEXITED | WNOHANG | WNOWAIT) == 0 && how->si_pid == pid) {
            return true;
        }
        if (lims_time_monotonic() >= until) {
            return false;
        }
        apr_sleep(2000);
    }
}

const char *lims_process_end(lims_printer_process_t *process, bool killed, apr_pool_t *pool)
{
    siginfo_t how;
    const char *said;
    bool ended;

    close(process->socket);
    ended = !killed && has_ended(&how, process->pid, PATIENCE);
    kill(-process->pid, SIGKILL);
    while (waitpid(process->pid, NULL, 0) < 0 && errno == EINTR) {
    }
    process->pid = 0;
    said = told(process->errors, pool);
    close(process->errors);
    if (!ended) {
        return said;
    }
    return apr_psprintf(pool,
                        how.si_code == CLD_EXITED ? "it ended with status %d%s"
                                                  : "it was ended by signal %d%s",
                        how.si_status, said);
}

bool lims_process_is_usable(const lims_printer_process_t *process)
{
    char byte;

    /* Nothing is to be read of a process that waits for its next job. */
    return recv(process->socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && errno == EAGAIN;
}
