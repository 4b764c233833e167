// SPDX-License-Identifier: Apache-2.0
//
// A store as a component reads it.
import { useSyncExternalStore } from 'react';

import type { Store } from './store.ts';

export const useStore = <T>(store: Store<T>): T => useSyncExternalStore(store.subscribe, store.get);
