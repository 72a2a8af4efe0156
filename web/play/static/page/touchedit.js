/**
 * Moving the touch controls.
 *
 * @module
 */

import { make } from '../../viewer/page/dom.js';
import { placeKey } from './touchplaces.js';

export class TouchEditor {
	/** The control that is dragged, its finger, and the way from the finger to its centre. @type {{ name: string, id: number, dx: number, dy: number } | null} */
	#drag = null;

	/**
	 * @param {import('./game.js').Game} game
	 * @param {import('./touch.js').Touch} touch
	 */
	constructor(game, touch) {
		this.game = game;
		this.touch = touch;
		this.bar = make('div');
		this.bar.id = 'touchbar';
		this.bar.hidden = true;
		const done = button('Done', () => game.overlays.close()), reset = button('Reset', () => this.reset());
		done.classList.add('main');
		this.bar.append(make('span', '', 'Drag the controls to where your thumbs are.'), reset, done);
		game.stage.append(this.bar);
		this.overlay = { name: 'touch controls', show: () => this.#show(true), hide: () => this.#show(false) };
		const { box } = touch;
		box.addEventListener('pointerdown', (e) => this.#down(e), { capture: true });
		box.addEventListener('pointermove', (e) => this.#move(e), { capture: true });
		for (const type of /** @type {const} */ (['pointerup', 'pointercancel'])) box.addEventListener(type, (e) => this.#up(e), { capture: true });
	}

	/** Puts all controls back to their usual places. */
	reset() {
		this.game.settings.set('touch', {});
		this.game.settings.set('touchSize', 1);
	}

	/** @param {boolean} on */
	#show(on) {
		this.bar.hidden = !on;
		this.touch.editing = on;
		this.touch.box.classList.toggle('editing', on);
		this.touch.update();
	}

	/** @param {PointerEvent} e */
	#down(e) {
		if (!this.touch.editing) return;
		e.stopPropagation();
		const at = /** @type {HTMLElement} */ (e.target).closest('[data-control]');
		if (this.#drag || !(at instanceof HTMLElement)) return;
		const r = at.getBoundingClientRect();
		this.#drag = { name: at.dataset.control ?? '', id: e.pointerId, dx: r.x + r.width / 2 - e.clientX, dy: r.y + r.height / 2 - e.clientY };
		this.touch.box.setPointerCapture(e.pointerId);
	}

	/** @param {PointerEvent} e */
	#move(e) {
		const drag = this.#drag, { settings } = this.game;
		if (!drag || drag.id !== e.pointerId) return;
		e.stopPropagation();
		const box = this.touch.box.getBoundingClientRect(), part = (/** @type {number} */ v) => Math.round(Math.min(Math.max(v, 0), 1) * 1e4) / 1e4;
		settings.set('touch', {
			...settings.get('touch'),
			[placeKey(drag.name, this.touch.screen)]: [part((e.clientX + drag.dx - box.left) / box.width), part((e.clientY + drag.dy - box.top) / box.height)],
		});
	}

	/** @param {PointerEvent} e */
	#up(e) {
		if (this.#drag?.id === e.pointerId) this.#drag = null;
	}
}

/** @param {string} label @param {() => void} click */
function button(label, click) {
	const b = make('button', '', label);
	b.type = 'button';
	b.addEventListener('click', click);
	return b;
}
