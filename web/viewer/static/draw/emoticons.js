/**
 * The page's own look of emoticons.
 *
 * @module
 */

import { EMOTICON } from '../match/types.js';
import { SHAPE, WHITE, fade, hex, rgba } from './sprites.js';

const { BOX, ELLIPSE, WEDGE, STAR, HEART, FLAME } = SHAPE;
const INK = hex(0x17131c);

/** The texts of some emoticons, by EMOTICON. @type {readonly string[]} */
const WORDS = ['oops!', '!', '', '', '', '', 'sorry', '', '', '', '', 'ZOMG', 'zZz', 'WTF?', '', '?'];

/**
 * Draws an emoticon within a rectangle.
 * @param {import('./own.js').OwnStyle} o
 * @param {number} emoticon @param {number} x @param {number} y @param {number} width @param {number} height @param {number} angle @param {number} alpha
 */
export function drawEmoticon(o, emoticon, x, y, width, height, angle, alpha) {
	const k = height / 64;
	o.frame(x, y, angle, false);
	o.sprites.line = fade(INK, alpha);
	o.sprites.lineWidth = 2;
	const put = (/** @type {number} */ kind, /** @type {number} */ px, /** @type {number} */ py, /** @type {number} */ w, /** @type {number} */ h, /** @type {number} */ c, p = 0, q = 0, a = 0) =>
		o.put(kind, px, py * k, w, h * k, a, fade(c, alpha), fade(c, alpha), p, q);
	const word = WORDS[emoticon];
	if (word) {
		const wide = word.length > 2;
		put(BOX, 0, -2, wide ? 31 : 19, wide ? 16 : 19, WHITE, wide ? 14 : 17);
		o.names.draw(o.sprites, word, x, y - 1 * k, (wide ? 17 : 28) * k, angle, fade(hex(emoticon === EMOTICON.EXCLAMATION || emoticon === EMOTICON.WTF ? 0xff6a5a : 0xffd060), alpha));
		return;
	}
	switch (emoticon) {
		case EMOTICON.HEARTS:
			put(HEART, -9, 6, 14, 14, hex(0xf0445a));
			put(HEART, 12, -10, 11, 11, hex(0xff7285));
			break;
		case EMOTICON.DROP:
			put(FLAME, 0, 0, 24, 15, hex(0x6bb8ff), 0, 0, -Math.PI / 2);
			break;
		case EMOTICON.DOTDOT:
			put(BOX, 0, -2, 27, 14, WHITE, 13);
			o.sprites.lineWidth = 0;
			for (let i = -1; i <= 1; i++) put(ELLIPSE, i * 13, -2, 4.2, 4.2, INK);
			break;
		case EMOTICON.MUSIC:
			put(BOX, 7, -6, 2, 17, INK, 1);
			put(ELLIPSE, 0, 10, 8, 6, INK);
			put(BOX, 13, -19, 7, 3.4, INK, 2, 0, 0.4);
			break;
		case EMOTICON.GHOST:
			put(ELLIPSE, 0, -6, 18, 20, WHITE);
			put(WEDGE, 0, 10, 17, 11, WHITE, 0.9, 4);
			o.sprites.lineWidth = 0;
			put(ELLIPSE, 0, -2, 16, 18, WHITE);
			for (let i = -1; i <= 1; i += 2) put(ELLIPSE, i * 6, -7, 3, 5, INK);
			put(ELLIPSE, 0, 5, 3, 4, INK);
			break;
		case EMOTICON.SUSHI:
			put(BOX, 0, 8, 20, 10, WHITE, 6);
			put(BOX, 0, -5, 22, 8, hex(0xff8a5c), 8);
			put(BOX, 0, 2, 4, 15, hex(0x2c4a35), 1);
			break;
		case EMOTICON.EYES:
			for (let i = -1; i <= 1; i += 2) {
				o.sprites.lineWidth = 2;
				put(ELLIPSE, i * 11, 0, 10, 15, WHITE);
				o.sprites.lineWidth = 0;
				put(ELLIPSE, i * 11 + 4, 2, 4.5, 6, INK);
			}
			break;
		default: {
			const devil = emoticon === EMOTICON.DEVILTEE;
			if (devil) for (let i = -1; i <= 1; i += 2) put(WEDGE, i * 14, -18, 5, 9, hex(0xd02030), 0.1, 1, i * 0.4);
			if (!devil) put(STAR, 0, 0, 29, 29, hex(0xd0303c), 9, 0.62);
			put(ELLIPSE, 0, 0, 19, 19, devil ? hex(0xf0453f) : hex(0xf2b763));
			o.sprites.lineWidth = 0;
			for (let i = -1; i <= 1; i += 2) {
				put(BOX, i * 7, -3, 5, 1.6, INK, 1.6, 0, devil ? i * 0.6 : 0.8);
				put(devil ? ELLIPSE : BOX, i * 7, devil ? 1 : -3, devil ? 2.6 : 5, devil ? 3.4 : 1.6, INK, 1.6, 0, devil ? 0 : -0.8);
			}
			put(BOX, 0, 10, 7, 2, devil ? INK : rgba(0.4, 0.1, 0.1), 2);
		}
	}
}
