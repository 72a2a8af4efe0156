/**
 * The remote console for operators: the login, the lines of the server, and a line for commands.
 *
 * @module
 */

import { clean } from '../../viewer/match/text.js';
import { make } from '../../viewer/page/dom.js';
import { Commands, readable } from '../talk/commands.js';
import { Maps, commandStart, consoleCompletions, typedCommand } from '../talk/console.js';
import { Completion, History } from '../talk/typing.js';

/** The number of kept lines, and their longest length. */
const MOST = 1000, LONGEST = 1024;

/** The number of lines that the arrow keys find, and of commands that are shown while one is typed. */
const REMEMBERED = 100, OFFERS = 8;

/** The time between two changes of the page, in ms. */
const EVERY = 60;

/** @implements {import('./game.js').Part} */
export class Rcon {
	/** @param {import('./game.js').Game} game */
	constructor(game) {
		this.game = game;
		this.commands = new Commands();
		this.maps = new Maps();
		this.history = new History(REMEMBERED);
		this.completion = new Completion();
		this.on = false;
		/** The lines that wait. @type {string[]} */
		this.pending = [];
		this.timer = 0;
		this.overlay = { name: 'rcon', show: () => this.#show(), hide: () => this.#hide() };
		this.#build();
		this.#listen();
		game.keyboard.on('rcon', () => this.#toggle());
	}

	#build() {
		this.box = make('section');
		this.box.id = 'rcon';
		this.box.hidden = true;
		this.box.setAttribute('role', 'dialog');
		this.box.setAttribute('aria-label', 'remote console');
		this.lines = make('pre');
		this.lines.tabIndex = 0;
		this.lines.setAttribute('role', 'log');
		this.offers = make('ul', 'offers');
		// Nothing submits this form: browsers would offer to store the password.
		this.login = make('form', 'row');
		this.login.autocomplete = 'off';
		this.login.addEventListener('submit', (e) => e.preventDefault());
		this.name = make('input');
		this.name.placeholder = 'Name';
		this.name.hidden = true;
		this.password = make('input');
		this.password.type = 'password';
		this.password.placeholder = 'Password';
		const enter = make('button', '', 'Log in');
		enter.type = 'button';
		enter.addEventListener('click', () => this.#logIn());
		this.login.append(this.name, this.password, enter);
		this.line = make('input');
		this.line.hidden = true;
		this.line.placeholder = 'Command';
		for (const [e, label] of /** @type {[HTMLInputElement, string][]} */ ([[this.name, 'name'], [this.password, 'password'], [this.line, 'command']])) {
			e.autocomplete = 'off';
			e.autocapitalize = 'off';
			e.spellcheck = false;
			e.setAttribute('aria-label', label);
		}
		const close = make('button', 'close', 'Close');
		close.type = 'button';
		close.addEventListener('click', () => this.game.overlays.close());
		this.box.append(this.lines, this.offers, this.login, this.line, close);
		this.game.stage.append(this.box);
		this.box.addEventListener('keydown', (e) => this.#key(e));
		this.line.addEventListener('input', () => this.#offer());
	}

	#listen() {
		const { connection } = this.game;
		/** @param {string} type @param {(e: any) => void} f */
		const on = (type, f) => connection.addEventListener(type, (e) => f(/** @type {CustomEvent} */ (e).detail));
		on('rcon_type', (e) => { this.name.hidden = !e.name_required; });
		on('rcon_auth', (e) => this.#authorized(e.on));
		on('rcon_line', (e) => this.print(e.text));
		on('rcon_command', (e) => {
			this.commands.update(e);
			this.#schedule();
		});
		on('map_entry', (e) => this.maps.update(e));
		on('failed', (e) => { if (e.do.startsWith('rcon')) this.print(e.text); });
		for (const type of ['ended', 'crash']) {
			on(type, () => {
				this.name.hidden = true;
				this.password.value = '';
				if (this.on) this.#authorized(false);
			});
		}
	}

	/** @param {boolean} on */
	#authorized(on) {
		this.on = on;
		this.login.hidden = on;
		this.line.hidden = !on;
		this.line.value = '';
		this.offers.replaceChildren();
		if (!on) {
			this.commands.clear();
			this.maps.clear();
		}
		if (this.game.overlays.open === this.overlay) this.#focus();
	}

	#logIn() {
		const password = this.password.value;
		this.password.value = '';
		if (password) this.game.connection.act('rcon_login', this.name.hidden ? '' : this.name.value, password);
	}

	/** Adds a line of the server. @param {string} text */
	print(text) {
		this.pending.push(clean(text.slice(0, LONGEST)));
		if (this.pending.length > MOST) this.pending.shift();
		this.#schedule();
	}

	#schedule() {
		if (!this.box.hidden) this.timer ||= setTimeout(() => this.flush(), EVERY);
	}

	/** Puts what has come onto the page. */
	flush() {
		clearTimeout(this.timer);
		this.timer = 0;
		const { lines, pending } = this;
		this.#offer();
		if (pending.length === 0) return;
		const atEnd = lines.scrollHeight - lines.scrollTop - lines.clientHeight < 8;
		for (let over = lines.childNodes.length + pending.length - MOST; over > 0; over--) lines.firstChild?.remove();
		lines.append(...pending.map((text) => document.createTextNode(text + '\n')));
		pending.length = 0;
		if (atEnd) lines.scrollTop = lines.scrollHeight;
	}

	#toggle() {
		if (this.game.overlays.open === this.overlay) this.game.overlays.close();
		else this.open();
	}

