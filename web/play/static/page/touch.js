/**
 * The touch controls: a stick for the left thumb, a stick that aims for the right thumb, and
 * buttons. They appear on phones and tablets, and elsewhere at the first touch.
 *
 * @module
 */

import { make, setIcon } from '../../viewer/page/dom.js';
import { AimStick, MoveStick } from '../input/sticks.js';
import { canFullScreen } from './screen.js';
import { ICONS } from './touchicons.js';
import { place, radius } from './touchplaces.js';

/** A touch of the aim that is shorter and moves less shoots once, in ms. */
const TAP = 180;

/** A finger aims beyond this distance, in pixels. */
const DEAD = 9;

/** A hook that is thrown this short before the finger aims is thrown again, in ms. */
const THROW_AGAIN = 220;

/** The duration of a shake, in ms. */
const SHAKE = 8;

/** The buttons and their names for readers of screens. @type {Record<string, string>} */
const BUTTONS = {
	jump: 'jump', hook: 'hook', fire: 'fire', next_weapon: 'next weapon',
	menu: 'menu', emote: 'emoticons', chat: 'chat', scoreboard: 'scoreboard', fullscreen: 'full screen',
};

/** The buttons that act when the finger is lifted: browsers demand it for keyboard and full screen. */
const TAPPED = new Set(['menu', 'emote', 'chat', 'fullscreen']);

/**
 * A finger on the screen.
 * @typedef {object} Finger
 * @property {string} control
 * @property {number} at time of the touch
 */

/** @implements {import('./game.js').Part} */
export class Touch {
	/** The fingers by pointer id. @type {Map<number, Finger>} */
	#fingers = new Map();
	/** @type {Record<string, HTMLElement>} */
	#controls = {};

