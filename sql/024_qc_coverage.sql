-- SPDX-License-Identifier: Apache-2.0
--
-- Which results a QC batch covers: a relation of test, batch and result.

DO $$
BEGIN
    NULL;
END;
$$;
