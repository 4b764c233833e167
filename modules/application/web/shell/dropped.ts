// SPDX-License-Identifier: Apache-2.0
//
// Files that are dropped anywhere but on a place of their own: the page is never left for them, and
// whoever may import instrument files imports them.
import { useEffect } from 'react';

import { tell } from '../acting/action.ts';
import { may } from '../api/session.ts';

async function take(files: File[]): Promise<void> {
    const { importFiles } = await import('../actions/instrument-files.ts');
    await importFiles(files);
}

function onDrag(event: DragEvent): void {
    const { dataTransfer: brought } = event;
    if (event.defaultPrevented || !brought?.types.includes('Files')) {
        return;
    }
    event.preventDefault();
    const files = [...brought.files];
    if (!may('file.import') || document.querySelector('[role=dialog]')) {
        brought.dropEffect = 'none';
    } else if (event.type === 'drop' && files.length) {
        take(files).catch(tell);
    }
}

export function useDroppedFiles(): void {
    useEffect(() => {
        window.addEventListener('dragover', onDrag);
        window.addEventListener('drop', onDrag);
        return () => {
            window.removeEventListener('dragover', onDrag);
            window.removeEventListener('drop', onDrag);
        };
    }, []);
}
