-- SPDX-License-Identifier: Apache-2.0
--
-- What needs confirmation before it can be verified.

DO $$
BEGIN
    NULL;
END;
$$;
