// SPDX-License-Identifier: Apache-2.0
//
// Old and new values: struck through and strong, so that no colour is needed.
import type { ReactElement } from 'react';

import { useSession } from '../../api/session.ts';
import { clock, dateOf, dayOf, utc } from '../../texts/time.ts';
import { t } from '../../texts/texts.ts';
import { fieldName, valueOf } from './changes.ts';
import type { Change, Entry, Line } from './changes.ts';

// A time to the second, which auditors compare.
export function Instant({ at }: { at: string }): ReactElement {
    const { organization } = useSession();
    const day = dateOf(at, organization.timeZone);
    return (
        <time dateTime={at} title={utc(at)}>
            {day} {clock(new Date(at), organization.timeZone)}
        </time>
    );
}

export function Value({ json, name }: { json: string | null; name: string | null }): ReactElement {
    const value = valueOf(json, name);
    if (value.is === 'nothing') {
        return <span className="quiet">{t.audit.nothing}</span>;
    }
    if (value.is === 'time') {
        return <Instant at={value.at} />;
    }
    if (value.is === 'day') {
        return <>{dayOf(value.day)}</>;
    }
    return <>{value.is === 'text' ? value.text : t.audit[value.is]}</>;
}

const isNothing = (json: string | null, name: string | null): boolean =>
    valueOf(json, name).is === 'nothing';

export function Was({ change }: { change: Change }): ReactElement {
    const value = <Value json={change.old} name={change.oldName} />;
    return isNothing(change.old, change.oldName) ? value : <del>{value}</del>;
}

export function Is({ change }: { change: Change }): ReactElement {
    const value = <Value json={change.new} name={change.newName} />;
    return isNothing(change.new, change.newName) ? value : <strong>{value}</strong>;
}

const side = (entry: Entry, change: Change): ReactElement => entry.action === 'delete'
    ? <del><Value json={change.old} name={change.oldName} /></del>
    : <strong><Value json={change.new} name={change.newName} /></strong>;

export function Changed({ line }: { line: Line }): ReactElement {
    const { entry, changes } = line;
    const [first] = changes;
    if (entry.action === 'update' && first) {
        return (
            <>
                <span className="quiet">{fieldName(first.field)}</span>{' '}
                <Was change={first} /> → <Is change={first} />
            </>
        );
    }
    if (entry.action === 'archived') {
        return <strong>{entry.reason}</strong>;
    }
    return (
        <>
            <strong>{t.audit.action[entry.action]}</strong>
            {changes.map((change) => (
                <span key={change.field}>
                    {' '}<span className="quiet">{fieldName(change.field)}</span> {side(entry, change)}
                </span>
            ))}
        </>
    );
}

export function whoOf({ person, apiKey, surface }: Entry): string {
    const name = [apiKey, person && apiKey ? t.audit.forPerson(person) : person];
    return name.filter(Boolean).join(', ') || (surface ? t.audit.surface[surface] : t.audit.nobody);
}
