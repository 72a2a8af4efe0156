/**
 * Shows a match: connects time, camera, picture and the texts over it.
 *
 * @module
 */

import { Camera } from '../draw/camera.js';
import { Icons } from '../draw/icons.js';
import { readMap } from '../draw/mapfile.js';
import { Resolution } from '../draw/resolution.js';
import { Scene } from '../draw/scene.js';
import { Interrupted, progressText } from '../match/download.js';
import { GAME, TICKS_PER_SECOND } from '../match/types.js';
import { Bar } from './bar.js';
import { Clock } from './clock.js';
import { Controls } from './controls.js';
import { Director } from './director.js';
import { byId, setText } from './dom.js';
import { Hud } from './hud.js';
import { formatPlace, parsePlace } from './link.js';
import { Loading } from './loading.js';
import { Minimap } from './minimap.js';
import { Plate } from './plate.js';
import { Scoreboard } from './scoreboard.js';
import { Sounds } from './sound.js';
import { Talk } from './talk.js';
import { QUIET, tallyOf, tallyText } from './tally.js';
import { TeeStates, statesOf } from './teestate.js';
import { Timeline } from './timeline.js';

/** @typedef {import('../match/types.js').Match} Match */
/** @typedef {import('../match/types.js').Moment} Moment */

/** The path of the original game's images on the server. */
const DATA = new URL('../data/', import.meta.url).pathname;

/** The interval at which texts are updated, in ms. */
const TEXT_EVERY = 100;

/** The time without mouse movement after which the controls hide, in ms. */
const IDLE_AFTER = 3500;

/** How long a moment may load before the page says so, in ms. */
const SILENT = 600;

/**
 * The time before a map is requested again, in ms. It doubles with each attempt up to
 * LONGEST_RETRY.
 */
const RETRY = 1000;
const LONGEST_RETRY = 15_000;

/** The maximum distance from a click to the tee that it selects, in world units. */
const TAP_RADIUS = 60;

/** The browser's storage key for the preferred look. */
const LOOK_KEY = 'teeyard look';

export class Viewer {
	constructor() {
		this.stage = byId('stage');
		this.canvas = /** @type {HTMLCanvasElement} */ (byId('view'));
		this.scene = new Scene(this.canvas);
		this.camera = new Camera();
		/** Follows the speed of the graphics card. Null keeps the screen's resolution. @type {Resolution | null} */
		this.resolution = new Resolution();
		this.clock = new Clock();
		this.director = new Director(this.camera);
		this.icons = new Icons(this.scene);
		this.hud = new Hud(this.icons);
		this.talk = new Talk();
		this.sounds = new Sounds();
		/** Kills and deaths by client id. @type {Map<number, import('./tally.js').Count>} */
		this.tally = new Map();
		/** Whether the match has the round from its beginning. */
		this.counted = true;
		this.scoreboard = new Scoreboard((id) => this.director.follow(id), this.icons, (id) => tallyText(this.tally.get(id), this.counted));
		this.plate = new Plate(this.icons);
		this.loading = new Loading();
		/** The name of the server; empty if it is unknown. */
		this.server = '';
		this.tee = new TeeStates(byId('tee'));
		this.timeline = new Timeline((tick) => this.clock.seek(tick));
		this.minimap = new Minimap(/** @type {HTMLCanvasElement} */ (byId('minimap')), this.director);
		this.bar = new Bar(this);
		this.controls = new Controls(this.canvas, this.director, this.bar.keys, (x, y) => this.tap(x, y));
		/** @type {Match|null} */
		this.match = null;
		/** @type {import('../draw/mapfile.js').MapData|null} */
		this.map = null;
		/** @type {Moment|null} */
		this.moment = null;
		/**
		 * The moment that a link names, until it can be shown.
		 * @type {import('./link.js').Place|null}
		 */
		this.wanted = null;
		this.before = 0;
		this.textAt = 0;
		this.touched = 0;
		this.readyAt = 0;
		this.message = '';
		/**
		 * The time before a map is requested again, in ms; set by tests.
		 * @type {number|undefined}
		 */
		this.retry = undefined;
		/** Whether the canvas lost its picture to a new size. */
		this.cleared = true;
		/** Whether anything has been shown yet. */
		this.shown = false;
		/** Called with a file that the user wants to watch. @type {(file: Blob) => void} */
		this.onFile = () => {};
		for (const type of ['pointermove', 'pointerdown', 'keydown']) addEventListener(type, () => { this.touched = performance.now(); });
		addEventListener('hashchange', () => { this.wanted = parsePlace(location.hash); });
		new ResizeObserver(() => this.resize()).observe(this.canvas);
		this.resize();
		this.acceptDrops();
		const frame = (/** @type {number} */ now) => {
			requestAnimationFrame(frame);
			this.frame(now);
		};
		requestAnimationFrame(frame);
	}

	resize() {
		const k = Math.min(devicePixelRatio || 1, 2) * (this.resolution?.scale ?? 1);
		this.canvas.width = Math.max(1, Math.round(this.canvas.clientWidth * k));
		this.canvas.height = Math.max(1, Math.round(this.canvas.clientHeight * k));
		this.camera.resize(this.canvas.width, this.canvas.height);
		this.cleared = true;
	}

