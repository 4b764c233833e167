// SPDX-License-Identifier: Apache-2.0
//
// A refusal by the service, in one type for every page: slug, message, blockers, and the members of
// the body that are wrong.
import { inLaboratory } from '../texts/laboratory.ts';

export interface Blocker {
    slug: string;
    message: string;
    clearedBy: string;
    testIds?: number[];
    qcBatchIds?: number[];
    mediaLotIds?: number[];
    reagentLotIds?: number[];
    worksheetIds?: number[];
    approvalIds?: number[];
    investigationIds?: number[];
}

export interface Mistake {
    path: string;
    error: string;
    message: string;
}

// Outcome of one record of an act over many.
export interface Outcome {
    error: string | null;
    message: string | null;
    blockers?: Blocker[] | null;
}

interface Body {
    results?: Outcome[];
    error?: string;
    message?: string;
    blockers?: Blocker[];
    errors?: Mistake[];
    attemptsLeft?: number;
}

const read = <One extends { message: string }>(ones: One[] = []): One[] =>
    ones.map((one) => ({ ...one, message: inLaboratory(one.message) }));

export class Problem extends Error {
    readonly status: number;
    readonly slug: string;
    readonly blockers: Blocker[];
    readonly mistakes: Mistake[];
    // Outcomes of an act over many records, one for each in the order sent.
    readonly outcomes: Outcome[];
    readonly attemptsLeft: number | undefined;
    readonly retryAfter: number | undefined;
    readonly body: unknown;

    constructor(status: number, body: Body, retryAfter?: number) {
        super(inLaboratory(body.message ?? ''));
        this.status = status;
        this.slug = body.error ?? 'internal';
        this.blockers = read(body.blockers);
        this.mistakes = read(body.errors);
        this.outcomes = body.results ?? [];
        this.attemptsLeft = body.attemptsLeft;
        this.retryAfter = retryAfter;
        this.body = body;
    }

    get offline(): boolean {
        return this.status === 0;
    }

    // Whether a retry under the same idempotency key may be answered otherwise.
    get passing(): boolean {
        return this.status === 0 || this.status === 429 || this.status >= 500
            || this.slug === 'idempotency_in_progress';
    }

    // Milliseconds after which the service wants to be asked again; null: it did not say.
    get pause(): number | null {
        return this.retryAfter === undefined ? null : this.retryAfter * 1000;
    }
}

// No answer: the request did not reach the service, or its answer did not reach us.
export const unreachable = (): Problem => new Problem(0, { error: 'unreachable' });

export function problemOf(response: Response, body: unknown): Problem {
    const wait = Number(response.headers.get('Retry-After'));
    const known = typeof body === 'object' && body !== null ? body : {};
    return new Problem(response.status, known, wait > 0 ? wait : undefined);
}

export function asProblem(error: unknown): Problem {
    if (error instanceof Problem) {
        return error;
    }
    return new Problem(-1, { error: 'page', message: String(error) });
}
