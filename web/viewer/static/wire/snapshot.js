/**
 * Snapshots: all objects of a tick, sorted by key.
 * @module
 */

import { WireError } from './error.js';
import { OBJECTS } from './schema7_gen.js';

const MAX_ITEMS = 1023;
const MAX_BYTES = 64 << 10;

/** The sizes of objects that are sent without a size, by type; 0 for the others. */
const SIZES = new Uint8Array(OBJECTS.length);
OBJECTS.forEach((o, type) => {
	if (o && !o.dynamic) SIZES[type] = o.size;
});

/** @param {number} items @param {number} ints */
function fits(items, ints) {
	return items <= MAX_ITEMS && 8 + 12 * items + 4 * ints < MAX_BYTES;
}

/** An immutable set of objects. */
export class Snapshot {
	/**
	 * @param {number} length number of objects
	 * @param {Uint32Array} keys type << 16 | id, ascending
	 * @param {Uint16Array} offsets the start of each object in ints, and the end of the last one
	 * @param {Int32Array} ints
	 */
	constructor(length, keys, offsets, ints) {
		this.length = length;
		this.keys = keys;
		this.offsets = offsets;
		this.ints = ints;
	}

	/**
	 * Returns the index of the first object whose key is at least key.
	 * @param {number} key
	 */
	search(key) {
		let lo = 0, hi = this.length;
		while (lo < hi) {
			const mid = lo + hi >> 1;
			if (this.keys[mid] < key) lo = mid + 1;
			else hi = mid;
		}
		return lo;
	}

	/**
	 * Returns the start of an object's integers, or -1 if the object does not exist.
	 * @param {number} type
	 * @param {number} id
	 */
	find(type, id) {
		const key = type * 0x10000 + id, i = this.search(key);
		return i < this.length && this.keys[i] === key ? this.offsets[i] : -1;
	}
}

export const EMPTY = new Snapshot(0, new Uint32Array(0), new Uint16Array(1), new Int32Array(0));

// The objects are collected here before a Snapshot of the right size is made.
const keys = new Uint32Array(MAX_ITEMS + 1);
const starts = new Uint16Array(MAX_ITEMS + 1);
const ends = new Uint16Array(MAX_ITEMS + 1);
const ints = new Int32Array(MAX_BYTES / 4);
let count = 0, used = 0;

/**
 * Reserves space for an object, and returns the start of its integers.
 * @param {number} key
 * @param {number} n
 */
function add(key, n) {
	if (!fits(count + 1, used + n)) throw new WireError('a snapshot that is too large');
	const at = used;
	keys[count] = key;
	starts[count] = at;
	used += n;
	ends[count++] = used;
	return at;
}

/** @type {(a: number, b: number) => number} */
const byKey = (a, b) => keys[a] - keys[b] || a - b;

/**
 * Returns the indices of the collected objects sorted by key, or null if they are sorted already.
 * Of several objects with the same key only the last one counts.
 */
function sorted() {
	for (let i = 1; i < count; i++) {
		if (keys[i - 1] >= keys[i]) {
			const order = Array.from({ length: count }, (_, k) => k).sort(byKey);
			return order.filter((k, at) => at + 1 === order.length || keys[order[at + 1]] !== keys[k]);
		}
	}
	return null;
}

/**
 * Makes a snapshot of the collected objects and the remaining objects of a base.
 * @param {Snapshot} base
 * @param {Set<number> | null} deleted keys of deleted objects
 */
