/**
 * The places of the touch controls.
 *
 * @module
 */

/**
 * A place or a size in pixels.
 * @typedef {[number, number]} Point
 */

/**
 * The usual places, as distances in pixels from the corner where the thumb is: negative ones are
 * from the right and from the bottom.
 * @type {Record<string, Point>}
 */
export const PLACES = Object.freeze({
	move: [104, -96], aim: [-92, -96],
	jump: [-206, -46], hook: [-198, -128], fire: [-136, -196], next_weapon: [-52, -196],
	menu: [-30, 30], emote: [-80, 30], chat: [-130, 30], scoreboard: [-180, 30], fullscreen: [-230, 30],
});

/** The places that differ on a narrow screen, such as a phone that is held upright. @type {Record<string, Point>} */
const NARROW_PLACES = Object.freeze({ move: [70, -96], aim: [-76, -100], jump: [-174, -44], hook: [-170, -124], fire: [-126, -190], next_weapon: [-46, -190] });

/** The width of a narrow screen. */
const NARROW = 480;

/** The radii in pixels. Nothing that is touched is smaller than 44 pixels. @type {Record<string, number>} */
export const RADII = Object.freeze({
	move: 52, aim: 52, jump: 35, hook: 35, fire: 33, next_weapon: 27, menu: 22, emote: 22, chat: 22, scoreboard: 22, fullscreen: 22,
});

/** The controls that grow with the setting. The others are as large as they should be. */
const GROWS = new Set(['move', 'aim', 'jump', 'hook', 'fire', 'next_weapon']);

/** The least distance from an edge. */
const MARGIN = 4;

/**
 * The parts of the edges that are covered, such as by a camera.
 * @typedef {{ top: number, right: number, bottom: number, left: number }} Insets
 */

/**
 * Returns the radius of a control.
 * @param {string} name
 * @param {number} size the setting touchSize
 */
export function radius(name, size) {
	return Math.max(RADII[name] * (GROWS.has(name) ? Math.min(Math.max(size, 0.8), 1.5) : 1), 22);
}

/**
 * Returns the name under which the setting touch has the place of a control: a narrow screen has
 * places of its own.
 * @param {string} name
 * @param {Point} screen the size
 */
export function placeKey(name, screen) {
	return screen[0] < NARROW ? `narrow ${name}` : name;
}

/**
 * Returns the centre of a control: where the player has put it, or its usual place, and always
 * whole on the screen.
 * @param {string} name
 * @param {Point} screen the size
 * @param {Insets} insets
 * @param {number} size the setting touchSize
 * @param {Record<string, Point>} moved the setting touch: the places as parts of the screen
 * @returns {Point}
 */
export function place(name, screen, insets, size, moved) {
	const own = moved[placeKey(name, screen)], usual = screen[0] < NARROW && NARROW_PLACES[name] || PLACES[name];
	const r = radius(name, size) + MARGIN, k = GROWS.has(name) ? Math.min(Math.max(size, 0.8), 1.5) : 1;
	const before = [insets.left, insets.top], after = [insets.right, insets.bottom];
	return /** @type {Point} */ ([0, 1].map((i) => {
		const at = isPoint(own) ? own[i] * screen[i] : usual[i] < 0 ? screen[i] - after[i] + usual[i] * k : before[i] + usual[i] * k;
		return Math.max(Math.min(at, screen[i] - after[i] - r), before[i] + r);
	}));
}

/** Whether a stored value is a point. @param {unknown} p @returns {p is Point} */
function isPoint(p) {
	return Array.isArray(p) && p.length === 2 && p.every((v) => Number.isFinite(v) && v >= 0 && v <= 1);
}
