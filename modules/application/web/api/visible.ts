// SPDX-License-Identifier: Apache-2.0
//
// Characters that nobody sees, or that turn the direction of what stands around them, would
// let a text read as another than it is (Unicode TR36, TR55). Pages show their number in
// their place: [U+202E].

// Control characters but for tab and line ends; zero-width space and joiner of words; marks
// that embed, override or isolate a direction; separators of lines; fillers; tags. Joiners
// and marks of direction that writing needs stay.
const HIDDEN = '\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f\\u00ad\\u180e\\u200b'
    + '\\u2028-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb\\u{e0000}-\\u{e007f}';

const isHidden = new RegExp(`[${HIDDEN}]`, 'u');
// Matches hidden characters in JSON, also those that are written as escapes; any other escape is
// left alone.
const anyHidden = new RegExp(isHidden, 'gu');
const inJSON = new RegExp(`[${HIDDEN}]|\\\\(?:u[0-9a-f]{4}|.)`, 'giu');
const mayHide = new RegExp(`[${HIDDEN}]|\\\\[ubf]`, 'iu');

const named = (character: string): string =>
    `[U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`;

function unescaped(text: string): string {
    return text === '\\b' ? '\b' : text === '\\f' ? '\f'
        : text.startsWith('\\u') ? String.fromCharCode(parseInt(text.slice(2), 16)) : text;
}

// Makes hidden characters visible in a text that does not come from the service, such as a part of
// the address.
export const visibleText = (text: string): string => text.replace(anyHidden, named);

// Parses JSON of an answer, with hidden characters in its texts made visible.
export function visible(json: string): string {
    return mayHide.test(json)
        ? json.replace(inJSON, (found) => {
            const character = unescaped(found);
            return isHidden.test(character) ? named(character) : found;
        })
        : json;
}
