/**
 * Matches from a server's broadcast, in small files that any cache may store.
 * @module
 */

import { Download, NotThere } from './download.js';
import { ServerMarks } from './marks.js';
import { Piece, Playback } from './playback.js';
import { clean } from './text.js';

/**
 * The time between two updates in ms: normally, while the page is hidden, and at most after errors.
 */
const EVERY = 1000;
const EVERY_HIDDEN = 5000;
const LONGEST = 10_000;

/** The text while the server does not answer. */
const AWAY = 'The server does not answer. The match goes on here when it is back.';

/**
 * The time until the second update, in ms. Its answer must be fresh: bots join when a viewer comes,
 * and the server then plays several seconds ahead.
 */
const SECOND = 300;

/**
 * The number of further updates before the page shows a match that has ended and no next one has
 * begun.
 */
const BETWEEN = 4;

/** The gap in ticks beyond which a viewer who follows the match jumps to the new one at once. */
const FAR_AHEAD = 500;

/**
 * The shortest wait that the page mentions, in s. Shorter ones are the time to the next segment.
 */
const WORTH_SAYING = 3;

/** The distance from its end at which a match counts as shown to the end, in ticks. */
const AT_THE_END = 5;

/** The number of segments without marks from which on their marks are requested again. */
const FEW_SEGMENTS = 6;

/**
 * The content of live.json.
 * @typedef {object} Info
 * @property {string} match
 * @property {boolean} live
 * @property {string} [reason]
 * @property {{ name: string, sha256: string, size: number }} [map]
 * @property {number} first_tick
 * @property {number} segment_ticks
 * @property {number} [marked_segments]
 * @property {number} first
 * @property {number} last
 * @property {number} last_tick
 * @property {number} delay
 * @property {number} [wait]
 * @property {string} [previous]
 * @property {string} [next]
 */

/**
 * @typedef {object} Options
 * @property {(match: Broadcast) => void} onmatch called with the match to show, and again for the
 *   next one after the match has been shown to its end
 * @property {(text: string) => void} [onstatus] called with a text while there is no match
 * @property {string} [base] the path of the server
 * @property {() => boolean} [following] whether the viewer wants to see the newest moment
 * @property {string} [match] the id of the match, unless it is the current one
 * @property {number} [every] ms between two updates
 */

