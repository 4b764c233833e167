// SPDX-License-Identifier: Apache-2.0
//
// Receiving: one big field, and each scan is a line. Whatever a reader sends at the end (Enter,
// Tab, a comma) ends the scan and nothing else.
import { useEffect, useMemo, useRef, useState } from 'react';
import type { KeyboardEvent, ReactElement } from 'react';

import { type Ready, useActions } from '../../acting/action.ts';
import { takeScans } from '../../acting/scans.ts';
import { printLabels } from '../../actions/labels.tsx';
import { useRead } from '../../api/read.ts';
import { ownerOf, useSession } from '../../api/session.ts';
import { useStore } from '../../grid/use-store.ts';
import { Button } from '../../parts/button.tsx';
import { Glyph } from '../../parts/glyph.tsx';
import { Refused } from '../../parts/states.tsx';
import { paths } from '../../paths.ts';
import { navigate, useAddress } from '../../router.tsx';
import { t } from '../../texts/texts.ts';
import { clock } from '../../texts/time.ts';
import { choose, chosen } from '../../theme/choice.ts';
import { Beside, type Order } from './beside.tsx';
import { comeBack, deskOf, leaveDesk } from './desks.ts';
import { type Line, type Receiving, type State, expectedOf, receivedIn, sumOf } from './receiving.ts';
import { Scans, glyphs } from './scans.tsx';
import { tone } from './tones.ts';

const texts = t.receive;

const ends = (key: string): boolean => key === 'Enter' || key === 'Tab' || key === ',';

// Outcome of the last scan, readable from two metres.
function Last({ line }: { line: Line | undefined }): ReactElement {
    if (!line || line.verdict === 'sending') {
        return <p id="last" className="verdict" role="status" />;
    }
    const glyph = glyphs[line.verdict];
    return (
        <p id="last" className={`verdict ${glyph}`}
            role={line.verdict === 'refused' ? 'alert' : 'status'}>
            <Glyph name={glyph} tone={glyph} />
            <span>
                <strong>{texts.verdicts[line.verdict]}.</strong>{' '}
                <span className="id">{line.bottle?.trackingId ?? line.text}</span>{' '}
                {line.verdict === 'waiting' ? texts.waits : line.said || line.bottle?.name}
            </span>
        </p>
    );
}

function BigScan({ desk, state }: { desk: Receiving; state: State }): ReactElement {
    const field = useRef<HTMLInputElement>(null);
    const take = (event: KeyboardEvent<HTMLInputElement>): void => {
        const { key, currentTarget, shiftKey } = event;
        if (ends(key) && !shiftKey && (desk.scan(currentTarget.value) || key !== 'Tab')) {
            event.preventDefault();
            currentTarget.value = '';
        }
    };

    // A scan may come wherever the focus is.
    useEffect(() => takeScans((text) => {
        desk.scan(text);
        field.current?.focus();
    }), [desk]);
    return (
        <form className="bigscan" role="search" aria-label={texts.scanNext} data-scanned
            onSubmit={(event) => event.preventDefault()}>
            <label htmlFor="scan-next">{texts.scanNext}</label>
            <input ref={field} id="scan-next" className="id" type="text" autoComplete="off"
                spellCheck={false} aria-describedby="last" autoFocus onKeyDown={take} />
            <Last line={state.lines[0]} />
        </form>
    );
}

// Sounds one tone for each scan that was answered.
function useTones(lines: readonly Line[]): void {
    const heard = useRef(lines.length);

    useEffect(() => {
        for (const line of lines.filter(({ key }) => key > heard.current).reverse()) {
            if (line.verdict === 'sending' || line.verdict === 'waiting') {
                return;
            }
            heard.current = line.key;
            tone(line.verdict === 'received');
        }
    }, [lines]);
}

