// SPDX-License-Identifier: Apache-2.0
//
// Runs before the page is painted: the theme and row height that the person chose, so
// that nothing flashes; and the policy under which the component library may empty an
// element (through innerHTML and the empty string), and nothing else may make markup.
import { chosen } from './theme/choice.ts';

interface TrustedTypes {
    createPolicy(name: string, rules: { createHTML(text: string): string }): unknown;
}

declare global {
    interface Window {
        trustedTypes?: TrustedTypes;
    }
}

function onlyEmpty(text: string): string {
    if (text !== '') {
        throw new TypeError('Markup is not made of text.');
    }
    return text;
}

window.trustedTypes?.createPolicy('default', { createHTML: onlyEmpty });

const { theme, rows } = chosen();
if (theme) {
    document.documentElement.dataset['theme'] = theme;
}
if (rows) {
    document.documentElement.dataset['rows'] = rows;
}
