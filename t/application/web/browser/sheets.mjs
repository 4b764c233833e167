// SPDX-License-Identifier: Apache-2.0
//
// Contact sheets of pictures: six on each, and a page with all of them.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';

import { pictures } from './support.mjs';

const perSheet = 6;

// { a: [...], b: [...] } of what has the same key.
function grouped(taken, keyOf) {
    const groups = new Map();
    for (const one of taken) {
        groups.set(keyOf(one), [...groups.get(keyOf(one)) ?? [], one]);
    }
    return groups;
}

const markup = (title, taken, from) => `<!doctype html><meta charset="utf-8"><title>${title}</title>
<style>
body { margin: 8px; background: #777; color: #fff; font: 13px/20px sans-serif;
    display: grid; grid-template-columns: repeat(2, 772px); gap: 8px; }
figure { margin: 0; } img { display: block; width: 772px; } a { color: inherit; }
h1 { grid-column: 1 / -1; margin: 0; font-size: 16px; }
</style><h1>${title}</h1>
${taken.map(({ file, screen, state }) => `<figure><a href="${from}${file}"><img loading="lazy" alt=""
    src="${from}${file}"></a><figcaption>${screen}, ${state}</figcaption></figure>`).join('\n')}`;

// Answers how many pictures are on the sheets.
export async function sheets(browser, taken) {
    const folder = `${pictures}/sheets`;
    const page = await browser.newPage({ viewport: { width: 1568, height: 1000 } });
    let shown = 0;
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder);
    for (const [key, group] of grouped(taken, ({ state, size, theme }) =>
        `${state}-${size}-${theme}`)) {
        for (let i = 0; i < group.length; i += perSheet) {
            const name = `${key}-${String(i / perSheet + 1).padStart(2, '0')}`;
            const these = group.slice(i, i + perSheet);
            writeFileSync(`${folder}/${name}.html`, markup(name, these, '../')
                .replaceAll('loading="lazy"', ''));
            await page.goto(`file://${folder}/${name}.html`);
            await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
            rmSync(`${folder}/${name}.html`);
            shown += await page.evaluate(() =>
                [...document.images].filter(({ naturalWidth }) => naturalWidth > 0).length);
        }
    }
    writeFileSync(`${pictures}/index.html`, markup('Every screen', taken, ''));
    await page.close();
    return shown;
}
