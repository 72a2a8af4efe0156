/**
 * The mouse.
 *
 * @module
 */

/** @type {Record<number, import('./input.js').Held>} by MouseEvent.button */
const HELD = { 0: 'fire', 2: 'hook' };

export class Mouse {
	/**
	 * @param {HTMLCanvasElement} canvas
	 * @param {import('./input.js').Input} input
	 * @param {import('../page/settings.js').Settings} settings
	 * @param {import('../../viewer/draw/camera.js').Camera} camera
	 */
	constructor(canvas, input, settings, camera) {
		this.canvas = canvas;
		canvas.addEventListener('pointerdown', (e) => {
			if (e.pointerType === 'touch' || !input.enabled) return;
			if (document.pointerLockElement !== canvas) this.lock();
			if (HELD[e.button]) input.press(HELD[e.button]);
		});
		addEventListener('pointerup', (e) => {
			if (e.pointerType !== 'touch' && HELD[e.button]) input.release(HELD[e.button]);
		});
		canvas.addEventListener('contextmenu', (e) => e.preventDefault());
		canvas.addEventListener('wheel', (e) => {
			input.changeWeapon(e.deltaY > 0 ? 1 : -1);
			e.preventDefault();
		}, { passive: false });
		addEventListener('pointermove', (e) => {
			if (e.pointerType === 'touch' || !input.enabled) return;
			const k = camera.unit * canvas.width / Math.max(1, canvas.clientWidth), speed = settings.get('sensitivity');
			if (document.pointerLockElement === canvas) input.turn(e.movementX * speed, e.movementY * speed);
			else input.aim((e.clientX - canvas.clientWidth / 2) * k, (e.clientY - canvas.clientHeight / 2) * k);
		});
	}

	/** Locks the pointer, without acceleration where the browser can. */
	lock() {
		const locked = /** @type {Promise<void> | undefined} */ (/** @type {any} */ (this.canvas).requestPointerLock?.({ unadjustedMovement: true }));
		locked?.catch?.(() => /** @type {any} */ (this.canvas.requestPointerLock())?.catch?.(() => {})); // some systems have only the other kind
	}
}
