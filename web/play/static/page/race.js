/**
 * The own race: its time, the differences at checkpoints, the best times, and the states of DDRace.
 *
 * @module
 */

import { GAME, TICKS_PER_SECOND } from '../../viewer/match/types.js';
import { ICON, make, setText, sign } from '../../viewer/page/dom.js';
import { TeeStates, formatRace, formatRaceTicks, statesOf } from '../../viewer/page/teestate.js';
import { shownTee } from './state.js';

/** @typedef {import('../../viewer/match/types.js').Moment} Moment */

/** How long the difference at a checkpoint is shown, and the time of a finished race, in ms. */
const CHECKPOINT_MS = 6000, FINISH_MS = 8000;

/** The values of the action show_others, in the order of the button, and their words. */
const OTHERS = [[0, 'off'], [1, 'on'], [2, 'my team']];

/**
 * A difference of times, such as +0.35; with a real minus sign.
 * @param {number} ms
 */
export function formatDiff(ms) {
	return `${ms < 0 ? '−' : '+'}${(Math.abs(ms) / 1000).toFixed(2)}`;
}

/** @implements {import('./game.js').Part} */
export class Race {
	/** @param {import('./game.js').Game} game */
	constructor(game) {
		this.game = game;
		this.box = make('section', 'hud');
		this.box.id = 'race';
		this.box.setAttribute('aria-label', 'race');
		this.time = make('span', 'time');
		this.diff = make('span', 'diff');
		this.best = make('span', 'best');
		const times = make('div', 'times');
		times.append(this.time, this.diff, this.best);
		this.states = make('div', 'states');
		this.tee = new TeeStates(this.states);
		this.others = make('button');
		this.others.type = 'button';
		this.others.append(sign(ICON.EYE, ''), make('span'));
		this.others.addEventListener('click', () => this.#nextOthers());
		this.box.append(times, this.states, this.others);
		game.stage.append(this.box);
		this.reset();
		/** @param {string} type @param {(e: any) => void} f */
		const on = (type, f) => game.connection.addEventListener(type, (e) => f(/** @type {CustomEvent} */ (e).detail));
		on('checkpoint', (e) => this.#passed(e.diff));
		on('race_time', (e) => (e.finish ? this.#finished(e.milliseconds, e.diff) : this.#passed(e.diff)));
		on('race_finish', (e) => { if (e.player === game.connection.engine?.self && e.milliseconds >= 0) this.#finished(e.milliseconds, e.diff); });
		on('race_records', (e) => {
			this.record = e.best;
			this.own = e.own;
		});
		for (const type of ['entered', 'ended', 'crash', 'map_loading']) on(type, () => this.reset());
	}

	/** Forgets what belongs to a map. */
	reset() {
		this.box.hidden = true;
		/** The best times of all players and of the own one in ms, 0 for unknown. */
		this.record = this.own = 0;
		/** A difference to the best race, until a time. @type {{ ms: number, until: number } | null} */
		this.shown = null;
		/** The time of the race that has ended, until a time. @type {{ ms: number, until: number } | null} */
		this.end = null;
		this.showOthers = -1;
	}

	/** @param {number} diff in ms, 0 for none */
	#passed(diff) {
		this.shown = diff ? { ms: diff, until: performance.now() + CHECKPOINT_MS } : null;
	}

	/** @param {number} ms @param {number} diff */
	#finished(ms, diff) {
		const until = performance.now() + FINISH_MS;
		this.end = { ms, until };
		if (diff) this.shown = { ms: diff, until };
		if (!this.own || ms < this.own) this.own = ms;
		if (this.record && ms < this.record) this.record = ms;
	}

	#nextOthers() {
		const i = OTHERS.findIndex(([v]) => v === this.showOthers);
		this.showOthers = OTHERS[(i + 1) % OTHERS.length][0];
		this.game.connection.act('show_others', this.showOthers);
		if (document.pointerLockElement === null) this.game.canvas.focus();
	}

	/** @param {Moment} m @param {number} now in ms */
	update(m, now) {
		const t = shownTee(m), race = (m.game.flags & GAME.RACE) !== 0, p = t ? m.players[t.id] : undefined;
		const states = t ? statesOf(m, t, (x, y) => this.game.scene.actors?.solid(x, y) ?? false).filter((s) => s.kind !== 'time' && s.kind !== 'ninja') : [];
		this.box.hidden = !race && states.length === 0;
		if (this.box.hidden) return;
		if (this.shown && now > this.shown.until) this.shown = null;
		if (this.end && (now > this.end.until || p && p.raceStartTick > m.tick - TICKS_PER_SECOND / 2)) this.end = null;
		const runs = p !== undefined && p.raceStartTick > 0 && p.raceStartTick <= m.tick;
		setText(this.time, this.end ? formatRace(this.end.ms) : runs ? formatRaceTicks(m.tick - p.raceStartTick) : '');
		this.time.classList.toggle('finished', this.end !== null);
		setText(this.diff, this.shown ? formatDiff(this.shown.ms) : '');
		this.diff.className = `diff ${(this.shown?.ms ?? 0) < 0 ? 'better' : 'worse'}`;
		const best = this.record || m.game.bestTime, own = this.own || (p && p.score > 0 ? p.score : 0);
		setText(this.best, race ? [best > 0 ? `best ${formatRace(best)}` : '', own > 0 ? `yours ${formatRace(own)}` : ''].filter(Boolean).join(' · ') : '');
		this.tee.show(states);
		this.others.hidden = !this.game.connection.ddnet || !race || !this.game.connection.playing;
		setText(/** @type {Node} */ (this.others.lastChild), `others${this.showOthers < 0 ? '' : `: ${OTHERS.find(([v]) => v === this.showOthers)?.[1]}`}`);
	}
}
