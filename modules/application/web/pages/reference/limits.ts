// SPDX-License-Identifier: Apache-2.0
//
// Limits that apply to a test in a material, and their origin: the project, else the material, else
// the test definition. The service judges by the same order; here they are only shown.
import type { Definition } from '../../api/names.ts';
import type { Read } from '../../api/read.ts';

export type Specification = Read<'/specifications'>['data'][number];
export type Source = 'project' | 'material' | 'definition';

export interface Limits {
    low: number | null;
    high: number | null;
    expectedText: string | null;
    from: Source;
    // Id of the specification that sets the limits; undefined: the test definition does.
    id: number | undefined;
}

type Scope = Pick<Specification, 'testDefinitionId' | 'materialTypeId' | 'projectId'>;
type Limited = Pick<Definition, 'id' | 'specificationLow' | 'specificationHigh' | 'specificationText'>;

const keyOf = ({ testDefinitionId, materialTypeId, projectId }: Scope): string =>
    `${testDefinitionId}/${materialTypeId}/${projectId ?? ''}`;

export type Specifications = ReadonlyMap<string, Specification>;

export const byScope = (all: Specification[]): Specifications =>
    new Map(all.map((one) => [keyOf(one), one]));

export function limitsOf(
    all: Specifications, test: Limited, materialTypeId: number, projectId: number | null,
): Limits {
    const of = (project: number | null): Specification | undefined =>
        all.get(keyOf({ testDefinitionId: test.id, materialTypeId, projectId: project }));
    const found = (projectId === null ? undefined : of(projectId)) ?? of(null);
    return found ? {
        low: found.low, high: found.high, expectedText: found.expectedText, id: found.id,
        from: found.projectId === null ? 'material' : 'project',
    } : {
        low: test.specificationLow, high: test.specificationHigh,
        expectedText: test.specificationText, id: undefined, from: 'definition',
    };
}
