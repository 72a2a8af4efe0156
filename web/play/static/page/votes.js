/**
 * Votes: the one that runs, with an answer, and the page of the menu that calls one.
 *
 * @module
 */

import { clean } from '../../viewer/match/text.js';
import { TEAM } from '../../viewer/match/types.js';
import { make, setText } from '../../viewer/page/dom.js';
import { label } from '../input/labels.js';
import { Options } from '../talk/options.js';
import { Poll } from '../talk/poll.js';
import { cut } from '../talk/typing.js';

/** The number of options that are shown at once. */
const SHOWN = 150;

/** The longest reason of the original game, in characters. */
const REASON = 15;

/** The kinds of votes. @type {Record<'option' | 'kick' | 'spectate', string>} */
const KINDS = { option: 'Options', kick: 'Kick a player', spectate: 'Move a player to the spectators' };

/** @typedef {keyof KINDS} Kind */

/** @implements {import('./game.js').Part} */
export class Votes {
	/** @param {import('./game.js').Game} game */
	constructor(game) {
		this.game = game;
		this.options = new Options();
		this.poll = new Poll();
		/** The settings of the server; null if it has not sent any. @type {any} */
		this.settings = null;
		/** @type {Kind} */
		this.kind = 'option';
		/** The option or the client id that is chosen. @type {string | number | null} */
		this.chosen = null;
		this.drawn = '';
		this.#buildPoll();
		this.#buildPage();
		this.#listen();
		game.menu.addSection('Votes', this.page, true);
		game.keyboard.on('vote_yes', () => this.answer(1));
		game.keyboard.on('vote_no', () => this.answer(-1));
		game.keyboard.on('call_vote', () => game.menu.open('Votes'));
	}

