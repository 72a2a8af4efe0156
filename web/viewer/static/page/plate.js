/**
 * The player that the camera follows: name, score, and what the recording tells of the tee.
 *
 * @module
 */

import { SYMBOL } from '../draw/actors.js';
import { GAME, WEAPON } from '../match/types.js';
import { byId, icon, make, setText } from './dom.js';
import { teamClass } from './hud.js';
import { formatRace } from './teestate.js';

/** @typedef {import('../match/types.js').Moment} Moment */

export class Plate {
	/** @param {import('../draw/icons.js').Icons} icons */
	constructor(icons) {
		this.icons = icons;
		this.box = byId('plate');
		this.head = make('span', 'head');
		this.name = make('span', 'name');
		this.score = make('span', 'score');
		this.weapon = make('span', 'weapon');
		this.vitals = [this.#vital('health'), this.#vital('armour')];
		this.box.append(this.head, this.name, this.score, ...this.vitals.map((v) => v.box), this.weapon);
		this.drawn = '';
	}

	/** @param {string} what */
	#vital(what) {
		const v = { box: make('span', `vital ${what}`), sign: make('span'), bar: make('span', 'track'), full: make('span', 'full'), text: make('span', 'value') };
		v.bar.append(v.full);
		v.box.append(v.sign, v.bar, v.text);
		v.box.setAttribute('role', 'meter');
		v.box.setAttribute('aria-label', what);
		v.box.setAttribute('aria-valuemin', '0');
		v.box.setAttribute('aria-valuemax', '10');
		return v;
	}

	/**
	 * @param {Moment} m
	 * @param {number} id the followed player; -1 for none
	 */
	update(m, id) {
		const p = m.players[id], { items, length } = m.tees, race = (m.game.flags & GAME.RACE) !== 0;
		this.box.hidden = !p?.active;
		if (!p?.active) return;
		let tee = null;
		for (let i = 0; i < length; i++) if (items[i].id === id) tee = items[i];
		this.box.classList.toggle('dead', tee === null);
		setText(this.name, p.name || `(${id})`);
		this.name.className = teamClass(m, p.team);
		setText(this.score, race ? formatRace(p.score) : String(p.score));
		const known = tee !== null && tee.health >= 0;
		this.vitals.forEach(({ box, full, text }, i) => {
			box.hidden = !known;
			if (!tee || !known) return;
			const value = Math.min(Math.max(i ? tee.armor : tee.health, 0), 10);
			box.setAttribute('aria-valuenow', String(value));
			setText(text, String(value));
			full.style.width = `${10 * value}%`;
		});
		this.#draw(m, p, tee?.weapon ?? -1);
	}

	/** @param {Moment} m @param {import('../match/types.js').Player} p @param {number} weapon */
	#draw(m, p, weapon) {
		const { icons } = this, tee = icons.tee(p, m.game.flags), arm = weapon >= WEAPON.HAMMER && weapon <= WEAPON.NINJA ? icons.weapon(weapon) : null;
		const [heart, shield] = [icons.symbol(SYMBOL.HEART), icons.symbol(SYMBOL.SHIELD)];
		const drawn = `${icons.version} ${p.id} ${p.team} ${p.skin.parts} ${p.skin.colors} ${weapon}`;
		if (drawn === this.drawn) return;
		this.drawn = drawn;
		this.head.replaceChildren(...tee ? [icon(tee, '')] : []);
		this.weapon.replaceChildren(...arm ? [icon(arm, '')] : []);
		[heart, shield].forEach((s, i) => this.vitals[i].sign.replaceChildren(...s ? [icon(s, '')] : []));
	}
}
