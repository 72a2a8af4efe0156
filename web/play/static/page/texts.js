/**
 * Texts of the match: the message of the day, the phase of the match, and finished races.
 *
 * @module
 */

import { GAME, STATE, TEAM, TICKS_PER_SECOND } from '../../viewer/match/types.js';
import { ICON, button, make, setText } from '../../viewer/page/dom.js';
import { formatRace } from '../../viewer/page/teestate.js';
import { label } from '../input/labels.js';
import { formatDiff } from './race.js';

/** @typedef {import('../../viewer/match/types.js').Moment} Moment */

/** How long the message of the day is shown: at least, and more for each letter, in ms. */
const MOTD_MS = 8000, MOTD_LETTER_MS = 60;

/** The pause after a match, in seconds. */
const PAUSE = 10;

/** @param {number} n @param {string} one @param {string} [many] */
const count = (n, one, many = `${one}s`) => `${n} ${n === 1 ? one : many}`;

/**
 * The phase of the match in words: a title, and a line below it. Both are empty during play.
 * @param {Moment} m
 * @param {number} self
 * @param {string} readyKey the key for the action ready; empty for a touch screen
 */
export function phase(m, self, readyKey) {
	const { game } = m, { state } = game, own = m.players[self], left = Math.max(0, Math.ceil((game.stateEndTick - m.tick) / TICKS_PER_SECOND));
	const playing = m.players.filter((p) => p.active && p.team !== TEAM.SPECTATORS), waiting = playing.filter((p) => !p.ready).length;
	const inGame = own?.active && own.team !== TEAM.SPECTATORS;
	const ready = waiting > 0 && inGame && !own.ready ? `${readyKey ? `Press ${readyKey}` : 'Tap Ready'} when you are ready.` : '';
	const open = game.stateEndTick === 0, others = waiting > 0 ? `${count(waiting, 'player is', 'players are')} not ready.` : '';
	if (state & STATE.START_COUNTDOWN) return { title: open ? 'Get ready' : `Starts in ${left}`, line: '' };
	if (state & STATE.PAUSED) return { title: open || left === 0 ? 'Paused' : `Paused: ${left}`, line: [others, ready].filter(Boolean).join(' ') };
	if (state & STATE.WARMUP) {
		if (!open) return { title: `Warmup: ${left}`, line: '' };
		return { title: 'Warmup', line: others ? [others, ready].filter(Boolean).join(' ') : 'Waiting for more players.' };
	}
	if (state & STATE.GAME_OVER) return { title: 'Game over', line: [result(m), next(m)].filter(Boolean).join(' ') };
	if (state & STATE.ROUND_OVER) {
		const survivors = playing.filter((p) => !p.dead);
		return { title: 'Round over', line: survivors.length === 1 ? `${survivors[0].name} survives.` : '' };
	}
	if (game.flags & GAME.SURVIVAL && inGame && own.dead) return { title: 'You are out', line: '' }; // the bar of spectators says until when
	return { title: '', line: '' };
}

/**
 * When the next match begins. At the end of a match, 0.7 sends the end of the pause in a form of its own.
 * @param {Moment} m
 */
function next({ tick, game }) {
	const left = Math.ceil((game.stateEndTick + game.startTick - tick) / TICKS_PER_SECOND) + PAUSE;
	return left > 0 && left <= PAUSE ? `The next round begins in ${left} s.` : '';
}

/** Who has won. @param {Moment} m */
function result(m) {
	const { game } = m;
	if (game.flags & GAME.TEAMS) {
		if (game.scoreRed === game.scoreBlue) return 'A draw.';
		return game.scoreRed > game.scoreBlue ? 'Red wins.' : 'Blue wins.';
	}
	if (game.flags & GAME.RACE) return '';
	const best = m.players.filter((p) => p.active && p.team !== TEAM.SPECTATORS).sort((a, b) => b.score - a.score);
	return best.length > 1 && best[0].score > best[1].score ? `${best[0].name} wins.` : '';
}

/**
 * How many players are left in a round in which the dead stay out; empty in other games.
 * @param {Moment} m
 */
