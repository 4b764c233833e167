/* SPDX-License-Identifier: Apache-2.0 */
/*
 * judge.h - what can be judged from a request alone, in the order of the contract
 * (service.h). The first refusal is kept in the exchange and told when the key was
 * checked: who has none learns nothing.
 */
#ifndef LIMS_SERVICE_JUDGE_H
#define LIMS_SERVICE_JUDGE_H

#include "service/exchange.h"

/* Finds the route, or x->refusal. */
void lims_judge_route(lims_exchange_t *x);

/* The path and the query of a read, to rq->values, or x->late_refusal. */
void lims_judge_read(lims_exchange_t *x);

/* The same of a write, with its body, which is taken from the client; a form is
 * stood for by a digest of its parts. */
void lims_judge_write(lims_exchange_t *x, const char **body, apr_size_t *length);

/* LIMS_E_PAYLOAD_TOO_LARGE of a body: how large it may be, and a file in it. */
const lims_error_t *lims_judge_too_large(const lims_exchange_t *x);

#endif /* LIMS_SERVICE_JUDGE_H */
