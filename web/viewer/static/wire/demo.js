/**
 * Demos: the header, and the chunks that files and broadcast segments consist of.
 * @module
 */

import { WireError } from './error.js';
import { decompress } from './huffman.js';
import { readMessage } from './objects.js';
import { applyDelta, readSnapshot } from './snapshot.js';
import { Unpacker } from './unpacker.js';

const MAGIC = 'TWDEMO\0';
const BASE_SIZE = 176;
const MARKERS_SIZE = 4 + 4 * 64;
const EXTENSION_SIZE = 16 + 32;
const MAX_MAP = 64 << 20;

/** The size of the largest header. */
export const HEADER_SIZE = BASE_SIZE + MARKERS_SIZE + EXTENSION_SIZE;

/**
 * @typedef {object} Header
 * @property {number} version of the format
 * @property {string} netVersion of the game's protocol
 * @property {string} mapName
 * @property {number} mapSize in bytes; the map follows the header
 * @property {number} mapCRC
 * @property {string} type client or server
 * @property {number} length in seconds, 0 if unknown
 * @property {string} time start of the recording, as 2006-01-02_15-04-05
 * @property {number[]} markers ticks that the recording player marked
 * @property {number} size of the header in bytes
 */

/**
 * Reads the header of a demo. It throws a WireError if the bytes are not a demo.
 * @param {Uint8Array} b the first HEADER_SIZE bytes, or all if there are fewer
 * @returns {Header}
 */
export function readHeader(b) {
	const text = (/** @type {number} */ at, /** @type {number} */ n) => {
		const field = b.subarray(at, at + n), end = field.indexOf(0);
		return new TextDecoder().decode(end < 0 ? field : field.subarray(0, end));
	};
	if (b.length < 8 || String.fromCharCode(...b.subarray(0, 7)) !== MAGIC) throw new WireError('This file is not a demo.');
	const version = b[7];
	if (version < 3 || version > 6) throw new WireError(`This demo has version ${version}; this page reads versions 3 to 6.`);
	let size = BASE_SIZE;
	if (version >= 4) size += MARKERS_SIZE;
	if (version >= 6) size += EXTENSION_SIZE;
	if (b.length < size) throw new WireError('The demo is cut off: it ends within its header.');
	const view = new DataView(b.buffer, b.byteOffset, b.byteLength);
	const mapSize = view.getUint32(136);
	if (mapSize > MAX_MAP) throw new WireError(`The map in the demo has ${mapSize} bytes; at most ${MAX_MAP} are allowed.`);
	const markers = [];
	if (version >= 4) {
		const n = Math.min(64, view.getUint32(BASE_SIZE));
		for (let i = 0; i < n; i++) markers.push(view.getInt32(BASE_SIZE + 4 + 4 * i));
	}
	return {
		version, netVersion: text(8, 64), mapName: text(72, 64), mapSize, mapCRC: view.getUint32(140),
		type: text(144, 8), length: Math.max(0, view.getInt32(152)), time: text(156, 20), markers, size,
	};
}

/**
 * Reports whether the page can read a demo: those of 0.7. The server converts others.
 * @param {Header} h
 */
export function isReadable(h) {
	return h.version <= 4 && h.netVersion.startsWith('0.7 ');
}

export const CHUNK = Object.freeze({ TICK: 0, SNAPSHOT: 1, MESSAGE: 2, DELTA: 3 });

const MAX_UNPACKED = 64 << 10;
const packed = new Uint8Array(MAX_UNPACKED);
const message = new Uint8Array(MAX_UNPACKED);
const unpacker = new Unpacker();

/**
 * Steps through chunks without decoding them. The methods below decode the current chunk.
 */
