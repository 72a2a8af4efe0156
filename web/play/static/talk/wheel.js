/**
 * The choice of an emoticon by a direction.
 *
 * @module
 */

/** The number of emoticons. They stand on a circle, the first one to the right. */
export const EMOTICONS = 16;

/** The expressions of a tee's eyes in the server's command, on an inner circle. */
export const EYES = Object.freeze(['happy', 'surprise', 'pain', 'angry', 'blink', 'normal']);

/** The distances at which the circles begin, and the longest one, in pixels. */
const INNER = 25, OUTER = 85, LONGEST = 150;

/**
 * What is chosen: an emoticon, or an expression of the eyes.
 * @typedef {{ circle: 'emoticons' | 'eyes', index: number }} Choice
 */

export class Wheel {
	x = 0;
	y = 0;
	/** Whether the server knows expressions of the eyes. */
	eyes = false;

	reset() {
		this.x = this.y = 0;
	}

	/** Moves by a step of the mouse. @param {number} dx @param {number} dy */
	move(dx, dy) {
		this.point(this.x + dx, this.y + dy);
	}

	/** Points somewhere. @param {number} x from the centre @param {number} y */
	point(x, y) {
		const d = Math.hypot(x, y), k = d > LONGEST ? LONGEST / d : 1;
		this.x = x * k;
		this.y = y * k;
	}

	/** @returns {Choice | null} */
	get choice() {
		const d = Math.hypot(this.x, this.y);
		if (d >= (this.eyes ? OUTER : INNER)) return { circle: 'emoticons', index: this.#index(EMOTICONS) };
		return d >= INNER ? { circle: 'eyes', index: this.#index(EYES.length) } : null;
	}

	/** @param {number} n the number of places of the circle */
	#index(n) {
		return (Math.round(Math.atan2(this.y, this.x) / (2 * Math.PI) * n) + n) % n;
	}
}
