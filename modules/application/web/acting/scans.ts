// SPDX-License-Identifier: Apache-2.0
//
// Scans as pages take them: the newest page first, and none while a question is open.
import { onScan } from '../keys/keyboard.ts';
import { say } from '../parts/toast.tsx';
import { t } from '../texts/texts.ts';

export const takeScans = (take: (text: string) => void): (() => void) =>
    onScan((text) => document.querySelector('[role=dialog]')
        ? say({ tone: 'attention', text: t.scan.busy(text) }) : take(text));
