/**
 * The list of players: scores, and buttons to follow players.
 *
 * @module
 */

import { GAME, STATE, TEAM } from '../match/types.js';
import { raceTeamStyle } from '../draw/teamcolor.js';
import { countryCode, countryFlag } from './country.js';
import { ICON, byId, icon, make, setText, sign } from './dom.js';
import { flagOf, goalText, stateText, teamClass } from './hud.js';
import { formatRace, teamName } from './teestate.js';

/** @typedef {import('../match/types.js').Moment} Moment */
/** @typedef {import('../match/types.js').Player} Player */

/** The maximum number of players in a column. */
const MAX_ROWS = 16;

/** The classes of columns whose label is another word. @type {Record<string, string>} */
const CLASSES = { 'K/D': 'kills', time: 'score' };

/**
 * A row of the list.
 * @typedef {object} Row
 * @property {HTMLTableRowElement} row
 * @property {HTMLElement} head the tee
 * @property {HTMLElement} score
 * @property {HTMLButtonElement} name
 * @property {HTMLElement} signs the country, what the player carries, and so on
 * @property {HTMLElement} clan
 * @property {HTMLElement} kills
 * @property {HTMLElement} ping
 * @property {number} id
 * @property {string} drawn what head and signs show
 */

export class Scoreboard {
	/**
	 * @param {(id: number) => void} follow
	 * @param {import('../draw/icons.js').Icons} icons
	 * @param {((id: number) => string) | null} [tally] kills and deaths of a player, where they are known
	 */
	constructor(follow, icons, tally = null) {
		this.icons = icons;
		this.tally = tally;
		this.box = byId('scoreboard');
		this.tables = make('div', 'tables');
		this.watchers = make('p', 'watchers');
		this.limits = make('p', 'limits');
		this.box.append(this.tables, this.watchers, this.limits);
		/** @type {Row[]} */
		this.rows = [];
		this.follow = follow;
		/** @type {Player[]} */
		this.order = [];
		/** The number of players in each column. @type {number[]} */
		this.columns = [];
		/** The totals of the teams. @type {HTMLElement[]} */
		this.totals = [make('caption', 'red'), make('caption', 'blue')];
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
		const { flags } = m.game, teams = (flags & GAME.TEAMS) !== 0, race = (flags & GAME.RACE) !== 0;
		const { players, watchers } = orderOf(m);
		this.order = players;
		while (this.rows.length < players.length) this.rows.push(this.newRow());
		this.arrange(teams, race);
		setText(this.totals[0], `Red ${m.game.scoreRed}`);
		setText(this.totals[1], `Blue ${m.game.scoreBlue}`);
		this.rows.forEach((r, i) => {
			const p = players[i];
			if (!p) return;
			r.id = p.id;
			setText(r.score, race ? formatRace(p.score) : String(p.score));
			setText(r.name, p.name || `(${p.id})`);
			setText(r.clan, p.clan);
			colorTeam(r.name, p);
			setText(r.ping, p.bot ? 'bot' : String(p.latency));
			if (this.tally && !race) setText(r.kills, this.tally(p.id));
			this.draw(r, m, p);
			const c = `${teamClass(m, p.team)}${p.dead ? ' dead' : ''}${p.id === followed ? ' followed' : ''}`;
			if (r.row.className !== c) r.row.className = c;
		});
		setText(this.watchers, watchers.length ? 'Watching: ' + watchers.map((p) => p.name).join(', ') : '');
		setText(this.limits, limitsOf(m.game));
	}

	/**
	 * Draws the tee of a row, and its signs.
	 * @param {Row} r @param {Moment} m @param {Player} p
	 */
	draw(r, m, p) {
		let flag = -1;
		for (let i = 0; i < m.flags.length; i++) if (m.flags.items[i].carrier === p.id) flag = m.flags.items[i].team;
		const waits = (m.game.state & (STATE.WARMUP | STATE.PAUSED)) !== 0 && p.ready;
		const tee = this.icons.tee(p, m.game.flags), country = countryCode(p.country);
		const drawn = `${this.icons.version} ${tee?.url.length} ${p.id} ${p.team} ${country} ${flag} ${waits} ${p.skin.parts} ${p.skin.colors}`;
		if (r.drawn === drawn) return;
		r.drawn = drawn;
		r.head.replaceChildren(...tee ? [icon(tee, '')] : []);
		const signs = country ? [countryFlag(p.country, this.icons.scene)] : [];
		if (flag >= 0) signs.push(flagOf(this.icons, flag, 'carries the flag'));
		if (waits) signs.push(sign(ICON.TICK, 'ready'));
		r.signs.replaceChildren(...signs);
	}

