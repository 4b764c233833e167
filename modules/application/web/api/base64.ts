// SPDX-License-Identifier: Apache-2.0
//
// The bytes of a file as text that JSON can carry.
import { t } from '../texts/texts.ts';

export function base64Of(file: File): Promise<string> {
    return new Promise((resolve, reject) => {
        const reader = new FileReader();
        reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ''));
        reader.onerror = () => reject(new Error(t.record.unreadable(file.name)));
        reader.readAsDataURL(file);
    });
}
