/**
 * The editor of the player's skin: standard skins, the six parts, and their colours.
 *
 * @module
 */

import { skinColor } from '../../viewer/draw/skins.js';
import { SKIN_PART } from '../../viewer/match/types.js';
import { make, setText } from '../../viewer/page/dom.js';
import { KINDS, PARTS, SKINS, skinOf, standardIndex } from './skins.js';

/** @typedef {import('../engine/engine.js').Skin} Skin */

/** The colour of a part that gets one: hue, saturation, lightness, and opacity of markings. */
const FIRST_COLOR = 0xff1b6f74 | 0;

/** The number of pictures that are drawn at once. */
const BATCH = 8;

/** The parts of a colour: the label and the place in the number. @type {[string, number][]} */
const SLIDERS = [['Hue', 16], ['Saturation', 8], ['Lightness', 0], ['Opacity', 24]];

export class SkinEditor {
	/** @param {import('./game.js').Game} game */
	constructor(game) {
		this.game = game;
		this.box = make('div', 'skins');
		/** The kind of the parts in the grid; -1 for whole skins. */
		this.kind = -1;
		this.preview = make('canvas', 'tee');
		this.preview.width = this.preview.height = 256;
		this.label = make('p', 'which');
		const random = make('button', '', 'Random');
		random.type = 'button';
		random.addEventListener('click', () => this.#set(randomSkin()));
		const side = make('div', 'side');
		side.append(this.preview, this.label, random);
		this.kinds = make('div', 'kinds');
		['Skins', ...KINDS].forEach((label, i) => {
			const b = make('button', '', label);
			b.type = 'button';
			b.addEventListener('click', () => this.#choose(i - 1));
			this.kinds.append(b);
		});
		this.grid = make('div', 'grid');
		this.colors = make('div', 'colors');
		this.custom = make('input');
		this.custom.type = 'checkbox';
		this.custom.addEventListener('change', () => this.#setPart((p) => { p[1] = this.custom.checked; p[2] ||= FIRST_COLOR; }));
		const customRow = make('label', 'row');
		customRow.append(make('span', '', 'Own colour'), this.custom);
		this.colors.append(customRow);
		this.sliders = SLIDERS.map(([label, shift]) => {
			const input = make('input'), line = make('label', 'row');
			input.type = 'range';
			input.max = '255';
			input.addEventListener('input', () => this.#setPart((p) => { p[2] = p[2] & ~(255 << shift) | Number(input.value) << shift; }));
			input.addEventListener('change', () => this.#drawGrid());
			line.append(make('span', '', label), input);
			this.colors.append(line);
			return { input, line, shift };
		});
		const main = make('div', 'parts');
		main.append(this.kinds, this.colors, this.grid);
		this.box.append(side, main);
		/** Counts the drawings of the grid; a new one ends the one before. */
		this.drawing = 0;
	}

	/** Draws everything, when the editor gets visible. */
	show() {
		this.#choose(this.kind);
	}

	/** @param {number} kind SKIN_PART, or -1 for whole skins */
	#choose(kind) {
		this.kind = kind;
		[...this.kinds.children].forEach((b, i) => b.setAttribute('aria-pressed', String(i - 1 === kind)));
		const n = kind < 0 ? SKINS.length : PARTS[kind].length;
		this.grid.replaceChildren(...Array.from({ length: n > 1 ? n : 0 }, (_, i) => {
			const b = make('button'), canvas = make('canvas');
			canvas.width = canvas.height = 96;
			b.type = 'button';
			b.title = kind < 0 ? SKINS[i].name : PARTS[kind][i] || 'none';
			b.setAttribute('aria-label', b.title);
			b.append(canvas);
			b.addEventListener('click', () => this.#set(this.#option(i)));
			return b;
		}));
		this.#update();
		this.#drawGrid();
	}

	/** The skin with an option of the grid. @param {number} i @returns {Skin} */
	#option(i) {
		if (this.kind < 0) return SKINS[i].skin;
		const skin = structuredClone(skinOf(this.game.settings));
		skin[this.kind][0] = PARTS[this.kind][i];
		return skin;
	}

	/** Draws the pictures of the grid, some at a time. */
	#drawGrid() {
		const drawing = ++this.drawing, buttons = [...this.grid.children];
		let i = 0;
		const draw = () => {
			if (drawing !== this.drawing || !this.box.isConnected) return;
			for (const end = i + BATCH; i < end && i < buttons.length; i++) {
				this.game.icons.picture(/** @type {HTMLCanvasElement} */ (buttons[i].firstChild), this.#option(i));
			}
			if (i < buttons.length) requestAnimationFrame(draw);
		};
		draw();
	}

	/** @param {Skin} skin */
	#set(skin) {
		this.game.settings.set('skin', skin);
		this.#update();
		if (this.kind >= 0) this.#drawGrid();
	}

	/** Changes the chosen part. @param {(part: [string, boolean, number]) => void} change */
	#setPart(change) {
		const skin = structuredClone(skinOf(this.game.settings));
		change(skin[this.kind]);
		this.game.settings.set('skin', skin);
		this.#update();
	}

	/** Shows the skin. */
	#update() {
		const skin = skinOf(this.game.settings), i = standardIndex(skin), { kind } = this;
		this.game.icons.picture(this.preview, skin);
		setText(this.label, i < 0 ? 'your own skin' : SKINS[i].name);
		[...this.grid.children].forEach((b, n) => b.setAttribute('aria-pressed', String(kind < 0 ? n === i : PARTS[kind][n] === skin[kind][0])));
		this.colors.hidden = kind < 0;
		if (kind < 0) return;
		const [, custom, color] = skin[kind];
		this.custom.checked = custom;
		for (const { input, line, shift } of this.sliders) {
			line.hidden = !custom || shift === 24 && kind !== SKIN_PART.MARKING;
			input.value = String(color >>> shift & 255);
			input.style.background = `linear-gradient(90deg, ${[0, 51, 102, 153, 204, 255].map((v) => css(color & ~(255 << shift) | v << shift)).join(', ')})`;
		}
	}
}

/** A colour of a skin as CSS, without its opacity. @param {number} color */
function css(color) {
	const out = new Float32Array(4);
	skinColor(color, false, out, 0);
	return `rgb(${[...out.subarray(0, 3)].map((v) => Math.round(255 * v)).join(' ')})`;
}

/** @returns {Skin} */
function randomSkin() {
	const pick = (/** @type {number} */ n) => Math.floor(Math.random() * n);
	const hue = pick(256), light = () => 40 + pick(160);
	return KINDS.map((_, kind) => {
		const names = PARTS[kind], plain = kind === SKIN_PART.DECORATION && pick(2) === 0;
		const near = (hue + (kind === SKIN_PART.BODY ? 0 : pick(60) - 30) + 256) % 256;
		return [plain ? '' : names[pick(names.length)], kind !== SKIN_PART.EYES, (160 + pick(90) << 24) | near << 16 | 80 + pick(170) << 8 | light()];
	});
}
