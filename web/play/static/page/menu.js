/**
 * The menu of Escape: settings, the player, and the way out. Other parts add sections.
 *
 * @module
 */

import { make, setText } from '../../viewer/page/dom.js';
import { CLAN_BYTES, NAME_BYTES, playerOf, withLimit } from './player.js';
import { skinFields } from '../engine/engine.js';
import { canFullScreen, toggleFullScreen } from './screen.js';
import { SkinEditor } from './skineditor.js';
import { skinOf } from './skins.js';

/** How long the player may choose before a new skin or name goes to the server, in ms. */
const SETTLE = 1500;

/** The browser's storage key for the look, which the viewer's page uses, too. */
const LOOK_KEY = 'teeyard look';

export class Menu {
	/** @param {import('./game.js').Game} game */
	constructor(game) {
		this.game = game;
		const box = this.box = make('section');
		box.id = 'menu';
		box.hidden = true;
		box.setAttribute('role', 'dialog');
		box.setAttribute('aria-label', 'menu');
		this.resume = this.#action('Resume', () => game.overlays.close());
		this.resume.classList.add('main');
		this.leave = this.#action('Leave the match', () => this.#leave());
		this.full = this.#action('Full screen', () => this.#toggleFullScreen());
		const actions = make('div', 'actions');
		actions.append(this.resume, this.full, this.leave);
		this.tabs = make('div', 'tabs');
		this.tabs.setAttribute('role', 'tablist');
		this.pages = make('div', 'pages');
		box.append(actions, this.tabs, this.pages);
		game.stage.append(box);
		/** @type {{ title: string, tab: HTMLButtonElement, page: HTMLElement, match: boolean }[]} */
		this.sections = [];
		/** What the server knows of the player, to see whether it has to be told. */
		this.sent = '';
		this.timer = 0;
		this.overlay = {
			name: 'menu',
			show: () => this.#show(true),
			hide: () => this.#show(false),
			back: () => (game.connection.engine ? null : game.card.overlay),
		};
		game.overlays.menu = this.overlay;
		this.addSection('Settings', this.#settings());
		this.addSection('Player', this.#player());
		this.select('Settings');
		game.settings.onchange((name) => this.#changed(name));
		game.sounds.setVolume(game.settings.get('volume'));
	}

	/**
	 * Adds a section.
	 * @param {string} title
	 * @param {HTMLElement} element
	 * @param {boolean} [match] whether it is only for players in a match; it comes before the others
	 */
	addSection(title, element, match = false) {
		const tab = this.#action(title, () => this.select(title));
		tab.setAttribute('role', 'tab');
		element.setAttribute('role', 'tabpanel');
		element.setAttribute('aria-label', title);
		if (match) this.tabs.prepend(tab);
		else this.tabs.append(tab);
		this.pages.append(element);
		this.sections.push({ title, tab, page: element, match });
		this.select(this.selected);
	}

	/** The title of the section that is shown. */
	selected = '';

	/** Shows a section; the first one if there is none with the title. @param {string} title */
	select(title) {
		const inMatch = this.game.connection.engine !== null;
		const shown = this.sections.find((s) => s.title === title && (inMatch || !s.match)) ?? this.sections[0];
		this.selected = shown?.title ?? '';
		for (const s of this.sections) {
			s.page.hidden = s !== shown;
			s.tab.hidden = s.match && !inMatch;
			s.tab.setAttribute('aria-selected', String(s === shown));
		}
		if (shown?.title === 'Player' && !this.box.hidden) this.editor?.show();
	}

	/** Whether a section is to be seen. @param {string} title */
	shows(title) {
		return !this.box.hidden && this.selected === title;
	}

	/** Opens the menu with a section. @param {string} title */
	open(title) {
		this.game.overlays.show(this.overlay);
		this.select(title);
	}

	/** @param {boolean} on */
	#show(on) {
		const inMatch = this.game.connection.engine !== null;
		this.box.hidden = !on;
		document.body.classList.toggle('playing', !on);
		if (!on) {
			this.#send();
			return;
		}
		if (inMatch) this.game.card.refresh();
		setText(this.resume, inMatch ? 'Resume' : 'Back');
		this.full.hidden = !canFullScreen();
		setText(this.full, document.fullscreenElement ? 'Leave full screen' : 'Full screen');
		this.leave.hidden = !inMatch;
		this.#hint();
		this.select(this.selected);
		this.resume.focus();
	}

	/** @param {string} label @param {() => void} click */
	#action(label, click) {
		const b = make('button', '', label);
		b.type = 'button';
		b.addEventListener('click', click);
		return b;
	}

	#leave() {
		this.game.card.leave();
	}

