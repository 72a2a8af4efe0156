/**
 * Marks of the timeline: what they say, and those that a broadcast's server keeps, so that not all of a match has
 * to be loaded for them.
 * @module
 */

import { clean } from './text.js';
import { MARK, TICKS_PER_SECOND } from './types.js';

/** The most marks in a file that a server may send. */
const MAX_MARKS = 20_000;

/** The time between two looks for new marks, in ms. Who follows a match live finds them in its segments. */
const EVERY = 10_000;

/** @typedef {import('./types.js').Mark} Mark */

/** The kinds of marks, as servers name them. */
const KINDS = new Map([
	['kill', MARK.KILL], ['grab', MARK.GRAB], ['capture', MARK.CAPTURE], ['return', MARK.RETURN], ['drop', MARK.DROP], ['chat', MARK.CHAT],
	['finish', MARK.FINISH], ['round', MARK.ROUND],
]);

/**
 * What a mark says.
 * @param {number} kind MARK
 * @param {string} name of who did it; empty for nobody
 * @param {string} other name of the victim
 * @param {number} team of the flag
 * @param {number} value of a capture the ticks since the flag was taken, of a finish the time in ms
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
 * @param {any} file as parsed
 */
export function readMarks(file) {
	/** @type {Mark[]} */
	const marks = [];
	if (!Number.isInteger(file?.first) || !Number.isInteger(file.last) || !Array.isArray(file.marks)) throw new Error('no marks');
	for (const m of file.marks.slice(0, MAX_MARKS)) {
		const kind = KINDS.get(m?.kind);
		if (kind === undefined || !Number.isInteger(m.tick) || !Number.isInteger(m.id) || !Number.isInteger(m.other)) continue;
		const name = clean(String(m.name ?? '')), other = clean(String(m.other_name ?? ''));
		marks.push({ tick: m.tick, kind, id: m.id, other: m.other, text: markText(kind, name, other, m.other, Number(m.value) || 0) });
	}
	return { first: /** @type {number} */ (file.first), last: /** @type {number} */ (file.last), marks };
}

/** The marks that a server has of a match, file by file. */
export class ServerMarks {
	/** @param {(n: number) => Promise<Uint8Array | null>} load loads a file; null if there is none */
	constructor(load) {
		this.load = load;
		/** The files, by number; null for one that is not there. @type {Array<{ last: number, marks: Mark[] } | null>} */
		this.files = [];
		/** How many segments a file is of; 0 if the server has none. */
		this.segments = 0;
		/** Grows with every change. */
		this.version = 0;
		this.loading = false;
		this.wait = 0;
	}

	/**
	 * Fetches what is missing, the newest first.
	 * @param {number} first segment that there is
	 * @param {number} last
	 * @param {number} missing how many segments of a file have to be new to fetch it
	 * @param {(n: number) => boolean} known reports whether the marks of a segment are known already
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
			// It is tried again: a match can be watched without marks.
		} finally {
			this.loading = false;
		}
	}

	/**
	 * Forgets those before a tick.
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
