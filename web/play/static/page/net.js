/**
 * The state of the connection: a sign when it stalls, and numbers for players who want them.
 *
 * @module
 */

import { TICKS_PER_SECOND } from '../../viewer/match/types.js';
import { make, setText } from '../../viewer/page/dom.js';
import { STATE } from '../engine/memory.js';

/** The time without a snapshot after which the connection stalls, in ms. */
const STALLS_AFTER = 1000;

/** The number of snapshots over which the loss is computed. */
const SNAPSHOTS = 100;

/**
 * The share of snapshots that are missing, 0 to 1, by the ticks of those that have arrived.
 * @param {number[]} ticks
 */
export function lossOf(ticks) {
	if (ticks.length < 3) return 0;
	const gaps = ticks.slice(1).map((t, i) => t - ticks[i]).filter((g) => g > 0), usual = [...gaps].sort((a, b) => a - b)[gaps.length >> 1];
	const missing = gaps.reduce((sum, g) => sum + Math.max(0, Math.round(g / usual) - 1), 0);
	return missing / (missing + gaps.length);
}

/** @implements {import('./game.js').Part} */
export class Net {
	/** @param {import('./game.js').Game} game */
	constructor(game) {
		this.game = game;
		this.sign = make('p', 'hud');
		this.sign.id = 'stalls';
		this.sign.hidden = true;
		this.sign.setAttribute('role', 'alert');
		this.numbers = make('p', 'hud');
		this.numbers.id = 'numbers';
		this.numbers.hidden = true;
		game.stage.append(this.sign, this.numbers);
		this.received = -1;
		this.receivedAt = 0;
		this.textAt = 0;
		document.addEventListener('visibilitychange', () => { this.receivedAt = performance.now(); });
		for (const type of ['ended', 'crash', 'map_loading', 'entered']) game.connection.addEventListener(type, () => this.#reset());
	}

	#reset() {
		this.sign.hidden = this.numbers.hidden = true;
		this.received = -1;
	}

	/** @param {import('../../viewer/match/types.js').Moment} _m @param {number} now in ms */
	frame(_m, now) {
		const { engine, playing } = this.game.connection;
		if (!engine || !playing) return;
		const received = engine.state[STATE.SNAPSHOTS];
		if (received !== this.received) {
			this.received = received;
			this.receivedAt = now;
		}
		const since = now - this.receivedAt;
		this.sign.hidden = since < STALLS_AFTER;
		if (!this.sign.hidden) setText(this.sign, `Connection problems: nothing from the server for ${Math.floor(since / 1000)} s.`);
	}

	update() {
		const { connection, settings } = this.game, { engine } = connection;
		this.numbers.hidden = !settings.get('netDisplay') || !engine;
		if (!engine || this.numbers.hidden) return;
		const ticks = connection.match.frames.slice(-SNAPSHOTS).map((f) => f.tick), last = ticks[ticks.length - 1] ?? 0;
		const ahead = Math.max(0, engine.predicted - last) * 1000 / TICKS_PER_SECOND, wrong = engine.state[STATE.CORRECTIONS] / Math.max(1, engine.state[STATE.PREDICTIONS]);
		setText(this.numbers, [
			`${Math.round(engine.state[STATE.LATENCY])} ms`, `loss ${percent(lossOf(ticks))}`, `predicts ${Math.round(ahead)} ms`, `corrected ${percent(wrong)}`,
		].join(' · '));
	}
}

/** @param {number} share */
function percent(share) {
	return `${(share * 100).toFixed(1)} %`;
}
