/**
 * A match in pieces. Only pieces near the current moment are in memory.
 * @module
 */

import { CHUNK, ChunkReader, SnapshotReader } from '../wire/demo.js';
import { WireError } from '../wire/error.js';
import { Evolver } from './evolve.js';
import { EventFiller } from './eventfiller.js';
import { Events, Reading, readEvents } from './events.js';
import { MomentFiller, newFrame } from './moment.js';
import { EFFECT_TICKS, TICKS_PER_SECOND } from './types.js';

/** The limit for snapshots in memory, in integers, and the minimum number of pieces kept. */
const MAX_INTS = 16 << 20;
const MIN_PIECES = 4;
/** The limit for a single piece. Recorders write a keyframe every few seconds. */
const MAX_PIECE_INTS = 8 << 20;
/** The next piece is fetched this many ticks before the end of the loaded ones. */
const AHEAD = 4 * TICKS_PER_SECOND;

/** The text when a piece fails to load. Loading is retried as long as the piece is wanted. */
const NOT_LOADED = 'A part of the match cannot be loaded. Trying again.';

/**
 * A part of a match that begins with a keyframe.
 */
export class Piece {
	/**
	 * @param {number} firstTick
	 * @param {() => Promise<Uint8Array>} load loads its chunks
	 * @param {boolean} indexed whether its events are known
	 */
	constructor(firstTick, load, indexed) {
		this.firstTick = firstTick;
		this.load = load;
		this.indexed = indexed;
		/** @type {Promise<void> | null} */
		this.loading = null;
		/** The time of the last failed load, in ms of performance.now. */
		this.failedAt = -Infinity;
		/** @type {Frame[] | null} */
		this.frames = null;
		this.ints = 0;
		/** The rest of the piece; null when all frames are read. @type {ChunkReader | null} */
		this.chunks = null;
		/** The tick of the last marker if its snapshot has not been read, otherwise -1. */
		this.marked = -1;
		this.snapshots = new SnapshotReader();
		this.used = 0;
	}

	/** @param {Uint8Array} bytes */
	open(bytes) {
		this.frames = [];
		this.ints = 0;
		this.marked = -1;
		this.chunks = new ChunkReader(bytes);
		this.snapshots = new SnapshotReader();
	}

	/** Drops data that can be loaded again. */
	forget() {
		this.frames = this.chunks = null;
		this.ints = 0;
	}

	/**
	 * Reads frames until one lies after a tick, or all are read.
	 * @param {number} tick
	 */
	readBehind(tick) {
		const frames = this.frames;
		while (frames && this.chunks && (frames.length === 0 || frames[frames.length - 1].tick <= tick)) {
			try {
				if (!this.#readChunk(this.chunks)) {
					this.#unchanged();
					this.chunks = null;
				}
			} catch (e) {
				if (!(e instanceof WireError)) throw e;
			}
		}
	}

	/**
	 * Reads a chunk, and reports whether there was one.
	 * @param {ChunkReader} chunks
	 */
	#readChunk(chunks) {
		if (this.ints > MAX_PIECE_INTS || !chunks.advance()) return false;
		if (chunks.unknown || chunks.kind === CHUNK.MESSAGE) return true;
		if (chunks.kind === CHUNK.TICK) {
			this.#unchanged();
			this.marked = chunks.tick;
			return true;
		}
		const s = this.snapshots.read(chunks);
		if (s) this.#add(chunks.tick, s, true);
		this.marked = -1;
		return true;
	}

	/** Adds a frame for a marker without a snapshot, which means that nothing has changed. */
	#unchanged() {
		if (this.marked >= 0 && this.snapshots.last) this.#add(this.marked, this.snapshots.last, false);
		this.marked = -1;
	}

	/**
	 * Adds the snapshot of a tick.
	 * @param {number} tick
	 * @param {import('../wire/snapshot.js').Snapshot} s
	 * @param {boolean} isNew whether anything has changed
	 */
	#add(tick, s, isNew) {
		const frames = /** @type {Frame[]} */ (this.frames), last = frames[frames.length - 1];
		if (last && last.tick >= tick) return; // ticks of a valid recording do not go back
		if (isNew) this.ints += s.ints.length + 2 * s.keys.length;
		this.ints += 64;
		frames.push(isNew ? newFrame(tick, last ? last.tick : Math.max(0, tick - 2), s) : { tick, snapshot: s, effects: [] });
	}

	/**
	 * Returns the index of the last frame at or before a tick, or -1.
	 * @param {number} tick
	 */
	indexAt(tick) {
		/** @type {Frame[]} */
		const frames = this.frames ?? [];
		let lo = 0, hi = frames.length;
		while (lo < hi) {
			const mid = lo + hi >> 1;
			if (frames[mid].tick <= tick) lo = mid + 1;
			else hi = mid;
		}
		return lo - 1;
	}
}

/**
 * @typedef {import('./types.js').Match} Match
 * @typedef {import('./moment.js').Frame} Frame
 */

/**
 * A match made of pieces.
 * @implements {Match}
 */
export class Playback {
	/** @param {import('./types.js').MatchMap} map */
	constructor(map) {
		this.map = map;
		this.live = false;
		this.firstTick = 0;
		this.lastTick = 0;
		this.ended = false;
		this.problem = this.ending = '';
		this.indexed = 0;
		/** @type {Piece[]} */
		this.pieces = [];
		this.events = new Events();
		this.filler = new MomentFiller();
		this.closed = false;
		this.#moment = this.filler.moment;
	}