function finish(base, deleted) {
	const order = sorted();
	const n = order ? order.length : count;
	const s = new Snapshot(0, new Uint32Array(n + base.length), new Uint16Array(n + base.length + 1), new Int32Array(used + base.ints.length));
	let at = 0;
	for (let i = 0, j = 0; i < n || j < base.length;) {
		const k = order && i < n ? order[i] : i;
		if (i < n && (j >= base.length || keys[k] <= base.keys[j])) {
			if (j < base.length && keys[k] === base.keys[j]) j++;
			s.keys[s.length] = keys[k];
			s.offsets[s.length++] = at;
			for (let p = starts[k]; p < ends[k]; p++) s.ints[at++] = ints[p];
			i++;
			continue;
		}
		if (!deleted || !deleted.has(base.keys[j])) {
			s.keys[s.length] = base.keys[j];
			s.offsets[s.length++] = at;
			for (let p = base.offsets[j]; p < base.offsets[j + 1]; p++) s.ints[at++] = base.ints[p];
		}
		j++;
	}
	s.offsets[s.length] = at;
	if (!fits(s.length, at)) throw new WireError('a snapshot that is too large');
	return s;
}

/**
 * Reads a whole snapshot from a demo.
 * @param {import('./unpacker.js').Unpacker} u
 */
export function readSnapshot(u) {
	/** @type {number[]} */
	const all = [];
	while (u.left > 0) {
		if (all.length === MAX_BYTES / 4) throw new WireError('a snapshot that is too large');
		all.push(u.int());
	}
	const size = all[0], n = all[1];
	if (all.length < 2 || n < 0 || n > all.length - 2 || size !== 4 * (all.length - 2 - n)) throw new WireError('a snapshot of the wrong size');
	count = used = 0;
	for (let i = 0; i < n; i++) {
		const from = all[2 + i], to = i + 1 < n ? all[3 + i] : size;
		if (from < 0 || to > size || to - from < 4 || ((from | to) & 3) !== 0) throw new WireError('an object outside of its snapshot');
		const start = 2 + n + from / 4, end = 2 + n + to / 4;
		let at = add(all[start] >>> 0, end - start - 1);
		for (let p = start + 1; p < end; p++) ints[at++] = all[p];
	}
	return finish(EMPTY, null);
}

/** The index of an updated object among the collected ones, by key. */
const updated = new Map();

/**
 * Reads a snapshot that was sent as a delta to another one.
 *
 * Updates and deletions may be in any order. An update is added to the object of the base, even if
 * that is deleted. If the base lacks the object or has it in another size, the update replaces it. Of
 * several updates of a key the last one counts.
 * @param {Snapshot} base
 * @param {import('./unpacker.js').Unpacker} u
 */
export function applyDelta(base, u) {
	if (u.left === 0) return base;
	const numDeleted = u.int(), numUpdated = u.int();
	u.int();
	if (numDeleted < 0 || numUpdated < 0 || numDeleted > u.left) throw new WireError('a difference with a wrong number of objects');
	/** @type {Set<number> | null} */
	let deleted = null;
	for (let i = 0; i < numDeleted; i++) {
		deleted ??= new Set();
		deleted.add(u.int() >>> 0);
	}
	count = used = 0;
	updated.clear();
	for (let i = 0; i < numUpdated; i++) {
		const type = u.int(), id = u.int();
		if (type < 0 || type > 0xffff) throw new WireError('an object of impossible type');
		const n = (type < SIZES.length && SIZES[type]) || u.int();
		if (n < 0 || n > u.left) throw new WireError('an object of impossible size');
		const key = type * 0x10000 + (id & 0xffff);
		const before = base.search(key);
		let from = -1;
		if (before < base.length && base.keys[before] === key) {
			const size = base.offsets[before + 1] - base.offsets[before];
			if (size === n) from = base.offsets[before];
			else if (!deleted?.has(key)) throw new WireError('an object whose size changes');
		}
		let at;
		const known = updated.get(key);
		if (known === undefined) {
			updated.set(key, count);
			at = add(key, n);
		} else {
			at = starts[known];
			if (ends[known] - at !== n) throw new WireError('an object whose size changes');
		}
		for (let p = 0; p < n; p++) ints[at + p] = u.int() + (from < 0 ? 0 : base.ints[from + p]) | 0;
	}
	return finish(base, deleted);
}
