// SPDX-License-Identifier: Apache-2.0
import type { ReactElement } from 'react';

import { look } from '../../nouns/profile.ts';
import type { Profile } from '../../nouns/profile.ts';
import { Status } from '../../parts/status.tsx';
import { t } from '../../texts/texts.ts';

export function ProfileStatus({ status }: Pick<Profile, 'status'>): ReactElement {
    const shape = look[status];
    return (
        <Status {...(shape ? { glyph: shape, tone: shape } : {})}>
            {t.profiles.status[status]}
        </Status>
    );
}
