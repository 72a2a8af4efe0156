/**
 * The crosshair, where the player aims.
 *
 * @module
 */

import { WEAPON } from '../../viewer/match/types.js';

/** @implements {import('./game.js').Part} */
export class Crosshair {
	/** @param {import('./game.js').Game} game */
	constructor(game) {
		this.game = game;
		game.scene.drawTop = (style) => this.draw(style);
	}

	/** @param {import('../../viewer/draw/actors.js').Style} style */
	draw(style) {
		const { connection, input, moment } = this.game, { own } = connection.match;
		if (own && !moment?.view.spectating) style.crosshair(Math.min(Math.max(own.weapon, WEAPON.HAMMER), WEAPON.NINJA), own.x + input.x, own.y + input.y);
	}

	/** The crosshair replaces the pointer while the player has a tee. */
	update() {
		this.game.stage.classList.toggle('aiming', this.game.connection.match.own !== null && this.game.input.enabled && !this.game.moment?.view.spectating);
	}
}
