// SPDX-License-Identifier: Apache-2.0
//
// The settings of a run, one line: lots and time, for everything that is entered from now on,
// or for the selected cells alone. It shows what holds, also after the page was left.
import { useState, useSyncExternalStore } from 'react';
import type { ReactElement } from 'react';

import { tell } from '../../acting/action.ts';
import { answer, api } from '../../api/client.ts';
import { rowsOf } from '../../api/names.ts';
import { useAll } from '../../api/read.ts';
import { may, useSession } from '../../api/session.ts';
import { except, set } from '../../grid/acts.ts';
import type { Desk } from '../../grid/desk.ts';
import { type Settings, isOpen, kindOf } from '../../grid/sheet.ts';
import { LocalTime } from '../../parts/local-time.tsx';
import { Status } from '../../parts/status.tsx';
import { momentOf, shownAt } from '../../texts/local-time.ts';
import { t } from '../../texts/texts.ts';
import { dayOf } from '../../texts/time.ts';
import { Moving } from './moving.tsx';
import type { Batch } from './run.ts';
import { objections } from './service.ts';
import { type Lot, settingsAt, useLots } from './settings.ts';

const texts = t.bench;

interface LotProperties {
    label: string;
    lots: Lot[];
    chosen: Settings[string];
    choose: (id: number | undefined) => void;
}

// Picks a lot; the service judges at once whether it may be used.
function LotPicker({ label, lots, chosen, choose }: LotProperties): ReactElement {
    const { settings } = texts;
    return (
        <label>
            <span>{label}</span>
            <select value={chosen ?? ''} onChange={({ target }) =>
                choose(target.value ? Number(target.value) : undefined)}>
                <option value="">{settings.unchanged}</option>
                {lots.map(({ id, code, lotNumber, usableUntil }) => (
                    <option key={id} value={id}>
                        {code} {lotNumber}{usableUntil ? settings.until(dayOf(usableUntil)) : ''}
                    </option>
                ))}
            </select>
        </label>
    );
}

interface TimeProperties {
    moment: Settings[string];
    zone: string;
    choose: (moment: string | undefined) => void;
}

// The time of analysis. While it is typed, the field has it: what is no time yet, as far as it was
// typed, no clock shows.
function Analyzed({ moment, zone, choose }: TimeProperties): ReactElement {
    const [typed, setTyped] = useState('');
    const isTyped = typed !== '' && momentOf(typed, zone) === moment;
    return (
        <label>
            <span>{texts.settings.analyzedAt}</span>
            <LocalTime text={isTyped ? typed : moment ? shownAt(String(moment), zone) : ''}
                change={(text) => {
                    setTyped(text);
                    choose(text ? momentOf(text, zone) : undefined);
                }} />
        </label>
    );
}

// The setting that holds: the run's, or that of the cell with the cursor.
const useSetting = (desk: Desk, selected: boolean, name: string): Settings[string] =>
    useSyncExternalStore(desk.store.subscribe, () =>
        (selected ? settingsAt(desk.store.get()) : desk.sheet.settings)[name]);

// A setting that is not chosen is not sent: the record keeps what it has.
const one = (name: string, value: string | number | undefined): Settings => ({ [name]: value });

// The first test that can be entered: what a setting would do to it is asked.
function probe(desk: Desk): string | undefined {
    const { rows, columns } = desk.sheet;
    return rows.flatMap((row) => row.cells.filter((_, i) => kindOf(row, columns[i]) === 'sample'))
        .find(isOpen)?.id;
}

// Applies a setting, and has the service object to it before anything is typed.
function useChoice(desk: Desk, selected: boolean): [string[], (chosen: Settings) => void] {
    const [against, setAgainst] = useState<string[]>([]);
    const choose = (chosen: Settings): void => {
        const id = probe(desk);
        desk.do((selected ? except : set)(chosen));
        setAgainst([]);
        if (id !== undefined) {
            objections(id, chosen).then(setAgainst, () => {});
        }
    };
    return [against, choose];
}

function Objections({ against }: { against: string[] }): ReactElement {
    return (
        <span role="alert">
            {against.map((text) => (
                <Status key={text} glyph="blocked" tone="blocked">{text}</Status>
            ))}
        </span>
    );
}

// The instrument is the batch's, and kept as soon as it is chosen.
function Instrument({ batch }: { batch: Batch }): ReactElement {
    const { settings } = texts;
    const [chosen, setChosen] = useState(batch.instrumentId);
    const instruments = useAll('/instruments', rowsOf);
    const choose = (instrumentId: number | null): void => {
        setChosen(instrumentId);
        answer(api.PATCH('/qc-batches/{id}', {
            params: { path: { id: batch.id } }, body: { instrumentId },
        })).catch((error: unknown) => {
            setChosen(chosen);
            tell(error);
        });
    };
    return (
        <label>
            <span>{settings.instrument}</span>
            <select value={chosen ?? ''} onChange={({ target }) =>
                choose(target.value ? Number(target.value) : null)}>
                <option value="">{settings.noInstrument}</option>
                {instruments.filter(({ active, id }) => active || id === chosen)
                    .map(({ id, code, name }) => (
                        <option key={id} value={id}>{code} {name}</option>
                    ))}
            </select>
        </label>
    );
}

export function RunBar({ desk, batch }: { desk: Desk; batch: Batch | null }): ReactElement {
    const { settings } = texts;
    const { organization } = useSession();
    const [selected, setSelected] = useState(false);
    const [against, choose] = useChoice(desk, selected);
    const { reagents, media } = useLots();
    const reagent = useSetting(desk, selected, 'reagentLotId');
    const medium = useSetting(desk, selected, 'mediaLotId');
    const moment = useSetting(desk, selected, 'analyzedAt');

    return (
        <span className="line run" role="group" aria-label={settings.label}>
            {batch && may('qc.enter') ? <Instrument batch={batch} /> : null}
            <LotPicker label={settings.reagentLot} lots={reagents} chosen={reagent}
                choose={(id) => choose(one('reagentLotId', id))} />
            <LotPicker label={settings.mediaLot} lots={media} chosen={medium}
                choose={(id) => choose(one('mediaLotId', id))} />
            <Analyzed moment={moment} zone={organization.timeZone}
                choose={(moment) => choose(one('analyzedAt', moment))} />
            <label>
                <span>{settings.holdsFor}</span>
                <select value={selected ? 'selected' : 'all'}
                    onChange={({ target }) => setSelected(target.value === 'selected')}>
                    <option value="all">{settings.all}</option>
                    <option value="selected">{settings.selected}</option>
                </select>
            </label>
            <Moving />
            <Objections against={against} />
        </span>
    );
}
