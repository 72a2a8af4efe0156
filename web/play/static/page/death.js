/**
 * What the player sees between a death and the new tee: the killer and its weapon.
 *
 * @module
 */

import { GAME, STATE, TICKS_PER_SECOND, WEAPON } from '../../viewer/match/types.js';
import { icon, make } from '../../viewer/page/dom.js';
import { causeIcon, causeOf, teamClass } from '../../viewer/page/hud.js';

/** @typedef {import('../../viewer/match/types.js').Moment} Moment */
/** @typedef {import('../../viewer/match/types.js').Kill} Kill */

/** How long players who are out of the round see their killer, in ticks. */
const OUT_TICKS = 5 * TICKS_PER_SECOND;

/**
 * The time after which a living tee has outlived a death that it was told of, in ticks. Races bring
 * the tee back at once, so they show a death for this long. A restart by the player's own key needs
 * no words: the tee is at the start again.
 */
const OUTLIVED = TICKS_PER_SECOND;

/** The titles for deaths that no other player caused, by WEAPON + 3: of fights, and of races. */
const TITLES = ['', 'You killed yourself', 'The map killed you'], RACE_TITLES = ['', 'You restarted', 'You fell'];

/** Finds the death that the own tee has not come back from. */
export class Deaths {
	/** The key of the last death that the tee has come back from. */
	#past = -1;
	/** @type {Kill | null} */
	#shown = null;

	/**
	 * Returns the death to show; null for none.
	 * @param {Moment} m
	 * @param {number} self
	 * @param {boolean} alive whether the player has a tee
	 */
	of(m, self, alive) {
		/** @type {Kill | null} */
		let last = null;
		for (let i = m.kills.length - 1; i >= 0 && !last; i--) if (m.kills.items[i].victim === self) last = m.kills.items[i];
		const isFresh = last !== null && last.key > this.#past && m.tick - last.tick < OUTLIVED;
		if (isFresh && m.game.flags & GAME.RACE && last.weapon > WEAPON.SELF && !m.view.spectating) return this.#shown = last;
		if (alive) {
			// The message of a death comes before the picture of it.
			const past = this.#shown ?? (last && m.tick - last.tick > OUTLIVED ? last : null);
			if (past) this.#past = Math.max(this.#past, past.key);
			return this.#shown = null;
		}
		const isOut = m.view.spectating && last !== null && m.players[self]?.dead && m.tick - last.tick < OUT_TICKS;
		const shows = last !== null && last.key > this.#past && last.weapon !== WEAPON.GAME && (isOut || !m.view.spectating);
		return this.#shown = shows && !(m.game.state & (STATE.ROUND_OVER | STATE.GAME_OVER)) ? last : null;
	}

	/** Forgets the deaths of a match. */
	reset() {
		this.#past = -1;
		this.#shown = null;
	}
}

/**
 * A death in words: a title, the killer's name, and the weapon. The last two can be empty.
 * @param {Kill} k
 * @param {boolean} race
 */
export function deathTexts(k, race) {
	const { byOther, word } = causeOf(k, race);
	if (byOther) return { title: 'Killed by', name: k.killerName, weapon: word };
	const title = (race ? RACE_TITLES : TITLES)[k.weapon + 3];
	return title ? { title, name: '', weapon: '' } : { title: 'Own fault', name: '', weapon: causeOf(k, false).word };
}

/** @implements {import('./game.js').Part} */
export class Death {
	/** @param {import('./game.js').Game} game */
	constructor(game) {
		this.game = game;
		this.deaths = new Deaths();
		this.box = make('section', 'hud');
		this.box.id = 'death';
		this.box.setAttribute('role', 'status');
		this.drawn = '';
		game.stage.append(this.box);
		for (const type of ['entered', 'ended', 'crash', 'map_loading']) game.connection.addEventListener(type, () => this.#forget());
	}

	/** @param {Moment} m */
	frame(m) {
		const { match, engine } = this.game.connection, k = this.deaths.of(m, engine?.self ?? -1, match.own !== null);
		const key = k ? `${k.key} ${this.game.icons.version}` : '';
		if (key === this.drawn) return;
		this.drawn = key;
		if (k) this.#draw(m, k);
		else this.box.replaceChildren();
	}

	#forget() {
		this.deaths.reset();
		this.drawn = '';
		this.box.replaceChildren();
	}

	/** @param {Moment} m @param {Kill} k */
	#draw(m, k) {
		const { icons } = this.game, race = (m.game.flags & GAME.RACE) !== 0, { title, name, weapon } = deathTexts(k, race);
		const panel = make('div', 'panel'), text = make('p'), cause = make('p', 'by'), p = m.players[k.killer];
		const head = name && p?.active && p.name === name ? icons.tee(p, m.game.flags) : null;
		text.append(make(name ? 'span' : 'strong', '', title));
		if (name) text.append(' ', make('strong', teamClass(m, k.killerTeam), name));
		cause.append(causeIcon(icons, k, race, ''), make('span', '', weapon));
		if (head) panel.append(icon(head, '', 'head'));
		panel.append(text, cause);
		this.box.replaceChildren(panel);
	}
}
