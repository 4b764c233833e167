/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A logo is read within its bounds, of memory too, or refused with a reason; what was read is written anew
 * as a PNG that is read as the same pixels.
 */
#include "print/logo.h"

#include <sys/resource.h>

#include "fuzz.h"

/* Most memory that this program ever holds, in kilobytes: pictures of the largest size twice,
 * and what a sanitizer keeps back. */
#define MEMORY_MAX (1024 * 1024)

static void must_be_small(void)
{
    struct rusage used = { 0 };

    must(getrusage(RUSAGE_SELF, &used) == 0 && used.ru_maxrss < MEMORY_MAX,
         "memory is bounded by the size of the picture");
}

static void must_be_written(const lims_logo_t *logo, apr_pool_t *pool)
{
    apr_size_t pixels = (apr_size_t)logo->width * (apr_size_t)logo->height, length = 0;
    const char *bytes = NULL;
    lims_logo_t again = { 0 };

    must(logo->width > 0 && logo->width <= LIMS_LOGO_SIDE_MAX, "its width is bounded");
    must(logo->height > 0 && logo->height <= LIMS_LOGO_SIDE_MAX, "its height is bounded");
    must(pixels <= LIMS_LOGO_PIXELS_MAX, "its pixels are bounded");
    must(!lims_logo_write(&bytes, &length, logo, pool), "it is written");
    if (length <= LIMS_LOGO_BYTES_MAX) {
        must(!lims_logo_read(&again, bytes, length, pool), "it is read again");
        must(again.width == logo->width && again.height == logo->height, "it has the same size");
        must(memcmp(again.pixels, logo->pixels, 4 * pixels) == 0, "it has the same pixels");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    apr_pool_t *pool = fuzz_pool();
    lims_logo_t logo = { 0 };
    const lims_error_t *error = lims_logo_read(&logo, data, size, pool);

    if (error) {
        must_be_answerable(error, pool);
    } else {
        must_be_written(&logo, pool);
    }
    apr_pool_destroy(pool);
    must_be_small();
    return 0;
}
