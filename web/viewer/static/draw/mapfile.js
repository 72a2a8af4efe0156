/**
 * Reads map files: a container of integer records and compressed blocks (versions 3 and 4) that
 * holds the layers of the map. Files come from strangers, so all declared sizes are checked.
 *
 * @module
 */

/**
 * @typedef {object} MapData
 * @property {MapImage[]} images
 * @property {Envelope[]} envelopes
 * @property {Group[]} groups
 * @property {TileLayer} game the game layer
 * @property {RaceLayers} race
 */
/**
 * @typedef {object} MapImage
 * @property {string} name file name without folder and extension
 * @property {number} width
 * @property {number} height
 * @property {boolean} external whether the image is in the client's data and not in the map
 * @property {Uint8Array|null} pixels RGBA from the top left
 */
/**
 * @typedef {object} Envelope
 * @property {boolean} synchronized with the ticks of the match
 * @property {EnvPoint[]} points
 */
/**
 * @typedef {object} EnvPoint
 * @property {number} time in ms
 * @property {number} curve to the next point: 0 step, 1 linear, 2 slow, 3 fast, 4 smooth, 5 Bézier
 * @property {number[]} values four, 22.10 fixed point
 * @property {number[]} tangents sixteen: in dx in ms, in dy, out dx, out dy, for four channels each
 */
/**
 * @typedef {object} Group
 * @property {number} offsetX in world units
 * @property {number} offsetY
 * @property {number} parallaxX percent
 * @property {number} parallaxY
 * @property {{x: number, y: number, w: number, h: number}|null} clip in world units
 * @property {(TileLayer|QuadLayer)[]} layers
 */
/**
 * @typedef {object} TileLayer
 * @property {'tiles'} type
 * @property {boolean} isGame
 * @property {number} kind bits: 1 the game layer, the others DDNet's
 * @property {boolean} detail
 * @property {number} width
 * @property {number} height
 * @property {number[]} color 0 to 255: red, green, blue, alpha
 * @property {number} colorEnv envelope, -1 for none
 * @property {number} colorEnvOffset in ms
 * @property {number} image -1 for none
 * @property {Uint8Array} tiles four bytes each: index, flags, skip, reserved
 */
/**
 * The layers of DDRace, row by row like the game layer; null if the map lacks them.
 * @typedef {object} RaceLayers
 * @property {Uint8Array|null} tele two bytes each: number, type
 * @property {Uint8Array|null} speedup six bytes each: force, most speed, type, 0, angle in degrees (16 bits)
 * @property {Uint8Array|null} front four bytes each: index, flags, 0, 0
 * @property {Uint8Array|null} switch four bytes each: number, type, flags, delay
 * @property {Uint8Array|null} tune two bytes each: zone, type
 */
/**
 * @typedef {object} QuadLayer
 * @property {'quads'} type
 * @property {boolean} detail
 * @property {number} image -1 for none
 * @property {Int32Array} quads 38 integers each: five points (x, y in 1/1024 unit), four colours (r, g, b,
 *   a), four texture coordinates (1/1024), position envelope and its offset in ms, colour envelope and offset
 */

/** The number of integers of a quad. */
export const QUAD_INTS = 38;

/** Tile indices of the game layer. */
export const TILE = Object.freeze({ AIR: 0, SOLID: 1, DEATH: 2, UNHOOKABLE: 3, ENTITIES: 192 });

/** The flags of tiles. */
export const TILE_FLAG = Object.freeze({ FLIP_X: 1, FLIP_Y: 2, OPAQUE: 4, ROTATE: 8 });

const ITEM = Object.freeze({ VERSION: 0, IMAGE: 2, ENVELOPE: 3, GROUP: 4, LAYER: 5, ENV_POINTS: 6 });
const LAYER_TILES = 2;
const LAYER_QUADS = 3;

/**
 * The layers of DDRace: the bit of their kind, and the bytes per tile.
 * @type {[keyof RaceLayers, number, number][]}
 */
