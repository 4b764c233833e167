/* SPDX-License-Identifier: Apache-2.0 */
/* address.c - IP addresses that webhooks may be sent to. */
#include "kernel/address.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "lims.h"

typedef struct {
    const char *range;
    const char *kind;
} special_t;

static const special_t special_v4[] = {
    { "0.0.0.0/8", "unspecified" },           { "10.0.0.0/8", "private" },
    { "100.64.0.0/10", "carrier-grade NAT" }, { "127.0.0.0/8", "loopback" },
    { "169.254.0.0/16", "link-local" },       { "172.16.0.0/12", "private" },
    { "192.0.0.0/24", "reserved" },           { "192.0.2.0/24", "documentation" },
    { "192.88.99.0/24", "6to4 relay" },       { "192.168.0.0/16", "private" },
    { "198.18.0.0/15", "benchmarking" },      { "198.51.100.0/24", "documentation" },
    { "203.0.113.0/24", "documentation" },    { "224.0.0.0/4", "multicast" },
    { "255.255.255.255/32", "broadcast" },    { "240.0.0.0/4", "reserved" },
};

/* The first match counts. */
static const special_t special_v6[] = {
    { "::/128", "unspecified" },    { "::1/128", "loopback" },
    { "::/96", "IPv4-compatible" }, { "64:ff9b:1::/48", "local NAT64" },
    { "100::/64", "discard" },      { "2001::/32", "Teredo" },
    { "2001::/23", "reserved" },    { "2001:db8::/32", "documentation" },
    { "2002::/16", "6to4" },        { "3fff::/20", "documentation" },
    { "fc00::/7", "unique local" }, { "fe80::/10", "link-local" },
    { "fec0::/10", "site-local" },  { "ff00::/8", "multicast" },
};

/* Global unicast of IPv6; the rest is not assigned yet. */
static const char global_v6[] = "2000::/3";

/* IPv6 prefixes whose last 32 bits are an IPv4 address. */
static const char *const carries_v4[] = { "::ffff:0:0/96", "::ffff:0:0:0/96", "64:ff9b::/96" };

bool lims_address_parse(lims_address_t *address, const char *text)
{
    memset(address, 0, sizeof(*address));
    if (inet_pton(AF_INET, text, address->bytes) == 1) {
        address->length = 4;
    } else if (inet_pton(AF_INET6, text, address->bytes) == 1) {
        address->length = 16;
    }
    return address->length != 0;
}

static bool is_base(const lims_range_t *range)
{
    for (int bit = range->prefix; bit < range->base.length * 8; bit++) {
        if (range->base.bytes[bit / 8] & (0x80 >> (bit % 8))) {
            return false;
        }
    }
    return true;
}

const char *lims_range_parse(lims_range_t *range, const char *text)
{
    char address[INET6_ADDRSTRLEN];
    const char *slash = strchr(text, '/');
    apr_size_t length = slash ? (apr_size_t)(slash - text) : strlen(text);
    char *end = NULL;

    if (length >= sizeof(address)) {
        return "no IPv4 or IPv6 address";
    }
    memcpy(address, text, length);
    address[length] = '\0';
    if (!lims_address_parse(&range->base, address)) {
        return "no IPv4 or IPv6 address";
    }
    range->prefix = range->base.length * 8;
    if (slash) {
        long prefix = strtol(slash + 1, &end, 10);
        if (slash[1] < '0' || slash[1] > '9' || *end || prefix > range->prefix) {
            return "no such prefix length";
        }
        range->prefix = (int)prefix;
    }
    return is_base(range) ? NULL : "bits are set behind the prefix";
}

bool lims_range_contains(const lims_range_t *range, const lims_address_t *address)
{
    int whole = range->prefix / 8, rest = range->prefix % 8;

    if (range->base.length != address->length ||
        memcmp(range->base.bytes, address->bytes, (apr_size_t)whole) != 0) {
        return false;
    }
    return rest == 0 || ((range->base.bytes[whole] ^ address->bytes[whole]) >> (8 - rest)) == 0;
}

static bool lies_in(const lims_address_t *address, const char *text)
{
    lims_range_t range;

    return !lims_range_parse(&range, text) && lims_range_contains(&range, address);
}

static const char *kind_in(const special_t *table, apr_size_t count, const lims_address_t *address)
{
    for (apr_size_t i = 0; i < count; i++) {
        if (lies_in(address, table[i].range)) {
            return table[i].kind;
        }
    }
    return NULL;
}

static bool is_allowed(const lims_address_t *address, const apr_array_header_t *allowed)
{
    for (int i = 0; allowed && i < allowed->nelts; i++) {
        if (lims_range_contains(&APR_ARRAY_IDX(allowed, i, lims_range_t), address)) {
            return true;
        }
    }
    return false;
}

/* Extracts the IPv4 address embedded in an IPv6 one. */
static bool take_v4(lims_address_t *inner, const lims_address_t *address)
{
    for (apr_size_t i = 0; i < LIMS_LENGTH(carries_v4); i++) {
        if (lies_in(address, carries_v4[i])) {
            memset(inner, 0, sizeof(*inner));
            memcpy(inner->bytes, address->bytes + 12, 4);
            inner->length = 4;
            return true;
        }
    }
    return false;
}

const char *lims_address_refusal(const lims_address_t *address, const apr_array_header_t *allowed)
{
    lims_address_t inner;
    const char *kind;

    if (is_allowed(address, allowed)) {
        return NULL;
    }
    if (address->length == 4) {
        return kind_in(special_v4, LIMS_LENGTH(special_v4), address);
    }
    if (take_v4(&inner, address)) {
        return lims_address_refusal(&inner, allowed);
    }
    kind = kind_in(special_v6, LIMS_LENGTH(special_v6), address);
    return kind || lies_in(address, global_v6) ? kind : "reserved";
}
