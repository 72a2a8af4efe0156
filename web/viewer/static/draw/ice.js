/**
 * The ice around frozen tees: see FREEZE.
 *
 * @module
 */

import { FREEZE, TICKS_PER_SECOND } from '../match/types.js';
import { SHAPE, hex, rgba } from './sprites.js';

const { BOX, WEDGE } = SHAPE;

/** The colours of the ice's edge, top and bottom, and of the bar above it, by FREEZE. */
const COLORS = [
	null,
	{ edge: rgba(0.9, 1, 1, 0.9), top: rgba(0.78, 0.95, 1, 0.6), low: rgba(0.36, 0.68, 0.98, 0.55), bar: hex(0x8fe0ff) },
	{ edge: rgba(0.82, 0.74, 1, 0.95), top: rgba(0.45, 0.38, 0.85, 0.55), low: rgba(0.16, 0.12, 0.5, 0.6), bar: hex(0xb9a2ff) },
	{ edge: rgba(0.85, 1, 0.95, 0.9), top: rgba(0.7, 1, 0.93, 0.5), low: rgba(0.3, 0.75, 0.72, 0.5), bar: hex(0x9ff5dd) },
];
const GLINT = rgba(1, 1, 1, 0.6);
const BACK = rgba(0.06, 0.06, 0.1, 0.7);

/**
 * Draws the ice in front of a tee. A tee frozen for a time is in a block with a bar for the time
 * left. A tee frozen until something frees it is in a dark block with bars. A tee that can act but
 * not move has ice at its feet only.
 * @param {import('./sprites.js').Sprites} s
 * @param {import('../match/types.js').Tee} t
 * @param {number} tick
 */
export function drawIce(s, t, tick) {
	const c = COLORS[t.freeze];
	if (!c) return;
	const { x, y } = t;
	s.line = c.edge;
	s.lineWidth = 1.5;
	if (t.freeze === FREEZE.LIVE) {
		s.shape(BOX, x, y + 15, 30, 13, 0, c.top, c.low, 5);
		for (let i = -1; i <= 1; i++) s.shape(WEDGE, x + i * 17, y - 1 - (i ? 0 : 3), 6, 9 + (i ? 0 : 4), i * 0.25, c.top, c.low, 0.1, 1);
		return;
	}
	s.shape(BOX, x, y, 29, 29, 0, c.top, c.low, 7);
	if (t.freeze === FREEZE.DEEP) for (let i = -1; i <= 1; i++) s.shape(BOX, x + i * 14, y, 2, 28, 0, c.edge, c.low, 2);
	s.lineWidth = 0;
	s.shape(BOX, x - 15, y - 17, 8, 1.6, -0.7, GLINT, GLINT, 1.6);
	s.shape(BOX, x - 10, y - 12, 4, 1.2, -0.7, GLINT, GLINT, 1.2);
	if (t.freeze === FREEZE.DEEP) return;
	const whole = Math.max(t.freezeEnd - t.freezeStart, TICKS_PER_SECOND / 2);
	const left = Math.min(Math.max((t.freezeEnd - tick) / whole, 0), 1);
	s.shape(BOX, x, y + 36, 27, 4, 0, BACK, BACK, 4);
	if (left > 0) s.shape(BOX, x - 25 * (1 - left), y + 36, 25 * left, 2.4, 0, c.bar, c.bar, 2.4);
}
