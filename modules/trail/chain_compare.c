/* SPDX-License-Identifier: Apache-2.0 */
/* chain_compare.c - comparing heads that were kept outside with those of the chain. */
#include <apr_strings.h>
#include <string.h>

#include "database/database.h"
#include "kernel/field.h"
#include "service/service.h"
#include "trail/chain_check.h"
#include "trail/kept_heads.h"

typedef struct {
    lims_verdict_t *verdict;
    apr_hash_t *heads;                 /* that were kept outside */
    const apr_array_header_t *numbers; /* their blocks, in order */
    int next;                          /* of the numbers */
} compare_t;

static const char *due(const compare_t *compare)
{
    return compare->next < compare->numbers->nelts
               ? APR_ARRAY_IDX(compare->numbers, compare->next, const char *)
               : NULL;
}

/* Finds the blocks that are not there, up to one. */
static void skip_to(compare_t *compare, apr_int64_t block)
{
    for (const char *number = due(compare); number && apr_atoi64(number) < block;
         number = due(compare)) {
        lims_findings_add(compare->verdict->findings, LIMS_TRAIL_BLOCK_MISSING, number, NULL);
        compare->next++;
    }
}

static const lims_error_t *take_head(void *taker, const lims_result_t *row)
{
    compare_t *compare = taker;
    const char *block = lims_result_get(row, 0, "id");
    const char *number;

    skip_to(compare, apr_atoi64(block));
    number = due(compare);
    if (number && strcmp(number, block) == 0) {
        if (strcmp(apr_hash_get(compare->heads, number, APR_HASH_KEY_STRING),
                   lims_result_get(row, 0, "head")) != 0) {
            lims_findings_add(compare->verdict->findings, LIMS_TRAIL_OTHER_HEAD, number, NULL);
        }
        compare->next++;
    }
    return NULL;
}

const lims_error_t *lims_trail_compare(lims_verdict_t *verdict, lims_request_t *rq,
                                       const char *heads)
{
    compare_t compare = { .verdict = verdict, .heads = lims_kept_heads(rq, heads) };
    const lims_call_t read = { .statement = LIMS_STMT_AUDIT_BLOCK_HEADS,
                               .each = take_head,
                               .taker = &compare };
    lims_result_t *rest = NULL;
    const lims_error_t *error;

    *verdict = (lims_verdict_t){ .findings = lims_findings_create(rq->pool) };
    compare.numbers = lims_kept_heads_behind(compare.heads, 0, rq->pool);
    verdict->heads = compare.numbers->nelts;
    if (compare.numbers->nelts == 0) {
        return NULL;
    }
    verdict->last_block = APR_ARRAY_IDX(compare.numbers, compare.numbers->nelts - 1, const char *);
    lims_values_set(rq->values, "from", APR_ARRAY_IDX(compare.numbers, 0, const char *));
    lims_values_set(rq->values, "to", verdict->last_block);
    error = lims_service_read(&rest, rq, &read, 1);
    for (; !error && due(&compare); compare.next++) {
        lims_findings_add(verdict->findings, LIMS_TRAIL_CUT_OFF, due(&compare), NULL);
    }
    return error;
}
