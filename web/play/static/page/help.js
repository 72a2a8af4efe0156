/**
 * The help: the keys as they are bound now, and what sticks and fingers do.
 *
 * @module
 */

import { make } from '../../viewer/page/dom.js';
import { GROUPS } from '../input/bindings.js';
import { label } from '../input/labels.js';

/** Keys and what they do. @typedef {[string[], string]} Row */

/** What the sticks of a gamepad do. @type {Row[]} */
const STICKS = [[['Left stick'], 'Move'], [['Right stick'], 'Aim']];

/** What fingers do. @type {Row[]} */
const FINGERS = [
	[['Left thumb'], 'Move: put it anywhere on the left, and drag.'],
	[['Right thumb'], 'Aim: drag. Beyond the ring it fires, and so does a tap.'],
	[['Hook'], 'Hold it to hook where you aim. Drag it to hook another way.'],
	[['Hook and fire'], 'Hold the hook with a finger, and aim with the thumb.'],
	[['Menu', 'Touch'], 'Move the controls, or fire with a button.'],
];

export class Help {
	/** @param {import('./game.js').Game} game */
	constructor(game) {
		this.game = game;
		this.box = make('section');
		this.box.id = 'keyhelp';
		this.box.hidden = true;
		this.box.tabIndex = -1;
		this.box.setAttribute('role', 'dialog');
		this.box.setAttribute('aria-label', 'keys');
		game.stage.append(this.box);
		this.overlay = {
			name: 'help',
			show: () => this.#show(),
			hide: () => { this.box.hidden = true; },
			back: () => (game.connection.engine ? null : game.card.overlay),
		};
		game.keyboard.on('help', () => {
			if (game.overlays.open === this.overlay) game.overlays.close();
			else this.open();
		});
	}

	/** Shows the help. */
	open() {
		this.game.overlays.show(this.overlay);
	}

	#show() {
		const { game } = this, { bindings } = game.actions, body = make('div', 'columns');
		if (game.touch.active) body.append(section('Fingers', FINGERS));
		/** @type {(actions: import('../input/bindings.js').Action[], pad: boolean) => Row[]} */
		const rows = (actions, pad) => actions.map((a) => [bindings.codes(a.name).filter((code) => code.startsWith('Pad') === pad).map(label), a.label]);
		if (!game.touch.active || matchMedia('(any-pointer: fine)').matches) {
			for (const [group, actions] of Object.entries(GROUPS)) {
				body.append(section(group, [.../** @type {Row[]} */ (group === 'Page' ? [[['Esc'], 'Menu']] : []), ...rows(actions, false)]));
			}
		}
		if (game.gamepads.number > 0) body.append(section('Gamepad', [...STICKS, ...rows(Object.values(GROUPS).flat(), true)]));
		const close = make('button', 'main', 'Close'), change = make('button', '', 'Change the keys'), head = make('div', 'head');
		close.type = change.type = 'button';
		close.addEventListener('click', () => game.overlays.close());
		change.addEventListener('click', () => game.menu.open(game.touch.active && navigator.maxTouchPoints > 0 ? 'Touch' : 'Keys'));
		if (game.touch.active) change.textContent = 'Change the controls';
		head.append(make('h2', '', game.touch.active ? 'Controls' : 'Keys'), change, close);
		this.box.replaceChildren(head, body);
		this.box.hidden = false;
		this.box.focus();
	}
}

/**
 * A list of keys and what they do. Rows without a key are left out.
 * @param {string} title
 * @param {Row[]} rows
 */
function section(title, rows) {
	const box = make('section'), list = make('dl');
	for (const [keys, what] of rows) {
		if (keys.length === 0) continue;
		const dt = make('dt');
		for (const k of keys) dt.append(make('kbd', '', k));
		list.append(dt, make('dd', '', what));
	}
	box.append(make('h3', '', title), list);
	return box;
}
