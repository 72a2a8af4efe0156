/**
 * Small pictures of maps, drawn from their game layers in the page's own look.
 *
 * @module
 */

import { THEMES } from '../draw/ground.js';
import { TILE, readGameLayer } from '../draw/mapfile.js';
import { themeOf } from '../draw/scene.js';
import { Download } from '../match/download.js';

/** The size of a picture in pixels. */
export const WIDTH = 256, HEIGHT = 144;

/** The width of the part of a map in a picture, in tiles, and the space around what it shows. */
const MIN_TILES = 44, MAX_TILES = 112, SPACE = 7;

/** The greatest size of a map whose picture is worth loading it, in bytes. */
const MAX_BYTES = 4 << 20;

/** The entities of the game layer: where players begin, and the flags. */
const SPAWN = TILE.ENTITIES, LAST_SPAWN = SPAWN + 2, FLAG_RED = SPAWN + 3, FLAG_BLUE = SPAWN + 4, LAST_ENTITY = SPAWN + 11;

/** DDRace's tile that freezes. */
const FREEZE = 9;

/** The hills of a map without a picture, from far to near. */
const HILLS = 3;

/** What a map without a picture says: it is very large, or the server no longer has it. */
const NO_PICTURE = 'no picture of this map';

/** @typedef {{ x: number, y: number, size: number }} Part of a map: its left upper corner and its width, in tiles */

/**
 * Chooses the part of a map to show: where things are, or, if that is too much, where players begin.
 * @param {{ width: number, height: number, tiles: Uint8Array }} layer
 * @returns {Part}
 */
export function partOf({ width, height, tiles }) {
	let [left, right, top, bottom, n, x, y] = [width, -1, height, -1, 0, 0, 0];
	for (let i = 0; i < width * height; i++) {
		const t = tiles[4 * i], [tx, ty] = [i % width, Math.floor(i / width)];
		if (t < SPAWN || t > LAST_ENTITY) continue;
		[left, right, top, bottom] = [Math.min(left, tx), Math.max(right, tx), Math.min(top, ty), Math.max(bottom, ty)];
		if (t > LAST_SPAWN) continue;
		n++;
		x += tx;
		y += ty;
	}
	if (right < 0) [left, right, top, bottom] = [0, width - 1, 0, height - 1];
	const size = Math.min(MAX_TILES, Math.max(MIN_TILES, right - left + 2 * SPACE, (bottom - top + 2 * SPACE) * WIDTH / HEIGHT));
	const whole = size < MAX_TILES || n === 0;
	const [cx, cy] = whole ? [(left + right + 1) / 2, (top + bottom + 1) / 2] : [x / n, y / n];
	return { x: cx - size / 2, y: cy - size * HEIGHT / WIDTH / 2, size };
}

/** The parts of a colour. @param {number} rgb as 0xRRGGBB */
const rgb = (rgb) => [rgb >> 16, (rgb >> 8) & 255, rgb & 255];

/** @param {number[]} a @param {number[]} b @param {number} share of b */
const mix = (a, b, share) => a.map((v, i) => v + (b[i] - v) * share);

/**
 * Draws a picture.
 * @param {HTMLCanvasElement} canvas
 * @param {string} name of the map, which decides on the colours
 * @param {{ width: number, height: number, tiles: Uint8Array } | null} layer null for a landscape in its colours
 */
export function drawThumbnail(canvas, name, layer) {
	const theme = THEMES[themeOf(name)], [skyTop, skyLow, solid, deep, rim, hard, death] = [theme.skyTop, theme.skyLow, theme.solidTop, theme.solidDeep, theme.rim, theme.hardTop, theme.deathColor].map(rgb);
	const [far, near] = [theme.far, theme.near].map(rgb), land = landscape(name);
	canvas.width = WIDTH;
	canvas.height = HEIGHT;
	const image = new ImageData(WIDTH, HEIGHT), part = layer ? partOf(layer) : null, step = part ? part.size / WIDTH : 0;
	const tile = (/** @type {number} */ x, /** @type {number} */ y) => {
		if (!layer) return TILE.AIR;
		const [cx, cy] = [Math.min(Math.max(Math.floor(x), 0), layer.width - 1), Math.min(Math.max(Math.floor(y), 0), layer.height - 1)];
		return layer.tiles[4 * (cy * layer.width + cx)];
	};
	const isSolid = (/** @type {number} */ t) => t === TILE.SOLID || t === TILE.UNHOOKABLE;
	for (let py = 0; py < HEIGHT; py++) {
		const sky = mix(skyTop, skyLow, py / HEIGHT);
		for (let px = 0; px < WIDTH; px++) {
			let color = sky;
			if (!part) {
				const depth = land(px, py);
				if (depth === HILLS) color = land(px, py - 5) < HILLS ? rim : mix(solid, deep, Math.min(1, 3 * py / HEIGHT - 2));
				else if (depth >= 0) color = mix(mix(far, near, depth / (HILLS - 1)), sky, 0.3 - 0.1 * depth);
			} else {
				const x = part.x + (px + 0.5) * step, y = part.y + (py + 0.5) * step, t = tile(x, y);
				if (t === TILE.SOLID) color = !isSolid(tile(x, y - 0.45)) ? rim : mix(solid, deep, isSolid(tile(x, y - 2)) && isSolid(tile(x, y + 2)) && isSolid(tile(x - 2, y)) && isSolid(tile(x + 2, y)) ? 0.55 : 0);
				else if (t === TILE.UNHOOKABLE) color = hard;
				else if (t === TILE.DEATH) color = death;
				else if (t === FREEZE) color = mix(sky, [24, 22, 44], 0.62);
			}
			image.data.set([...color, 255], 4 * (py * WIDTH + px));
		}
	}
	const g = canvas.getContext('2d');
	g?.putImageData(image, 0, 0);
	if (!g || !layer || !part) return;
	for (let i = 0; i < layer.width * layer.height; i++) {
		const t = layer.tiles[4 * i];
		if (t !== FLAG_RED && t !== FLAG_BLUE) continue;
		const [x, y] = [(i % layer.width + 0.5 - part.x) / step, (Math.floor(i / layer.width) + 1 - part.y) / step];
		g.fillStyle = '#3a2a1c';
		g.fillRect(x - 1, y - 12, 2, 12);
		g.fillStyle = t === FLAG_RED ? '#f0524a' : '#4f8df5';
		g.fillRect(x + 1, y - 12, 9, 7);
	}
}

