/**
 * The resolution of the picture: lower where the graphics card is too slow for the screen.
 *
 * @module
 */

/** The shares of the screen's resolution. */
export const SCALES = Object.freeze([1, 0.8, 0.64, 0.5]);

/** A picture that takes longer than SLOW ms on average is too slow, and shorter than FAST ms is fast. */
const SLOW = 26, FAST = 18.5;

/** Pictures this long, in ms, are pauses of the page. They do not count. */
const PAUSE = 999;

/** The time for which pictures must be slow before the resolution falls, in ms. */
const PATIENCE = 1200;

/** The time for which pictures must be fast before it rises, in ms: at first, and after failures. */
const WAIT = 6000, LONGEST_WAIT = 600_000;

/** The weight of a picture in the average. */
const WEIGHT = 0.08;

/**
 * Follows the time between pictures. The resolution falls soon and rises late. If it falls soon
 * after it has risen, the next rise waits twice as long, so that it does not swing.
 */
export class Resolution {
	#step = 0;
	#average = 16;
	#slow = 0;
	#fast = 0;
	#wait = WAIT;
	/** The time since the last rise, in ms. */
	#sinceRise = Infinity;

	/** The share of the screen's resolution, up to 1. */
	get scale() {
		return SCALES[this.#step];
	}

	/**
	 * Takes note of a picture, and reports whether the resolution changes.
	 * @param {number} ms since the picture before
	 */
	update(ms) {
		if (!(ms > 0) || ms > PAUSE) return false;
		this.#average += (ms - this.#average) * WEIGHT;
		this.#sinceRise += ms;
		this.#slow = this.#average > SLOW ? this.#slow + ms : 0;
		this.#fast = this.#average < FAST ? this.#fast + ms : 0;
		if (this.#slow > PATIENCE && this.#step < SCALES.length - 1) {
			if (this.#sinceRise < 2 * this.#wait) this.#wait = Math.min(2 * this.#wait, LONGEST_WAIT);
			return this.#set(this.#step + 1);
		}
		if (this.#fast > this.#wait && this.#step > 0) {
			this.#sinceRise = 0;
			return this.#set(this.#step - 1);
		}
		return false;
	}

	/** @param {number} step */
	#set(step) {
		this.#step = step;
		this.#slow = this.#fast = 0;
		this.#average = (SLOW + FAST) / 2; // the pictures of another resolution tell nothing about this one
		return true;
	}
}
