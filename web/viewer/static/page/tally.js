/**
 * Kills and deaths of players, counted from the marks of a match.
 *
 * @module
 */

import { MARK } from '../match/types.js';

/** @typedef {{ kills: number, deaths: number }} Count */

/**
 * Counts the kills and deaths of a round, by client id.
 * @param {readonly import('../match/types.js').Mark[]} marks by tick
 * @param {number} start tick at which the round began
 * @param {number} tick the last tick that counts
 */
export function tallyOf(marks, start, tick) {
	/** @type {Map<number, Count>} */
	const counts = new Map();
	const of = (/** @type {number} */ id) => {
		let c = counts.get(id);
		if (!c) counts.set(id, c = { kills: 0, deaths: 0 });
		return c;
	};
	for (const m of marks) {
		if (m.tick > tick) break;
		if (m.kind !== MARK.KILL || m.tick < start) continue;
		if (m.other >= 0) of(m.other).deaths++;
		if (m.id >= 0 && m.id !== m.other) of(m.id).kills++;
	}
	return counts;
}

/** Kills and deaths, such as 3/1. @param {Count | undefined} c */
export function tallyText(c) {
	return c ? `${c.kills}/${c.deaths}` : '0/0';
}
