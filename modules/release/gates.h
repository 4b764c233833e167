/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gates.h - the release gates, as a caller meets them.
 *
 * What blocks is defined once, in the database (sql/160_findings.sql), which
 * also refuses by itself whatever comes another way. Here its rows become the
 * answer: the first failing gate of the contract's order is the error, and
 * `blockers` lists every failing one with the ids of what blocks.
 */
#ifndef LIMS_GATES_H
#define LIMS_GATES_H

#include "lims.h"

/* Runs a statement whose rows are blockers; no row means that the gates are
 * open, and stay open until the transaction ends. */
const lims_error_t *lims_gates_check(lims_request_t *rq, lims_stmt_e blockers);

#endif /* LIMS_GATES_H */
