/**
 * Draws what a look consists of on a canvas of the page, without the graphics card. Pictures that
 * the card has drawn are late: it first finishes all work that the page has ordered before.
 *
 * @module
 */

import { SHAPE, Shapes } from './sprites.js';

/** The points of each side of a flame, and the share of its height that it fills. */
const FLAME_POINTS = 16, FLAME_WIDTH = 0.92;

/** How far cloth waves, and the part of its height that it fills. */
const WAVE = 0.13, CLOTH = 0.86;

/** The rings of a glow. */
const RINGS = 6;

/** @typedef {CanvasRenderingContext2D} Context */

export class Paper extends Shapes {
	/** @param {() => import('./atlas.js').Atlas | undefined} atlas of the images */
	constructor(atlas) {
		super();
		this.atlas = atlas;
		this.scratch = /** @type {Context} */ (document.createElement('canvas').getContext('2d', { willReadFrequently: true }));
		this.context = this.scratch;
		this.scale = 1;
	}

	/**
	 * Begins a picture on an empty canvas.
	 * @param {Context} context
	 * @param {number} width in world units
	 * @param {number} x the middle, in world units
	 * @param {number} y
	 */
	begin(context, width, x = 0, y = 0) {
		const { canvas } = context, k = canvas.width / width;
		this.context = context;
		this.scale = k;
		context.setTransform(1, 0, 0, 1, 0, 0);
		context.clearRect(0, 0, canvas.width, canvas.height);
		context.setTransform(k, 0, 0, k, canvas.width / 2 - x * k, canvas.height / 2 - y * k);
		context.lineJoin = 'round';
	}

	/**
	 * Draws a shape at once; see Shapes.
	 * @param {number} kind @param {number} x @param {number} y @param {number} hw @param {number} hh @param {number} angle
	 * @param {number} p @param {number} q @param {number} u0 @param {number} v0 @param {number} u1 @param {number} v1
	 * @param {number} fill @param {number} fill2
	 */
	add(kind, x, y, hw, hh, angle, p, q, u0, v0, u1, v1, fill, fill2) {
		const c = this.context;
		c.save();
		c.translate(x, y);
		c.rotate(angle);
		if (kind === SHAPE.IMAGE || kind === SHAPE.GREY) this.#image(hw, hh, u0, v0, u1, v1, fill, kind === SHAPE.GREY);
		else {
			c.scale(Math.sign(hw) || 1, Math.sign(hh) || 1);
			this.#shape(kind, Math.abs(hw), Math.abs(hh), p, q, fill, fill2);
		}
		c.restore();
	}

	/**
	 * Draws a text; see Names.
	 * @param {Shapes} _sprites this paper
	 * @param {string} text
	 * @param {number} x
	 * @param {number} y
	 * @param {number} size
	 * @param {number} angle
	 * @param {number} color
	 */
	draw(_sprites, text, x, y, size, angle, color) {
		const c = this.context;
		c.save();
		c.translate(x, y);
		c.rotate(angle);
		c.font = `700 ${size}px system-ui, "DejaVu Sans", sans-serif`;
		c.textAlign = 'center';
		c.textBaseline = 'middle';
		c.lineWidth = size / 5;
		c.strokeStyle = 'rgb(16 14 24 / 72%)';
		c.fillStyle = css(color);
		c.strokeText(text, 0, 0);
		c.fillText(text, 0, 0);
		c.restore();
	}

