/**
 * The state of a tee in a race: its time, jumps, freeze.
 *
 * @module
 */

import { raceTeamStyle } from '../draw/teamcolor.js';
import { FREEZE, SUPER, TICKS_PER_SECOND, WEAPON } from '../match/types.js';
import { ICON, make, sign } from './dom.js';

/** @typedef {import('../match/types.js').Moment} Moment */
/** @typedef {import('../match/types.js').Tee} Tee */

/** How long a tee stays a ninja, in ticks. */
const NINJA_TICKS = 15 * TICKS_PER_SECOND;

/** The number of jumps up to which each has a mark of its own. */
const MAX_MARKS = 8;

/**
 * A state. It has a text, and at most one of the others.
 * @typedef {object} TeeState
 * @property {string} kind such as freeze
 * @property {string} text
 * @property {string} [icon] an ICON
 * @property {string} [color]
 * @property {number} [share] of its time that is left, 0 to 1
 * @property {[number, number]} [marks] how many are left, and of how many
 */

/**
 * The states of a tee; none in games without such states.
 * @param {Moment} m
 * @param {Tee} t
 * @param {(x: number, y: number) => boolean} solid reports whether a point is inside the ground
 * @returns {TeeState[]}
 */
export function statesOf(m, t, solid) {
	const p = m.players[t.id], all = [];
	/** @param {string} kind @param {string} text @param {Partial<TeeState>} [how] */
	const add = (kind, text, how) => all.push({ kind, text, ...how });
	if (p.raceStartTick > 0 && p.raceStartTick <= m.tick) add('time', formatRaceTicks(m.tick - p.raceStartTick));
	if (p.raceTeam > 0) add('team', teamName(p.raceTeam), { icon: ICON.TEAM, color: raceTeamStyle(p.raceTeam) });
	if (t.checkpoint > 0) add('checkpoint', `checkpoint ${t.checkpoint}`, { icon: ICON.FLAG });
	if (t.endlessJumps) add('jumps', 'endless jumps', { icon: ICON.JUMP });
	else if (t.jumps !== 0) {
		const left = jumpsLeft(t, solid(t.nextX - 14, t.nextY + 19) || solid(t.nextX + 14, t.nextY + 19)), n = Math.abs(t.jumps);
		add('jumps', `${left} of ${n} ${n === 1 ? 'jump' : 'jumps'}`, { icon: ICON.JUMP, marks: [left, n] });
	}
	if (t.endlessHook) add('hook', 'endless hook', { icon: ICON.HOOK });
	const ninja = NINJA_TICKS - (m.tick - t.ninjaStart);
	if (t.weapon === WEAPON.NINJA && t.ninjaStart > 0 && ninja > 0) add('ninja', `ninja ${seconds(ninja)}`, { share: ninja / NINJA_TICKS });
	if (t.freeze === FREEZE.TIMED) {
		const left = Math.max(0, t.freezeEnd - m.tick);
		add('freeze', `frozen ${seconds(left)}`, { icon: ICON.SNOW, share: left / Math.max(1, t.freezeEnd - t.freezeStart) });
	} else if (t.freeze === FREEZE.DEEP) add('deep', 'deeply frozen', { icon: ICON.SNOW });
	else if (t.freeze === FREEZE.LIVE) add('live', 'cannot move', { icon: ICON.LOCK });
	if (t.solo) add('solo', 'solo', { icon: ICON.SOLO });
	if (t.practice) add('practice', 'practice', { icon: ICON.TARGET });
	return all;
}

/** Shows states in an element, as icons, marks and bars. */
export class TeeStates {
	/** @param {HTMLElement} box */
	constructor(box) {
		this.box = box;
		this.box.setAttribute('role', 'img');
		this.kinds = '';
		/** @type {{ text: HTMLElement, bar: HTMLElement, marks: HTMLElement }[]} */
		this.items = [];
	}

	/** @param {TeeState[]} states */
	show(states) {
		const label = states.map((s) => s.text).join(' · '), kinds = states.map((s) => `${s.kind} ${s.color ?? ''} ${s.marks?.[1] ?? ''}`).join();
		this.box.hidden = states.length === 0;
		if (this.box.getAttribute('aria-label') === label) return;
		this.box.setAttribute('aria-label', label);
		if (kinds !== this.kinds) {
			this.kinds = kinds;
			this.items = states.map(() => ({ text: make('span'), bar: make('i'), marks: make('span', 'marks') }));
			this.box.replaceChildren(...states.map((s, i) => this.#item(s, this.items[i])));
		}
		states.forEach((s, i) => {
			const { text, bar, marks } = this.items[i];
			if (s.share !== undefined) bar.style.width = `${Math.min(s.share, 1) * 100}%`;
			if (s.marks && s.marks[1] <= MAX_MARKS) [...marks.children].forEach((e, k) => e.classList.toggle('used', k >= /** @type {number[]} */ (s.marks)[0]));
			else text.textContent = s.text;
		});
	}

	/**
	 * @param {TeeState} s
	 * @param {{ text: HTMLElement, bar: HTMLElement, marks: HTMLElement }} parts
	 */
	#item(s, { text, bar, marks }) {
		const e = make('span', `state ${s.kind}`);
		e.title = s.text;
		if (s.color) e.style.color = s.color;
		if (s.icon) e.append(sign(s.icon, ''));
		if (s.marks && s.marks[1] <= MAX_MARKS) {
			marks.append(...Array.from({ length: s.marks[1] }, () => make('i')));
			e.append(marks);
		} else e.append(text);
		if (s.share !== undefined) {
			const track = make('span', 'track');
			track.append(bar);
			e.append(track);
		}
		return e;
	}
}

/** @param {number} ticks */
function seconds(ticks) {
	return `${(ticks / TICKS_PER_SECOND).toFixed(1)} s`;
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
export function formatRaceTicks(ticks) {
	return formatRace(Math.floor(ticks) * (1000 / TICKS_PER_SECOND)).slice(0, -1);
}

/**
 * A time of a race, such as 1:02.345; empty for none.
 * @param {number} ms negative for none
 */
export function formatRace(ms) {
	if (ms < 0) return '';
	const s = Math.floor(ms / 1000);
	return `${Math.floor(s / 60)}:${String(s % 60).padStart(2, '0')}.${String(ms % 1000).padStart(3, '0')}`;
}
