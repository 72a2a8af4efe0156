/**
 * The card with which a player joins. It also says why a match has ended, and joins again after a
 * lost connection.
 *
 * @module
 */

import { button, make, setText } from '../../viewer/page/dom.js';
import { loadServerInfo, playersText } from '../../viewer/page/serverinfo.js';
import { explain, explainCrash, obstacle } from './ends.js';
import { NAME_BYTES, PASSWORD_BYTES, limitBytes, playerOf, withLimit } from './player.js';
import { Rejoin } from './rejoin.js';
import { SKINS, skinOf, standardIndex } from './skins.js';

/** The time between two requests for the server's description while the card is open, in ms. */
const INFO_EVERY = 5000;

/** The length of the code by which the server knows a player again whose connection was lost. */
const TIMEOUT_CODE = 16;

/** The time after which a player who is back has the old seat, if the server has kept it, in ms. */
const SEATED = 1000;

/** The path of an arrow to the left and to the right, as in ICON. */
const LEFT = 'M15 5l-8 7 8 7z', RIGHT = 'M9 5l8 7-8 7z';

/** @typedef {import('./ends.js').End} End */

/** @implements {import('./game.js').Part} */
export class Card {
	/** @param {import('./game.js').Game} game */
	constructor(game) {
		this.game = game;
		/** The server's description. @type {import('../../viewer/page/serverinfo.js').ServerInfo | null} */
		this.info = null;
		/** Whether the server has described itself, or does not: the version to speak depends on it. */
		this.asked = false;
		/** Whether the server has not answered the last request for its description. */
		this.gone = false;
		/** Why the last match has ended. @type {End | null} */
		this.end = null;
		/** Whether the player has been in the match of the last connection. */
		this.entered = false;
		this.enteredAt = 0;
		/** Whether the player ends the connection. */
		this.closing = false;
		/** The player of the last connection. @type {import('../engine/engine.js').Player | null} */
		this.joinedAs = null;
		/** The team in the match, and the one to join after a lost connection; null for none. @type {number | null} */
		this.team = null;
		/** @type {number | null} */
		this.oldTeam = null;
		this.rejoin = new Rejoin(() => this.#join(), async () => (await this.refresh()) !== null);
		this.rejoin.oncount = (seconds) => setText(this.count, seconds < 0 ? 'Connecting again.' : `Connecting again in ${seconds} s.`);
		this.#build();
		this.overlay = {
			name: 'card', pinned: true,
			show: () => this.#opened(true),
			hide: () => this.#opened(false),
		};
		this.#listen();
		game.program.onchange = () => this.#update();
		setInterval(() => { if (this.game.overlays.open && !document.hidden) this.refresh(); }, INFO_EVERY); // the frame shows it
		addEventListener('pagehide', () => this.#close());
		this.show(null);
		this.refresh();
	}

	/** Creates the elements. */
	#build() {
		const { settings } = this.game;
		this.box = make('form');
		this.box.id = 'card';
		this.box.autocomplete = 'off';
		this.server = make('h1');
		this.facts = make('p', 'facts');
		this.match = make('span');
		this.players = make('span');
		this.facts.append(this.match, ' ', this.players);
		this.title = make('h2');
		this.text = make('p', 'why');
		this.count = make('p', 'count');
		this.cancel = make('button', 'cancel', 'Cancel');
		this.cancel.type = 'button';
		this.cancel.addEventListener('click', () => this.#stopRejoining());
		const ended = this.ended = make('section', 'ended');
		ended.setAttribute('role', 'alert');
		ended.append(this.title, this.text, this.count, this.cancel);

		this.picture = make('canvas', 'tee');
		this.picture.width = this.picture.height = 192;
		this.picture.setAttribute('role', 'img');
		const look = make('button', 'look');
		look.type = 'button';
		look.title = 'Change name and look';
		look.setAttribute('aria-label', look.title);
		look.append(this.picture);
		look.addEventListener('click', () => this.game.menu.open('Player'));
		const chooser = make('div', 'chooser');
		chooser.append(button('Previous skin', LEFT, () => this.#stepSkin(-1)), look, button('Next skin', RIGHT, () => this.#stepSkin(1)));
		this.name = field('Name', 'text', 'nameless tee');
		const name = withLimit(this.name, NAME_BYTES);
		this.name.value = settings.get('name');
		this.name.addEventListener('input', () => settings.set('name', this.name.value.trim()));
		this.password = limitBytes(field('Password of the server', 'password', 'password'), PASSWORD_BYTES);
		this.password.hidden = true;
		this.watch = make('a', 'watch', 'Watch');
		this.watch.href = this.game.root + '/';
		this.play = make('button', 'play', 'Play');
		this.bar = make('progress');
		this.bar.max = 1;
		this.status = make('p', 'status');
		this.status.setAttribute('role', 'status');
		this.box.append(this.server, this.facts, ended, chooser, name, this.password, this.watch, this.play, this.bar, this.status);
		this.game.stage.append(this.box);
		this.box.addEventListener('submit', (e) => {
			e.preventDefault();
			this.join();
		});
		settings.onchange((name) => {
			if (name === 'skin') this.#drawTee();
			if (name === 'name' && document.activeElement !== this.name) this.name.value = settings.get('name');
		});
	}

	#listen() {
		const { connection, settings } = this.game;
		connection.addEventListener('ended', (e) => this.#ended(/** @type {CustomEvent} */ (e).detail.reason));
		connection.addEventListener('crash', (e) => {
			this.rejoin.cancel();
			this.show(explainCrash(/** @type {CustomEvent} */ (e).detail.reason));
		});
		connection.addEventListener('entered', () => {
			this.entered = true;
			this.enteredAt = performance.now();
			this.rejoin.entered();
			connection.act('command', 'timeout', settings.get('identity').slice(0, TIMEOUT_CODE)); // with it the server gives the seat back
		});
	}

	/** The shares of the window that the card covers at its left and bottom; 0 for a card in the middle. */
	get covered() {
		if (this.box.hidden) return { left: 0, bottom: 0 };
		const r = this.box.getBoundingClientRect(), width = Math.max(1, innerWidth), height = Math.max(1, innerHeight);
		const left = r.right < width * 0.6 ? r.right / width : 0;
		return { left, bottom: left === 0 && r.top > height * 0.4 ? 1 - r.top / height : 0 };
	}

	/** Shows the card, and why a match has ended. @param {End | null} end */
	show(end) {
		this.end = end;
		this.game.overlays.show(this.overlay);
		this.#update();
		if (end?.field === 'password') this.password.select();
		else if (end?.field === 'name') this.name.select();
		else if (!matchMedia('(pointer: coarse)').matches) (this.name.value ? this.play : this.name).focus({ preventScroll: true });
		this.box.scrollTop = 0;
	}

	/** @param {boolean} on */
	#opened(on) {
		this.box.hidden = !on;
		document.body.classList.toggle('outside', on);
		document.body.classList.toggle('playing', !on);
		if (!on) return;
		this.game.watching.start();
		if (this.info?.map) this.game.watching.showMap(this.info.map);
		this.#drawTee();
	}

	#drawTee() {
		const skin = skinOf(this.game.settings), i = standardIndex(skin);
		this.picture.setAttribute('aria-label', i < 0 ? 'your own skin' : `skin ${SKINS[i].name}`);
		this.game.icons.picture(this.picture, skin);
	}

	/** Chooses the next standard skin. @param {number} by 1 or -1 */
	#stepSkin(by) {
		const n = SKINS.length, i = standardIndex(skinOf(this.game.settings));
		this.game.settings.set('skin', SKINS[i < 0 ? (by > 0 ? 0 : n - 1) : (i + by + n) % n].skin);
	}

	/** Loads the server's description, and returns it. */
	async refresh() {
		const info = await loadServerInfo(this.game.root);
		this.asked = true;
		this.gone = info === null;
		if (info) {
			this.info = info;
			this.game.head.update(info);
			if (info.map && !this.box.hidden) this.game.watching.showMap(info.map);
		}
		this.#update();
		return info;
	}

	/** Writes the texts. */
	#update() {
		const { info, game: { program } } = this, end = this.end ?? (this.asked ? obstacle(info, this.gone) : null), gone = this.gone && this.end !== null;
		setText(this.server, info?.name || location.host);
		this.facts.hidden = !info;
		setText(this.match, info?.map ? `${info.gameType} on ${info.map.name}` : '');
		setText(this.players, info ? playersText(info) : '');
		this.ended.hidden = !end;
		this.box.classList.toggle('over', end !== null);
		setText(this.title, end?.title ?? '');
		setText(this.text, end?.text ?? '');
		this.count.hidden = this.cancel.hidden = !this.rejoin.active;
		this.password.hidden = !(info?.password || end?.field === 'password');
		this.watch.hidden = !end?.watch;
		this.play.classList.toggle('second', Boolean(end?.watch || end?.lost && !this.end));
		const loading = program.progress < 1 && !program.problem, problem = this.end ? '' : info?.problem ?? '';
		this.play.disabled = loading || !this.asked || problem !== '';
		setText(this.play, program.problem ? 'Load again' : loading ? `Loading ${Math.floor(100 * program.progress)} %` : this.rejoin.active ? 'Now' : end?.again ?? 'Play');
		this.bar.hidden = !loading;
		this.bar.value = program.progress;
		setText(this.status, program.problem ? `The game cannot be loaded: ${program.problem}.` : problem || (gone && !this.rejoin.active ? 'The server does not answer.' : ''));
	}

