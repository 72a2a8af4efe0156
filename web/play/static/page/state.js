/**
 * What the own tee has, or the one that is watched: health, armour, ammunition and weapons.
 *
 * @module
 */

import { SYMBOL } from '../../viewer/draw/actors.js';
import { TICKS_PER_SECOND, WEAPON } from '../../viewer/match/types.js';
import { icon, make } from '../../viewer/page/dom.js';

/** @typedef {import('../../viewer/match/types.js').Moment} Moment */
/** @typedef {import('../../viewer/match/types.js').Tee} Tee */
/** @typedef {import('../../viewer/draw/icons.js').Icons} Icons */

/** The length of a bar, and of a tee's time as a ninja. */
const MOST = 10, NINJA_TICKS = 15 * TICKS_PER_SECOND;

/** The names of the weapons, by WEAPON. */
const NAMES = ['hammer', 'gun', 'shotgun', 'grenade launcher', 'laser', 'ninja'];

/**
 * Returns the tee whose state is shown, or null: the own one, or the one that a spectator follows.
 * @param {Moment} m
 */
export function shownTee(m) {
	for (let i = 0; i < m.tees.length; i++) if (m.tees.items[i].id === m.view.id) return m.tees.items[i];
	return null;
}

/**
 * The weapons that a tee is known to have. A server that does not send them tells only which one is
 * in the hands, and what is picked up.
 */
export class Carried {
	/** Bits by WEAPON. */
	seen = 0;
	id = -1;

	/** The key of the last death that is known. */
	death = -1;

	/**
	 * Forgets the weapons of a tee that has died, also between two pictures.
	 * @param {import('../../viewer/match/types.js').Kill[]} kills in their order
	 */
	read(kills) {
		for (let i = kills.length - 1; i >= 0 && kills[i].key > this.death; i--) if (kills[i].victim === this.id) this.seen = 0;
		this.death = kills.at(-1)?.key ?? -1;
	}

	/** Adds a weapon that the own tee has picked up. @param {number} weapon */
	add(weapon) {
		this.seen |= 1 << weapon;
	}

	/**
	 * Returns the bits of the weapons that a tee has.
	 * @param {Tee | null} t null when there is none, such as after a death
	 */
	of(t) {
		if (!t || t.id !== this.id) this.seen = 0;
		this.id = t ? t.id : -1;
		if (!t) return 0;
		const current = t.weapon >= WEAPON.HAMMER && t.weapon <= WEAPON.NINJA ? 1 << t.weapon : 0;
		if (t.weapon === WEAPON.NINJA) return this.seen | t.weapons | current; // only until its end
		this.seen = (this.seen | current) & ~(1 << WEAPON.NINJA);
		return t.weapons || this.seen;
	}
}

/**
 * The share of the time as a ninja that is left, 0 to 1.
 * @param {Moment} m
 * @param {Tee} t
 */
export function ninjaLeft(m, t) {
	const end = t.ninjaStart > 0 ? t.ninjaStart + NINJA_TICKS : t.ammo; // 0.7 sends the end as ammunition
	return Math.min(Math.max((end - m.tick) / NINJA_TICKS, 0), 1);
}

/** A row of ten icons, of which some are full. */
class Bar {
	/** @param {string} label */
	constructor(label) {
		this.box = make('div', 'bar');
		this.full = make('div', 'full');
		this.box.append(this.full);
		this.box.setAttribute('role', 'meter');
		this.box.setAttribute('aria-label', label);
		this.box.setAttribute('aria-valuemin', '0');
		this.box.setAttribute('aria-valuemax', String(MOST));
		this.value = -1;
	}

	/** @param {number} value */
	set(value) {
		value = Math.min(Math.max(value, 0), MOST);
		if (value === this.value) return;
		this.value = value;
		this.box.setAttribute('aria-valuenow', String(value));
		this.full.style.width = `${value / MOST * 100}%`;
	}

	/**
	 * @param {import('../../viewer/draw/icons.js').Icon | null} full
	 * @param {import('../../viewer/draw/icons.js').Icon | null} empty
	 */
	draw(full, empty) {
		for (const [e, i] of /** @type {const} */ ([[this.full, full], [this.box, empty]])) e.style.backgroundImage = i ? `url(${i.url})` : '';
	}
}

/** @implements {import('./game.js').Part} */
export class State {
	/** @param {import('./game.js').Game} game */
	constructor(game) {
		this.game = game;
		this.carried = new Carried();
		this.box = make('section');
		this.box.id = 'own';
		this.box.hidden = true;
		this.box.setAttribute('aria-label', 'your tee');
		this.health = new Bar('health');
		this.armor = new Bar('armour');
		this.ammo = new Bar('ammunition');
		this.ninja = make('progress');
		this.ninja.setAttribute('aria-label', 'time as a ninja');
		this.weapons = make('ul');
		this.weapons.setAttribute('aria-label', 'weapons');
		this.box.append(this.health.box, this.armor.box, this.ammo.box, this.ninja, this.weapons);
		game.stage.append(this.box);
		this.drawn = '';
		game.connection.addEventListener('picked_up', (e) => this.carried.add(/** @type {CustomEvent} */ (e).detail.weapon));
		for (const type of ['ended', 'crash', 'map_loading']) {
			game.connection.addEventListener(type, () => {
				this.box.hidden = true;
				this.carried.of(null);
			});
		}
	}

	/** @param {Moment} m */
	frame(m) {
		this.carried.read(this.game.connection.match.events.kills.events);
		const t = shownTee(m), owned = this.carried.of(t);
		this.box.hidden = !t || t.health < 0;
		if (!t || this.box.hidden) return;
		const isNinja = t.weapon === WEAPON.NINJA;
		this.health.set(t.health);
		this.armor.set(t.armor);
		this.ammo.set(isNinja ? 0 : t.ammo);
		this.ninja.hidden = !isNinja;
		if (isNinja) this.ninja.value = ninjaLeft(m, t);
		this.ammo.box.hidden = isNinja;
		const key = `${this.game.icons.version} ${t.weapon} ${owned}`;
		if (key === this.drawn) return;
		this.drawn = key;
		this.#draw(t.weapon, owned);
	}

	/** @param {number} weapon @param {number} owned */
	#draw(weapon, owned) {
		const { icons } = this.game;
		this.health.draw(icons.symbol(SYMBOL.HEART), icons.symbol(SYMBOL.NO_HEART));
		this.armor.draw(icons.symbol(SYMBOL.SHIELD), icons.symbol(SYMBOL.NO_SHIELD));
		this.ammo.draw(weapon > WEAPON.HAMMER && weapon < WEAPON.NINJA ? icons.ammo(weapon) : null, null);
		this.weapons.replaceChildren(...NAMES.flatMap((name, i) => {
			if (!(owned >> i & 1)) return [];
			const li = make('li');
			li.append(icon(icons.weapon(i), name));
			if (i === weapon) li.setAttribute('aria-current', 'true');
			return [li];
		}));
	}
}
