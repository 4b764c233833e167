/* SPDX-License-Identifier: Apache-2.0 */
/*
 * blocker.h - the blockers of a release gate: the details of its refusal.
 *
 * The tables describe the members of the JSON, for the writer of answers and for the
 * OpenAPI document. A member with LIMS_F_OUT is always present; any other only if the
 * gate has a value for it.
 */
#ifndef LIMS_KERNEL_BLOCKER_H
#define LIMS_KERNEL_BLOCKER_H

#include "lims.h"

/* One failing gate: an element of `blockers`. */
extern const lims_field_t lims_blocker_fields[];

/* Members at the top of an error, beside `error`, `message`, `blockers`. */
extern const lims_field_t lims_gate_fields[];

/* Returns how to clear the gate of this slug, as a static text for people; for a slug that
 * is no gate's, a reference to the message. */
const char *lims_blocker_cleared_by(const char *slug);

#endif /* LIMS_KERNEL_BLOCKER_H */
