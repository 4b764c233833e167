/* SPDX-License-Identifier: Apache-2.0 */
/* control.c - what a test says is to fail. */
#include <execinfo.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fail.h"

static fail_control_t nothing;
static fail_control_t *control = &nothing;
static char trace[4096]; /* the file that says where it failed */
static char death[4096]; /* the file that says where the process died */

/* Not through mmap(), which memory.so replaces. */
__attribute__((constructor)) static void find_control(void)
{
    const char *path = getenv("LIMS_FAIL");
    int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    long address;

    if (file < 0) {
        return;
    }
    address = syscall(SYS_mmap, NULL, sizeof(*control), PROT_READ | PROT_WRITE, MAP_SHARED, file,
                      0L);
    if (address != -1) {
        void *frame[1];
        backtrace(frame, 1); /* what it needs itself, it has from then on */
        snprintf(trace, sizeof(trace), "%s.trace", path);
        snprintf(death, sizeof(death), "%s.death", path);
        control = (fail_control_t *)address;
    }
    close(file);
}

static void note_where(const char *path)
{
    void *frames[40];
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

    if (file >= 0) {
        backtrace_symbols_fd(frames, backtrace(frames, 40), file);
        close(file);
    }
}

fail_control_t *fail_control(void)
{
    return control;
}

bool fail_now(fail_kind_e kind, const char *what)
{
    int turn;

    if (control->kind != (int)kind || control->process != getpid()) {
        return false;
    }
    turn = __atomic_add_fetch(&control->seen, 1, __ATOMIC_RELAXED);
    if (turn != control->turn && !(control->lasting && turn > control->turn)) {
        return false;
    }
    __atomic_add_fetch(&control->failed, 1, __ATOMIC_RELAXED);
    strncpy(control->what, what, sizeof(control->what) - 1);
    note_where(trace);
    return true;
}

/* So httpd's handler of a fatal signal ends the process, still on the stack of what
 * brought it about. */
int kill(pid_t process, int number)
{
    if (number == SIGSEGV && process == getpid() && control->process == process) {
        note_where(death);
    }
    return (int)syscall(SYS_kill, process, number);
}