const RACE_LAYERS = [['tele', 2, 2], ['speedup', 4, 6], ['front', 8, 4], ['switch', 16, 4], ['tune', 32, 2]];

/** The maximum memory for the blocks of a map, in bytes. */
const MAX_DECODED = 256 << 20;
/** The maximum numbers of records of a type, of layers, of quads, and of points of all envelopes. */
const MAX_RECORDS = 1 << 14, MAX_LAYERS = 4096, MAX_QUADS = 1 << 17, MAX_POINTS = 1 << 17;
/** The maximum number of bytes to which a compressed byte can expand. */
const MAX_RATIO = 1032;

class MapError extends Error {
	/** @param {string} what */
	constructor(what) {
		super(`The map cannot be shown: ${what}.`);
	}
}

/**
 * Reads a map file.
 * @param {Uint8Array} bytes
 * @returns {Promise<MapData>}
 */
export async function readMap(bytes) {
	const file = readContainer(bytes);
	/** @type {Budget} */
	const budget = { left: Math.min((64 << 20) + 64 * bytes.length, MAX_DECODED), layers: MAX_LAYERS, quads: MAX_QUADS };
	const block = (/** @type {number} */ i) => readBlock(file, i, budget);
	const version = file.items(ITEM.VERSION)[0];
	if (!version || version[0] !== 1) throw new MapError(`its version is ${version ? version[0] : 'missing'}, not 1`);

	const images = [];
	for (const it of file.items(ITEM.IMAGE)) images.push(await readImage(it, block));
	const groups = [];
	const layers = file.items(ITEM.LAYER);
	for (const it of file.items(ITEM.GROUP)) groups.push(await readGroup(it, layers, block, budget));

	// As in 0.7: the first game layer of the last group that has any.
	const group = groups.findLast((g) => g.layers.some((l) => l.type === 'tiles' && l.kind & 1));
	const game = /** @type {TileLayer|undefined} */ (group?.layers.find((l) => l.type === 'tiles' && l.kind & 1));
	if (!group || !game) throw new MapError('it has no game layer');
	game.isGame = true;
	Object.assign(group, { offsetX: 0, offsetY: 0, parallaxX: 100, parallaxY: 100, clip: null });
	const race = await readRaceLayers(layers, game, block);
	return { images, envelopes: readEnvelopes(file), groups, game, race };
}

/**
 * Reads only the game layer of a map file, which is much less work than the whole map.
 * @param {Uint8Array} bytes
 * @returns {Promise<TileLayer>}
 */
export async function readGameLayer(bytes) {
	const file = readContainer(bytes);
	const budget = { left: Math.min((64 << 20) + 64 * bytes.length, MAX_DECODED), layers: 1, quads: 0 };
	const layers = file.items(ITEM.LAYER);
	let game;
	for (const it of file.items(ITEM.GROUP)) {
		if (!(it[5] >= 0 && it[6] >= 0 && it[5] + it[6] <= layers.length)) throw new MapError('layers are missing');
		game = layers.slice(it[5], it[5] + it[6]).find((l) => l[1] === LAYER_TILES && l[6] & 1) ?? game;
	}
	if (!game) throw new MapError('it has no game layer');
	return readTileLayer(game, (i) => readBlock(file, i, budget), budget);
}

/**
 * What a map may still use. Records can share blocks and layers, so a small file can ask for much.
 * @typedef {object} Budget
 * @property {number} left bytes
 * @property {number} layers
 * @property {number} quads
 */
/**
 * @typedef {object} Container
 * @property {number} version
 * @property {Uint8Array[]} blocks as stored
 * @property {Int32Array} sizes of the blocks when decompressed; empty in version 3
 * @property {(type: number) => Int32Array[]} items the records of a type
 */

/**
 * @param {Uint8Array} bytes
 * @returns {Container}
 */
