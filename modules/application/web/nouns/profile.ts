// SPDX-License-Identifier: Apache-2.0
//
// A version of an instrument profile: its status, and the files that it is for. Pure.
import type { Read } from '../api/read.ts';
import type { GlyphName, Tone } from '../parts/glyph.tsx';
import { t } from '../texts/texts.ts';

export type Profile = Read<'/instrument-profiles'>['data'][number];

export const look: Record<Profile['status'], Extract<Tone, GlyphName> | undefined> = {
    draft: 'progress', active: 'ready', retired: undefined,
};

const listed = (value: unknown): string[] =>
    [value].flat().filter((one): one is string => typeof one === 'string');

// The service has the definition as JSON, and has checked it.
export function formatOf({ definition }: { definition: unknown }): string {
    const { match, layout } = definition as { match?: { container?: unknown }; layout?: unknown };
    return t.profiles.format(listed(match?.container), listed(layout).join());
}

// The version of its code that reads files, and gives way to one that is activated.
export const replacedBy = (profile: Profile, all: Profile[]): Profile | undefined =>
    all.find(({ code, status, id }) => code === profile.code && status === 'active'
        && id !== profile.id);
