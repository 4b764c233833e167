// SPDX-License-Identifier: Apache-2.0
//
// Edit conflict: somebody else changed the record in the meantime. Shows each member's former
// value, their value and mine, and lets the person choose. A member that only one of the two
// changed keeps that change.
import type { ReactElement } from 'react';

import type { RecordsPath } from '../api/records.ts';
import { useRecordNames } from '../api/records.ts';
import { visibleText } from '../api/visible.ts';
import { Button } from '../parts/button.tsx';
import { SidePanel } from '../parts/dialog.tsx';
import { Versions } from '../parts/versions.tsx';
import type { Version } from '../parts/versions.tsx';
import { t } from '../texts/texts.ts';
import type { Member } from './definition.ts';
import type { Clash, Draft } from './draft.ts';

function said(draft: Draft, member: Member): string {
    if (typeof draft === 'boolean') {
        return member.words?.[String(draft)] ?? (draft ? t.yes : t.no);
    }
    if (typeof draft === 'string') {
        return member.words?.[draft] ?? (visibleText(draft) || t.none);
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

// Shows the value of a member as people read it.
export function Value({ draft, member }: { draft: Draft; member: Member }): ReactElement {
    return member.records ? <Names draft={draft} path={member.records} /> : <>{said(draft, member)}</>;
}

const versionOf = (members: Record<string, Member>) =>
    ({ name, base, theirs, mine }: Clash): Version => {
        const member = members[name] ?? { label: name };
        return {
            member: member.label,
            was: <Value draft={base} member={member} />,
            theirs: <Value draft={theirs} member={member} />,
            mine: <Value draft={mine} member={member} />,
        };
    };

// `aside`: closes the panel in which the conflict is shown where the form has no room for it.
export function Conflict({ clashes, members, decide, aside }: {
    clashes: Clash[]; members: Record<string, Member>;
    decide: (keep: 'mine' | 'theirs') => void; aside?: () => void;
}): ReactElement {
    const title = clashes.length ? t.form.conflict : t.form.changedElsewhere;
    const ways = (
        <>
            {clashes.length ? (
                <Button onPress={() => decide('theirs')}>{t.form.keepTheirs}</Button>
            ) : null}
            <Button onPress={() => decide('mine')}>
                {clashes.length ? t.form.replaceByMine : t.form.saveMine}
            </Button>
        </>
    );
    const shown = clashes.length
        ? <Versions versions={clashes.map(versionOf(members))}>{ways}</Versions>
        : <p className="line">{ways}</p>;
    return aside ? <SidePanel title={title} close={aside}><div>{shown}</div></SidePanel> : (
        <div className="field" role="alert"><p><strong>{title}</strong></p>{shown}</div>
    );
}
