// SPDX-License-Identifier: Apache-2.0
//
// State of a form: the record as it was, the draft, and the service's answer.
import { useState } from 'react';

import { asProblem } from '../api/problem.ts';
import type { Problem } from '../api/problem.ts';
import type { FormDefinition } from './definition.ts';
import { bodyFrom, changedIn, clashes, groupOf, merged } from './draft.ts';
import type { Clash, Clock, Group } from './draft.ts';
import type { Schema } from './schema.ts';
import { act, change, create, readRecord, signedHash } from './service.ts';
import type { Found, Record_ } from './service.ts';

export interface Start {
    definition: FormDefinition;
    // Id of the record; null: a new one.
    id: number | null;
    schema: Schema;
    found: Found;
    // Digest of the content that a signature of the change covers; null: the change is not signed.
    contentHash: string | null;
    clock: Clock;
    saved: (record: Record_) => void;
}

// Reason and password of a change, beside its members.
export interface Given {
    reason?: string | undefined;
    password?: string | undefined;
}

export interface Filling {
    mine: Group;
    set: (group: Group) => void;
    dirty: boolean;
    busy: boolean;
    problem: Problem | null;
    // Whether the service asked for a reason.
    reason: boolean;
    clashes: Clash[] | null;
    save: (given: Given) => void;
    decide: (keep: 'mine' | 'theirs', given: Given) => void;
}

interface Kept {
    base: Group;
    etag: string | null;
    contentHash: string | null;
}

const isChange = ({ definition, id }: Start): boolean =>
    id !== null && definition.act === undefined;

// Returns the initial draft: of an act the service's defaults, of a change the record.
const begun = (
    { definition, schema, clock }: Start, found: Found, contentHash: string | null,
): Kept => ({
    base: groupOf(schema, definition.act ? {}
        : definition.shape?.record(found.record) ?? found.record, clock),
    etag: found.etag, contentHash });

function bodyOf(start: Start, { base, contentHash }: Kept, mine: Group, given: Given): Record_ {
    const { definition: { shape }, schema, clock } = start;
    const body = bodyFrom(schema, base, mine, !isChange(start), clock);
    if (Object.keys(body).length === 0 && isChange(start)) {
        return body;
    }
    return {
        ...shape?.body(body) ?? body,
        ...(given.reason ? { reason: given.reason } : {}),
        ...(given.password ? { signature: { password: given.password, contentHash } } : {}),
    };
}

function sent({ definition, id }: Start, etag: string | null, body: Record_): Promise<Record_> {
    if (id === null) {
        return create(definition, body);
    }
    return definition.act ? act(definition, definition.act, id, body)
        : change(definition, id, etag, body);
}

export function useFilling(start: Start): Filling {
    const { definition, id, found, saved } = start;
    const [kept, setKept] = useState<Kept>(() => begun(start, found, start.contentHash));
    const [theirs, setTheirs] = useState<Kept | null>(null);
    const [mine, setMine] = useState(kept.base);
    const [busy, setBusy] = useState(false);
    const [problem, setProblem] = useState<Problem | null>(null);
    const [reason, setReason] = useState(false);

    const met = async (error: unknown): Promise<void> => {
        const refusal = asProblem(error);
        setReason((before) => before || refusal.slug === 'reason_required');
        if (refusal.status === 412 && id !== null) {
            const [now, contentHash] = await Promise.all([
                readRecord(definition, id), signedHash(definition, id)]);
            setTheirs(begun(start, now, contentHash));
        }
        setProblem(refusal);
    };
    const send = (base: Kept, group: Group, given: Given): void => {
        // While the record is read again after saving, a second Enter would save twice.
        if (busy) {
            return;
        }
        const body = bodyOf(start, base, group, given);
        if (isChange(start) && Object.keys(body).length === 0) {
            saved(found.record);
            return;
        }
        setBusy(true);
        setProblem(null);
        sent(start, base.etag, body)
            .then(saved).catch(met)
            .catch((error: unknown) => setProblem(asProblem(error)))
            .finally(() => setBusy(false));
    };
    return {
        mine, busy, problem, reason,
        set: setMine,
        dirty: changedIn(kept.base, mine).length > 0,
        clashes: theirs && clashes(kept.base, theirs.base, mine),
        save: (given) => send(kept, mine, given),
        decide: (keep, given) => {
            if (!theirs) {
                return;
            }
            const clashing = clashes(kept.base, theirs.base, mine).map(({ name }) => name);
            const group = merged(kept.base, theirs.base, mine,
                new Set(keep === 'theirs' ? clashing : []));
            setMine(group);
            setKept(theirs);
            setTheirs(null);
            setProblem(null);
            send(theirs, group, given);
        },
    };
}
