/**
 * Spectating: whom the player watches, and changing that.
 *
 * @module
 */

import { GAME, SPEC, TEAM } from '../../viewer/match/types.js';
import { ICON, button, make, setText } from '../../viewer/page/dom.js';

/** @typedef {import('../../viewer/match/types.js').Moment} Moment */

/** What can be followed. @typedef {{ mode: number, id: number }} Target */

/**
 * All that the player may follow, in order: players, then flags. An eliminated player may follow
 * only team mates who are still in the round.
 * @param {Moment} m
 * @param {number} self
 * @returns {Target[]}
 */
export function targets(m, self) {
	const own = m.players[self], teams = (m.game.flags & GAME.TEAMS) !== 0, isOut = own?.team !== TEAM.SPECTATORS && own?.dead;
	const all = [];
	for (const p of m.players) {
		if (!p.active || p.id === self && !isRace(m) || p.team === TEAM.SPECTATORS || p.dead && isOut) continue;
		if (isOut && teams && p.team !== own.team) continue;
		all.push({ mode: SPEC.PLAYER, id: p.id });
	}
	if (isOut) return all;
	for (const [team, mode] of /** @type {const} */ ([[TEAM.RED, SPEC.FLAG_RED], [TEAM.BLUE, SPEC.FLAG_BLUE]])) {
		for (let i = 0; i < m.flags.length; i++) {
			if (m.flags.items[i].team !== team) continue;
			all.push({ mode, id: -1 });
			break;
		}
	}
	return all;
}

/** @param {Moment} m */
function isRace(m) {
	return (m.game.flags & GAME.RACE) !== 0;
}

/**
 * The target after the current one, or the one before; without a current one the closest tee.
 * @param {Moment} m
 * @param {number} self
 * @param {number} by 1 or -1
 * @param {{ x: number, y: number }} from the place of the camera
 * @returns {Target | null} null for none
 */
export function nextTarget(m, self, by, from) {
	const all = targets(m, self), { mode, id } = m.view;
	if (all.length === 0) return null;
	const now = all.findIndex((t) => t.mode === mode && (mode !== SPEC.PLAYER || t.id === id));
	if (now >= 0) return all[(now + by + all.length) % all.length];
	if (mode === SPEC.PLAYER) return all.find((t) => t.id > id) ?? all[0]; // who has left meanwhile
	let best = by > 0 ? all[0] : all[all.length - 1], near = Infinity;
	for (let i = 0; i < m.tees.length; i++) {
		const t = m.tees.items[i], d = Math.hypot(t.x - from.x, t.y - from.y), target = all.find((a) => a.mode === SPEC.PLAYER && a.id === t.id);
		if (target && d < near) [best, near] = [target, d];
	}
	return best;
}

/** What the player sees, in words. @param {Moment} m */
export function watched(m) {
	const { mode, id } = m.view;
	if (mode === SPEC.FLAG_RED) return 'the red flag';
	if (mode === SPEC.FLAG_BLUE) return 'the blue flag';
	return mode === SPEC.PLAYER ? m.players[id]?.name || 'a player' : '';
}

/** @implements {import('./game.js').Part} */
export class Spectate {
	/** @param {import('./game.js').Game} game */
	constructor(game) {
		this.game = game;
		this.box = make('section', 'hud');
		this.box.id = 'spectate';
		this.box.hidden = true;
		this.box.setAttribute('aria-label', 'spectating');
		this.name = make('strong');
		this.hint = make('small');
		this.free = this.#button('Free view', () => this.#watch(SPEC.FREE, -1));
		this.players = this.#button('Players', () => game.board.choose());
		this.players.className = 'players';
		this.back = this.#button('Back to the game', () => this.#back());
		this.join = [TEAM.RED, TEAM.BLUE].map((team) => this.#button('Join', () => game.connection.act('team', team)));
		const text = make('div');
		text.append(this.name, this.hint);
		this.box.append(button('Previous player', ICON.PREVIOUS, () => this.next(-1)), text, button('Next player', ICON.NEXT, () => this.next(1)), this.free, this.players, ...this.join, this.back);
		game.stage.append(this.box);
		game.input.onwatch = (by) => this.next(by);
		game.view.onfree = () => this.#watch(SPEC.FREE, -1);
		game.keyboard.on('spectate_next', () => this.next(1));
		game.keyboard.on('spectate_previous', () => this.next(-1));
		game.keyboard.on('spectate', () => { if (game.moment?.view.spectating) game.board.choose(); });
		for (const type of ['ended', 'crash', 'map_loading']) game.connection.addEventListener(type, () => this.#show(false));
	}

	/** @param {string} label @param {() => void} click */
	#button(label, click) {
		const b = make('button', '', label);
		b.type = 'button';
		b.addEventListener('click', click);
		return b;
	}

	/** @param {boolean} on */
	#show(on) {
		this.box.hidden = !on;
		this.game.stage.classList.toggle('spectating', on);
		if (!on) this.game.input.view = null;
	}

	/** @param {number} mode SPEC @param {number} id */
	#watch(mode, id) {
		const m = this.game.moment;
		if (!m?.view.spectating || m.view.mode === mode && m.view.id === id) return;
		this.game.connection.act('spectate', mode, id);
	}

	/** Ends a pause of DDRace: with /spec the tee is still there, with /pause it is not. */
	#back() {
		const m = this.game.moment, self = this.game.connection.engine?.self;
		const stays = m?.tees.items.slice(0, m.tees.length).some((t) => t.id === self);
		this.game.connection.act('command', stays ? 'spec' : 'pause', '');
	}

	/** Follows a player. @param {number} id */
	follow(id) {
		this.#watch(SPEC.PLAYER, id);
	}

	/** Follows the next player or flag, or the one before. @param {number} by 1 or -1 */
	next(by) {
		const m = this.game.moment, self = this.game.connection.engine?.self ?? -1;
		const target = m?.view.spectating ? nextTarget(m, self, by, this.game.camera) : null;
		if (target) this.#watch(target.mode, target.id);
	}

	/** @param {Moment} m */
	update(m) {
		const { spectating, mode } = m.view, own = m.players[this.game.connection.engine?.self ?? -1];
		this.#show(spectating);
		if (!spectating) return;
		const name = watched(m), isOut = own && own.team !== TEAM.SPECTATORS && own.dead, canJoin = own?.team === TEAM.SPECTATORS, teams = (m.game.flags & GAME.TEAMS) !== 0;
		setText(this.name, name || 'Free view');
		setText(this.hint, isOut ? 'You are out until the next round.' : name ? 'Click: next. Right click: previous. Move: free view.' : 'Click: follow a player. Move with the keys or the mouse. Wheel: zoom.');
		this.back.hidden = canJoin || Boolean(isOut) || !this.game.chat.canRun('spec');
		this.free.hidden = mode === SPEC.FREE || Boolean(isOut);
		this.join.forEach((b, i) => {
			b.hidden = !canJoin || i > 0 && !teams;
			setText(b, teams ? `Join ${i ? 'blue' : 'red'}` : 'Join the game');
		});
	}
}
