// SPDX-License-Identifier: Apache-2.0
//
// Shows how a pasted block was read, and asks what its columns are.
import { useState } from 'react';
import type { FormEvent, KeyboardEvent, ReactElement } from 'react';

import { useStore } from '../../grid/use-store.ts';
import { Button } from '../../parts/button.tsx';
import { SidePanel } from '../../parts/dialog.tsx';
import { t } from '../../texts/texts.ts';
import type { OrderDesk } from './order-desk.ts';
import { type Block, linesOf } from './pasting.ts';

const texts = t.orders;
const { mapping } = texts;

export function Pasted({ desk }: { desk: OrderDesk }): ReactElement | null {
    const { pasted } = useStore(desk.status);
    if (!pasted) {
        return null;
    }
    const used = pasted.columns.flatMap((column) =>
        column === null ? [] : [desk.sheet.columns[column]?.key ?? '']);
    const left = pasted.columns.length - used.length;
    return (
        <div className="banner" role="status">
            <span>
                <strong>{texts.pasted(linesOf(pasted), used.length)}</strong>{' '}
                {texts.readAs(used.join(', '))}{left ? `, ${texts.leftOut(left)}` : ''}
            </span>
            <Button kind="row" className="push" onPress={() => desk.askAgain()}>
                {texts.changeColumns}
            </Button>
            <Button kind="row" keys="Ctrl Z" onPress={() => void desk.press({ do: 'undo' }, 1)}>
                {texts.undoPaste}
            </Button>
        </div>
    );
}

const PREVIEW = 3;

function ColumnLine({ desk, block, column, choose }: {
    desk: OrderDesk; block: Block; column: number; choose: (to: number | null) => void;
}): ReactElement {
    const name = block.headed ? block.lines[0]?.[column] ?? '' : mapping.of(column + 1);
    const shown = block.lines.slice(block.headed ? 1 : 0).slice(0, PREVIEW)
        .map((line) => line[column] ?? '').filter(Boolean).join(' · ');
    return (
        <tr>
            <th scope="row">{name || mapping.of(column + 1)}</th>
            <td className="quiet" title={shown}>{shown}</td>
            <td>
                <select aria-label={`${mapping.as}: ${name}`} value={block.columns[column] ?? ''}
                    autoFocus={column === block.columns.indexOf(null)}
                    onChange={({ target }) =>
                        choose(target.value === '' ? null : Number(target.value))}>
                    <option value="">{mapping.leaveOut}</option>
                    {desk.sheet.columns.map(({ key }, i) =>
                        <option key={key} value={i}>{key}</option>)}
                </select>
            </td>
        </tr>
    );
}

// A column of the sheet takes one of the block: the last that was chosen.
const mapped = (block: Block, column: number, to: number | null): Block => ({
    ...block,
    columns: block.columns.map((one, i) => i === column ? to : to !== null && one === to ? null : one),
});

function Asking({ desk, given }: { desk: OrderDesk; given: Block }): ReactElement {
    const [block, setBlock] = useState(given);
    const close = (): void => desk.ask(null);
    const submit = (event: FormEvent | KeyboardEvent): void => {
        event.preventDefault();
        desk.pasteAs(block);
    };
    // Space opens a list, Enter pastes.
    const enter = (event: KeyboardEvent): void => {
        if (event.key === 'Enter' && event.target instanceof HTMLSelectElement) {
            submit(event);
        }
    };
    return (
        <SidePanel title={mapping.title(linesOf(block))} close={close}>
            <p className="small">{mapping.what}</p>
            <form onSubmit={submit} onKeyDown={enter}>
                <label className="pick">
                    <input type="checkbox" checked={block.headed}
                        onChange={({ target }) => setBlock({ ...block, headed: target.checked })} />
                    {mapping.headed}
                </label>
                <div className="list" role="region" aria-label={mapping.what} tabIndex={0}>
                    <table className="table" aria-label={mapping.what}>
                        <thead>
                            <tr>
                                <th scope="col" className="w-name">{mapping.column}</th>
                                <th scope="col">{mapping.preview}</th>
                                <th scope="col" className="w-name">{mapping.as}</th>
                            </tr>
                        </thead>
                        <tbody>
                            {block.columns.map((_, column) => (
                                <ColumnLine key={column} desk={desk} block={block} column={column}
                                    choose={(to) => setBlock(mapped(block, column, to))} />
                            ))}
                        </tbody>
                    </table>
                </div>
                <footer>
                    <Button kind="primary" type="submit" keys="Enter">
                        {mapping.title(linesOf(block))}
                    </Button>
                    <Button keys="Esc" onPress={close}>{t.cancel}</Button>
                </footer>
            </form>
        </SidePanel>
    );
}

export function ColumnsQuestion({ desk }: { desk: OrderDesk }): ReactElement | null {
    const { asking } = useStore(desk.status);
    return asking ? <Asking key={asking.text} desk={desk} given={asking} /> : null;
}
