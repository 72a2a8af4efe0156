/**
 * The match as a spectator sees it, on the canvas of the game while the player is not in it. If the
 * server shows no match, the map without players.
 *
 * @module
 */

import { Live } from '../../viewer/match/live.js';
import { newMoment } from '../../viewer/match/moment.js';
import { TICKS_PER_SECOND } from '../../viewer/match/types.js';
import { Clock } from '../../viewer/page/clock.js';
import { Director } from '../../viewer/page/director.js';
import { fetchFile, readMapOnce } from './maps.js';

/** @typedef {import('../../viewer/draw/mapfile.js').MapData} MapData */
/** @typedef {import('../../viewer/match/types.js').Match} Match */
/** @typedef {import('../../viewer/match/types.js').Moment} Moment */

/** How much more than a player the picture shows. */
const ZOOM = 1.25;

/** The speed of the camera over a map without players, in world units per second. */
const DRIFT = 40;

export class Watching {
	/**
	 * @param {import('./game.js').Game} game
	 */
	constructor(game) {
		this.game = game;
		this.clock = new Clock();
		this.director = new Director(game.camera);
		/** The updates of the match; null while the page does not watch. @type {Live | null} */
		this.live = null;
		/** The match that is shown. @type {Match | null} */
		this.match = null;
		/** Its map, or the one without players. @type {MapData | null} */
		this.map = null;
		/** The last moment. @type {Moment | null} */
		this.moment = null;
		/** The moment of a map without players. */
		this.empty = newMoment();
		this.before = 0;
		/** Why there is no match to see; empty while there is one. */
		this.status = '';
	}

	/** Whether a match is to be seen. */
	get isLive() {
		return this.match !== null && this.moment !== null;
	}

	/** Begins to watch. */
	start() {
		if (this.live) return;
		this.status = '';
		this.live = new Live({
			base: this.game.root,
			following: () => true,
			onmatch: (m) => this.#open(m),
			onstatus: (text) => { this.status = text; },
		});
	}

	/** Stops watching. The canvas is another's then. */
	stop() {
		this.live?.close();
		this.match?.close();
		this.live = this.match = this.map = this.moment = null;
	}

	/** @param {Match} match */
	async #open(match) {
		this.match?.close();
		this.match = match;
		this.moment = null;
		this.status = '';
		Object.assign(this.clock, { tick: match.firstTick, first: match.firstTick, last: match.lastTick, edge: 0 });
		this.clock.goLive();
		this.director.auto = true;
		this.director.followed = -1;
		try {
			const map = await readMapOnce(await match.map.load());
			if (this.match !== match) return;
			this.#setMap(map, match.map.name);
			const { width, height, tiles } = map.game, indices = new Uint8Array(width * height);
			for (let i = 0; i < indices.length; i++) indices[i] = tiles[4 * i];
			match.setTiles(width, height, indices);
		} catch (err) {
			if (this.match === match) this.status = `The map ${match.map.name} cannot be shown: ${err instanceof Error ? err.message : err}`;
		}
	}

	/**
	 * Shows a map until there is a match.
	 * @param {{ name: string, sha256: string, size: number }} map
	 */
	async showMap({ name, sha256, size }) {
		if (!this.live || this.match || this.map || !sha256) return;
		for (const path of ['/play/map/', '/map/']) {
			try {
				const file = await fetchFile(this.game.root + path + encodeURIComponent(sha256), size);
				if (!file) continue;
				const data = await readMapOnce(file);
				if (this.live && !this.map && !this.match) this.#setMap(data, name);
				return;
			} catch {
				// the page has a background of its own
			}
		}
	}

	/** @param {MapData} map @param {string} name */
	#setMap(map, name) {
		this.map = map;
		this.director.placed = false;
		this.game.scene.setMap(map, name);
	}

	/** Draws the match while the page watches it. @param {number} now in ms */
	frame(now) {
		const seconds = Math.min(Math.max(now - this.before, 0), 1000) / 1000;
		this.before = now;
		const { camera, scene } = this.game;
		document.body.classList.toggle('blank', this.live !== null && !this.moment);
		document.body.classList.toggle('watched', this.isLive);
		if (!this.live || !this.map) return;
		const zoom = camera.zoom;
		camera.zoom = ZOOM;
		const m = this.match ? this.#advance(this.match, seconds) : this.#drift(seconds);
		if (m) {
			const { x, y } = camera, { left, bottom } = this.game.card.covered;
			camera.x -= left * camera.width * camera.zoom / 2; // what is followed is beside the card
			camera.y += bottom * camera.height * camera.zoom / 2;
			scene.followed = -1;
			scene.draw(m, camera);
			Object.assign(camera, { x, y });
		}
		camera.zoom = zoom;
	}

	/**
	 * The next moment of a match, or null while it is not loaded.
	 * @param {Match} match
	 * @param {number} seconds
	 */
	#advance(match, seconds) {
		this.clock.advance(seconds, match, this.moment?.ready ?? false);
		const m = match.at(this.clock.tick);
		if (m.ready) this.moment = m;
		if (!m.ready) return null;
		this.director.update(m, this.map);
		return m;
	}

	/** Moves slowly over the map. @param {number} seconds */
	#drift(seconds) {
		const { game } = /** @type {MapData} */ (this.map), { camera } = this.game, m = this.empty;
		this.moment = m;
		m.tick += seconds * TICKS_PER_SECOND;
		m.prevTick = m.nextTick = Math.floor(m.tick);
		const width = game.width * 32, height = game.height * 32, room = Math.max(0, width - camera.width);
		const way = room ? (m.tick / TICKS_PER_SECOND * DRIFT) % (2 * room) : 0;
		camera.x = width / 2 - room / 2 + (way < room ? way : 2 * room - way);
		camera.y = height / 2;
		return m;
	}
}
