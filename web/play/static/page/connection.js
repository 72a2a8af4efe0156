/**
 * The connection to the server: engine, socket, map, and the match that they show. It knows no
 * element of the page; see the events below.
 *
 * @module
 */

import { loadServerInfo } from '../../viewer/page/serverinfo.js';
import { Engine } from '../engine/engine.js';
import { CONNECTION } from '../engine/memory.js';
import { Playing } from '../match/playing.js';
import { Socket } from '../net/socket.js';
import { fetchFile, readMapOnce } from './maps.js';

/** The time between two steps of a page that is hidden or draws slowly, in ms. */
const STEP = 20;

/** The browser gives the timers of hidden pages one call a second, but datagrams at once. */

/** The time without progress after which a page that is not in the match yet gives up, in ms. */
const PATIENCE = 30_000;

/** The events that bring the page closer to the match. */
const PROGRESS = new Set(['map_announced', 'download', 'entered']);

export class Connection extends EventTarget {
	/**
	 * @param {object} options
	 * @param {string} options.root the path of the server, without a slash at the end
	 * @param {import('../engine/program.js').Program} options.program
	 * @param {import('../input/input.js').Input} options.input
	 */
	constructor({ root, program, input }) {
		super();
		this.root = root;
		this.program = program;
		this.input = input;
		input.onchange = () => this.step();
		this.match = new Playing();
		/** @type {Engine | null} */
		this.engine = null;
		/** @type {Socket | null} */
		this.socket = null;
		/** The map of the match, once it is loaded. @type {{ name: string, data: import('../../viewer/draw/mapfile.js').MapData } | null} */
		this.map = null;
		/** Ends the wait for the last announced map. */
		this.loading = new AbortController();
		/** Whether the server speaks DDNet's protocol. */
		this.ddnet = false;
		/** Why the connection has ended; empty for none. */
		this.reason = '';
		this.steppedAt = 0;
		/** When the page last came closer to the match. */
		this.progressAt = 0;
		this.timer = setInterval(() => { if (performance.now() - this.steppedAt > STEP) this.step(); }, STEP);
	}

	/** Whether the player is in the match. */
	get playing() {
		return this.engine?.connection === CONNECTION.PLAYING;
	}

	/** Whether the player is in the match and sees it. */
	get shows() {
		return this.playing && this.map !== null && this.match.frames.length > 0;
	}

	/**
	 * Connects as a player.
	 * @param {import('../engine/engine.js').Player} player
	 */
	async open(player) {
		this.close();
		this.reason = '';
		this.ddnet = false;
		const engine = this.engine = new Engine(await this.program.module, {
			ondatagram: (d) => this.socket?.send(d),
			onevent: (e) => this.#event(e),
			onmessage: (m) => this.match.addMessage(m, this.#now()),
			onsnapshot: (tick, s) => this.match.addSnapshot(tick, s),
			oncrash: (reason) => this.#end('crash', reason),
		});
		this.progressAt = performance.now();
		const url = new URL(this.root + '/', location.href);
		url.protocol = url.protocol.replace('http', 'ws');
		const socket = this.socket = new Socket(url.href);
		socket.onopen = () => {
			if (!engine.connect(player)) this.#end('ended', 'The name or the clan is too long.');
		};
		socket.ondatagram = (d) => {
			engine.feed(d);
			if (performance.now() - this.steppedAt > STEP) this.step();
		};
		socket.onclose = (reason) => { if (this.socket === socket) this.#end('ended', reason || 'The connection to the server is lost.'); };
	}

	/** The tick to which messages that arrive now belong. */
	#now() {
		return Math.floor(this.engine?.shown ?? 0) || (this.match.frames.at(-1)?.tick ?? 0);
	}

	/** Sends the input if it is due. The page calls it for each picture. */
	step() {
		this.steppedAt = performance.now();
		const { engine, input } = this;
		if (!engine) return;
		const tick = engine.inputTick;
		engine.frame(input.write(this.match.own?.weapon ?? -1));
		if (engine.inputTick !== tick) input.sent();
		if (this.shows) this.progressAt = this.steppedAt;
		else if (this.steppedAt - this.progressAt > PATIENCE) this.#giveUp();
	}

	/** Leaves a server that answers, but does not let the player into the match. */
	#giveUp() {
		this.reason = `The server sends no ${this.map ? 'snapshots' : 'map'}`;
		this.engine?.act('leave', '');
		this.#end('ended', this.reason);
	}

