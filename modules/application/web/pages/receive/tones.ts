// SPDX-License-Identifier: Apache-2.0
//
// Two tones for those who look at the bottles and not at the page: high, it was received;
// low, look here.
import { chosen } from '../../theme/choice.ts';

let sound: AudioContext | null = null;

const LENGTH = 0.15;

export function tone(good: boolean): void {
    if (chosen().sound === 'off') {
        return;
    }
    sound ??= new AudioContext();
    const source = sound.createOscillator();
    const loudness = sound.createGain();
    const end = sound.currentTime + (good ? LENGTH : 3 * LENGTH);
    source.type = good ? 'sine' : 'square';
    source.frequency.value = good ? 1320 : 220;
    loudness.gain.value = 0.1;
    source.connect(loudness).connect(sound.destination);
    source.start();
    source.stop(end);
}
