-- SPDX-License-Identifier: Apache-2.0
--
-- An Idempotency-Key is claimed with a lease.

DO $$
BEGIN
    NULL;
END;
$$;