	/** Runs an action of the engine. @param {string} name @param {...(string | number)} params */
	act(name, ...params) {
		this.engine?.act(name, ...params);
	}

	/** Leaves the server. */
	close() {
		if (this.engine && !this.engine.crashed) this.engine.act('leave', '');
		this.loading.abort();
		this.socket?.close();
		this.socket = this.engine = null;
		this.match.reset();
	}

	/**
	 * @param {'ended' | 'crash'} kind
	 * @param {string} reason
	 */
	#end(kind, reason) {
		if (!this.engine) return;
		this.reason ||= reason; // the end of a connection that the page gives up has no reason
		this.match.reset();
		this.loading.abort();
		this.socket?.close();
		this.socket = this.engine = null;
		this.dispatchEvent(new CustomEvent(kind, { detail: { reason: this.reason } }));
	}

	/** @param {any} e */
	#event(e) {
		if (PROGRESS.has(e.event)) this.progressAt = performance.now();
		if (e.event === 'map_announced') this.#loadMap(e);
		if (e.event === 'capabilities') this.ddnet = true; // only servers with DDNet's protocol send them
		if (e.event === 'entered' && !this.map && this.engine?.map) this.#showMap(e.map, this.engine.map);
		if (e.event === 'disconnected') {
			this.#end('ended', e.reason);
			return;
		}
		this.dispatchEvent(new CustomEvent(e.event, { detail: e }));
	}

	/**
	 * Fetches the announced map over HTTP, or as a client does if the server has changed it meanwhile.
	 * @param {{ map: string, sha256: string, crc: string, size: number }} announced
	 */
	async #loadMap(announced) {
		const { engine } = this;
		this.loading.abort();
		this.loading = new AbortController();
		const { signal } = this.loading;
		this.match.reset();
		this.map = null;
		this.dispatchEvent(new CustomEvent('map_loading', { detail: announced }));
		const file = await this.#fetchMap(announced, signal);
		if (this.engine !== engine || !engine || signal.aborted) return;
		if (file && engine.useMap(file)) this.#showMap(announced.map, file);
		else engine.act('download_map'); // the event entered follows
	}

	/**
	 * @param {string} name
	 * @param {Uint8Array} file
	 */
	async #showMap(name, file) {
		const { engine, loading: { signal } } = this, isOver = () => this.engine !== engine || signal.aborted;
		let data;
		try {
			data = await readMapOnce(file, signal);
		} catch (err) {
			if (!isOver()) this.#end('ended', `This map cannot be read: ${err}`);
			return;
		}
		if (isOver()) return;
		this.map = { name, data };
		this.match.setMap(data);
		this.dispatchEvent(new CustomEvent('map', { detail: this.map }));
	}

	/**
	 * Fetches a map. DDNet's version may announce it without its hash, which the server's description has.
	 * @param {{ map: string, sha256: string, size: number }} announced
	 * @param {AbortSignal} signal
	 * @returns {Promise<Uint8Array | null>}
	 */
	async #fetchMap({ map: name, sha256, size }, signal) {
		if (!sha256) {
			const map = (await loadServerInfo(this.root))?.map;
			if (map?.name !== name || map.size !== size) return null;
			sha256 = map.sha256;
		}
		const progress = (/** @type {number} */ done) => this.#event({ event: 'download', map: name, done, size });
		return fetchFile(`${this.root}/play/map/${encodeURIComponent(sha256)}`, size, signal, progress);
	}
}
