/**
 * The place and zoom of the camera: around the own tee, or where a spectator looks.
 *
 * @module
 */

import { GAME, SPEC } from '../../viewer/match/types.js';
import { Comeback } from './comeback.js';

/** @typedef {import('../../viewer/match/types.js').Moment} Moment */

/** The camera moves with the crosshair beyond this distance, in world units, by this share. */
const DEAD_ZONE = 300, SHARE = 0.6;

/** The limits of the zoom, and the factor of a step. */
const MIN_ZOOM = 0.25, MAX_ZOOM = 6, STEP = 1.25;

/** The speed of the free camera with keys, in pictures per second. */
const SPEED = 0.9;

/** How far the free camera goes beyond the map, in world units. */
const BEYOND = 600;

/** The time between two reports of the visible part to the server, in ms. */
const REPORT_EVERY = 250;

/** The time in which another place appears after a death, in ms. */
const APPEARS = 220;

/** The keys that move the free camera down. Those for the other ways are the tee's. */
const DOWN = new Set(['KeyS', 'ArrowDown']);

/** Whether the player may zoom: as a spectator, and in races. @param {Moment} m */
export function mayZoom(m) {
	return m.view.spectating || (m.game.flags & GAME.RACE) !== 0;
}

export class View {
	/** Called when the player moves a camera that follows somebody. */
	onfree = () => {};
	/** The zoom that the player wants. */
	zoom = 1;

	/** @param {import('./game.js').Game} game */
	constructor(game) {
		this.game = game;
		this.comeback = new Comeback();
		this.before = 0;
		this.reportedAt = 0;
		this.reported = '';
		/** @type {Set<string>} */
		this.down = new Set();
		/** The touches on the match. @type {Map<number, { x: number, y: number }>} */
		this.touches = new Map();
		const { canvas } = game;
		addEventListener('keydown', (e) => { if (DOWN.has(e.code)) this.down.add(e.code); });
		addEventListener('keyup', (e) => this.down.delete(e.code));
		addEventListener('blur', () => this.down.clear());
		addEventListener('pointermove', (e) => this.#move(e));
		canvas.addEventListener('pointerdown', (e) => { if (e.pointerType === 'touch' && this.free) this.touches.set(e.pointerId, { x: e.clientX, y: e.clientY }); });
		for (const type of /** @type {const} */ (['pointerup', 'pointercancel'])) addEventListener(type, (e) => this.touches.delete(e.pointerId));
		canvas.addEventListener('wheel', (e) => {
			if (game.moment?.view.spectating && game.input.enabled) this.zoomBy(Math.exp(Math.min(Math.max(e.deltaY, -200), 200) * 0.0015));
		}, { passive: true });
		for (const type of ['entered', 'map_loading']) game.connection.addEventListener(type, () => this.comeback.forget());
		game.keyboard.on('zoom_in', () => this.zoomBy(1 / STEP));
		game.keyboard.on('zoom_out', () => this.zoomBy(STEP));
		game.keyboard.on('zoom_reset', () => { this.zoom = 1; });
	}

	/** Whether the player moves the camera. */
	get free() {
		const m = this.game.moment;
		return m !== null && m.view.spectating && m.view.mode === SPEC.FREE && this.game.input.enabled;
	}

	/** @param {number} factor above 1 shows more */
	zoomBy(factor) {
		this.zoom = Math.min(Math.max(this.zoom * factor, MIN_ZOOM), MAX_ZOOM);
	}

	/**
	 * Places the camera for a moment, before it is drawn.
	 * @param {Moment} m
	 * @param {number} now in ms
	 */
	place(m, now) {
		const { game } = this, { camera, input } = game, { own } = game.connection.match;
		const seconds = Math.min(Math.max(now - this.before, 0), 250) / 1000;
		this.before = now;
		if (!mayZoom(m)) this.zoom = 1;
		camera.zoom += (this.zoom - camera.zoom) * (still() ? 1 : Math.min(1, seconds * 12));
		input.view = m.view.spectating ? camera : null;
		if (m.view.spectating) {
			this.comeback.forget();
			this.#watch(m, seconds);
		} else if (!own) this.comeback.wait();
		else {
			const d = Math.hypot(input.x, input.y), k = d > DEAD_ZONE && game.settings.get('dynamicCamera') ? (d - DEAD_ZONE) * SHARE / d : 0;
			const cut = this.comeback.place(camera, own.x + input.x * k, own.y + input.y * k, seconds, still());
			if (cut && !still()) game.canvas.animate([{ opacity: 0 }, { opacity: 1 }], { duration: APPEARS, easing: 'ease-out' });
			own.angle = Math.atan2(input.y, input.x);
		}
		this.#report(now);
	}

	/** @param {Moment} m @param {number} seconds */
	#watch(m, seconds) {
		const { camera, input } = this.game, { view } = m, { left, right, jump } = input.held;
		const dx = (right ? 1 : 0) - (left ? 1 : 0), dy = (this.down.size && input.enabled ? 1 : 0) - (jump ? 1 : 0);
		if (view.mode !== SPEC.FREE) {
			if (dx || dy) this.onfree();
			const at = placeOf(m);
			camera.x = at.x;
			camera.y = at.y;
			return;
		}
		const way = camera.width * camera.zoom * SPEED * seconds;
		this.#moveBy(dx * way, dy * way);
	}

