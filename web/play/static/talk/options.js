/**
 * The votes that a server offers. There may be thousands.
 *
 * @module
 */

import { clean } from '../../viewer/match/text.js';

/** The number of kept options. The client of the engine has the same limit. */
const MOST = 4096;

/**
 * @typedef {object} Option
 * @property {string} text as the server has it
 * @property {string} label for the page
 */

export class Options {
	/** @type {Option[]} */
	#list = [];
	/** Grows with every change. */
	version = 0;

	/** Adds or removes an option. @param {{ option: string, removed: boolean }} o */
	update({ option, removed }) {
		this.version++;
		if (!removed) {
			if (this.#list.length < MOST) this.#list.push({ text: option, label: clean(option) });
			return;
		}
		const at = this.#list.findIndex((o) => o.text === option);
		if (at >= 0) this.#list.splice(at, 1);
	}

	clear() {
		this.#list = [];
		this.version++;
	}

	get size() {
		return this.#list.length;
	}

	/**
	 * Returns the first options that contain all words of a text, in the order of the server, and the
	 * number of all such options.
	 * @param {string} text
	 * @param {number} most
	 * @returns {{ shown: Option[], found: number }}
	 */
	find(text, most) {
		const words = text.toLowerCase().split(/\s+/u).filter((w) => w), shown = [];
		let found = 0;
		for (const o of this.#list) {
			const label = o.label.toLowerCase();
			if (!words.every((w) => label.includes(w))) continue;
			if (++found <= most) shown.push(o);
		}
		return { shown, found };
	}
}
