/* SPDX-License-Identifier: Apache-2.0 */
/*
 * address.h - IP addresses that webhooks may be sent to.
 *
 * Protection against server-side request forgery (SSRF): customers choose the URLs of
 * endpoints, and a request must not reach services of this machine or its network. Only
 * public unicast addresses and those that the configuration lists are allowed. The
 * address of the connection is checked, not the name, which may resolve to another
 * address the next time.
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

/* Parses an address: IPv4 in dotted decimal, or IPv6 without a zone. False for anything
 * else. */
bool lims_address_parse(lims_address_t *address, const char *text);

/* Parses a range. Returns NULL, or a static text that names the mistake; `range` is then
 * undefined. */
const char *lims_range_parse(lims_range_t *range, const char *text);

/* Whether an address is in a range. An IPv4 address is in no IPv6 range, and vice versa. */
bool lims_range_contains(const lims_range_t *range, const lims_address_t *address);

/* Returns NULL if connections to the address are allowed; else its kind as a static text,
 * such as "loopback" or "private". `allowed` lists further ranges (lims_range_t), or is
 * NULL. An IPv4 address embedded in IPv6 (mapped, NAT64) is checked as the IPv4 address. */
const char *lims_address_refusal(const lims_address_t *address, const apr_array_header_t *allowed);

#endif /* LIMS_KERNEL_ADDRESS_H */
