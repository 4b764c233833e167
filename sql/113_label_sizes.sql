-- SPDX-License-Identifier: Apache-2.0
--
-- Sizes of labels: the sheets and rolls on which an organization prints. A roll is a sheet
-- of one label. Every organization begins with usual ones, and changes them as its own.

-- Triggers of lims.label_size, in the order in which they run:
--
-- BEFORE INSERT
--   1 guard         refuses lengths out of bounds, and labels that do not fit on the page
--
-- BEFORE UPDATE
--   1 guard         as at INSERT
--   2 identity      refuses to change id, organization or created_at
--   3 touch         sets updated_at, last, when all other columns are final
--
-- AFTER INSERT
--   1 audit_insert  writes the audit trail; a later refusal rolls it back
--
-- AFTER UPDATE
--   1 audit_update  writes the audit trail, as at INSERT
--
-- AFTER DELETE
--   1 audit_delete  writes the audit trail, as at INSERT

CREATE SEQUENCE lims.label_size_id_seq;

CREATE TABLE lims.label_size (
    organization_id bigint NOT NULL REFERENCES lims.organization (id),
    id bigint NOT NULL DEFAULT nextval('lims.label_size_id_seq'),
    code text NOT NULL CHECK (length(code) BETWEEN 1 AND 64),
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
    -- Millimetres.
    page_width numeric NOT NULL,
    page_height numeric NOT NULL,
    label_width numeric NOT NULL,
    label_height numeric NOT NULL,
    columns integer NOT NULL DEFAULT 1 CHECK (columns BETWEEN 1 AND 60),
    rows integer NOT NULL DEFAULT 1 CHECK (rows BETWEEN 1 AND 60),
    margin_left numeric NOT NULL DEFAULT 0,
    margin_top numeric NOT NULL DEFAULT 0,
    gap_x numeric NOT NULL DEFAULT 0,
    gap_y numeric NOT NULL DEFAULT 0,
    -- Dots per inch of the label printer, for ZPL.
    dpi integer NOT NULL DEFAULT 203 CHECK (dpi BETWEEN 150 AND 600),
    active boolean NOT NULL DEFAULT true,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, id),
    CONSTRAINT label_size_code UNIQUE (organization_id, code),
    -- Bounds of lims-print (modules/print/label_sheet.c).
    CHECK (label_width >= 8 AND label_height >= 8),
    CHECK (page_width <= 1000 AND page_height <= 1000),
    CHECK (least(margin_left, margin_top, gap_x, gap_y) >= 0),
    CHECK (margin_left + columns * label_width + (columns - 1) * gap_x <= page_width),
    CHECK (margin_top + rows * label_height + (rows - 1) * gap_y <= page_height)
);

CREATE FUNCTION lims.label_size_guard() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    v_width numeric := NEW.margin_left + NEW.columns * NEW.label_width
                       + (NEW.columns - 1) * NEW.gap_x;
    v_height numeric := NEW.margin_top + NEW.rows * NEW.label_height
                        + (NEW.rows - 1) * NEW.gap_y;
BEGIN
    IF least(NEW.label_width, NEW.label_height) < 8 THEN
        PERFORM lims.refuse('invalid_body', format(
            '%s: a label is at least 8 mm wide and high',
            CASE WHEN NEW.label_width < 8 THEN 'labelWidth' ELSE 'labelHeight' END));
    ELSIF greatest(NEW.page_width, NEW.page_height) > 1000 THEN
        PERFORM lims.refuse('invalid_body', format(
            '%s: a page is at most 1,000 mm wide and high',
            CASE WHEN NEW.page_width > 1000 THEN 'pageWidth' ELSE 'pageHeight' END));
    ELSIF least(NEW.margin_left, NEW.margin_top, NEW.gap_x, NEW.gap_y) < 0 THEN
        PERFORM lims.refuse('invalid_body', format('%s: cannot be negative', CASE
            WHEN NEW.margin_left < 0 THEN 'marginLeft'
            WHEN NEW.margin_top < 0 THEN 'marginTop'
            WHEN NEW.gap_x < 0 THEN 'gapX' ELSE 'gapY' END));
    ELSIF v_width > NEW.page_width THEN
        PERFORM lims.refuse('invalid_body', format(
            'pageWidth: the labels with margin and gaps take %s mm, and the page has %s mm',
            v_width, NEW.page_width));
    ELSIF v_height > NEW.page_height THEN
        PERFORM lims.refuse('invalid_body', format(
            'pageHeight: the labels with margin and gaps take %s mm, and the page has %s mm',
            v_height, NEW.page_height));
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER guard BEFORE INSERT OR UPDATE ON lims.label_size
FOR EACH ROW EXECUTE FUNCTION lims.label_size_guard();

SELECT lims.attach_record('label_size');

-- Gives a new organization the usual sizes.
CREATE FUNCTION lims.seed_label_sizes() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    INSERT INTO lims.label_size (organization_id, code, name, page_width, page_height,
           label_width, label_height, columns, rows, margin_left, margin_top, gap_x, gap_y)
    VALUES
        (NEW.id, 'A4-21', 'A4 sheet, 21 labels of 63.5 x 38.1 mm',
            210, 297, 63.5, 38.1, 3, 7, 7.21, 15.15, 2.54, 0),
        (NEW.id, 'A4-24', 'A4 sheet, 24 labels of 63.5 x 33.9 mm',
            210, 297, 63.5, 33.9, 3, 8, 7.21, 12.9, 2.54, 0),
        (NEW.id, 'A4-65', 'A4 sheet, 65 labels of 38.1 x 21.2 mm',
            210, 297, 38.1, 21.2, 5, 13, 4.67, 10.7, 2.54, 0),
        (NEW.id, 'LETTER-30', 'Letter sheet, 30 labels of 2 5/8 x 1 in',
            215.9, 279.4, 66.67, 25.4, 3, 10, 4.77, 12.7, 3.17, 0),
        (NEW.id, 'LETTER-10', 'Letter sheet, 10 labels of 4 x 2 in',
            215.9, 279.4, 101.6, 50.8, 2, 5, 3.97, 12.7, 4.76, 0),
        (NEW.id, 'ROLL-76X25', 'Roll, labels of 76 x 25 mm (3 x 1 in)',
            76.2, 25.4, 76.2, 25.4, 1, 1, 0, 0, 0, 0),
        (NEW.id, 'ROLL-102X51', 'Roll, labels of 102 x 51 mm (4 x 2 in)',
            101.6, 50.8, 101.6, 50.8, 1, 1, 0, 0, 0, 0);
    RETURN NULL;
END
$$;

CREATE TRIGGER seed_sizes AFTER INSERT ON lims.organization
FOR EACH ROW EXECUTE FUNCTION lims.seed_label_sizes();