	#buildPoll() {
		this.box = make('section');
		this.box.id = 'poll';
		this.box.hidden = true;
		this.box.setAttribute('aria-label', 'vote');
		this.what = make('p', 'what');
		this.what.setAttribute('aria-live', 'polite');
		this.reason = make('p', 'reason');
		this.bar = make('div', 'bar');
		this.yesBar = make('span', 'yes');
		this.noBar = make('span', 'no');
		this.bar.append(this.yesBar, this.noBar);
		this.bar.setAttribute('aria-hidden', 'true');
		this.yes = make('button', 'yes');
		this.no = make('button', 'no');
		this.left = make('span', 'left');
		for (const [b, choice] of /** @type {[HTMLButtonElement, number][]} */ ([[this.yes, 1], [this.no, -1]])) {
			b.type = 'button';
			b.addEventListener('click', () => this.answer(choice));
		}
		const row = make('div', 'row');
		row.append(this.yes, this.no, this.left);
		this.box.append(this.what, this.reason, this.bar, row);
		this.game.touch.box.after(this.box);
	}

	#buildPage() {
		this.page = make('form', 'votes');
		this.kinds = make('div', 'kinds');
		/** @type {Map<Kind, HTMLButtonElement>} */
		this.kindButtons = new Map();
		for (const [kind, label] of /** @type {[Kind, string][]} */ (Object.entries(KINDS))) {
			const b = make('button', '', label);
			b.type = 'button';
			b.addEventListener('click', () => this.show(kind));
			this.kindButtons.set(kind, b);
			this.kinds.append(b);
		}
		this.search = make('input');
		this.search.type = 'search';
		this.search.placeholder = 'Search';
		this.search.setAttribute('aria-label', 'search');
		this.list = make('ul', 'choices');
		this.note = make('p', 'note');
		this.note.setAttribute('role', 'status');
		this.why = make('input');
		this.why.placeholder = 'Reason';
		this.why.setAttribute('aria-label', 'reason');
		this.call = make('button', 'main', 'Call the vote');
		const row = make('div', 'row'), command = (/** @type {string} */ label, /** @type {() => void} */ click) => {
			const b = make('button', '', label);
			b.type = 'button';
			b.addEventListener('click', click);
			return b;
		};
		this.force = command('Force the vote', () => this.#force());
		row.append(this.why, this.call, this.force);
		this.decide = make('div', 'row');
		this.decide.append(...['yes', 'no'].map((choice) => command(`Force ${choice}`, () => this.game.connection.act('rcon', `vote ${choice}`))));
		this.page.append(this.kinds, this.search, this.note, this.list, row, this.decide);
		this.search.addEventListener('input', () => this.#choose(null));
		this.why.addEventListener('input', () => { if (this.why.value !== cut(this.why.value, REASON)) this.why.value = cut(this.why.value, REASON); });
		this.page.addEventListener('submit', (e) => {
			e.preventDefault();
			this.#call();
		});
		this.list.addEventListener('click', (e) => {
			const b = /** @type {Element} */ (e.target).closest('button');
			if (b) this.#choose(this.kind === 'option' ? this.shown[Number(b.value)]?.text ?? null : Number(b.value));
		});
		this.list.addEventListener('dblclick', () => this.#call());
		/** The options of the list. @type {import('../talk/options.js').Option[]} */
		this.shown = [];
	}

	#listen() {
		const { connection } = this.game;
		/** @param {string} type @param {(e: any) => void} f */
		const on = (type, f) => connection.addEventListener(type, (e) => f(/** @type {CustomEvent} */ (e).detail));
		on('vote_option_entry', (e) => this.options.update(e));
		on('vote_options_cleared', () => this.options.clear());
		on('settings', (e) => { this.settings = e; });
		on('vote_start', (e) => {
			this.poll.start({ ...e, what: clean(e.what), reason: clean(e.reason), by_name: clean(e.by_name) }, performance.now());
			this.#show();
		});
		on('vote_count', (e) => this.poll.count(e));
		on('vote_end', (e) => {
			this.poll.end(e, performance.now());
			this.#show(); // also where a picture takes longer than the result is shown
		});
		on('own_vote', (e) => { this.poll.choice = e.choice; });
		for (const type of ['ended', 'crash', 'map_loading']) {
			on(type, () => {
				this.poll.clear();
				this.options.clear();
				this.#show();
			});
		}
		for (const type of ['ended', 'crash']) on(type, () => { this.settings = null; });
	}

	/** Answers the vote that runs. @param {number} choice 1 for yes, -1 for no */
	answer(choice) {
		if (!this.poll.choose(choice)) return;
		this.game.connection.act('vote', choice);
		this.#show();
	}

	/** Shows a kind of vote in the menu. @param {Kind} kind @param {number} [id] client id of the player */
	show(kind, id) {
		this.kind = kind;
		this.search.value = '';
		this.#choose(id ?? null);
	}

	/** Opens the menu to call a vote about a player. @param {Kind} kind @param {number} id client id */
	open(kind, id) {
		this.game.menu.open('Votes');
		this.show(kind, id);
	}

	/** @param {string | number | null} chosen */
	#choose(chosen) {
		this.chosen = chosen;
		this.drawn = '';
		this.#draw();
	}

	/** Why this kind of vote is not possible; empty if it is. @param {Kind} kind */
	refusal(kind) {
		const s = this.settings, { moment } = this.game;
		if (kind === 'kick' && s && !s.vote_kick) return 'This server does not allow votes to kick players.';
		if (kind === 'spectate' && s && !s.vote_spectate) return 'This server does not allow votes to move players to the spectators.';
		if (kind === 'kick' && s && (moment?.players.filter((p) => p.active && p.team !== TEAM.SPECTATORS).length ?? 0) < s.vote_kick_min) {
			return `A vote to kick a player needs ${s.vote_kick_min} players.`;
		}
		return '';
	}

	#call() {
		const { chosen, kind } = this, { connection, overlays } = this.game, reason = this.why.value.trim();
		if (chosen === null || this.refusal(kind)) return;
		connection.act(`vote_${kind}`, chosen, reason);
		this.why.value = '';
		overlays.close();
	}

	/** Carries out what is chosen, as an operator. */
	#force() {
		const { chosen, kind } = this, { connection, overlays } = this.game;
		if (chosen === null) return;
		connection.act('rcon', 'force_vote ' + [kind, chosen, this.why.value.trim()].map((v) => `"${String(v).replace(/["\\]/g, '\\$&')}"`).join(' '));
		this.why.value = '';
		overlays.close();
	}

	/** Draws the page of the menu, if it has changed. */
	#draw() {
		const part = this.search.value.trim().toLowerCase();
		const others = this.kind === 'option' ? [] : this.game.chat.others.filter((p) => clean(p.name).toLowerCase().includes(part));
		const refused = this.refusal(this.kind);
		const drawn = `${this.kind} ${this.options.version} ${refused} ${this.search.value} ${others.map((p) => `${p.id} ${p.name}`)}`;
		if (drawn === this.drawn) return;
		this.drawn = drawn;
		for (const [kind, b] of this.kindButtons) b.setAttribute('aria-pressed', String(kind === this.kind));
		let note = refused;
		const row = (/** @type {string | number} */ value, /** @type {string} */ label, /** @type {boolean} */ on) => {
			const li = make('li'), b = make('button', '', label || '(no name)');
			b.type = 'button';
			b.value = String(value);
			b.dir = 'auto';
			b.setAttribute('aria-pressed', String(on));
			li.append(b);
			return li;
		};
		if (this.kind === 'option') {
			const { shown, found } = this.options.find(this.search.value, SHOWN);
			this.shown = shown;
			this.list.replaceChildren(...shown.map((o, i) => row(i, o.label, o.text === this.chosen)));
			if (!note && found > shown.length) note = `${found - shown.length} more: search to find them.`;
			if (!note && this.options.size === 0) note = 'This server offers no votes.';
			else if (!note && found === 0) note = 'No option has these words.';
		} else {
			this.list.replaceChildren(...others.map((p) => row(p.id, `${clean(p.name)} (${p.id})`, p.id === this.chosen)));
			if (!note && others.length === 0) note = 'There is no other player.';
		}
		setText(this.note, note);
		this.call.disabled = this.chosen === null || refused !== '';
	}

	/** Shows the vote that runs. */
	#show() {
		const { poll } = this, now = performance.now();
		poll.step(now);
		this.box.hidden = poll.state === 'none';
		if (this.box.hidden) return;
		const running = poll.state === 'running';
		setText(this.what, running ? `${poll.by ? `${poll.by}: ` : ''}${poll.what}` : poll.result);
		setText(this.reason, running && poll.reason ? `Reason: ${poll.reason}` : '');
		const total = Math.max(poll.total, poll.yes + poll.no, 1);
		this.yesBar.style.width = `${poll.yes * 100 / total}%`;
		this.noBar.style.width = `${poll.no * 100 / total}%`;
		setText(this.yes, `Yes ${poll.yes}${this.#key('vote_yes')}`);
		setText(this.no, `No ${poll.no}${this.#key('vote_no')}`);
		this.yes.setAttribute('aria-pressed', String(poll.choice > 0));
		this.no.setAttribute('aria-pressed', String(poll.choice < 0));
		this.yes.disabled = this.no.disabled = !running;
		setText(this.left, running ? `${poll.left(now)} s` : '');
	}

	/** The key of an action, for a button. @param {string} action */
	#key(action) {
		const [code] = this.game.actions.bindings.codes(action);
		return code && !document.body.classList.contains('touching') ? ` (${label(code)})` : '';
	}

	update() {
		this.#show();
		if (!this.game.menu.shows('Votes')) return;
		this.force.hidden = !this.game.rcon.on;
		this.force.disabled = this.chosen === null;
		this.decide.hidden = !this.game.rcon.on || this.poll.state !== 'running';
		this.#draw();
	}
}
