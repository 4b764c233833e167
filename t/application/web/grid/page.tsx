// SPDX-License-Identifier: Apache-2.0
//
// A page with nothing but an entry grid, as large as the address says, whose service is in
// the page: for how the grid behaves in a browser, and how fast.
import { createRoot } from 'react-dom/client';

import { startKeyboard, onScan } from '../../../../modules/application/web/keys/keyboard.ts';
import { clock } from '../../../../modules/application/web/grid/clock.ts';
import { Desk, type Entry } from '../../../../modules/application/web/grid/desk.ts';
import { EntryGrid } from '../../../../modules/application/web/grid/grid.tsx';
import { column, having, row, sheet, version } from './support.ts';

declare global {
    interface Window {
        scans: string[];
        entered: Record<string, string>;
        desk: Desk;
    }
}

const asked = new URL(location.href).searchParams;
const names = ['NO3N', 'NO2N', 'F', 'SO4', 'CL', 'BR', 'PO4', 'NOTE'];
const columns = names.slice(0, Number(asked.get('columns') ?? 4)).map((name) => column(name, {
    hint: '≤ 10 mg/L, RL 0.10', numeric: name !== 'NOTE' }));
const many = Number(asked.get('rows') ?? 20);
const given = sheet(many, columns, {
    name: 'Results of QCB-0131',
    reasons: true,
    heads: [{ title: 'Tracking id', className: 'w-id' }, { title: 'Place', className: 'w-name p4' }],
    rows: Array.from({ length: many }, (_, r) => row(r, columns.length, {
        label: `CB-26-${String(r).padStart(7, '0')}-X`, kind: r < 2 ? 'control' : 'sample' })),
});

window.scans = [];
window.entered = {};

// Longer than four characters is outside, "bad" is refused.
function opinion(text: string) {
    const outside = text.length > 4;
    return { mark: outside ? 'outside' as const : 'within' as const, word: '',
        messages: outside ? [`${text} is outside the limit`] : [] };
}

const judge = async (entries: ReadonlyMap<string, Entry>) => ({
    kind: 'judged' as const,
    verdicts: new Map([...entries].map(([id, entry]) =>
        [id, { question: entry.question, ...opinion(entry.content.typed) }])),
});

async function send(entries: ReadonlyMap<string, Entry>) {
    if (asked.has('offline')) {
        return { kind: 'unreachable' as const, retryAfter: null };
    }
    if ([...entries.values()].some((entry) => entry.content.typed === 'bad')) {
        return { kind: 'refused' as const, message: 'There is no such value.' };
    }
    entries.forEach((entry, id) => {
        window.entered[id] = entry.content.typed;
    });
    return { kind: 'saved' as const, versions: new Map([...entries].map(([id, entry]) =>
        [id, version(entry.content.typed, { opinion: opinion(entry.content.typed) })])) };
}

window.desk = new Desk(having(given, {
    r2c0: version('3.40', { lock: 'Verified by Lena Fischer, Nov 24 09:57.' }),
    r3c1: version('0.05', { opinion: opinion('0.05') }),
}), { clock, key: () => crypto.randomUUID(), judge, send });

startKeyboard();
onScan((text) => window.scans.push(text));
const root = document.getElementById('app');
if (root) {
    createRoot(root).render(
        <main className="page"><h1 className="unseen">Grid</h1>
            <button type="button" id="before" className="btn">Before</button>
            <EntryGrid desk={window.desk} zone="UTC" />
        </main>,
    );
}
