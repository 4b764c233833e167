/* SPDX-License-Identifier: Apache-2.0 */
/* kept_heads.c - heads of the chain that were kept outside. */
#include "trail/kept_heads.h"

#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/digest.h"
#include "trail/trail.h"

/* Reads one head behind LIMS_AUDIT_HEAD: ORGANIZATION:BLOCK:HEX. */
static void read_head(apr_hash_t *heads, lims_request_t *rq, const char *text)
{
    apr_pool_t *pool = rq->pool;
    const char *block = strchr(text, ':');
    const char *hex = block ? strchr(block + 1, ':') : NULL;
    const char *number;
    const char *head;
    const char *known;

    if (!hex || strspn(hex + 1, "0123456789abcdef") < 2 * LIMS_SHA256_LENGTH ||
        strspn(text, "0123456789") != (apr_size_t)(block - text) ||
        strspn(block + 1, "0123456789") != (apr_size_t)(hex - block - 1) ||
        strcmp(apr_pstrmemdup(pool, text, (apr_size_t)(block - text)), rq->actor.organization) !=
            0) {
        return;
    }
    number = apr_pstrmemdup(pool, block + 1, (apr_size_t)(hex - block - 1));
    head = apr_pstrmemdup(pool, hex + 1, 2 * LIMS_SHA256_LENGTH);
    known = apr_hash_get(heads, number, APR_HASH_KEY_STRING);
    apr_hash_set(heads, number, APR_HASH_KEY_STRING, known && strcmp(known, head) != 0 ? "" : head);
}

apr_hash_t *lims_kept_heads(lims_request_t *rq, const char *text)
{
    apr_hash_t *heads = apr_hash_make(rq->pool);
    const char *place = text ? strstr(text, LIMS_AUDIT_HEAD) : NULL;

    for (; place; place = strstr(place, LIMS_AUDIT_HEAD)) {
        place += strlen(LIMS_AUDIT_HEAD);
        read_head(heads, rq, place);
    }
    return heads;
}

static int compare_numbers(const void *one, const void *other)
{
    apr_int64_t a = apr_atoi64(*(const char *const *)one);
    apr_int64_t b = apr_atoi64(*(const char *const *)other);

    return (a > b) - (a < b);
}

const apr_array_header_t *lims_kept_heads_behind(apr_hash_t *heads, apr_int64_t last,
                                                 apr_pool_t *pool)
{
    apr_array_header_t *numbers = apr_array_make(pool, 8, sizeof(const char *));

    for (apr_hash_index_t *i = apr_hash_first(pool, heads); i; i = apr_hash_next(i)) {
        const void *number;
        apr_hash_this(i, &number, NULL, NULL);
        if (apr_atoi64(number) > last) {
            APR_ARRAY_PUSH(numbers, const char *) = number;
        }
    }
    qsort(numbers->elts, (size_t)numbers->nelts, sizeof(const char *), compare_numbers);
    return numbers;
}
