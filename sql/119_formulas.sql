-- SPDX-License-Identifier: Apache-2.0
--
-- Formulas of computed fields: numbers and fields joined by + - * / and parentheses. Their
-- arithmetic is exact: each value is a fraction until the result is rounded, once.

-- The number that a text is, by the same bounds as in a request's body; NULL: it is none.
CREATE FUNCTION lims.number_of(p_text text) RETURNS numeric
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
AS $$
BEGIN
    IF p_text !~ '^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]{1,3})?$'
       OR length(regexp_replace(p_text, '[eE].*|[^0-9]', '', 'g')) > 40
       OR substring(p_text FROM '[eE][-+]?([0-9]+)')::integer > 100 THEN
        RETURN NULL;
    END IF;
    RETURN p_text::numeric;
END
$$;

-- Grammar ------------------------------------------------------------------

-- The tokens of a formula, each with its place among the characters, from 1: number, name
-- (without the quotes of a quoted one), sign, other (no token at all), and last an end.
CREATE FUNCTION lims.formula_tokens(p_formula text)
RETURNS TABLE (place integer, kind text, token text)
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
AS $$
BEGIN
    RETURN QUERY
    SELECT w.place,
           CASE WHEN w.word ~ '^[0-9]' THEN 'number'
                WHEN w.word ~ '^([A-Za-z_]|".)' THEN 'name'
                WHEN w.word ~ '^[-+*/()]$' THEN 'sign'
                ELSE 'other' END,
           CASE WHEN w.word ~ '^".'
                THEN replace(substr(w.word, 2, length(w.word) - 2), '""', '"')
                ELSE w.word END
      FROM (SELECT m.word[1] AS word, m.number,
                   (1 + coalesce(sum(length(m.word[1])) OVER (
                            ORDER BY m.number
                            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING),
                        0))::integer AS place
              FROM regexp_matches(p_formula,
                       '[ \t\r\n]+|[0-9]+(?:\.[0-9]+)?|[A-Za-z_][A-Za-z0-9_]*'
                       '|"(?:[^"]|"")+"|.', 'g')
                   WITH ORDINALITY AS m (word, number)) w
     WHERE w.word !~ '^[ \t\r\n]'
     UNION ALL
    SELECT length(p_formula) + 1, 'end', ''
     ORDER BY 1;
END
$$;

-- The names in a formula, each once, with the place where it stands first.
CREATE FUNCTION lims.formula_names(p_formula text)
RETURNS TABLE (name text, place integer)
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
AS $$
BEGIN
    RETURN QUERY
    SELECT t.token, min(t.place)
      FROM lims.formula_tokens(p_formula) t
     WHERE t.kind = 'name'
     GROUP BY t.token;
END
$$;

-- The precedence of an operator, the highest first to be applied; ~ is the unary minus.
CREATE FUNCTION lims.formula_rank(p_operator text) RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
    SELECT CASE WHEN p_operator = '(' THEN 0
                WHEN p_operator IN ('*', '/') THEN 2
                WHEN p_operator = '~' THEN 3
                ELSE 1 END
$$;

-- The syntax error at a token, where an operand is expected or, after one, an operator; NULL:
-- none.
CREATE FUNCTION lims.formula_mistake(p_kind text, p_token text, p_wants_operand boolean)
RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
    SELECT CASE WHEN p_kind = 'other' THEN format('%s means nothing here', p_token)
                WHEN p_wants_operand AND p_kind = 'end'
                THEN 'it ends where a number or a field is expected'
                WHEN p_wants_operand AND p_kind = 'sign' AND p_token NOT IN ('(', '-')
                THEN format('a number or a field is expected, not %s', p_token)
                WHEN NOT p_wants_operand
                     AND (p_kind IN ('number', 'name') OR p_token = '(')
                THEN format('one of + - * / is expected, not %s', p_token)
           END
$$;

-- A formula as steps in postfix order (the shunting-yard algorithm): #number, @name and
-- operators. A formula that is wrong has a problem instead, which names the place.
CREATE FUNCTION lims.formula_steps(p_formula text, OUT steps text[], OUT problem text)
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
AS $$
DECLARE
    v record;
    v_held text[] := '{}';
    v_top integer := 0;
    v_wants_operand boolean := true;
