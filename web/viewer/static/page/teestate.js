/**
 * The state of a tee in a race: its time, jumps, freeze.
 *
 * @module
 */

import { FREEZE, SUPER, TICKS_PER_SECOND, WEAPON } from '../match/types.js';

/** @typedef {import('../match/types.js').Moment} Moment */
/** @typedef {import('../match/types.js').Tee} Tee */

/** How long a tee stays a ninja, in ticks. */
const NINJA_TICKS = 15 * TICKS_PER_SECOND;

/**
 * The text about a tee's state; empty in games without such states.
 * @param {Moment} m
 * @param {Tee} t
 * @param {(x: number, y: number) => boolean} solid reports whether a point is inside the ground
 */
export function teeState(m, t, solid) {
	const p = m.players[t.id], parts = [];
	if (p.raceStartTick > 0 && p.raceStartTick <= m.tick) parts.push(formatRaceTicks(m.tick - p.raceStartTick));
	if (p.raceTeam > 0) parts.push(teamName(p.raceTeam));
	if (t.checkpoint > 0) parts.push(`checkpoint ${t.checkpoint}`);
	if (t.jumps !== 0) {
		const left = jumpsLeft(t, solid(t.nextX - 14, t.nextY + 19) || solid(t.nextX + 14, t.nextY + 19));
		parts.push(t.endlessJumps ? 'endless jumps' : `${left} of ${Math.abs(t.jumps)} ${Math.abs(t.jumps) === 1 ? 'jump' : 'jumps'}`);
	}
	const ninja = (NINJA_TICKS - (m.tick - t.ninjaStart)) / TICKS_PER_SECOND;
	if (t.weapon === WEAPON.NINJA && t.ninjaStart > 0 && ninja > 0) parts.push(`ninja ${ninja.toFixed(1)} s`);
	if (t.freeze === FREEZE.TIMED) parts.push(`frozen ${Math.max(0, (t.freezeEnd - m.tick) / TICKS_PER_SECOND).toFixed(1)} s`);
	else if (t.freeze === FREEZE.DEEP) parts.push('deeply frozen');
	else if (t.freeze === FREEZE.LIVE) parts.push('cannot move');
	if (t.solo) parts.push('solo');
	return parts.join(' · ');
}

/**
 * The number of jumps left before the tee lands.
 * @param {Tee} t
 * @param {boolean} grounded
 */
export function jumpsLeft(t, grounded) {
	const all = Math.abs(t.jumps);
	let used = t.airJumps;
	if (t.jumps > 1) used += grounded ? 0 : 1;
	else if (t.jumps === 1) used = grounded ? 0 : 1;
	else used = t.airJumped ? 1 : 0;
	return Math.max(0, all - used);
}

/** @param {number} team of DDRace */
export function teamName(team) {
	return team === SUPER ? 'super' : `team ${team}`;
}

/** @param {number} ticks */
function formatRaceTicks(ticks) {
	const s = Math.floor(ticks / TICKS_PER_SECOND);
	const hundredths = Math.floor((ticks % TICKS_PER_SECOND) * (100 / TICKS_PER_SECOND));
	return `${Math.floor(s / 60)}:${String(s % 60).padStart(2, '0')}.${String(hundredths).padStart(2, '0')}`;
}