export class ChunkReader {
	/**
	 * @param {Uint8Array} bytes
	 * @param {number} [from]
	 * @param {number} [to]
	 */
	constructor(bytes, from = 0, to = bytes.length) {
		this.bytes = bytes;
		/** The start of the next chunk. */
		this.next = from;
		this.end = to;
		/** The kind of the chunk, one of CHUNK; meaningless if unknown is set. @type {number} */
		this.kind = CHUNK.TICK;
		this.unknown = false;
		/** The start of the chunk. */
		this.start = from;
		/** The tick of the last marker, -1 before the first one. */
		this.tick = -1;
		/** Whether the marker starts a keyframe. */
		this.keyframe = false;
		/** Whether the bytes end within a chunk. */
		this.cutOff = false;
		this.content = from;
		this.size = 0;
	}

	/**
	 * Goes to the next chunk, and reports whether there is one. It throws a WireError at a relative
	 * marker without an absolute one before it, and at a tick that is not later than the last.
	 */
	advance() {
		const b = this.bytes;
		let at = this.next;
		if (at >= this.end) return false;
		this.start = at;
		const head = b[at++];
		this.unknown = false;
		if (head & 0x80) {
			this.kind = CHUNK.TICK;
			this.keyframe = (head & 0x40) !== 0;
			const since = head & 0x3f;
			let tick = this.tick + since;
			if (since === 0) {
				if (at + 4 > this.end) return this.#cut();
				tick = (b[at] << 24 | b[at + 1] << 16 | b[at + 2] << 8 | b[at + 3]);
				at += 4;
			}
			this.next = at;
			if (tick < 0 || tick > 0x7fffffff || since !== 0 && this.tick < 0) throw new WireError('a tick relative to an unknown tick');
			const before = this.tick;
			this.tick = tick;
			if (tick < before) throw new WireError('a tick before the last one');
			return true;
		}
		let size = head & 0x1f;
		if (size >= 30) {
			const more = size - 29;
			if (at + more > this.end) return this.#cut();
			size = more === 1 ? b[at] : b[at] | b[at + 1] << 8;
			at += more;
		}
		if (at + size > this.end) return this.#cut();
		this.kind = head >> 5;
		this.unknown = this.kind === 0;
		this.content = at;
		this.size = size;
		this.next = at + size;
		return true;
	}

	#cut() {
		this.cutOff = true;
		return false;
	}

	#unpack() {
		const n = this.size > 0 ? decompress(this.bytes, this.content, this.content + this.size, packed) : 0;
		return unpacker.reset(packed, 0, n);
	}

	/** Reads the whole snapshot in the chunk. */
	snapshot() {
		return readSnapshot(this.#unpack());
	}

	/**
	 * Reads the snapshot in the chunk as a delta to another one.
	 * @param {import('./snapshot.js').Snapshot} base
	 */
	delta(base) {
		return applyDelta(base, this.#unpack());
	}

	/** Reads the message in the chunk. */
	message() {
		const u = this.#unpack();
		let n = 0;
		while (u.left > 0) {
			if (n === MAX_UNPACKED) throw new WireError('a message that is too long');
			const v = u.int();
			message[n++] = v;
			message[n++] = v >> 8;
			message[n++] = v >> 16;
			message[n++] = v >> 24;
		}
		return readMessage(message, 0, n);
	}
}

/** Reads the snapshots of consecutive chunks, each from the previous one. */
export class SnapshotReader {
	constructor() {
		/** @type {import('./snapshot.js').Snapshot | null} */
		this.last = null;
	}

	/**
	 * Reads the snapshot in a chunk. It returns null for a delta to a snapshot that is missing or
	 * broken, and throws a WireError for a broken delta.
	 * @param {ChunkReader} chunk
	 */
	read(chunk) {
		const base = this.last;
		if (chunk.kind === CHUNK.DELTA && base === null) return null;
		this.last = null;
		this.last = chunk.kind === CHUNK.DELTA ? chunk.delta(/** @type {import('./snapshot.js').Snapshot} */ (base)) : chunk.snapshot();
		return this.last;
	}
}
