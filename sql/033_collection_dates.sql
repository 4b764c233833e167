-- SPDX-License-Identifier: Apache-2.0
--
-- What a correction says of the time of collection.

-- The day that a time of collection implies: that of the clock on the
-- laboratory's wall.
CREATE FUNCTION lims.collection_day(p_organization bigint, p_time timestamptz)
RETURNS date
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN (
        SELECT (p_time AT TIME ZONE o.time_zone)::date
          FROM lims.organization o
         WHERE o.id = p_organization);
END
$$;

GRANT EXECUTE ON FUNCTION lims.collection_day(bigint, timestamptz) TO lims_app;
