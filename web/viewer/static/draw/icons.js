/**
 * Small pictures of the game's things for the page around the match, in the look of the scene.
 *
 * @module
 */

import { GAME } from '../match/types.js';
import { Pose } from './anim.js';
import { Camera } from './camera.js';

/** An icon; its size is in world units. @typedef {{ url: string, width: number, height: number }} Icon */

/** Symbols that every look draws: see Style.symbol. */
export const SYMBOL = Object.freeze({ HEART: 0, NO_HEART: 1, SHIELD: 2, NO_SHIELD: 3 });

/**
 * How an icon is drawn.
 * @typedef {object} Format
 * @property {number} width of the canvas in world units
 * @property {number} height
 * @property {number} scale the pixels of a unit
 * @property {boolean} whole whether the icon keeps the empty space around it
 */
/** @type {Format} */
const THING = { width: 128, height: 112, scale: 2, whole: false };
/** Tees are small in lists, and there are many. @type {Format} */
const TEE = { ...THING, scale: 1 };
/** Signs stand in rows. @type {Format} */
const SIGN = { width: 37, height: 37, scale: 3, whole: true };

/** The time for icons between two updates, in ms. Then a picture of the match waits for one more icon. */
const TIME = 5;

export class Icons {
	/** @param {import('./scene.js').Scene} scene */
	constructor(scene) {
		this.scene = scene;
		/** Grows when icons change: with the look, or when an image has been loaded. */
		this.version = 0;
		/** Icons by name; null while the graphics card draws one. @type {Map<string, Icon | null>} */
		this.known = new Map();
		/** Tees by skin, and by team in games with teams. @type {WeakMap<object, Map<number, Icon | null>>} */
		this.tees = new WeakMap();
		/** Checks whether an image that was missing is loaded now. @type {(() => boolean)[]} */
		this.missing = [];
		this.style = scene.style;
		/** The time spent on icons since the last update, in ms. */
		this.spent = 0;
	}

	/** Looks for a new look and for loaded images. Call it now and then. */
	update() {
		this.spent = 0;
		const left = this.missing.filter((loaded) => !loaded());
		if (this.style === this.scene.style && left.length === this.missing.length) return;
		if (this.style !== this.scene.style) {
			this.style = this.scene.style;
			this.known.clear();
			this.tees = new WeakMap();
			this.missing = [];
		} else this.missing = left;
		this.version++;
	}

	/** @param {number} weapon WEAPON */
	weapon(weapon) {
		return this.#thing(`weapon ${weapon}`, (style) => style.weapon(weapon, 0, 0, 0, false));
	}

	/** A shot of a weapon, as a sign of its ammunition. @param {number} weapon WEAPON */
	ammo(weapon) {
		return this.#thing(`ammo ${weapon}`, (style) => style.ammo(weapon, 0, 0), SIGN);
	}

	/** @param {number} symbol SYMBOL */
	symbol(symbol) {
		return this.#thing(`symbol ${symbol}`, (style) => style.symbol(symbol, 0, 0), SIGN);
	}

	/** @param {number} emoticon EMOTICON */
	emoticon(emoticon) {
		return this.#thing(`emoticon ${emoticon}`, (style) => style.emoticon(emoticon, 0, 8, 64, 64, 0, 1));
	}

	/** @param {number} team TEAM */
	flag(team) {
		return this.#thing(`flag ${team}`, (style) => style.flag(team, 0, 30, 0));
	}

	/**
	 * A tee that looks to the right.
	 * @param {import('../match/types.js').Player} player
	 * @param {number} flags of the game
	 * @returns {Icon | null}
	 */
	tee(player, flags) {
		const { scene } = this, { skin } = player, team = (flags & GAME.TEAMS) !== 0 ? player.team : -2;
		let tees = this.tees.get(skin);
		if (!tees) this.tees.set(skin, tees = new Map());
		const known = tees.get(team);
		if (known !== undefined) return known;
		const look = () => scene.actors.looks.of(player, flags, false);
		if (!scene.style.ready(look())) {
			// Until its images are loaded, the tee is drawn in the page's own look.
			this.missing.push(() => {
				if (player.skin !== skin) return true;
				if (!scene.style.ready(look())) return false;
				tees.delete(team);
				return true;
			});
		}
		const pose = new Pose();
		pose.set(false, true, false, 0);
		const still = /** @type {import('../match/types.js').Tee} */ ({ id: player.id, airJumped: false, weapon: -1 });
		this.#draw((style) => style.tee(0, 0, pose, 1, 0, 0, look(), still, player), TEE, tees, team);
		return null;
	}

