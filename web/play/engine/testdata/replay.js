/**
 * Replays recorded calls in the compiled program, and returns the hash of the shared memory after
 * each call.
 *
 * @module
 */

import { INPUT, LAYOUT, OWN, USED } from '/play/engine/memory.js';
import { wasi } from '/play/engine/wasi.js';

/** @param {{ Name: string, MS: number, Data: string }[]} calls */
export async function replay(calls) {
	// The token of the recording, and no other randomness.
	crypto.getRandomValues = (/** @type {any} */ bytes) => bytes.fill(0x11);
	const response = await fetch('/program.wasm');
	const { instance } = await WebAssembly.instantiateStreaming(response, wasi(() => instance.exports.memory, console.log));
	const w = /** @type {any} */ (instance.exports);
	w._initialize();
	const at = w.shared();
	const bytes = (/** @type {number} */ from, /** @type {number} */ n) => new Uint8Array(w.memory.buffer, at + from, n);
	const sums = [];
	for (const c of calls) {
		const data = Uint8Array.from(atob(c.Data ?? ''), (s) => s.charCodeAt(0));
		switch (c.Name) {
			case 'useMap':
				new Uint8Array(w.memory.buffer, w.room(data.length), data.length).set(data);
				w.useMap(c.MS, data.length);
				break;
			case 'frame':
				bytes(LAYOUT.INPUT, 4 * INPUT.LENGTH).set(data);
				w.frame(c.MS);
				break;
			default:
				bytes(LAYOUT.IN, data.length).set(data);
				w[c.Name](c.MS, data.length);
		}
		const used = new Int32Array(w.memory.buffer, at + LAYOUT.USED, USED.LENGTH);
		let h = 0x811c9dc5;
		for (const [from, n] of [
			[LAYOUT.STATE, 8 * 32], [LAYOUT.OWN, 8 * OWN.LENGTH], [LAYOUT.USED, 4 * USED.LENGTH],
			[LAYOUT.OUT, used[USED.OUT]], [LAYOUT.MESSAGES, used[USED.MESSAGES]], [LAYOUT.EVENTS, used[USED.EVENTS]], [LAYOUT.SNAPSHOTS, 4 * used[USED.SNAPSHOTS]],
		]) for (const b of bytes(from, n)) h = Math.imul(h ^ b, 0x01000193);
		sums.push(h >>> 0);
	}
	return { sums, memory: w.memory.buffer.byteLength };
}
