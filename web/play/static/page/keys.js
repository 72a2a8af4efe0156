/**
 * The sections of the menu for keys and for touch.
 *
 * @module
 */

import { make, setText } from '../../viewer/page/dom.js';
import { ACTIONS, GROUPS } from '../input/bindings.js';
import { label, readLayout } from '../input/labels.js';
import { TouchEditor } from './touchedit.js';

export class Keys {
	/** @param {import('./game.js').Game} game */
	constructor(game) {
		this.game = game;
		this.bindings = game.actions.bindings;
		this.box = make('div', 'keys');
		this.said = make('p', 'hint');
		this.said.setAttribute('role', 'status');
		this.reset = button('All keys as at first', () => {
			this.bindings.reset();
			setText(this.said, 'All keys are as at first.');
		});
		/** The cells with the keys, by action. @type {Record<string, HTMLElement>} */
		this.cells = {};
		this.box.append(make('p', 'hint', 'Press + to add a key, a button of the mouse or a gamepad, or the wheel. Press a key here to take it away.'), this.said);
		for (const [group, actions] of Object.entries(GROUPS)) {
			const rows = make('div', 'rows');
			for (const { name, label } of actions) {
				const row = make('div', 'row');
				row.append(make('span', '', label), this.cells[name] = make('span', 'codes'));
				rows.append(row);
			}
			this.box.append(make('h3', '', group), rows);
		}
		this.box.append(this.reset);
		this.pane = this.#pane();
		game.keyboard.on('menu', () => game.overlays.escape());
		game.menu.addSection('Keys', this.box);
		if (navigator.maxTouchPoints > 0) game.menu.addSection('Touch', this.#touch());
		game.settings.onchange((name) => { if (name === 'keys') this.update(); });
		readLayout().then(() => this.update());
		this.update();
	}

	/** Shows the keys as they are bound now. */
	update() {
		for (const { name, label: what } of Object.values(ACTIONS)) {
			this.cells[name].replaceChildren(...this.bindings.codes(name).map((code) => {
				const key = button(label(code), () => {
					this.bindings.free(code);
					setText(this.said, `${label(code)} does nothing now.`);
				});
				key.title = `Take ${label(code)} away`;
				return key;
			}), this.#add(name, what));
		}
		this.reset.disabled = !this.bindings.changed;
	}

	/** @param {string} name @param {string} what */
	#add(name, what) {
		const add = button('+', () => this.capture(name));
		add.className = 'add';
		add.setAttribute('aria-label', `Add a key: ${what}`);
		return add;
	}

	/** Binds the next key or button to an action. @param {string} name */
	capture(name) {
		const { actions } = this.game;
		setText(this.asked, ACTIONS[name].label);
		this.pane.hidden = false;
		actions.capture = (code) => {
			this.#endCapture();
			if (code === 'Escape') return;
			const before = this.bindings.action(code), lost = this.bindings.bind(name, code);
			if (this.bindings.action(code) !== name) setText(this.said, `${label(code)} cannot be bound.`);
			else if (before === name) setText(this.said, `${label(code)} has been ${ACTIONS[name].label} before.`);
			else setText(this.said, `${label(code)} is ${ACTIONS[name].label} now${lost ? `, and no longer ${ACTIONS[lost].label}` : ''}.`);
		};
	}

	#endCapture() {
		this.game.actions.capture = null;
		this.pane.hidden = true;
	}

	/** What covers the page while a key is awaited, so that a click of the mouse presses nothing else. */
	#pane() {
		const pane = make('div'), box = make('div'), cancel = button('Cancel', () => {});
		pane.id = 'capture';
		pane.hidden = true;
		this.asked = make('strong');
		cancel.addEventListener('pointerdown', (e) => {
			e.preventDefault();
			this.#endCapture();
		});
		box.append(this.asked, make('p', '', 'Press a key or a button, or turn the wheel. Escape cancels.'), cancel);
		pane.append(box);
		pane.addEventListener('contextmenu', (e) => e.preventDefault());
		this.game.stage.append(pane);
		return pane;
	}

	/** The section for touch. */
	#touch() {
		const { settings, overlays, touch } = this.game, box = make('div', 'rows');
		this.editor = new TouchEditor(this.game, touch);
		const { editor } = this, fire = make('select'), size = make('input'), shake = make('input');
		fire.append(new Option('Beyond the ring, or a tap', 'ring'), new Option('With a button', 'button'));
		fire.addEventListener('change', () => settings.set('touchFire', fire.value === 'button' ? 'button' : 'ring'));
		Object.assign(size, { type: 'range', min: '0.8', max: '1.5', step: '0.05' });
		size.addEventListener('input', () => settings.set('touchSize', Number(size.value)));
		shake.type = 'checkbox';
		shake.addEventListener('change', () => settings.set('vibration', shake.checked));
		const show = () => {
			fire.value = settings.get('touchFire');
			size.value = String(settings.get('touchSize'));
			shake.checked = settings.get('vibration');
		};
		settings.onchange(show);
		show();
		const move = button('Move the controls', () => {
			touch.start();
			overlays.show(editor.overlay);
		});
		box.append(row('Fire', fire), row('Size of the controls', size));
		if ('vibrate' in navigator) box.append(row('Buttons shake', shake));
		const buttons = make('div', 'buttons');
		buttons.append(move, button('Controls as at first', () => editor.reset()));
		box.append(buttons);
		return box;
	}
}

/** @param {string} text @param {() => void} click */
function button(text, click) {
	const b = make('button', '', text);
	b.type = 'button';
	b.addEventListener('click', click);
	return b;
}

/** @param {string} text @param {HTMLElement} control */
function row(text, control) {
	const box = make('label', 'row');
	box.append(make('span', '', text), control);
	return box;
}