	/**
	 * @param {string} name
	 * @param {(style: import('./actors.js').Style) => void} paint
	 * @param {Format} [format]
	 * @returns {Icon | null} null if it is not drawn yet
	 */
	#thing(name, paint, format = THING) {
		const known = this.known.get(name), { style } = this.scene;
		if (known !== undefined) return known;
		if (!style.ready(null)) {
			if (this.missing.length === 0) this.missing.push(() => style.ready(null));
			return null;
		}
		this.#draw(paint, format, this.known, name);
		return null;
	}

	/**
	 * Draws an icon, which is in a map after one of the next updates. Reading it at once would make
	 * the page wait for the graphics card.
	 *
	 * @template K
	 * @param {(style: import('./actors.js').Style) => void} paint draws around 0, 0
	 * @param {Format} format
	 * @param {Map<K, Icon | null>} icons
	 * @param {K} key
	 */
	#draw(paint, { width, height, scale, whole }, icons, key) {
		const { gl, sprites, atlas, names, style } = this.scene;
		const w = width * scale, h = height * scale;
		if (gl.isContextLost() || this.spent > TIME) {
			this.missing.push(() => true);
			return;
		}
		const begun = performance.now();
		atlas?.update();
		const target = gl.createFramebuffer(), buffer = gl.createRenderbuffer();
		gl.bindRenderbuffer(gl.RENDERBUFFER, buffer);
		gl.renderbufferStorage(gl.RENDERBUFFER, gl.RGBA8, w, h);
		gl.bindFramebuffer(gl.FRAMEBUFFER, target);
		gl.framebufferRenderbuffer(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.RENDERBUFFER, buffer);
		gl.viewport(0, 0, w, h);
		gl.clearColor(0, 0, 0, 0);
		gl.clear(gl.COLOR_BUFFER_BIT);
		const camera = new Camera();
		Object.assign(camera, { width, height, pixelWidth: w, pixelHeight: h });
		paint(style);
		sprites.flush(camera, atlas?.texture ?? null, names.texture);
		const read = gl.createBuffer();
		gl.bindBuffer(gl.PIXEL_PACK_BUFFER, read);
		gl.bufferData(gl.PIXEL_PACK_BUFFER, 4 * w * h, gl.STREAM_READ);
		gl.readPixels(0, 0, w, h, gl.RGBA, gl.UNSIGNED_BYTE, 0);
		const drawn = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
		gl.bindBuffer(gl.PIXEL_PACK_BUFFER, null);
		gl.bindFramebuffer(gl.FRAMEBUFFER, null);
		gl.deleteFramebuffer(target);
		gl.deleteRenderbuffer(buffer);
		icons.set(key, null);
		this.missing.push(() => {
			if (this.spent > TIME || gl.isContextLost() || drawn && gl.getSyncParameter(drawn, gl.SYNC_STATUS) !== gl.SIGNALED) return false;
			const begun = performance.now(), pixels = new Uint8Array(4 * w * h);
			gl.bindBuffer(gl.PIXEL_PACK_BUFFER, read);
			gl.getBufferSubData(gl.PIXEL_PACK_BUFFER, 0, pixels);
			gl.bindBuffer(gl.PIXEL_PACK_BUFFER, null);
			gl.deleteBuffer(read);
			gl.deleteSync(drawn);
			if (icons.has(key)) icons.set(key, cut(pixels, w, h, scale, whole)); // and is still wanted
			this.spent += performance.now() - begun;
			return true;
		});
		this.spent += performance.now() - begun;
	}
}

/**
 * Makes an icon of a picture, or of the painted part of it.
 * @param {Uint8Array} pixels from the bottom to the top, with colours multiplied by alpha
 * @param {number} w
 * @param {number} h
 * @param {number} scale
 * @param {boolean} whole
 * @returns {Icon | null} null if nothing is painted
 */
function cut(pixels, w, h, scale, whole) {
	let [left, right, top, bottom] = [w, -1, h, -1];
	for (let y = 0; y < h; y++) {
		for (let x = 0; x < w; x++) {
			if (pixels[4 * ((h - 1 - y) * w + x) + 3] < 8) continue;
			left = Math.min(left, x);
			right = Math.max(right, x);
			top = Math.min(top, y);
			bottom = Math.max(bottom, y);
		}
	}
	if (right < 0) return null;
	if (whole) [left, right, top, bottom] = [0, w - 1, 0, h - 1];
	const canvas = document.createElement('canvas');
	canvas.width = right - left + 1;
	canvas.height = bottom - top + 1;
	const image = new ImageData(canvas.width, canvas.height);
	for (let i = 0, y = top; y <= bottom; y++) {
		for (let x = left; x <= right; x++, i += 4) {
			const at = 4 * ((h - 1 - y) * w + x), alpha = pixels[at + 3];
			for (let c = 0; c < 3; c++) image.data[i + c] = alpha ? pixels[at + c] * 255 / alpha : 0;
			image.data[i + 3] = alpha;
		}
	}
	canvas.getContext('2d')?.putImageData(image, 0, 0);
	return { url: canvas.toDataURL(), width: canvas.width / scale, height: canvas.height / scale };
}
