/**
 * A match from a file on the user's device.
 * @module
 */

import { ChunkReader, HEADER_SIZE, isReadable, readHeader } from '../wire/demo.js';
import { WireError } from '../wire/error.js';
import { Reading, readEvents } from './events.js';
import { Piece, Playback } from './playback.js';
import { clean } from './text.js';
import { TICKS_PER_SECOND } from './types.js';

/** The bytes read at once. No chunk is larger than a part of it. */
const STEP = 512 << 10;

/** The version of demos from which on recorders write the length when they end. */
const WITH_MARKERS = 4;

/** The text at the end of a demo that is cut off. */
const CUT_OFF = 'The demo is cut off here: its recorder did not complete it, or the file is incomplete.';

/** The largest file that the server converts, in bytes. */
const MAX_UPLOAD = 32 << 20;

/**
 * Opens a recording: a 0.7 demo, or another recording that the server converts. It returns when the
 * beginning can be shown. It reads on in the background for marks and length, and keeps only the
 * shown part in memory. It throws a WireError if the file is not a recording.
 * @param {Blob} file
 * @param {string} [base] the path of the server
 * @returns {Promise<Playback>}
 */
export async function openFile(file, base = '') {
	let header = await headerOf(file);
	if (!header) {
		file = await convert(file, base);
		header = await headerOf(file);
	}
	if (!header) throw new WireError('The server converted the file into a demo that this page cannot read.');
	const read = async (/** @type {number} */ from, /** @type {number} */ to) => new Uint8Array(await file.slice(from, to).arrayBuffer());
	const start = header.size + header.mapSize;
	if (start > file.size) throw new WireError('The demo is cut off: it ends within its map.');
	const match = new Playback({
		name: clean(header.mapName), sha256: '',
		load: () => read(header.size, start),
	});
	let found = () => {};
	const beginning = new Promise((resolve) => { found = () => resolve(null); });
	index(match, header, file.size, read, found).then(found, (e) => {
		match.problem = `The file could not be read: ${e instanceof Error ? e.message : e}`;
		match.ended = true;
		found();
	});
	await beginning;
	if (match.pieces.length === 0) throw new WireError(match.problem || 'The demo has no snapshots.');
	return match;
}

/**
 * Returns the header of a demo, or null if the page cannot read it.
 * @param {Blob} file
 */
async function headerOf(file) {
	try {
		const header = readHeader(new Uint8Array(await file.slice(0, HEADER_SIZE).arrayBuffer()));
		return isReadable(header) ? header : null;
	} catch (e) {
		if (!(e instanceof WireError)) throw e;
		return null;
	}
}

/**
 * Lets the server convert a recording.
 * @param {Blob} file
 * @param {string} base
 */
async function convert(file, base) {
	if (file.size > MAX_UPLOAD) throw new WireError(`This is not a demo of Teeworlds 0.7, and the server converts only files of up to ${MAX_UPLOAD >> 20} MB.`);
	const r = await fetch(`${base}/convert`, { method: 'POST', body: file });
	if (!r.ok) throw new WireError(clean((await r.text()).slice(0, 300)));
	return r.blob();
}

/**
 * Finds the keyframes of a file and reads its messages.
 * @param {Playback} match
 * @param {import('../wire/demo.js').Header} header
 * @param {number} size of the file
 * @param {(from: number, to: number) => Promise<Uint8Array>} read
 * @param {() => void} found called when there is something to show
 */
async function index(match, header, size, read, found) {
	const r = new Reading();
	/**
	 * The last keyframe, whose end is not known yet.
	 * @type {{ tick: number, from: number } | null}
	 */
	let open = null;
	const finish = (/** @type {number} */ to) => {
		if (!open) return;
		const { tick, from } = open;
		match.add(new Piece(tick, () => read(from, to), true));
		open = null;
	};
	let tick = -1;
	let at = header.size + header.mapSize;
	while (at < size && !match.closed) {
		const bytes = await read(at, Math.min(size, at + STEP));
		const chunks = new ChunkReader(bytes);
		chunks.tick = tick;
		r.clear();
		readEvents(r, chunks, (t, place) => {
			if (open && t <= open.tick) return; // a valid recording does not go back
			finish(at + place);
			open = { tick: t, from: at + place };
		});
		tick = chunks.tick;
		match.events.insert(r);
		if (match.pieces.length > 0) {
			match.lastTick = match.indexed = open ? /** @type {{ tick: number }} */ (open).tick : tick;
			found();
		}
		const done = chunks.cutOff ? chunks.start : chunks.next;
		if (done === 0) break; // the rest is an incomplete chunk
		at += done;
		if (chunks.cutOff && at + bytes.length - done >= size) break;
	}
	finish(size);
	match.lastTick = match.indexed = Math.max(tick, match.firstTick);
	const seconds = Math.floor((match.lastTick - match.firstTick) / TICKS_PER_SECOND);
	const unfinished = header.length === 0 && seconds > 0 && header.version >= WITH_MARKERS;
	if (at < size || header.length > seconds || unfinished) match.ending = CUT_OFF;
	match.ended = true;
}
