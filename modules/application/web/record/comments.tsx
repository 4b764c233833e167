// SPDX-License-Identifier: Apache-2.0
//
// The comments on a record: read and written, never changed.
import { useState } from 'react';
import type { FormEvent, ReactElement } from 'react';

import { tell } from '../acting/action.ts';
import { usePeople } from '../api/names.ts';
import { useRead } from '../api/read.ts';
import { may } from '../api/session.ts';
import { Button } from '../parts/button.tsx';
import { Moment } from '../parts/moment.tsx';
import { PlainTable } from '../table/plain-table.tsx';
import { t } from '../texts/texts.ts';
import { useUnsaved } from '../unsaved.ts';
import { FIRST, More, useLimit } from './more.tsx';
import { comment } from './notes.ts';
import { notedTable } from './record.ts';
import type { Noted, Recorded } from './record.ts';

export const useComments = (of: Recorded, enabled = true, limit = FIRST) => useRead('/comments', {
    params: { query: { table: notedTable(of) ?? 'sample', recordId: of.id, limit } },
}, { live: 15, enabled });

function Write({ on }: { on: { table: Noted; id: number } }): ReactElement {
    const [text, setText] = useState('');
    useUnsaved(text.trim() !== '');
    const submit = (event: FormEvent): void => {
        event.preventDefault();
        comment(on, text, () => setText((now) => now === text ? '' : now)).catch(tell);
    };
    return (
        <form className="write" onSubmit={submit}>
            <p className="field">
                <label htmlFor="comment">{t.record.comment}</label>
                <textarea id="comment" value={text} rows={3} maxLength={4000} required
                    onChange={({ target }) => setText(target.value)} />
            </p>
            <p><Button type="submit">{t.record.commentAct}</Button></p>
        </form>
    );
}

export function Comments({ of }: { of: Recorded }): ReactElement {
    const person = usePeople();
    const shown = useLimit();
    const found = useComments(of, true, shown.limit);
    const table = notedTable(of);
    const { columns } = t.record;
    return (
        <>
            {table && may('note.add') ? <Write on={{ table, id: of.id }} /> : null}
            <PlainTable label={t.record.tabs.comments} none={t.record.noComments} found={found}
                columns={[
                    { title: columns.when, className: 'w-when', cell: (one) => <Moment at={one.createdAt} /> },
                    { title: columns.by, className: 'w-who', cell: (one) => person(one.by) },
                    { title: columns.comment, className: 'wrap', cell: (one) => one.text },
                ]} />
            <More {...shown} hasMore={found.data?.hasMore} />
        </>
    );
}
