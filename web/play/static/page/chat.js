/**
 * The chat: its lines, and the line in which the player types.
 *
 * @module
 */

import { clean } from '../../viewer/match/text.js';
import { GAME, TEAM } from '../../viewer/match/types.js';
import { button, make, setText } from '../../viewer/page/dom.js';
import { Commands, readable } from '../talk/commands.js';
import { completions, outgoing } from '../talk/outgoing.js';
import { Queue } from '../talk/queue.js';
import { Completion, History, count, cut } from '../talk/typing.js';
import { ChatLog } from './chatlog.js';

/** The longest line in code points: of the original game, and of DDNet. */
const LIMIT = 127, DDNET_LIMIT = 255;

/** The number of characters before the limit from which on their number is shown. */
const NEAR = 30;

/** The notices that clients only hear. */
const HEARD = new Set(['ctf_drop', 'ctf_return', 'ctf_grab']);

/** The number of commands that are shown while one is typed. */
const OFFERS = 6;

/** The number of lines that the arrow keys find, and of names that are muted. */
const REMEMBERED = 50, MUTED = 200;

const ICON_SEND = 'M3 11 21 3l-6 18-4-7z';

/** @typedef {import('../talk/outgoing.js').Mode} Mode */

/** @implements {import('./game.js').Part} */
export class Chat {
	/** @param {import('./game.js').Game} game */
	constructor(game) {
		this.game = game;
		this.commands = new Commands();
		this.history = new History(REMEMBERED);
		this.completion = new Completion();
		this.queue = new Queue();
		/** The names of muted players. @type {Set<string>} */
		this.muted = new Set();
		/** The player of the last whisper: client id, -1 for none. */
		this.partner = -1;
		this.limit = LIMIT;
		/** @type {Mode} */
		this.mode = { kind: 'all' };
		this.overlay = { name: 'chat', show: () => this.#show(), hide: () => this.#hide() };
		this.#build();
		this.#listen();
		game.keyboard.on('chat', () => this.open({ kind: 'all' }));
		game.keyboard.on('chat_team', () => this.open({ kind: 'team' }));
		game.keyboard.on('chat_whisper', () => this.#reply());
		game.keyboard.on('chat_command', () => this.open({ kind: 'all' }, '/'));
		game.keyboard.on('show_chat', () => this.#look(true), () => this.#look(false));
	}

	#build() {
		this.log = new ChatLog((line) => this.whisperTo(line.id));
		this.box = make('section');
		this.box.id = 'talk';
		this.offers = make('ul', 'offers');
		this.hint = make('p', 'hint');
		this.form = make('form');
		this.form.hidden = true;
		this.modeButton = make('button', 'mode');
		this.modeButton.type = 'button';
		this.modeButton.addEventListener('click', () => this.#setMode(this.#nextMode()));
		this.input = make('input');
		this.input.autocomplete = 'off';
		this.input.spellcheck = false;
		this.input.enterKeyHint = 'send';
		this.input.setAttribute('aria-label', 'chat line');
		this.left = make('span', 'left');
		this.form.append(this.modeButton, this.input, this.left, button('Send', ICON_SEND, () => this.#send()));
		this.box.append(this.log.box, this.log.reader, this.offers, this.hint, this.form);
		this.game.touch.box.after(this.box);
		this.form.addEventListener('submit', (e) => {
			e.preventDefault();
			this.#send();
		});
		this.input.addEventListener('input', (e) => this.#typed(/** @type {InputEvent} */ (e).isComposing));
		this.box.addEventListener('keydown', (e) => this.#key(e));
		visualViewport?.addEventListener('resize', () => this.#placeAboveKeyboard());
	}

	#listen() {
		const { connection } = this.game;
		/** @param {string} type @param {(e: any) => void} f */
		const on = (type, f) => connection.addEventListener(type, (e) => f(/** @type {CustomEvent} */ (e).detail));
		on('chat', (e) => this.#chat(e));
		on('chat_command', (e) => this.commands.update(e));
		on('map_loading', () => this.commands.clear());
		on('capabilities', (e) => { this.limit = e.ddnet ? DDNET_LIMIT : LIMIT; });
		on('server_info', (e) => { if (/ddrace|ddnet/i.test(e.gametype)) this.limit = DDNET_LIMIT; });
		on('joined', (e) => { if (!e.known && !e.quiet) this.server(`'${clean(e.player_name)}' entered the game`); });
		on('left', (e) => this.#left(e));
		on('team_change', (e) => { if (!e.quiet) this.server(`'${clean(e.player_name)}' joined the ${this.teamName(e.team)}`); });
		on('notice', (e) => { if (!HEARD.has(e.kind)) this.server(e.text); });
		on('alert', (e) => this.server(e.text));
		on('failed', (e) => { if (/^(say|say_team|whisper|command)$/.test(e.do)) this.note(`Not sent: ${e.text}`); });
		for (const type of ['ended', 'crash']) on(type, () => this.#reset());
	}

	/** @param {number} team TEAM @returns {string} */
	teamName(team) {
		if (team === TEAM.SPECTATORS) return 'spectators';
		if (!((this.game.moment?.game.flags ?? 0) & GAME.TEAMS)) return 'game';
		return team === TEAM.RED ? 'red team' : 'blue team';
	}

	/**
	 * Reports whether the server has a command of DDNet. Servers list their commands only in 0.7.
	 * @param {string} name
	 */
	canRun(name) {
		return this.game.connection.ddnet || this.commands.get(name) !== undefined;
	}

	/** The players of the match without the own one. @returns {import('../../viewer/match/types.js').Player[]} */
	get others() {
		const self = this.game.connection.engine?.self ?? -1;
		return this.game.moment?.players.filter((p) => p.active && p.id !== self) ?? [];
	}

	/** @param {any} e the event */
	#chat({ from, from_name, to, to_name, mode, text }) {
		const self = this.game.connection.engine?.self ?? -1, own = from === self && from >= 0;
		if (from >= 0 && !own && this.muted.has(from_name)) return;
		if (mode === 'whisper') {
			this.partner = own ? to : from;
			this.#add('whisper', this.partner, own ? to_name : from_name, text, own);
		} else if (from < 0) this.server(text);
		else this.#add(mode === 'team' ? 'team' : 'all', from, from_name, text, own);
	}

	/** @param {any} e the event */
	#left({ player, player_name, reason, quiet }) {
		if (player === this.partner) this.partner = -1;
		if (!quiet) this.server(`'${clean(player_name)}' has left the game${reason ? ` (${clean(reason)})` : ''}`);
	}

	/**
	 * @param {import('./chatlog.js').Line['kind']} kind
	 * @param {number} id
	 * @param {string} name
	 * @param {string} text
	 * @param {boolean} own
	 */
	#add(kind, id, name, text, own) {
		const { moment, connection, settings } = this.game, team = moment?.players[id]?.team ?? TEAM.SPECTATORS;
		const teams = ((moment?.game.flags ?? 0) & GAME.TEAMS) !== 0 && id >= 0;
		const me = moment?.players[connection.engine?.self ?? -1]?.name || settings.get('name');
		const color = teams && team === TEAM.RED ? 'red' : teams && team === TEAM.BLUE ? 'blue' : '';
		this.log.add({ kind, id, name, color, text, own, mention: !own && id >= 0 && me !== '' && text.toLowerCase().includes(me.toLowerCase()) });
	}

	/** Adds a line from the server. @param {string} text */
	server(text) {
		this.#add('server', -1, '', text, false);
	}

	/** Adds a line of the page itself. @param {string} text */
	note(text) {
		this.#add('note', -1, '', text, false);
	}

	/** @param {string} name */
	isMuted(name) {
		return this.muted.has(name);
	}

	/** Hides the lines of a player, or shows them again. @param {string} name */
	toggleMute(name) {
		if (!this.muted.delete(name) && this.muted.size < MUTED) this.muted.add(name);
		this.note(`${clean(name)} is ${this.muted.has(name) ? 'muted: you do not see this player\'s lines' : 'no longer muted'}.`);
	}

	/** Opens the line to whisper to a player. @param {number} to client id */
	whisperTo(to) {
		if (this.others.some((p) => p.id === to)) this.open({ kind: 'whisper', to }, this.input.value);
	}

	/** Opens the line to answer the last whisper, or to begin one. */
	#reply() {
		if (this.others.some((p) => p.id === this.partner)) this.open({ kind: 'whisper', to: this.partner });
		else this.open({ kind: 'all' }, '/w ');
	}

	/** Shows the lines before, while a key is held. @param {boolean} on */
	#look(on) {
		this.log.flush();
		this.box.classList.toggle('looking', on);
		this.log.scrollToEnd();
	}

	/**
	 * Opens the line.
	 * @param {Mode} mode
	 * @param {string} [text] with which the line begins
	 */
	open(mode, text = '') {
		if (!this.game.connection.playing) return;
		this.game.overlays.show(this.overlay);
		this.#setMode(mode);
		this.#setText(text);
	}

	#show() {
		this.form.hidden = false;
		this.box.classList.add('open');
		this.game.input.chatting = true;
		this.history.end();
		this.log.flush();
		this.log.scrollToEnd();
		this.#hint('');
	}

	#hide() {
		this.form.hidden = true;
		this.box.classList.remove('open');
		this.game.input.chatting = false;
		this.input.value = '';
		this.input.blur();
		this.offers.replaceChildren();
		this.#hint('');
		this.log.scrollToEnd();
	}

	/** @param {string} text */
	#hint(text) {
		setText(this.hint, text);
	}

	/** @param {Mode} mode */
	#setMode(mode) {
		this.mode = mode;
		const p = mode.kind === 'whisper' ? this.game.moment?.players[mode.to ?? -1] : undefined;
		setText(this.modeButton, mode.kind === 'all' ? 'All' : mode.kind === 'team' ? 'Team' : `To ${clean(p?.name ?? '') || `(${mode.to})`}`);
		this.modeButton.className = `mode ${mode.kind}`;
		this.modeButton.title = 'Who reads the line. Click to change.';
		this.input.focus();
	}

	/** @returns {Mode} */
	#nextMode() {
		if (this.mode.kind === 'all') return { kind: 'team' };
		return this.mode.kind === 'team' && this.partner >= 0 ? { kind: 'whisper', to: this.partner } : { kind: 'all' };
	}

