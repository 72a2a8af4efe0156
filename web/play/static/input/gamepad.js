/**
 * Gamepads with the standard mapping: the left stick moves, the right stick aims, and the buttons
 * have the codes Pad0 to Pad16.
 *
 * @module
 */

import { Direction, stickAim } from './sticks.js';

/** The number of buttons, and how far a trigger is pressed when it begins and when it ends. */
const BUTTONS = 17, PRESSED = 0.35, RELEASED = 0.2;

/** The interval at which gamepads are read, in ms: browsers report only that one has come or gone. */
const READ_EVERY = 8;

export class Gamepads {
	#timer = 0;
	/** The codes of the buttons that are down. @type {Set<string>} */
	#down = new Set();
	#move = new Direction(0.4);

	/** @param {import('./actions.js').Actions} actions */
	constructor(actions) {
		this.actions = actions;
		/** The number of gamepads. A browser tells of one when a button of it is pressed. */
		this.number = 0;
		for (const type of ['gamepadconnected', 'gamepaddisconnected']) addEventListener(type, () => this.#count());
		this.#count();
	}

	/** The gamepads that are connected. */
	#pads() {
		return (navigator.getGamepads?.() ?? []).filter((p) => p !== null && p.connected);
	}

	#count() {
		this.number = this.#pads().length;
		if (this.number > 0) this.#timer ||= setInterval(() => this.read(), READ_EVERY);
		else {
			clearInterval(this.#timer);
			this.#timer = 0;
			this.read();
		}
	}

	/** Reads buttons and sticks. */
	read() {
		const { actions } = this, { input } = actions, pads = this.#pads();
		for (let i = 0; i < BUTTONS; i++) {
			const code = `Pad${i}`, was = this.#down.has(code);
			const is = pads.some((p) => p.buttons[i] && (p.buttons[i].pressed && p.buttons[i].value === 0 || p.buttons[i].value > (was ? RELEASED : PRESSED)));
			if (is === was) continue;
			if (is) {
				this.#down.add(code);
				actions.press(code);
			} else {
				this.#down.delete(code);
				actions.end(code);
			}
		}
		const x = pads.reduce((most, p) => (Math.abs(p.axes[0] ?? 0) > Math.abs(most) ? p.axes[0] : most), 0);
		const before = this.#move.value, now = this.#move.update(x);
		if (now !== before) {
			actions.end('PadStick');
			if (now) actions.begin(now < 0 ? 'left' : 'right', 'PadStick');
		}
		for (const p of pads) {
			const aim = stickAim(p.axes[2] ?? 0, p.axes[3] ?? 0);
			if (aim && input.enabled) input.aimFrom('pad', aim[0] * input.reach, aim[1] * input.reach);
		}
	}
}