	/**
	 * Distributes the rows over columns, each for one team.
	 * @param {boolean} teams
	 * @param {boolean} race in which kills do not count
	 */
	arrange(teams, race) {
		/** @type {number[]} */
		const columns = [];
		this.order.forEach((p, i) => {
			const last = columns.length - 1;
			if (i > 0 && columns[last] < MAX_ROWS && !(teams && p.team !== this.order[i - 1].team)) columns[last]++;
			else columns.push(1);
		});
		const key = `${columns} ${teams} ${race} ${teams && this.order[0]?.team}`;
		if (key === this.arranged) return;
		this.arranged = key;
		this.columns = columns;
		this.box.classList.toggle('race', race);
		let i = 0;
		this.tables.replaceChildren(...columns.map((n) => {
			const head = make('tr');
			for (const label of ['tee', race ? 'time' : 'score', 'name', 'clan', ...this.tally ? ['K/D'] : [], 'ping']) {
				const th = make('th', CLASSES[label] ?? label, label === 'tee' ? '' : label[0].toUpperCase() + label.slice(1));
				th.scope = 'col';
				head.append(th);
			}
			const table = make('table'), first = this.order[i];
			if (teams && first.team !== this.order[i - 1]?.team) table.append(this.totals[first.team === TEAM.BLUE ? 1 : 0]);
			table.createTHead().append(head);
			table.createTBody().append(...this.rows.slice(i, i += n).map((r) => r.row));
			return table;
		}));
		this.box.style.setProperty('--columns', String(columns.length));
		this.box.classList.toggle('wide', columns.length > 1);
		this.box.classList.toggle('many', columns.length > 2);
	}

	/** What arrange has arranged. */
	arranged = '';

	/** @returns {Row} */
	newRow() {
		const row = make('tr');
		/** @type {Row} */
		const r = {
			row, head: make('td', 'tee'), score: make('td', 'score'), name: make('button'), signs: make('span', 'signs'), clan: make('td', 'clan'),
			kills: make('td', 'kills'), ping: make('td', 'ping'), id: -1, drawn: '',
		};
		r.name.type = 'button';
		r.name.addEventListener('click', () => this.follow(r.id));
		const cell = make('td', 'who');
		cell.append(r.name, r.signs);
		row.append(r.head, r.score, cell, r.clan, ...this.tally ? [r.kills] : [], r.ping);
		return r;
	}
}

/**
 * The players of a moment in the order of the list, and the spectators.
 * @param {Moment} m
 */
export function orderOf(m) {
	const teams = (m.game.flags & GAME.TEAMS) !== 0, race = (m.game.flags & GAME.RACE) !== 0;
	/** @type {Player[]} */
	const players = [];
	/** @type {Player[]} */
	const watchers = [];
	for (const p of m.players) if (p.active) (p.team === TEAM.SPECTATORS ? watchers : players).push(p);
	const rank = (/** @type {Player} */ p) => (race ? (p.score < 0 ? 1e9 : p.score) : -p.score);
	players.sort((a, b) => (teams && a.team !== b.team ? a.team - b.team : rank(a) - rank(b) || a.id - b.id));
	return { players, watchers };
}

/** The limits of a match in words. @param {import('../match/types.js').Game} g */
export function limitsOf(g) {
	const parts = [];
	if (g.flags & GAME.RACE && g.bestTime > 0) parts.push(`best time ${formatRace(g.bestTime)}`);
	if (stateText(g) !== goalText(g)) parts.push(goalText(g)); // otherwise it is beside the clock
	if (g.timeLimit > 0) parts.push(`${g.timeLimit} min`);
	if (g.matchNum > 0 && g.matchCurrent > 0) parts.push(`round ${g.matchCurrent} of ${g.matchNum}`);
	return parts.filter(Boolean).join(' · ');
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
