/**
 * The match that the player is in: snapshots and messages of the engine as moments, with the own
 * tee where it is predicted to be.
 *
 * @module
 */

import { EventFiller } from '../../viewer/match/eventfiller.js';
import { Events, Reading } from '../../viewer/match/events.js';
import { Evolver } from '../../viewer/match/evolve.js';
import { MomentFiller, newFrame } from '../../viewer/match/moment.js';
import { EFFECT_TICKS, HOOK } from '../../viewer/match/types.js';
import { WireError } from '../../viewer/wire/error.js';
import { readMessage } from '../../viewer/wire/objects.js';
import { DeClientInfo } from '../../viewer/wire/schema7_gen.js';
import { OWN } from '../engine/memory.js';

/** @typedef {import('../../viewer/match/moment.js').Frame} Frame */

/** The number of kept frames. A server sends 25 to 50 a second. */
const MAX_FRAMES = 200;

/** The number of kept events of each kind. The page shows those of the last seconds. */
const MAX_EVENTS = 1000;

/** The bit of OWN.JUMPED for a used air jump. */
const AIR_JUMPED = 2;

export class Playing {
	constructor() {
		this.filler = new MomentFiller();
		this.events = new Events(MAX_EVENTS);
		this.reading = new Reading();
		this.eventFiller = new EventFiller();
		/** @type {Frame[]} */
		this.frames = [];
		/** The frame up to which effects are shown. @type {Frame | null} */
		this.shown = null;
		/** The own tee in the last moment; null while it is dead. @type {import('../../viewer/match/types.js').Tee | null} */
		this.own = null;
	}

	/**
	 * Sets the map; the frames of the map before are dropped.
	 * @param {import('../../viewer/draw/mapfile.js').MapData} map
	 */
	setMap(map) {
		const { width, height, tiles } = map.game, indices = new Uint8Array(width * height);
		for (let i = 0; i < indices.length; i++) indices[i] = tiles[4 * i];
		this.filler.evolver = new Evolver(width, height, indices);
		this.filler.reset();
		this.events = new Events(MAX_EVENTS); // kills and broadcasts are of the map before
	}

	/** Drops the frames and events, as at a change of the map: another clock counts the next. */
	reset() {
		this.events = new Events(MAX_EVENTS);
		this.eventFiller = new EventFiller();
		this.frames = [];
		this.shown = null;
		this.own = null;
	}

	/**
	 * @param {number} tick
	 * @param {import('../../viewer/wire/snapshot.js').Snapshot} s
	 */
	addSnapshot(tick, s) {
		const { frames, reading } = this, last = frames[frames.length - 1];
		if (last && last.tick >= tick) this.reset(); // another round of the server's clock
		this.frames.push(newFrame(tick, last && last.tick < tick ? last.tick : tick - 2, s));
		if (this.frames.length > MAX_FRAMES) this.frames.splice(0, this.frames.length - MAX_FRAMES);
		// Names and teams are needed for the texts of the messages that come with the snapshot.
		for (let i = s.search(DeClientInfo.TYPE << 16); i < s.length && s.keys[i] >>> 16 === DeClientInfo.TYPE; i++) {
			reading.teams[s.keys[i] & 0xffff] = s.ints[s.offsets[i] + DeClientInfo.Team];
		}
		reading.keyframe(s, tick);
	}

	/**
	 * @param {Uint8Array} message
	 * @param {number} tick the tick at which its effect is shown
	 */
	addMessage(message, tick) {
		try {
			this.reading.message(readMessage(message, 0, message.length), tick);
		} catch (err) {
			if (!(err instanceof WireError)) throw err;
			return; // a server can send values that 0.7 does not know
		}
		this.events.insert(this.reading);
		this.reading.clear();
	}

	/**
	 * Returns the moment that the engine shows now, or null before the first snapshot.
	 * @param {import('../engine/engine.js').Engine} engine
	 */
	at(engine) {
		const { frames } = this;
		if (frames.length === 0) return null;
		const tick = Math.min(engine.shown || frames[frames.length - 1].tick, frames[frames.length - 1].tick);
		let k = frames.length - 1;
		while (k > 0 && frames[k].tick > tick) k--;
		const prev = frames[k], next = frames[k + 1] ?? prev;
		const m = this.filler.fill(prev, next, tick);
		if (this.shown !== next) {
			this.shown = next;
			this.#fillEffects(m, next);
		}
		this.eventFiller.fill(m, this.events, tick);
		this.#placeOwn(m, engine);
		return m;
	}

	/**
	 * Collects the effects of the last seconds.
	 * @param {import('../../viewer/match/types.js').Moment} m
	 * @param {Frame} next
	 */
	#fillEffects(m, next) {
		const list = m.effects, { frames } = this;
		list.length = 0;
		for (const frame of frames) {
			if (frame.tick > next.tick) break;
			if (frame.tick >= next.tick - EFFECT_TICKS) for (const e of frame.effects) list.items[list.length++] = e;
		}
	}

	/**
	 * Moves the own tee to where it is predicted to be.
	 * @param {import('../../viewer/match/types.js').Moment} m
	 * @param {import('../engine/engine.js').Engine} engine
	 */
	#placeOwn(m, engine) {
		const self = engine.self;
		this.own = null;
		for (let i = 0; i < m.tees.length; i++) if (m.tees.items[i].id === self) this.own = m.tees.items[i];
		const t = this.own;
		if (!t || !engine.alive) return;
		const [a, b] = engine.own, f = engine.predicted - Math.floor(engine.predicted);
		const mix = (/** @type {number} */ i) => a[i] + (b[i] - a[i]) * f;
		t.x = mix(OWN.X);
		t.y = mix(OWN.Y);
		t.vx = mix(OWN.VEL_X) / 256;
		t.vy = mix(OWN.VEL_Y) / 256;
		t.nextX = b[OWN.X];
		t.nextY = b[OWN.Y];
		t.nextVX = b[OWN.VEL_X] / 256;
		t.direction = b[OWN.DIRECTION];
		t.airJumped = (b[OWN.JUMPED] & AIR_JUMPED) !== 0;
		t.hookState = a[OWN.HOOK_STATE] > HOOK.IDLE ? b[OWN.HOOK_STATE] : HOOK.IDLE;
		t.hookedPlayer = b[OWN.HOOKED_PLAYER];
		t.hookX = mix(OWN.HOOK_X);
		t.hookY = mix(OWN.HOOK_Y);
		if (t.hookedPlayer < 0) return;
		for (let i = 0; i < m.tees.length; i++) {
			const other = m.tees.items[i];
			if (other.id === t.hookedPlayer) [t.hookX, t.hookY] = [other.x, other.y];
		}
	}
}
