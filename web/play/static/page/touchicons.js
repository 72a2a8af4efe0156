/**
 * The icons of the touch controls, as paths in a square of 24.
 *
 * @module
 */

import { ICON } from '../../viewer/page/dom.js';

/** @type {Record<string, string>} */
export const ICONS = Object.freeze({
	jump: 'M12 4l8 8h-5v8H9v-8H4z',
	hook: 'M4.6 3.2l9.3 9.3-1.4 1.4-9.3-9.3zM15 9.5a6 6 0 1 1-6 6l2.2.4a3.8 3.8 0 1 0 3.8-4.2z',
	fire: 'M12 3v3.2a5.8 5.8 0 0 1 5.8 4.8H21v2h-3.2a5.8 5.8 0 0 1-4.8 4.8V21h-2v-3.2A5.8 5.8 0 0 1 6.2 13H3v-2h3.2A5.8 5.8 0 0 1 11 6.2V3zm0 5a4 4 0 1 0 0 8 4 4 0 0 0 0-8z',
	next_weapon: 'M3 8h11V4l7 6-7 6v-4H3zM3 18h11v2H3z',
	menu: 'M4 6h16v2H4zM4 11h16v2H4zM4 16h16v2H4z',
	emote: 'M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18zm0 2a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM8 9h2v3H8zM14 9h2v3h-2zM7.5 14h9a4.6 4.6 0 0 1-9 0z',
	chat: 'M4 4h16v12h-9l-5 4v-4H4z',
	scoreboard: 'M3 20v-7h5v7zM9.5 20V5h5v15zM16 20V10h5v10z',
	fullscreen: ICON.FULL,
});