	/** Opens the console, unless the card is open. */
	open() {
		const { overlays, connection } = this.game;
		if (connection.playing && !overlays.open?.pinned) overlays.show(this.overlay);
	}

	#show() {
		this.box.hidden = false;
		this.history.end();
		this.flush();
		this.lines.scrollTop = this.lines.scrollHeight;
		this.#focus();
	}

	#hide() {
		this.box.hidden = true;
		this.password.value = '';
	}

	#focus() {
		if (this.on) this.line.focus();
		else (this.name.hidden ? this.password : this.name).focus();
	}

	/** @param {KeyboardEvent} e */
	#key(e) {
		if (e.code !== 'Escape' && !/^F\d+$/.test(e.code) || e.isComposing) e.stopPropagation();
		if (e.isComposing) return;
		if (e.code === 'Backquote' && e.target instanceof HTMLInputElement && e.target.value === '') {
			e.preventDefault();
			this.game.overlays.close();
		} else if (e.key === 'Enter' && (e.target === this.name || e.target === this.password)) {
			e.preventDefault();
			this.#logIn();
		}
		else if (e.target === this.line) this.#typing(e);
	}

	/** @param {KeyboardEvent} e */
	#typing(e) {
		const { line } = this;
		if (e.key === 'Enter') this.#send();
		else if (e.key === 'Tab') {
			const next = this.completion.next(line.value, line.selectionStart ?? 0, e.shiftKey ? -1 : 1,
				(text, cursor) => consoleCompletions(text, cursor, this.commands, this.maps));
			if (next) this.#setText(next.text, next.cursor);
		} else if (e.key === 'ArrowUp') this.#setText(this.history.move(-1, line.value));
		else if (e.key === 'ArrowDown') this.#setText(this.history.move(1, line.value));
		else if (e.key === 'PageUp' || e.key === 'PageDown') this.lines.scrollBy({ top: (e.key === 'PageUp' ? -0.8 : 0.8) * this.lines.clientHeight });
		else return;
		e.preventDefault();
	}

	/** @param {string} text @param {number} [cursor] */
	#setText(text, cursor = text.length) {
		this.line.value = text;
		this.line.setSelectionRange(cursor, cursor);
		this.#offer();
	}

	#send() {
		const text = this.line.value.trim();
		if (!text) return;
		this.history.add(text);
		this.print(`> ${text}`);
		this.game.connection.act('rcon', text);
		this.#setText('');
	}

	/** Shows the commands that the line can become, or the parameters of the one that is typed. */
	#offer() {
		const { value } = this.line, start = commandStart(value), typed = typedCommand(value, this.commands);
		const offered = typed ? [typed] : value.slice(start) && !value.slice(start).includes(' ') ? this.commands.find(value.slice(start), OFFERS) : [];
		this.offers.replaceChildren(...offered.map((c) => {
			const li = make('li');
			li.append(make('b', '', c.name), ' ', make('span', 'params', readable(c.params)), ' ', make('span', 'help', c.help));
			return li;
		}));
	}
}
