/**
 * The list of players: scores, and buttons to follow players.
 *
 * @module
 */

import { GAME, TEAM } from '../match/types.js';
import { raceTeamStyle } from '../draw/teamcolor.js';
import { byId, make, setText } from './dom.js';
import { teamClass } from './hud.js';
import { teamName } from './teestate.js';

/** @typedef {import('../match/types.js').Moment} Moment */
/** @typedef {import('../match/types.js').Player} Player */

/** The maximum number of players in a column. */
const MAX_ROWS = 16;

export class Scoreboard {
	/** @param {(id: number) => void} follow */
	constructor(follow) {
		this.box = byId('scoreboard');
		this.tables = make('div', 'tables');
		this.watchers = make('p', 'watchers');
		this.box.append(this.tables, this.watchers);
		/** @type {{row: HTMLTableRowElement, score: HTMLElement, name: HTMLButtonElement, clan: HTMLElement, ping: HTMLElement, id: number}[]} */
		this.rows = [];
		this.follow = follow;
		/** @type {Player[]} */
		this.order = [];
		/** The number of players in each column. @type {number[]} */
		this.columns = [];
	}

	get shown() {
		return !this.box.hidden;
	}

	/** @param {boolean} on */
	show(on) {
		this.box.hidden = !on;
	}

	/**
	 * @param {Moment} m
	 * @param {number} followed
	 */
	update(m, followed) {
		if (this.box.hidden) return;
		const teams = (m.game.flags & GAME.TEAMS) !== 0;
		const race = (m.game.flags & GAME.RACE) !== 0;
		const order = this.order;
		order.length = 0;
		let watchers = '';
		for (const p of m.players) {
			if (!p.active) continue;
			if (p.team === TEAM.SPECTATORS) watchers += (watchers ? ', ' : 'Watching: ') + p.name;
			else order.push(p);
		}
		const rank = (/** @type {Player} */ p) => (race ? (p.score < 0 ? 1e9 : p.score) : -p.score);
		order.sort((a, b) => (teams && a.team !== b.team ? a.team - b.team : rank(a) - rank(b) || a.id - b.id));
		while (this.rows.length < order.length) this.rows.push(this.newRow());
		this.arrange(teams);
		this.rows.forEach((r, i) => {
			const p = order[i];
			if (!p) return;
			r.id = p.id;
			setText(r.score, race ? formatRace(p.score) : String(p.score));
			setText(r.name, p.name || `(${p.id})`);
			setText(r.clan, p.clan);
			colorTeam(r.name, p);
			setText(r.ping, p.bot ? 'bot' : String(p.latency));
			const c = `${teamClass(m, p.team)}${p.dead ? ' dead' : ''}${p.id === followed ? ' followed' : ''}`;
			if (r.row.className !== c) r.row.className = c;
		});
		setText(this.watchers, watchers);
	}

	/**
	 * Distributes the rows over columns, each for one team.
	 * @param {boolean} teams
	 */
	arrange(teams) {
		/** @type {number[]} */
		const columns = [];
		this.order.forEach((p, i) => {
			const last = columns.length - 1;
			if (i > 0 && columns[last] < MAX_ROWS && !(teams && p.team !== this.order[i - 1].team)) columns[last]++;
			else columns.push(1);
		});
		if (columns.join() === this.columns.join()) return;
		this.columns = columns;
		let i = 0;
		this.tables.replaceChildren(...columns.map((n) => {
			const head = make('tr');
			for (const label of ['score', 'name', 'clan', 'ping']) {
				const th = make('th', label, label);
				th.scope = 'col';
				head.append(th);
			}
			const table = make('table');
			table.createTHead().append(head);
			table.createTBody().append(...this.rows.slice(i, i += n).map((r) => r.row));
			return table;
		}));
		this.box.style.setProperty('--columns', String(columns.length));
	}

	newRow() {
		const row = make('tr');
		const r = { row, score: make('td', 'score'), name: make('button'), clan: make('td', 'clan'), ping: make('td', 'ping'), id: -1 };
		r.name.type = 'button';
		r.name.addEventListener('click', () => this.follow(r.id));
		const cell = make('td');
		cell.append(r.name);
		row.append(r.score, cell, r.clan, r.ping);
		return r;
	}
}

/**
 * Shows the DDRace team of a player.
 * @param {HTMLElement} e
 * @param {Player} p
 */
function colorTeam(e, p) {
	const color = p.raceTeam > 0 ? raceTeamStyle(p.raceTeam) : '', team = String(p.raceTeam);
	if (e.dataset.team === team) return;
	e.dataset.team = team;
	e.style.color = color;
	e.title = p.raceTeam > 0 ? teamName(p.raceTeam) : '';
}

/** @param {number} ms */
function formatRace(ms) {
	if (ms < 0) return '';
	const s = Math.floor(ms / 1000);
	return `${Math.floor(s / 60)}:${String(s % 60).padStart(2, '0')}.${String(ms % 1000).padStart(3, '0')}`;
}
