/**
 * The client: a Go program in WebAssembly. It gets datagrams, inputs and the time, and gives
 * datagrams, events, and snapshots and messages of 0.7, whatever version the server speaks.
 *
 * @module
 */

import { Snapshot } from '../../viewer/wire/snapshot.js';
import { INPUT, LAYOUT, OWN, STATE, USED, VERSION } from './memory.js';
import { wasi } from './wasi.js';

/**
 * The functions that the program exports; see web/play/wasm/exports.go.
 * @typedef {object} Program
 * @property {WebAssembly.Memory} memory
 * @property {() => void} _initialize
 * @property {() => number} version
 * @property {() => number} shared
 * @property {(n: number) => number} room
 * @property {(nameLength: number, fileLength: number) => number} addMap
 * @property {(now: number, fileLength: number) => number} useMap
 * @property {() => number} mapAddress
 * @property {() => number} mapSize
 * @property {(now: number, n: number) => number} connect
 * @property {(now: number, n: number) => void} feed
 * @property {(now: number) => void} frame
 * @property {(now: number, n: number) => void} act
 */

/**
 * What the engine reports. The arrays are copies.
 * @typedef {object} Reports
 * @property {(datagram: Uint8Array<ArrayBuffer>) => void} ondatagram a datagram for the server
 * @property {(event: any) => void} onevent an event of web/play/engine/events.go
 * @property {(message: Uint8Array<ArrayBuffer>) => void} onmessage a message of 0.7
 * @property {(tick: number, s: Snapshot) => void} onsnapshot
 * @property {(reason: string) => void} oncrash the program has ended; a new Engine is needed
 */

/**
 * The player to connect as.
 * @typedef {object} Player
 * @property {string} name
 * @property {string} clan
 * @property {number} country
 * @property {Skin} skin
 * @property {string} password
 * @property {string} version '0.7', '0.6' or '' for any
 * @property {number} ddnetVersion the DDNet release times 1000; 0 for none
 * @property {string} identity 32 hexadecimal digits
 */

/**
 * A skin: name, use of the colour, and colour of each of the six parts (SKIN_PART).
 * @typedef {Array<[string, boolean, number]>} Skin
 */

const EMPTY = '\0';

export class Engine {
	/**
	 * @param {WebAssembly.Module} module
	 * @param {Reports} reports
	 */
	constructor(module, reports) {
		this.reports = reports;
		/** The last lines that the program has printed, for the text of a crash. @type {string[]} */
		this.printed = [];
		this.crashed = false;
		const instance = new WebAssembly.Instance(module, wasi(() => this.program.memory, (line) => {
			this.printed.push(line);
			if (this.printed.length > 50) this.printed.shift();
		}));
		this.program = /** @type {Program} */ (/** @type {unknown} */ (instance.exports));
		this.program._initialize();
		if (this.program.version() !== VERSION) throw new Error('The program of this page is of another version. Reload the page.');
		this.at = this.program.shared();
		this.#look();
	}

	/** @type {ArrayBuffer | undefined} */
	#buffer;

	/** Makes new views after the program's memory has grown, which detaches the old ones. */
	#look() {
		const b = this.program.memory.buffer, at = this.at;
		if (this.#buffer === b) return;
		this.#buffer = b;
		this.state = new Float64Array(b, at + LAYOUT.STATE, 32);
		this.own = [0, 1].map((i) => new Int32Array(b, at + LAYOUT.OWN + 4 * OWN.LENGTH * i, OWN.LENGTH));
		this.input = new Int32Array(b, at + LAYOUT.INPUT, INPUT.LENGTH);
		this.used = new Int32Array(b, at + LAYOUT.USED, USED.LENGTH);
		this.in = new Uint8Array(b, at + LAYOUT.IN, LAYOUT.IN_LENGTH);
		this.out = new Uint8Array(b, at + LAYOUT.OUT, LAYOUT.OUT_LENGTH);
		this.messages = new Uint8Array(b, at + LAYOUT.MESSAGES, LAYOUT.MESSAGES_LENGTH);
		this.events = new Uint8Array(b, at + LAYOUT.EVENTS, LAYOUT.EVENTS_LENGTH);
		this.snapshots = new Int32Array(b, at + LAYOUT.SNAPSHOTS, LAYOUT.SNAPSHOTS_LENGTH);
	}