	#toggleFullScreen() {
		toggleFullScreen().then(() => setText(this.full, document.fullscreenElement ? 'Leave full screen' : 'Full screen'));
	}

	/** The section Settings. */
	#settings() {
		const { game } = this, { settings } = game, box = make('div', 'rows');
		const [speed, speedRow] = slider('Sensitivity of the mouse', 0.1, 5, 0.05, settings.get('sensitivity'), (v) => settings.set('sensitivity', v));
		const [volume, volumeRow] = slider('Volume', 0, 1, 0.01, settings.get('volume'), (v) => settings.set('volume', v));
		const camera = make('input');
		camera.type = 'checkbox';
		camera.checked = settings.get('dynamicCamera');
		camera.addEventListener('change', () => settings.set('dynamicCamera', camera.checked));
		this.look = make('select');
		this.look.append(new Option('Images of the game', 'images'), new Option('Shapes of this page', 'own'));
		this.look.addEventListener('change', () => this.#setLook(this.look?.value === 'images'));
		this.lookRow = row('Look', this.look);
		const net = make('input');
		net.type = 'checkbox';
		net.checked = settings.get('netDisplay');
		net.addEventListener('change', () => settings.set('netDisplay', net.checked));
		box.append(speedRow, volumeRow, row('Camera follows the crosshair', camera), row('Ping, loss and prediction', net), this.lookRow);
		this.controls = { speed, volume, camera };
		return box;
	}

	/** @param {boolean} images */
	#setLook(images) {
		const { scene } = this.game;
		if (scene.useImages !== images) scene.toggleLook();
		localStorage.setItem(LOOK_KEY, scene.useImages ? 'images' : 'own');
	}

	/** The section Player. */
	#player() {
		const { settings } = this.game, box = make('div', 'player'), rows = make('div', 'rows');
		const text = (/** @type {'name' | 'clan'} */ key, /** @type {string} */ label, /** @type {number} */ most) => {
			const input = make('input'), limited = withLimit(input, most);
			input.spellcheck = false;
			input.value = settings.get(key);
			input.addEventListener('input', () => settings.set(key, input.value.trim()));
			rows.append(row(label, limited));
			return input;
		};
		this.name = text('name', 'Name', NAME_BYTES);
		this.clan = text('clan', 'Clan', CLAN_BYTES);
		this.hint = make('p', 'hint');
		this.again = this.#action('Join again now', () => this.game.card.joinAgain());
		const hint = make('div', 'hints');
		hint.append(this.hint, this.again);
		this.editor = new SkinEditor(this.game);
		box.append(rows, hint, this.editor.box);
		return box;
	}

	/** What the server needs to know of the player besides the skin. */
	#names() {
		const { settings } = this.game;
		return `${settings.get('name')}\n${settings.get('clan')}`;
	}

	/** Says what happens to a new name. */
	#hint() {
		const { connection, card } = this.game, joined = card.joinedAs, needed = connection.engine !== null && joined !== null && joined.version === '0.7' &&
			(joined.name !== this.game.settings.get('name') || joined.clan !== this.game.settings.get('clan'));
		if (this.hint) setText(this.hint, needed ? 'Servers of 0.7 show a new name or clan when you join again.' : '');
		if (this.again) this.again.hidden = !needed;
		if (this.lookRow && this.look) {
			this.lookRow.hidden = !this.game.scene.original;
			this.look.value = this.game.scene.useImages ? 'images' : 'own';
		}
	}

	/** @param {string} name of a setting */
	#changed(name) {
		const { settings, sounds } = this.game;
		if (name === 'volume') sounds.setVolume(settings.get('volume'));
		if (!['name', 'clan', 'skin'].includes(name)) return;
		for (const key of /** @type {const} */ (['name', 'clan'])) {
			const input = this[key];
			if (input && document.activeElement !== input) input.value = settings.get(key);
		}
		this.#hint();
		clearTimeout(this.timer);
		this.timer = setTimeout(() => this.#send(), SETTLE);
	}

	/** Tells the server of a new skin, and on DDNet's servers of a new name. */
	#send() {
		clearTimeout(this.timer);
		const { connection, card, settings } = this.game, joined = card.joinedAs;
		if (!connection.playing || !joined) return;
		const now = playerOf(settings, joined.version !== '0.7', '');
		if (joined.version !== '0.7') {
			if (now.name === joined.name && now.clan === joined.clan && String(now.skin) === String(joined.skin)) return;
			connection.act('profile', now.name, now.clan, now.country, ...skinFields(now.skin));
			Object.assign(joined, { name: now.name, clan: now.clan, skin: now.skin });
		} else if (String(now.skin) !== String(joined.skin)) {
			connection.act('skin', ...skinFields(skinOf(settings)));
			joined.skin = now.skin;
		}
	}
}

/** @param {string} label @param {HTMLElement} control */
function row(label, control) {
	const e = make('label', 'row');
	e.append(make('span', '', label), control);
	return e;
}

/**
 * A slider with a number beside it.
 * @param {string} label
 * @param {number} min
 * @param {number} max
 * @param {number} step
 * @param {number} value
 * @param {(v: number) => void} set
 * @returns {[HTMLInputElement, HTMLElement]}
 */
function slider(label, min, max, step, value, set) {
	const range = make('input'), number = make('input'), both = make('span', 'slider');
	range.type = 'range';
	number.type = 'number';
	for (const e of [range, number]) {
		Object.assign(e, { min: String(min), max: String(max), step: String(step), value: String(value) });
		e.setAttribute('aria-label', label);
		e.addEventListener('input', () => {
			const v = Number(e.value);
			if (e.value === '' || !(v >= min && v <= max)) return;
			(e === range ? number : range).value = e.value;
			set(v);
		});
	}
	both.append(range, number);
	const line = make('div', 'row');
	line.append(make('span', '', label), both);
	return [range, line];
}
