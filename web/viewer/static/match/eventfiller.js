/**
 * Fills the parts of a Moment that come from messages: chat, kills, broadcast, vote, emoticons.
 * @module
 */

import { MAX_PLAYERS } from './moment.js';
import { TICKS_PER_SECOND } from './types.js';

const MAX_CHAT = 50;
const KILL_TICKS = 10 * TICKS_PER_SECOND;
const EMOTICON_TICKS = 2 * TICKS_PER_SECOND;
const BROADCAST_TICKS = 10 * TICKS_PER_SECOND;
/** The number of vote events that are applied; a vote has one per player. */
const MAX_VOTE_EVENTS = 128;

export class EventFiller {
	#filledAt = -1;
	#version = -1;
	/** @type {Array<import('./events.js').EmoticonEvent | null>} */
	#emoticons = new Array(MAX_PLAYERS).fill(null);

	/**
	 * @param {import('./types.js').Moment} m
	 * @param {import('./events.js').Events} e
	 * @param {number} tick
	 */
	fill(m, e, tick) {
		const now = Math.floor(tick);
		if (now !== this.#filledAt || e.version !== this.#version) {
			this.#filledAt = now;
			this.#version = e.version;
			fillList(m.chat, e.chat, now, MAX_CHAT, -Infinity);
			fillList(m.kills, e.kills, now, MAX_CHAT, now - KILL_TICKS);
			const said = e.broadcasts.events[e.broadcasts.upTo(now) - 1];
			m.broadcast.text = said && now - said.tick < BROADCAST_TICKS ? said.text : '';
			m.broadcast.tick = said ? said.tick : 0;
			m.vote.active = false;
			const votes = e.votes.upTo(now);
			for (let k = Math.max(0, votes - MAX_VOTE_EVENTS); k < votes; k++) e.votes.events[k].apply(m.vote);
			if (m.vote.endTick <= now) m.vote.active = false;
			this.#emoticons.fill(null);
			for (let k = e.emoticons.upTo(now) - 1; k >= 0 && now - e.emoticons.events[k].tick < EMOTICON_TICKS; k--) {
				const one = e.emoticons.events[k];
				this.#emoticons[one.id] ??= one;
			}
		}
		for (let n = 0; n < m.tees.length; n++) {
			const t = m.tees.items[n], one = this.#emoticons[t.id];
			t.emoticon = one ? one.emoticon : -1;
			t.emoticonTick = one ? one.tick : 0;
		}
	}
}

/**
 * Fills a list with the last events up to a tick.
 * @template {{ tick: number }} T
 * @param {import('./types.js').List<T>} list
 * @param {import('./events.js').Track<T>} track
 * @param {number} tick
 * @param {number} most
 * @param {number} from
 */
function fillList(list, track, tick, most, from) {
	const end = track.upTo(tick);
	let k = Math.max(0, end - most);
	while (k < end && track.events[k].tick < from) k++;
	list.length = 0;
	for (; k < end; k++) list.items[list.length++] = track.events[k];
}
