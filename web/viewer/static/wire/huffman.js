/**
 * The Huffman code of packets and demos: the codes of the bytes and of an end symbol, packed from
 * the lowest bit of each byte upwards.
 * @module
 */

import { WireError } from './error.js';

/** The weight of each byte and of the end symbol, as defined by the protocol. */
const FREQUENCIES = [
	1073741824, 4545, 2657, 431, 1950, 919, 444, 482, 2244, 617, 838, 542, 715, 1814, 304, 240, 754, 212, 647, 186, 283, 131, 146, 166, 543,
	164, 167, 136, 179, 859, 363, 113, 157, 154, 204, 108, 137, 180, 202, 176, 872, 404, 168, 134, 151, 111, 113, 109, 120, 126, 129, 100, 41,
	20, 16, 22, 18, 18, 17, 19, 16, 37, 13, 21, 362, 166, 99, 78, 95, 88, 81, 70, 83, 284, 91, 187, 77, 68, 52, 68, 59, 66, 61, 638, 71, 157,
	50, 46, 69, 43, 11, 24, 13, 19, 10, 12, 12, 20, 14, 9, 20, 20, 10, 10, 15, 15, 12, 12, 7, 19, 15, 14, 13, 18, 35, 19, 17, 14, 8, 5, 15, 17,
	9, 15, 14, 18, 8, 10, 2173, 134, 157, 68, 188, 60, 170, 60, 194, 62, 175, 71, 148, 67, 167, 78, 211, 67, 156, 69, 1674, 90, 174, 53, 147,
	89, 181, 51, 174, 63, 163, 80, 167, 94, 128, 122, 223, 153, 218, 77, 200, 110, 190, 73, 174, 69, 145, 66, 277, 143, 141, 60, 136, 53, 180,
	57, 142, 57, 158, 61, 166, 112, 152, 92, 26, 22, 21, 28, 20, 26, 30, 21, 32, 27, 20, 17, 23, 21, 30, 22, 22, 21, 27, 25, 17, 27, 23, 18,
	39, 26, 15, 21, 12, 18, 18, 27, 20, 18, 15, 19, 11, 17, 33, 12, 18, 15, 19, 18, 16, 26, 17, 18, 9, 10, 25, 22, 22, 17, 20, 16, 6, 16, 15,
	20, 14, 18, 24, 335, 1,
];

const SYMBOLS = FREQUENCIES.length;
const END = SYMBOLS - 1;
const ROOT_BITS = 11;
const ROOT_MASK = (1 << ROOT_BITS) - 1;

/** The two children of each node; nodes below SYMBOLS are leaves. */
const children = new Uint16Array(4 * SYMBOLS);

/** By the next bits of input: symbol << 4 | length of its code or, for longer codes, node << 4. */
const roots = new Uint16Array(1 << ROOT_BITS);

/**
 * Builds the tree. The order of equal weights matters. The list of open nodes is sorted by
 * descending weight, and a new node follows those of equal weight. The last two are joined; the
 * last one becomes the branch of bit 0.
 */
function build() {
	const weights = FREQUENCIES.slice();
	/** @type {number[]} */
	const open = [];
	const place = (/** @type {number} */ node) => {
		let at = open.length;
		while (at > 0 && weights[open[at - 1]] < weights[node]) at--;
		open.splice(at, 0, node);
	};
	for (let i = 0; i < SYMBOLS; i++) place(i);
	while (open.length > 1) {
		const zero = /** @type {number} */ (open.pop()), one = /** @type {number} */ (open.pop());
		const node = weights.length;
		children[2 * node] = zero;
		children[2 * node + 1] = one;
		weights.push(weights[zero] + weights[one]);
		place(node);
	}
	for (let input = 0; input < roots.length; input++) {
		let node = open[0], used = 0;
		while (node >= SYMBOLS && used < ROOT_BITS) node = children[2 * node + (input >> used++ & 1)];
		roots[input] = node << 4 | (node < SYMBOLS ? used : 0);
	}
}

build();

/**
 * Decompresses src[from..to) to dst and returns the number of bytes written. It throws a WireError
 * if the end symbol is missing or dst is too small. It ignores bytes after the end symbol.
 * @param {Uint8Array} src
 * @param {number} from
 * @param {number} to
 * @param {Uint8Array} dst
 * @returns {number}
 */
export function decompress(src, from, to, dst) {
	let bits = 0, have = 0, at = 0;
	for (;;) {
		while (have <= 16 && from < to) {
			bits |= src[from++] << have;
			have += 8;
		}
		let entry = roots[bits & ROOT_MASK];
		let symbol = entry >> 4, used = entry & 15;
		if (used === 0) { // a long code: 15 bits at most
			used = ROOT_BITS;
			while (symbol >= SYMBOLS) symbol = children[2 * symbol + (bits >> used++ & 1)];
		}
		if (used > have) throw new WireError('compressed data ends too early');
		bits >>>= used;
		have -= used;
		if (symbol === END) return at;
		if (at >= dst.length) throw new WireError('compressed data is too long');
		dst[at++] = symbol;
	}
}
