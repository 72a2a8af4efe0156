/**
 * The commands that a server offers, for its chat or its console.
 *
 * @module
 */

import { clean } from '../../viewer/match/text.js';
import { matching } from './typing.js';

/** The number of kept commands. The client of the engine has the same limit. */
const MOST = 4096;

/**
 * @typedef {object} Command
 * @property {string} name
 * @property {string} params in the form of the console, such as s[name] ?i[seconds]
 * @property {string} help
 */

/** A list of commands, sorted by name. */
export class Commands {
	/** @type {Map<string, Command>} */
	#byName = new Map();
	/** @type {Command[] | null} */
	#sorted = null;

	/** Adds or removes a command. @param {Command & { removed: boolean }} c */
	update({ name, params, help, removed }) {
		this.#sorted = null;
		if (removed) this.#byName.delete(name);
		else if (this.#byName.size < MOST || this.#byName.has(name)) this.#byName.set(name, { name, params: clean(params), help: clean(help) });
	}

	clear() {
		this.#byName.clear();
		this.#sorted = null;
	}

	get size() {
		return this.#byName.size;
	}

	/** @param {string} name */
	get(name) {
		return this.#byName.get(name);
	}

	/** All commands by name. @returns {Command[]} */
	get sorted() {
		return this.#sorted ??= [...this.#byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
	}

	/**
	 * Returns commands whose names contain a text, those that begin with it first.
	 * @param {string} part
	 * @param {number} most
	 */
	find(part, most) {
		return matching(this.sorted, part, (c) => c.name, most);
	}
}

/** The words for parameters without a name, by their kind. @type {Record<string, string>} */
const KINDS = { i: 'number', f: 'number', v: 'player' };

/**
 * Returns parameters as a person reads them: <name> [seconds]. All behind a question mark are optional.
 * @param {string} params in the form of the console
 */
export function readable(params) {
	let optional = false;
	return Array.from(params.matchAll(/(\?)|([a-z])(?:\[([^\]]*)\])?/g), ([, mark, kind, name]) => {
		optional ||= mark !== undefined;
		const word = name ?? KINDS[kind] ?? 'text';
		return mark ? '' : optional ? `[${word}]` : `<${word}>`;
	}).filter((w) => w).join(' ');
}
