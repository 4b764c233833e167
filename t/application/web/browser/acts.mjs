// SPDX-License-Identifier: Apache-2.0
//
// Counts what a person does beyond the data: clicks, fields that are typed (one for each,
// however long), keys that are no data, and confirmations. A field that is not yet in focus
// is a click as well, a choice of a list a click and a key. What is counted is done here, so
// that nothing is done and not counted.
import { press } from './support.mjs';

export class Acts {
    #clicks = 0;
    #fields = 0;
    #keys = 0;
    #confirmations = 0;

    async click(target) {
        this.#clicks++;
        await target.click();
    }

    // Types into the field in focus, with the reader's speed of a clipboard: characters are data.
    async type(page, text) {
        this.#fields++;
        await page.keyboard.insertText(text);
    }

    // Goes to a field and types.
    async fill(field, text) {
        await this.click(field);
        this.#fields++;
        await field.fill(text);
    }

    // Chooses of a list.
    async choose(list, option) {
        this.#clicks++;
        this.#keys++;
        await list.selectOption(option);
    }

    async press(page, ...keys) {
        this.#keys += keys.length;
        await press(page, ...keys);
    }

    // Answers a dialog by its button.
    async confirm(button) {
        this.#confirmations++;
        await button.click();
    }

    get all() {
        return this.#clicks + this.#fields + this.#keys + this.#confirmations;
    }

    toString() {
        return `${this.all} acts: ${this.#clicks} clicks, ${this.#fields} fields, `
            + `${this.#keys} keys, ${this.#confirmations} confirmations`;
    }
}
