/* SPDX-License-Identifier: Apache-2.0 */
/*
 * printer.h - the printer: the program lims-print in a process of its own, which turns a
 * JSON document into a PDF (print/protocol.h).
 *
 * The process is started without a shell, with an environment of ours and no descriptor but
 * its three, and is bounded in time, processor time and memory from outside, whatever
 * program is configured. A process that misbehaves is killed, and costs the document that
 * it was about. Knows neither httpd nor the database.
 */
#ifndef LIMS_DOCUMENTS_PRINTER_H
#define LIMS_DOCUMENTS_PRINTER_H

#include <sys/types.h>

#include "lims.h"

/* Bytes of memory that a process may allocate; what it maps of fonts comes on top. */
#ifdef __SANITIZE_ADDRESS__
/* AddressSanitizer's own terabytes count as the helper's. */
#define LIMS_PRINTER_MEMORY ((apr_int64_t)1 << 50)
#else
#define LIMS_PRINTER_MEMORY ((apr_int64_t)120 * 1024 * 1024)
#endif

/* Bounds and default of the time for a document, in milliseconds. */
#define LIMS_PRINTER_TIMEOUT_MIN 100
#define LIMS_PRINTER_TIMEOUT_MAX 60000
#define LIMS_PRINTER_TIMEOUT 10000

/* Configuration. */
struct lims_printer_t {
    const char *program;         /* path of lims-print */
    apr_interval_time_t timeout; /* of a document, microseconds */
    const lims_document_key_t *key; /* signs documents of certificates; NULL: they are not */
};

/* A process, kept between documents. */
struct lims_printer_process_t {
    pid_t pid;  /* 0: none is running */
    int socket; /* its standard input and output */
    int errors; /* its standard error */
};

/* Outcome of a job. */
typedef enum {
    LIMS_PRINT_DONE,
    LIMS_PRINT_REFUSED,     /* the printer says why it makes no document of it */
    LIMS_PRINT_CRASHED,     /* the process ended, or answered what is no answer */
    LIMS_PRINT_TIMED_OUT,   /* the process was killed */
    LIMS_PRINT_UNAVAILABLE, /* no process could be started: nothing was tried */
    LIMS_PRINT_COUNT
} lims_print_e;

typedef struct {
    lims_print_e outcome;
    const char *bytes; /* of the document, or NULL */
    apr_size_t length;
    const char *reason; /* a sentence; NULL: the document is there */
} lims_printed_t;

/* Has the job printed by the process, which is started if none is running and ended if it
 * misbehaves; in `pool`. */
lims_printed_t lims_printer_print(lims_printer_process_t *process, const lims_printer_t *printer,
                                  const char *job, apr_size_t length, apr_pool_t *pool);

/* Ends the process, if one is running. */
void lims_printer_end(lims_printer_process_t *process);

/* Checks that the program can be run. Returns NULL, or the problem. */
const char *lims_printer_problem(const char *program, apr_pool_t *pool);

#endif /* LIMS_DOCUMENTS_PRINTER_H */
