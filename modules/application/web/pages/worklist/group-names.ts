// SPDX-License-Identifier: Apache-2.0
//
// Names of the groups of the worklist.
import { useInstruments } from '../../api/names.ts';
import { dayOf } from '../../texts/time.ts';
import type { By } from './groups.ts';

export function useGroupName(): (by: By, key: string) => string {
    const instruments = useInstruments();
    return (by, key) => key === '' ? '' : by === 'instrument' ? instruments.get(Number(key))?.name ?? ''
        : by === 'due' ? dayOf(key) : key;
}
