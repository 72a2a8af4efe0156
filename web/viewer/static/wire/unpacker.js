/**
 * Reads integers of variable length and texts.
 * @module
 */

import { WireError } from './error.js';

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/**
 * Reads values from bytes, one after another. It throws a WireError at their end.
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

	/** The number of bytes left. */
	get left() {
		return this.end - this.pos;
	}

	/**
	 * Reads a 32-bit integer. The first byte has a bit that tells whether more bytes follow, the
	 * sign, and 6 bits. Each further byte has 7 bits, of which the fifth byte's count only 4.
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
	 * Reads a text up to its zero, and replaces forbidden characters.
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

/** White space and similar characters, which players use to appear nameless. */
const SPACE = /^[\x00-\x20\xa0\u034f\u2000-\u200f\u2028-\u202f\u205f-\u2064\u206a-\u206f\u3000\ufe00-\ufe0f\ufeff\ufff9-\ufffc]$/;

/**
 * Returns the start of the text after leading white space. Invalid UTF-8 counts as white space.
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
			// The original decoder accepts surrogates.
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
 * Returns the text of bytes, or an empty text if they are not UTF-8.
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
 * Returns a text that an object packs into integers, four bytes each, the highest byte first, with
 * 128 added to each byte.
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
