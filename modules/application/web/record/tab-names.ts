// SPDX-License-Identifier: Apache-2.0
//
// The names of the tabs that every record has, as they stand in addresses.
export const recordTabs = ['history', 'signatures', 'files', 'comments'] as const;
