/**
 * What players say and vote about, for those who only watch.
 *
 * @module
 */

import { CHAT, TICKS_PER_SECOND } from '../match/types.js';
import { byId, make, setText } from './dom.js';
import { teamClass } from './hud.js';

/** @typedef {import('../match/types.js').Moment} Moment */

const CHAT_TICKS = 16 * TICKS_PER_SECOND;
const MAX_CHAT = 8;

export class Talk {
	constructor() {
		this.chat = byId('chat');
		this.vote = byId('vote');
		/** The lines by key. Screen readers read each line once. @type {Map<string, HTMLElement>} */
		this.lines = new Map();
	}

	/** @param {Moment} m */
	update(m) {
		this.updateChat(m);
		const v = m.vote;
		setText(this.vote, v.active ? `Vote: ${v.description}${v.reason ? ` (${v.reason})` : ''}. Yes ${v.yes}, no ${v.no}` : '');
	}

	/** @param {Moment} m */
	updateChat(m) {
		const { lines } = this, old = new Set(lines.keys());
		let after = /** @type {HTMLElement | null} */ (null);
		for (let i = Math.max(0, m.chat.length - MAX_CHAT); i < m.chat.length; i++) {
			const c = m.chat.items[i];
			if (m.tick - c.tick >= CHAT_TICKS) continue;
			const key = `${c.key} ${c.name} ${c.text}`; // the next match may use the same keys
			old.delete(key);
			let line = lines.get(key);
			if (!line) {
				lines.set(key, line = chatLine(m, c));
				if (after) after.after(line);
				else this.chat.prepend(line);
			}
			after = line;
		}
		for (const key of old) {
			lines.get(key)?.remove();
			lines.delete(key);
		}
	}
}

/** @param {Moment} m @param {import('../match/types.js').ChatLine} c */
function chatLine(m, c) {
	const li = make('li', c.id < 0 ? 'server' : c.mode === CHAT.TEAM ? 'team' : '');
	if (c.id >= 0) li.append(make('span', teamClass(m, c.team), c.name), ': ');
	li.append(c.text);
	return li;
}
