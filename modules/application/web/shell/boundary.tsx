// SPDX-License-Identifier: Apache-2.0
//
// An error of one page, or a page that cannot be loaded, leaves the shell standing.
import { Component } from 'react';
import type { ReactElement, ReactNode } from 'react';

import { PartMissing } from '../later.tsx';
import { Button } from '../parts/button.tsx';
import { t } from '../texts/texts.ts';

interface Properties {
    children: ReactNode;
}

interface Failure {
    title: string;
    why: string;
}

const partMissing = { title: t.partMissing, why: t.partMissingWhy };
const crashed = { title: t.crashed, why: t.crashedWhy };

export class Boundary extends Component<Properties, { failed: Failure | null }> {
    override state: { failed: Failure | null } = { failed: null };

    static getDerivedStateFromError(error: unknown): { failed: Failure } {
        return { failed: error instanceof PartMissing ? partMissing : crashed };
    }

    override render(): ReactElement {
        const { failed } = this.state;

        if (failed) {
            return (
                <main className="page" id="main">
                    <div className="nothing">
                        <h1>{failed.title}</h1>
                        <p className="quiet">{failed.why}</p>
                        <p><Button onPress={() => location.reload()}>{t.reload}</Button></p>
                    </div>
                </main>
            );
        }
        return <>{this.props.children}</>;
    }
}
