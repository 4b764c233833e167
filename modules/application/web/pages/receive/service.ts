// SPDX-License-Identifier: Apache-2.0
//
// The way of scanned bottles to the service.
import { answer, api } from '../../api/client.ts';
import { AT_ONCE, all } from '../../api/pages.ts';
import { Problem } from '../../api/problem.ts';
import { changed, condition } from '../../api/read.ts';
import type { Read } from '../../api/read.ts';
import { ownerOf } from '../../api/session.ts';
import { clock } from '../../grid/clock.ts';
import { samplesChanged } from '../../actions/samples.ts';
import { t } from '../../texts/texts.ts';
import { when } from '../../texts/time.ts';
import type { Answer, Bottle, Findings, ReceivingPorts, Scan } from './receiving.ts';
import { isTemperature } from './receiving.ts';

const texts = t.receive;

type Sample = Pick<Read<'/samples/{id}'>, 'id' | 'trackingId' | 'plantLocation' | 'externalId'
    | 'clientName' | 'orderId' | 'receivedAt' | 'receipt' | 'disposition'>;

const bottleOf = ({ id, trackingId, orderId, ...sample }: Sample): Bottle => ({
    id, trackingId, orderId,
    name: [sample.plantLocation ?? sample.externalId ?? '', sample.clientName]
        .filter(Boolean).join(', '),
});

interface Item {
    identifier: string;
    deviations?: string;
}

function receiptOf({ temperature, condition, storageLocationId }: Findings) {
    const receipt = {
        ...(temperature.trim() ? { temperature: Number(temperature) } : {}),
        ...(condition.trim() ? { condition: condition.trim() } : {}),
    };
    return {
        ...(Object.keys(receipt).length ? { receipt } : {}),
        ...(storageLocationId === null ? {} : { storageLocationId }),
    };
}

const post = (item: Item, findings: Findings, key: string) =>
    answer(api.POST('/samples/receive', {
        body: { items: [item], ...receiptOf(findings) },
        headers: { 'Idempotency-Key': key },
    }));

async function nameOf(person: number | null | undefined): Promise<string> {
    const people = await all((from) => answer(api.GET('/people', { params: { query: {
        limit: AT_ONCE, ...from,
    } } })));
    return people.find(({ id }) => id === person)?.displayName ?? texts.program;
}

// Says who received a bottle that has already been received, and when.
async function already(text: string, zone: string, said: string): Promise<Answer> {
    const { data } = await answer(api.GET('/lookup', { params: { query: { text } } }));
    const [found, ...others] = data.filter(({ noun }) => noun === 'sample');
    if (!found || others.length > 0) {
        return { kind: 'refused', said };
    }
    const sample = await answer(api.GET('/samples/{id}', { params: { path: { id: found.id } } }));
    if (!sample.receivedAt || sample.disposition !== 'active') {
        return { kind: 'refused', said };
    }
    const by = await nameOf(sample.receipt?.receivedBy);
    return { kind: 'already', bottle: bottleOf(sample),
        said: texts.alreadyBy(when(sample.receivedAt, zone), by) };
}

async function receive({ text, findings, deviation }: Scan, key: string, zone: string):
Promise<Answer> {
    const item = { identifier: text, ...(deviation ? { deviations: deviation } : {}) };
    const { received: [sample], skipped: [skipped] } = await post(item, findings, key);
    if (sample) {
        void changed('/orders/{id}');
        return { kind: 'received', bottle: bottleOf(sample) };
    }
    const said = skipped?.message ?? '';
    return skipped?.error === 'not_receivable' ? already(text, zone, said)
        : { kind: 'refused', said: skipped?.error === 'check_character'
            ? texts.checkCharacter : said };
}

// Replaces the deviations in the receipt of a sample, as it was read.
export async function noteDeviation(
    sample: Read<'/samples/{id}'>, deviations: string, reason: string,
): Promise<void> {
    await answer(api.PATCH('/samples/{id}/receipt', {
        params: { path: { id: sample.id } }, ...condition(sample), body: { deviations, reason } }));
    await samplesChanged();
}

export async function undo({ id }: Bottle, reason: string): Promise<void> {
    await answer(api.POST('/samples/{id}/unreceive', { params: { path: { id } },
        body: { reason } }));
    await Promise.all([changed('/orders/{id}'), samplesChanged()]);
}

async function receiveOrSay(scan: Scan, key: string, zone: string): Promise<Answer> {
    if (!isTemperature(scan.findings.temperature)) {
        return { kind: 'refused', said: texts.noTemperature };
    }
    try {
        return await receive(scan, key, zone);
    } catch (error) {
        const problem = error instanceof Problem ? error : new Problem(0, {});
        return problem.passing ? { kind: 'unreachable', retryAfter: problem.pause }
            : { kind: 'refused', said: t.sentence(problem) };
    }
}

export function portsOf(owner: string, zone: string): ReceivingPorts {
    return {
        clock,
        key: () => crypto.randomUUID(),
        receive: async (scan, key) => ownerOf() === owner ? receiveOrSay(scan, key, zone)
            : { kind: 'refused', said: t.bench.somebodyElse },
    };
}