	/** Joins as the player of the card, at a click or a key. */
	join() {
		const { program, sounds, overlays } = this.game;
		if (program.problem) {
			program.load();
			this.#update();
			return;
		}
		if (this.play.disabled || this.box.hidden) return;
		sounds.start();
		overlays.close();
		this.#join();
	}

	/** Joins, also without the player's doing after a lost connection. */
	async #join() {
		const { connection, overlays, settings } = this.game;
		if (overlays.open === this.overlay) overlays.close();
		this.entered = false;
		this.joinedAs = playerOf(settings, this.info?.ddrace ?? false, this.password.hidden ? '' : this.password.value);
		await connection.open(this.joinedAs);
	}

	/** Ends the connection at the player's wish. */
	#close() {
		this.closing = true;
		this.game.connection.close();
		this.closing = false;
	}

	/** Leaves the match. */
	leave() {
		this.rejoin.cancel();
		this.oldTeam = this.team = null;
		this.#close();
		this.show(null);
	}

	/** Leaves the match and joins it again, in the same team. */
	joinAgain() {
		this.oldTeam = this.team;
		this.#close();
		this.game.overlays.close(); // the menu, or the card that follows it
		this.#join();
	}

	/** @param {string} reason */
	async #ended(reason) {
		if (this.closing) return;
		const { entered } = this;
		if (this.oldTeam === null) this.oldTeam = this.team;
		const info = entered ? this.info : await this.refresh();
		let end = explain(reason, { entered, problem: info?.problem ?? '' });
		if (end.lost && !entered && this.end?.stays) end = this.end;
		if (!end.lost || !(entered || this.rejoin.active) || !this.rejoin.plan()) {
			this.rejoin.cancel();
			this.oldTeam = null;
		}
		this.show(end);
	}

	#stopRejoining() {
		this.rejoin.cancel();
		this.oldTeam = null;
		this.#update();
	}

	/** @param {import('../../viewer/match/types.js').Moment} m */
	update(m) {
		const { connection } = this.game, self = connection.engine?.self ?? -1, player = m.players[self];
		if (!player?.active || !connection.playing || performance.now() - this.enteredAt < SEATED) return;
		if (this.oldTeam !== null && this.oldTeam !== player.team) connection.act('team', this.oldTeam);
		this.oldTeam = null;
		this.team = player.team;
	}
}

/**
 * @param {string} label
 * @param {string} type
 * @param {string} placeholder
 */
function field(label, type, placeholder) {
	const input = make('input');
	input.type = type;
	input.placeholder = placeholder;
	input.setAttribute('aria-label', label);
	input.spellcheck = false;
	input.autocomplete = 'off';
	return input;
}
