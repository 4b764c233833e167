// SPDX-License-Identifier: Apache-2.0
//
// The catalogue in use. A language is a file of this folder beside en.ts, of its type.
import { en } from './en.ts';

export const t = en;
export const language = 'en-US';
