// SPDX-License-Identifier: Apache-2.0
//
// An error of one page leaves the shell standing.
import { Component } from 'react';
import type { ReactElement, ReactNode } from 'react';

import { Button } from '../parts/button.tsx';
import { Nothing } from '../parts/states.tsx';
import { t } from '../texts/texts.ts';

interface Properties {
    children: ReactNode;
}

export class Boundary extends Component<Properties, { failed: boolean }> {
    override state = { failed: false };

    static getDerivedStateFromError(): { failed: boolean } {
        return { failed: true };
    }

    override render(): ReactElement {
        if (this.state.failed) {
            return (
                <Nothing title={t.crashed}>
                    <p><Button onPress={() => location.reload()}>{t.reload}</Button></p>
                </Nothing>
            );
        }
        return <>{this.props.children}</>;
    }
}
