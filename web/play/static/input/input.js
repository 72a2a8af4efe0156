/**
 * The player's input: what keys, mouse, touch and gamepad have pressed, and where they aim.
 *
 * @module
 */

import { INPUT } from '../engine/memory.js';

/** The bits of INPUT.FLAGS: game.PlayerFlags. */
const CHATTING = 2, SCOREBOARD = 4;

/** The counters of fire and of weapon changes have six bits. A weapon change is two steps. */
const COUNTER = 63;

/** The longest distance of the crosshair, in world units, if the camera stands and if it moves. */
export const REACH = 400;
export const MOVING_REACH = 200 / 0.6 + 300;

/**
 * The actions that are held. The others happen once.
 * @typedef {'left' | 'right' | 'jump' | 'hook' | 'fire'} Held
 */

/**
 * The state of a held action in the inputs of the ticks. A change that is shorter than a tick
 * still gets a tick of its own.
 */
class Flag {
	/** The states of the next ticks, before that of now. @type {{ on: boolean, ticks: number }[]} */
	#next = [];
	#now = false;

	/** @param {number} least the number of ticks that the action is held at least */
	constructor(least = 1) {
		this.least = least;
	}

	/** @param {boolean} on */
	set(on) {
		if (on === this.#now) return;
		this.#now = on;
		// Of several changes within a tick, the first and the last remain: more would come late.
		if (this.#next.length < 2) this.#next.push({ on, ticks: on ? this.least : 1 });
		else this.#next.pop();
	}

	/** The state of the next tick. */
	get on() {
		return this.#next[0]?.on ?? this.#now;
	}

	/** The tick has got its state. */
	sent() {
		if (this.#next.length > 0 && --this.#next[0].ticks === 0) this.#next.shift();
	}
}

/**
 * The least number of ticks of a jump. Its length does not matter, and a server that gets the inputs
 * of two ticks late takes only the second one.
 */
const JUMP = 2;

export class Input {
	/** @type {Record<Held, Set<string>>} */
	#sources = { left: new Set(), right: new Set(), jump: new Set(), hook: new Set(), fire: new Set() };
	#flags = { left: new Flag(), right: new Flag(), jump: new Flag(JUMP), hook: new Flag() };

	constructor() {
		/**
		 * How many sources hold an action: two keys and a finger may do the same.
		 * @type {Record<Held, number>}
		 */
		this.held = { left: 0, right: 0, jump: 0, hook: 0, fire: 0 };
		/** The crosshair, in world units from the tee. */
		this.x = 200;
		this.y = 0;
		/** The centre of the picture while the player watches others, null while playing. @type {{ x: number, y: number } | null} */
		this.view = null;
		/** Called when the player who watches others presses fire (1) or hook (-1). */
		this.onwatch = (/** @type {number} */ _by) => {};
		/** The longest distance of the crosshair. */
		this.reach = REACH;
		this.fire = this.next = this.prev = 0;
		/** The wanted weapon (WEAPON + 1), until the tee has it; 0 for none. */
		this.wanted = 0;
		/** What has aimed last. @type {'mouse' | 'pad' | 'touch'} */
		this.aimedBy = 'mouse';
		this.chatting = this.scoreboard = false;
		this.values = new Int32Array(INPUT.LENGTH);
		/** Whether keys and mouse are the match's; false while an overlay has them. */
		this.enabled = false;
		/** Called when an action begins or ends, so that it is sent at once. */
		this.onchange = () => {};
	}

	/** Whether an action is held. @param {string} action @returns {action is Held} */
	isHeld(action) {
		return Object.hasOwn(this.held, action);
	}

	/**
	 * Begins to hold an action.
	 * @param {Held} action
	 * @param {string} [source] what holds it
	 */
	press(action, source = '') {
		if (!this.enabled) return;
		this.#sources[action].add(source);
		this.#update(action);
	}

	/**
	 * Ends holding an action.
	 * @param {Held} action
	 * @param {string} [source] what has held it
	 */
	release(action, source = '') {
		if (this.#sources[action].delete(source)) this.#update(action);
	}

	/** Releases everything, such as when the page loses the keyboard. */
	releaseAll() {
		for (const action of /** @type {Held[]} */ (Object.keys(this.held))) {
			this.#sources[action].clear();
			this.#update(action);
		}
	}

	/** @param {Held} action */
	#update(action) {
		const before = this.held[action], n = this.held[action] = this.#sources[action].size;
		if ((before > 0) === (n > 0)) return;
		const watches = this.view !== null && (action === 'fire' || action === 'hook');
		if (watches && n > 0) this.onwatch(action === 'fire' ? 1 : -1);
		else if (action === 'fire') this.#setFire(n > 0);
		else this.#flags[action].set(n > 0);
		this.onchange();
	}

	/** @param {boolean} on the counter is odd while fire is held */
	#setFire(on) {
		if ((this.fire & 1) !== (on ? 1 : 0)) this.fire = this.fire + 1 & COUNTER;
	}

	/** Chooses a weapon. @param {number} weapon WEAPON */
	choose(weapon) {
		if (!this.enabled) return;
		this.wanted = weapon + 1;
		this.onchange();
	}

	/** Changes to the next weapon, or the one before. @param {number} by 1 or -1 */
	changeWeapon(by) {
		if (!this.enabled) return;
		this.wanted = 0;
		if (by > 0) this.next = this.next + 2 & COUNTER;
		else this.prev = this.prev + 2 & COUNTER;
		this.onchange();
	}

	/**
	 * Moves the crosshair.
	 * @param {number} dx in world units
	 * @param {number} dy
	 */
	turn(dx, dy) {
		this.aim(this.x + dx, this.y + dy);
	}

	/**
	 * Sets the crosshair.
	 * @param {number} x in world units from the tee
	 * @param {number} y
	 */
	aim(x, y) {
		const d = Math.hypot(x, y), k = d > this.reach ? this.reach / d : 1;
		this.x = x * k;
		this.y = y * k;
	}

	/**
	 * Sets the crosshair with a stick or a finger.
	 * @param {'mouse' | 'pad' | 'touch'} by
	 * @param {number} x in world units from the tee
	 * @param {number} y
	 */
	aimFrom(by, x, y) {
		this.aimedBy = by;
		this.aim(x, y);
	}

	/**
	 * The values for the engine.
	 * @param {number} weapon the weapon that the own tee has, -1 for none
	 */
	write(weapon) {
		const v = this.values, f = this.#flags;
		if (weapon === this.wanted - 1) this.wanted = 0;
		v[INPUT.DIRECTION] = (f.right.on ? 1 : 0) - (f.left.on ? 1 : 0);
		v[INPUT.TARGET_X] = Math.trunc((this.view ?? this).x);
		v[INPUT.TARGET_Y] = Math.trunc((this.view ?? this).y);
		v[INPUT.JUMP] = f.jump.on ? 1 : 0;
		v[INPUT.FIRE] = this.fire;
		v[INPUT.HOOK] = f.hook.on ? 1 : 0;
		v[INPUT.FLAGS] = (this.chatting ? CHATTING : 0) | (this.scoreboard ? SCOREBOARD : 0);
		v[INPUT.WANTED_WEAPON] = this.wanted;
		v[INPUT.NEXT_WEAPON] = this.next;
		v[INPUT.PREV_WEAPON] = this.prev;
		return v;
	}

	/** The values that write returned last are those of a tick. */
	sent() {
		for (const f of Object.values(this.#flags)) f.sent();
	}
}
