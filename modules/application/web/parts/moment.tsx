// SPDX-License-Identifier: Apache-2.0
//
// A time in the laboratory's zone, with UTC under the pointer.
import type { ReactElement } from 'react';

import { useSession } from '../api/session.ts';
import { dateOf, utc, when } from '../texts/time.ts';

export function Moment({ at, day }: { at: string; day?: boolean }): ReactElement {
    const { organization } = useSession();
    const say = day ? dateOf : when;
    return <time dateTime={at} title={utc(at)}>{say(at, organization.timeZone)}</time>;
}
