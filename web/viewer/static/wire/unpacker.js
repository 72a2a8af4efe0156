/**
 * Reading integers of variable length and texts.
 * @module
 */

import { WireError } from './error.js';

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/**
 * Reads values from bytes, one after the other. It throws a WireError where they end.
 */
export class Unpacker {
	constructor() {
		/** @type {Uint8Array} */
		this.bytes = new Uint8Array(0);
		this.pos = 0;
		this.end = 0;
	}

	/**
	 * Starts reading bytes[from..to).
	 * @param {Uint8Array} bytes
	 * @param {number} from
	 * @param {number} to
	 * @returns {this}
	 */
	reset(bytes, from, to) {
		this.bytes = bytes;
		this.pos = from;
		this.end = to;
		return this;
	}

	/** The number of bytes that are left. */
	get left() {
		return this.end - this.pos;
	}

	/**
	 * Reads an integer of 32 bits: a bit that says whether more bytes follow, the sign, and 6 bits; each
	 * further byte has 7, of which the fifth counts only 4.
	 */
	int() {
		const b = this.bytes;
		if (this.pos >= this.end) throw new WireError('data ends before an integer');
		let c = b[this.pos++];
		const sign = -(c >> 6 & 1);
		let v = c & 0x3f;
		for (let shift = 6; c >= 0x80 && shift <= 27; shift += 7) {
			if (this.pos >= this.end) throw new WireError('data ends within an integer');
			c = b[this.pos++];
			v |= (shift === 27 ? c & 0x0f : c & 0x7f) << shift;
		}
		return v ^ sign;
	}

	/**
	 * Reads a text up to its zero, and replaces what it must not have.
	 * @param {string} [sanitize] lax: control characters but CR, LF and TAB become spaces; cc: all of them;
	 *   strict: and leading white space is dropped
	 */
	string(sanitize = '') {
		const end = this.bytes.indexOf(0, this.pos);
		if (end < 0 || end >= this.end) throw new WireError('a text without an end');
		let at = this.pos;
		this.pos = end + 1;
		if (sanitize === 'strict') at = skipSpace(this.bytes, at, end);
		const text = decoder.decode(this.bytes.subarray(at, end));
		switch (sanitize) {
			case 'lax':
				return text.replace(/[\x01-\x08\x0b\x0c\x0e-\x1f]/g, ' ');
			case 'cc': case 'strict':
				return text.replace(/[\x01-\x1f]/g, ' ');
		}
		return text;
	}
}

/** White space and what looks like it, which players use to seem nameless. */
const SPACE = /^[\x00-\x20\xa0\u034f\u2000-\u200f\u2028-\u202f\u205f-\u2064\u206a-\u206f\u3000\ufe00-\ufe0f\ufeff\ufff9-\ufffc]$/;

/**
 * Returns where the text begins behind leading white space, as which bytes that are not UTF-8 count.
 * @param {Uint8Array} bytes
 * @param {number} at
 * @param {number} end
 */
function skipSpace(bytes, at, end) {
	while (at < end) {
		const c = bytes[at];
		if (c > 0x20 && c < 0x80) return at;
		let size = c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
		const one = size === 1 ? String.fromCharCode(c) : strictly(bytes.subarray(at, Math.min(at + size, end)));
		if (one === '') {
			// The original's decoder takes surrogates.
			if (c === 0xed && at + 2 < end && (bytes[at + 1] & 0xe0) === 0xa0 && (bytes[at + 2] & 0xc0) === 0x80) return at;
			size = 1;
		} else if (!SPACE.test(one)) {
			return at;
		}
		at += size;
	}
	return end;
}

const strictDecoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Returns the text of bytes, empty if they are not UTF-8.
 * @param {Uint8Array} bytes
 */
function strictly(bytes) {
	try {
		return strictDecoder.decode(bytes);
	} catch {
		return '';
	}
}

/**
 * Returns the text that is packed into integers, four bytes each, as objects have it: the highest byte
 * first, with 128 added to each.
 * @param {Int32Array} ints
 * @param {number} at
 * @param {number} count of integers
 */
export function unpackText(ints, at, count) {
	const bytes = new Uint8Array(4 * count);
	let n = 0;
	for (; n < bytes.length - 1; n++) {
		const c = (ints[at + (n >> 2)] >>> (24 - 8 * (n & 3)) & 0xff) - 128 & 0xff;
		if (c === 0) break;
		bytes[n] = c;
	}
	return decoder.decode(bytes.subarray(0, n));
}
