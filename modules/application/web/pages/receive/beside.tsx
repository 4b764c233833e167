// SPDX-License-Identifier: Apache-2.0
//
// Beside the scans: how many of the order are here, what holds for all of the cooler, and
// which bottles are missing.
import { useId } from 'react';
import type { ReactElement } from 'react';

import type { Read } from '../../api/read.ts';
import { useAll } from '../../api/read.ts';
import { Glyph } from '../../parts/glyph.tsx';
import { t } from '../../texts/texts.ts';
import { type Receiving, type State, expectedOf, isTemperature } from './receiving.ts';

const texts = t.receive;

export type Order = Read<'/orders/{id}'>;
type Sample = Order['samples'][number];

const nameOf = ({ plantLocation, externalId, sampleIdentifier }: Sample): string =>
    plantLocation ?? externalId ?? sampleIdentifier;

// Number of samples that are named: as many as people read at a glance.
const NAMED = 3;

function Count({ order, state }: { order: Order; state: State }): ReactElement {
    const { missing, here } = expectedOf(order.samples, state.lines);
    const all = order.samples.length;
    const names = missing.length > NAMED ? '' : missing.map(nameOf).join(', ');
    return (
        <>
            <p className="count" id="count" role="status">
                <strong>{texts.of(here.length, all)}</strong>{' '}
                {texts.counted(missing.length, names)}
            </p>
            <svg className="bar" viewBox={`0 0 ${all} 8`} preserveAspectRatio="none"
                aria-hidden="true">
                <rect width={here.length} height="8" />
            </svg>
        </>
    );
}

function Once({ desk, state }: { desk: Receiving; state: State }): ReactElement {
    const { findings } = state;
    const places = useAll('/storage-locations', (page) =>
        ({ rows: page.data, next: page.hasMore ? page.nextCursor : undefined }));
    const id = useId();
    return (
        <form className="once" aria-label={texts.forAll} onSubmit={(event) => event.preventDefault()}>
            <p className="field">
                <label htmlFor={`${id}t`}>{texts.temperature}</label>
                <input id={`${id}t`} value={findings.temperature} inputMode="decimal"
                    autoComplete="off" aria-invalid={!isTemperature(findings.temperature)}
                    onChange={({ target }) => desk.find({ temperature: target.value })} />
            </p>
            <p className="field">
                <label htmlFor={`${id}c`}>{texts.condition}</label>
                <input id={`${id}c`} value={findings.condition} list={`${id}u`} maxLength={255}
                    autoComplete="off"
                    onChange={({ target }) => desk.find({ condition: target.value })} />
                <datalist id={`${id}u`}>
                    {texts.usual.map((one) => <option key={one} value={one} />)}
                </datalist>
            </p>
            <p className="field whole">
                <label htmlFor={`${id}s`}>{texts.stored}</label>
                <select id={`${id}s`} value={findings.storageLocationId ?? ''}
                    onChange={({ target }) => desk.find({
                        storageLocationId: target.value ? Number(target.value) : null })}>
                    <option value="">{texts.storedAsIs}</option>
                    {places.filter(({ active }) => active).map((place) => (
                        <option key={place.id} value={place.id}>{place.name}</option>
                    ))}
                </select>
            </p>
        </form>
    );
}

function Expected({ order, state }: { order: Order; state: State }): ReactElement {
    const { missing, here } = expectedOf(order.samples, state.lines);
    return (
        <ol className="expected" aria-label={texts.expected}>
            {missing.map((sample) => (
                <li key={sample.id}>
                    <span /><span className="id">{sample.trackingId}</span>
                    <span className="cut">{nameOf(sample)}</span><strong>{texts.missing}</strong>
                </li>
            ))}
            {here.map((sample) => (
                <li key={sample.id}>
                    <Glyph name="ready" tone="ready" />
                    <span className="id">{sample.trackingId}</span>
                    <span className="cut">{nameOf(sample)}</span>
                    <span className="quiet">{texts.here}</span>
                </li>
            ))}
        </ol>
    );
}

export function Beside({ desk, state, order }: {
    desk: Receiving; state: State; order: Order | undefined;
}): ReactElement {
    return (
        <aside className="beside" aria-label={texts.forAll} tabIndex={0}>
            {order ? <Count order={order} state={state} />
                : <p className="count quiet" role="status">{texts.noOrder}</p>}
            <Once desk={desk} state={state} />
            {order ? <Expected order={order} state={state} /> : null}
        </aside>
    );
}
