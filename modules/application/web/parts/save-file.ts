// SPDX-License-Identifier: Apache-2.0
//
// Saves bytes that the page has, as the browser saves a file.
export function saveFile(name: string, bytes: Blob): void {
    const address = URL.createObjectURL(bytes);
    const link = document.createElement('a');
    link.href = address;
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
