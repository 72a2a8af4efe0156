/**
 * The text over the picture while the page connects and loads the map.
 *
 * @module
 */

import { byId, setText } from '../../viewer/page/dom.js';
import { CONNECTION } from '../engine/memory.js';

export class Loading {
	/** @param {import('./game.js').Game} game */
	constructor(game) {
		this.game = game;
		this.map = '';
		this.progress = '';
		const { connection } = game;
		connection.addEventListener('map_loading', (e) => {
			this.map = /** @type {CustomEvent} */ (e).detail.map;
			this.progress = '';
			this.update();
		});
		connection.addEventListener('download', (e) => {
			const { done, size } = /** @type {CustomEvent} */ (e).detail;
			if (size > 0) this.progress = `: ${Math.floor(100 * done / size)} %`;
		});
		setInterval(() => this.update(), 100);
	}

	/** Writes the text. */
	update() {
		const { connection, overlays } = this.game, { engine } = connection;
		const away = !engine, waits = !away && !(connection.playing && connection.map && connection.match.frames.length > 0);
		document.body.classList.toggle('loading', waits && this.map !== '');
		if (away) this.map = '';
		let text = '';
		if (waits && overlays.open?.name !== 'card') {
			if (engine.connection <= CONNECTION.CONNECTING) text = 'Connecting.';
			else text = connection.map ? 'Entering the match.' : this.map ? `Loading the map ${this.map}${this.progress}.` : 'Connecting.';
		}
		setText(byId('status'), text);
	}
}
