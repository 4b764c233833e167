/* SPDX-License-Identifier: Apache-2.0 */
/*
 * blocker.h - what a refusal of a release gate says beside its message.
 *
 * The tables give the members of the JSON, for whoever writes them from the
 * database's rows and for whoever documents them. A member that is LIMS_F_OUT
 * is always there; any other when the gate has something to say in it.
 */
#ifndef LIMS_KERNEL_BLOCKER_H
#define LIMS_KERNEL_BLOCKER_H

#include "lims.h"

/* One failing gate: an element of `blockers`. */
extern const lims_field_t lims_blocker_fields[];

/* Members at the top of an error, beside `error`, `message`, `blockers`. */
extern const lims_field_t lims_gate_fields[];

/* What clears the gate of this slug, in words. */
const char *lims_blocker_cleared_by(const char *slug);

#endif /* LIMS_KERNEL_BLOCKER_H */