/**
 * Returns what is at a pixel of a map's landscape: -1 for the sky, a hill, or HILLS for the ground.
 * @param {string} name of the map
 * @returns {(x: number, y: number) => number}
 */
function landscape(name) {
	let seed = 0;
	for (const c of name) seed = (31 * seed + c.charCodeAt(0)) % 997;
	const wave = (/** @type {number} */ x, /** @type {number} */ i) => Math.sin(x / (34 - 5 * i) + seed * (i + 1)) + 0.45 * Math.sin(x / 13 + seed + 2 * i);
	return (x, y) => {
		for (let i = HILLS; i >= 0; i--) if (y > HEIGHT * (0.5 + 0.11 * i) - (i === HILLS ? 4 : 9) * wave(x, i)) return i;
		return -1;
	};
}

/**
 * Says on a picture that it does not show the map.
 * @param {HTMLCanvasElement} canvas
 */
function writeNoPicture(canvas) {
	const g = canvas.getContext('2d'), y = HEIGHT / 2;
	if (!g) return;
	g.font = '600 15px system-ui, "DejaVu Sans", sans-serif';
	g.textAlign = 'center';
	g.textBaseline = 'middle';
	const half = g.measureText(NO_PICTURE).width / 2 + 10;
	g.fillStyle = 'rgb(16 14 24 / 66%)';
	g.beginPath();
	g.roundRect(WIDTH / 2 - half, y - 13, 2 * half, 26, 13);
	g.fill();
	g.fillStyle = '#fff';
	g.fillText(NO_PICTURE, WIDTH / 2, y + 1);
}

/** Draws the pictures of maps when they come into sight, one after the other. */
export class Thumbnails {
	constructor() {
		/** Pictures by the hash of the map. @type {Map<string, Promise<HTMLCanvasElement>>} */
		this.pictures = new Map();
		/** The maps of canvases that have not been in sight. @type {Map<Element, { name: string, sha256: string }>} */
		this.wanted = new Map();
		this.last = Promise.resolve();
		this.observer = new IntersectionObserver((entries) => {
			for (const e of entries) if (e.isIntersecting) this.#draw(/** @type {HTMLCanvasElement} */ (e.target));
		}, { rootMargin: '200px' });
	}

	/**
	 * @param {HTMLCanvasElement} canvas
	 * @param {{ name: string, sha256?: string, size?: number }} map
	 */
	add(canvas, { name, sha256 = '', size = 0 }) {
		this.wanted.set(canvas, { name, sha256: size > MAX_BYTES ? '' : sha256 });
		this.observer.observe(canvas);
	}

	/** @param {HTMLCanvasElement} canvas */
	#draw(canvas) {
		const map = this.wanted.get(canvas);
		this.observer.unobserve(canvas);
		this.wanted.delete(canvas);
		if (!map) return;
		drawThumbnail(canvas, map.name, null);
		if (!map.sha256) {
			writeNoPicture(canvas);
			return;
		}
		this.last = this.last.then(async () => {
			try {
				let picture = this.pictures.get(map.sha256);
				if (!picture) this.pictures.set(map.sha256, picture = load(map.name, map.sha256));
				canvas.getContext('2d')?.drawImage(await picture, 0, 0);
			} catch {
				writeNoPicture(canvas); // the server may have deleted the match meanwhile
			}
		});
	}
}

/** @param {string} name @param {string} sha256 of a map */
async function load(name, sha256) {
	const canvas = document.createElement('canvas');
	drawThumbnail(canvas, name, await readGameLayer(await new Download(`map/${encodeURIComponent(sha256)}`).load()));
	return canvas;
}
