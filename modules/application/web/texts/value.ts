// SPDX-License-Identifier: Apache-2.0
//
// A result with its qualifier, as every page writes it: "<0.05", "0.03 J", "ND". A file often
// says the qualifier in the text as well, where it is not written a second time.

export interface Valued {
    readonly result: string | null;
    readonly qualifier: string | null;
}

const SIGNED = /^\s*[<>]/;

// Returns the text of a value; typed into the bench, it means the same. Where sign and qualifier
// differ, the text stands alone: it is what the service judged.
export function valueOf({ result, qualifier }: Valued): string {
    if (result === null || qualifier === null) {
        return result ?? qualifier ?? '';
    }
    if (qualifier === '<' || qualifier === '>') {
        return SIGNED.test(result) ? result : `${qualifier}${result}`;
    }
    return result.trim().toUpperCase() === qualifier ? result : `${result} ${qualifier}`;
}
