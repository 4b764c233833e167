// SPDX-License-Identifier: Apache-2.0
//
// The entry grid: a spreadsheet of which only the rows in sight are drawn, with one live
// input, so that keyboard, input methods and screen readers find a field they know.
import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual';
import type { Range, VirtualItem } from '@tanstack/react-virtual';
import { useEffect, useId, useRef, useState, useSyncExternalStore } from 'react';
import type {
    ClipboardEvent, KeyboardEvent, MouseEvent, ReactElement, ReactNode, RefObject,
} from 'react';

import { caret, clear, copy, point, selection } from './acts.ts';
import type { State } from './acts.ts';
import type { GridDesk } from './desk.ts';
import { Foot } from './foot.tsx';
import { offersOf } from './cell.tsx';
import { commandOf } from './keys.ts';
import { besideGrid } from './leave.ts';
import { GridRow } from './row.tsx';
import { type Place, type Sheet, titleOf } from './sheet.ts';
import { useStore } from './use-store.ts';
import { t } from '../texts/texts.ts';

const texts = t.grid;

// The height of the head in pixels, at most: two lines.
const HEAD = 44;

// The height of a row is the theme's: dense, comfortable, or for fingers.
function rowHeight(): number {
    return parseInt(getComputedStyle(document.documentElement).getPropertyValue('--row'), 10) || 28;
}

function onResize(call: () => void): () => void {
    window.addEventListener('resize', call);
    return () => window.removeEventListener('resize', call);
}

function useRows(state: State, pane: RefObject<HTMLDivElement | null>) {
    const height = useSyncExternalStore(onResize, rowHeight);
    const { at } = state.cursor;
    const rows = useVirtualizer({
        count: state.model.sheet.rows.length,
        getScrollElement: () => pane.current,
        estimateSize: () => height,
        overscan: 6,
        scrollPaddingStart: HEAD,
        // The row of the cursor stays drawn, or its input and the focus would be gone.
        rangeExtractor: (range: Range) =>
            [...new Set([...defaultRangeExtractor(range), at.row])].sort((a, b) => a - b),
    });

    // Rows of another height are laid out anew.
    useEffect(() => rows.measure(), [rows, height]);
    // The cursor is kept in sight.
    useEffect(() => rows.scrollToIndex(at.row, { align: 'auto' }), [rows, at.row]);
    return { items: rows.getVirtualItems(), total: rows.getTotalSize(), height };
}

function Head({ sheet }: { sheet: Sheet }): ReactElement {
    return (
        <thead className={sheet.columns.some(({ hint }) => hint) ? 'two' : undefined}>
            <tr role="row" aria-rowindex={1}>
                <th className="w-no" role="columnheader" scope="col" aria-colindex={1}>
                    <span className="unseen">{texts.row}</span>
                </th>
                {sheet.heads.map(({ title, className }, i) => (
                    <th key={title} role="columnheader" scope="col" aria-colindex={i + 2}
                        className={i === 0 ? `${className} stay` : className}>{title}</th>
                ))}
                {sheet.columns.map((column, i) => (
                    <th key={column.key} className={column.className ?? 'w-state'} role="columnheader" scope="col"
                        aria-colindex={sheet.heads.length + 2 + i} title={column.hint}>
                        <strong>{titleOf(column)}</strong>
                        {column.name === titleOf(column) ? '' : ` ${column.name}`}
                        {column.hint ? <br /> : null}{column.hint}
                    </th>
                ))}
            </tr>
        </thead>
    );
}

// Room for the rows between those that are drawn.
function Gap({ height, columns }: { height: number; columns: number }): ReactElement | null {
    return height > 0
        ? <tr aria-hidden="true" className="gap"><td colSpan={columns} style={{ height }} /></tr>
        : null;
}

interface Drawn {
    desk: GridDesk;
    state: State;
    items: VirtualItem[];
    total: number;
    focus: boolean;
    reason: string;
}

function Rows({ desk, state, items, total, focus, reason }: Drawn): ReactElement {
    const { sheet } = state.model;
    const { at } = state.cursor;
    const { top, bottom, left, right } = selection(state);
    const width = sheet.heads.length + sheet.columns.length + 1;
    let end = 0;

    return (
        <tbody>
            {items.flatMap((item) => {
                const row = sheet.rows[item.index];
                const room = item.start - end;
                const gap = <Gap key={`before ${item.index}`} height={room} columns={width} />;
                const chosen = item.index >= top && item.index <= bottom;
                const here = item.index === at.row;
                end = item.end;
                return row ? [gap, (
                    <GridRow key={row.key} desk={desk} row={row} index={item.index}
                        columns={sheet.columns} heads={sheet.heads} settings={sheet.settings}
                        cursor={here ? at.column : -1} left={chosen ? left : -1}
                        right={chosen ? right : -1} mode={here ? state.mode : 'ready'}
                        focus={here && focus} reason={here ? reason : ''} />
                )] : [];
            })}
            <Gap key="behind" height={total - end} columns={width} />
        </tbody>
    );
}

