/**
 * Marks of the timeline: their texts, and the marks that a broadcast's server sends, so that the
 * page need not load the whole match for them.
 * @module
 */

import { clean } from './text.js';
import { MARK, TICKS_PER_SECOND } from './types.js';

/** The maximum number of marks in a file from a server. */
const MAX_MARKS = 20_000;

/**
 * The time between two requests for new marks, in ms. The segments of a live match contain the
 * newest marks.
 */
const EVERY = 10_000;

/** @typedef {import('./types.js').Mark} Mark */

/** The kinds of marks, by the servers' names. */
const KINDS = new Map([
	['kill', MARK.KILL], ['grab', MARK.GRAB], ['capture', MARK.CAPTURE], ['return', MARK.RETURN], ['drop', MARK.DROP], ['chat', MARK.CHAT],
	['finish', MARK.FINISH], ['round', MARK.ROUND],
]);

/**
 * The text of a mark.
 * @param {number} kind MARK
 * @param {string} name of the acting player; empty for none
 * @param {string} other name of the victim
 * @param {number} team of the flag
 * @param {number} value ticks since the flag was taken for a capture, the time in ms for a finish
 */
export function markText(kind, name, other, team, value) {
	const flag = team === 0 ? 'red' : 'blue';
	switch (kind) {
		case MARK.KILL: return name ? `${name} killed ${other}` : `${other} died`;
		case MARK.GRAB: return `The ${flag} flag was taken`;
		case MARK.CAPTURE: return `${name} captured the ${flag} flag (${(value / TICKS_PER_SECOND).toFixed(2)} s)`;
		case MARK.RETURN: return 'A flag was returned';
		case MARK.DROP: return 'A flag was dropped';
		case MARK.FINISH: return `${name} finished in ${(value / 1000).toFixed(3)} s`;
		case MARK.ROUND: return 'The round is over';
	}
	return name;
}

/**
 * Reads a file of marks.
 * @param {any} file the parsed JSON
 */
export function readMarks(file) {
	/** @type {Mark[]} */
	const marks = [];
	if (!Number.isInteger(file?.first) || !Number.isInteger(file.last) || !Array.isArray(file.marks)) throw new Error('invalid marks');
	for (const m of file.marks.slice(0, MAX_MARKS)) {
		const kind = KINDS.get(m?.kind);
		if (kind === undefined || !Number.isInteger(m.tick) || !Number.isInteger(m.id) || !Number.isInteger(m.other)) continue;
		const name = clean(String(m.name ?? '')), other = clean(String(m.other_name ?? ''));
		marks.push({ tick: m.tick, kind, id: m.id, other: m.other, text: markText(kind, name, other, m.other, Number(m.value) || 0) });
	}
	return { first: /** @type {number} */ (file.first), last: /** @type {number} */ (file.last), marks };
}

/** The server's marks of a match, file by file. */
export class ServerMarks {
	/** @param {(n: number) => Promise<Uint8Array | null>} load loads a file; null if there is none */
	constructor(load) {
		this.load = load;
		/**
		 * The files, by number; null for a missing file.
		 * @type {Array<{ last: number, marks: Mark[] } | null>}
		 */
		this.files = [];
		/** The number of segments per file; 0 if the server sends no marks. */
		this.segments = 0;
		/** Grows with every change. */
		this.version = 0;
		this.loading = false;
		this.wait = 0;
	}

	/**
	 * Fetches missing files, the newest first.
	 * @param {number} first the first segment available
	 * @param {number} last
	 * @param {number} missing the number of new segments in a file that is worth fetching it
	 * @param {(n: number) => boolean} known reports whether the marks of a segment are already
	 *   known
	 * @param {number} now in ms
	 */
	async update(first, last, missing, known, now) {
		const size = this.segments;
		if (this.loading || last < first || !(size > 0) || now < this.wait) return;
		this.loading = true;
		this.wait = now + EVERY;
		try {
			for (let n = Math.floor(last / size); n >= Math.floor(first / size); n--) {
				const f = this.files[n], end = Math.min(last, (n + 1) * size - 1);
				if (f === null) continue;
				let count = 0;
				for (let s = Math.max(first, f ? f.last + 1 : n * size); s <= end && count < missing; s++) if (!known(s)) count++;
				if (count < missing) continue;
				const bytes = await this.load(n);
				this.files[n] = bytes && readMarks(JSON.parse(new TextDecoder().decode(bytes)));
				this.version++;
			}
		} catch {
			// Try again later: a match can be watched without marks.
		} finally {
			this.loading = false;
		}
	}

	/**
	 * Drops the marks before a tick.
	 * @param {number} tick
	 */
	forget(tick) {
		for (const f of this.files) {
			if (f && f.marks.length > 0 && f.marks[0].tick < tick) {
				f.marks = f.marks.filter((m) => m.tick >= tick);
				this.version++;
			}
		}
	}
}