	/** @type {import('./types.js').Moment} */
	#moment;
	/** The piece that is needed but not loaded. @type {Piece | null | undefined} */
	#missing = null;
	/** The frame up to which effects are shown. @type {Frame | null} */
	#shown = null;
	#clock = 0;
	#eventFiller = new EventFiller();

	get marks() {
		return this.events.marks.events;
	}

	/**
	 * Adds a piece after the others, or before them.
	 * @param {Piece} piece
	 */
	add(piece) {
		const at = this.pieces.length > 0 && piece.firstTick < this.pieces[0].firstTick ? 0 : this.pieces.length;
		this.pieces.splice(at, 0, piece);
		this.firstTick = this.pieces[0].firstTick;
	}

	/**
	 * Sets the game layer of the map. Without it, some tees stay at old positions for some ticks
	 * and then jump.
	 * @param {number} width in tiles
	 * @param {number} height
	 * @param {Uint8Array} tiles row by row
	 */
	setTiles(width, height, tiles) {
		this.filler.evolver = new Evolver(width, height, tiles);
		this.filler.reset();
	}

	/** Stops all loading and drops all data. */
	close() {
		this.closed = true;
		this.pieces = [];
	}

	/**
	 * Returns the moment at a tick.
	 * @param {number} tick
	 */
	at(tick) {
		tick = Math.min(Math.max(tick, this.firstTick), this.lastTick);
		const m = this.#moment;
		m.ready = false;
		let i = this.#pieceAt(tick);
		for (;;) {
			const piece = this.pieces[i];
			this.#missing = piece;
			if (!piece || !this.#open(piece)) return m;
			piece.readBehind(tick);
			if (piece.frames?.length) break;
			this.pieces.splice(i, 1); // nothing of it is readable
			if (this.pieces.length === 0) this.problem = 'This recording is unreadable.';
			i = Math.max(0, i - 1);
		}
		this.#missing = null;
		if (this.problem === NOT_LOADED) this.problem = '';
		const piece = this.pieces[i], after = this.pieces[i + 1], before = this.pieces[i - 1];
		if (after && after.firstTick - tick < AHEAD) this.#open(after);
		if (before && tick - piece.firstTick < EFFECT_TICKS) this.#open(before);
		const frames = /** @type {Frame[]} */ (piece.frames);
		const k = piece.indexAt(tick), prev = frames[Math.max(k, 0)];
		if (!prev) return m;
		let next = frames[k + 1];
		if (!next && after?.loading) return m;
		if (!next && after?.frames) {
			after.readBehind(after.firstTick);
			next = after.frames[0];
		}
		next ??= prev;
		this.filler.fill(prev, next, tick);
		if (this.#shown !== next) {
			this.#shown = next;
			this.#fillEffects(i, next);
		}
		this.#eventFiller.fill(m, this.events, tick);
		return m;
	}

	/** @param {number} tick */
	#pieceAt(tick) {
		let lo = 0, hi = this.pieces.length;
		while (lo < hi) {
			const mid = lo + hi >> 1;
			if (this.pieces[mid].firstTick <= tick) lo = mid + 1;
			else hi = mid;
		}
		return Math.max(0, lo - 1);
	}

	/**
	 * Reports whether the events around a tick are known.
	 * @param {number} tick
	 */
	isIndexed(tick) {
		return this.pieces[this.#pieceAt(tick)]?.indexed ?? false;
	}

	/**
	 * Reports whether a piece is in memory, and loads it if it is not.
	 * @param {Piece} piece
	 */
	#open(piece) {
		piece.used = ++this.#clock;
		if (piece.frames) return true;
		if (!piece.loading && performance.now() - piece.failedAt > 1000) {
			piece.loading = piece.load().then((bytes) => {
				if (this.closed) return;
				piece.open(bytes);
				if (!piece.indexed) {
					piece.indexed = true;
					const r = new Reading();
					readEvents(r, new ChunkReader(bytes));
					this.events.insert(r);
				}
				this.#forgetOld();
			}).catch(() => {
				piece.failedAt = performance.now();
				if (piece === this.#missing) this.problem ||= NOT_LOADED; // neighbouring pieces are loaded ahead
			}).finally(() => {
				piece.loading = null;
			});
		}
		return false;
	}

	/** Drops the least recently used pieces beyond the limit. */
	#forgetOld() {
		const open = this.pieces.filter((p) => p.frames).sort((a, b) => a.used - b.used);
		let ints = open.reduce((sum, p) => sum + p.ints, 0);
		for (const p of open.slice(0, Math.max(0, open.length - MIN_PIECES))) {
			if (ints <= MAX_INTS && open.length <= 16) return;
			ints -= p.ints;
			open.shift();
			p.forget();
		}
	}

	/**
	 * Collects the effects of the last seconds.
	 * @param {number} i index of the piece
	 * @param {Frame} next
	 */
	#fillEffects(i, next) {
		const list = this.#moment.effects;
		list.length = 0;
		const from = next.tick - EFFECT_TICKS;
		let first = i;
		while (first > 0 && this.pieces[first].firstTick > from) first--;
		for (let p = first; p <= i + 1 && p < this.pieces.length; p++) {
			const piece = this.pieces[p], frames = piece.frames;
			if (!frames) continue;
			for (let k = Math.max(0, piece.indexAt(from)); k < frames.length && frames[k].tick <= next.tick; k++) {
				for (const e of frames[k].effects) list.items[list.length++] = e;
			}
		}
	}
}
