/**
 * The scoreboard, shown while its key is held.
 *
 * @module
 */

import { Scoreboard } from '../../viewer/page/scoreboard.js';

/** @implements {import('./game.js').Part} */
export class Board {
	/** @param {import('./game.js').Game} game */
	constructor(game) {
		this.game = game;
		this.scoreboard = new Scoreboard(() => {});
	}

	/** @param {import('../../viewer/match/types.js').Moment} m */
	update(m) {
		this.scoreboard.show(this.game.input.scoreboard);
		this.scoreboard.update(m, this.game.connection.engine?.self ?? -1);
	}
}
