/* SPDX-License-Identifier: Apache-2.0 */
/* algorithms.h - loads OpenSSL's algorithms before children are forked. */
#ifndef LIMS_SERVER_ALGORITHMS_H
#define LIMS_SERVER_ALGORITHMS_H

/* Makes OpenSSL load the lists of its providers' algorithms, by fetching one algorithm
 * of each kind. OpenSSL does it once in a process, at the first use; a child that is
 * out of memory at that moment would refuse every TLS connection and every signature
 * from then on. Children inherit the lists. A missing algorithm is no error here. */
void lims_algorithms_load(void);

#endif /* LIMS_SERVER_ALGORITHMS_H */
