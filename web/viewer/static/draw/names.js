/**
 * Texts in the world: players' names, and the texts of emoticons. The browser draws each text once
 * into a part of a texture, where it stays until the space is needed.
 *
 * @module
 */

import { makeTexture } from './gl.js';
import { SHAPE, WHITE } from './sprites.js';

const WIDTH = 2048;
const HEIGHT = 1024;
const SLOT_WIDTH = 340;
const SLOT_HEIGHT = 44;
const COLUMNS = Math.floor(WIDTH / SLOT_WIDTH);
const SLOTS = COLUMNS * Math.floor(HEIGHT / SLOT_HEIGHT);
const FONT_SIZE = 32;
/** The number of texts that the browser draws for one picture. Others follow with the next ones. */
const MAX_NEW = 24;

/** @typedef {{text: string, index: number, width: number, used: number}} Slot */

export class Names {
	/** @param {WebGL2RenderingContext} gl */
	constructor(gl) {
		this.gl = gl;
		this.texture = makeTexture(gl, gl.LINEAR, gl.CLAMP_TO_EDGE);
		gl.texStorage2D(gl.TEXTURE_2D, 1, gl.RGBA8, WIDTH, HEIGHT);
		this.canvas = document.createElement('canvas');
		this.canvas.width = SLOT_WIDTH;
		this.canvas.height = SLOT_HEIGHT;
		this.context = /** @type {CanvasRenderingContext2D} */ (this.canvas.getContext('2d', { willReadFrequently: true }));
		/** @type {Map<string, Slot>} */
		this.slots = new Map();
		this.frame = 0;
		/** The picture for which texts were drawn last, and their number. */
		this.writtenAt = 0;
		this.written = 0;
	}

	/**
	 * @param {string} text
	 * @returns {Slot|null} null if there is no room
	 */
	slot(text) {
		let slot = this.slots.get(text);
		if (slot) {
			slot.used = this.frame;
			return slot;
		}
		if (this.writtenAt !== this.frame) [this.writtenAt, this.written] = [this.frame, 0];
		if (this.written++ >= MAX_NEW) return null;
		if (this.slots.size < SLOTS) slot = { text, index: this.slots.size, width: 0, used: 0 };
		else {
			for (const s of this.slots.values()) if (!slot || s.used < slot.used) slot = s;
			if (!slot || slot.used === this.frame) return null;
			this.slots.delete(slot.text);
		}
		slot.text = text;
		slot.used = this.frame;
		this.slots.set(text, slot);
		this.write(slot);
		return slot;
	}

	/** @param {Slot} slot */
	write(slot) {
		const c = this.context;
		c.clearRect(0, 0, SLOT_WIDTH, SLOT_HEIGHT);
		c.font = `700 ${FONT_SIZE}px system-ui, "DejaVu Sans", sans-serif`;
		c.textBaseline = 'middle';
		c.lineJoin = 'round';
		c.lineWidth = 6;
		c.strokeStyle = 'rgba(16, 14, 24, 0.72)';
		c.fillStyle = '#fff';
		const text = slot.text.slice(0, 64);
		const width = Math.min(c.measureText(text).width, SLOT_WIDTH - 8);
		c.strokeText(text, 4, SLOT_HEIGHT / 2 + 1, SLOT_WIDTH - 8);
		c.fillText(text, 4, SLOT_HEIGHT / 2 + 1, SLOT_WIDTH - 8);
		slot.width = Math.ceil(width) + 8;
		const gl = this.gl;
		gl.bindTexture(gl.TEXTURE_2D, this.texture);
		gl.pixelStorei(gl.UNPACK_PREMULTIPLY_ALPHA_WEBGL, true);
		gl.texSubImage2D(gl.TEXTURE_2D, 0, (slot.index % COLUMNS) * SLOT_WIDTH, Math.floor(slot.index / COLUMNS) * SLOT_HEIGHT, gl.RGBA, gl.UNSIGNED_BYTE, this.canvas);
		gl.pixelStorei(gl.UNPACK_PREMULTIPLY_ALPHA_WEBGL, false);
	}

	/**
	 * Draws a text with its middle at x, y.
	 * @param {import('./sprites.js').Shapes} sprites
	 * @param {string} text
	 * @param {number} x
	 * @param {number} y
	 * @param {number} size of the letters in world units
	 * @param {number} angle
	 * @param {number} color
	 */
	draw(sprites, text, x, y, size, angle, color = WHITE) {
		if (text === '') return;
		const s = this.slot(text);
		if (!s) return;
		const k = size / FONT_SIZE;
		const u = (s.index % COLUMNS) * SLOT_WIDTH;
		const v = Math.floor(s.index / COLUMNS) * SLOT_HEIGHT;
		sprites.add(SHAPE.TEXT, x, y, (s.width / 2) * k, (SLOT_HEIGHT / 2) * k, angle, 0, 0, u / WIDTH, v / HEIGHT, (u + s.width) / WIDTH, (v + SLOT_HEIGHT) / HEIGHT, color, color);
	}
}
