-- SPDX-License-Identifier: Apache-2.0
--
-- What a correction says of the time of collection.

DO $$
BEGIN
    NULL;
END;
$$;
