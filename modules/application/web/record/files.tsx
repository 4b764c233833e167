// SPDX-License-Identifier: Apache-2.0
//
// The files of a record: chosen or dropped, downloaded as they came, withdrawn by who
// attached them.
import type { ReactElement } from 'react';

import { allowed } from '../acting/action.ts';
import { usePeople } from '../api/names.ts';
import { useRead } from '../api/read.ts';
import type { Read } from '../api/read.ts';
import { may } from '../api/session.ts';
import { DropFiles } from '../parts/drop-files.tsx';
import { MenuButton } from '../parts/menu.tsx';
import { Moment } from '../parts/moment.tsx';
import { paths } from '../paths.ts';
import { PlainTable } from '../table/plain-table.tsx';
import { sizeOf } from '../texts/size.ts';
import { t } from '../texts/texts.ts';
import { FIRST, More, useLimit } from './more.tsx';
import { fileActions, upload } from './notes.ts';
import { notedTable } from './record.ts';
import type { Recorded } from './record.ts';

export type Attached = Read<'/attachments'>['data'][number];

export const useFiles = (of: Recorded, enabled = true, limit = FIRST) => useRead('/attachments', {
    params: { query: { table: notedTable(of) ?? 'sample', recordId: of.id, limit } },
}, { live: 15, enabled });

function Name({ file }: { file: Attached }): ReactElement {
    return (
        <a href={paths.download(`/attachments/${file.id}/content`)}
            className={file.withdrawnAt ? 'withdrawn' : undefined} download>
            {file.fileName}
        </a>
    );
}

function Acts({ file }: { file: Attached }): ReactElement | null {
    const actions = allowed(fileActions, file);
    return actions.length ? (
        <MenuButton className="row plain" label={t.record.actsOn(file.fileName)} items={actions}>
            {null}
        </MenuButton>
    ) : null;
}

export function Files({ of }: { of: Recorded }): ReactElement {
    const person = usePeople();
    const shown = useLimit();
    const found = useFiles(of, true, shown.limit);
    const table = notedTable(of);
    const { columns } = t.record;

    return (
        <>
            {table && may('note.add') ? (
                <DropFiles label={t.record.attach} hint={t.record.attachHint}
                    take={(files) => upload({ table, id: of.id }, files)} />
            ) : null}
            <PlainTable label={t.record.tabs.files} none={t.record.noFiles} found={found} columns={[
                { title: columns.file, cell: (one) => <Name file={one} /> },
                { title: columns.size, className: 'w-due right', cell: (one) => sizeOf(one.size) },
                { title: columns.added, className: 'w-when', cell: (one) => <Moment at={one.createdAt} /> },
                { title: columns.by, className: 'w-who', cell: (one) => person(one.addedBy) },
                { title: columns.withdrawn, className: 'w-ident', cell: (one) => one.withdrawalReason },
                { title: t.more, className: 'w-tick', cell: (one) => <Acts file={one} /> },
            ]} />
            <More {...shown} hasMore={found.data?.hasMore} />
        </>
    );
}
