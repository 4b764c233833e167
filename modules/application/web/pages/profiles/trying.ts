// SPDX-License-Identifier: Apache-2.0
//
// A trial of a version on a file: its readings and reasons, and the rows of the file in parts. The
// file is one that the service keeps, or is sent with each request.
import { useMemo } from 'react';
import { useQuery } from '@tanstack/react-query';

import { answer, api } from '../../api/client.ts';
import type { Problem } from '../../api/problem.ts';
import { blocks, cardsOf, decisionsOf, reasonsOf } from '../../nouns/file-reasons.ts';
import type { Card } from '../../nouns/file-reasons.ts';
import type { Marked, Value } from '../instrument-files/sheet.tsx';
import { part, startOf } from '../instrument-files/sheets.tsx';
import type { FoundSheets } from '../instrument-files/sheets.tsx';
import { t } from '../../texts/texts.ts';

// A file to try: its id, or its content in base64. The key tells two of them apart.
export type Given = { key: string; name: string } & ({ fileId: number } | { content: string });

export interface At {
    sheet: string;
    row: number | null;
    card: string | null;
}

interface Reading {
    sheet?: string;
    row: number;
    testCode?: string;
    result?: string;
    unit?: string;
    qualifier?: string;
    // Index of the kind of control; absent: the value of a sample.
    control?: number;
}

const bodyOf = (given: Given) => 'fileId' in given ? { fileId: given.fileId }
    : { fileName: given.name, contentBase64: given.content };

const trial = (id: number, given: Given, from: number, sheet: string) =>
    answer(api.POST('/instrument-profiles/{id}/test', {
        params: { path: { id } },
        body: { ...bodyOf(given), gridRows: part, gridFrom: from, ...(sheet ? { gridSheet: sheet } : {}) },
    }));

export type Trial = Awaited<ReturnType<typeof trial>>;

function usePart(id: number, given: Given, from: number, sheet: string, enabled: boolean) {
    return useQuery<Trial, Problem>({
        queryKey: ['profile trial', id, given.key, from, sheet],
        queryFn: () => trial(id, given, from, sheet),
        enabled, staleTime: Infinity, gcTime: 0, retry: false,
    });
}

const cardsOfTrial = (found: Trial): Card[] => {
    const reasons = reasonsOf(found).filter(blocks);
    return cardsOf(reasons, reasons, decisionsOf({ decisions: {} }));
};

interface Tried {
    trial: Trial | undefined;
    cards: Card[];
    at: At;
    found: FoundSheets;
}

const noCards: Card[] = [];

// Tries the version. Where one looks may depend on the reasons; the part of the file that is there
// is read then, with a hidden sheet if a reason leads to one.
export function useTrial(id: number, given: Given, placeIn: (cards: Card[]) => At): Tried {
    const first = usePart(id, given, 1, '', true);
    const trial = first.data;
    const cards = useMemo(() => trial ? cardsOfTrial(trial) : noCards, [trial]);
    const at = placeIn(cards);
    const from = startOf(at.row);
    const shown = usePart(id, given, from, '', trial !== undefined);
    const isHidden = at.sheet !== '' && !!shown.data
        && !shown.data.sheets?.some(({ name }) => name === at.sheet);
    const hidden = usePart(id, given, from, at.sheet, isHidden);
    return {
        trial, cards, at,
        found: {
            sheets: [...shown.data?.sheets ?? [], ...isHidden ? hidden.data?.sheets ?? [] : []],
            problem: null,
            error: first.error ?? shown.error ?? (isHidden ? hidden.error : null),
            waits: !shown.data || (isHidden && !hidden.data),
        },
    };
}

// A reading as the grid shows it.
const valueOf = ({ testCode, result, unit, qualifier, control }: Reading): Value => ({
    testCode: testCode ?? null, unit: unit ?? null, qcControlId: control ?? null,
    result: result ?? null, qualifier: qualifier ?? null,
});

function readingsIn(found: Trial | undefined, sheet: string): Map<number, Reading[]> {
    const rows = new Map<number, Reading[]>();
    // The service has them as JSON.
    for (const one of Array.isArray(found?.readings) ? found.readings as Reading[] : []) {
        if ((one.sheet ?? '') === sheet) {
            rows.set(one.row, [...rows.get(one.row) ?? [], one]);
        }
    }
    return rows;
}

export function markedOf(found: Trial | undefined, cards: Card[], sheet: string): Marked {
    const rows = readingsIn(found, sheet);
    return {
        title: t.profiles.would,
        reasons: (row) => cards.flatMap(({ reason }) => reason && reason.row === row
            && (reason.sheet ?? '') === sheet ? [reason] : []),
        excluded: () => false,
        results: (row) => (rows.get(row) ?? []).map(valueOf),
    };
}