	/**
	 * Shows a text to the user, such as that there is nothing to see; empty for none.
	 * @param {string} text
	 */
	say(text) {
		this.message = text;
		setText(byId('status'), text);
		this.loading.waits(this.match === null);
	}

	/** Names the server on the page. @param {import('./serverinfo.js').ServerInfo} info */
	describe(info) {
		this.server = info.name;
		this.loading.server(info);
		this.writeTitle();
	}

	/** Writes the score, the map and the server into the title of the window. */
	writeTitle() {
		const g = this.moment?.ready ? this.moment.game : null, parts = [this.match?.map.name, this.server, 'Teeyard'];
		if (g && g.flags & GAME.TEAMS) parts.unshift(`${g.scoreRed} : ${g.scoreBlue}`);
		const title = parts.filter(Boolean).join(' · ');
		if (document.title !== title) document.title = title;
	}

	/**
	 * Shows a match in place of the previous one.
	 * @param {Match} match
	 */
	async open(match) {
		this.match?.close();
		this.match = match;
		this.moment = null;
		document.body.classList.remove('empty');
		this.writeTitle();
		this.loading.shows({ map: match.map.name, received: 0, total: 0 });
		this.say('Loading the map.');
		Object.assign(this.clock, { tick: match.firstTick, first: match.firstTick, last: match.lastTick, edge: 0, speed: 1, playing: true, following: false });
		this.wanted = parsePlace(location.hash);
		if (match.live && this.wanted.tick === null) this.clock.goLive();
		this.director.placed = false;
		this.sounds.reset();
		this.map = null; // otherwise the match would be shown on the previous map
		this.drawn(false);
		try {
			const map = await readMap(await this.loadMap(match));
			if (this.match !== match) return;
			this.map = map;
			this.scene.setMap(map, match.map.name);
			this.minimap.setMap(map);
			match.setTiles(map.game.width, map.game.height, indicesOf(map.game));
			this.say('Drawing the match.');
			for (const id of ['top', 'bar', 'minimap']) byId(id).hidden = false;
		} catch (err) {
			if (this.match === match) this.say(`The map ${match.map.name} cannot be shown: ${err instanceof Error ? err.message : err}`);
			console.warn(err);
		}
	}

	/**
	 * Loads the map of a match and shows the progress. A failed load is retried until another match
	 * is shown.
	 * @param {Match} match
	 */
	async loadMap(match) {
		const name = match.map.name;
		match.map.onprogress = (received, total) => {
			if (this.match !== match || this.map) return;
			this.loading.shows({ map: name, received, total });
			this.say(`Loading the map ${name}: ${progressText(received, total)}.`);
		};
		for (let wait = RETRY; ; wait = Math.min(2 * wait, LONGEST_RETRY)) {
			try {
				return await match.map.load();
			} catch (err) {
				if (!(err instanceof Interrupted) || this.match !== match) throw err;
				this.say(`The map ${name} is not loaded yet: ${err.message}. Trying again.`);
				await new Promise((f) => { setTimeout(f, this.retry ?? wait); });
			}
		}
	}

	/**
	 * Sets whether the match is visible, and reports whether that is new. Texts stay at the edge of
	 * a visible match.
	 * @param {boolean} on
	 */
	drawn(on) {
		if (this.stage.classList.contains('drawn') === on) return false;
		this.stage.classList.toggle('drawn', on);
		return true;
	}

	/** Goes to the moment that a link names, as far as it is known yet. */
	goThere() {
		const [w, match, m] = [this.wanted, this.match, this.moment];
		if (!w || !match) return;
		if (w.tick !== null) {
			if (!match.ended && match.firstTick + w.tick > match.lastTick && !match.live) return;
			this.clock.seek(match.firstTick + w.tick);
			w.tick = null;
		}
		if (!m?.ready) return;
		this.wanted = null;
		if (w.zoom !== null) this.director.zoom = this.camera.zoom = w.zoom;
		const player = w.player === null ? undefined : m.players.find((p) => p.active && p.name === w.player);
		if (player) this.director.follow(player.id);
		else if (w.x !== null && w.y !== null) {
			this.director.free();
			this.director.placed = true;
			this.camera.x = w.x;
			this.camera.y = w.y;
		}
	}

	/** A link to the current moment. */
	link() {
		const name = this.director.followed >= 0 && this.moment ? this.moment.players[this.director.followed].name : '';
		const url = new URL(location.href);
		if (this.match?.id) url.searchParams.set('match', this.match.id); // the address of the next match is the same
		url.hash = formatPlace(this.clock.tick - this.clock.first, this.camera, name);
		return url.href;
	}

	/**
	 * Follows the tee at a place in the world.
	 * @param {number} x
	 * @param {number} y
	 */
	tap(x, y) {
		const m = this.moment;
		if (!m) return;
		let [best, near] = [-1, TAP_RADIUS * Math.max(1, this.camera.zoom)];
		for (let i = 0; i < m.tees.length; i++) {
			const t = m.tees.items[i];
			const d = Math.hypot(t.x - x, t.y - y);
			if (d < near) [best, near] = [t.id, d];
		}
		if (best >= 0) this.director.follow(best);
	}

