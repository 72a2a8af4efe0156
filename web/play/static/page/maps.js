/**
 * Reads maps. The match behind the card and the match to play mostly have the same one.
 *
 * @module
 */

import { readMap } from '../../viewer/draw/mapfile.js';

/** @typedef {import('../../viewer/draw/mapfile.js').MapData} MapData */

/** The last map. @type {{ file: Uint8Array, data: MapData } | null} */
let last = null;

/**
 * Reads a map's file. It returns the same object if the file is the same as the last one.
 *
 * @param {Uint8Array} file
 * @returns {Promise<MapData>}
 */
export async function readMapOnce(file) {
	const known = last;
	if (known && known.file.length === file.length && file.every((b, i) => b === known.file[i])) return known.data;
	const data = await readMap(file);
	last = { file, data };
	return data;
}