export function alive(m) {
	if (!(m.game.flags & GAME.SURVIVAL) || m.game.state & (STATE.WARMUP | STATE.ROUND_OVER | STATE.GAME_OVER)) return '';
	const left = (/** @type {(p: import('../../viewer/match/types.js').Player) => boolean} */ is) => m.players.filter((p) => p.active && p.team !== TEAM.SPECTATORS && !p.dead && is(p)).length;
	if (m.game.flags & GAME.TEAMS) return `${left((p) => p.team === TEAM.RED)} red and ${left((p) => p.team === TEAM.BLUE)} blue left`;
	return `${left(() => true)} left`;
}

/**
 * The line about a finished race.
 * @param {{ player_name: string, milliseconds: number, diff: number, record: boolean, personal: boolean }} e the event
 */
export function finishLine(e) {
	const diff = e.diff ? ` (${formatDiff(e.diff)})` : '', best = e.record ? ' This is a new record.' : e.personal && e.diff ? ' This is a new personal best.' : '';
	return `${e.player_name} finished in ${formatRace(e.milliseconds)}${diff}.${best}`;
}

/** @implements {import('./game.js').Part} */
export class Texts {
	/** @param {import('./game.js').Game} game */
	constructor(game) {
		this.game = game;
		this.box = make('div', 'hud');
		this.box.id = 'phase';
		this.box.setAttribute('role', 'status');
		this.title = make('strong');
		this.line = make('span');
		this.ready = make('button', '', 'Ready');
		this.ready.type = 'button';
		this.ready.addEventListener('click', () => game.connection.act('ready'));
		this.alive = make('span', 'alive');
		this.box.append(this.title, this.line, this.ready, this.alive);
		this.#makeMotd();
		game.stage.append(this.box, this.motd);
		game.keyboard.on('ready', () => game.connection.act('ready'));
		/** @param {string} type @param {(e: any) => void} f */
		const on = (type, f) => game.connection.addEventListener(type, (e) => f(/** @type {CustomEvent} */ (e).detail));
		on('motd', (e) => this.#showMotd(e.text));
		on('race_finish', (e) => { if (e.milliseconds >= 0) this.say(finishLine(e)); });
		for (const type of ['ended', 'crash', 'map_loading']) on(type, () => { this.box.hidden = this.motd.hidden = true; });
	}

	#makeMotd() {
		this.motd = make('section', 'hud');
		this.motd.id = 'motd';
		this.motd.hidden = true;
		this.motd.setAttribute('aria-label', 'message of the server');
		this.message = make('p');
		this.motd.append(button('Close', ICON.CROSS, () => this.#hideMotd()), this.message);
		this.motdUntil = 0;
		addEventListener('keydown', (e) => {
			if (this.motd.hidden || e.code !== 'Escape' && e.code !== 'Enter' || this.game.overlays.open) return;
			e.stopImmediatePropagation();
			e.preventDefault();
			this.#hideMotd();
		}, { capture: true });
	}

	/** @param {string} text */
	#showMotd(text) {
		setText(this.message, text.trim());
		this.motd.hidden = text.trim() === '';
		this.motdUntil = performance.now() + MOTD_MS + MOTD_LETTER_MS * text.length;
	}

	#hideMotd() {
		this.motd.hidden = true;
	}

	/** Adds a line to the chat. @param {string} text */
	say(text) {
		this.game.chat.server(text);
	}

	/** @param {Moment} m @param {number} now in ms */
	update(m, now) {
		if (now > this.motdUntil) this.#hideMotd();
		const { connection, actions } = this.game, self = connection.engine?.self ?? -1;
		const key = this.game.touch.active ? '' : label(actions.bindings.codes('ready')[0] ?? ''), { title, line } = phase(m, self, key);
		setText(this.title, title);
		setText(this.line, line);
		setText(this.alive, alive(m));
		this.ready.hidden = !line.includes('when you are ready');
		this.box.hidden = !title && !line && !this.alive.textContent;
		this.box.classList.toggle('quiet', !line && !(m.game.state & ~STATE.SUDDEN_DEATH)); // the match goes on behind it
		const { scoreboard } = this.game.board, home = scoreboard.shown ? scoreboard.box : this.game.stage;
		if (this.box.parentElement !== home) home === this.game.stage ? home.append(this.box) : home.prepend(this.box); // it never covers a row
	}
}