	/** @param {number} now in ms */
	frame(now) {
		const ms = Math.min(Math.max(now - this.before, 0), 1000), seconds = ms / 1000;
		this.before = now;
		const match = this.match;
		if (!match || !this.map) return;
		if (this.resolution?.update(ms)) this.resize();
		this.goThere();
		this.clock.advance(seconds, match, this.moment?.ready ?? false);
		const m = match.at(this.clock.tick);
		this.moment = m;
		if (m.ready) {
			this.readyAt = now;
			this.controls.update(seconds);
			this.director.update(m, this.map);
			this.scene.followed = this.director.followed;
			this.scene.draw(m, this.camera);
			this.cleared = false;
			if (this.drawn(true)) this.textAt = 0; // remove the loading text from the first picture
			if (!this.shown) {
				this.shown = true;
				performance.mark('first picture');
			}
			this.sounds.play(m, this.camera, this.clock);
		} else if (this.cleared && this.stage.classList.contains('drawn')) {
			this.cleared = false;
			this.scene.draw(m, this.camera); // the last moment that was ready
		}
		if (now - this.textAt < TEXT_EVERY) return;
		this.textAt = now;
		this.stage.classList.toggle('idle', now - this.touched > IDLE_AFTER && this.clock.playing);
		this.writeTexts(match, m, now - this.readyAt > SILENT);
	}

	/**
	 * @param {Match} match
	 * @param {Moment} m
	 * @param {boolean} late whether the moment has been loading for long
	 */
	writeTexts(match, m, late) {
		const isOver = match.ended && this.clock.tick >= match.lastTick;
		const status = match.problem || (late ? 'Loading.' : '') || (isOver ? match.ending : '');
		if (this.message !== status) this.say(status);
		this.timeline.update(match, this.clock.tick);
		this.bar.update(match);
		if (!m.ready) return;
		this.icons.update();
		this.hud.update(m);
		this.talk.update(m);
		if (this.scoreboard.shown) {
			this.tally = tallyOf(match.marks, m.game.startTick, m.tick);
			this.counted = match.firstTick - m.game.startTick <= QUIET;
		}
		this.plate.update(m, this.director.followed);
		this.writeTitle();
		this.scoreboard.update(m, this.director.followed);
		this.minimap.draw(m);
		this.bar.updatePlayers(m);
		const id = this.director.followed;
		let seen = id < 0;
		/** @type {import('./teestate.js').TeeState[]} */
		let states = [];
		for (let i = 0; i < m.tees.length; i++) {
			if (m.tees.items[i].id !== id) continue;
			seen = true;
			states = statesOf(m, m.tees.items[i], (x, y) => this.scene.actors?.solid(x, y) ?? false);
		}
		this.tee.show(states);
		const follow = byId('follow');
		follow.hidden = seen; // the name is above the tee
		if (!seen) setText(follow, `${m.players[id].name} is out of sight`);
	}

	/**
	 * Uses the images of the original game if the server has them, unless the user prefers the
	 * page's own look.
	 * @param {Promise<Response>} [index] the list of images
	 */
	async useInstalledImages(index = fetch(DATA + 'index.json')) {
		for (let wait = RETRY; wait <= LONGEST_RETRY; wait *= 2) {
			try {
				const r = await index;
				const files = new Set(/** @type {string[]} */ (await r.json()));
				await this.scene.setImages(DATA, files, localStorage.getItem(LOOK_KEY) !== 'own');
				this.bar.offerLook();
				return;
			} catch (err) {
				console.warn(`The images of the game cannot be loaded: ${err}`);
			}
			await new Promise((f) => { setTimeout(f, wait); });
			index = fetch(DATA + 'index.json');
			index.catch(() => {}); // reported above
		}
	}

	/** Switches the look, and reports whether it is now the look of the original game. */
	toggleLook() {
		const images = this.scene.toggleLook();
		localStorage.setItem(LOOK_KEY, images ? 'images' : 'own');
		return images;
	}

	/** Accepts files that are dropped on the page. */
	acceptDrops() {
		const hint = byId('drop');
		addEventListener('dragover', (e) => {
			e.preventDefault();
			hint.hidden = false;
		});
		addEventListener('dragleave', (e) => { if (!e.relatedTarget) hint.hidden = true; });
		addEventListener('drop', (e) => {
			e.preventDefault();
			hint.hidden = true;
			const file = e.dataTransfer?.files[0];
			if (file) this.onFile(file);
		});
	}

	/** @param {number} seconds */
	skip(seconds) {
		this.clock.seek(this.clock.tick + seconds * TICKS_PER_SECOND);
	}
}

/**
 * The tile indices of a layer, row by row.
 * @param {import('../draw/mapfile.js').TileLayer} layer
 */
function indicesOf(layer) {
	const out = new Uint8Array(layer.width * layer.height);
	for (let i = 0; i < out.length; i++) out[i] = layer.tiles[4 * i];
	return out;
}