function placeOf(target: EventTarget): Place | null {
    const cell = target instanceof Element ? target.closest<HTMLElement>('td[data-column]') : null;
    const row = cell?.closest<HTMLElement>('tr[data-row]');
    return cell && row
        ? { row: Number(row.dataset['row']), column: Number(cell.dataset['column']) } : null;
}

function isAt(state: State, place: Place): boolean {
    return state.cursor.at.row === place.row && state.cursor.at.column === place.column;
}

// Returns the handlers of mouse, keyboard and clipboard, which act on the desk.
function handlersOf(desk: GridDesk, page: number) {
    const state = (): State => desk.store.get();
    const clip = (event: ClipboardEvent): boolean => {
        if (state().mode === 'editing') {
            return false;
        }
        event.clipboardData.setData('text/plain', copy(state()));
        event.preventDefault();
        return true;
    };
    return {
        onKeyDown(event: KeyboardEvent<HTMLElement>) {
            const { key, shiftKey, altKey, ctrlKey, metaKey, nativeEvent } = event;
            const command = commandOf({ key, ctrl: ctrlKey || metaKey, shift: shiftKey, alt: altKey,
                composing: nativeEvent.isComposing || nativeEvent.keyCode === 229 }, state().mode);
            const left = command?.do === 'leave' && besideGrid(event.currentTarget, command.back);
            if (command && (left || desk.press(command, page))) {
                event.preventDefault();
                event.stopPropagation();
            }
        },
        onMouseDown(event: MouseEvent<HTMLElement>) {
            const place = placeOf(event.target);
            if (!place || event.button !== 0) {
                return;
            }
            const input = event.currentTarget.querySelector('input');
            const entered = input !== null && input === document.activeElement;
            if (entered && isAt(state(), place) && !event.shiftKey) {
                desk.do(caret);
                return;
            }
            event.preventDefault();
            desk.do(point(place, event.shiftKey));
            input?.focus();
        },
        onMouseOver(event: MouseEvent<HTMLElement>) {
            const place = event.buttons === 1 ? placeOf(event.target) : null;
            if (place && !isAt(state(), place)) {
                desk.do(point(place, true));
            }
        },
        onCopy: (event: ClipboardEvent) => void clip(event),
        onCut: (event: ClipboardEvent) => void (clip(event) && desk.do(clear)),
        onPaste(event: ClipboardEvent) {
            const text = event.clipboardData.getData('text/plain');
            if (state().mode !== 'editing' || /[\t\r\n]/.test(text)) {
                event.preventDefault();
                desk.paste(text);
            }
        },
    };
}

// Asks before the tab is closed over something that is not saved.
function useGuard(desk: GridDesk): void {
    useEffect(() => {
        const guard = (event: BeforeUnloadEvent): void => {
            if (desk.unsaved) {
                event.preventDefault();
            }
        };
        const online = (): void => desk.retry();
        window.addEventListener('beforeunload', guard);
        window.addEventListener('online', online);
        return () => {
            window.removeEventListener('beforeunload', guard);
            window.removeEventListener('online', online);
        };
    }, [desk]);
}

// Suggestions of each column while a person types.
function Offers({ columns }: { columns: Sheet['columns'] }): ReactElement[] {
    return columns.flatMap((column) => column.offers ? [(
        <datalist key={column.key} id={offersOf(column)}>
            {column.offers.map((offer) => <option key={offer} value={offer} />)}
        </datalist>
    )] : []);
}

interface Properties {
    desk: GridDesk;
    zone: string;
    // Something else on the page has the focus until somebody goes into the grid.
    waits?: boolean;
    // Says more of the cell with the cursor.
    told?: (state: State) => string;
    // Stands in the status line, in place of how many cells are entered.
    status?: ReactNode;
}

export function EntryGrid({ desk, zone, waits = false, told, status }: Properties): ReactElement {
    const [entered, setEntered] = useState(!waits);
    const state = useStore(desk.store);
    const pane = useRef<HTMLDivElement>(null);
    const reason = useId();
    const { items, total, height } = useRows(state, pane);
    const { sheet } = state.model;
    const page = Math.max(1, Math.floor(((pane.current?.clientHeight ?? 400) - HEAD) / height) - 1);

    useGuard(desk);
    return (
        <>
            <div className="body">
                <div className="pane" ref={pane}>
                    <table className="grid" role="grid" aria-label={sheet.name}
                        aria-multiselectable="true" aria-rowcount={sheet.rows.length + 1}
                        aria-colcount={sheet.heads.length + sheet.columns.length + 1}
                        onFocus={() => setEntered(true)} {...handlersOf(desk, page)}>
                        <Head sheet={sheet} />
                        <Rows desk={desk} state={state} items={items} total={total}
                            focus={entered && !state.asking && !state.reasoning} reason={reason} />
                    </table>
                    <Offers columns={sheet.columns} />
                </div>
            </div>
            <Foot desk={desk} state={state} reason={reason} zone={zone} status={status}
                told={told?.(state) ?? ''} />
        </>
    );
}
