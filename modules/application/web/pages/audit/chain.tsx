// SPDX-License-Identifier: Apache-2.0
//
// Whether the trail is as it was written: checked part by part, as the service answers.
import { useState } from 'react';
import type { ReactElement } from 'react';

import { tell } from '../../acting/action.ts';
import { answer, api } from '../../api/client.ts';
import type { Read } from '../../api/read.ts';
import { Button } from '../../parts/button.tsx';
import { Status } from '../../parts/status.tsx';
import { t } from '../../texts/texts.ts';

type Verdict = Read<'/audit-blocks/verify'>;

export type Chain = { is: 'unknown' } | { is: 'checking'; blocks: number }
    | { is: 'checked'; verdict: Verdict; blocks: number; entries: number; at: string };

export function useChain(): { chain: Chain; check: () => void } {
    const [chain, setChain] = useState<Chain>({ is: 'unknown' });
    const check = async (): Promise<void> => {
        let [blocks, entries] = [0, 0];
        const findings: Verdict['findings'] = [];
        for (let from: number | null = 1; from !== null;) {
            setChain({ is: 'checking', blocks });
            const verdict: Verdict = await answer(api.GET('/audit-blocks/verify',
                { params: { query: { fromBlock: from } } }));
            blocks += verdict.blocks;
            entries += verdict.entries;
            findings.push(...verdict.findings);
            from = verdict.nextBlock;
            if (from === null) {
                const [first] = findings;
                setChain({ is: 'checked', blocks, entries, at: new Date().toISOString(),
                    verdict: { ...verdict, sound: !first, findings,
                        message: first?.message ?? null } });
            }
        }
    };
    return { chain, check: () => void check().catch((error: unknown) => {
        setChain({ is: 'unknown' });
        tell(error);
    }) };
}

export function CheckChain({ chain, check }: { chain: Chain; check: () => void }): ReactElement {
    return <Button onPress={() => chain.is === 'checking' || check()}>{t.audit.check}</Button>;
}

export function ChainState({ chain }: { chain: Chain }): ReactElement {
    return (
        <span role="status" className="line">
            {chain.is === 'checking'
                ? <Status glyph="progress" tone="progress">{t.audit.checking(chain.blocks)}</Status>
                : null}
            {chain.is === 'checked' ? (
                <>
                    {chain.verdict.sound ? (
                        <Status glyph="ready" tone="ready">
                            {t.audit.sound(chain.entries, chain.blocks)}
                        </Status>
                    ) : (
                        <Status glyph="blocked" tone="blocked">{chain.verdict.message}</Status>
                    )}
                    <span className="quiet cut" title={chain.verdict.unseen ?? undefined}>
                        {t.audit.notClosed(chain.verdict.notYetClosed)}
                    </span>
                </>
            ) : null}
        </span>
    );
}
