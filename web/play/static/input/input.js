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

/** The longest distance from the tee to the crosshair, in world units. */
export const REACH = 400;

/**
 * The actions that are held. The others happen once: see Input.press.
 * @typedef {'left' | 'right' | 'jump' | 'hook' | 'fire'} Held
 */

export class Input {
	constructor() {
		/**
		 * How many sources hold an action: two keys and a finger may do the same.
		 * @type {Record<Held, number>}
		 */
		this.held = { left: 0, right: 0, jump: 0, hook: 0, fire: 0 };
		/** The crosshair, in world units from the tee. */
		this.x = 200;
		this.y = 0;
		this.fire = this.next = this.prev = 0;
		/** The wanted weapon (WEAPON + 1), until the tee has it; 0 for none. */
		this.wanted = 0;
		this.chatting = this.scoreboard = false;
		this.values = new Int32Array(INPUT.LENGTH);
		/** Whether keys and mouse are the match's; false while an overlay has them. */
		this.enabled = false;
		/** Called when an action begins or ends, so that it is sent at once. */
		this.onchange = () => {};
	}

	/** Begins to hold an action. @param {Held} action */
	press(action) {
		if (!this.enabled) return;
		if (this.held[action]++ === 0 && action === 'fire') this.#setFire(true);
		this.onchange();
	}

	/** Ends holding an action. @param {Held} action */
	release(action) {
		if (this.held[action] === 0) return;
		if (--this.held[action] === 0 && action === 'fire') this.#setFire(false);
		this.onchange();
	}

	/** Releases everything, such as when the page loses the keyboard. */
	releaseAll() {
		for (const action of /** @type {Held[]} */ (Object.keys(this.held))) this.held[action] = 0;
		this.#setFire(false);
		this.onchange();
	}

	/** @param {boolean} on the counter is odd while fire is held */
	#setFire(on) {
		if ((this.fire & 1) !== (on ? 1 : 0)) this.fire = this.fire + 1 & COUNTER;
	}

	/** Chooses a weapon. @param {number} weapon WEAPON */
	choose(weapon) {
		this.wanted = weapon + 1;
		this.onchange();
	}

	/** Changes to the next weapon, or the one before. @param {number} by 1 or -1 */
	changeWeapon(by) {
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
		const d = Math.hypot(x, y), k = d > REACH ? REACH / d : 1;
		this.x = x * k;
		this.y = y * k;
	}

	/**
	 * The values for the engine.
	 * @param {number} weapon the weapon that the own tee has, -1 for none
	 */
	write(weapon) {
		const v = this.values, h = this.held;
		if (weapon === this.wanted - 1) this.wanted = 0;
		v[INPUT.DIRECTION] = (h.right ? 1 : 0) - (h.left ? 1 : 0);
		v[INPUT.TARGET_X] = Math.round(this.x);
		v[INPUT.TARGET_Y] = Math.round(this.y);
		v[INPUT.JUMP] = h.jump ? 1 : 0;
		v[INPUT.FIRE] = this.fire;
		v[INPUT.HOOK] = h.hook ? 1 : 0;
		v[INPUT.FLAGS] = (this.chatting ? CHATTING : 0) | (this.scoreboard ? SCOREBOARD : 0);
		v[INPUT.WANTED_WEAPON] = this.wanted;
		v[INPUT.NEXT_WEAPON] = this.next;
		v[INPUT.PREV_WEAPON] = this.prev;
		return v;
	}
}
