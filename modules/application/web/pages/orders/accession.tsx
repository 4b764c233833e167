// SPDX-License-Identifier: Apache-2.0
//
// Accession: an order in one sheet, checked as a whole and registered all or none.
import { useEffect, useMemo, useState } from 'react';
import type { ReactElement } from 'react';

import { type Ready, tell, useActions } from '../../acting/action.ts';
import { ask } from '../../acting/ask.ts';
import { printLabels } from '../../actions/labels.tsx';
import { readNow, useRead } from '../../api/read.ts';
import { may, ownerOf, useSession } from '../../api/session.ts';
import { RecordForm } from '../../form/form.tsx';
import { selection } from '../../grid/acts.ts';
import { EntryGrid } from '../../grid/grid.tsx';
import { useStore } from '../../grid/use-store.ts';
import { Button } from '../../parts/button.tsx';
import { Status } from '../../parts/status.tsx';
import { paths } from '../../paths.ts';
import { navigate, useAddress } from '../../router.tsx';
import { leaveUnfinished } from '../../shell/unfinished.ts';
import { t } from '../../texts/texts.ts';
import { clock } from '../../texts/time.ts';
import { nounOf } from '../reference/nouns.ts';
import { deskOf } from './desks.ts';
import { OrderForm } from './form.tsx';
import { Missing } from './missing.tsx';
import type { OrderDesk, Status as Standing } from './order-desk.ts';
import { ColumnsQuestion, Pasted } from './pasted.tsx';
import { filledRows } from './reading.ts';
import { Templates, useTemplate } from './templates.tsx';
import { type ReadReferences, useReferences } from './use-references.ts';

const texts = t.orders;

function useDesk(): { desk: OrderDesk; references: ReadReferences } {
    const { organization } = useSession();
    const desk = deskOf(organization.timeZone);
    const read = useReferences();
    const { clients, projects, materials, panels, definitions } = read;
    const counts = [clients, projects, materials, panels, definitions].map(({ length }) => length);

    // Names that were read since are offered in the sheet.
    useEffect(() => desk.know(), [desk, counts.join()]);
    return { desk, references: read };
}

function discard(desk: OrderDesk, rows: number): void {
    ask({ kind: 'confirm', title: texts.discard, explanation: texts.discardWhat,
        lines: [texts.rows(rows)], perform: () => Promise.resolve(desk.clear()) });
}

async function register(desk: OrderDesk, receive: boolean): Promise<void> {
    const id = await desk.register(receive);
    if (id === null) {
        return;
    }
    navigate(paths.order(id));
    // At the counter the bottles get their labels in the same act.
    if (receive) {
        const { samples } = await readNow('/orders/{id}', { params: { path: { id } } });
        printLabels('sample', samples.map((one) => ({ id: one.id, name: one.trackingId })));
    }
}

// Registers without the receipt; what was typed for it is not dropped before the person knows.
function registerAlone(desk: OrderDesk, rows: number): void {
    const { forReceipt } = desk;
    if (forReceipt.length === 0) {
        void register(desk, false);
        return;
    }
    ask({ kind: 'confirm', title: texts.registerWithout(rows), explanation: texts.withoutReceipt,
        lines: forReceipt, perform: () => register(desk, false) });
}

// Why it cannot be registered now: the last check found mistakes that still stand.
function heldOf({ busy, checked, fields }: Standing): string | undefined {
    const refused = (checked?.refused ?? 0) + Object.keys(fields).length;
    return busy ? texts.busy : checked && refused > 0 ? texts.held(refused) : undefined;
}

function useOrderActions(desk: OrderDesk, status: Standing, rows: number): Ready[] {
    const held = heldOf(status);
    const receives = may('sample.receive');
    const actions = useMemo<Ready[]>(() => [
        { id: 'order.check', title: texts.check, keys: 'Mod+s', refused: undefined,
            run: () => void desk.check() },
        ...receives ? [{ id: 'order.receive', title: texts.registerAndReceive,
            keys: 'Mod+Shift+Enter', refused: held, run: () => void register(desk, true).catch(tell) }] : [],
        { id: 'order.register', title: texts.register(rows), keys: 'Mod+Enter', refused: held,
            run: () => registerAlone(desk, rows) },
    ], [desk, held, receives, rows]);

    useActions(actions);
    return actions;
}

const shownKeys: Readonly<Record<string, string>> = {
    'Mod+s': 'Ctrl S', 'Mod+Enter': 'Ctrl Enter', 'Mod+Shift+Enter': 'Ctrl Shift Enter',
};

