/**
 * Recorded matches: which belong together, and how they ended.
 *
 * @module
 */

import { formatTicks } from './clock.js';

/**
 * A match of /replays.json, which docs/reference/http.md describes.
 * @typedef {object} Replay
 * @property {string} [match]
 * @property {string} [name] file name of a recording
 * @property {string} demo
 * @property {{name: string, sha256?: string, size?: number}} map
 * @property {string} game_type
 * @property {string} start
 * @property {number} length in seconds
 * @property {number} size in bytes
 * @property {ReplayPlayer[]} [players] best first
 * @property {number} [num_players] the total, if players is not complete
 * @property {number} [num_bots] the number of bots among them
 * @property {boolean} [has_result] whether players of a recorded file have scores
 * @property {boolean} [race] whether scores are times, in ms
 * @property {number[]} [team_scores]
 * @property {boolean} [finish] whether this is a race up to its finish; players are then the
 *   players who finished
 */
/** @typedef {{ name: string, clan?: string, team?: number, score?: number, bot?: boolean }} ReplayPlayer */

/**
 * How a match ended.
 * @typedef {object} Result
 * @property {string} text such as Red wins; empty if nothing is known
 * @property {number} winner 0 red, 1 blue, -1 for none
 * @property {[number, number] | null} teams the scores of red and blue
 */

/** The names of the teams. */
export const TEAMS = ['Red', 'Blue'];

/**
 * A time of a race, such as 0:23.45; empty for none.
 * @param {number} ms
 */
export function timeText(ms) {
	return ms < 0 ? '' : `${formatTicks(Math.floor(ms / 20))}.${String(Math.floor(ms / 10) % 100).padStart(2, '0')}`;
}

/**
 * A player's score or time; empty for none.
 * @param {Replay} r
 * @param {ReplayPlayer} p
 */
export function scoreText(r, { score }) {
	if (score === undefined || (r.name && !r.has_result)) return '';
	return r.race ? timeText(score) : String(score);
}

/** @param {Replay} r @returns {Result} */
export function resultOf(r) {
	const [red, blue] = r.team_scores ?? [];
	if (red !== undefined && blue !== undefined) {
		const winner = red === blue ? -1 : red > blue ? 0 : 1;
		return { teams: [red, blue], winner, text: winner < 0 ? 'Draw' : `${TEAMS[winner]} wins` };
	}
	const [first, second] = r.players ?? [], none = { teams: null, winner: -1, text: '' };
	const score = first ? scoreText(r, first) : '';
	if (!score) return none;
	if (r.race) return { ...none, text: `${first.name} in ${score}` };
	if (first.score === 0 || (second && second.score === first.score)) return { ...none, text: first.score ? 'Draw' : '' };
	return { ...none, text: `${first.name} wins` };
}

/**
 * The players in the order of the page: those of the winning team first.
 * @param {Replay} r
 */
export function playersOf(r) {
	const all = r.players ?? [], { teams, winner } = resultOf(r);
	if (!teams) return all;
	const first = winner === 1 ? 1 : 0;
	return [...all].sort((a, b) => Number(a.team !== first) - Number(b.team !== first));
}

/** Whether only bots played. @param {Replay} r */
export function isOfBots(r) {
	const players = r.players ?? [], all = r.num_players ?? players.length;
	return all > 0 && (r.num_bots ?? players.filter((p) => p.bot).length) >= all;
}

/**
 * Reports whether two recordings are of the same match: they share most of the longer one.
 * @param {Replay} a
 * @param {Replay} b
 */
function isSameMatch(a, b) {
	const [from, to] = [Date.parse(a.start) / 1000, Date.parse(b.start) / 1000];
	const both = Math.min(from + a.length, to + b.length) - Math.max(from, to);
	return !a.finish && !b.finish && a.map.name === b.map.name && both > 0 && both * 2 >= Math.max(a.length, b.length);
}

/**
 * Groups recordings of the same match, the most informative first.
 * @param {Replay[]} replays
 * @returns {Replay[][]}
 */
export function matchesOf(replays) {
	/** @type {Replay[][]} */
	const matches = [];
	for (const r of replays) {
		const same = matches.find((m) => isSameMatch(m[0], r) && !m.some((o) => !o.name && !r.name));
		if (same) same.push(r);
		else matches.push([r]);
	}
	const worth = (/** @type {Replay} */ r) => (r.name ? 0 : 2) + (r.has_result ? 1 : 0);
	for (const m of matches) m.sort((a, b) => worth(b) - worth(a));
	return matches;
}
