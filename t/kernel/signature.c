/* SPDX-License-Identifier: Apache-2.0 */
/* Signatures of webhooks, against values that other programs computed. */
#include "kernel/signature.h"

#include "../lib/unit.h"

/* openssl dgst -sha256 -hmac, and the vector of the Standard Webhooks project's
 * own tests. */
int main(void)
{
    apr_pool_t *pool = unit_pool();

    is(lims_signature("whsec_c2VjcmV0", "1700000000", "{\"a\":1}", pool),
       "sha256=6dd72433a4cd7716d09e26318f8f689412da31a76d080c30fd719cf6ac3f8479",
       "keyed with the text of the secret");
    is(lims_signature_standard("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
                               "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330",
                               "{\"test\": 2432232314}", pool),
       "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=", "keyed with the bytes behind whsec_");
    is(lims_signature_standard("c2VjcmV0", "m", "1", "{}", pool), NULL, "a secret without prefix");
    is(lims_signature_standard("whsec_", "m", "1", "{}", pool), NULL,
       "a secret without bytes gives no signature");
    is(lims_signature_standard("whsec_!!!!", "m", "1", "{}", pool), NULL,
       "a secret that is no base64");
    return tap_done();
}
