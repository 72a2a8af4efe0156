/**
 * Sticks: those of a gamepad, and those that a finger draws on a screen. Places are pixels.
 *
 * @module
 */

/**
 * Says which way a stick points, with a dead zone that is smaller once it points somewhere: a
 * finger that trembles at its edge does not stutter.
 */
export class Direction {
	/** @param {number} dead 0 to 1 */
	constructor(dead) {
		this.dead = dead;
		/** -1 left, 0 none, 1 right. */
		this.value = 0;
	}

	/** @param {number} x -1 to 1 */
	update(x) {
		const dead = this.value && Math.sign(x) === this.value ? this.dead * 0.7 : this.dead;
		this.value = Math.abs(x) > dead ? Math.sign(x) : 0;
		return this.value;
	}
}

/** A stick for left and right, which begins where the finger is put. */
export class MoveStick {
	#direction = new Direction(0.25);

	/** @param {number} radius */
	constructor(radius) {
		this.radius = radius;
		this.x = this.y = this.knobX = this.knobY = 0;
	}

	/** @param {number} x @param {number} y */
	start(x, y) {
		[this.x, this.y] = [this.knobX, this.knobY] = [x, y];
		return this.#direction.update(0);
	}

	/**
	 * Moves the finger. A stick follows a finger that leaves it, so that the way back is short.
	 * @param {number} x
	 * @param {number} y
	 * @returns the direction
	 */
	move(x, y) {
		const d = x - this.x;
		if (Math.abs(d) > this.radius) this.x = x - Math.sign(d) * this.radius;
		[this.knobX, this.knobY] = [x, Math.min(Math.max(y, this.y - this.radius), this.y + this.radius)];
		return this.#direction.update((x - this.x) / this.radius);
	}
}

/** The part of the ring from which on a stick that is pushed beyond it is back. */
const BACK = 0.85;

/** A stick that aims, and that can be pushed beyond its ring. */
export class AimStick {
	/**
	 * @param {number} radius
	 * @param {number} dead pixels from the start within which the finger does not aim
	 */
	constructor(radius, dead) {
		this.radius = radius;
		this.dead = dead;
		this.x = this.y = this.knobX = this.knobY = 0;
		/** Whether the finger has left the dead zone. */
		this.aims = false;
		/** Whether the finger is beyond the ring. */
		this.beyond = false;
		/** The aim: its length is 0 to 1. */
		this.aimX = this.aimY = 0;
	}

	/** @param {number} x @param {number} y */
	start(x, y) {
		[this.x, this.y] = [this.knobX, this.knobY] = [x, y];
		this.aims = this.beyond = false;
	}

	/** @param {number} x @param {number} y */
	move(x, y) {
		const dx = x - this.x, dy = y - this.y, d = Math.hypot(dx, dy), r = this.radius, k = d > r ? r / d : 1;
		[this.knobX, this.knobY] = [this.x + dx * k, this.y + dy * k];
		if (d > this.dead) this.aims = true;
		this.beyond = d > (this.beyond ? r * BACK : r);
		if (this.aims && d > 0) [this.aimX, this.aimY] = [dx * k / r, dy * k / r];
	}
}

/** The part of the way of a gamepad's stick within which it does not aim, and where its way ends. */
const DEAD = 0.25, FULL = 0.95;

/** The crosshair of a stick that is pushed a little, as a part of its longest distance. */
const NEAR = 0.25;

/**
 * Returns the aim of a gamepad's stick, with a length of NEAR to 1; null within the dead zone. The
 * length grows faster near the end, so that small pushes are exact.
 * @param {number} x -1 to 1
 * @param {number} y
 * @returns {[number, number] | null}
 */
export function stickAim(x, y) {
	const d = Math.hypot(x, y);
	if (!(d > DEAD)) return null;
	const way = Math.min((d - DEAD) / (FULL - DEAD), 1), k = (NEAR + (1 - NEAR) * way ** 1.5) / d;
	return [x * k, y * k];
}
