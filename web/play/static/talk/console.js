/**
 * What the remote console completes: commands, and the maps for commands that take one.
 *
 * @module
 */

import { quote } from './outgoing.js';
import { matching } from './typing.js';

/** The number of kept maps, and of choices. */
const MOST_MAPS = 4096, CHOICES = 64;

/** The commands whose parameter is a map. */
const MAP_COMMANDS = new Set(['sv_map', 'change_map', 'map', 'hot_reload']);

/** The names of the server's maps. */
export class Maps {
	/** @type {Set<string>} */
	names = new Set();

	/** Adds or removes a map. @param {{ map: string, removed: boolean }} e */
	update({ map, removed }) {
		if (removed) this.names.delete(map);
		else if (this.names.size < MOST_MAPS) this.names.add(map);
	}

	clear() {
		this.names.clear();
	}
}

/**
 * Returns the start of the last command of a line: commands are separated by semicolons.
 * @param {string} text
 */
export function commandStart(text) {
	let start = 0, quoted = false;
	for (let i = 0; i < text.length; i++) {
		if (text[i] === '\\' && quoted) i++;
		else if (text[i] === '"') quoted = !quoted;
		else if (text[i] === ';' && !quoted) start = i + 1;
	}
	while (text[start] === ' ') start++;
	return start;
}

/**
 * Returns what Tab can put into a line of the console.
 * @param {string} text
 * @param {number} cursor
 * @param {import('./commands.js').Commands} commands
 * @param {Maps} maps
 * @returns {import('./typing.js').Choices}
 */
export function consoleCompletions(text, cursor, commands, maps) {
	const head = text.slice(0, cursor), start = commandStart(head), [name, ...rest] = head.slice(start).split(' ');
	if (rest.length === 0) return { from: start, to: cursor, list: commands.find(name, CHOICES).map((c) => (c.params ? `${c.name} ` : c.name)) };
	if (!MAP_COMMANDS.has(name) || rest.length > 1) return { from: cursor, to: cursor, list: [] };
	return { from: cursor - rest[0].length, to: cursor, list: matching(maps.names, rest[0], (m) => m, CHOICES).map(quote) };
}

/**
 * Returns the command that a line ends with, undefined for none.
 * @param {string} text
 * @param {import('./commands.js').Commands} commands
 */
export function typedCommand(text, commands) {
	const [name, space] = text.slice(commandStart(text)).split(/( )/u);
	return space ? commands.get(name) : undefined;
}
