/**
 * The colours of DDRace teams, as in DDNet's client: the numbers run around the colour circle.
 *
 * @module
 */

import { SUPER } from '../match/types.js';
import { rgba } from './sprites.js';

/**
 * The share of red, green or blue in a colour with full saturation and a lightness of 3/4.
 * @param {number} h hue, 0 to 1
 * @param {number} turn rotation of the hue for the channel
 */
function part(h, turn) {
	const x = (h + turn) % 1 * 6;
	return 0.5 + 0.5 * Math.min(Math.max(Math.abs(x - 3) - 1, 0), 1);
}

/** Colours for Sprites, by team. */
const PACKED = Array.from({ length: SUPER + 1 }, (_, t) => rgba(part(t / SUPER, 0), part(t / SUPER, 2 / 3), part(t / SUPER, 1 / 3)));

/** @param {number} team above 0 */
export function raceTeamColor(team) {
	return PACKED[team] ?? PACKED[SUPER];
}

/** A colour for CSS, such as hsl(90 100% 75%). @param {number} team above 0 */
export function raceTeamStyle(team) {
	return `hsl(${Math.round(team / SUPER * 360)} 100% 75%)`;
}
