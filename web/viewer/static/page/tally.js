/**
 * Kills and deaths of players, counted from the marks of a match.
 *
 * @module
 */

import { MARK, TICKS_PER_SECOND } from '../match/types.js';

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

/** The time after the start of a round in which nobody has died yet, in ticks. */
export const QUIET = 5 * TICKS_PER_SECOND;

/**
 * Reports whether kills before a moment are missing, since counting began in it.
 * @param {import('../match/types.js').Moment} m
 */
export function beganLate(m) {
	return m.tick - m.game.startTick > QUIET || m.players.some((p) => p.active && p.score !== 0);
}

/**
 * Kills and deaths, such as 3/1; a dash if they are not known.
 * @param {Count | undefined} c
 * @param {boolean} [known]
 */
export function tallyText(c, known = true) {
	return known ? `${c?.kills ?? 0}/${c?.deaths ?? 0}` : '–';
}