/** A match of a broadcast. */
export class Broadcast extends Playback {
	/**
	 * @param {string} base
	 * @param {Info} info
	 */
	constructor(base, info) {
		const { name = '', sha256 = '', size = 0 } = info.map ?? {};
		const download = new Download(`${base}/map/${encodeURIComponent(sha256)}`, {
			progress: (received, total) => this.map.onprogress?.(received, total || size),
		});
		super({ name: clean(name), sha256, load: () => download.load() });
		this.base = base;
		this.id = info.match;
		/** The delay behind the players, in seconds. */
		this.delay = 0;
		/** The ids of the previous and the next match; empty for none. */
		this.previous = this.following = '';
		/** The last tick that has been shown. */
		this.shown = -1;
		this.#last = info.first - 1;
		this.#serverMarks = new ServerMarks(async (n) => {
			try {
				return await fetchBytes(`${base}/b/${encodeURIComponent(this.id)}/${n}.marks`);
			} catch (err) {
				if (err instanceof NotThere) return null;
				throw err;
			}
		});
		this.update(info);
	}

	#serverMarks;
	/** @type {import('./types.js').Mark[]} */
	#marks = [];
	#marksVersion = -1;

	/**
	 * The marks of the loaded segments, and the server's for the rest.
	 * @override
	 */
	get marks() {
		const own = this.events.marks.events, version = this.events.version + this.#serverMarks.version;
		if (version === this.#marksVersion) return this.#marks;
		this.#marksVersion = version;
		this.#marks = own;
		for (const file of this.#serverMarks.files) {
			if (file) this.#marks = this.#marks.concat(file.marks.filter((m) => !this.isIndexed(m.tick)));
		}
		return this.#marks = this.#marks === own ? own.slice() : this.#marks.sort((a, b) => a.tick - b.tick);
	}

	/** The last segment that is known. */
	#last;

	/**
	 * Adds the news from an update.
	 * @param {Info} info
	 */
	update(info) {
		while (this.pieces.length > 0 && this.pieces[0].firstTick < info.first_tick + info.first * info.segment_ticks) this.pieces.shift();
		while (this.#last < info.last) {
			const n = Math.max(++this.#last, info.first);
			this.#last = n;
			this.add(new Piece(info.first_tick + n * info.segment_ticks, () => fetchBytes(`${this.base}/b/${encodeURIComponent(this.id)}/${n}.seg`), false));
		}
		if (this.pieces.length > 0) this.firstTick = this.pieces[0].firstTick;
		const m = this.#serverMarks;
		m.segments = info.marked_segments ?? 0;
		m.forget(this.firstTick);
		const missing = m.version === 0 || !info.live ? 1 : FEW_SEGMENTS;
		m.update(info.first, this.#last, missing, (n) => this.isIndexed(info.first_tick + n * info.segment_ticks), performance.now());
		this.lastTick = this.indexed = Math.max(this.lastTick, info.last_tick);
		this.live = info.live;
		this.ended = !info.live;
		this.delay = info.delay;
		this.previous = info.previous ?? '';
		this.following = info.next ?? '';
	}

	/**
	 * Starts loading the map and the segment of a tick while the viewer is being created.
	 * @param {number} tick
	 */
	prefetch(tick) {
		const { load } = this.map;
		const early = load();
		early.catch(() => {}); // the later load reports the error
		this.map.load = () => {
			this.map.load = load;
			return early;
		};
		this.at(tick);
	}

	/**
	 * @override
	 * @param {number} tick
	 */
	at(tick) {
		const m = super.at(tick);
		if (m.ready) this.shown = m.tick;
		return m;
	}
}

/**
 * Watches the current match, and the ones after it, until it is closed.
 */
export class Live {
	/** @param {Options} options */
	constructor(options) {
		this.options = options;
		this.base = options.base ?? '';
		/** @type {Broadcast | null} */
		this.match = null;
		this.closed = false;
		this.errors = 0;
		this.asked = 0;
		/** The number of updates in which the match had ended. */
		this.between = 0;
		/** The last text about the match. */
		this.said = '';
		/** @type {ReturnType<typeof setTimeout> | undefined} */
		this.timer = undefined;
		this.#ask();
	}

	/** Stops the updates. The match stays as it is. */
	close() {
		this.closed = true;
		clearTimeout(this.timer);
	}

	async #ask() {
		try {
			await this.#update();
			this.errors = 0;
		} catch (err) {
			this.errors++;
			const gone = this.options.match && err instanceof NotThere && !this.match;
			this.#say(gone ? 'The server does not have this match, or has deleted it.' : AWAY);
		}
		if (this.closed) return;
		const every = this.options.every ?? (++this.asked === 1 ? SECOND : document.hidden ? EVERY_HIDDEN : EVERY);
		this.timer = setTimeout(() => this.#ask(), Math.min(LONGEST, every * 2 ** Math.min(this.errors, 10)));
	}

	/** @param {string} text */
	#say(text) {
		if (this.closed) return;
		if (this.match) this.match.problem = this.said = text;
		else this.options.onstatus?.(text);
	}

	async #update() {
		const pinned = this.options.match;
		const info = await this.#read(pinned ? `b/${encodeURIComponent(pinned)}.json` : 'live.json', this.asked === 1 ? 'no-cache' : 'default');
		if (this.closed) return;
		if (!this.match) {
			if (info.match && !info.live && !pinned && this.between++ < BETWEEN) this.#say('Waiting for the next match.');
			else if (info.match && info.last >= 0) this.#open(info);
			else if (info.wait) this.#say(`The broadcast begins in ${Math.ceil(info.wait)} s.`);
			else this.#say(info.reason ? `There is nothing to watch: ${info.reason}.` : 'No match is running.');
			return;
		}
		const match = this.match;
		if (match.problem === this.said) match.problem = '';
		if (info.match === match.id) {
			match.update(info);
			const wait = Math.ceil(info.wait ?? 0);
			if (wait >= WORTH_SAYING && match.shown >= match.lastTick - AT_THE_END) {
				this.#say(`Matches with players are shown with a delay of ${info.delay} s. This one continues in ${wait} s.`);
			}
			return;
		}
		// First the rest of the old match, then the new one.
		if (!match.ended) {
			try {
				match.update(await this.#read(`b/${encodeURIComponent(match.id)}.json`));
			} catch {
				// The server no longer keeps the match, so the loaded part is all.
			}
			match.live = false;
			match.ended = true;
		}
		const left = match.lastTick - match.shown;
		const far = left + info.last_tick - info.first_tick > FAR_AHEAD && this.options.following?.();
		if (info.match && info.last >= 0 && (left <= AT_THE_END || far) && !this.closed) this.#open(info);
	}

	/** @param {Info} info */
	#open(info) {
		this.match = new Broadcast(this.base, info);
		this.options.onmatch(this.match);
	}

	/**
	 * @param {string} path
	 * @param {RequestCache} [cache]
	 * @returns {Promise<Info>}
	 */
	async #read(path, cache) {
		const info = JSON.parse(new TextDecoder().decode(await fetchBytes(`${this.base}/${path}`, cache)));
		for (const name of ['first_tick', 'segment_ticks', 'first', 'last', 'last_tick']) {
			if (!Number.isInteger(info[name])) throw new Error(`${path} lacks ${name}`);
		}
		if (typeof info.match !== 'string' || info.segment_ticks <= 0 || info.first < 0 || info.last - info.first > 1e6) throw new Error(`${path} is invalid`);
		return info;
	}
}

/**
 * @param {string} url
 * @param {RequestCache} [cache]
 */
function fetchBytes(url, cache = 'default') {
	return new Download(url, { cache }).load();
}