// Returns the samples left of the monthly allowance: from the last check, before it from the
// organization's record.
function useAllowance({ allowance }: Standing): number | null {
    const { data } = useRead('/organization', { params: { query: { include: 'allowance' } } });
    return (allowance ?? data?.allowance)?.left ?? null;
}

function Head({ desk, rows }: { desk: OrderDesk; rows: number }): ReactElement {
    const status = useStore(desk.status);
    const actions = useOrderActions(desk, status, rows);
    const left = useAllowance(status);
    return (
        <div className="head">
            <h1>{texts.accession}</h1><span className="quiet">{texts.notRegistered}</span>
            <span className="push small quiet">
                {left === null ? '' : texts.allowance(left, rows > 0 ? left - rows : null)}
            </span>
            {actions.map(({ id, title, keys, refused, run }) => (
                <Button key={id} keys={shownKeys[keys ?? '']} refused={refused} onPress={run}
                    {...(id === 'order.register' ? { kind: 'primary' as const } : {})}>
                    {title}
                </Button>
            ))}
        </div>
    );
}

// Foot of the page: findings of the last check, and help for filling in rows.
function Sum({ desk, rows, zone }: { desk: OrderDesk; rows: number; zone: string }): ReactElement {
    const { checked, messages } = useStore(desk.status);
    return (
        <>
            {checked ? (
                <>
                    <strong>{texts.checked(checked.rows)}</strong>{' '}
                    {checked.refused > 0
                        ? texts.refused(checked.rows - checked.refused, checked.refused)
                        : messages.length ? '' : texts.allRight}
                    {' '}<span className="quiet">{clock(new Date(checked.at), zone)}</span>
                </>
            ) : texts.rows(rows)}
        </>
    );
}

function Rows({ desk }: { desk: OrderDesk }): ReactElement {
    const [more, setMore] = useState(10);
    const { top, bottom } = selection(useStore(desk.store));
    return (
        <>
            <Button kind="row" onPress={() => desk.addRows(more)}>{texts.addRows}</Button>
            <input className="few" type="number" min={1} max={200} value={more}
                aria-label={texts.addRowsCount}
                onChange={({ target }) => setMore(Math.max(1, Number(target.value)))} />
            <Button kind="row" onPress={() => desk.copyRows()}>
                {texts.copyRows(bottom - top + 1)}
            </Button>
        </>
    );
}

function Bar({ desk, rows }: { desk: OrderDesk; rows: number }): ReactElement {
    const { messages } = useStore(desk.status);
    return (
        <div className="filters">
            <Rows desk={desk} />
            <span role="alert">
                {messages.map((message) => (
                    <Status key={message} glyph="blocked" tone="blocked">{message}</Status>
                ))}
            </span>
            <span className="push" />
            {desk.unsaved ? (
                <Button kind="row plain" onPress={() => discard(desk, rows)}>
                    {texts.discard}
                </Button>
            ) : null}
        </div>
    );
}

// The address says that the client is made first; then the order is that client's.
function NewClient({ desk }: { desk: OrderDesk }): ReactElement | null {
    const asked = useAddress().searchParams.get('client') === 'new';
    const client = nounOf('clients')?.definition;
    const close = (): void => navigate(paths.newOrder(), { replace: true });
    return asked && client ? (
        <RecordForm definition={client} id={null} initial={{ name: desk.form.get().client.trim() }}
            close={close} saved={({ name }) => {
                desk.fill({ client: String(name) });
                close();
            }} />
    ) : null;
}

export function AccessionPage(): ReactElement {
    const { organization } = useSession();
    const { desk, references } = useDesk();
    const rows = filledRows(useStore(desk.store).model.sheet).length;

    useStore(desk.form);
    useTemplate(desk, references);
    // An order that is left unregistered is named in the top bar.
    useEffect(() => {
        const owner = ownerOf();
        leaveUnfinished(owner, paths.newOrder(), null);
        return () => leaveUnfinished(owner, paths.newOrder(),
            desk.unsaved ? texts.unfinished(filledRows(desk.sheet).length) : null);
    }, [desk]);
    useEffect(() => {
        document.title = `${texts.accession} · ${organization.name}`;
    }, [organization.name]);
    return (
        <main className="page" id="main" tabIndex={-1}>
            <Head desk={desk} rows={rows} />
            <OrderForm desk={desk} references={references} receives={may('sample.receive')} />
            <Missing />
            {rows === 0 ? <Templates desk={desk} references={references} /> : null}
            <Pasted desk={desk} />
            <Bar desk={desk} rows={rows} />
            <EntryGrid desk={desk} zone={organization.timeZone} waits
                status={<Sum desk={desk} rows={rows} zone={organization.timeZone} />} />
            <ColumnsQuestion desk={desk} />
            <NewClient desk={desk} />
        </main>
    );
}
