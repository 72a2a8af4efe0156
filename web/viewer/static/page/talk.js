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
		this.chatKeys = '';
	}

	/** @param {Moment} m */
	update(m) {
		this.updateChat(m);
		const v = m.vote;
		setText(this.vote, v.active ? `Vote: ${v.description}${v.reason ? ` (${v.reason})` : ''}. Yes ${v.yes}, no ${v.no}` : '');
	}

	/** @param {Moment} m */
	updateChat(m) {
		let keys = '';
		const first = Math.max(0, m.chat.length - MAX_CHAT);
		for (let i = first; i < m.chat.length; i++) if (m.tick - m.chat.items[i].tick < CHAT_TICKS) keys += m.chat.items[i].key + ' ';
		if (keys === this.chatKeys) return;
		this.chatKeys = keys;
		const lines = [];
		for (let i = first; i < m.chat.length; i++) if (m.tick - m.chat.items[i].tick < CHAT_TICKS) lines.push(chatLine(m, m.chat.items[i]));
		this.chat.replaceChildren(...lines);
	}
}

/** @param {Moment} m @param {import('../match/types.js').ChatLine} c */
function chatLine(m, c) {
	const li = make('li', c.id < 0 ? 'server' : c.mode === CHAT.TEAM ? 'team' : '');
	if (c.id >= 0) li.append(make('span', teamClass(m, c.team), c.name), ': ');
	li.append(c.text);
	return li;
}
