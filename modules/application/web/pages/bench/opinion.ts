// SPDX-License-Identifier: Apache-2.0
//
// The service's judgement of a result as a cell shows it: a glyph, a few letters, the reasons.
import type { Opinion } from '../../grid/sheet.ts';
import { t } from '../../texts/texts.ts';

const texts = t.bench;

interface Said {
    readonly outOfSpecification: boolean | null;
    readonly specification: string | null;
    readonly presumptive: boolean;
    readonly refusals: readonly { readonly error: string; readonly message: string }[];
    readonly entryWarnings: readonly { readonly code: string; readonly message: string }[];
}

// Letters at the cell's edge, which say more than a triangle.
const words: Readonly<Record<string, string>> = {
    below_reporting_limit: 'RL',
    below_detection_limit: 'DL',
    too_many_decimals: 'dp',
    decimal_comma: '0,0',
    not_a_number: 'abc',
    contradictory_qualifier: '< >',
    lot_expired: 'lot',
    lot_quarantined: 'lot',
    lot_failed: 'lot',
};

const opinion = (mark: Opinion['mark'], messages: readonly string[], word = ''): Opinion =>
    ({ mark, messages, word });

// The first that holds decides the mark; all reasons are given.
export function opinionOf(said: Said): Opinion {
    const warnings = said.entryWarnings.map(({ message }) => message);
    if (said.refusals.length > 0) {
        return opinion('refused', said.refusals.map(({ message }) => message));
    }
    if (said.outOfSpecification) {
        return opinion('outside', [texts.outside(said.specification ?? ''), ...warnings]);
    }
    if (said.presumptive) {
        return opinion('attention', [texts.presumptive, ...warnings]);
    }
    if (warnings.length > 0) {
        return opinion('attention', warnings, words[said.entryWarnings[0]?.code ?? ''] ?? '');
    }
    return opinion(said.outOfSpecification === false ? 'within' : 'none', []);
}
