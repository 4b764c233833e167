// SPDX-License-Identifier: Apache-2.0
//
// A limit that stands beside a value with its unit: the unit is not said twice.

export function limitBeside(unit: string | null, specification: string | null): string {
    const text = specification ?? '';
    return unit && text.endsWith(` ${unit}`) ? text.slice(0, -unit.length - 1) : text;
}
