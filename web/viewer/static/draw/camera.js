/**
 * The visible part of the world.
 *
 * @module
 */

/** The area that the original client shows, in square units, and its maximum width and height. */
const AREA = 1150 * 1000;
const MAX_WIDTH = 1500;
const MAX_HEIGHT = 1050;

export class Camera {
	/** The centre, in world units. */
	x = 0;
	y = 0;
	/** 1 as in the game; 2 shows twice as much in each direction. */
	zoom = 1;
	/** The size of the picture in pixels. */
	pixelWidth = 1;
	pixelHeight = 1;
	/** The visible size at zoom 1, in world units. */
	width = 1;
	height = 1;

	/**
	 * Sets the size of the picture.
	 * @param {number} pixelWidth
	 * @param {number} pixelHeight
	 */
	resize(pixelWidth, pixelHeight) {
		this.pixelWidth = Math.max(1, pixelWidth);
		this.pixelHeight = Math.max(1, pixelHeight);
		const aspect = this.pixelWidth / this.pixelHeight;
		let height = Math.sqrt(AREA / aspect);
		let width = height * aspect;
		if (width > MAX_WIDTH) [width, height] = [MAX_WIDTH, MAX_WIDTH / aspect];
		if (height > MAX_HEIGHT) [width, height] = [MAX_HEIGHT * aspect, MAX_HEIGHT];
		this.width = width;
		this.height = height;
	}

	/** World units per pixel. */
	get unit() {
		return (this.width * this.zoom) / this.pixelWidth;
	}

	/** @param {number} px pixels from the left */
	worldX(px) {
		return this.x + (px - this.pixelWidth / 2) * this.unit;
	}

	/** @param {number} py pixels from the top */
	worldY(py) {
		return this.y + (py - this.pixelHeight / 2) * this.unit;
	}
}
