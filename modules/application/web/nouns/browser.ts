// SPDX-License-Identifier: Apache-2.0
//
// The browser of a session.
import { t } from '../texts/texts.ts';

const words = t.account;

// The browser and the system, out of what a browser calls itself.
export function browserOf(agent: string | null): string {
    const browser = /(Edg|Firefox|Chrome|Version)\/(\d+)/.exec(agent ?? '');
    const system = /Windows|Android|iPhone|iPad|Mac OS X|Linux/.exec(agent ?? '')?.[0] ?? '';
    const [, name = '', version = ''] = browser ?? [];
    const names: Record<string, string> = { Edg: 'Edge', Version: 'Safari' };
    return browser ? words.browser(names[name] ?? name, version, system)
        : agent ?? words.noBrowser;
}
