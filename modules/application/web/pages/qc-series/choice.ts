// SPDX-License-Identifier: Apache-2.0
//
// Choice of a series: analyte, control, criterion, level, instrument and lot are chosen one after
// the other, each among those that exist for the choices before it.
export interface Choosable {
    id: number;
    testDefinitionId: number;
    controlType: string;
    criterion: string;
    level: string | null;
    instrumentId: number | null;
    lot: string | null;
}

export const dimensions = ['testDefinitionId', 'controlType', 'criterion', 'level',
    'instrumentId', 'lot'] as const;
export type Dimension = (typeof dimensions)[number];

export const valueOf = (series: Choosable, dimension: Dimension): string =>
    String(series[dimension] ?? '');

const agree = (a: Choosable, b: Choosable, some: readonly Dimension[]): number =>
    some.filter((one) => valueOf(a, one) === valueOf(b, one)).length;

const before = (dimension: Dimension): readonly Dimension[] =>
    dimensions.slice(0, dimensions.indexOf(dimension));

function among<S extends Choosable>(all: S[], chosen: S, dimension: Dimension): S[] {
    const fixed = before(dimension);
    return all.filter((one) => agree(one, chosen, fixed) === fixed.length);
}

export const optionsOf = <S extends Choosable>(
    all: S[], chosen: S, dimension: Dimension,
): string[] => [...new Set(among(all, chosen, dimension).map((one) => valueOf(one, dimension)))];

// Returns the series with this value that differs least from the later choices.
export function choose<S extends Choosable>(
    all: S[], chosen: S, dimension: Dimension, value: string,
): S {
    const rest = dimensions.slice(dimensions.indexOf(dimension) + 1);
    return among(all, chosen, dimension)
        .filter((one) => valueOf(one, dimension) === value)
        .reduce<S | null>((best, one) =>
            best && agree(best, chosen, rest) >= agree(one, chosen, rest) ? best : one, null)
        ?? chosen;
}
