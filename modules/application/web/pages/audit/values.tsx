// SPDX-License-Identifier: Apache-2.0
//
// Old and new values: struck through and strong, so that no colour is needed.
import type { ReactElement } from 'react';

import { useSession } from '../../api/session.ts';
import { clock, dateOf, dayOf, utc } from '../../texts/time.ts';
import { t } from '../../texts/texts.ts';
import { fieldName, valueOf } from './changes.ts';
import type { Change, Entry, Line as Changes, Value } from './changes.ts';

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

function Nothing(): ReactElement {
    return <span className="quiet">{t.audit.nothing}</span>;
}

// A list or a group in one line; what is in another one stands in parentheses. Of a group it has
// what is there; the entry, opened, has all.
function Line({ value, inside = false }: { value: Value; inside?: boolean }): ReactElement {
    if (value.is !== 'list' && value.is !== 'group') {
        return <Single value={value} />;
    }
    const parts: [string, Value][] = value.is === 'group'
        ? value.members.filter(([, one]) => one.is !== 'nothing')
        : value.values.map((one) => ['', one]);
    return (
        <>
            {inside ? '(' : null}
            {parts.map(([name, one], i) => (
                <span key={`${i} ${name}`}>
                    {i > 0 ? ', ' : null}
                    {name ? <><span className="quiet">{name}</span>{' '}</> : null}
                    <Line value={one} inside />
                </span>
            ))}
            {inside ? ')' : null}
        </>
    );
}

// The same as lists within lists, where there is room.
function Tree({ value }: { value: Value }): ReactElement {
    if (value.is === 'list') {
        return (
            <ul className="tree">
                {value.values.map((one, i) => <li key={i}><Tree value={one} /></li>)}
            </ul>
        );
    }
    if (value.is === 'group') {
        return (
            <ul className="tree">
                {value.members.map(([name, one]) => (
                    <li key={name}><span className="quiet">{name}</span> <Tree value={one} /></li>
                ))}
            </ul>
        );
    }
    return <Single value={value} />;
}

function Single({ value }: { value: Value }): ReactElement | null {
    switch (value.is) {
        case 'nothing':
            return <Nothing />;
        case 'time':
            return <Instant at={value.at} />;
        case 'day':
            return <>{dayOf(value.day)}</>;
        case 'text':
            return <>{value.text}</>;
        case 'yes':
        case 'no':
            return <>{t.audit[value.is]}</>;
        default:
            return null;
    }
}

const was = ({ old, oldName, field }: Change): Value => valueOf(old, oldName, field);
const is = (change: Change): Value => valueOf(change.new, change.newName, change.field);

interface Side {
    change: Change;
    // Whether there is room for lists.
    whole?: boolean;
}

export function Was({ change, whole = false }: Side): ReactElement {
    const value = was(change);
    const said = whole ? <Tree value={value} /> : <Line value={value} />;
    return value.is === 'nothing' ? said : <del>{said}</del>;
}

export function Is({ change, whole = false }: Side): ReactElement {
    const value = is(change);
    const said = whole ? <Tree value={value} /> : <Line value={value} />;
    return value.is === 'nothing' ? said : whole ? <ins>{said}</ins> : <strong>{said}</strong>;
}

const side = (entry: Entry, change: Change): ReactElement => entry.action === 'delete'
    ? <del><Line value={was(change)} /></del>
    : <strong><Line value={is(change)} /></strong>;

export function Changed({ line }: { line: Changes }): ReactElement {
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
