-- SPDX-License-Identifier: Apache-2.0
--
-- Orders: what a client has sent at once, with the samples that were registered for it
-- (125_order_samples.sql).

CREATE SEQUENCE lims.sample_order_id_seq;

CREATE TABLE lims.sample_order (
    organization_id bigint NOT NULL REFERENCES lims.organization (id),
    id bigint NOT NULL DEFAULT nextval('lims.sample_order_id_seq'),
    order_number text NOT NULL CHECK (length(order_number) BETWEEN 1 AND 64),
    client_id bigint NOT NULL,
    contact text CHECK (length(contact) BETWEEN 1 AND 255),
    notes text CHECK (length(notes) <= 4000),
    -- The panels by which tests were ordered.
    panel_ids bigint[] NOT NULL DEFAULT '{}',
    created_by bigint DEFAULT lims.context_id('user_id'),
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, id),
    CONSTRAINT sample_order_order_number UNIQUE (organization_id, order_number),
    CONSTRAINT sample_order_client_id FOREIGN KEY (organization_id, client_id)
        REFERENCES lims.client (organization_id, id),
    CONSTRAINT sample_order_created_by FOREIGN KEY (organization_id, created_by)
        REFERENCES lims.user_account (organization_id, id)
);

CREATE INDEX sample_order_client_id ON lims.sample_order (organization_id, client_id, id);

-- Whether an order number has the form of those that the service assigns. Clients may not
-- use it: such a number could be assigned later.
CREATE FUNCTION lims.order_number_is_ours(p_number text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$ SELECT p_number ~ '^ORD-[0-9]{2}-[0-9]{7,}-[0-9A-Z]$' $$;

-- Assigns the number of an order, unless the client gave one: from the id, in the form of
-- tracking ids. Refuses to change number, client and panels.
CREATE FUNCTION lims.sample_order_guard() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        IF (NEW.order_number, NEW.client_id, NEW.panel_ids, NEW.created_by)
           IS DISTINCT FROM
           (OLD.order_number, OLD.client_id, OLD.panel_ids, OLD.created_by) THEN
            PERFORM lims.refuse('field_not_patchable', format(
                'orderNumber and clientId of order %s cannot be changed',
                OLD.order_number));
        END IF;
        RETURN NEW;
    END IF;
    IF lims.name_of_client(NEW.organization_id, NEW.client_id) IS NULL THEN
        PERFORM lims.refuse('invalid_reference', format(
            'clientId: no active client %s', NEW.client_id));
    END IF;
    IF lims.order_number_is_ours(NEW.order_number) AND NOT lims.is_owner_acting() THEN
        PERFORM lims.refuse('invalid_body', format(
            'orderNumber: %s has the form that is reserved for numbers assigned by the '
            'service',
            NEW.order_number));
    END IF;
    NEW.order_number := coalesce(NEW.order_number, lims.tracking_id('ORD', (
        SELECT extract(year FROM now() AT TIME ZONE o.time_zone)::integer
          FROM lims.organization o
         WHERE o.id = NEW.organization_id), NEW.id));
    RETURN NEW;
END
$$;

CREATE TRIGGER guard BEFORE INSERT OR UPDATE ON lims.sample_order
FOR EACH ROW EXECUTE FUNCTION lims.sample_order_guard();

SELECT lims.attach_record('sample_order');
