// SPDX-License-Identifier: Apache-2.0
//
// The code of a refusal, by which support and the API's reference know it. It stands last, after
// the words.
import type { ReactElement } from 'react';

import { t } from '../texts/texts.ts';

export function Code({ of }: { of: string }): ReactElement {
    return <span className="id quiet" title={t.refusalCode}>{of}</span>;
}
