/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses that a webhook may be sent to. */
#include "kernel/address.h"

#include "../lib/unit.h"

typedef struct {
    const char *address;
    const char *kind; /* NULL: allowed */
} case_t;

static const case_t cases[] = {
    { "0.0.0.0", "unspecified" },
    { "0.255.255.255", "unspecified" },
    { "1.0.0.0", NULL },
    { "1.1.1.1", NULL },
    { "9.255.255.255", NULL },
    { "10.0.0.0", "private" },
    { "10.255.255.255", "private" },
    { "11.0.0.0", NULL },
    { "100.63.255.255", NULL },
    { "100.64.0.0", "carrier-grade NAT" },
    { "100.127.255.255", "carrier-grade NAT" },
    { "100.128.0.0", NULL },
    { "126.255.255.255", NULL },
    { "127.0.0.1", "loopback" },
    { "127.255.255.255", "loopback" },
    { "128.0.0.0", NULL },
    { "169.253.255.255", NULL },
    { "169.254.0.0", "link-local" },
    { "169.254.169.254", "link-local" },
    { "169.255.0.0", NULL },
    { "172.15.255.255", NULL },
    { "172.16.0.0", "private" },
    { "172.31.255.255", "private" },
    { "172.32.0.0", NULL },
    { "192.0.0.8", "reserved" },
    { "192.0.1.0", NULL },
    { "192.0.2.1", "documentation" },
    { "192.0.3.0", NULL },
    { "192.88.99.1", "6to4 relay" },
    { "192.167.255.255", NULL },
    { "192.168.0.1", "private" },
    { "192.169.0.0", NULL },
    { "198.17.255.255", NULL },
    { "198.18.0.0", "benchmarking" },
    { "198.19.255.255", "benchmarking" },
    { "198.20.0.0", NULL },
    { "198.51.100.7", "documentation" },
    { "203.0.113.7", "documentation" },
    { "223.255.255.255", NULL },
    { "224.0.0.1", "multicast" },
    { "239.255.255.255", "multicast" },
    { "240.0.0.0", "reserved" },
    { "255.255.255.254", "reserved" },
    { "255.255.255.255", "broadcast" },
    { "::", "unspecified" },
    { "::1", "loopback" },
    { "::2", "IPv4-compatible" },
    { "::127.0.0.1", "IPv4-compatible" },
    { "::8.8.8.8", "IPv4-compatible" },
    { "::ffff:127.0.0.1", "loopback" },
    { "::ffff:10.1.2.3", "private" },
    { "::ffff:169.254.169.254", "link-local" },
    { "::ffff:8.8.8.8", NULL },
    { "::ffff:0:10.1.2.3", "private" },
    { "::1:0:0", "reserved" },
    { "64:ff9b::127.0.0.1", "loopback" },
    { "64:ff9b::169.254.169.254", "link-local" },
    { "64:ff9b::8.8.8.8", NULL },
    { "64:ff9b:1::8.8.8.8", "local NAT64" },
    { "64:ff9b:2::8.8.8.8", "reserved" },
    { "100::1", "discard" },
    { "1fff:ffff::1", "reserved" },
    { "2000::1", NULL },
    { "2001::1", "Teredo" },
    { "2001:0:7f00:1::", "Teredo" },
    { "2001:2::1", "reserved" },
    { "2001:10::1", "reserved" },
    { "2001:20::1", "reserved" },
    { "2001:1ff:ffff::1", "reserved" },
    { "2001:200::1", NULL },
    { "2001:db8::1", "documentation" },
    { "2001:db9::1", NULL },
    { "2002:7f00:1::1", "6to4" },
    { "2002:808:808::1", "6to4" },
    { "2003::1", NULL },
    { "2606:4700:4700::1111", NULL },
    { "3ffe::1", NULL },
    { "3fff::1", "documentation" },
    { "3fff:fff:ffff::1", "documentation" },
    { "3fff:1000::1", NULL },
    { "4000::1", "reserved" },
    { "5f00::1", "reserved" },
    { "fbff::1", "reserved" },
    { "fc00::1", "unique local" },
    { "fd12:3456::1", "unique local" },
    { "fe00::1", "reserved" },
    { "fe80::1", "link-local" },
    { "febf::1", "link-local" },
    { "fec0::1", "site-local" },
    { "feff::1", "site-local" },
    { "ff02::1", "multicast" },
};

static void test_table(void)
{
    for (apr_size_t i = 0; i < LIMS_LENGTH(cases); i++) {
        lims_address_t address;

        if (ok(lims_address_parse(&address, cases[i].address), "%s is one", cases[i].address)) {
            is(lims_address_refusal(&address, NULL), cases[i].kind, cases[i].address);
        }
    }
}

static void test_allowed(apr_pool_t *pool)
{
    apr_array_header_t *allowed = apr_array_make(pool, 2, sizeof(lims_range_t));
    lims_address_t address;

    ok(!lims_range_parse(apr_array_push(allowed), "10.9.0.0/17"), "a range");
    ok(!lims_range_parse(apr_array_push(allowed), "::1"), "an address alone");
    lims_address_parse(&address, "10.9.127.255");
    is(lims_address_refusal(&address, allowed), NULL, "the last of the range");
    lims_address_parse(&address, "10.9.128.0");
    is(lims_address_refusal(&address, allowed), "private", "the one behind it");
    lims_address_parse(&address, "::ffff:10.9.0.1");
    is(lims_address_refusal(&address, allowed), NULL, "an allowed address in its IPv6 form");
    lims_address_parse(&address, "::1");
    is(lims_address_refusal(&address, allowed), NULL, "the address alone");
    lims_address_parse(&address, "127.0.0.1");
    is(lims_address_refusal(&address, allowed), "loopback", "the address beside it is not allowed");
}

static void test_ranges(void)
{
    static const char *const bad[] = {
        "",
        "10",
        "10.0.0",
        "10.0.0.0/",
        "10.0.0.0/33",
        "10.0.0.0/-1",
        "10.0.0.0/8x",
        "10.0.0.1/8",
        "fd00::/129",
        "fd00::1/64",
        "localhost",
        "10.0.0.0/ 8",
        "1111:2222:3333:4444:5555:6666:7777:8888:9999:0000:1111:2222/8",
    };
    static const char *const good[] = { "0.0.0.0/0", "10.0.0.0/8", "10.1.2.3/32",
                                        "::/0",      "fd00::/8",   "fe80::1" };
    lims_range_t range;

    for (apr_size_t i = 0; i < LIMS_LENGTH(bad); i++) {
        ok(lims_range_parse(&range, bad[i]), "no range: '%s'", bad[i]);
    }
    for (apr_size_t i = 0; i < LIMS_LENGTH(good); i++) {
        is(lims_range_parse(&range, good[i]), NULL, good[i]);
    }
}

int main(void)
{
    apr_pool_t *pool = unit_pool();

    test_table();
    test_allowed(pool);
    test_ranges();
    return tap_done();
}
