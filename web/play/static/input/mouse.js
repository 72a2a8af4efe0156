/**
 * The mouse: its buttons, its wheel, and its movement. In a match the pointer is locked, so that it
 * does not end at the edge of the screen. Where the browser refuses the lock, the place of the
 * pointer is the aim.
 *
 * @module
 */

import { isText } from './keyboard.js';

/** The interval of the attempts and their number: after Escape, Chromium refuses for 1.25 s. */
const RETRY = 350, RETRIES = 5;

/** Larger steps of a locked pointer are an error of the browser, in pixels. */
const MAX_STEP = 2000;

export class Mouse {
	/** The attempts of the lock that are left. */
	#attempts = 0;
	/** Whether the page itself ends the lock. */
	#leaving = false;
	/** The place of the pointer while it is not locked, in pixels of the page; null after the lock and before the first move. @type {[number, number] | null} */
	#place = null;

	/**
	 * @param {HTMLCanvasElement} canvas
	 * @param {import('./actions.js').Actions} actions
	 * @param {import('../page/settings.js').Settings} settings
	 * @param {import('../../viewer/draw/camera.js').Camera} camera
	 */
	constructor(canvas, actions, settings, camera) {
		this.canvas = canvas;
		this.actions = actions;
		this.settings = settings;
		this.camera = camera;
		this.wheel = new Wheel();
		/** Called when the player or the system has ended the lock. */
		this.onlost = () => {};
		/** Whether the browser has refused the lock, so that the place of the pointer is the aim. */
		this.refused = false;
		// Pointer events do not tell of a second button while another one is down.
		addEventListener('mousedown', (e) => this.#button(e));
		addEventListener('mouseup', (e) => {
			actions.end(`Mouse${e.button}`);
			if (e.button > 2 && actions.input.enabled) e.preventDefault(); // the browser would go back
		});
		canvas.addEventListener('contextmenu', (e) => e.preventDefault());
		canvas.addEventListener('dragstart', (e) => e.preventDefault());
		addEventListener('wheel', (e) => this.#turnWheel(e), { passive: false });
		addEventListener('pointermove', (e) => this.#move(e));
		document.addEventListener('pointerlockchange', () => this.#lockChanged());
		document.addEventListener('pointerlockerror', () => {}); // request reports it
	}

	get locked() {
		return document.pointerLockElement === this.canvas;
	}

	/** @param {MouseEvent} e */
	#button(e) {
		const { actions, canvas } = this, code = `Mouse${e.button}`;
		if (actions.capture && !isText(e)) {
			e.preventDefault();
			actions.capture(code);
			return;
		}
		if (!actions.input.enabled || e.target !== canvas) return;
		if (e.button !== 0) e.preventDefault(); // the middle button would scroll
		if (!this.locked && !this.#attempts) this.lock();
		actions.press(code);
	}

	/** @param {WheelEvent} e */
	#turnWheel(e) {
		const { actions } = this;
		if (!actions.capture && (!actions.input.enabled || e.target !== this.canvas)) return;
		e.preventDefault();
		const n = this.wheel.turn(e.deltaY, e.deltaMode, e.timeStamp);
		for (let i = 0; i < Math.abs(n); i++) actions.tap(n > 0 ? 'WheelDown' : 'WheelUp');
	}

	/** @param {PointerEvent} e */
	#move(e) {
		const { input } = this.actions;
		if (e.pointerType === 'touch' || !input.enabled) return;
		if (e.movementX || e.movementY) input.aimedBy = 'mouse';
		if (!this.locked) this.#place = [e.clientX, e.clientY];
		else if (Math.max(Math.abs(e.movementX), Math.abs(e.movementY)) < MAX_STEP) {
			const speed = this.settings.get('sensitivity');
			input.turn(e.movementX * speed, e.movementY * speed);
		}
	}

	/**
	 * Aims at the pointer while it is not locked. Call it for each picture: the camera moves.
	 * @param {{ x: number, y: number } | null} own the own tee
	 */
	aim(own) {
		const { camera, canvas } = this, { input } = this.actions;
		if (this.locked || !this.#place || !own || !input.enabled || input.aimedBy !== 'mouse') return;
		const box = canvas.getBoundingClientRect(), k = canvas.width / Math.max(1, box.width);
		input.aim(camera.worldX((this.#place[0] - box.left) * k) - own.x, camera.worldY((this.#place[1] - box.top) * k) - own.y);
	}

	/** Locks the pointer. The browser may refuse it: then the next click tries again. */
	lock() {
		if (!matchMedia('(any-pointer: coarse)').matches || matchMedia('(any-pointer: fine)').matches) this.#request(RETRIES);
	}

	/** @param {number} attempts */
	async #request(attempts) {
		const { actions, canvas } = this;
		if (this.locked && !this.#leaving) return;
		this.#attempts = attempts;
		try {
			await request(canvas, true);
			this.refused = false;
			this.#attempts = 0;
			if (!actions.input.enabled) this.unlock(); // an overlay has opened meanwhile
		} catch (err) {
			if (attempts > 1 && /** @type {Error} */ (err).name !== 'NotSupportedError') {
				setTimeout(() => {
					if (actions.input.enabled) this.#request(attempts - 1);
					else this.#attempts = 0;
				}, RETRY);
				return;
			}
			this.refused = true;
			this.#attempts = 0;
		}
	}

	/** Ends the lock. */
	unlock() {
		if (!document.pointerLockElement) return;
		this.#leaving = true;
		document.exitPointerLock();
	}

	#lockChanged() {
		this.#place = null;
		if (document.pointerLockElement) return;
		const lost = !this.#leaving;
		this.#leaving = false;
		if (lost) this.onlost();
		else if (this.actions.input.enabled) this.lock(); // an overlay has opened and closed meanwhile
	}
}

/**
 * Asks for the lock, without acceleration where the browser and the system can.
 * @param {HTMLElement} element
 * @param {boolean} raw
 * @returns {Promise<void>}
 */
async function request(element, raw) {
	const ask = /** @type {((options?: object) => Promise<void> | void) | undefined} */ (element.requestPointerLock);
	if (!ask) throw new DOMException('The browser has no pointer lock.', 'NotSupportedError');
	try {
		const answer = ask.call(element, raw ? { unadjustedMovement: true } : undefined);
		if (answer) await answer;
		else await oldAnswer(); // browsers before 2024 report it with events
	} catch (err) {
		if (!raw || /** @type {Error} */ (err).name !== 'NotSupportedError') throw err;
		await request(element, false);
	}
}

/** @returns {Promise<void>} */
function oldAnswer() {
	return new Promise((done, fail) => {
		const end = new AbortController(), options = { signal: end.signal };
		document.addEventListener('pointerlockchange', () => { end.abort(); done(); }, options);
		document.addEventListener('pointerlockerror', () => { end.abort(); fail(new DOMException('The lock is refused.', 'InvalidStateError')); }, options);
	});
}

/** The steps of a wheel, or what a touchpad sends in place of them. */
export class Wheel {
	/** The pixels of a step of a touchpad, and the time after which its movement is a new one, in ms. */
	static STEP = 100;
	static PAUSE = 300;
	#sum = 0;
	#at = 0;

	/**
	 * Returns the number of steps: positive down, negative up.
	 * @param {number} delta WheelEvent.deltaY
	 * @param {number} mode WheelEvent.deltaMode
	 * @param {number} time in ms
	 */
	turn(delta, mode, time) {
		if (mode !== 0 || Math.abs(delta) >= Wheel.STEP / 2) { // a wheel: 53 to 120 pixels a step, or lines
			this.#sum = 0;
			return Math.sign(delta) * (mode === 0 ? Math.max(1, Math.round(Math.abs(delta) / 120)) : 1);
		}
		if (time - this.#at > Wheel.PAUSE || this.#sum * delta < 0) this.#sum = 0;
		this.#at = time;
		this.#sum += delta;
		const steps = Math.trunc(this.#sum / Wheel.STEP);
		this.#sum -= steps * Wheel.STEP;
		return steps;
	}
}
