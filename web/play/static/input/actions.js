/**
 * The actions that keys, buttons, sticks and fingers begin and end.
 *
 * @module
 */

import { ACTIONS, Bindings } from './bindings.js';
import { MOVING_REACH, REACH } from './input.js';

/**
 * A listener to an action.
 * @typedef {object} Listener
 * @property {() => void} begin
 * @property {() => void} [end]
 */

/** The actions that an overlay does not hold up. */
const ALWAYS = new Set(['menu', 'help', 'rcon', 'fullscreen', 'vote_yes', 'vote_no']);

/** @type {Record<string, number>} */
const WEAPONS = { weapon1: 0, weapon2: 1, weapon3: 2, weapon4: 3, weapon5: 4 };

export class Actions {
	/**
	 * @param {import('./input.js').Input} input
	 * @param {import('../page/settings.js').Settings} settings
	 */
	constructor(input, settings) {
		this.input = input;
		this.bindings = new Bindings(settings);
		/** The running action of each source: a code or a name such as touch 3. @type {Map<string, string>} */
		this.running = new Map();
		/** @type {Map<string, Listener[]>} */
		this.listeners = new Map();
		/** Called with the next code instead of its action, to bind it. @type {((code: string) => void) | null} */
		this.capture = null;
		const setReach = () => { input.reach = settings.get('dynamicCamera') ? MOVING_REACH : REACH; };
		settings.onchange(setReach);
		setReach();
	}

	/**
	 * Calls a function when an action begins, and another one when it ends.
	 * @param {string} name
	 * @param {() => void} begin
	 * @param {() => void} [end]
	 */
	on(name, begin, end) {
		if (!ACTIONS[name]) console.warn(`No key can have the action ${name}; see bindings.js.`);
		this.listeners.set(name, [...this.listeners.get(name) ?? [], { begin, end }]);
	}

	/** Begins the action of a code. It returns the action's name, undefined for none. @param {string} code */
	press(code) {
		if (this.capture) {
			this.capture(code);
			return undefined;
		}
		const name = this.bindings.action(code);
		if (name) this.begin(name, code);
		return name;
	}

	/**
	 * Begins an action, unless an overlay holds it up.
	 * @param {string} name
	 * @param {string} source
	 */
	begin(name, source) {
		const { input } = this;
		if (this.running.has(source) || !input.enabled && !ALWAYS.has(name)) return;
		const others = [...this.running.values()].includes(name);
		this.running.set(source, name);
		if (input.isHeld(name)) input.press(name, source);
		else if (name in WEAPONS) input.choose(WEAPONS[name]);
		else if (name === 'next_weapon' || name === 'prev_weapon') input.changeWeapon(name === 'next_weapon' ? 1 : -1);
		else if (!others) {
			if (name === 'scoreboard') input.scoreboard = true;
			for (const l of this.listeners.get(name) ?? []) l.begin();
		}
	}

	/** Ends the action that a source has begun. @param {string} source */
	end(source) {
		const { input, running } = this, name = running.get(source);
		if (!name) return;
		running.delete(source);
		if (input.isHeld(name)) input.release(name, source);
		else if (![...running.values()].includes(name)) {
			if (name === 'scoreboard') input.scoreboard = false;
			for (const l of this.listeners.get(name) ?? []) l.end?.();
		}
	}

	/** Begins and ends the action of a code. @param {string} code */
	tap(code) {
		const name = this.press(code);
		this.end(code);
		return name;
	}

	/** Forgets what a source has begun, without an end. @param {string} source */
	forget(source) {
		this.running.delete(source);
	}

	/** Ends all actions, such as when the page loses the keyboard. */
	endAll() {
		for (const source of [...this.running.keys()]) this.end(source);
		this.input.releaseAll();
	}
}
