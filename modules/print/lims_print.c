/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lims_print.c - the program lims-print: jobs on standard input, documents on standard output
 * (protocol.h). It opens fonts and nothing else.
 */
#include <apr_general.h>
#include <apr_strings.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "print/bounds.h"
#include "print/frames.h"
#include "print/job.h"
#include "print/protocol.h"

static const char usage[] =
    "usage: lims-print [--once]\n"
    "\n"
    "Makes certificates, reports and labels of JSON. The service starts it and sends jobs as\n"
    "frames. With --once standard input is one job in JSON, and standard output the document:\n"
    "\n"
    "    lims-print --once < job.json > document.pdf\n";

#define NO_FONTS                                                                                   \
    "No fonts are installed that documents can be set in: install fonts-noto-core, "               \
    "fonts-noto-mono and, for Chinese, Japanese and Korean, fonts-noto-cjk."

/* Memory that pools keep from one job to the next, in bytes. */
#define SPARE_MEMORY (1024 * 1024)

static const char too_large[] = "The job is larger than 16 MB.";

/* Makes one document and frees all that it took. */
static bool serve(const char *job, apr_size_t length, bool framed, lims_fonts_t *fonts,
                  apr_pool_t *pool)
{
    const char *bytes = NULL;
    apr_size_t size = 0;
    const lims_error_t *error;
    bool sent;

    lims_bounds_renew();
    error = lims_job_make(&bytes, &size, job, length, fonts, pool);
    lims_bounds_answering(true);
    if (error && !framed) {
        (void)fprintf(stderr, "%s\n", error->message);
        sent = false;
    } else if (error) {
        sent = lims_frame_write(LIMS_PRINT_REFUSAL, error->message, strlen(error->message));
    } else if (framed) {
        sent = lims_frame_write(LIMS_PRINT_DOCUMENT, bytes, size);
    } else {
        sent = lims_frame_write_bytes(bytes, size);
    }
    lims_bounds_answering(false);
    return sent;
}

static int serve_once(lims_fonts_t *fonts, apr_pool_t *pool)
{
    const char *job = NULL;
    apr_size_t length = 0;
    lims_frame_e frame = lims_frame_read_all(&job, &length, pool);

    if (frame != LIMS_FRAME_READ) {
        (void)fprintf(stderr, "%s\n",
                      frame == LIMS_FRAME_TOO_LARGE ? too_large : "The job cannot be read.");
        return EXIT_FAILURE;
    }
    return serve(job, length, false, fonts, pool) ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int serve_frames(lims_fonts_t *fonts, apr_pool_t *parent)
{
    lims_frame_e frame = LIMS_FRAME_READ;
    bool sent = true;

    while (sent && frame == LIMS_FRAME_READ) {
        const char *job = NULL;
        apr_size_t length = 0;
        apr_pool_t *pool;

        apr_pool_create(&pool, parent);
        frame = lims_frame_read(&job, &length, pool);
        if (frame == LIMS_FRAME_READ) {
            sent = serve(job, length, true, fonts, pool);
        } else if (frame == LIMS_FRAME_TOO_LARGE) {
            sent = lims_frame_write(LIMS_PRINT_REFUSAL, too_large, strlen(too_large));
        }
        apr_pool_destroy(pool);
        lims_bounds_tidy();
    }
    return frame == LIMS_FRAME_END && sent ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int count, char **arguments)
{
    bool once = count == 2 && strcmp(arguments[1], "--once") == 0;
    lims_fonts_t *fonts;
    apr_pool_t *pool;

    if (count > 1 && !once) {
        bool help = strcmp(arguments[1], "--help") == 0;

        (void)fputs(usage, help ? stdout : stderr);
        return help ? EXIT_SUCCESS : EXIT_FAILURE;
    }
    /* Nothing in the environment changes a document. */
    (void)clearenv();
    /* GLib's own allocator would keep what a large document took. */
    (void)setenv("G_SLICE", "always-malloc", 1);
    lims_bounds_set(!once);
    apr_initialize();
    apr_pool_create_ex(&pool, NULL, lims_bounds_no_memory, NULL);
    apr_allocator_max_free_set(apr_pool_allocator_get(pool), SPARE_MEMORY);
    fonts = lims_fonts_open(pool);
    if (!fonts) {
        (void)fprintf(stderr, "%s\n", NO_FONTS);
        return EXIT_FAILURE;
    }
    return once ? serve_once(fonts, pool) : serve_frames(fonts, pool);
}