	/**
	 * Calls the program, and ends the engine if the program has crashed.
	 * @template T
	 * @param {() => T} call
	 * @returns {T | undefined}
	 */
	#run(call) {
		if (this.crashed) return undefined;
		try {
			const result = call();
			this.#look();
			this.#report();
			return result;
		} catch (err) {
			if (!(err instanceof WebAssembly.RuntimeError) && !(err instanceof RangeError) && !/program ended/.test(String(err))) throw err;
			this.crashed = true;
			console.warn(this.printed.join('\n'));
			this.reports.oncrash(this.printed.find((line) => line.startsWith('panic:')) ?? String(err));
			return undefined;
		}
	}

	/** Reports all that the last call has produced. */
	#report() {
		const { reports } = this;
		// Reports may call the program again, so everything is copied first.
		const datagrams = records(this.out, this.used[USED.OUT]), messages = records(this.messages, this.used[USED.MESSAGES]);
		const events = records(this.events, this.used[USED.EVENTS]), snapshots = this.snapshots.slice(0, this.used[USED.SNAPSHOTS]);
		this.used.fill(0);
		for (const d of datagrams) reports.ondatagram(d);
		for (let at = 0; at < snapshots.length;) {
			const [tick, items, ints] = snapshots.subarray(at, at + 3);
			const keys = at + 3, offsets = keys + items, values = offsets + items + 1;
			at = values + ints;
			reports.onsnapshot(tick, new Snapshot(
				items, Uint32Array.from(snapshots.subarray(keys, offsets)), Uint16Array.from(snapshots.subarray(offsets, values)), snapshots.slice(values, at),
			));
		}
		for (const m of messages) reports.onmessage(m);
		for (const e of events) reports.onevent(JSON.parse(new TextDecoder().decode(e)));
	}

	/** Writes a text to the input of the program, and returns its length. @param {string} text */
	#text(text) {
		const b = new TextEncoder().encode(text);
		if (b.length > this.in.length) throw new Error('The text is too long.');
		this.in.set(b);
		return b.length;
	}

	/** One of CONNECTION. */
	get connection() { return this.state[STATE.CONNECTION]; }
	/** The tick to show, with a fraction. */
	get shown() { return this.state[STATE.SHOWN]; }
	/** The tick of the own tee, with a fraction. */
	get predicted() { return this.state[STATE.PREDICTED]; }
	/** The id of the own player; -1 if unknown. */
	get self() { return this.state[STATE.SELF]; }
	/** The last tick that has got an input. Before the first one, it is the tick of the own tee. */
	get inputTick() { return this.state[STATE.INPUT_TICK] || Math.floor(this.predicted); }
	/** Whether own has the own tee. */
	get alive() { return this.state[STATE.ALIVE] !== 0; }

	/**
	 * Adds a map, so that the server need not send it. It reports whether the map is readable.
	 * @param {string} name
	 * @param {Uint8Array} file
	 */
	addMap(name, file) {
		const head = new TextEncoder().encode(name);
		return this.#withRoom([head, file], () => this.program.addMap(head.length, file.length)) === 1;
	}

	/**
	 * Gives the engine the map that it waits for, after the event map_announced. It reports whether
	 * it was that map.
	 * @param {Uint8Array} file
	 */
	useMap(file) {
		return this.#withRoom([file], () => this.program.useMap(performance.now(), file.length)) === 1;
	}

	/** A copy of the file of the server's map, such as one that the server has sent; null before it is loaded. */
	get map() {
		const size = this.crashed ? 0 : this.program.mapSize();
		return size > 0 ? new Uint8Array(this.program.memory.buffer, this.program.mapAddress(), size).slice() : null;
	}

	/**
	 * @param {Uint8Array[]} parts
	 * @param {() => number} call
	 */
	#withRoom(parts, call) {
		return this.#run(() => {
			let at = this.program.room(parts.reduce((sum, p) => sum + p.length, 0));
			for (const p of parts) {
				new Uint8Array(this.program.memory.buffer, at, p.length).set(p);
				at += p.length;
			}
			return call();
		});
	}

	/**
	 * Connects. It reports whether the player is valid: the name and so on may be too long.
	 * @param {Player} p
	 */
	connect(p) {
		const fields = [p.name, p.clan, p.country, ...skinFields(p.skin), p.password, p.version, p.ddnetVersion, p.identity];
		return this.#run(() => this.program.connect(performance.now(), this.#text(fields.join(EMPTY)))) === 1;
	}

	/** Processes a datagram from the server. @param {Uint8Array} datagram */
	feed(datagram) {
		if (datagram.length > this.in.length) return;
		this.#run(() => {
			this.in.set(datagram);
			this.program.feed(performance.now(), datagram.length);
		});
	}

	/**
	 * Sends an input if it is due, and predicts the own tee. Call it for each picture, and at least
	 * 50 times a second.
	 * @param {ArrayLike<number>} input by INPUT
	 */
	frame(input) {
		this.#run(() => {
			this.input.set(input);
			this.program.frame(performance.now());
		});
	}

	/**
	 * Runs an action of web/play/engine/actions.go. The event failed reports an error.
	 * @param {string} name
	 * @param {...(string | number)} params
	 */
	act(name, ...params) {
		this.#run(() => this.program.act(performance.now(), this.#text([name, ...params.map((p) => String(p).replaceAll(EMPTY, ''))].join(EMPTY))));
	}

	/** Changes the skin. @param {Skin} skin */
	setSkin(skin) {
		this.act('skin', ...skinFields(skin));
	}
}

/** @param {Skin} skin */
export function skinFields(skin) {
	return skin.flatMap(([name, colored, color]) => [name, colored ? 1 : 0, color]);
}

/**
 * Copies the records of a buffer, each after its length.
 * @param {Uint8Array} from
 * @param {number} used
 */
function records(from, used) {
	const all = [];
	for (let at = 0; at < used;) {
		const end = at + 2 + (from[at] | from[at + 1] << 8);
		all.push(from.slice(at + 2, end));
		at = end;
	}
	return /** @type {Uint8Array<ArrayBuffer>[]} */ (all);
}
