/**
 * The page of the menu on which the player chooses a team, and the keys that act on the own tee.
 *
 * @module
 */

import { GAME, STATE, TEAM, TICKS_PER_SECOND } from '../../viewer/match/types.js';
import { make, setText } from '../../viewer/page/dom.js';

/** @typedef {{ teams_locked: boolean, team_balance: boolean, player_slots: number }} Settings */

/**
 * What decides on a change of the team.
 * @typedef {object} Now
 * @property {number} own the own team
 * @property {Record<number, number>} counts the players in each team
 * @property {boolean} teams whether there are two teams
 * @property {number} wait the seconds until the server allows a change
 * @property {Settings | null} settings null if the server has sent none
 */

/**
 * Returns why a team cannot be joined now; empty if it can.
 * @param {number} team TEAM
 * @param {Now} now
 */
export function refusal(team, { own, counts, teams, wait, settings }) {
	if (team === own) return '';
	if (wait > 0) return `You can change your team again in ${wait} s.`;
	if (settings?.teams_locked) return 'The teams are locked.';
	if (team === TEAM.SPECTATORS) return '';
	const playing = (counts[TEAM.RED] ?? 0) + (counts[TEAM.BLUE] ?? 0), slots = settings?.player_slots ?? 0;
	if (own === TEAM.SPECTATORS && slots > 0 && playing >= slots) return `All ${slots} places are taken.`;
	if (!teams || !settings?.team_balance) return '';
	const after = { ...counts, [team]: (counts[team] ?? 0) + 1, [own]: (counts[own] ?? 0) - 1 };
	return (after[team] ?? 0) - (after[team === TEAM.RED ? TEAM.BLUE : TEAM.RED] ?? 0) >= 2 ? 'The teams would not be balanced.' : '';
}

/** @implements {import('./game.js').Part} */
export class Teams {
	/** @param {import('./game.js').Game} game */
	constructor(game) {
		this.game = game;
		/** @type {Settings | null} */
		this.settings = null;
		/** The first tick at which the server allows another change. */
		this.mayChangeAt = 0;
		this.page = make('div', 'team-page');
		this.choices = make('div', 'choices');
		this.note = make('p', 'note');
		this.note.setAttribute('role', 'status');
		this.actions = make('div', 'choices');
		this.page.append(this.choices, this.note, this.actions);
		/** @type {Map<number, HTMLButtonElement>} */
		this.teams = new Map([TEAM.RED, TEAM.BLUE, TEAM.SPECTATORS].map((team) => [team, this.#button(this.choices, '', () => this.#join(team))]));
		this.ready = this.#button(this.actions, 'Ready', () => game.connection.act('ready'));
		this.pause = this.#button(this.actions, 'Pause or continue', () => this.#pause());
		this.kill = this.#button(this.actions, 'Kill yourself', () => game.connection.act('kill'));
		this.#button(this.actions, 'Remote console', () => game.rcon.open());
		game.menu.addSection('Team', this.page, true);
		game.keyboard.on('team', () => game.menu.open('Team'));
		game.keyboard.on('kill', () => game.connection.act('kill'));
		game.keyboard.on('pause', () => this.#pause());
		const { connection } = game;
		connection.addEventListener('settings', (e) => { this.settings = /** @type {CustomEvent} */ (e).detail; });
		connection.addEventListener('team_change', (e) => {
			const { player, cooldown_tick } = /** @type {CustomEvent} */ (e).detail;
			if (player === connection.engine?.self) this.mayChangeAt = cooldown_tick;
		});
		for (const type of ['ended', 'crash', 'map_loading']) connection.addEventListener(type, () => { this.mayChangeAt = 0; });
		for (const type of ['ended', 'crash']) connection.addEventListener(type, () => { this.settings = null; });
	}

	/** @param {HTMLElement} to @param {string} label @param {() => void} click */
	#button(to, label, click) {
		const b = make('button', '', label);
		b.type = 'button';
		b.addEventListener('click', () => {
			this.game.overlays.close();
			click();
		});
		to.append(b);
		return b;
	}

	/** @param {number} team */
	#join(team) {
		this.game.connection.act('team', team);
	}

	/** Leaves the tee where it is, or comes back to it. */
	#pause() {
		if (this.game.chat.canRun('pause')) this.game.connection.act('command', 'pause', '');
	}

	/** @param {import('../../viewer/match/types.js').Moment} m */
	update(m) {
		if (!this.game.menu.shows('Team')) return;
		const { connection, chat } = this.game, self = connection.engine?.self ?? -1, teams = (m.game.flags & GAME.TEAMS) !== 0;
		/** @type {Record<number, number>} */
		const counts = {};
		for (const p of m.players) if (p.active) counts[p.team] = (counts[p.team] ?? 0) + 1;
		const own = m.players[self]?.team ?? TEAM.SPECTATORS, wait = Math.max(0, Math.ceil((this.mayChangeAt - m.tick) / TICKS_PER_SECOND));
		/** @type {Set<string>} */
		const notes = new Set();
		for (const [team, b] of this.teams) {
			const why = refusal(team, { own, counts, teams, wait, settings: this.settings });
			if (why) notes.add(why);
			b.hidden = team === TEAM.BLUE && !teams;
			b.disabled = why !== '' || team === own;
			b.className = teams && team === TEAM.RED ? 'red' : team === TEAM.BLUE ? 'blue' : '';
			b.setAttribute('aria-current', String(team === own));
			const label = team === TEAM.SPECTATORS ? 'Spectate' : !teams ? 'Join the game' : team === TEAM.RED ? 'Join the red team' : 'Join the blue team';
			setText(b, `${label} (${counts[team] ?? 0})`);
		}
		setText(this.note, [...notes].join(' '));
		this.ready.hidden = (m.game.state & (STATE.PAUSED | STATE.WARMUP)) === 0;
		setText(this.ready, m.players[self]?.ready ? 'Not ready' : 'Ready');
		this.pause.hidden = !chat.canRun('pause');
		this.kill.hidden = own === TEAM.SPECTATORS;
	}
}
