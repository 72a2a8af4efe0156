/**
 * The card in place of a match that is not shown yet: where the page is, what it loads, and how far
 * it is.
 *
 * @module
 */

import { byId, setText } from './dom.js';

export class Loading {
	constructor() {
		this.place = byId('place');
		this.what = byId('loaded');
		this.bar = /** @type {HTMLProgressElement} */ (byId('progress'));
		this.map = this.type = '';
		this.shows({ map: '', received: 0, total: 0 });
	}

	/** @param {import('./serverinfo.js').ServerInfo} info of the server */
	server(info) {
		setText(this.place, info.name || info.address);
		this.map ||= info.map?.name ?? '';
		this.type = info.gameType;
		this.#name();
	}

	#name() {
		setText(this.what, [this.map, this.type].filter(Boolean).join(' · '));
	}

	/**
	 * Shows how much of a map is loaded.
	 * @param {{ map: string, received: number, total: number }} load total is 0 if it is unknown
	 */
	shows({ map, received, total }) {
		this.map = map || this.map;
		this.#name();
		if (total > 0) this.bar.value = Math.min(received / total, 1);
		else this.bar.removeAttribute('value');
	}

	/** Shows no progress, since there is nothing to load. @param {boolean} on */
	waits(on) {
		this.bar.hidden = on;
	}
}