	/** @param {number} dx in world units @param {number} dy */
	#moveBy(dx, dy) {
		const { camera, connection } = this.game, game = connection.map?.data.game;
		camera.x += dx;
		camera.y += dy;
		if (!game) return;
		camera.x = Math.min(Math.max(camera.x, -BEYOND), game.width * 32 + BEYOND);
		camera.y = Math.min(Math.max(camera.y, -BEYOND), game.height * 32 + BEYOND);
	}

	/** Moves the free camera with the locked pointer or a finger; two fingers zoom. @param {PointerEvent} e */
	#move(e) {
		const { camera, canvas, settings } = this.game, unit = camera.unit * canvas.width / Math.max(1, canvas.clientWidth);
		if (e.pointerType !== 'touch') {
			if (!this.free || document.pointerLockElement !== canvas) return;
			const k = unit * settings.get('sensitivity');
			this.#moveBy(e.movementX * k, e.movementY * k);
			return;
		}
		const finger = this.touches.get(e.pointerId);
		if (!finger || !this.free) return;
		const before = this.#spread(), dx = e.clientX - finger.x, dy = e.clientY - finger.y, n = this.touches.size;
		finger.x = e.clientX;
		finger.y = e.clientY;
		const after = this.#spread();
		if (before > 0 && after > 0) this.zoomBy(before / after);
		this.#moveBy(-dx * unit / n, -dy * unit / n);
	}

	/** The distance of two fingers, 0 for another number of them. */
	#spread() {
		const [a, b, c] = [...this.touches.values()];
		return b && !c ? Math.hypot(a.x - b.x, a.y - b.y) : 0;
	}

	/** Tells a DDNet server how much is visible. @param {number} now in ms */
	#report(now) {
		const { camera, connection } = this.game, size = `${Math.round(camera.width * this.zoom)} ${Math.round(camera.height * this.zoom)}`;
		if (size === this.reported || now - this.reportedAt < REPORT_EVERY || !connection.ddnet) return;
		this.reported = size;
		this.reportedAt = now;
		connection.act('camera', ...size.split(' '));
	}
}

/**
 * The place that a following spectator sees: the tee or flag where it is drawn, or where the server
 * says.
 * @param {Moment} m
 */
export function placeOf(m) {
	const { view } = m;
	if (view.mode === SPEC.PLAYER) {
		for (let i = 0; i < m.tees.length; i++) if (m.tees.items[i].id === view.id) return m.tees.items[i];
	} else {
		for (let i = 0; i < m.flags.length; i++) if (m.flags.items[i].team === view.mode - SPEC.FLAG_RED) return m.flags.items[i];
	}
	return view;
}

/** Whether the player wants no motion. */
function still() {
	return matchMedia('(prefers-reduced-motion: reduce)').matches;
}
