// SPDX-License-Identifier: Apache-2.0
//
// The way of a run's controls to the service: judged together, corrected one by one. What was
// seen is compared with the record first, and a change in between is nobody's loss.
import { answer, api } from '../../api/client.ts';
import { Problem, problemOf } from '../../api/problem.ts';
import type { Entry } from '../../grid/desk.ts';
import type { Outcome } from '../../grid/saving.ts';
import type { Verdict } from '../../grid/sheet.ts';
import { controlCell, controlOpinion, controlVersion, measuredOf } from './controls.ts';
import type { Control } from './run.ts';
import { t } from '../../texts/texts.ts';

const texts = t.bench;

export class ControlDesk {
    readonly #controls = new Map<string, Control>();

    constructor(controls: readonly Control[]) {
        this.add(controls);
    }

    add(controls: readonly Control[]): void {
        controls.forEach((one) => this.#controls.set(controlCell(one.id), one));
    }

    async judge(entries: readonly Entry[]): Promise<[string, Verdict][]> {
        const asked = entries.flatMap((entry) => {
            const control = this.#controls.get(entry.id);
            const measured = control && measuredOf(control, entry.content.typed);
            return measured ? [{ entry, body: { qcControlId: control.id, ...measured } }] : [];
        });
        const sent = new Set(asked.map(({ entry }) => entry.id));
        const no = entries.filter(({ id }) => !sent.has(id)).map((entry): [string, Verdict] =>
            [entry.id, { question: entry.question, mark: 'refused', word: '',
                messages: [texts.notANumber] }]);
        if (asked.length === 0) {
            return no;
        }
        const { results } = await answer(api.POST('/qc-controls/judge', {
            body: { controls: asked.map(({ body }) => body) } }));
        return [...no, ...results.flatMap((judged, i): [string, Verdict][] => {
            const entry = asked[i]?.entry;
            return entry ? [[entry.id, { question: entry.question, ...controlOpinion(judged) }]] : [];
        })];
    }

    async enter(entry: Entry, key: string): Promise<Outcome> {
        const { id, content, settings, base } = entry;
        const known = this.#controls.get(id);
        const measured = known && measuredOf(known, content.typed);
        if (!known || !measured) {
            return { kind: 'refused', message: texts.notANumber };
        }
        const path = { params: { path: { id: known.id } } };
        const { data: now, error, response } = await api.GET('/qc-controls/{id}', path);
        if (!now) {
            throw problemOf(response, error);
        }
        if (now.updatedAt !== base.etag) {
            return { kind: 'conflict', versions: new Map([[id, controlVersion(now)]]) };
        }
        const { analyzedAt } = settings;
        const saved = await answer(api.PATCH('/qc-controls/{id}', {
            ...path,
            body: { ...measured,
                ...(content.reason ? { reason: content.reason } : {}),
                ...(typeof analyzedAt === 'string' ? { measuredAt: analyzedAt } : {}) },
            headers: { 'Idempotency-Key': key, 'If-Match': response.headers.get('ETag') ?? '' },
        })).catch((problem: unknown) => this.#met(problem));
        return saved ? { kind: 'saved', versions: new Map([[id, controlVersion(saved)]]) }
            : this.enter(entry, key);
    }

    // Somebody else has changed the control since it was read (412): null, and it is read again.
    #met(problem: unknown): null {
        if (problem instanceof Problem && problem.status === 412) {
            return null;
        }
        throw problem;
    }
}
