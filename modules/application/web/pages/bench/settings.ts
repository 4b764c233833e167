// SPDX-License-Identifier: Apache-2.0
//
// The settings of a run by their names: the lots that can be chosen, and what a cell is entered
// with.
import { rowsOf } from '../../api/names.ts';
import { useAll } from '../../api/read.ts';
import { type State } from '../../grid/acts.ts';
import { type Settings, cellAt, isOpen, kindOf, settingsOf } from '../../grid/sheet.ts';
import { t } from '../../texts/texts.ts';
import { when } from '../../texts/time.ts';

const { settings: texts } = t.bench;

export interface Lot {
    id: number;
    code: string;
    lotNumber: string;
    usableUntil: string | null;
}

export interface Lots {
    reagents: Lot[];
    media: Lot[];
}

export const useLots = (): Lots =>
    ({ reagents: useAll('/reagent-lots', rowsOf), media: useAll('/media-lots', rowsOf) });

// Returns the settings that hold for the cell with the cursor.
export function settingsAt({ model: { sheet }, cursor }: State): Settings {
    const cell = cellAt(sheet, cursor.at);
    return cell ? settingsOf(sheet, cell) : sheet.settings;
}

// Says with which lots and time the cell with the cursor is entered; a control has the time alone.
export function enteredWith(state: State, { reagents, media }: Lots, zone: string): string {
    const { sheet } = state.model;
    const { at } = state.cursor;
    const row = sheet.rows[at.row];
    const cell = cellAt(sheet, at);
    if (!row || !cell || !isOpen(cell)) {
        return '';
    }
    const { reagentLotId, mediaLotId, analyzedAt } = settingsAt(state);
    const isSample = kindOf(row, sheet.columns[at.column]) === 'sample';
    const lot = (label: string, lots: Lot[], chosen: Settings[string]): string => {
        const code = isSample ? lots.find(({ id }) => id === chosen)?.code : undefined;
        return code ? `${label} ${code}` : '';
    };
    const said = [
        lot(texts.reagentLot, reagents, reagentLotId), lot(texts.mediaLot, media, mediaLotId),
        analyzedAt ? `${texts.analyzedAt} ${when(String(analyzedAt), zone)}` : '',
    ].filter(Boolean);
    return said.length ? texts.enteredWith(said.join(', ')) : '';
}
