/**
 * Objects and messages, decoded by the tables of the schema.
 * @module
 */

import { WireError } from './error.js';
import { MESSAGES, OBJECTS } from './schema7_gen.js';
import { Unpacker } from './unpacker.js';

/**
 * The ranges of objects, by type: offset, minimum and maximum of each integer with a range.
 * @type {Array<Int32Array | undefined>}
 */
const RANGES = OBJECTS.map((o) => o && Int32Array.from(o.fields.flatMap((f) => {
	if (f.min === undefined || f.max === undefined) return [];
	return Array.from({ length: f.count ?? 1 }, (_, i) => [/** @type {number} */ (f.at) + i, f.min, f.max]).flat();
})));

/**
 * Reports whether the i-th object of a snapshot has the size and the values that its type allows.
 * Invalid objects must be left out.
 * @param {import('./snapshot.js').Snapshot} s
 * @param {number} i
 */
export function isValid(s, i) {
	const type = s.keys[i] >>> 16, o = OBJECTS[type], at = s.offsets[i], ranges = RANGES[type];
	if (!o || !ranges || s.offsets[i + 1] - at !== o.size) return false;
	for (let r = 0; r < ranges.length; r += 3) {
		const v = s.ints[at + ranges[r]];
		if (v < ranges[r + 1] || v > ranges[r + 2]) return false;
	}
	return true;
}

/**
 * Returns the fields of an object by name, for tools and tests. The viewer reads the integers
 * directly.
 * @param {number} type
 * @param {Int32Array} ints
 * @param {number} at start of the integers
 */
export function readObject(type, ints, at) {
	/** @type {Record<string, unknown>} */
	const o = {};
	for (const f of OBJECTS[type]?.fields ?? []) {
		const value = (/** @type {number} */ i) => f.type === 'bool' ? ints[at + i] !== 0 : ints[at + i];
		const first = /** @type {number} */ (f.at);
		o[f.name] = f.count ? Array.from({ length: f.count }, (_, i) => value(first + i)) : value(first);
	}
	return o;
}

/**
 * A message from the server. The name is empty for unknown messages and for messages of the
 * connection.
 * @typedef {object} Message
 * @property {string} name
 * @property {Record<string, any>} fields
 */

/** The number of parameters of game messages that have parameters. */
const PARAMETERS = new Map([[6, 1], [7, 1], [8, 1], [9, 3], [10, 1]]);

const unpacker = new Unpacker();

/**
 * Reads a message with its id. Bytes after the message are ignored.
 * @param {Uint8Array} bytes
 * @param {number} from
 * @param {number} to
 * @returns {Message}
 */
export function readMessage(bytes, from, to) {
	const u = unpacker.reset(bytes, from, to);
	const id = u.int(), m = id & 1 ? undefined : MESSAGES[id >> 1];
	if (!m) return { name: '', fields: {} };
	/** @type {Record<string, any>} */
	const fields = {};
	if (m.name === 'Sv_GameMsg') {
		fields.Kind = u.int();
		if (fields.Kind < 0 || fields.Kind > 10) throw new WireError('a game message of impossible kind');
		fields.Params = [0, 0, 0];
		for (let i = 0; i < (PARAMETERS.get(fields.Kind) ?? 0); i++) fields.Params[i] = u.int();
	} else if (m.name === 'Sv_VoteOptionListAdd') {
		const n = u.int();
		if (n < 0) throw new WireError('a negative number of vote options');
		fields.Descriptions = [];
		for (let i = 0; i < n; i++) fields.Descriptions.push(u.string('cc')); // throws at the end of the bytes
	}
	for (const f of m.fields ?? []) {
		fields[f.name] = f.count ? Array.from({ length: f.count }, () => readField(u, f)) : readField(u, f);
	}
	return { name: m.name, fields };
}

/**
 * @param {Unpacker} u
 * @param {import('./schema7_gen.js').Field} f
 */
function readField(u, f) {
	if (f.type === 'string') return u.string(f.sanitize);
	const optional = f.type.endsWith('?');
	const v = optional && u.left === 0 ? 0 : u.int();
	if (f.min !== undefined && f.max !== undefined && (v < f.min || v > f.max)) throw new WireError(`a message with ${f.name} out of range`);
	return f.type.startsWith('bool') ? v !== 0 : v;
}
