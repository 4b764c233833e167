/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unknown_keys.c - how many unknown keys one address may try: each costs a question to
 * the database, and no key's limit counts it.
 *
 * What counts are look-ups that failed, by the client's address, in memory that all
 * children share (sliding_window.h). Beyond the bound a key that this child has seen accepted
 * goes on as ever, and any other is refused before the database is asked: whether it
 * is one is not said.
 */
#include <apr_strings.h>
#include <openssl/sha.h>
#include <string.h>

#include "kernel/address.h"
#include "kernel/error.h"
#include "server/server.h"

/* Who holds an IPv6 address holds the 64 bits of its interface too (RFC 4291 section
 * 2.5.4). */
#define IPV6_NETWORK 8

apr_status_t lims_unknown_keys_create(lims_config_t *config, server_rec *s)
{
    apr_pool_t *pool = s->process->pconf;
    lims_sliding_windows_t *made;
    const char *name;

    config->unknown_key_rates = NULL;
    if (config->unknown_keys == 0) {
        return APR_SUCCESS;
    }
    name = apr_psprintf(pool,
                        "mod_lims_strangers %" APR_INT64_T_FMT "/%" APR_INT64_T_FMT
                        " x %" APR_INT64_T_FMT " %s",
                        config->unknown_keys, config->rate_window, config->unknown_key_addresses,
                        lims_config_database(s));
    made = apr_pcalloc(pool, sizeof(*made));
    made->slots = (apr_uint32_t)config->unknown_key_addresses;
    made->limit = (apr_uint32_t)config->unknown_keys;
    made->window = config->rate_window * APR_USEC_PER_SEC;
    config->unknown_key_rates = made;
    return lims_shared_memory(&made->memory, name,
                              lims_sliding_windows_size(made->slots, made->limit), s);
}

/* Behind a proxy all clients share its address, unless mod_remoteip says whose the
 * request is: then there is nobody to tell apart. */
static bool is_proxys(const lims_config_t *config, const request_rec *r)
{
    return config->tls == LIMS_TLS_PROXY && strcmp(r->useragent_ip, r->connection->client_ip) == 0;
}

/* What of an address is its holder's. */
static const unsigned char *network_of(apr_size_t *length, const lims_address_t *address)
{
    static const unsigned char mapped[12] = { [10] = 0xFF, [11] = 0xFF };

    if (address->length == 16 && memcmp(address->bytes, mapped, sizeof(mapped)) == 0) {
        *length = 4;
        return address->bytes + sizeof(mapped);
    }
    *length = address->length == 16 ? IPV6_NETWORK : (apr_size_t)address->length;
    return address->bytes;
}

/* The number by which the client's address is counted; 0: it is not. */
static apr_int64_t stranger_of(const lims_config_t *config, const request_rec *r)
{
    unsigned char digest[SHA256_DIGEST_LENGTH];
    lims_address_t address;
    const unsigned char *network;
    apr_size_t length = 0;
    apr_int64_t number = 0;

    if (!config->unknown_key_rates || is_proxys(config, r) ||
        !lims_address_parse(&address, r->useragent_ip)) {
        return 0;
    }
    network = network_of(&length, &address);
    SHA256(network, length, digest);
    memcpy(&number, digest, sizeof(number));
    return number ? number : 1;
}

const lims_error_t *lims_unknown_keys_judge(const request_rec *r, apr_table_t *headers)
{
    const lims_config_t *config = lims_config_of(r->server);
    apr_int64_t stranger = stranger_of(config, r);
    lims_rate_verdict_t verdict;
    const char *seconds;

    if (!stranger) {
        return NULL;
    }
    lims_sliding_windows_peek(&verdict, config->unknown_key_rates, stranger);
    if (verdict.admitted) {
        return NULL;
    }
    seconds = apr_psprintf(r->pool, "%" APR_INT64_T_FMT,
                           (verdict.reset + APR_USEC_PER_SEC - 1) / APR_USEC_PER_SEC);
    apr_table_setn(headers, "Retry-After", seconds);
    return lims_client_error(r->pool, LIMS_E_RATE_LIMITED,
                             "Too many unknown API keys came from this address; try again in %s s.",
                             seconds);
}

void lims_unknown_keys_count(const request_rec *r)
{
    const lims_config_t *config = lims_config_of(r->server);
    apr_int64_t stranger = stranger_of(config, r);
    lims_rate_verdict_t ignored;

    /* More addresses than there is room for: those that come last are not counted. */
    if (stranger) {
        lims_sliding_windows_take(&ignored, config->unknown_key_rates, stranger);
    }
}
