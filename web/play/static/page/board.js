/**
 * The scoreboard: while its key is held, while the player is dead, and at the end of a round.
 *
 * @module
 */

import { STATE, TEAM } from '../../viewer/match/types.js';
import { Scoreboard } from '../../viewer/page/scoreboard.js';
import { beganLate, tallyText } from '../../viewer/page/tally.js';

/** @typedef {import('../../viewer/match/types.js').Moment} Moment */
/** @typedef {import('../../viewer/match/types.js').Kill} Kill */

/** The kills and deaths of the players since the player has joined or the round has begun. */
export class Tally {
	/** @type {Map<number, { kills: number, deaths: number }>} */
	#counts = new Map();
	/** The key of the last counted death. */
	#last = -1;
	#start = -1;
	/** The players who have played before counting began. @type {Set<number>} */
	#late = new Set();

	/** @param {number} id */
	#of(id) {
		let c = this.#counts.get(id);
		if (!c) this.#counts.set(id, c = { kills: 0, deaths: 0 });
		return c;
	}

	/**
	 * Counts new deaths.
	 * @param {Kill[]} kills in their order
	 * @param {Moment} m
	 * @param {number} self the own id, whose kills and deaths are all known
	 */
	read(kills, m, self) {
		const start = m.game.startTick;
		if (start !== this.#start) {
			this.#late = new Set(this.#start < 0 && beganLate(m) ? m.players.filter((p) => p.active && p.id !== self).map((p) => p.id) : []);
			this.#start = start;
			this.#counts.clear();
		}
		let i = kills.length;
		while (i > 0 && kills[i - 1].key > this.#last) i--;
		for (; i < kills.length; i++) {
			const k = kills[i];
			this.#last = k.key;
			if (k.tick < start || k.weapon === -3) continue;
			this.#of(k.victim).deaths++;
			if (k.killer !== k.victim && k.killer >= 0) this.#of(k.killer).kills++;
		}
	}

	/** Forgets a player, whose id another one gets. @param {number} id */
	forget(id) {
		this.#counts.delete(id);
		this.#late.delete(id);
	}

	/** Forgets everything. */
	clear() {
		this.#counts.clear();
		this.#last = this.#start = -1;
	}

	/** Kills and deaths, such as 3/1; a dash for players who were there before. @param {number} id */
	text(id) {
		return tallyText(this.#counts.get(id), !this.#late.has(id));
	}
}

/**
 * Reports whether the scoreboard is shown without a key.
 * @param {Moment} m
 * @param {number} self
 * @param {boolean} alive whether the player has a tee
 */
export function showsItself(m, self, alive) {
	if (m.game.state & (STATE.ROUND_OVER | STATE.GAME_OVER)) return true;
	return !alive && !m.view.spectating && (m.players[self]?.team ?? TEAM.SPECTATORS) !== TEAM.SPECTATORS && !(m.game.state & STATE.PAUSED);
}

/** @implements {import('./game.js').Part} */
export class Board {
	/** @param {import('./game.js').Game} game */
	constructor(game) {
		this.game = game;
		this.tally = new Tally();
		this.scoreboard = new Scoreboard((id) => this.#chosen(id), game.icons, (id) => this.tally.text(id));
		this.isChoosing = false;
		/** While the player chooses whom to watch, keys and mouse are the list's. */
		this.overlay = { name: 'players', show: () => { this.isChoosing = true; }, hide: () => { this.isChoosing = false; this.scoreboard.show(false); } };
		const { connection } = game;
		connection.addEventListener('left', (e) => this.tally.forget(/** @type {CustomEvent} */ (e).detail.player));
		connection.addEventListener('entered', () => this.tally.clear());
		for (const type of ['ended', 'crash', 'map_loading']) {
			connection.addEventListener(type, () => {
				this.scoreboard.show(false);
				this.tally.clear();
			});
		}
	}

	/** Lets the player choose whom to watch. */
	choose() {
		this.game.overlays.show(this.overlay);
		this.scoreboard.show(true);
	}

	/** @param {number} id */
	#chosen(id) {
		const { game } = this;
		if (!game.moment?.view.spectating) game.players.open(id);
		else {
			game.spectate.follow(id);
			if (this.isChoosing) game.overlays.close();
		}
	}

	/** @param {Moment} m */
	update(m) {
		const { connection, input } = this.game, self = connection.engine?.self ?? -1;
		this.tally.read(connection.match.events.kills.events, m, self);
		this.scoreboard.show(input.scoreboard || this.isChoosing || showsItself(m, self, connection.match.own !== null));
		this.scoreboard.update(m, m.view.spectating && m.view.id >= 0 ? m.view.id : self);
	}
}
