/**
 * The lines that wait until the server accepts them. A server with spam protection drops a line that
 * comes too soon, without a word.
 *
 * @module
 */

import { count } from './typing.js';

/** The number of lines that may wait. */
const MOST = 3;

/** The wait after a line for each of its characters, at least for LEAST, and for the way, in ms. */
const EACH = 1000 / 16, LEAST = 1000, WAY = 100;

/**
 * @typedef {object} Waiting
 * @property {string} text
 * @property {() => void} send
 */

export class Queue {
	/** @type {Waiting[]} */
	#waiting = [];
	#sentAt = -Infinity;

	/**
	 * Sends a line now or later. It reports whether there was room for it.
	 * @param {string} text
	 * @param {number} now in ms
	 * @param {() => void} send
	 */
	add(text, now, send) {
		if (this.#waiting.length >= MOST) return false;
		this.#waiting.push({ text, send });
		this.step(now);
		return true;
	}

	/** Sends the next line if it is due. @param {number} now */
	step(now) {
		if (this.#waiting.length === 0 || this.wait(now) > 0) return;
		this.#sentAt = now;
		/** @type {Waiting} */ (this.#waiting.shift()).send();
	}

	/** The time until the next line is sent, in ms; 0 for none. @param {number} now */
	wait(now) {
		const next = this.#waiting[0];
		return next ? Math.max(0, this.#sentAt + Math.max(LEAST, EACH * count(next.text)) + WAY - now) : 0;
	}

	clear() {
		this.#waiting = [];
		this.#sentAt = -Infinity;
	}
}
