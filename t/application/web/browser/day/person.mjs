// SPDX-License-Identifier: Apache-2.0
//
// A person at a keyboard of their own. Whatever they do is a key: there is nothing here that
// clicks. The clipboard is filled by another program, labels are read by a barcode reader, and
// a file is chosen in the dialog that a key has opened.
import { desk, is, ok, open, quiet, scan } from '../support.mjs';

// A person is slower than a barcode reader, whose keys come within 30 ms.
const BETWEEN_KEYS = 40;

const PATIENCE = 120_000;

// Until so long a cursor is waited for that does not move.
const END_OF_LIST = 10_000;

// How often a choice is typed anew, and after how long.
const TRIES = 5;
const FORGOTTEN = 1_500;

const STOPS = 60;
const ROWS = 200;

// Returns the accessible name of the element that has the focus.
const nameOfFocus = () => {
    const at = document.activeElement;
    const labels = [...at?.labels ?? []].map(({ textContent }) => textContent).join(' ');
    return (at?.getAttribute('aria-label') ?? (labels || at?.textContent) ?? '').trim();
};

const isChosen = (text) => {
    const at = document.activeElement;
    return at?.tagName !== 'SELECT'
        || at.selectedOptions[0]?.text.toLowerCase().startsWith(text.toLowerCase());
};

const shows = (pattern) => new RegExp(pattern, 's').test(document.body.innerText);

// The people of both laboratories are in one browser, which has one clipboard: one of them at a
// time copies and pastes, until the page has what was pasted.
let clipboard = Promise.resolve();

export class Person {
    constructor(email, here) {
        this.email = email;
        this.name = email.split('@')[0];
        this.here = here;
        this.page = here.page;
        // A loaded machine is slow, and no fault of the pages.
        this.page.setDefaultTimeout(PATIENCE);
        this.meant = [];
        this.page.on('filechooser', (chooser) => chooser.setFiles(this.file));
    }

    // At a browser of their own, before the page that asks who they are.
    static async arrives(browser, email) {
        const here = await desk(browser, { permissions: ['clipboard-read', 'clipboard-write'] });
        await open(here.page);
        await here.page.waitForSelector('#email:focus');
        return new Person(email, here);
    }

    async press(...keys) {
        for (const key of keys) {
            await this.page.keyboard.press(key);
            if (key.length === 1 || key === 'Space') {
                await this.page.waitForTimeout(BETWEEN_KEYS);
            }
        }
    }

    // A list of choices forgets what was typed when the next letter is late: then all again.
    async type(text) {
        for (let i = 0; i < TRIES; i++) {
            await this.page.keyboard.type(text, { delay: BETWEEN_KEYS });
            if (await this.page.evaluate(isChosen, text)) {
                return;
            }
            await this.page.waitForTimeout(FORGOTTEN);
        }
        throw new Error(`${this.name}: no choice begins with ${text}`);
    }

    // Tab, until what has this name has the focus; an input's text is selected then.
    async tabTo(name, key = 'Tab') {
        for (let i = 0; i < STOPS; i++) {
            if (name.test(await this.page.evaluate(nameOfFocus))) {
                return i;
            }
            await this.page.keyboard.press(key);
        }
        throw new Error(`${this.name}: ${key} comes to nothing that is called ${name}`);
    }

    async fill(name, text) {
        await this.tabTo(name);
        await this.type(text);
    }

    // Whatever can be done, and every place, is found by its words.
    async choose(words) {
        await this.page.waitForSelector('[role=dialog]', { state: 'detached' });
        await this.press('Control+k');
        await this.page.waitForSelector('[role=combobox]:focus');
        await this.type(words);
        await this.page.waitForFunction((text) => document.querySelector(
            '#quick [aria-selected=true]')?.textContent.toLowerCase().includes(text),
        words.toLowerCase(), { timeout: PATIENCE });
        await this.press('Enter');
    }

    // One row further down a list; false: there is none. A key takes its time, for it may
    // begin a scan.
    async next() {
        const place = () => document.querySelector('tr.cursor')?.rowIndex;
        const before = await this.page.evaluate(place);
        await this.press('j');
        return this.page.waitForFunction((index) =>
            document.querySelector('tr.cursor')?.rowIndex !== index, before,
        { timeout: END_OF_LIST }).then(() => true, () => false);
    }

    // Down a list, to the row that is so: by its name, or by a text in it.
    async toRow(isIt, what) {
        await this.page.waitForSelector('tr.cursor');
        await this.press('Home');
        do {
            if (isIt(await this.text('tr.cursor th'), await this.text('tr.cursor'))) {
                return;
            }
        } while (await this.next());
        throw new Error(`${this.name}: no row is ${what}`);
    }

