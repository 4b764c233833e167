-- SPDX-License-Identifier: Apache-2.0
--
-- What an approval, a signature and a certificate cover.

DO $$
BEGIN
    NULL;
END;
$$;