	/**
	 * Draws a part of an image of the atlas.
	 * @param {number} hw @param {number} hh @param {number} u0 @param {number} v0 @param {number} u1 @param {number} v1
	 * @param {number} fill a colour with which the image is multiplied
	 * @param {boolean} grey whether the image is in shades of the colour
	 */
	#image(hw, hh, u0, v0, u1, v1, fill, grey) {
		const source = this.atlas()?.source(Math.min(u0, u1), Math.min(v0, v1), Math.max(u0, u1), Math.max(v0, v1)), c = this.context;
		if (!source) return;
		c.scale(u0 > u1 ? -1 : 1, v0 > v1 ? -1 : 1);
		const { image, x, y, w, h } = source, [r, g, b, a] = channels(fill);
		if (!grey && r === 255 && g === 255 && b === 255) {
			c.globalAlpha = a / 255;
			c.drawImage(image, x, y, w, h, -hw, -hh, 2 * hw, 2 * hh);
			return;
		}
		const s = this.scratch, sw = s.canvas.width = Math.max(1, Math.ceil(2 * hw * this.scale)), sh = s.canvas.height = Math.max(1, Math.ceil(2 * hh * this.scale));
		s.drawImage(image, x, y, w, h, 0, 0, sw, sh);
		const pixels = s.getImageData(0, 0, sw, sh), { data } = pixels;
		for (let i = 0; i < data.length; i += 4) {
			if (grey) data[i] = data[i + 1] = data[i + 2] = (data[i] + data[i + 1] + data[i + 2]) / 3;
			data[i] *= r / 255;
			data[i + 1] *= g / 255;
			data[i + 2] *= b / 255;
			data[i + 3] *= a / 255;
		}
		s.putImageData(pixels, 0, 0);
		c.drawImage(s.canvas, -hw, -hh, 2 * hw, 2 * hh);
	}

	/** @param {number} kind @param {number} hw @param {number} hh @param {number} p @param {number} q @param {number} fill @param {number} fill2 */
	#shape(kind, hw, hh, p, q, fill, fill2) {
		const c = this.context;
		if (kind === SHAPE.GLOW) {
			glow(c, hw, hh, p, fill, fill2);
			return;
		}
		const rounded = kind === SHAPE.WEDGE ? q : 0, path = PATHS[kind];
		if (!path) return;
		c.beginPath();
		path(c, hw, hh, p, q);
		if (this.lineWidth > 0) {
			c.lineWidth = 2 * (this.lineWidth + rounded);
			c.strokeStyle = css(this.line);
			c.stroke();
			c.globalCompositeOperation = 'destination-out'; // the outline is around the shape only
			if (fill >>> 24 < 255) c.fill();
			c.globalCompositeOperation = 'source-over';
		}
		const gradient = c.createLinearGradient(0, -hh, 0, hh);
		gradient.addColorStop(0, css(fill));
		gradient.addColorStop(1, css(fill2));
		c.fillStyle = c.strokeStyle = gradient;
		c.fill();
		if (!rounded) return;
		c.lineWidth = 2 * rounded;
		c.stroke();
	}
}

