// Calls of pure functions of the page, for tests.
import { Resolution, SCALES } from '/viewer/draw/resolution.js';
import { MARK } from '/viewer/match/types.js';
import { countryCode } from '/viewer/page/country.js';
import { dayText } from '/viewer/page/replays.js';
import { isOfBots, resultOf } from '/viewer/page/results.js';
import { tallyOf, tallyText } from '/viewer/page/tally.js';
import { partOf } from '/viewer/page/thumbnail.js';

/** The results of matches in words. */
export function results() {
	const [ada, bob] = [{ name: 'Ada', score: 9 }, { name: 'Bob', score: 3 }];
	return [
		{ players: [ada, bob] }, { players: [ada, { name: 'Bob', score: 9 }] }, { players: [{ name: 'Ada', score: 0 }] }, { players: [] }, {},
		{ players: [ada], team_scores: [3, 1] }, { players: [ada], team_scores: [2, 2] }, { players: [{ name: 'Ada', score: 23456 }], race: true },
		{ players: [{ name: 'Ada', score: -1 }], race: true }, { name: 'a.demo', players: [ada] },
	].map((r) => resultOf(r).text);
}

/** Whether matches are of bots only. */
export function ofBots() {
	const [bot, person] = [{ name: 'Bolt', bot: true }, { name: 'Ada' }];
	return [{ players: [bot, bot] }, { players: [bot, person] }, { players: [] }, { players: [bot], num_players: 17, num_bots: 17 }, { players: [bot], num_players: 17, num_bots: 16 }].map(isOfBots);
}

/** Days of matches, seen on 27 November 2026. */
export function days() {
	const now = new Date(2026, 10, 27, 0, 30);
	return [new Date(2026, 10, 27, 0, 10), new Date(2026, 10, 26, 23, 50), new Date(2026, 10, 25), new Date(2025, 0, 3), new Date('')].map((d) => dayText(d, now));
}

/** Kills and deaths at some ticks of a round from tick 100 on. */
export function tallies() {
	const kill = (tick, id, other) => ({ tick, kind: MARK.KILL, id, other, text: '' });
	const marks = [kill(50, 1, 2), kill(100, 1, 2), { tick: 110, kind: MARK.CHAT, id: 1, other: -1, text: '' }, kill(120, 2, 2), kill(130, -1, 1), kill(200, 1, 2)];
	return [150, 200].map((tick) => [1, 2, 3].map((id) => tallyText(tallyOf(marks, 100, tick).get(id))).join(' '));
}

export const countries = () => [276, 901, -1, 0, 99999].map(countryCode);

/** The part of maps of 200 by 100 tiles with entities at places. */
export function parts() {
	return [[], [[50, 40, 192], [90, 50, 195]], [[10, 10, 192], [190, 90, 196]]].map((entities) => {
		const tiles = new Uint8Array(4 * 200 * 100);
		for (const [x, y, t] of entities) tiles[4 * (y * 200 + x)] = t;
		const p = partOf({ width: 200, height: 100, tiles });
		return [p.x, p.y, p.size].map(Math.round).join(' ');
	});
}

/**
 * The scale after pictures of a simulated graphics card, whose time for a picture grows with the
 * pixels. Returns the scales at the ends of phases, and how often it has changed.
 */
export function resolutions(phases) {
	const r = new Resolution(), ends = [];
	let changes = 0;
	for (const [seconds, fixed, full] of phases) {
		for (let t = 0; t < 1000 * seconds;) {
			const ms = Math.max(16.7, fixed + full * r.scale ** 2);
			t += ms;
			if (r.update(ms)) changes++;
		}
		ends.push(r.scale);
	}
	return { ends, changes, lowest: SCALES[SCALES.length - 1] };
}
