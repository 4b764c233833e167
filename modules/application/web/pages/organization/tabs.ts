// SPDX-License-Identifier: Apache-2.0
//
// The parts of the organization that are changed together.
import { t } from '../../texts/texts.ts';

export type Tab = keyof typeof t.organization.tabs;

export const tabs = Object.keys(t.organization.tabs) as Tab[];

export const isTab = (name: string | undefined): name is Tab => tabs.some((tab) => tab === name);
