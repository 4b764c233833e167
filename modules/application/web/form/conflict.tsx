// SPDX-License-Identifier: Apache-2.0
//
// Somebody else changed the record in between: what it was, theirs and mine, and which is
// kept. What only one of the two changed is kept in any case.
import type { ReactElement } from 'react';

import { Button } from '../parts/button.tsx';
import { t } from '../texts/texts.ts';
import type { Member, RecordsPath } from './definition.ts';
import type { Clash, Draft } from './draft.ts';
import { useRecordNames } from './records.ts';

function said(draft: Draft, member: Member): string {
    if (typeof draft === 'boolean') {
        return member.words?.[String(draft)] ?? (draft ? t.yes : t.no);
    }
    if (typeof draft === 'string') {
        return member.words?.[draft] ?? (draft || t.none);
    }
    if (Array.isArray(draft)) {
        return draft.map((one) => typeof one === 'string' ? said(one, member) : said(one, member))
            .join(', ') || t.none;
    }
    return Object.entries(draft).filter(([, value]) => value !== '')
        .map(([name, value]) => `${member.members?.[name]?.label ?? name} ${said(value, {
            label: '' })}`).join(', ');
}

function Names({ draft, path }: { draft: Draft; path: RecordsPath }): ReactElement {
    const name = useRecordNames(path);
    return <>{[draft].flat().map(name).join(', ') || t.none}</>;
}

// What is filled in, for people.
export function Value({ draft, member }: { draft: Draft; member: Member }): ReactElement {
    return member.records ? <Names draft={draft} path={member.records} /> : <>{said(draft, member)}</>;
}

export function Conflict({ clashes, members, decide }: {
    clashes: Clash[]; members: Record<string, Member>;
    decide: (keep: 'mine' | 'theirs') => void;
}): ReactElement {
    return (
        <div className="field" role="alert">
            <p><strong>{clashes.length ? t.form.conflict : t.form.changedElsewhere}</strong></p>
            {clashes.length ? (
                <table className="table" aria-label={t.form.conflict}>
                    <thead>
                        <tr>
                            <th scope="col"><span className="unseen">{t.form.member}</span></th>
                            <th scope="col">{t.form.was}</th>
                            <th scope="col">{t.form.theirs}</th>
                            <th scope="col">{t.form.mine}</th>
                        </tr>
                    </thead>
                    <tbody>
                        {clashes.map(({ name, base, theirs, mine }) => {
                            const member = members[name] ?? { label: name };
                            return (
                                <tr key={name}>
                                    <th scope="row" className="wrap">{member.label}</th>
                                    <td className="wrap"><Value draft={base} member={member} /></td>
                                    <td className="wrap"><strong>
                                        <Value draft={theirs} member={member} /></strong></td>
                                    <td className="wrap"><strong>
                                        <Value draft={mine} member={member} /></strong></td>
                                </tr>
                            );
                        })}
                    </tbody>
                </table>
            ) : null}
            <p className="line">
                {clashes.length ? (
                    <Button onPress={() => decide('theirs')}>{t.form.keepTheirs}</Button>
                ) : null}
                <Button onPress={() => decide('mine')}>
                    {clashes.length ? t.form.replaceByMine : t.form.saveMine}
                </Button>
            </p>
        </div>
    );
}
