-- SPDX-License-Identifier: Apache-2.0
--
-- Names by which instruments' files call samples.

DO $$
BEGIN
    NULL;
END;
$$;
