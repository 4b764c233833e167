/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gates.h - refusals by the release gates, as blockers in an answer.
 *
 * What blocks a release is defined once, in the database
 * (sql/160_findings.sql), which also enforces it for every other way of
 * writing. This module turns its rows into the answer: the error is the first
 * failing gate in the contract's order, and `blockers` lists every failing one
 * with the ids of what blocks.
 */
#ifndef LIMS_GATES_H
#define LIMS_GATES_H

#include "lims.h"

/* Runs a statement that returns blockers. Without rows the gates are open, and
 * stay open until the transaction ends. */
const lims_error_t *lims_gates_check(lims_request_t *rq, lims_stmt_e blockers);

#endif /* LIMS_GATES_H */
