-- SPDX-License-Identifier: Apache-2.0
--
-- The bytes of instruments' files, in a table of their own.

DO $$
BEGIN
    NULL;
END;
$$;
