/**
 * The camera between the place of a death and the new tee.
 *
 * @module
 */

/** The time of the way to a tee in the picture, in seconds. */
const WAY = 0.3;

export class Comeback {
	/** Whether the camera has followed the tee. */
	#followed = false;
	#waits = false;
	/** The way from the tee to the camera at its beginning, in world units. */
	#dx = 0;
	#dy = 0;
	/** The share of the way that is left. */
	#left = 0;

	/** Forgets the tee, as when the player begins to watch, or the map changes. */
	forget() {
		this.#followed = this.#waits = false;
		this.#left = 0;
	}

	/** The tee is dead: the camera stays. */
	wait() {
		this.#waits = this.#followed;
		this.#left = 0;
	}

	/**
	 * Places the camera for a tee that is alive. It moves to a tee that is in the picture, and is at
	 * once with one that is elsewhere.
	 * @param {import('../../viewer/draw/camera.js').Camera} camera
	 * @param {number} x where the camera belongs, in world units
	 * @param {number} y
	 * @param {number} seconds since the picture before
	 * @param {boolean} still whether the player wants no motion
	 * @returns {boolean} whether the picture shows another place than the one before
	 */
	place(camera, x, y, seconds, still) {
		let cut = false;
		if (this.#waits) {
			this.#dx = camera.x - x;
			this.#dy = camera.y - y;
			cut = 2 * Math.abs(this.#dx) > camera.width * camera.zoom || 2 * Math.abs(this.#dy) > camera.height * camera.zoom;
			this.#left = cut || still ? 0 : 1;
		} else this.#left = Math.max(0, this.#left - seconds / WAY);
		this.#waits = false;
		this.#followed = true;
		const k = this.#left ** 3;
		camera.x = x + this.#dx * k;
		camera.y = y + this.#dy * k;
		return cut;
	}
}
