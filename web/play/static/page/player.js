/**
 * The player as who the page joins, made of the settings and of what the server needs.
 *
 * @module
 */

import { make } from '../../viewer/page/dom.js';
import { skinOf } from './skins.js';

/** The most bytes of a name, a clan and a password. */
export const NAME_BYTES = 15;
export const CLAN_BYTES = 11;
export const PASSWORD_BYTES = 127;

/** The DDNet release whose protocol the page speaks on DDRace servers, times 1000. */
const DDNET = 16_040;

/**
 * @param {import('./settings.js').Settings} settings
 * @param {boolean} ddrace whether the server plays DDRace, for which the page speaks DDNet's version
 * @param {string} password
 * @returns {import('../engine/engine.js').Player}
 */
export function playerOf(settings, ddrace, password) {
	return {
		name: cut(settings.get('name'), NAME_BYTES), clan: cut(settings.get('clan'), CLAN_BYTES), country: settings.get('country'), skin: skinOf(settings),
		password: cut(password, PASSWORD_BYTES), version: ddrace ? '0.6' : '0.7', ddnetVersion: ddrace ? DDNET : 0, identity: settings.get('identity'),
	};
}

/**
 * Cuts a text to a number of bytes, without a part of a character at its end.
 * @param {string} text
 * @param {number} most
 */
export function cut(text, most) {
	const { read } = new TextEncoder().encodeInto(text, new Uint8Array(most));
	return text.slice(0, read);
}

/**
 * Creates a field whose text is cut to a number of bytes while it is typed.
 * @param {HTMLInputElement} field
 * @param {number} most
 */
export function limitBytes(field, most) {
	field.addEventListener('input', () => {
		const text = cut(field.value, most);
		if (text !== field.value) field.value = text;
	});
	return field;
}

/**
 * Puts a field with a limit beside the number of its bytes, which is shown while the player types.
 * Listeners that are added later see the text that is cut.
 * @param {HTMLInputElement} field
 * @param {number} most
 */
export function withLimit(field, most) {
	const box = make('span', 'limited'), count = make('small');
	limitBytes(field, most).addEventListener('input', () => {
		const n = new TextEncoder().encode(field.value).length;
		count.textContent = `${n}/${most}`;
		count.title = n > field.value.length ? 'Letters beyond A to Z count twice or more.' : '';
		count.classList.toggle('none', n === most);
	});
	box.append(field, count);
	return box;
}
