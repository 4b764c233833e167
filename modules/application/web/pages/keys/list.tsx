// SPDX-License-Identifier: Apache-2.0
//
// API keys (S21): by whom they act, when they were last used, until when they hold.
import type { ReactElement } from 'react';

import { keyActions, showKey } from '../../actions/keys.ts';
import type { Key } from '../../actions/keys.ts';
import { useRead } from '../../api/read.ts';
import { useRecordNames } from '../../api/records.ts';
import { RecordForm } from '../../form/form.tsx';
import { Secret } from '../../form/secret.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Status } from '../../parts/status.tsx';
import { paths } from '../../paths.ts';
import { navigate, useAddress } from '../../router.tsx';
import { Choose, useShown } from '../../table/choose.tsx';
import { Csv } from '../../table/csv.tsx';
import type { Filters } from '../../table/filter.ts';
import { ListPage } from '../../table/list-page.tsx';
import type { Column } from '../../table/list-table.tsx';
import { t } from '../../texts/texts.ts';
import { keyForm, rotation } from './forms.ts';

const words = t.apiKeys;
const { columns: titles } = words;
const empty: Key[] = [];

function Person({ id }: { id: number }): ReactElement {
    return <>{useRecordNames('/people')(id)}</>;
}

function State({ of }: { of: Key }): ReactElement | null {
    if (of.revokedAt) {
        return <Status glyph="lock">{words.revoked}</Status>;
    }
    return of.expiresAt && Date.parse(of.expiresAt) < Date.now()
        ? <Status glyph="clock" tone="overdue">{words.expired}</Status> : null;
}

const allScopes = Object.keys(words.words);

// A key without a list has all scopes.
const scopesOf = ({ scopes, uploadOnly }: Key): string => uploadOnly ? words.uploadOnly
    : scopes.length === 0 || scopes.length === allScopes.length ? words.allScopes
        : words.scopes(scopes.length);

const columns: Column<Key>[] = [
    { key: 'name', title: titles.name, heads: true, cell: ({ name }) => name },
    { key: 'prefix', title: titles.prefix, className: 'w-id id',
        cell: ({ keyPrefix }) => keyPrefix },
    { key: 'scopes', title: titles.scopes, className: 'w-who p3',
        hint: ({ scopes }) => (scopes.length ? scopes : allScopes).join(', '), cell: scopesOf },
    { key: 'by', title: titles.by, className: 'w-who p2',
        cell: ({ actsFor, createdBy }) => (
            <>
                <Person id={actsFor} />
                {createdBy === actsFor ? null : (
                    <span className="quiet">, {words.madeBy} <Person id={createdBy} /></span>
                )}
            </>
        ) },
    { key: 'used', title: titles.lastUsed, className: 'w-when',
        cell: ({ lastUsedAt }) => lastUsedAt ? <Moment at={lastUsedAt} /> : words.never },
    { key: 'expires', title: titles.expires, className: 'w-when p3',
        cell: ({ expiresAt }) => expiresAt ? <Moment at={expiresAt} /> : words.noExpiry },
    { key: 'state', title: titles.state, className: 'w-name', cell: (key) => <State of={key} /> },
];

const asked: Record<string, Filters> = { '': { revoked: 'false' }, yes: { revoked: 'true' }, all: {} };

function Panel({ record, act, close }: {
    record: string; act: string | undefined; close: () => void;
}): ReactElement {
    const definition = act === 'rotate' ? rotation : keyForm;
    return (
        <RecordForm key={`${record}/${act ?? ''}`} definition={definition} close={close}
            id={record === 'new' ? null : Number(record)}
            note={act === 'rotate' ? words.rotateWhat : undefined}
            saved={(key) => {
                close();
                showKey(String(key['name']), key['rawKey'], key['uploadOnly'] === true);
            }} />
    );
}

export function KeyList({ record, act }: { record: string; act: string | undefined }): ReactElement {
    const { shown, page } = useShown('revoked');
    const { search } = useAddress();
    const found = useRead('/keys', { params: { query: {
        ...asked[shown], order: '-id', limit: 100, ...page,
    } } }, { live: 30 });
    return (
        <ListPage<Key> title={words.title} label={words.label} none={words.none}
            noneWhat={words.noneWhat} columns={columns} found={found}
            rows={found.data?.data ?? empty} filtered={shown !== ''} list="/keys" nameOf={({ name }) => name}
            actions={keyActions} addressOf={({ id }) => `${paths.keys(id)}${search}`}
            filters={<Choose member="revoked" label={words.show} values={[
                { value: '', title: words.shown.use }, { value: 'yes', title: words.shown.revoked },
                { value: 'all', title: words.shown.all },
            ]}>
                <span className="push" /><Csv list="/keys" filters={asked[shown] ?? {}} />
            </Choose>}>
            {record ? <Panel record={record} act={act}
                close={() => navigate(paths.keys() + search)} /> : null}
            <Secret />
        </ListPage>
    );
}