/** The paths of shapes, by SHAPE: the same forms as in the shader of Sprites. @type {Record<number, (c: Context, hw: number, hh: number, p: number, q: number) => void>} */
const PATHS = {
	[SHAPE.BOX]: (c, hw, hh, p) => c.roundRect(-hw, -hh, 2 * hw, 2 * hh, Math.min(p, hw, hh)),
	[SHAPE.ELLIPSE]: (c, hw, hh) => c.ellipse(0, 0, hw, hh, 0, 0, 2 * Math.PI),
	[SHAPE.WEDGE]: (c, hw, hh, p, q) => {
		const w = hw - q, h = hh - q;
		polygon(c, [[-w * p, -h], [w * p, -h], [w, h], [-w, h]]);
	},
	[SHAPE.STAR]: (c, hw, hh, n, inner) => {
		const r = Math.min(hw, hh);
		polygon(c, Array.from({ length: 2 * n }, (_, i) => {
			const a = i * Math.PI / n, d = i % 2 ? r * inner : r;
			return [Math.sin(a) * d, -Math.cos(a) * d];
		}));
	},
	[SHAPE.HEART]: (c, hw, hh) => {
		c.save();
		c.scale(hw / 0.58, -hh / 0.58);
		c.translate(0, -0.52);
		c.moveTo(0, 0);
		c.arc(0.25, 0.75, 0.35355, -Math.PI / 4, Math.PI * 0.75);
		c.arc(-0.25, 0.75, 0.35355, Math.PI / 4, Math.PI * 1.25);
		c.closePath();
		c.restore();
	},
	[SHAPE.SHIELD]: (c, hw, hh) => {
		const r = hw * 0.18, turn = Math.acos(0.35 / 1.35);
		c.moveTo(-hw, 0);
		c.arcTo(-hw, -hh, 0, -hh, r);
		c.arcTo(hw, -hh, hw, 0, r);
		c.lineTo(hw, 0);
		c.arc(-0.35 * hw, 0, 1.35 * hw, 0, turn);
		c.arc(0.35 * hw, 0, 1.35 * hw, Math.PI - turn, Math.PI);
		c.closePath();
	},
	[SHAPE.FLAME]: (c, hw, hh) => {
		const side = (/** @type {number} */ i) => Math.sin(Math.PI * (1 - i / FLAME_POINTS) ** 1.6) * FLAME_WIDTH * hh, points = [];
		for (let i = 0; i <= FLAME_POINTS; i++) points.push([(2 * i / FLAME_POINTS - 1) * hw, -side(i)]);
		for (let i = FLAME_POINTS; i >= 0; i--) points.push([(2 * i / FLAME_POINTS - 1) * hw, side(i)]);
		polygon(c, points);
	},
	[SHAPE.CLOTH]: (c, hw, hh, phase) => {
		const wave = (/** @type {number} */ i) => Math.sin(i / FLAME_POINTS * 5 - phase) * i / FLAME_POINTS * hh * WAVE, points = [];
		for (let i = 0; i <= FLAME_POINTS; i++) points.push([(2 * i / FLAME_POINTS - 1) * hw, wave(i) - CLOTH * hh]);
		for (let i = FLAME_POINTS; i >= 0; i--) points.push([(2 * i / FLAME_POINTS - 1) * hw, wave(i) + CLOTH * hh]);
		polygon(c, points);
	},
};

/** @param {Context} c @param {number[][]} points */
function polygon(c, points) {
	for (const [x, y] of points) c.lineTo(x, y);
	c.closePath();
}

/**
 * Draws a glow. One that only adds light does not show over nothing.
 * @param {Context} c @param {number} hw @param {number} hh @param {number} light @param {number} fill @param {number} fill2
 */
function glow(c, hw, hh, light, fill, fill2) {
	if (light === 1) return;
	const gradient = c.createRadialGradient(0, 0, 0, 0, 0, 1), a = channels(fill, true), b = channels(fill2, true);
	for (let i = 0; i <= RINGS; i++) {
		const k = 1 - i / RINGS, share = k * k * (3 - 2 * k), [red, green, blue, alpha] = a.map((v, j) => b[j] + (v - b[j]) * k * k);
		const opacity = Math.max(alpha, 1) / 255;
		gradient.addColorStop(i / RINGS, `rgb(${red / opacity} ${green / opacity} ${blue / opacity} / ${alpha / 255 * share * (1 - light)})`);
	}
	c.scale(hw, hh);
	c.fillStyle = gradient;
	c.beginPath();
	c.arc(0, 0, 1, 0, 2 * Math.PI);
	c.fill();
}

/**
 * The red, green, blue and alpha of a packed colour, 0 to 255.
 * @param {number} color
 * @param {boolean} [multiplied] whether they stay multiplied by alpha
 */
function channels(color, multiplied = false) {
	const a = color >>> 24, k = multiplied || a === 0 ? 1 : 255 / a;
	return [(color & 255) * k, (color >> 8 & 255) * k, (color >> 16 & 255) * k, a];
}

/** A packed colour as CSS. @param {number} color */
function css(color) {
	const [r, g, b, a] = channels(color);
	return `rgb(${r} ${g} ${b} / ${a / 255})`;
}