    to(name) {
        return this.toRow((called) => called.trim() === name, `called ${name}`);
    }

    // Down a grid, to the row of this name.
    async down(name) {
        const at = () => this.page.evaluate(() => document.activeElement
            .closest('tr[data-row]')?.querySelector('.id')?.textContent.trim());
        for (let i = 0; i < ROWS; i++) {
            if (await at() === name) {
                return;
            }
            await this.press('ArrowDown');
        }
        throw new Error(`${this.name}: no row of the grid is called ${name}`);
    }

    // This row of a list and those below it, so many in all.
    async select(name, count) {
        await this.to(name);
        await this.press('x');
        for (let i = 1; i < count; i++) {
            await this.press('Shift+ArrowDown');
        }
        await this.sees(new RegExp(`${count} selected`), `${count} rows are selected`);
    }

    // A filter: what, and which of it.
    async filter(what, which) {
        await this.press('f');
        await this.page.waitForSelector('[role=dialog] select:focus');
        await this.type(what);
        await this.press('Tab');
        await this.type(which);
        await this.press('Tab', 'Enter');
    }

    // Opens the record with the name that is written on a label.
    async find(label) {
        await this.press('/');
        await this.page.waitForSelector('[name=scan]:focus');
        await this.type(label);
        await this.press('Enter');
        await this.page.waitForFunction((expected) =>
            document.querySelector('h1')?.textContent === expected, label, { timeout: PATIENCE });
    }

    async goTo(title) {
        await this.choose(title);
        await this.page.waitForFunction((expected) =>
            document.querySelector('h1')?.textContent === expected, title, { timeout: PATIENCE });
    }

    // The dialog that an act opened: what it asks for is typed where the cursor stands.
    async answer(text, then = 'Enter') {
        await this.page.waitForSelector('[role=dialog] :focus');
        await this.type(text);
        await this.press(then);
    }

    async confirm() {
        await this.page.waitForSelector('[role=dialog] [type=submit]:focus');
        await this.press('Enter');
    }

    sign() {
        return this.answer(process.env.LIMS_PASSWORD);
    }

    // Another program has put this on the clipboard.
    paste(text) {
        const pasted = clipboard.then(async () => {
            await this.page.evaluate((copied) => {
                window.pasted = new Promise((done) => {
                    window.addEventListener('paste', done, { capture: true, once: true });
                }).then(() => null);
                return navigator.clipboard.writeText(copied);
            }, text);
            await this.press('Control+v');
            await this.page.evaluate(() => window.pasted);
        });
        clipboard = pasted.catch(() => null);
        return pasted;
    }

    scan(label) {
        return scan(this.page, label);
    }

    // A file of their computer, in the dialog that the key opens.
    async giveFile(name, text) {
        this.file = { name, mimeType: 'text/csv', buffer: Buffer.from(text) };
        await this.press('Enter');
    }

    async sees(pattern, what) {
        if (!await this.until(shows, what, pattern.source)) {
            throw new Error(`${this.name} does not see ${pattern} at ${this.page.url()}`);
        }
    }

    text(selector = 'body') {
        return this.page.innerText(selector);
    }

    async until(condition, what, argument) {
        const held = await this.page.waitForFunction(condition, argument, { timeout: PATIENCE })
            .then(() => true, () => false);
        ok(held, `${this.name}: ${what}`, held ? '' : await this.text());
        return held;
    }

    async signIn(secret = process.env.LIMS_PASSWORD) {
        await this.type(this.email);
        await this.press('Tab');
        await this.type(secret);
        await this.press('Enter');
    }

    // Comes in, and stands before the first page of their role.
    static async at(browser, email) {
        const person = await Person.arrives(browser, email);
        await person.signIn();
        await person.page.waitForSelector('.rail a');
        return person;
    }

    // So many refusals of this kind are meant, in the words of the browser's console: any other
    // fails the test when the person leaves.
    meansRefusals(count, pattern) {
        this.meant.push({ count, pattern });
    }

    async leaves() {
        const { errors, expected } = this.here.seen;
        for (const { count, pattern } of this.meant) {
            is(errors.filter((line) => pattern.test(line)).length, count,
                `${this.name}: as many refusals as are meant`);
            expected.push(pattern);
        }
        quiet(this.here, `the browser of ${this.name}`);
        await this.here.context.close();
    }
}