	/** @param {string} text @param {number} [cursor] */
	#setText(text, cursor = text.length) {
		this.input.value = text;
		this.input.setSelectionRange(cursor, cursor);
		this.#typed(false);
	}

	/** Shows what goes with the text. @param {boolean} composing whether the text may still change */
	#typed(composing) {
		const { value } = this.input;
		if (!composing && count(value) > this.limit) {
			this.#setText(cut(value, this.limit));
			return;
		}
		const left = this.limit - count(value);
		setText(this.left, left <= NEAR ? String(left) : '');
		this.left.classList.toggle('none', left <= 0);
		this.#offer(value);
	}

	/** Shows the commands that begin with the text, or the parameters of the one that is typed. @param {string} text */
	#offer(text) {
		const [, name, space] = /^\/(\S*)(\s?)/u.exec(text) ?? [], known = name ? this.commands.get(name) : undefined;
		const offered = name === undefined ? [] : !space ? this.commands.find(name, OFFERS) : known ? [known] : [];
		this.offers.replaceChildren(...offered.map((c) => {
			const li = make('li'), b = make('button');
			b.type = 'button';
			b.tabIndex = -1;
			b.append(make('b', '', `/${c.name}`), ' ', make('span', 'params', readable(c.params)), ' ', make('span', 'help', c.help));
			b.addEventListener('click', () => {
				if (!space) this.#setText(`/${c.name} `);
				this.input.focus();
			});
			li.append(b);
			return li;
		}));
		if (name && !this.commands.size && !space) this.#hint('This server lists no commands.');
		else if (this.hint.textContent) this.#hint('');
	}

	/** @param {KeyboardEvent} e */
	#key(e) {
		if (e.code !== 'Escape' || e.isComposing) e.stopPropagation();
		if (e.isComposing || e.target !== this.input) return;
		if (e.key === 'Tab') {
			const next = this.completion.next(this.input.value, this.input.selectionStart ?? 0, e.shiftKey ? -1 : 1,
				(text, cursor) => completions(text, cursor, { players: this.others, commands: this.commands, partner: this.partner }));
			if (next) this.#setText(next.text, next.cursor);
		} else if (e.key === 'ArrowUp') this.#setText(this.history.move(-1, this.input.value));
		else if (e.key === 'ArrowDown') this.#setText(this.history.move(1, this.input.value));
		else if (e.key === 'PageUp' || e.key === 'PageDown') this.log.box.scrollBy({ top: (e.key === 'PageUp' ? -0.8 : 0.8) * this.log.box.clientHeight });
		else return;
		e.preventDefault();
	}

	#send() {
		const { connection, overlays } = this.game, line = this.input.value.trim();
		if (!line) {
			overlays.close();
			return;
		}
		const out = outgoing(line, this.mode, { players: this.others, commands: this.commands, partner: this.partner });
		if (out.error !== undefined) {
			this.#hint(out.error);
			return;
		}
		const { action, params } = out, send = () => connection.act(action, ...params);
		if (action === 'command') send();
		else if (!this.queue.add(line, performance.now(), send)) {
			this.#hint('Three lines wait already, as servers drop lines that come too fast.');
			return;
		}
		this.history.add(line);
		overlays.close();
	}

	/** Keeps the line above the keyboard of a phone. */
	#placeAboveKeyboard() {
		const v = visualViewport;
		if (v) this.box.style.setProperty('--keyboard', `${Math.max(0, Math.round(innerHeight - v.height - v.offsetTop))}px`);
	}

	update() {
		this.log.age();
		const now = performance.now();
		this.queue.step(now);
		const wait = this.queue.wait(now);
		if (wait > 0) this.#hint(`Your line is sent in ${Math.ceil(wait / 1000)} s: servers drop lines that come too fast.`);
		else if (this.hint.textContent?.startsWith('Your line')) this.#hint('');
	}

	/** Forgets what belongs to the server. The lines stay. */
	#reset() {
		this.commands.clear();
		this.queue.clear();
		this.partner = -1;
		this.limit = LIMIT;
		this.#hint('');
	}
}
