/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A text as a key file and as something sealed.
 */
#include "kernel/seal.h"

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char known[] = "k AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\n";
    apr_pool_t *pool = fuzz_pool();
    const char *text = apr_pstrmemdup(pool, (const char *)data, size);
    const lims_keyring_t *ring = NULL;
    const char *secret = NULL;
    const char *problem = lims_keyring_parse(&ring, text, "keys", pool);

    must(!problem == !!ring, "keys, or what is wrong");
    if (ring) {
        must(lims_keyring_id_valid(lims_keyring_first(ring)), "the first key has an id");
        const char *sealed = lims_seal(ring, text, "c", pool);

        must(!sealed == (strlen(text) > LIMS_SEAL_SECRET_MAX), "what is not too long");
        must(!sealed || !lims_unseal(&secret, ring, sealed, "c", pool), "it opens what it seals");
    }
    must(!lims_keyring_parse(&ring, known, "keys", pool), "a known key");
    must(lims_unseal(&secret, ring, text, "c", pool), "nobody invents what opens");
    apr_pool_destroy(pool);
    return 0;
}
