/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fail.h - makes what hardly ever fails do so, at a turn of one's choice.
 *
 * Two libraries for LD_PRELOAD read the file that LIMS_FAIL names, which a test
 * writes (t/lib/LIMS/Chaos/FailingCalls.pm): memory.so refuses memory, calls.so refuses calls
 * of libpq, or cuts their connection before they are made. Nothing fails until
 * a test says in which process, what, and at which turn. Where it failed stands
 * in a file beside that one, with .trace behind its name; where the process met a
 * segmentation fault in another, with .death.
 */
#ifndef FAIL_H
#define FAIL_H

#include <stdbool.h>
#include <stdint.h>

typedef enum {
    FAIL_NOTHING,
    FAIL_MEMORY,
    FAIL_CALL, /* the call returns what it returns when it cannot be done */
    FAIL_LINK  /* the connection is cut, then the call is made */
} fail_kind_e;

/* The file. Its layout is repeated in t/lib/LIMS/Chaos/FailingCalls.pm. */
typedef struct {
    int32_t kind;
    int32_t process; /* only this one */
    int32_t turn;    /* the first to fail, from 1 */
    int32_t lasting; /* and all that follow, or that one alone */
    int32_t seen;    /* turns so far: counted by the libraries */
    int32_t failed;  /* how many failed */
    int64_t blocks;  /* of memory that the process has and did not give back */
    char what[48];   /* the last that failed */
} fail_control_t;

/* Never NULL; without LIMS_FAIL nothing fails. */
fail_control_t *fail_control(void);

/* Counts a turn of this kind; whether it is to fail. */
bool fail_now(fail_kind_e kind, const char *what);

#endif /* FAIL_H */
