// SPDX-License-Identifier: Apache-2.0
//
// A number in a column of one unit: it stands at its decimal point.
import type { ReactElement } from 'react';

export function Decimal({ text }: { text: string }): ReactElement {
    const point = text.indexOf('.');
    const whole = point < 0 ? text : text.slice(0, point);
    return <>{whole}<i>{point < 0 ? '' : text.slice(point)}</i></>;
}
