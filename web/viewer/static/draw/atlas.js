/**
 * The images of an installed game that the server has found. Images of the game and of skins are
 * packed into one texture, so that all can be drawn in one call.
 *
 * @module
 */

import { makeTexture } from './gl.js';

const SIZE = 2048;
/** The gap between images, so that mipmaps do not mix them. */
const MARGIN = 16;

/**
 * The time before an image is requested again after the connection failed, in ms. It doubles up to
 * LONGEST_RETRY.
 */
const RETRY = 1000;
const LONGEST_RETRY = 15_000;

/** A part of the atlas. @typedef {{u0: number, v0: number, u1: number, v1: number}} Part */

/** An image in the atlas, in pixels. @typedef {{x: number, y: number, w: number, h: number, image?: ImageBitmap}} Place */

export class Atlas {
	/**
	 * @param {WebGL2RenderingContext} gl
	 * @param {string} base where the images are, with a slash at the end
	 * @param {Set<string>} files the existing files
	 */
	constructor(gl, base, files) {
		this.gl = gl;
		this.base = base;
		this.files = files;
		this.texture = makeTexture(gl, gl.LINEAR, gl.CLAMP_TO_EDGE);
		/** Whether the mipmaps are out of date. */
		this.changed = false;
		gl.texStorage2D(gl.TEXTURE_2D, 5, gl.RGBA8, SIZE, SIZE);
		gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR_MIPMAP_LINEAR);
		/**
		 * Images by name; null while they load and if they fail.
		 * @type {Map<string, Place|null>}
		 */
		this.places = new Map();
		/** Parts of images, by name and place. @type {Map<string, Map<number, Part>>} */
		this.parts = new Map();
		this.x = 0;
		this.y = 0;
		this.row = 0;
	}

	/** @param {string} name */
	has(name) {
		return this.files.has(name);
	}

	/**
	 * Loads an image, once.
	 * @param {string} name
	 */
	async load(name) {
		if (this.places.has(name) || !this.files.has(name)) return;
		this.places.set(name, null);
		for (let wait = RETRY; ; wait *= 2) {
			try {
				this.#put(name, await loadImage(this.base + name));
				return;
			} catch (err) {
				console.warn(`${name} cannot be loaded: ${err}`);
				if (!(err instanceof TypeError) || wait > LONGEST_RETRY) return; // a TypeError is a failed connection
			}
			await new Promise((f) => { setTimeout(f, wait); });
		}
	}

	/**
	 * Puts an image into the texture, if there is room.
	 * @param {string} name
	 * @param {ImageBitmap} image
	 */
	#put(name, image) {
		const place = this.place(image.width, image.height);
		if (!place) return;
		const gl = this.gl;
		gl.bindTexture(gl.TEXTURE_2D, this.texture);
		gl.texSubImage2D(gl.TEXTURE_2D, 0, place.x, place.y, gl.RGBA, gl.UNSIGNED_BYTE, image);
		this.changed = true;
		place.image = image; // for pictures beside the match
		this.places.set(name, place);
	}

	/**
	 * Finds the image of a part of the texture, and the part in it.
	 * @param {number} u0 @param {number} v0 @param {number} u1 @param {number} v1
	 */
	source(u0, v0, u1, v1) {
		for (const place of this.places.values()) {
			if (!place?.image) continue;
			const x = u0 * SIZE - place.x, y = v0 * SIZE - place.y;
			if (x >= 0 && y >= 0 && x < place.w && y < place.h) return { image: place.image, x, y, w: (u1 - u0) * SIZE, h: (v1 - v0) * SIZE };
		}
		return null;
	}

	/**
	 * Reports whether an image is loaded, and starts loading an image that was not requested
	 * before.
	 * @param {string} name
	 */
	ready(name) {
		const place = this.places.get(name);
		if (place === undefined) this.load(name);
		return Boolean(place);
	}

	/** Updates the mipmaps, once for all images that arrived since the last frame. */
	update() {
		if (!this.changed) return;
		this.changed = false;
		this.gl.bindTexture(this.gl.TEXTURE_2D, this.texture);
		this.gl.generateMipmap(this.gl.TEXTURE_2D);
	}

	/**
	 * Finds room for an image.
	 * @param {number} w
	 * @param {number} h
	 * @returns {Place|null} null if there is none
	 */
	place(w, h) {
		if (this.x + w > SIZE) {
			this.x = 0;
			this.y += this.row + MARGIN;
			this.row = 0;
		}
		if (w > SIZE || this.y + h > SIZE) return null;
		const place = { x: this.x, y: this.y, w, h };
		this.x += w + MARGIN;
		this.row = Math.max(this.row, h);
		return place;
	}

	/**
	 * A part of an image, in cells of a grid; null if the image is not loaded.
	 * @param {string} name
	 * @param {number} gridX
	 * @param {number} gridY
	 * @param {number} x
	 * @param {number} y
	 * @param {number} w
	 * @param {number} h
	 * @returns {Part|null}
	 */
	part(name, gridX, gridY, x, y, w, h) {
		const place = this.places.get(name);
		if (!place) {
			if (place === undefined) this.load(name);
			return null;
		}
		let parts = this.parts.get(name);
		if (!parts) this.parts.set(name, parts = new Map());
		const key = x * 64 + y;
		let part = parts.get(key);
		if (!part) {
			const [insetX, insetY] = [0.5 / (gridX * 32), 0.5 / (gridY * 32)]; // as the original client does
			part = {
				u0: (place.x + place.w * (x / gridX + insetX)) / SIZE, v0: (place.y + place.h * (y / gridY + insetY)) / SIZE,
				u1: (place.x + place.w * ((x + w) / gridX - insetX)) / SIZE, v1: (place.y + place.h * ((y + h) / gridY - insetY)) / SIZE,
			};
			parts.set(key, part);
		}
		return part;
	}
}

/**
 * Loads an image for a texture.
 * @param {string} url
 * @returns {Promise<ImageBitmap>}
 */
export async function loadImage(url) {
	const r = await fetch(url);
	if (!r.ok) throw new Error(`${r.status} ${r.statusText}`);
	return createImageBitmap(await r.blob(), { premultiplyAlpha: 'premultiply', colorSpaceConversion: 'none' });
}
