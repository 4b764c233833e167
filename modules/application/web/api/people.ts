// SPDX-License-Identifier: Apache-2.0
//
// The active people of the organization, all of them: those among whom an act chooses.
import { answer, api } from './client.ts';
import { AT_ONCE, all } from './pages.ts';
import type { Read } from './read.ts';

export const activePeople = (): Promise<Read<'/people'>['data']> =>
    all((from) => answer(api.GET('/people', { params: { query: {
        active: true, limit: AT_ONCE, ...from,
    } } })));