function readContainer(bytes) {
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	if (bytes.length < 36) throw new MapError(`it has ${bytes.length} bytes`);
	const signature = String.fromCharCode(...bytes.subarray(0, 4));
	if (signature !== 'DATA' && signature !== 'ATAD') throw new MapError('it does not begin with DATA');
	const version = view.getInt32(4, true);
	if (version !== 3 && version !== 4) throw new MapError(`the version of the file is ${version}, not 3 or 4`);
	const [numTypes, numItems, numBlocks, itemBytes, dataBytes] = [16, 20, 24, 28, 32].map((at) => view.getInt32(at, true));
	if (Math.min(numTypes, numItems, numBlocks, itemBytes, dataBytes) < 0) throw new MapError('it has negative sizes');
	const tables = 36 + 12 * numTypes + 4 * numItems + (version === 4 ? 8 : 4) * numBlocks;
	if (tables + itemBytes + dataBytes > bytes.length) throw new MapError('it is cut off');

	let at = 36;
	const ints = (/** @type {number} */ n) => {
		const out = new Int32Array(n);
		for (let i = 0; i < n; i++) out[i] = view.getInt32(at + 4 * i, true);
		at += 4 * n;
		return out;
	};
	const types = ints(3 * numTypes);
	const itemOffsets = ints(numItems);
	const blockOffsets = ints(numBlocks);
	const sizes = version === 4 ? ints(numBlocks) : new Int32Array(0);

	const data = bytes.subarray(tables + itemBytes, tables + itemBytes + dataBytes);
	const blocks = [];
	for (let i = 0; i < numBlocks; i++) {
		const end = i + 1 < numBlocks ? blockOffsets[i + 1] : dataBytes;
		if (blockOffsets[i] < 0 || blockOffsets[i] > end || end > dataBytes) throw new MapError(`block ${i} is outside of the file`);
		blocks.push(data.subarray(blockOffsets[i], end));
	}
	const items = (/** @type {number} */ type) => {
		const out = [];
		for (let t = 0; t < numTypes; t++) {
			if (types[3 * t] !== type) continue;
			const [first, count] = [types[3 * t + 1], types[3 * t + 2]];
			if (first < 0 || count < 0 || first + count > numItems) throw new MapError(`records of type ${type} are missing`);
			if (count > MAX_RECORDS) throw new MapError(`it has ${count} records of type ${type}`);
			let end = 0; // records must not overlap
			for (let i = first; i < first + count; i++) {
				const offset = itemOffsets[i];
				if (offset < end || offset + 8 > itemBytes) throw new MapError(`record ${i} is outside of the file`);
				at = tables + offset + 4;
				const size = view.getInt32(at, true);
				if (size < 0 || size % 4 || size > itemBytes - offset - 8) throw new MapError(`record ${i} is cut off`);
				at += 4;
				end = offset + 8 + size;
				out.push(ints(size / 4));
			}
			break;
		}
		return out;
	};
	return { version, blocks, sizes, items };
}

/**
 * @param {Container} file
 * @param {number} i
 * @param {Budget} budget
 * @returns {Promise<Uint8Array>}
 */
async function readBlock(file, i, budget) {
	const stored = file.blocks[i];
	if (!stored) throw new MapError(`block ${i} is missing`);
	const size = file.version === 4 ? file.sizes[i] : stored.length;
	if (size < 0 || size > budget.left) throw new MapError('it would need too much memory');
	budget.left -= size;
	if (file.version === 3) return stored;
	if (size > stored.length * MAX_RATIO) throw new MapError(`block ${i} has an impossible size of ${size} bytes`);
	const out = new Uint8Array(size);
	let n = 0;
	const reader = new Blob([/** @type {BlobPart} */ (stored)]).stream().pipeThrough(new DecompressionStream('deflate')).getReader();
	try {
		for (;;) {
			const { done, value } = await reader.read();
			if (done) break;
			if (n + value.length > size) throw new MapError(`block ${i} has more than its ${size} bytes`);
			out.set(value, n);
			n += value.length;
		}
	} catch (err) {
		reader.cancel().catch(() => {});
		if (err instanceof MapError || n < size) throw err instanceof MapError ? err : new MapError(`block ${i} cannot be unpacked`);
	}
	if (n !== size) throw new MapError(`block ${i} has ${n} bytes instead of ${size}`);
	return out;
}

