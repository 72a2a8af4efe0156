/**
 * The keys that a newcomer needs first, for some seconds after joining.
 *
 * @module
 */

import { make } from '../../viewer/page/dom.js';
import { label } from '../input/labels.js';

/** How long the keys are shown, in ms. */
const SHOWN = 9000;

/** The actions and their words; Escape has no action. @type {[string, string][]} */
const ACTIONS = [['', 'menu'], ['scoreboard', 'players'], ['chat', 'chat'], ['help', 'all keys']];

/** @implements {import('./game.js').Part} */
export class Hint {
	/** @param {import('./game.js').Game} game */
	constructor(game) {
		this.game = game;
		this.box = make('p', 'hud');
		this.box.id = 'hint';
		this.box.hidden = true;
		this.until = 0;
		game.stage.append(this.box);
		game.connection.addEventListener('entered', () => this.#show());
		for (const type of ['ended', 'crash']) game.connection.addEventListener(type, () => { this.box.hidden = true; });
	}

	#show() {
		const { bindings } = this.game.actions;
		this.until = performance.now() + SHOWN;
		this.box.hidden = this.game.touch.active;
		this.box.replaceChildren(...ACTIONS.flatMap(([action, word]) => {
			const key = action ? bindings.codes(action).find((code) => !code.startsWith('Pad')) : 'Escape';
			if (!key) return [];
			const item = make('span');
			item.append(make('kbd', '', action ? label(key) : 'Esc'), ` ${word}`);
			return [item];
		}));
	}

	/** @param {import('../../viewer/match/types.js').Moment} _m @param {number} now in ms */
	update(_m, now) {
		if (now > this.until) this.box.hidden = true;
	}
}
