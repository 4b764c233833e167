// SPDX-License-Identifier: Apache-2.0
//
// The people of the organization: those among whom an act chooses, and the name of one.
import { answer, api } from './client.ts';
import { AT_ONCE, all } from './pages.ts';
import type { Read } from './read.ts';

type People = Read<'/people'>['data'];

const people = (only: { active?: boolean }): Promise<People> =>
    all((from) => answer(api.GET('/people', { params: { query: {
        ...only, limit: AT_ONCE, ...from,
    } } })));

export const activePeople = (): Promise<People> => people({ active: true });

export const personName = async (id: number | null): Promise<string> =>
    id === null ? '' : (await people({})).find((one) => one.id === id)?.displayName ?? '';
