/**
 * The texts over the picture: scores and time, kills, chat, votes.
 *
 * @module
 */

import { CHAT, GAME, STATE, TEAM, TICKS_PER_SECOND, WEAPON } from '../match/types.js';
import { formatTicks } from './clock.js';
import { byId, make, setText } from './dom.js';

/** @typedef {import('../match/types.js').Moment} Moment */

const CHAT_TICKS = 16 * TICKS_PER_SECOND;
const KILL_TICKS = 8 * TICKS_PER_SECOND;
const BROADCAST_TICKS = 10 * TICKS_PER_SECOND;
const MAX_CHAT = 8;
const MAX_KILLS = 6;

/** The label of the weapon in a kill message, by WEAPON + 3. */
const CAUSES = ['left', 'self-kill', 'the map', 'hammer', 'gun', 'shotgun', 'grenade', 'laser', 'ninja'];

export class Hud {
	constructor() {
		this.clock = byId('clock');
		this.red = byId('red');
		this.blue = byId('blue');
		this.state = byId('state');
		this.kills = byId('kills');
		this.chat = byId('chat');
		this.broadcast = byId('broadcast');
		this.vote = byId('vote');
		this.killKeys = '';
		this.chatKeys = '';
	}

	/** @param {Moment} m */
	update(m) {
		this.updateGame(m);
		this.updateKills(m);
		this.updateChat(m);
		const b = m.broadcast;
		setText(this.broadcast, b.text && m.tick - b.tick < BROADCAST_TICKS ? b.text : '');
		const v = m.vote;
		setText(this.vote, v.active ? `Vote: ${v.description}${v.reason ? ` (${v.reason})` : ''}. Yes ${v.yes}, no ${v.no}` : '');
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
		let keys = '';
		const first = Math.max(0, m.kills.length - MAX_KILLS);
		for (let i = first; i < m.kills.length; i++) if (m.tick - m.kills.items[i].tick < KILL_TICKS) keys += m.kills.items[i].key + ' ';
		if (keys === this.killKeys) return;
		this.killKeys = keys;
		const lines = [];
		for (let i = first; i < m.kills.length; i++) if (m.tick - m.kills.items[i].tick < KILL_TICKS) lines.push(killLine(m, m.kills.items[i]));
		this.kills.replaceChildren(...lines);
	}

	/** @param {Moment} m */
	updateChat(m) {
		let keys = '';
		const first = Math.max(0, m.chat.length - MAX_CHAT);
		for (let i = first; i < m.chat.length; i++) if (m.tick - m.chat.items[i].tick < CHAT_TICKS) keys += m.chat.items[i].key + ' ';
		if (keys === this.chatKeys) return;
		this.chatKeys = keys;
		const lines = [];
		for (let i = first; i < m.chat.length; i++) if (m.tick - m.chat.items[i].tick < CHAT_TICKS) lines.push(chatLine(m, m.chat.items[i]));
		this.chat.replaceChildren(...lines);
	}
}

/** The text below the clock. @param {import('../match/types.js').Game} g */
export function stateText(g) {
	if (g.state & STATE.PAUSED) return 'Paused';
	if (g.state & STATE.WARMUP) return 'Warmup';
	if (g.state & STATE.START_COUNTDOWN) return 'Get ready';
	if (g.state & STATE.GAME_OVER) return 'Game over';
	if (g.state & STATE.ROUND_OVER) return 'Round over';
	if (g.state & STATE.SUDDEN_DEATH) return 'Sudden death';
	return g.scoreLimit > 0 && !(g.flags & GAME.RACE) ? `to ${g.scoreLimit}` : '';
}

/** The class of a name in a game with teams. @param {Moment} m @param {number} team */
export function teamClass(m, team) {
	if (!(m.game.flags & GAME.TEAMS)) return 'name';
	return team === TEAM.RED ? 'name red' : team === TEAM.BLUE ? 'name blue' : 'name';
}

/** @param {Moment} m @param {import('../match/types.js').Kill} k */
function killLine(m, k) {
	const li = make('li');
	if (k.killer >= 0 && k.killer !== k.victim) li.append(make('span', teamClass(m, k.killerTeam), k.killerName), ' ');
	const cause = CAUSES[k.weapon + 3] ?? '';
	const sign = make('span', `cause ${k.weapon >= WEAPON.HAMMER ? 'w' + k.weapon : 'world'}`, cause);
	li.append(sign, ' ', make('span', teamClass(m, k.victimTeam), k.victimName));
	if (k.flags) li.append(make('span', 'flag', ' ⚑'));
	return li;
}

/** @param {Moment} m @param {import('../match/types.js').ChatLine} c */
function chatLine(m, c) {
	const li = make('li', c.id < 0 ? 'server' : c.mode === CHAT.TEAM ? 'team' : '');
	if (c.id >= 0) li.append(make('span', teamClass(m, c.team), c.name), ': ');
	li.append(c.text);
	return li;
}
