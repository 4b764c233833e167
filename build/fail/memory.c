/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory.c - malloc and its family, and the mmap() that APR's pools live on,
 * with turns at which there is no memory. Blocks are counted, so that a test
 * sees what a failed request leaves behind.
 *
 * What goes on without memory must not damage the heap either. Each block has a
 * mark before and one behind it, and is kept for a while after it was freed: what
 * is written past its end or after it was freed, or freed twice, ends the process,
 * with the place that noticed it in the error log.
 */
#include <errno.h>
#include <execinfo.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fail.h"

enum {
    KEPT = 4096,   /* freed blocks that are watched */
    FILLED = 1024, /* so many bytes of each */
    FREED_BYTE = 0xdb
};

/* As long as what malloc() aligns to. */
typedef struct {
    uint64_t mark;
    uint64_t size;
} head_t;

_Static_assert(sizeof(head_t) == _Alignof(max_align_t), "a block stays aligned");

static const uint64_t live_mark = 0x6c697665626c6f63;
static const uint64_t freed_mark = 0x66726565626c6f63;
static const uint64_t end_mark = 0x656e642d626c6f63;

/* glibc's own, under the names it has for those who replace them. */
void *__libc_malloc(size_t size);
void *__libc_realloc(void *block, size_t size);
void __libc_free(void *block);

static int64_t blocks;
static head_t *kept[KEPT];
static unsigned oldest;

static void count(int change)
{
    int64_t now = __atomic_add_fetch(&blocks, change, __ATOMIC_RELAXED);
    fail_control_t *control = fail_control();

    if (control->process && control->process == getpid()) {
        control->blocks = now;
    }
}

static void *none(void)
{
    errno = ENOMEM;
    return NULL;
}

static void damaged(const head_t *head, const char *what)
{
    void *frames[40];

    dprintf(STDERR_FILENO, "memory.so: a block of %zu bytes was %s\n", (size_t)head->size, what);
    backtrace_symbols_fd(frames, backtrace(frames, 40), STDERR_FILENO);
    abort();
}

static char *bytes_of(head_t *head)
{
    return (char *)(head + 1);
}

static size_t filled(const head_t *head)
{
    return head->size < FILLED ? head->size : FILLED;
}

static void *make(size_t size)
{
    head_t *head = size < PTRDIFF_MAX ? __libc_malloc(sizeof(*head) + size + sizeof(end_mark))
                                      : NULL;
    if (!head) {
        return none();
    }
    *head = (head_t){.mark = live_mark, .size = size};
    memcpy(bytes_of(head) + size, &end_mark, sizeof(end_mark));
    count(1);
    return bytes_of(head);
}

static void check_end(head_t *head)
{
    if (memcmp(bytes_of(head) + head->size, &end_mark, sizeof(end_mark)) != 0) {
        damaged(head, "written past its end");
    }
}

static void check_untouched(head_t *head)
{
    const char *bytes = bytes_of(head);

    for (size_t i = 0; i < filled(head); i++) {
        if ((unsigned char)bytes[i] != FREED_BYTE) {
            damaged(head, "written after it was freed");
        }
    }
    check_end(head);
}

/* Freed in earnest is the one that has been kept longest. */
static void retire(head_t *head)
{
    unsigned place = __atomic_fetch_add(&oldest, 1, __ATOMIC_RELAXED) % KEPT;

    head->mark = freed_mark;
    memset(bytes_of(head), FREED_BYTE, filled(head));
    head = __atomic_exchange_n(&kept[place], head, __ATOMIC_ACQ_REL);
    if (head) {
        check_untouched(head);
        head->mark = 0;
        __libc_free(head);
    }
}

/* The block's head; NULL of one that came from memalign() and the like, or from before
 * this library. */
static head_t *head_of(void *block)
{
    head_t *head = (head_t *)block - 1;

    if (head->mark == freed_mark) {
        damaged(head, "freed twice");
    }
    return head->mark == live_mark ? head : NULL;
}

void *malloc(size_t size)
{
    return fail_now(FAIL_MEMORY, "malloc") ? none() : make(size);
}

void *calloc(size_t number, size_t size)
{
    size_t whole;
    void *block;

    if (fail_now(FAIL_MEMORY, "calloc") || __builtin_mul_overflow(number, size, &whole)) {
        return none();
    }
    block = make(whole);
    return block ? memset(block, 0, whole) : NULL;
}

void free(void *block)
{
    head_t *head = block ? head_of(block) : NULL;

    if (head) {
        count(-1);
        check_end(head);
        retire(head);
    } else {
        __libc_free(block);
    }
}

/* To another place each time, so that a pointer to the one before is noticed. */
void *realloc(void *block, size_t size)
{
    head_t *head = block ? head_of(block) : NULL;
    void *moved;

    if (fail_now(FAIL_MEMORY, "realloc")) {
        return none();
    }
    if (block && !head) {
        return __libc_realloc(block, size);
    }
    moved = make(size);
    if (moved && head) {
        memcpy(moved, block, head->size < size ? head->size : size);
        free(block);
    }
    return moved;
}

void *mmap(void *address, size_t length, int protection, int flags, int file, off_t offset)
{
    if ((flags & MAP_ANONYMOUS) && fail_now(FAIL_MEMORY, "mmap")) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    return (void *)syscall(SYS_mmap, address, length, protection, flags, file, offset);
}