/**
 * @param {Int32Array} it
 * @param {(i: number) => Promise<Uint8Array>} block
 * @returns {Promise<MapImage>}
 */
async function readImage(it, block) {
	if (it.length < 6) throw new MapError('the record of an image is too short');
	const [width, height, external] = [it[1], it[2], it[3] !== 0];
	let name = '';
	if (it[4] >= 0) {
		const bytes = await block(it[4]);
		const end = bytes.indexOf(0);
		name = new TextDecoder().decode(end < 0 ? bytes : bytes.subarray(0, end));
	}
	let pixels = null;
	if (!external && it[5] >= 0 && width > 0 && height > 0 && width <= 8192 && height <= 8192) {
		const data = await block(it[5]);
		const n = width * height;
		if (data.length >= 4 * n) pixels = data.subarray(0, 4 * n);
		else if (data.length >= 3 * n) pixels = withAlpha(data, n);
		else throw new MapError(`the image ${name} is cut off`);
	}
	return { name, width, height, external, pixels };
}

/**
 * @param {Uint8Array} rgb
 * @param {number} n number of pixels
 */
function withAlpha(rgb, n) {
	const out = new Uint8Array(4 * n).fill(255);
	for (let i = 0; i < n; i++) {
		out[4 * i] = rgb[3 * i];
		out[4 * i + 1] = rgb[3 * i + 1];
		out[4 * i + 2] = rgb[3 * i + 2];
	}
	return out;
}

/**
 * @param {Container} file
 * @returns {Envelope[]}
 */
function readEnvelopes(file) {
	const items = file.items(ITEM.ENVELOPE);
	const points = file.items(ITEM.ENV_POINTS)[0] ?? new Int32Array(0);
	const stride = items.some((it) => it[0] >= 3) ? 22 : 6; // a file uses one size for all its envelope points
	let left = MAX_POINTS;
	return items.map((it) => {
		const [first, n] = [it[2], it[3]];
		if (!(first >= 0 && n >= 0 && (first + n) * stride <= points.length)) throw new MapError('points of an envelope are missing');
		if ((left -= n) < 0) throw new MapError('its envelopes have too many points');
		const out = [];
		let time = -Infinity; // never goes back, so that a place is found fast
		for (let at = first * stride; at < (first + n) * stride; at += stride) {
			const tangents = stride === 22 ? Array.from(points.subarray(at + 6, at + 22)) : [];
			time = Math.max(time, points[at]);
			out.push({ time, curve: points[at + 1], values: Array.from(points.subarray(at + 2, at + 6)), tangents });
		}
		return { synchronized: it[0] < 2 || it[12] !== 0, points: out };
	});
}

/**
 * @param {Int32Array} it
 * @param {Int32Array[]} layers
 * @param {(i: number) => Promise<Uint8Array>} block
 * @param {Budget} budget
 * @returns {Promise<Group>}
 */
async function readGroup(it, layers, block, budget) {
	const [first, n] = [it[5], it[6]];
	if (!(first >= 0 && n >= 0 && first + n <= layers.length)) throw new MapError('layers are missing');
	if ((budget.layers -= n) < 0) throw new MapError('it has too many layers');
	const clip = it[0] >= 2 && it[7] ? { x: it[8], y: it[9], w: it[10], h: it[11] } : null;
	const group = { offsetX: it[1], offsetY: it[2], parallaxX: it[3], parallaxY: it[4], clip, layers: /** @type {any[]} */ ([]) };
	for (let i = first; i < first + n; i++) {
		const l = layers[i];
		if (l[1] === LAYER_TILES) group.layers.push(await readTileLayer(l, block, budget));
		if (l[1] === LAYER_QUADS) group.layers.push(await readQuadLayer(l, block, budget));
	}
	return group;
}

