/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bounds.c - bounds on memory and time that hold whatever the content is.
 *
 * cairo, pango and GLib take memory by malloc(), which ends at RLIMIT_DATA; GLib then ends
 * the process. A document that would come near is refused before; what comes there all the
 * same is answered by a signal handler, so that the caller has a sentence in either case.
 */
#include "print/bounds.h"

#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "kernel/error.h"
#include "print/frames.h"
#include "print/protocol.h"

/* Free memory that is kept, in bytes. */
#define KEPT_MEMORY (32 * 1024 * 1024)

/* Size above which free memory goes back to the system behind a document, in bytes. */
#define TIDY_SIZE (80L * 1024 * 1024)

static volatile sig_atomic_t answering, framed_answers;

static void end_with(const char *sentence)
{
    if (!answering && framed_answers) {
        lims_frame_write(LIMS_PRINT_REFUSAL, sentence, strlen(sentence));
    } else if (!answering) {
        (void)!write(STDERR_FILENO, sentence, strlen(sentence));
        (void)!write(STDERR_FILENO, "\n", 1);
    }
    _exit(3);
}

static void on_signal(int number)
{
    end_with(number == SIGXCPU ? "The document takes too long to make."
                               : "The document takes too much memory.");
}

int lims_bounds_no_memory(int status)
{
    (void)status;
    end_with("The document takes too much memory.");
    return 0;
}

static void limit(int resource, rlim_t value)
{
    struct rlimit now;

    if (getrlimit(resource, &now) == 0) {
        now.rlim_cur = now.rlim_max != RLIM_INFINITY && now.rlim_max < value ? now.rlim_max : value;
        (void)setrlimit(resource, &now);
    }
}

void lims_bounds_set(bool framed)
{
    struct sigaction action = { .sa_handler = on_signal };

    framed_answers = framed;
    (void)setpriority(PRIO_PROCESS, 0, 10);
    (void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    (void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    limit(RLIMIT_CORE, 0);
    if (framed) {
        limit(RLIMIT_FSIZE, 0);
    }
    limit(RLIMIT_NOFILE, 64);
    limit(RLIMIT_DATA, LIMS_PRINT_MEMORY_MAX);
    (void)sigaction(SIGXCPU, &action, NULL);
    (void)sigaction(SIGABRT, &action, NULL);
    (void)sigaction(SIGTRAP, &action, NULL);
    (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGXFSZ, SIG_IGN);
    /* Enough to read a font of Han characters stays with the process from one document to the
     * next; what a large document took goes back to the system. */
    (void)mallopt(M_TRIM_THRESHOLD, KEPT_MEMORY);
    (void)mallopt(M_MMAP_THRESHOLD, KEPT_MEMORY);
}

void lims_bounds_renew(void)
{
    struct timespec used = { 0 };

    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    limit(RLIMIT_CPU, (rlim_t)used.tv_sec + LIMS_PRINT_CPU_SECONDS);
}

void lims_bounds_answering(bool now)
{
    answering = now;
}

/* Returns the bytes that RLIMIT_DATA counts: the sixth number of /proc/self/statm, pages. */
static long data_size(void)
{
    char text[128], *at = text;
    int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    ssize_t length = file < 0 ? -1 : read(file, text, sizeof(text) - 1);

    if (file >= 0) {
        (void)close(file);
    }
    if (length <= 0) {
        return 0;
    }
    text[length] = '\0';
    for (int i = 0; i < 5 && at; i++) {
        at = strchr(at, ' ');
        at = at ? at + 1 : NULL;
    }
    return at ? strtol(at, NULL, 10) * sysconf(_SC_PAGESIZE) : 0;
}

void lims_bounds_tidy(void)
{
    if (data_size() > TIDY_SIZE) {
        (void)malloc_trim(0);
    }
}

const lims_error_t *lims_bounds_check(apr_size_t expected, apr_pool_t *pool)
{
    /* Memory that former documents gave back to malloc() is free. */
    if (data_size() - (long)mallinfo2().fordblks + (long)expected <= LIMS_PRINT_MEMORY_MAX) {
        return NULL;
    }
    return lims_client_error(pool, LIMS_E_PAYLOAD_TOO_LARGE,
                             "The document takes too much memory: it has too many pages or texts");
}
