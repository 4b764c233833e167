/* SPDX-License-Identifier: Apache-2.0 */
/*
 * address.h - which addresses a webhook may be sent to.
 *
 * Endpoints are named by customers, so that a request to one could otherwise be
 * made to reach what only this machine or its network can (server-side request
 * forgery). Public unicast addresses are allowed, and what the configuration
 * lists. The judgement is about the address that is about to be connected to,
 * not about a name, which may resolve to another address the next time.
 *
 * Sources: the IANA registries of special-purpose addresses of IPv4 and IPv6
 * (RFC 6890 and those after it).
 */
#ifndef LIMS_KERNEL_ADDRESS_H
#define LIMS_KERNEL_ADDRESS_H

#include <apr_pools.h>
#include <apr_tables.h>
#include <stdbool.h>

/* An address as it is on the wire: 4 or 16 bytes. */
typedef struct {
    unsigned char bytes[16];
    int length;
} lims_address_t;

/* "10.0.0.0/8", "fd00::/8", or an address alone. */
typedef struct {
    lims_address_t base;
    int prefix; /* bits */
} lims_range_t;

/* An address's text, IPv4 in dotted decimal or IPv6 without a zone. */
bool lims_address_parse(lims_address_t *address, const char *text);

/* NULL, or what is wrong with the text of a range. */
const char *lims_range_parse(lims_range_t *range, const char *text);

/* Whether an address is in a range. IPv4 and IPv6 addresses are never in each other's. */
bool lims_range_contains(const lims_range_t *range, const lims_address_t *address);

/* NULL if the address may be connected to, else the kind of address that it is:
 * "loopback", "private". `allowed`: lims_range_t, or NULL. An IPv4 address
 * within an IPv6 one (mapped, NAT64) is judged as what it is. */
const char *lims_address_refusal(const lims_address_t *address, const apr_array_header_t *allowed);

#endif /* LIMS_KERNEL_ADDRESS_H */
