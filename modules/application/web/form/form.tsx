// SPDX-License-Identifier: Apache-2.0
//
// A form with an address of its own: as a panel beside the list, or as the page of a record
// of which there is one.
import { useMemo, useState } from 'react';
import type { KeyboardEvent, ReactElement, ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { UseQueryResult } from '@tanstack/react-query';

import { Problem, asProblem } from '../api/problem.ts';
import { useSession } from '../api/session.ts';
import { SidePanel } from '../parts/dialog.tsx';
import { selectText } from '../parts/select-text.ts';
import { Refused, Waiting } from '../parts/states.tsx';
import { say } from '../parts/toast.tsx';
import { History } from '../record/history.tsx';
import type { Line } from '../record/history.tsx';
import type { HistoryPath, Recorded } from '../record/record.ts';
import { t } from '../texts/texts.ts';
import type { FormDefinition } from './definition.ts';
import { clockIn } from './draft.ts';
import type { Clock } from './draft.ts';
import { Fields, titleOf } from './fields.tsx';
import type { FieldsProperties } from './fields.tsx';
import type { Start } from './filling.ts';
import { bodyOf } from './schema.ts';
import { readRecord, signedHash } from './service.ts';
import type { Record_ } from './service.ts';

interface Properties {
    definition: FormDefinition;
    // Id of the record; null: a new one.
    id: number | null;
    close: () => void;
    // Called after saving; absent: the panel is closed.
    saved?: (record: Record_) => void;
    // Content above the members: the effect of the change.
    note?: string | undefined;
    // Initial values of a new record.
    initial?: Record_;
    // Content below the members: further facts and actions.
    children?: (record: Record_) => ReactNode;
}

export function useClock(): Clock {
    const { organization: { timeZone } } = useSession();
    return useMemo(() => clockIn(timeZone), [timeZone]);
}

type Loaded = Pick<Start, 'schema' | 'found' | 'contentHash'>;

async function load(
    definition: FormDefinition, id: number | null, initial: Record_,
): Promise<Loaded> {
    const { list, one, act, shape } = definition;
    const [schema, found, contentHash] = await Promise.all([
        bodyOf(act ? `POST ${act}` : id === null ? `POST ${list}` : `PATCH ${one}`),
        id === null ? { record: initial, etag: null } : readRecord(definition, id),
        signedHash(definition, id),
    ]);
    return { schema: shape?.schema(schema) ?? schema, found, contentHash };
}

function useLoaded(
    { definition, id, initial }: Pick<Properties, 'definition' | 'id' | 'initial'>,
): UseQueryResult<Loaded, Problem> {
    return useQuery<Loaded, Problem>({
        queryKey: ['form', definition.act ?? definition.one, id],
        queryFn: () => load(definition, id, initial ?? {}),
        staleTime: Infinity, gcTime: 0, placeholderData: undefined,
        retry: false, refetchOnMount: 'always',
    });
}

function startOf(
    { definition, id }: Pick<Properties, 'definition' | 'id'>, loaded: Loaded, clock: Clock,
    saved: (record: Record_) => void,
): Start {
    return { definition, id, clock, ...loaded, saved: (record) => {
        const name = definition.name(record) || definition.name(loaded.found.record);
        say({ tone: 'ready',
            text: id === null ? definition.created?.(name) ?? '' : definition.changed(name) });
        saved(record);
    } };
}

// History of the record, read when somebody opens it.
function Became({ of }: { of: Recorded }): ReactElement {
    const [open, setOpen] = useState(false);
    return (
        <details className="section" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
            <summary>{t.record.tabs.history}</summary>
            {open ? <History of={of} told={none} /> : null}
        </details>
    );
}

const none: Line[] = [];

function recordedOf({ table, one, act }: FormDefinition, id: number | null): Recorded | null {
    return id === null || !table || act ? null
        : { id, table, history: `${one}/history` as HistoryPath };
}

export function RecordForm(properties: Properties): ReactElement {
    const { close, saved, note, children } = properties;
    const clock = useClock();
    const loaded = useLoaded(properties);
    const start = loaded.data && startOf(properties, loaded.data, clock, saved ?? close);
    const of = recordedOf(properties.definition, properties.id);

    return (
        <SidePanel close={close} className="dialog form"
            title={start ? titleOf(start) : loaded.error ? t.form.notOpened : t.form.opening}>
            {start && !loaded.isFetching
                ? <Fields start={start} note={note} close={close}>
                    {children?.(start.found.record)}
                    {of ? <Became of={of} /> : null}
                </Fields> : null}
            {loaded.error ? <Refused problem={asProblem(loaded.error)} /> : null}
            {loaded.isFetching ? <Waiting what={t.form.title} rows={6} /> : null}
        </SidePanel>
    );
}

// The form of a record of which there is one. After it is saved it begins anew.
export function PageForm({ definition, id, saved, shown }: {
    definition: FormDefinition; id: number; saved?: () => void; shown?: FieldsProperties['shown'];
}): ReactElement {
    const clock = useClock();
    const loaded = useLoaded({ definition, id });
    const [again, setAgain] = useState(false);
    const start = loaded.data && startOf({ definition, id }, loaded.data, clock, () => {
        setAgain(true);
        saved?.();
        void loaded.refetch();
    });

    return (
        <div className="filled">
            {start && !loaded.isFetching ? <Fields start={start} shown={shown} again={again} /> : null}
            {loaded.error ? <Refused problem={asProblem(loaded.error)} /> : null}
            {loaded.isFetching ? <Waiting what={t.form.title} /> : null}
        </div>
    );
}

// The form of a few members where they stand. Escape leaves them as they were.
export function InlineForm(properties: Properties): ReactElement {
    const { close, saved } = properties;
    const clock = useClock();
    const loaded = useLoaded(properties);
    const start = loaded.data && startOf(properties, loaded.data, clock, saved ?? close);
    const leave = (event: KeyboardEvent): void => {
        if (event.key === 'Escape') {
            event.stopPropagation();
            close();
        }
    };

    return (
        <div className="inline" onKeyDown={leave} onFocus={selectText}>
            {start && !loaded.isFetching ? <Fields start={start} close={close} inline /> : null}
            {loaded.error ? <Refused problem={asProblem(loaded.error)} retry={close} /> : null}
        </div>
    );
}
