/**
 * The page of the menu with all players, and what can be done about each.
 *
 * @module
 */

import { clean } from '../../viewer/match/text.js';
import { TEAM } from '../../viewer/match/types.js';
import { button, make, setText } from '../../viewer/page/dom.js';

/** The icons of the actions, as paths in a square of 24. */
const ICON = Object.freeze({
	FOLLOW: 'M12 6c5 0 8.6 4 10 6-1.4 2-5 6-10 6s-8.6-4-10-6c1.4-2 5-6 10-6zm0 2.2a3.8 3.8 0 1 0 0 7.6 3.8 3.8 0 0 0 0-7.6z',
	WHISPER: 'M4 4h16v12H11l-5 4v-4H4zM7 7.5v1.8h10V7.5zM7 11v1.8h7V11z',
	MUTE: 'M4 9h4l5-4v14l-5-4H4zM15 9.4 16.4 8l2.1 2.1L20.6 8 22 9.4 19.9 11.5 22 13.6 20.6 15l-2.1-2.1-2.1 2.1L15 13.6l2.1-2.1z',
	KICK: 'M5 3h8v2H7v14h6v2H5zM14 7l5 5-5 5v-3.5H9v-3h5z',
	SPECTATE: 'M4 5h16v10H4zM6 7v6h12V7zM9 17h6v2H9z',
	REPORT: 'M6 3h12v18H6zM8 5v14h8V5zM9.5 8h5v1.6h-5zM9.5 11.2h5v1.6h-5z',
});

/**
 * @typedef {object} Row
 * @property {HTMLLIElement} box
 * @property {HTMLElement} name
 * @property {HTMLElement} clan
 * @property {HTMLElement} state
 * @property {Record<'follow' | 'whisper' | 'mute' | 'kick' | 'spectate' | 'report', HTMLButtonElement>} buttons
 * @property {number} id client id
 */

/** @implements {import('./game.js').Part} */
export class Players {
	/** @param {import('./game.js').Game} game */
	constructor(game) {
		this.game = game;
		this.page = make('div', 'players-page');
		this.list = make('ul');
		this.note = make('p', 'note');
		this.note.setAttribute('role', 'status');
		this.page.append(this.list, this.note);
		/** @type {Row[]} */
		this.rows = [];
		this.marked = -1;
		game.menu.addSection('Players', this.page, true);
		game.keyboard.on('players', () => this.open(-1));
	}

	/** Opens the list. @param {number} id client id of the player to show, -1 for none */
	open(id) {
		this.marked = id;
		this.game.menu.open('Players');
		if (this.game.moment) this.update(this.game.moment);
		this.rows.find((r) => r.id === id)?.box.scrollIntoView({ block: 'nearest' });
	}

	/** @returns {Row} */
	#row() {
		const { game } = this, box = make('li'), name = make('bdi', 'name'), clan = make('bdi', 'clan'), state = make('span', 'state');
		const player = () => game.moment?.players[row.id];
		const buttons = {
			follow: button('Follow', ICON.FOLLOW, () => {
				game.spectate.follow(row.id);
				game.overlays.close();
			}),
			whisper: button('Whisper', ICON.WHISPER, () => game.chat.whisperTo(row.id)),
			mute: button('Mute', ICON.MUTE, () => game.chat.toggleMute(player()?.name ?? '')),
			kick: button('Call a vote to kick', ICON.KICK, () => game.votes.open('kick', row.id)),
			spectate: button('Call a vote to move to the spectators', ICON.SPECTATE, () => game.votes.open('spectate', row.id)),
			report: button('Copy a report', ICON.REPORT, () => this.#report(row.id)),
		};
		/** @type {Row} */
		const row = { box, name, clan, state, buttons, id: -1 };
		const who = make('span', 'who');
		who.append(name, ' ', clan, ' ', state);
		box.append(who, ...Object.values(buttons));
		return row;
	}

	/** Copies what an operator needs to know about a player. @param {number} id */
	async #report(id) {
		const p = this.game.moment?.players[id];
		if (!p) return;
		const time = new Date().toISOString().slice(0, 16), map = this.game.connection.map?.name ?? '';
		const text = `${location.host}, ${time}Z: player "${clean(p.name)}", clan "${clean(p.clan)}", id ${id}, map ${map}`;
		try {
			await navigator.clipboard.writeText(text);
			setText(this.note, 'The report is copied: paste it where you reach the operators.');
		} catch {
			setText(this.note, text); // pages without TLS cannot copy
		}
	}

	/** @param {import('../../viewer/match/types.js').Moment} m */
	update(m) {
		const { game } = this;
		if (!game.menu.shows('Players')) return;
		const self = game.connection.engine?.self ?? -1;
		// The own player is first, spectators are last.
		const rank = (/** @type {import('../../viewer/match/types.js').Player} */ p) => (p.id === self ? -1 : p.team === TEAM.SPECTATORS ? 2 : p.team);
		const players = m.players.filter((p) => p.active).sort((a, b) => rank(a) - rank(b) || a.id - b.id);
		while (this.rows.length < players.length) this.rows.push(this.#row());
		if (this.list.children.length !== players.length) this.list.replaceChildren(...this.rows.slice(0, players.length).map((r) => r.box));
		players.forEach((p, i) => {
			const r = this.rows[i], other = p.id !== self, b = r.buttons;
			r.id = p.id;
			setText(r.name, clean(p.name) || `(${p.id})`);
			setText(r.clan, clean(p.clan));
			const muted = game.chat.isMuted(p.name);
			const states = [!other && 'you', p.team === TEAM.SPECTATORS && 'spectator', p.bot && 'bot', p.admin && 'operator', muted && 'muted'];
			setText(r.state, states.filter(Boolean).join(', '));
			r.box.classList.toggle('marked', p.id === this.marked);
			b.follow.hidden = !other || !m.view.spectating || p.team === TEAM.SPECTATORS;
			for (const one of [b.whisper, b.mute, b.report]) one.hidden = !other;
			b.kick.hidden = !other || game.votes.refusal('kick') !== '';
			b.spectate.hidden = !other || p.team === TEAM.SPECTATORS || game.votes.refusal('spectate') !== '';
			b.mute.setAttribute('aria-pressed', String(muted));
			for (const one of Object.values(b)) one.setAttribute('aria-describedby', (r.name.id ||= `player-row-${i}`));
		});
	}
}
