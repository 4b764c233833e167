-- SPDX-License-Identifier: Apache-2.0
--
-- After a logical restore nothing is written before the events are rebased.

DO $$
BEGIN
    NULL;
END;
$$;
