/**
 * The fragment of a link (after #): time in seconds, camera, and player.
 *
 * @module
 */

import { TICKS_PER_SECOND } from '../match/types.js';

/**
 * @typedef {object} Place
 * @property {number|null} tick since the first
 * @property {number|null} x in world units
 * @property {number|null} y
 * @property {number|null} zoom
 * @property {string|null} player name
 */

/**
 * Reads a link. Missing or invalid parts are null.
 * @param {string} hash
 * @returns {Place}
 */
export function parsePlace(hash) {
	const q = new URLSearchParams(hash.replace(/^#/, ''));
	const number = (/** @type {string} */ name, min = -1e7, max = 1e7) => {
		const v = q.get(name);
		const n = v === null || v.trim() === '' ? NaN : Number(v);
		return n >= min && n <= max ? n : null;
	};
	const seconds = number('t', 0);
	return { tick: seconds === null ? null : seconds * TICKS_PER_SECOND, x: number('x'), y: number('y'), zoom: number('z', 0.2, 8), player: q.get('p') };
}

/**
 * Writes a link.
 * @param {number} tick since the first
 * @param {import('../draw/camera.js').Camera} camera
 * @param {string} player name of the followed player, empty for none
 */
export function formatPlace(tick, camera, player) {
	const q = new URLSearchParams();
	q.set('t', (tick / TICKS_PER_SECOND).toFixed(1));
	if (player) q.set('p', player);
	else {
		q.set('x', camera.x.toFixed(0));
		q.set('y', camera.y.toFixed(0));
	}
	q.set('z', String(Number(camera.zoom.toFixed(2))));
	return `#${q}`;
}
