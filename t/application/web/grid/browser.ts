// SPDX-License-Identifier: Apache-2.0
//
// Chromium with the page of this folder, served under the policy of the application.
import { mkdirSync, readFileSync } from 'node:fs';
import { type Server, createServer } from 'node:http';
import { join } from 'node:path';

import axe from 'axe-core';
import {
    type Browser as Chromium, type BrowserContextOptions, type Page, chromium,
} from 'playwright-core';

declare global {
    interface Window {
        heldTimeout: Window['setTimeout'];
    }
}

const built = process.env['LIMS_PAGE'] ?? '.';
const pictures = process.env['LIMS_PICTURES'] ?? join(built, 'pictures');

const policy = [
    "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' blob:",
    "font-src 'self'", "connect-src 'self'", 'frame-src blob:', "base-uri 'none'",
    "form-action 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'",
    'trusted-types default',
].join('; ');

const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Grid</title>
<link rel="icon" href="/icon.svg"><script src="/start.js"></script>
<link rel="stylesheet" id="react-aria-pressable-style" href="/theme.css">
<script type="module" src="/page.js"></script></head><body><div id="app" class="shell"></div></body></html>`;

const types: Record<string, string> = { js: 'text/javascript', css: 'text/css', svg: 'image/svg+xml' };

function serve(): Server {
    return createServer((request, response) => {
        const path = (request.url ?? '/').replace(/\?.*/, '');
        const type = types[path.replace(/.*\./, '')];
        response.writeHead(200, { 'Content-Type': type ?? 'text/html', 'Content-Security-Policy': policy });
        response.end(type ? readFileSync(join(built, path)) : html);
    });
}

export class Browser {
    // Violations of the policy, errors of the page, errors in its console.
    readonly complaints: string[] = [];
    readonly #server = serve();
    #chromium: Chromium | undefined;

    async start(): Promise<void> {
        await new Promise<void>((done) => this.#server.listen(0, '127.0.0.1', done));
        this.#chromium = await chromium.launch({
            executablePath: process.env['LIMS_CHROMIUM'] ?? '/usr/bin/chromium-headless-shell',
            args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
        });
    }

    async stop(): Promise<void> {
        await this.#chromium?.close();
        this.#server.close();
    }

    async page(query: string, how: BrowserContextOptions): Promise<Page> {
        const address = this.#server.address();
        const port = typeof address === 'object' ? address?.port : 0;
        const context = await this.#chromium!.newContext({ viewport: { width: 1366, height: 768 },
            permissions: ['clipboard-read', 'clipboard-write'], ...how });
        const page = await context.newPage();
        page.on('pageerror', (error) => this.complaints.push(error.message));
        page.on('console', (line) => line.type() === 'error' && this.complaints.push(line.text()));
        await page.goto(`http://127.0.0.1:${port}/?${query}`);
        return page;
    }

    // Returns the violations that axe-core finds: rule and element.
    async findings(page: Page): Promise<string[]> {
        await page.evaluate(axe.source);
        const found = await page.evaluate(() =>
            (window as unknown as { axe: typeof axe }).axe.run(document));
        return found.violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html}`));
    }

    // Types as a scanner does, with Enter behind it: 5 ms apart by the times of the keys, however
    // slowly they come, and no timer of the keyboard ends the scan early.
    async scan(page: Page, text: string): Promise<void> {
        const line = await page.context().newCDPSession(page);
        const enter = { key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 13, text: '\r' };
        const keys = [...[...text].map((key) => ({ key, text: key })), enter];
        const begin = Date.now() / 1000;
        await page.evaluate(() => {
            window.heldTimeout = window.setTimeout;
            window.setTimeout = ((call: () => void, after = 0) =>
                window.heldTimeout(call, after < 40 ? 5000 : after)) as Window['setTimeout'];
        });
        await Promise.all(keys.flatMap((key, i) => [
            line.send('Input.dispatchKeyEvent',
                { type: 'keyDown', timestamp: begin + i * 0.005, ...key }),
            line.send('Input.dispatchKeyEvent',
                { type: 'keyUp', timestamp: begin + i * 0.005, key: key.key }),
        ]));
        await page.evaluate(() => {
            window.setTimeout = window.heldTimeout;
        });
    }

    async picture(page: Page, name: string): Promise<void> {
        mkdirSync(pictures, { recursive: true });
        await page.screenshot({ path: join(pictures, `${name}.png`) });
    }

    // Milliseconds of the processor that a page takes for what is done: other programs take none
    // of them.
    async work(page: Page, act: () => Promise<unknown>): Promise<number> {
        const line = await page.context().newCDPSession(page);
        const taken = async (): Promise<number> => {
            const { metrics } = await line.send('Performance.getMetrics');
            return 1000 * (metrics.find(({ name }) => name === 'ThreadTime')?.value ?? NaN);
        };
        await line.send('Performance.enable', { timeDomain: 'threadTicks' });
        const before = await taken();
        await act();
        return Math.round(await taken() - before);
    }

    // Presses keys that type and that move, each when the one before is seen.
    async press(page: Page, keys: number): Promise<void> {
        for (let i = 0; i < keys; i++) {
            await page.keyboard.press(['7', '.', '1', 'Enter'][i % 4] ?? '7');
            await page.evaluate(() => new Promise((done) =>
                requestAnimationFrame(() => setTimeout(done))));
        }
    }
}