/**
 * @param {Int32Array} l
 * @param {(i: number) => Promise<Uint8Array>} block
 * @param {Budget} budget
 * @returns {Promise<TileLayer>}
 */
async function readTileLayer(l, block, budget) {
	if (l.length < 15) throw new MapError('the record of a tile layer is too short');
	const [version, width, height] = [l[3], l[4], l[5]];
	const n = width * height;
	if (!(width > 0 && height > 0)) throw new MapError(`a layer has ${width} by ${height} tiles`);
	const data = l[14] === -1 ? new Uint8Array(0) : await block(l[14]);
	let tiles = data;
	if (version >= 4) {
		if (data.length * 64 < n) throw new MapError('a layer is cut off');
		if (4 * n > budget.left) throw new MapError('it would need too much memory');
		budget.left -= 4 * n;
		tiles = readRuns(data, n);
	} else if (data.length < 4 * n) throw new MapError('a layer is cut off');
	return {
		type: 'tiles', isGame: false, kind: l[6], detail: (l[2] & 1) !== 0, width, height,
		color: Array.from(l.subarray(7, 11)), colorEnv: l[11], colorEnvOffset: l[12], image: l[13],
		tiles: tiles.subarray(0, 4 * n),
	};
}

/**
 * Reads the layers of DDRace, the last of each kind. Rows below the game layer's are ignored.
 * @param {Int32Array[]} layers
 * @param {TileLayer} game
 * @param {(i: number) => Promise<Uint8Array>} block
 * @returns {Promise<RaceLayers>}
 */
async function readRaceLayers(layers, game, block) {
	/** @type {RaceLayers} */
	const race = { tele: null, speedup: null, front: null, switch: null, tune: null };
	for (const [i, [name, kind, size]] of RACE_LAYERS.entries()) {
		const l = layers.findLast((it) => it[1] === LAYER_TILES && it[6] & kind);
		if (!l) continue;
		const n = game.width * game.height * size;
		const at = (l[3] >= 3 ? 18 : 15) + i;
		const data = at < l.length ? await block(l[at]) : null;
		if (l[4] !== game.width || l[5] < game.height || !data || data.length < n) continue; // a layer of the wrong size is not drawn
		race[name] = data.subarray(0, n);
	}
	return race;
}

/**
 * Reads the tiles of version 4. Each tile states how often it is repeated.
 * @param {Uint8Array} data
 * @param {number} n
 */
function readRuns(data, n) {
	const out = new Uint8Array(4 * n);
	let [at, to] = [0, 0];
	while (to < out.length) {
		if (at + 4 > data.length) throw new MapError('a layer is cut off');
		for (let run = data[at + 2]; run >= 0 && to < out.length; run--) {
			out[to] = data[at];
			out[to + 1] = data[at + 1];
			out[to + 3] = data[at + 3];
			to += 4;
		}
		at += 4;
	}
	return out;
}

/**
 * @param {Int32Array} l
 * @param {(i: number) => Promise<Uint8Array>} block
 * @param {Budget} budget
 * @returns {Promise<QuadLayer>}
 */
async function readQuadLayer(l, block, budget) {
	if (l.length < 7) throw new MapError('the record of a layer of quads is too short');
	const n = l[4];
	let quads = new Int32Array(0);
	if ((budget.quads -= n) < 0) throw new MapError('it has too many quads');
	if (n !== 0) {
		const data = await block(l[5]);
		if (n < 0 || n * QUAD_INTS * 4 > data.length) throw new MapError('a layer of quads is cut off');
		quads = new Int32Array(n * QUAD_INTS);
		const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
		for (let i = 0; i < quads.length; i++) quads[i] = view.getInt32(4 * i, true);
	}
	return { type: 'quads', detail: (l[2] & 1) !== 0, image: l[6], quads };
}
