// SPDX-License-Identifier: Apache-2.0
//
// The row under the cursor of a list that others change, too. A row that comes above it does not
// take its place; where it leaves, the one at its place is under the cursor, but is not meant by an
// act until the person has seen and chosen it - unless the person's own act made the row leave.
import { useRef } from 'react';

interface Identified {
    id: number;
}

export interface Cursor {
    // Null: there is no row.
    id: number | null;
    // Whether an act is meant for the row.
    isMeant: boolean;
}

export interface Place extends Cursor {
    // Position of the row, for when it leaves.
    position: number;
    // The row that the person chose last.
    chosen: number | null;
    // Rows that the person's own acts were about.
    acted: readonly number[];
}

export const nowhere: Place = { id: null, isMeant: true, position: 0, chosen: null, acted: [] };

const placeAt = (place: Place, id: number, rows: Identified[]): Place =>
    ({ ...place, id, position: rows.findIndex((row) => row.id === id) });

// Returns the place after the list was read, or the person has chosen a row.
export function placed(before: Place, rows: Identified[], chosen: number | null): Place {
    const isNew = chosen !== before.chosen;
    const wanted = isNew ? chosen : before.id ?? chosen;
    const place = { ...before, chosen, isMeant: isNew || before.isMeant };
    if (wanted !== null && rows.some(({ id }) => id === wanted)) {
        return placeAt(place, wanted, rows);
    }
    const next = rows[Math.min(place.position, rows.length - 1)];
    if (!next || wanted === null || before.id === null) {
        return rows[0] ? placeAt({ ...nowhere, chosen }, rows[0].id, rows) : { ...nowhere, chosen };
    }
    return placeAt({ ...place, isMeant: place.acted.includes(wanted) }, next.id, rows);
}

// `view` names what is listed, such as by the filters: another list begins at its first row.
export function useCursor(
    rows: Identified[], chosen: number | null, view: string,
): Cursor & { acted: (ids: number[]) => void } {
    const place = useRef({ view, now: nowhere });
    if (place.current.view !== view) {
        place.current = { view, now: { ...nowhere, chosen } };
    }
    const now = placed(place.current.now, rows, chosen);
    place.current.now = now;
    return {
        id: now.id,
        isMeant: now.isMeant,
        acted: (acted) => {
            place.current.now = { ...place.current.now, acted };
        },
    };
}
