/* SPDX-License-Identifier: Apache-2.0 */
/*
 * printer.c - one job of the printer: it is written and its answer read at the same time,
 * until a deadline.
 */
#include "documents/printer.h"

#include <apr_strings.h>
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "documents/process.h"
#include "kernel/time.h"
#include "print/protocol.h"

/* Longest refusal that is told. */
#define REASON_MAX 500

/* A job under way. */
typedef struct {
    const lims_printer_process_t *process;
    const char *job;
    apr_size_t length;
    unsigned char job_head[LIMS_PRINT_JOB_HEAD];
    apr_size_t sent; /* bytes of head and job */
    unsigned char head[LIMS_PRINT_ANSWER_HEAD];
    apr_size_t head_length;
    char *bytes; /* of the answer, once its head is read */
    apr_size_t size, read;
    const char *misbehaviour; /* NULL: none so far */
    apr_pool_t *pool;
} job_t;

static bool is_answered(const job_t *job)
{
    return job->bytes && job->read == job->size;
}

static void send_some(job_t *job)
{
    bool head = job->sent < LIMS_PRINT_JOB_HEAD;
    const char *from = head ? (const char *)job->job_head + job->sent
                            : job->job + (job->sent - LIMS_PRINT_JOB_HEAD);
    apr_size_t left = (head ? LIMS_PRINT_JOB_HEAD : job->length + LIMS_PRINT_JOB_HEAD) - job->sent;
    ssize_t sent = send(job->process->socket, from, left, MSG_NOSIGNAL | MSG_DONTWAIT);

    if (sent > 0) {
        job->sent += (apr_size_t)sent;
    } else if (sent < 0 && errno != EAGAIN && errno != EINTR) {
        job->misbehaviour = "";
    }
}

/* Makes room for the answer, whose head is read. */
static void judge_head(job_t *job)
{
    const unsigned char *head = job->head;
    apr_size_t size = (apr_size_t)head[1] << 24 | (apr_size_t)head[2] << 16 |
                      (apr_size_t)head[3] << 8 | (apr_size_t)head[4];

    if (head[0] != LIMS_PRINT_DOCUMENT && head[0] != LIMS_PRINT_REFUSAL) {
        job->misbehaviour = "it answered what is no answer";
    } else if (size == 0 || size > LIMS_PRINT_ANSWER_MAX) {
        job->misbehaviour = "it answered with too many bytes, or none";
    } else {
        job->size = size;
        job->bytes = apr_palloc(job->pool, size + 1);
        job->bytes[size] = '\0';
    }
}

static void read_some(job_t *job)
{
    bool head = !job->bytes;
    void *to = head ? (void *)(job->head + job->head_length) : job->bytes + job->read;
    apr_size_t left = head ? LIMS_PRINT_ANSWER_HEAD - job->head_length : job->size - job->read;
    ssize_t length = recv(job->process->socket, to, left, MSG_DONTWAIT);

    if (length > 0 && head) {
        job->head_length += (apr_size_t)length;
        if (job->head_length == LIMS_PRINT_ANSWER_HEAD) {
            judge_head(job);
        }
    } else if (length > 0) {
        job->read += (apr_size_t)length;
    } else if (length == 0 || (errno != EAGAIN && errno != EINTR)) {
        job->misbehaviour = "";
    }
}

/* Writes and reads until the answer is there, the process misbehaves (an empty text: it
 * ended), or the deadline comes: false. */
static bool converse(job_t *job, apr_time_t deadline)
{
    apr_time_t now = lims_time_monotonic();

    while (!is_answered(job) && !job->misbehaviour && now < deadline) {
        bool sends = job->sent < job->length + LIMS_PRINT_JOB_HEAD;
        struct pollfd watched = { .fd = job->process->socket,
                                  .events = (short)(sends ? POLLIN | POLLOUT : POLLIN) };
        int ready = poll(&watched, 1, (int)((deadline - now + 999) / 1000));

        if (ready > 0 && (watched.revents & (POLLIN | POLLHUP | POLLERR))) {
            read_some(job);
        } else if (ready > 0) {
            send_some(job);
        }
        now = lims_time_monotonic();
    }
    return is_answered(job) || job->misbehaviour;
}

static lims_printed_t failed(lims_print_e outcome, const char *reason)
{
    return (lims_printed_t){ .outcome = outcome, .reason = reason };
}

/* Ends a process that misbehaved, and says how. */
static lims_printed_t give_up(lims_printer_process_t *process, const job_t *job, bool in_time)
{
    bool killed = !in_time || *job->misbehaviour;
    const char *end = lims_process_end(process, killed, job->pool);

    if (!in_time) {
        return failed(LIMS_PRINT_TIMED_OUT,
                      apr_pstrcat(job->pool, "the printer took too long", end, NULL));
    }
    return failed(LIMS_PRINT_CRASHED,
                  apr_pstrcat(job->pool, "the printer failed: ", killed ? job->misbehaviour : end,
                              killed ? end : "", NULL));
}

lims_printed_t lims_printer_print(lims_printer_process_t *process, const lims_printer_t *printer,
                                  const char *job, apr_size_t length, apr_pool_t *pool)
{
    job_t this = { .process = process, .job = job, .length = length, .pool = pool };
    const char *problem = NULL;
    bool in_time;

    if (length > LIMS_PRINT_JOB_MAX) {
        return failed(LIMS_PRINT_REFUSED, "the content is larger than 16 MB");
    }
    for (int i = 0; i < LIMS_PRINT_JOB_HEAD; i++) {
        this.job_head[i] = (unsigned char)(length >> 8 * (LIMS_PRINT_JOB_HEAD - 1 - i));
    }
    if (process->pid && !lims_process_is_usable(process)) {
        lims_printer_end(process);
    }
    if (!process->pid) {
        problem = lims_process_start(process, printer, pool);
    }
    if (problem) {
        return failed(LIMS_PRINT_UNAVAILABLE, problem);
    }
    lims_process_renew(process, printer);
    in_time = converse(&this, lims_time_monotonic() + printer->timeout);
    if (!is_answered(&this)) {
        return give_up(process, &this, in_time);
    }
    if (this.head[0] == LIMS_PRINT_REFUSAL) {
        return failed(LIMS_PRINT_REFUSED, apr_pstrndup(pool, this.bytes, REASON_MAX));
    }
    return (lims_printed_t){ .outcome = LIMS_PRINT_DONE, .bytes = this.bytes, .length = this.size };
}

void lims_printer_end(lims_printer_process_t *process)
{
    if (process->pid) {
        apr_pool_t *pool = NULL;

        if (apr_pool_create(&pool, NULL) == APR_SUCCESS) {
            lims_process_end(process, true, pool);
            apr_pool_destroy(pool);
        }
    }
}

const char *lims_printer_problem(const char *program, apr_pool_t *pool)
{
    struct stat found;

    if (*program != '/') {
        return "give the whole path of the program";
    }
    if (stat(program, &found) != 0 || !S_ISREG(found.st_mode)) {
        return apr_psprintf(pool, "there is no program %s", program);
    }
    return access(program, X_OK) == 0 ? NULL : apr_psprintf(pool, "%s cannot be run", program);
}
