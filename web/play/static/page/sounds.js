/**
 * The sounds of the match, where the player hears them, and those of the page.
 *
 * @module
 */

import { SOUND } from '../../viewer/match/types.js';

/** The match never runs faster or slower. */
const CLOCK = /** @type {import('../../viewer/page/clock.js').Clock} */ ({ speed: 1 });

/** @implements {import('./game.js').Part} */
export class MatchSounds {
	/** @param {import('./game.js').Game} game */
	constructor(game) {
		this.game = game;
		/** @param {string} type @param {(e: any) => void} f */
		const on = (type, f) => game.connection.addEventListener(type, (e) => f(/** @type {CustomEvent} */ (e).detail));
		on('chat', (e) => this.#chat(e));
		on('sound', (e) => game.sounds.playOne(SOUND[e.sound]));
		on('map_loading', () => game.sounds.reset());
	}

	/** @param {any} e the event */
	#chat({ from, mode, text }) {
		const { connection, moment, sounds } = this.game, self = connection.engine?.self ?? -1;
		if (from === self) return;
		const name = moment?.players[self]?.name.toLowerCase() ?? '', named = name !== '' && text.toLowerCase().includes(name);
		sounds.playOne(from < 0 ? 'chat server' : mode === 'whisper' || named ? 'chat highlight' : 'chat client');
	}

	/** @param {import('../../viewer/match/types.js').Moment} m */
	frame(m) {
		this.game.sounds.play(m, this.game.camera, CLOCK);
	}
}
