// SPDX-License-Identifier: Apache-2.0
//
// A look at what a link leads to, while the pointer or the keyboard rests on it; Esc closes it.
import type { ComponentProps, ReactElement, ReactNode } from 'react';
import { Focusable, Tooltip, TooltipTrigger } from 'react-aria-components';

type Trigger = ComponentProps<typeof Focusable>['children'];

export function Glance({ look, children }: {
    look: ReactNode;
    // Element that passes on the attributes it is given, as links do.
    children: ReactElement<{ href: string }>;
}): ReactElement {
    return (
        <TooltipTrigger delay={300} closeDelay={100}>
            <Focusable>{children as Trigger}</Focusable>
            <Tooltip className="popover glance" offset={4}>{look}</Tooltip>
        </TooltipTrigger>
    );
}
