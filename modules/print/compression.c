/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compression.c - the level at which documents are compressed. cairo asks zlib for its default
 * and has no setting. This definition stands in front of zlib's for all of the program, and
 * asks for the fastest level: a fifth of the time of a certificate less, for 3 % more bytes.
 */
#include <zlib.h>

/* Window and memory that deflateInit() takes, by zlib's manual. */
#define WINDOW_BITS 15
#define MEMORY_LEVEL 8

#undef deflateInit_
__attribute__((visibility("default"))) int deflateInit_(z_streamp stream, int level,
                                                        const char *version, int size);

int deflateInit_(z_streamp stream, int level, const char *version, int size)
{
    (void)level;
    return deflateInit2_(stream, Z_BEST_SPEED, Z_DEFLATED, WINDOW_BITS, MEMORY_LEVEL,
                         Z_DEFAULT_STRATEGY, version, size);
}
