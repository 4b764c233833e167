-- SPDX-License-Identifier: Apache-2.0
--
-- Times of instruments' files that do not say their zone, where the clocks change:
-- one that is skipped is no time, one that comes twice is either, and neither is
-- guessed. Which of the two it is, a profile can say: its document (021_readings.sql)
-- has `doubledHour`, as quarantine, first or second.

-- A time as a file has it, if it has no zone. A day alone is no time of a clock.
CREATE FUNCTION lims.clock_time(p_text text) RETURNS timestamp
LANGUAGE sql STABLE
AS $$
    SELECT CASE WHEN p_text ~ '[0-9]:[0-9]'
                 AND p_text !~ '(Z|[+-][0-9]{2}(:?[0-9]{2})?)$'
                THEN p_text::timestamp END
$$;

-- The first of the two moments of a time that clocks set back show twice, of which
-- PostgreSQL takes the second; NULL: it comes once, or never. By how much they were
-- set back, the day before tells: no zone changes its clocks twice in a day.
CREATE FUNCTION lims.first_moment_of(p_time timestamp, p_zone text)
RETURNS timestamptz
LANGUAGE plpgsql STABLE
AS $$
DECLARE
    c_day constant interval := '24 hours';
    v_second timestamptz := p_time AT TIME ZONE p_zone;
    v_back interval := ((v_second - c_day) AT TIME ZONE p_zone) - (p_time - c_day);
BEGIN
    IF v_back > interval '0'
       AND (v_second - v_back) AT TIME ZONE p_zone = p_time THEN
        RETURN v_second - v_back;
    END IF;
    RETURN NULL;
END
$$;

-- A moment as a file has it: with its zone, or in the one that is given; of two that
-- which the profile means.
CREATE FUNCTION lims.moment_of(p_text text, p_zone text, p_doubled text)
RETURNS timestamptz
LANGUAGE sql STABLE
AS $$
    SELECT coalesce(CASE WHEN p_doubled = 'first'
                         THEN lims.first_moment_of(lims.clock_time(p_text), p_zone)
                    END, lims.moment_of(p_text, p_zone))
$$;

-- Why a time as a file has it is no one moment, in words; NULL: it is. Of a time that
-- clocks set forward skip, there and back is another.
CREATE FUNCTION lims.time_doubt(p_text text, p_zone text, p_doubled text)
RETURNS text
LANGUAGE plpgsql STABLE
AS $$
DECLARE
    v_time timestamp := lims.clock_time(p_text);
BEGIN
    IF v_time IS NULL THEN
        RETURN NULL;
    END IF;
    IF (v_time AT TIME ZONE p_zone) AT TIME ZONE p_zone <> v_time THEN
        RETURN format('There is no such time in %s: the clocks were set forward and '
                      'skipped it.', p_zone);
    END IF;
    IF coalesce(p_doubled, 'quarantine') = 'quarantine'
       AND lims.first_moment_of(v_time, p_zone) IS NOT NULL THEN
        RETURN format('In %s this time comes twice: the clocks were set back. Which '
                      'of the two it is, doubledHour of the profile can say.', p_zone);
    END IF;
    RETURN NULL;
END
$$;

-- The time as the file has it, and why that is no one moment.
ALTER TYPE lims.file_reading ADD ATTRIBUTE clock text, ADD ATTRIBUTE doubt text;

GRANT EXECUTE ON FUNCTION
    lims.clock_time(text),
    lims.first_moment_of(timestamp, text),
    lims.moment_of(text, text, text),
    lims.time_doubt(text, text, text)
    TO lims_app;
