/* SPDX-License-Identifier: Apache-2.0 */
/* algorithms.h - what OpenSSL has to know before there are children. */
#ifndef LIMS_SERVER_ALGORITHMS_H
#define LIMS_SERVER_ALGORITHMS_H

/**
 * Has OpenSSL list what its providers offer: an algorithm of each kind is asked for,
 * at which it lists them all. It does so once in a process, at the first need, and
 * what it has no memory for then it never has: a child would refuse every TLS
 * connection and every signature for as long as it lives. Children inherit the lists.
 * What a provider does not offer is no error here.
 */
void lims_algorithms_list(void);

#endif /* LIMS_SERVER_ALGORITHMS_H */
