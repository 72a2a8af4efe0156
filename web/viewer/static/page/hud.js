/**
 * The texts over the picture: scores and time, kills, broadcasts.
 *
 * @module
 */

import { GAME, STATE, TEAM, TICKS_PER_SECOND, WEAPON } from '../match/types.js';
import { formatTicks } from './clock.js';
import { ICON, byId, icon, make, setText, sign } from './dom.js';

/** @typedef {import('../match/types.js').Moment} Moment */

const KILL_TICKS = 8 * TICKS_PER_SECOND;
const BROADCAST_TICKS = 10 * TICKS_PER_SECOND;
const MAX_KILLS = 6;

/** The words for the causes of deaths, by WEAPON + 3. */
const CAUSES = ['left', 'self-kill', 'the map', 'hammer', 'gun', 'shotgun', 'grenade', 'laser', 'ninja'];
/** The words for deaths in races that no other player caused, which are no fights. Others are an own fault. */
const RACE_CAUSES = ['left', 'restarted', 'fell'];
/** The icons of the causes that are no weapons, by WEAPON + 3. */
const CAUSE_ICONS = [ICON.DOOR, ICON.SKULL, ICON.SPIKES];

/** The bits of Kill.flags: who carried a flag. */
const VICTIM_CARRIED = 1, KILLER_CARRIED = 2;

export class Hud {
	/** @param {import('../draw/icons.js').Icons} icons */
	constructor(icons) {
		this.icons = icons;
		this.clock = byId('clock');
		this.red = byId('red');
		this.blue = byId('blue');
		this.state = byId('state');
		this.kills = byId('kills');
		this.broadcast = byId('broadcast');
		this.killKeys = '';
	}

	/** @param {Moment} m */
	update(m) {
		this.updateGame(m);
		this.updateKills(m);
		const b = m.broadcast;
		setText(this.broadcast, b.text && m.tick - b.tick < BROADCAST_TICKS ? b.text : '');
	}

	/** @param {Moment} m */
	updateGame(m) {
		const g = m.game;
		let ticks = m.tick - g.startTick;
		if (g.state & (STATE.WARMUP | STATE.START_COUNTDOWN) && g.stateEndTick) ticks = g.stateEndTick - m.tick;
		else if (g.timeLimit > 0 && !(g.state & STATE.SUDDEN_DEATH)) ticks = Math.max(0, g.timeLimit * 60 * TICKS_PER_SECOND - ticks);
		setText(this.clock, formatTicks(ticks));
		const teams = (g.flags & GAME.TEAMS) !== 0;
		this.red.hidden = this.blue.hidden = !teams;
		if (teams) {
			setText(this.red, String(g.scoreRed));
			setText(this.blue, String(g.scoreBlue));
		}
		setText(this.state, stateText(g));
	}

	/** @param {Moment} m */
	updateKills(m) {
		let keys = `${this.icons.version} `;
		const first = Math.max(0, m.kills.length - MAX_KILLS);
		for (let i = first; i < m.kills.length; i++) if (m.tick - m.kills.items[i].tick < KILL_TICKS) keys += m.kills.items[i].key + ' ';
		if (keys === this.killKeys) return;
		this.killKeys = keys;
		const lines = [];
		for (let i = first; i < m.kills.length; i++) if (m.tick - m.kills.items[i].tick < KILL_TICKS && m.kills.items[i].victimName) lines.push(killLine(m, m.kills.items[i], this.icons));
		this.kills.replaceChildren(...lines);
	}
}

/** The text below the clock. @param {import('../match/types.js').Game} g */
export function stateText(g) {
	if (g.state & STATE.START_COUNTDOWN) return 'Get ready';
	if (g.state & STATE.PAUSED) return 'Paused';
	if (g.state & STATE.WARMUP) return 'Warmup';
	if (g.state & STATE.GAME_OVER) return 'Game over';
	if (g.state & STATE.ROUND_OVER) return 'Round over';
	if (g.state & STATE.SUDDEN_DEATH) return 'Sudden death';
	return goalText(g);
}

/** The score that ends a match, in words. @param {import('../match/types.js').Game} g */
export function goalText(g) {
	return g.scoreLimit > 0 && !(g.flags & GAME.RACE) ? `to ${g.scoreLimit}` : '';
}

/** The class of a name in a game with teams. @param {Moment} m @param {number} team */
export function teamClass(m, team) {
	if (!(m.game.flags & GAME.TEAMS)) return 'name';
	return team === TEAM.RED ? 'name red' : team === TEAM.BLUE ? 'name blue' : 'name';
}

/**
 * The word for the cause of a death, and whether another player is named.
 * @param {import('../match/types.js').Kill} k
 * @param {boolean} race
 */
export function causeOf(k, race) {
	const byOther = k.killer >= 0 && k.killer !== k.victim;
	const cause = CAUSES[k.weapon + 3] ?? '';
	return { byOther, word: race && !byOther ? RACE_CAUSES[k.weapon + 3] ?? 'own fault' : cause };
}

/**
 * The picture of the cause of a death.
 * @param {import('../draw/icons.js').Icons} icons
 * @param {import('../match/types.js').Kill} k
 * @param {boolean} race
 * @param {string} word what it shows; empty if a text beside it says so
 */
export function causeIcon(icons, k, race, word) {
	const shape = race && k.weapon === WEAPON.SELF ? ICON.BACK : CAUSE_ICONS[k.weapon + 3];
	return shape ? sign(shape, word, 'cause') : icon(icons.weapon(k.weapon), word, 'cause');
}

/**
 * A line of the kill feed: killer, weapon, victim, with their heads and flags.
 * @param {Moment} m
 * @param {import('../match/types.js').Kill} k
 * @param {import('../draw/icons.js').Icons} icons
 */
function killLine(m, k, icons) {
	const li = make('li'), race = (m.game.flags & GAME.RACE) !== 0, { byOther, word } = causeOf(k, race);
	const head = (/** @type {number} */ id, /** @type {string} */ name) => {
		const p = m.players[id], known = p?.active && p.name === name ? icons.tee(p, m.game.flags) : null;
		return known ? [icon(known, '', 'head')] : [];
	};
	const flag = (/** @type {number} */ bit, /** @type {number} */ team) => {
		if (!(k.flags & bit) || !(m.game.flags & GAME.FLAGS)) return [];
		return [flagOf(icons, team === TEAM.RED ? TEAM.BLUE : TEAM.RED, 'with the flag')]; // that of the other team
	};
	if (byOther) li.append(make('span', teamClass(m, k.killerTeam), k.killerName), ...flag(KILLER_CARRIED, k.killerTeam), ...head(k.killer, k.killerName));
	const alone = race && !byOther; // the word is beside the name
	li.append(causeIcon(icons, k, race, alone ? '' : word));
	li.append(...head(k.victim, k.victimName), ...flag(VICTIM_CARRIED, k.victimTeam), make('span', teamClass(m, k.victimTeam), k.victimName));
	if (alone) li.append(make('span', 'word', word));
	return li;
}

/**
 * The flag of a team: the game's, or until that is drawn, a sign in the team's colour.
 * @param {import('../draw/icons.js').Icons} icons @param {number} team @param {string} word
 */
export function flagOf(icons, team, word) {
	const drawn = icons.flag(team);
	return drawn ? icon(drawn, word, 'carried') : sign(ICON.FLAG, word, team === TEAM.RED ? 'red' : 'blue');
}