BEGIN
    steps := '{}';
    FOR v IN
        SELECT t.place, t.kind, t.token
          FROM lims.formula_tokens(p_formula) t
         ORDER BY t.place
    LOOP
        problem := lims.formula_mistake(v.kind, v.token, v_wants_operand);
        IF problem IS NULL AND v_wants_operand AND v.kind = 'sign' THEN
            v_top := v_top + 1;
            v_held[v_top] := CASE v.token WHEN '-' THEN '~' ELSE '(' END;
        ELSIF problem IS NULL AND v_wants_operand THEN
            steps := steps || (CASE v.kind WHEN 'number' THEN '#' ELSE '@' END || v.token);
            v_wants_operand := false;
        ELSIF problem IS NULL THEN
            WHILE v_top > 0
                  AND lims.formula_rank(v_held[v_top]) >= lims.formula_rank(v.token)
            LOOP
                steps := steps || v_held[v_top];
                v_top := v_top - 1;
            END LOOP;
            IF v.token = ')' AND v_top = 0 THEN
                problem := 'no ( belongs to this )';
            ELSIF v.token = ')' THEN
                v_top := v_top - 1;
            ELSIF v.kind = 'end' AND v_top > 0 THEN
                problem := 'a ( is not closed';
            ELSE
                v_top := v_top + 1;
                v_held[v_top] := v.token;
                v_wants_operand := true;
            END IF;
        END IF;
        IF problem IS NULL AND v_top > 40 THEN
            problem := 'it is nested too deeply';
        END IF;
        IF problem IS NOT NULL THEN
            steps := NULL;
            problem := format('at character %s: %s', v.place, problem);
            RETURN;
        END IF;
    END LOOP;
END
$$;

-- Arithmetic ---------------------------------------------------------------

-- A fraction with so many decimals, a half rounded away from zero; NULL: it has more than
-- 30 digits before the point. (Division of numeric is not exact, div() is.)
CREATE FUNCTION lims.rounded_fraction(
    p_numerator numeric,
    p_denominator numeric,
    p_decimals integer
) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
AS $$
DECLARE
    v_units CONSTANT numeric := sign(p_numerator) * div(
        2 * abs(p_numerator) * ('1e' || p_decimals)::numeric + p_denominator,
        2 * p_denominator);
BEGIN
    IF abs(v_units) >= ('1e' || 30 + p_decimals)::numeric THEN
        RETURN NULL;
    END IF;
    RETURN round(v_units * ('1e-' || p_decimals)::numeric, p_decimals)::text;
END
$$;

-- The numerator and the denominator, which is above 0, of two fractions joined by an
-- operator; NULL: a division by zero.
CREATE FUNCTION lims.joined_fractions(p_operator text, a numeric[], b numeric[])
RETURNS numeric[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
    SELECT CASE
        WHEN p_operator = '*' THEN ARRAY[a[1] * b[1], a[2] * b[2]]
        WHEN p_operator = '/' AND b[1] = 0 THEN NULL
        WHEN p_operator = '/' THEN ARRAY[a[1] * b[2] * sign(b[1]), a[2] * abs(b[1])]
        WHEN p_operator = '-' AND a[2] = b[2] THEN ARRAY[a[1] - b[1], a[2]]
        WHEN p_operator = '-' THEN ARRAY[a[1] * b[2] - b[1] * a[2], a[2] * b[2]]
        WHEN a[2] = b[2] THEN ARRAY[a[1] + b[1], a[2]]
        ELSE ARRAY[a[1] * b[2] + b[1] * a[2], a[2] * b[2]] END
$$;

-- The value of the steps of a formula with these numbers, each as text under its name: with
-- p_decimals decimals, or the problem why there is none.
CREATE FUNCTION lims.formula_value(
    p_steps text[],
    p_decimals integer,
    p_numbers jsonb,
    OUT value text,
    OUT problem text
)
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
AS $$
DECLARE
    -- Numerators and denominators of the fractions on the stack.
    v_above numeric[] := '{}';
    v_below numeric[] := '{}';
    v_joined numeric[];
    v_step text;
    v_top integer := 0;
BEGIN
    FOREACH v_step IN ARRAY p_steps LOOP
        IF left(v_step, 1) IN ('#', '@') THEN
            v_top := v_top + 1;
            v_above[v_top] := CASE left(v_step, 1)
                WHEN '#' THEN substr(v_step, 2)::numeric
                ELSE lims.number_of(p_numbers ->> substr(v_step, 2)) END;
            v_below[v_top] := 1;
        ELSIF v_step = '~' THEN
            v_above[v_top] := -v_above[v_top];
        ELSE
            v_top := v_top - 1;
            v_joined := lims.joined_fractions(v_step,
                ARRAY[v_above[v_top], v_below[v_top]],
                ARRAY[v_above[v_top + 1], v_below[v_top + 1]]);
            v_above[v_top] := v_joined[1];
            v_below[v_top] := v_joined[2];
        END IF;
        -- Bounds the work of a formula that multiplies large numbers with each other.
        problem := CASE
            WHEN v_above[v_top] IS NULL THEN 'divides by zero'
            WHEN greatest(abs(v_above[v_top]), v_below[v_top]) >= 1e500
                 OR greatest(scale(v_above[v_top]), scale(v_below[v_top])) > 500
            THEN 'its numbers have too many digits' END;
        EXIT WHEN problem IS NOT NULL;
    END LOOP;
    IF problem IS NULL THEN
        value := lims.rounded_fraction(v_above[1], v_below[1], p_decimals);
        problem := CASE WHEN value IS NULL
                        THEN 'has more than 30 digits before the point' END;
    END IF;
END
$$;