function Foot({ state }: { state: State }): ReactElement {
    const { organization } = useSession();
    const { received, already, refused, waiting } = sumOf(state.lines);
    const [sound, setSound] = useState(chosen().sound !== 'off');
    const change = (on: boolean): void => {
        choose({ sound: on ? undefined : 'off' });
        setSound(on);
    };
    return (
        <div className="statusline">
            <span>
                <strong>{texts.sum(received)}</strong>{texts.rest(already, refused, waiting)}
            </span>
            <label className="status push">
                <input type="checkbox" checked={sound}
                    onChange={({ target }) => change(target.checked)} />
                {texts.sound}
            </label>
            {state.lastSaved === null ? null : (
                <span className="quiet nowrap">
                    {texts.lastSaved(clock(new Date(state.lastSaved), organization.timeZone))}
                </span>
            )}
        </div>
    );
}

// The order that is counted: the address names it, else the first bottle that was received.
function useOrder(lines: readonly Line[]) {
    const asked = Number(useAddress().searchParams.get('order')) || null;
    const scanned = lines.findLast(({ bottle }) => bottle?.orderId)?.bottle?.orderId ?? null;

    useEffect(() => {
        if (asked === null && scanned !== null) {
            navigate(paths.receive(scanned), { replace: true });
        }
    }, [asked, scanned]);
    const id = asked ?? scanned;
    const read = useRead('/orders/{id}', { params: { path: { id: id ?? 0 } } },
        { live: 15, enabled: id !== null });
    return { id, order: read.data?.id === id ? read.data : undefined, problem: read.error };
}

// Offers labels of the samples that were received here. The field has the focus and takes
// letters, so the shortcut has a modifier.
function useLabels(lines: readonly Line[]): Ready[] {
    const actions = useMemo<Ready[]>(() => {
        const samples = receivedIn(lines);
        return samples.length === 0 ? [] : [{ id: 'receive.labels', keys: 'Mod+p',
            title: t.labels.print.sample(samples.length), refused: undefined,
            run: () => printLabels('sample', samples) }];
    }, [lines]);

    useActions(actions);
    return actions;
}

function Head({ desk, state, order }: {
    desk: Receiving; state: State; order: Order | undefined;
}): ReactElement {
    const { organization } = useSession();
    const missing = order ? expectedOf(order.samples, state.lines).missing.length : 0;
    const labels = useLabels(state.lines);
    const end = (): void => {
        desk.clear();
        navigate(paths.receive(), { replace: true });
    };

    useEffect(() => {
        document.title = `${texts.tabTitle(missing)} · ${organization.name}`;
    }, [missing, organization.name]);
    return (
        <div className="head">
            <h1>{texts.title}</h1>
            {order ? (
                <span className="quiet cut">
                    {texts.order} <span className="id">{order.orderNumber}</span>
                    {texts.ofOrder(order.samples[0]?.clientName ?? '')}
                </span>
            ) : null}
            <span className="push" />
            {labels.map(({ id, title, run }) => (
                <Button key={id} keys="Ctrl P" onPress={run}>{title}</Button>
            ))}
            {order || state.lines.length > 0
                ? <Button onPress={end}>{texts.end(missing)}</Button> : null}
        </div>
    );
}

export function ReceivePage(): ReactElement {
    const { organization } = useSession();
    const desk = deskOf(organization.timeZone);
    const state = useStore(desk.store);
    const { id, order, problem } = useOrder(state.lines);

    useTones(state.lines);
    useEffect(() => {
        const owner = ownerOf();
        comeBack(owner, desk);
        return () => leaveDesk(owner, desk);
    }, [desk]);
    useEffect(() => {
        const online = (): void => desk.retry();
        window.addEventListener('online', online);
        return () => window.removeEventListener('online', online);
    }, [desk]);
    return (
        <main className="page" id="main" tabIndex={-1}>
            <Head desk={desk} state={state} order={order} />
            {problem ? <Refused problem={problem} /> : null}
            <div className="body">
                <div className="pane scanning" tabIndex={-1}>
                    <BigScan desk={desk} state={state} />
                    <h2 className="caption">{texts.scanned}</h2>
                    <Scans desk={desk} state={state} orderId={id} />
                </div>
                <Beside desk={desk} state={state} order={order} />
            </div>
            <Foot state={state} />
        </main>
    );
}
