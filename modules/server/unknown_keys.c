/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unknown_keys.c - the rate limit of unknown API keys by client address: looking up a
 * key asks the database, and the limit of a key cannot count keys that do not exist.
 *
 * Failed look-ups are counted by the client's address in shared memory
 * (sliding_window.h). Beyond the limit, keys that this child process has accepted
 * before go on as usual; any other is refused with 429 before the database is asked,
 * so that the answer does not tell whether the key exists.
 */
#include <apr_strings.h>
#include <string.h>

#include "kernel/address.h"
#include "kernel/digest.h"
#include "kernel/error.h"
#include "server/server.h"

/* Bytes of an IPv6 address that name its network: the holder of an address controls
 * the 64 bits of the interface too (RFC 4291 section 2.5.4). */
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

/* Whether the address is that of a TLS proxy: without mod_remoteip all clients have
 * it, and cannot be told apart. */
static bool is_of_proxy(const lims_config_t *config, const request_rec *r)
{
    return config->tls == LIMS_TLS_PROXY && strcmp(r->useragent_ip, r->connection->client_ip) == 0;
}

/* Returns the part of an address that names the client: IPv4 whole, also when mapped
 * into IPv6; of IPv6 the network. */
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

apr_int64_t lims_address_number(const request_rec *r)
{
    const lims_config_t *config = lims_config_of(r->server);
    unsigned char digest[LIMS_SHA256_LENGTH];
    lims_address_t address;
    const unsigned char *network;
    apr_size_t length = 0;
    apr_int64_t number = 0;

    if (is_of_proxy(config, r) || !lims_address_parse(&address, r->useragent_ip)) {
        return 0;
    }
    network = network_of(&length, &address);
    if (!lims_sha256(digest, network, length)) {
        return 0;
    }
    memcpy(&number, digest, sizeof(number));
    return number ? number : 1;
}

const lims_error_t *lims_unknown_keys_check(const request_rec *r, apr_table_t *headers)
{
    const lims_config_t *config = lims_config_of(r->server);
    apr_int64_t address_key = config->unknown_key_rates ? lims_address_number(r) : 0;
    lims_rate_verdict_t verdict;
    const char *seconds;

    if (!address_key) {
        return NULL;
    }
    lims_sliding_windows_peek(&verdict, config->unknown_key_rates, address_key);
    if (verdict.admitted) {
        return NULL;
    }
    seconds = apr_psprintf(r->pool, "%" APR_INT64_T_FMT,
                           (verdict.reset + APR_USEC_PER_SEC - 1) / APR_USEC_PER_SEC);
    apr_table_setn(headers, "Retry-After", seconds);
    return lims_client_error(r->pool, LIMS_E_RATE_LIMITED,
                             "Too many unknown API keys, or codes of certificates, came from this "
                             "address; try again in %s s.",
                             seconds);
}

void lims_unknown_keys_count(const request_rec *r)
{
    const lims_config_t *config = lims_config_of(r->server);
    apr_int64_t address_key = config->unknown_key_rates ? lims_address_number(r) : 0;
    lims_rate_verdict_t ignored;

    /* If the table is full, further addresses are not counted. */
    if (address_key) {
        lims_sliding_windows_take(&ignored, config->unknown_key_rates, address_key);
    }
}
