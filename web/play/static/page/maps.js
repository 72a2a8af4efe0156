/**
 * Fetches and reads maps. The match behind the card and the match to play mostly have the same one.
 *
 * @module
 */

import { readMap } from '../../viewer/draw/mapfile.js';

/** @typedef {import('../../viewer/draw/mapfile.js').MapData} MapData */

/** The largest map, as for the engine, in bytes. */
const MAX_SIZE = 64 << 20;

/** The time without a byte after which a map is not waited for, in ms. */
const SILENT = 10_000;

/** The last map. @type {{ file: Uint8Array, data: MapData } | null} */
let last = null;

/** Ends when no map is being read. @type {Promise<unknown>} */
let reading = Promise.resolve();

/**
 * Reads a map's file, after those before it. It returns the same object if the file is the same as
 * the last one.
 *
 * @param {Uint8Array} file
 * @param {AbortSignal} [signal] ends the wait
 * @returns {Promise<MapData>}
 */
export function readMapOnce(file, signal) {
	const next = reading.then(async () => {
		signal?.throwIfAborted();
		const known = last;
		if (known && known.file.length === file.length && file.every((b, i) => b === known.file[i])) return known.data;
		const data = await readMap(file);
		last = { file, data };
		return data;
	});
	reading = next.catch(() => {});
	return next;
}

/**
 * Fetches a file of a known size. It returns null if the file is not there, has another size, or does
 * not come.
 *
 * @param {string} url
 * @param {number} size in bytes
 * @param {AbortSignal} [signal]
 * @param {(done: number) => void} [onprogress] called with the number of bytes that have come
 * @returns {Promise<Uint8Array | null>}
 */
export async function fetchFile(url, size, signal, onprogress) {
	if (!(size > 0 && size <= MAX_SIZE) || signal?.aborted) return null;
	const controller = new AbortController(), stop = () => controller.abort();
	signal?.addEventListener('abort', stop, { once: true });
	let timer = setTimeout(stop, SILENT), n = 0;
	try {
		const r = await fetch(url, { signal: controller.signal });
		if (!r.ok || !r.body) return null;
		const file = new Uint8Array(size), reader = r.body.getReader();
		for (;;) {
			const { done, value } = await reader.read();
			if (done) return n === size ? file : null;
			if (n + value.length > size) return null;
			file.set(value, n);
			n += value.length;
			onprogress?.(n);
			clearTimeout(timer);
			timer = setTimeout(stop, SILENT);
		}
	} catch {
		return null;
	} finally {
		clearTimeout(timer);
		stop();
	}
}