	/** @param {import('./game.js').Game} game */
	constructor(game) {
		this.game = game;
		this.box = make('div');
		this.box.id = 'touch';
		this.box.hidden = true;
		this.move = new MoveStick(1);
		this.aim = new AimStick(1, DEAD);
		this.hook = new AimStick(1, DEAD);
		for (const name of ['move', 'aim']) {
			const ring = this.#controls[name] = make('div', 'stick');
			ring.append(make('i'));
		}
		for (const [name, label] of Object.entries(BUTTONS)) {
			const b = this.#controls[name] = make('div', 'button');
			b.setAttribute('role', 'button');
			b.setAttribute('aria-label', label);
			setIcon(b, ICONS[name]);
		}
		for (const [name, e] of Object.entries(this.#controls)) e.dataset.control = name;
		this.turn = make('p', 'turn', 'Turn the phone to see more.');
		this.box.append(...Object.values(this.#controls), this.turn);
		game.canvas.after(this.box);
		this.#listen();
		game.settings.onchange(() => this.layout());
		addEventListener('resize', () => this.layout());
		document.addEventListener('fullscreenchange', () => this.layout());
		/** Whether the controls are shown during the match. */
		this.active = false;
		/** Whether the player moves the controls. */
		this.editing = false;
		if (matchMedia('(pointer: coarse)').matches) this.start();
		addEventListener('touchstart', () => this.start(), { passive: true });
	}

	/** Shows the controls from now on. */
	start() {
		if (this.active) return;
		this.active = true;
		document.body.classList.add('touching');
		this.update();
		this.layout();
	}

	/** Hides the controls while something else is open. */
	update() {
		const { game } = this, m = game.moment;
		const hidden = !this.editing && (!this.active || !game.input.enabled || !game.connection.engine);
		if (hidden && !this.box.hidden) this.releaseAll();
		if (this.box.hidden !== hidden) {
			this.box.hidden = hidden;
			this.layout();
		}
		this.box.classList.toggle('watching', m?.view.spectating ?? false);
	}

	/** Places the controls. */
	layout() {
		if (this.box.hidden) return;
		const { settings } = this.game, size = settings.get('touchSize'), screen = this.screen, style = getComputedStyle(this.box);
		const [top, right, bottom, left] = [style.paddingTop, style.paddingRight, style.paddingBottom, style.paddingLeft].map(parseFloat);
		for (const [name, e] of Object.entries(this.#controls)) {
			const [x, y] = place(name, screen, { top, right, bottom, left }, size, settings.get('touch')), r = radius(name, size);
			e.style.width = e.style.height = `${2 * r}px`;
			put(e, x - r, y - r);
			if (name === 'fire') e.hidden = settings.get('touchFire') !== 'button';
			if (name === 'fullscreen') e.hidden = !canFullScreen() || document.fullscreenElement !== null;
		}
		[this.move.radius, this.aim.radius, this.hook.radius] = ['move', 'aim', 'aim'].map((name) => radius(name, size));
		this.#rest('move');
		this.#rest('aim');
	}

	#listen() {
		const { box } = this;
		box.addEventListener('pointerdown', (e) => this.#down(e));
		box.addEventListener('pointermove', (e) => this.#moved(e));
		for (const type of /** @type {const} */ (['pointerup', 'pointercancel', 'lostpointercapture'])) box.addEventListener(type, (e) => this.#up(e));
		// Neither a click of the mouse nor a menu, a selection, or another size of the page.
		for (const type of ['touchstart', 'touchmove', 'touchend', 'contextmenu', 'selectstart', 'gesturestart', 'dblclick']) {
			box.addEventListener(type, (e) => { if (e.cancelable) e.preventDefault(); }, { passive: false });
		}
	}

	/** The control of a touch: a button, or the nearer stick. @param {PointerEvent} e */
	#controlAt(e) {
		const at = /** @type {HTMLElement} */ (e.target).closest('[data-control]'), name = at instanceof HTMLElement ? at.dataset.control ?? '' : '';
		if (BUTTONS[name]) return name;
		const [move, aim] = ['move', 'aim'].map((n) => Math.abs(centre(this.#controls[n])[0] - e.clientX));
		return move < aim ? 'move' : 'aim';
	}

	/** @param {PointerEvent} e */
	#down(e) {
		if (e.pointerType === 'mouse' || !this.game.input.enabled) return;
		const { game } = this, control = this.#controlAt(e), x = e.clientX, y = e.clientY;
		if ((control === 'move' || control === 'aim') && [...this.#fingers.values()].some((f) => f.control === control)) return;
		this.box.setPointerCapture(e.pointerId);
		this.#fingers.set(e.pointerId, { control, at: e.timeStamp });
		this.#controls[control].classList.add('on');
		if (control === 'move') {
			this.move.start(x, y);
			this.#draw('move', this.move);
		} else if (control === 'aim') {
			this.aim.start(x, y);
			this.#draw('aim', this.aim);
		} else {
			if (control === 'hook') this.hook.start(x, y);
			if (game.settings.get('vibration') && navigator.userActivation?.hasBeenActive) navigator.vibrate?.(SHAKE);
			if (control === 'scoreboard' && game.actions.running.has('touch scoreboard')) game.actions.end('touch scoreboard');
			else if (!TAPPED.has(control)) game.actions.begin(control, `touch ${control}`);
		}
	}

	/** @param {PointerEvent} e */
	#moved(e) {
		const finger = this.#fingers.get(e.pointerId), { actions, settings } = this.game;
		if (finger?.control === 'move') {
			const way = this.move.move(e.clientX, e.clientY);
			this.#hold('left', way < 0);
			this.#hold('right', way > 0);
			this.#draw('move', this.move);
		} else if (finger?.control === 'aim') {
			this.aim.move(e.clientX, e.clientY);
			this.#aimBy(this.aim);
			if (settings.get('touchFire') === 'ring') this.#hold('fire', this.aim.beyond);
			this.#draw('aim', this.aim);
		} else if (finger?.control === 'hook') {
			const before = this.hook.aims;
			this.hook.move(e.clientX, e.clientY);
			if (this.#fingerOn('aim')) return; // the other finger aims
			this.#aimBy(this.hook);
			if (!before && this.hook.aims && e.timeStamp - finger.at < THROW_AGAIN) {
				actions.end('touch hook');
				actions.begin('hook', 'touch hook');
			}
		}
	}

	/** @param {PointerEvent} e */
	#up(e) {
		const finger = this.#fingers.get(e.pointerId), { actions, settings } = this.game;
		if (!finger) return;
		this.#fingers.delete(e.pointerId);
		const { control } = finger;
		if (!this.#fingerOn(control)) this.#controls[control].classList.toggle('on', control === 'scoreboard' && actions.running.has('touch scoreboard'));
		if (control === 'move') {
			this.#hold('left', false);
			this.#hold('right', false);
			this.#rest('move');
		} else if (control === 'aim') {
			this.#hold('fire', false);
			this.#rest('aim');
			if (e.type === 'pointerup' && !this.aim.aims && e.timeStamp - finger.at < TAP && settings.get('touchFire') === 'ring') {
				actions.begin('fire', 'touch tap');
				actions.end('touch tap');
			}
		} else if (TAPPED.has(control)) {
			if (e.type === 'pointerup') this.#tap(control);
		} else if (control !== 'scoreboard' && !this.#fingerOn(control)) {
			actions.end(`touch ${control}`);
		}
	}

	/** Begins an action that has no end: what it opens stays until the player has chosen. @param {string} control */
	#tap(control) {
		const { actions } = this.game, source = `touch ${control}`;
		actions.begin(control, source);
		actions.forget(source);
	}

	/** @param {string} control */
	#fingerOn(control) {
		return [...this.#fingers.values()].some((f) => f.control === control);
	}

	/** @param {AimStick} stick */
	#aimBy(stick) {
		const { input } = this.game;
		if (stick.aims && input.enabled) input.aimFrom('touch', stick.aimX * input.reach, stick.aimY * input.reach);
	}

	/** Begins or ends an action of a stick. @param {string} name @param {boolean} on */
	#hold(name, on) {
		const { actions } = this.game, source = `touch stick ${name}`;
		if (on === actions.running.has(source)) return;
		if (on) actions.begin(name, source);
		else actions.end(source);
		if (name === 'fire') this.#controls.aim.classList.toggle('beyond', on);
	}

	/** Ends what the fingers do, such as when the menu opens. */
	releaseAll() {
		for (const { control } of this.#fingers.values()) {
			this.#controls[control].classList.remove('on');
			this.game.actions.end(`touch ${control}`);
		}
		this.#fingers.clear();
		for (const name of ['left', 'right', 'fire']) this.#hold(name, false);
		this.#rest('move');
		this.#rest('aim');
	}

	/** Draws a stick that is not touched. @param {'move' | 'aim'} name */
	#rest(name) {
		const e = this.#controls[name];
		if (this.#fingerOn(name)) return;
		e.style.transform = '';
		/** @type {HTMLElement} */ (e.firstChild).style.transform = '';
	}

	/**
	 * Draws a stick where the finger has put it.
	 * @param {'move' | 'aim'} name
	 * @param {MoveStick | AimStick} stick
	 */
	#draw(name, stick) {
		const e = this.#controls[name], box = this.box.getBoundingClientRect();
		const x = stick.x - box.left - stick.radius - parseFloat(e.style.left), y = stick.y - box.top - stick.radius - parseFloat(e.style.top);
		e.style.transform = `translate(${x}px, ${y}px)`;
		/** @type {HTMLElement} */ (e.firstChild).style.transform = `translate(${stick.knobX - stick.x}px, ${stick.knobY - stick.y}px)`;
	}

	/** The size of the area of the controls. @returns {[number, number]} */
	get screen() {
		const box = this.box.getBoundingClientRect();
		return [box.width, box.height];
	}
}

/** @param {HTMLElement} e @param {number} left @param {number} top */
function put(e, left, top) {
	e.style.left = `${left}px`;
	e.style.top = `${top}px`;
}

/** The centre of an element where it rests. @param {HTMLElement} e */
function centre(e) {
	return [parseFloat(e.style.left) + parseFloat(e.style.width) / 2, parseFloat(e.style.top) + parseFloat(e.style.height) / 2];
}
