/**
 * What a typed line of chat means: a line for all, for the team or for one player, or a command.
 *
 * @module
 */

import { clean } from '../../viewer/match/text.js';
import { matching } from './typing.js';

/**
 * To whom the line goes.
 * @typedef {object} Mode
 * @property {'all' | 'team' | 'whisper'} kind
 * @property {number} [to] client id of the player for whispers
 */

/**
 * @typedef {object} Around
 * @property {{ id: number, name: string }[]} players
 * @property {import('./commands.js').Commands} commands of the chat
 * @property {number} partner client id of the player of the last whisper, -1 for none
 */

/**
 * An action of the engine, or an error for the player.
 * @typedef {{ action: string, params: (string | number)[], error?: undefined } | { error: string }} Outgoing
 */

/**
 * @param {string} line
 * @param {Mode} mode
 * @param {Around} around
 * @returns {Outgoing}
 */
export function outgoing(line, mode, around) {
	const [, name, text] = /^\/(\S+)\s*(.*)$/su.exec(line) ?? [];
	switch (name?.toLowerCase()) {
		case undefined:
			if (mode.kind === 'whisper') return whisper(mode.to ?? -1, line);
			return { action: mode.kind === 'team' ? 'say_team' : 'say', params: [line] };
		case 'w': case 'whisper': return named(text, around.players);
		case 'c': case 'converse': return around.partner < 0 ? { error: 'There is nobody to reply to.' } : whisper(around.partner, text);
	}
	// A server without commands shows the line to all, as with the original client.
	return around.commands.size > 0 ? { action: 'command', params: [name, text] } : { action: 'say', params: [line] };
}

/** @param {number} to @param {string} text @returns {Outgoing} */
function whisper(to, text) {
	if (to < 0) return { error: 'This player has left.' };
	return text ? { action: 'whisper', params: [to, text] } : { error: 'Type a text behind the name.' };
}

/**
 * Reads a name, in quotes or without, and the text behind it. Names may contain spaces.
 * @param {string} rest
 * @param {Around['players']} players
 * @returns {Outgoing}
 */
function named(rest, players) {
	const quoted = /^"((?:[^"\\]|\\.)*)"\s*(.*)$/su.exec(rest);
	if (quoted) {
		const name = quoted[1].replace(/\\(.)/gsu, '$1'), p = players.find((o) => o.name === name || clean(o.name) === name);
		return p ? whisper(p.id, quoted[2]) : { error: `There is no player with the name ${name}.` };
	}
	let best = null, length = -1;
	for (const p of players) {
		for (const name of [p.name, clean(p.name)]) {
			if (name.length > length && rest.startsWith(name) && (rest.length === name.length || rest[name.length] === ' ')) [best, length] = [p, name.length];
		}
	}
	if (!best) return { error: rest ? `There is no player with the name ${rest.split(' ')[0]}.` : 'Type a name and a text: /w name text.' };
	return whisper(best.id, rest.slice(length).trim());
}

/** The number of choices of a completion. */
const CHOICES = 64;

/**
 * Returns what Tab can put into a line of chat.
 * @param {string} text
 * @param {number} cursor
 * @param {Around} around
 * @returns {import('./typing.js').Choices}
 */
export function completions(text, cursor, { players, commands }) {
	const head = text.slice(0, cursor), from = head.lastIndexOf(' ') + 1, word = head.slice(from);
	if (from === 0 && word.startsWith('/')) {
		return { from, to: cursor, list: commands.find(word.slice(1), CHOICES).map((c) => `/${c.name} `) };
	}
	const names = matching(players, word, (p) => clean(p.name), CHOICES).map((p) => clean(p.name)).filter((n) => n);
	const after = text[cursor] === ' ' ? '' : ' ';
	return { from, to: cursor, list: names.map((n) => (text.startsWith('/') ? quote(n) + after : n + (from === 0 ? ': ' : after))) };
}

/** Returns a name as a parameter of a command. @param {string} name */
export function quote(name) {
	return /[\s"\\;]/u.test(name) ? `"${name.replace(/["\\]/g, '\\$&')}"` : name;
}
