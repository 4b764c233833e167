/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory.c - malloc and its family, and the mmap() that APR's pools live on,
 * with turns at which there is no memory. Blocks are counted, so that a test
 * sees what a failed request leaves behind.
 */
#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fail.h"

/* glibc's own, under the names it has for those who replace them. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void __libc_free(void *block);

static int64_t blocks;

static void count(int change)
{
    int64_t now = __atomic_add_fetch(&blocks, change, __ATOMIC_RELAXED);
    fail_control_t *control = fail_control();

    if (control->process && control->process == getpid()) {
        control->blocks = now;
    }
}

static void *given(void *block)
{
    if (block) {
        count(1);
    }
    return block;
}

static void *none(void)
{
    errno = ENOMEM;
    return NULL;
}

void *malloc(size_t size)
{
    return fail_now(FAIL_MEMORY, "malloc") ? none() : given(__libc_malloc(size));
}

void *calloc(size_t number, size_t size)
{
    return fail_now(FAIL_MEMORY, "calloc") ? none() : given(__libc_calloc(number, size));
}

void *realloc(void *block, size_t size)
{
    if (fail_now(FAIL_MEMORY, "realloc")) {
        return none();
    }
    return block ? __libc_realloc(block, size) : given(__libc_realloc(block, size));
}

void free(void *block)
{
    if (block) {
        count(-1);
    }
    __libc_free(block);
}

void *mmap(void *address, size_t length, int protection, int flags, int file, off_t offset)
{
    if ((flags & MAP_ANONYMOUS) && fail_now(FAIL_MEMORY, "mmap")) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    return (void *)syscall(SYS_mmap, address, length, protection, flags, file, offset);
}
