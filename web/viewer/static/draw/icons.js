/**
 * Small pictures of the game's things for the page around the match, in the look of the scene. A
 * canvas of the page draws them, so that they are there at once.
 *
 * @module
 */

import { EMOTE, GAME } from '../match/types.js';
import { Pose } from './anim.js';
import { OriginalStyle } from './original.js';
import { OwnStyle } from './own.js';
import { Paper } from './paper.js';
import { Looks } from './skins.js';

/** An icon; its size is in world units. @typedef {{ url: string, width: number, height: number }} Icon */

/** A skin as the client sends it: name, whether the colour is custom, and colour of each part. @typedef {[string, boolean, number][]} Skin */

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

/** The visible size of a tee's picture, in world units, and its middle. A tee is 64. */
const VIEW = 88, MIDDLE = -6;

export class Icons {
	/** @param {import('./scene.js').Scene} scene */
	constructor(scene) {
		this.scene = scene;
		this.paper = new Paper(() => this.scene.atlas);
		this.own = new OwnStyle(this.paper, this.paper);
		this.canvas = document.createElement('canvas');
		this.context = /** @type {CanvasRenderingContext2D} */ (this.canvas.getContext('2d', { willReadFrequently: true }));
		this.looks = new Looks();
		/** Grows when icons change: with the look, or when an image has been loaded. */
		this.version = 0;
		/** Icons by name. @type {Map<string, Icon | null>} */
		this.known = new Map();
		/** Tees by skin, and by team in games with teams. @type {WeakMap<object, Map<number, Icon | null>>} */
		this.tees = new WeakMap();
		/** Pictures of tees by their canvas. @type {Map<HTMLCanvasElement, { skin: Skin, complete: boolean }>} */
		this.pictures = new Map();
		/** Checks whether an image that was missing is loaded now. @type {(() => boolean)[]} */
		this.missing = [];
		this.styled = scene.style;
		/** The time spent on icons since the last update, in ms. */
		this.spent = 0;
	}

	/** The look of the scene, on paper. @returns {import('./actors.js').Style} */
	get style() {
		const { scene } = this;
		if (scene.style === scene.own || !scene.atlas) return this.own;
		if (this.original?.atlas !== scene.atlas) this.original = new OriginalStyle(this.paper, scene.atlas, this.own);
		return this.original;
	}

	/** Looks for a new look and for loaded images. Call it now and then. */
	update() {
		this.spent = 0;
		const changed = this.styled !== this.scene.style;
		for (const [canvas, picture] of this.pictures) {
			if (!canvas.isConnected) this.pictures.delete(canvas);
			else if (changed || !picture.complete && this.style.ready(this.looks.of(playerWith(picture.skin), 0, false))) this.#paint(canvas, picture);
		}
		const left = this.missing.filter((loaded) => !loaded());
		if (!changed && left.length === this.missing.length) return;
		if (changed) {
			this.styled = this.scene.style;
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
		const look = () => scene.actors.looks.of(player, flags, false), still = /** @type {import('../match/types.js').Tee} */ ({ id: player.id, airJumped: false, weapon: -1 });
		const icon = this.#draw((style) => style.tee(0, 0, standing(), 1, 0, EMOTE.NORMAL, look(), still, player), TEE);
		if (icon === undefined) return null;
		tees.set(team, icon);
		if (!this.style.ready(look())) {
			// Until its images are loaded, the tee is drawn in the page's own look.
			this.missing.push(() => {
				if (player.skin !== skin) return true;
				if (!this.style.ready(look())) return false;
				tees.delete(team);
				return true;
			});
		}
		return icon;
	}

	/**
	 * Draws a tee on a canvas, and again when its images are loaded or the look changes.
	 * @param {HTMLCanvasElement} canvas
	 * @param {Skin} skin
	 */
	picture(canvas, skin) {
		const picture = { skin, complete: false };
		this.pictures.set(canvas, picture);
		this.#paint(canvas, picture);
	}

	/** @param {HTMLCanvasElement} canvas @param {{ skin: Skin, complete: boolean }} picture */
	#paint(canvas, picture) {
		const context = canvas.getContext('2d'), player = playerWith(picture.skin), { style } = this, look = this.looks.of(player, 0, false);
		if (!context) return;
		picture.complete = style.ready(look);
		this.paper.begin(context, VIEW, 0, MIDDLE);
		style.tee(0, 0, standing(), 1, 0, EMOTE.NORMAL, look, /** @type {import('../match/types.js').Tee} */ ({ id: 0, airJumped: false, weapon: -1 }), player);
	}

	/**
	 * @param {string} name
	 * @param {(style: import('./actors.js').Style) => void} paint
	 * @param {Format} [format]
	 * @returns {Icon | null} null if its image is not loaded yet
	 */
	#thing(name, paint, format = THING) {
		const known = this.known.get(name);
		if (known !== undefined) return known;
		if (!this.style.ready(null)) {
			if (this.missing.length === 0) this.missing.push(() => this.style.ready(null));
			return null;
		}
		const icon = this.#draw(paint, format);
		if (icon === undefined) return null;
		this.known.set(name, icon);
		return icon;
	}

	/**
	 * Draws an icon.
	 * @param {(style: import('./actors.js').Style) => void} paint draws around 0, 0
	 * @param {Format} format
	 * @returns {Icon | null | undefined} null if nothing is painted, undefined if it has to wait
	 */
	#draw(paint, { width, height, scale, whole }) {
		if (this.spent > TIME) {
			this.missing.push(() => true);
			return undefined;
		}
		const begun = performance.now();
		this.canvas.width = width * scale;
		this.canvas.height = height * scale;
		this.paper.begin(this.context, width);
		paint(this.style);
		const icon = cut(this.context, scale, whole);
		this.spent += performance.now() - begun;
		return icon;
	}
}

/** The pose of a tee that stands. */
function standing() {
	const pose = new Pose();
	pose.set(false, true, false, 0);
	return pose;
}

/** The player of a picture. @param {Skin} skin */
function playerWith(skin) {
	return /** @type {import('../match/types.js').Player} */ ({
		id: 0, team: 0, bot: false, skin: { parts: skin.map((p) => p[0]), useCustomColors: skin.map((p) => p[1]), colors: skin.map((p) => p[2]) },
	});
}

/**
 * Makes an icon of a picture, or of the painted part of it.
 * @param {CanvasRenderingContext2D} context
 * @param {number} scale
 * @param {boolean} whole
 * @returns {Icon | null} null if nothing is painted
 */
function cut(context, scale, whole) {
	const { canvas } = context, { width: w, height: h } = canvas, { data } = context.getImageData(0, 0, w, h);
	let [left, right, top, bottom] = [w, -1, h, -1];
	for (let y = 0; y < h; y++) {
		for (let x = 0; x < w; x++) {
			if (data[4 * (y * w + x) + 3] < 8) continue;
			left = Math.min(left, x);
			right = Math.max(right, x);
			top = Math.min(top, y);
			bottom = Math.max(bottom, y);
		}
	}
	if (right < 0) return null;
	if (whole) [left, right, top, bottom] = [0, w - 1, 0, h - 1];
	const part = document.createElement('canvas');
	part.width = right - left + 1;
	part.height = bottom - top + 1;
	part.getContext('2d', { willReadFrequently: true })?.drawImage(canvas, -left, -top);
	return { url: part.toDataURL(), width: part.width / scale, height: part.height / scale };
}
