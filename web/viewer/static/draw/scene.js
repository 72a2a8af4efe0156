/**
 * Draws moments of a match on a canvas.
 *
 * @module
 */

import { TEAM, TICKS_PER_SECOND } from '../match/types.js';
import { Actors, hasTeams } from './actors.js';
import { Atlas } from './atlas.js';
import { Effects } from './effects.js';
import { Ground, THEMES } from './ground.js';
import { Layers } from './layers.js';
import { Names } from './names.js';
import { OriginalStyle } from './original.js';
import { OwnStyle } from './own.js';
import { RaceTiles } from './racetiles.js';
import { Sprites, WHITE, hex } from './sprites.js';
import { raceTeamColor } from './teamcolor.js';

/** The sizes of names in world units. */
const NAME_SIZE = 22;
const NAME_HEIGHT = 50;

export class Scene {
	/** @param {HTMLCanvasElement} canvas */
	constructor(canvas) {
		this.canvas = canvas;
		const gl = canvas.getContext('webgl2', { alpha: false, antialias: false, depth: false, stencil: false, powerPreference: 'high-performance' });
		if (!gl) throw new Error('This browser does not support WebGL2, which this page needs to draw the match.');
		this.gl = gl;
		this.showNames = true;
		/** The client whose name is drawn larger; -1 for none. */
		this.followed = -1;
		/** Whether to use the images of the original game where they exist. */
		this.useImages = false;
		/** Draws what covers everything else, such as a crosshair. @type {((style: import('./actors.js').Style) => void) | null} */
		this.drawTop = null;
		this.base = '';
		/** The existing images of the original game. @type {Set<string>} */
		this.files = new Set();
		/** @type {Layers|null} */
		this.layers = null;
		/** @type {OriginalStyle|null} */
		this.original = null;
		this.start();
		canvas.addEventListener('webglcontextlost', (e) => e.preventDefault());
		canvas.addEventListener('webglcontextrestored', () => {
			this.start();
			this.setImages(this.base, this.files, this.useImages);
			const { map } = this;
			this.map = undefined;
			if (map) this.setMap(map, this.mapName ?? '');
		});
	}

	/** Creates all resources on the graphics card. */
	start() {
		const gl = this.gl;
		this.sprites = new Sprites(gl);
		this.ground = new Ground(gl);
		this.raceTiles = new RaceTiles(gl);
		this.names = new Names(gl);
		this.actors = new Actors();
		this.effects = new Effects(this.actors);
		this.own = new OwnStyle(this.sprites, this.names);
		gl.enable(gl.BLEND);
		gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
	}

	/**
	 * Shows a map. The object that is shown already costs nothing.
	 *
	 * @param {import('./mapfile.js').MapData} map
	 * @param {string} name
	 */
	setMap(map, name) {
		this.effects.motions.reset();
		if (map === this.map) return;
		this.map = map;
		this.mapName = name;
		this.ground.setMap(map.game);
		this.raceTiles.setMap(map);
		this.ground.setTheme(THEMES[themeOf(name)]);
		this.actors.game = map.game;
		this.layers?.delete();
		this.layers = null;
		if (this.useImages) this.loadLayers();
	}

	/**
	 * Sets the existing images of the original game.
	 * @param {string} base where they are, with a slash at the end
	 * @param {Set<string>} files their paths, such as game.png, without which no image is used
	 * @param {boolean} use whether to use them from the start
	 */
	async setImages(base, files, use) {
		this.base = base;
		this.files = files;
		this.atlas = new Atlas(this.gl, base, files);
		this.original = files.has('game.png') ? new OriginalStyle(this.sprites, this.atlas, this.own) : null;
		this.useImages = use && this.original !== null;
		if (!this.useImages) return;
		await this.original?.load();
		await this.loadLayers();
	}

	/** Creates the layers of the map, which are needed only with images. */
	async loadLayers() {
		if (!this.map || this.layers) return;
		this.layers = new Layers(this.gl, this.map, this.base, this.files);
		await this.layers.loaded;
	}

	/**
	 * Draws a moment.
	 * @param {import('../match/types.js').Moment} m
	 * @param {import('./camera.js').Camera} camera
	 */
	draw(m, camera) {
		const gl = this.gl;
		if (gl.isContextLost()) return;
		const style = this.style;
		const layers = this.useImages && this.layers?.any ? this.layers : null;
		this.atlas?.update();
		const atlas = this.atlas?.texture ?? null;
		this.names.frame++;
		gl.viewport(0, 0, this.canvas.width, this.canvas.height);
		if (layers) {
			gl.clearColor(0, 0, 0, 1);
			gl.clear(gl.COLOR_BUFFER_BIT);
			layers.draw(camera, m.tick, m.game.startTick, false);
		} else {
			this.ground.draw(camera, m.tick / TICKS_PER_SECOND);
			this.raceTiles.draw(camera, m.tick / TICKS_PER_SECOND);
		}
		this.effects.drawTrails(m, style);
		this.actors.drawItems(m, style);
		this.actors.drawTees(m, style);
		if (layers) {
			this.sprites.flush(camera, atlas, this.names.texture);
			layers.draw(camera, m.tick, m.game.startTick, true);
		}
		this.effects.drawExplosions(m, style);
		if (this.showNames) this.drawNames(m, camera);
		this.actors.drawEmoticons(m, style);
		this.effects.drawParticles(m, style);
		this.drawTop?.(style);
		this.sprites.flush(camera, atlas, this.names.texture);
	}

	/** The look in use. @returns {import('./actors.js').Style} */
	get style() {
		return this.useImages && this.original ? this.original : this.own;
	}

	/** Switches the look, and reports whether it is now the look of the original game. */
	toggleLook() {
		this.useImages = !this.useImages && this.original !== null;
		if (this.useImages) {
			this.original?.load();
			this.loadLayers();
		}
		return this.useImages;
	}

	/** @param {import('../match/types.js').Moment} m @param {import('./camera.js').Camera} camera */
	drawNames(m, camera) {
		const teams = hasTeams(m);
		// Names keep their size on the screen when zoomed out.
		const size = NAME_SIZE * Math.max(1, Math.min(camera.zoom, 2.2));
		for (let i = 0; i < m.tees.length; i++) {
			const t = m.tees.items[i];
			const p = m.players[t.id];
			const color = p.raceTeam > 0 ? raceTeamColor(p.raceTeam) : !teams ? WHITE : p.team === TEAM.RED ? NAME_RED : NAME_BLUE;
			this.names.draw(this.sprites, p.name, t.x, t.y - NAME_HEIGHT - size / 4, t.id === this.followed ? size * 1.15 : size, 0, color);
		}
	}
}

const NAME_RED = hex(0xff9a94);
const NAME_BLUE = hex(0xa9c6ff);

/**
 * The theme of a map. It depends on the name, so a map looks the same on every server.
 * @param {string} name
 */
export function themeOf(name) {
	if (/winter|snow|ice|xmas/i.test(name)) return 3;
	let h = 0;
	for (let i = 0; i < name.length; i++) h = (Math.imul(h, 31) + name.charCodeAt(i)) >>> 0;
	return name.startsWith('teeyard') ? 0 : h % 3;
}
