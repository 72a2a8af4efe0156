/**
 * Mouse, touch and keys.
 *
 * @module
 */

/**
 * The keys and their actions. Held keys move the camera.
 * @typedef {Record<string, () => void>} Keys by KeyboardEvent.key, letters in lower case
 */

/** The directions of the keys that move the camera. @type {Record<string, [number, number]>} */
const MOVES = { arrowleft: [-1, 0], arrowright: [1, 0], arrowup: [0, -1], arrowdown: [0, 1], a: [-1, 0], d: [1, 0], w: [0, -1], s: [0, 1] };

/** The speed of the camera with keys, in pictures per second. */
const MOVE_SPEED = 0.9;

export class Controls {
	/**
	 * @param {HTMLCanvasElement} canvas
	 * @param {import('./director.js').Director} director
	 * @param {Keys} keys
	 * @param {(x: number, y: number) => void} tap the action of a click at a place in the world
	 */
	constructor(canvas, director, keys, tap) {
		this.canvas = canvas;
		this.director = director;
		this.tap = tap;
		/** @type {Set<string>} */
		this.held = new Set();
		/** @type {Map<number, {x: number, y: number}>} */
		this.pointers = new Map();
		this.moved = 0;
		canvas.addEventListener('pointerdown', (e) => this.down(e));
		canvas.addEventListener('pointermove', (e) => this.drag(e));
		for (const type of /** @type {const} */ (['pointerup', 'pointercancel'])) canvas.addEventListener(type, (e) => this.up(e));
		canvas.addEventListener('wheel', (e) => {
			e.preventDefault();
			const lines = e.deltaMode === 1 ? e.deltaY * 20 : e.deltaY;
			director.zoomAt(Math.exp(Math.min(Math.max(lines, -200), 200) * 0.0015), this.px(e.clientX), this.py(e.clientY));
		}, { passive: false });
		addEventListener('keydown', (e) => {
			if (e.ctrlKey || e.metaKey || e.altKey || isText(e.target)) return;
			const key = e.key.toLowerCase();
			const onControl = e.target instanceof HTMLElement && e.target.closest('button, input, select, a, dialog');
			if (onControl && (key === ' ' || key === 'enter' || key.startsWith('arrow'))) return;
			if (MOVES[key]) this.held.add(key);
			else if (keys[key]) keys[key]();
			else return;
			e.preventDefault();
		});
		addEventListener('keyup', (e) => this.held.delete(e.key.toLowerCase()));
		addEventListener('blur', () => this.held.clear());
	}

	/** Pixels of the picture per pixel of the page. */
	get scale() {
		return this.canvas.width / Math.max(1, this.canvas.clientWidth);
	}

	/** @param {number} clientX */
	px(clientX) {
		return (clientX - this.canvas.getBoundingClientRect().left) * this.scale;
	}

	/** @param {number} clientY */
	py(clientY) {
		return (clientY - this.canvas.getBoundingClientRect().top) * this.scale;
	}

	/** @param {PointerEvent} e */
	down(e) {
		this.canvas.setPointerCapture(e.pointerId);
		this.pointers.set(e.pointerId, { x: e.clientX, y: e.clientY });
		if (this.pointers.size === 1) this.moved = 0;
	}

	/** @param {PointerEvent} e */
	drag(e) {
		const p = this.pointers.get(e.pointerId);
		if (!p) return;
		const [dx, dy] = [e.clientX - p.x, e.clientY - p.y];
		this.moved += Math.abs(dx) + Math.abs(dy);
		const n = this.pointers.size;
		if (n === 2) {
			// Two fingers zoom with their distance, around their middle.
			const [a, b] = [...this.pointers.values()];
			const before = Math.hypot(a.x - b.x, a.y - b.y);
			p.x = e.clientX;
			p.y = e.clientY;
			const after = Math.hypot(a.x - b.x, a.y - b.y);
			if (before > 0 && after > 0) this.director.zoomAt(before / after, this.px((a.x + b.x) / 2), this.py((a.y + b.y) / 2));
		} else {
			p.x = e.clientX;
			p.y = e.clientY;
		}
		const unit = this.director.camera.unit * this.scale;
		if (this.moved > 8 && (n === 1 || this.director.followed < 0)) this.director.move((-dx / n) * unit, (-dy / n) * unit);
	}

	/** @param {PointerEvent} e */
	up(e) {
		if (!this.pointers.delete(e.pointerId) || this.pointers.size > 0 || this.moved > 8 || e.type !== 'pointerup') return;
		const c = this.director.camera;
		this.tap(c.worldX(this.px(e.clientX)), c.worldY(this.py(e.clientY)));
	}

	/**
	 * Moves the camera with the held keys.
	 * @param {number} seconds
	 */
	update(seconds) {
		if (this.held.size === 0) return;
		const c = this.director.camera;
		const way = c.width * c.zoom * MOVE_SPEED * seconds;
		for (const key of this.held) this.director.move(MOVES[key][0] * way, MOVES[key][1] * way);
	}
}

/** @param {EventTarget|null} target */
function isText(target) {
	return target instanceof HTMLInputElement ? target.type !== 'range' && target.type !== 'checkbox' : target instanceof HTMLTextAreaElement;
}
