/**
 * The whole map in a corner, with all players on it.
 *
 * @module
 */

import { GAME, TEAM } from '../match/types.js';
import { TILE } from '../draw/mapfile.js';

const MAX_WIDTH = 220;
const MAX_HEIGHT = 150;

/** Colours of tiles: red, green, blue, alpha. @type {Record<number, [number, number, number, number]>} */
const COLORS = { [TILE.SOLID]: [196, 204, 220, 190], [TILE.DEATH]: [255, 80, 70, 200], [TILE.UNHOOKABLE]: [130, 140, 165, 220] };

export class Minimap {
	/**
	 * @param {HTMLCanvasElement} canvas
	 * @param {import('./director.js').Director} director
	 */
	constructor(canvas, director) {
		this.canvas = canvas;
		this.context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
		this.ground = document.createElement('canvas');
		this.director = director;
		this.scale = 0; // pixels per world unit
		const go = (/** @type {PointerEvent} */ e) => {
			if (!(e.buttons & 1) || !this.scale) return;
			const box = canvas.getBoundingClientRect();
			director.free();
			director.camera.x = (((e.clientX - box.left) / box.width) * canvas.width) / this.scale;
			director.camera.y = (((e.clientY - box.top) / box.height) * canvas.height) / this.scale;
		};
		canvas.addEventListener('pointerdown', go);
		canvas.addEventListener('pointermove', go);
	}

	/** @param {import('../draw/mapfile.js').MapData} map */
	setMap(map) {
		const { width, height, tiles } = map.game;
		const fit = Math.min(MAX_WIDTH / width, MAX_HEIGHT / height, 6);
		this.canvas.width = Math.max(1, Math.round(width * fit));
		this.canvas.height = Math.max(1, Math.round(height * fit));
		this.scale = fit / 32;
		// For a large map only every skip-th tile is drawn.
		const skip = Math.max(1, Math.floor(1 / fit));
		const [w, h] = [Math.ceil(width / skip), Math.ceil(height / skip)];
		const image = new ImageData(w, h);
		for (let y = 0; y < h; y++) {
			for (let x = 0; x < w; x++) {
				const c = COLORS[tiles[4 * (y * skip * width + x * skip)]];
				if (c) image.data.set(c, 4 * (y * w + x));
			}
		}
		this.ground.width = w;
		this.ground.height = h;
		this.ground.getContext('2d')?.putImageData(image, 0, 0);
		this.context.drawImage(this.ground, 0, 0, this.canvas.width, this.canvas.height);
	}

	/** @param {import('../match/types.js').Moment} m */
	draw(m) {
		if (!this.scale || this.canvas.hidden) return;
		const g = this.context;
		const k = this.scale;
		g.clearRect(0, 0, this.canvas.width, this.canvas.height);
		g.drawImage(this.ground, 0, 0, this.canvas.width, this.canvas.height);
		const teams = (m.game.flags & GAME.TEAMS) !== 0;
		for (let i = 0; i < m.flags.length; i++) {
			const f = m.flags.items[i];
			g.fillStyle = f.team === TEAM.RED ? '#ff5f57' : '#5f97ff';
			g.fillRect(f.x * k - 2, f.y * k - 6, 4, 7);
		}
		for (let i = 0; i < m.tees.length; i++) {
			const t = m.tees.items[i];
			const followed = t.id === this.director.followed;
			const team = m.players[t.id].team;
			g.fillStyle = followed ? '#fff' : !teams ? '#ffc14d' : team === TEAM.RED ? '#ff6f66' : '#6fa5ff';
			const r = followed ? 3.4 : 2.4;
			g.fillRect(t.x * k - r, t.y * k - r, 2 * r, 2 * r);
		}
		const c = this.director.camera;
		g.strokeStyle = 'rgba(255,255,255,0.7)';
		g.lineWidth = 1;
		g.strokeRect((c.x - (c.width * c.zoom) / 2) * k, (c.y - (c.height * c.zoom) / 2) * k, c.width * c.zoom * k, c.height * c.zoom * k);
	}
}
