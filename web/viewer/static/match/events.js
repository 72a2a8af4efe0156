/**
 * The messages of a recording, kept by tick so that the viewer can go back.
 * @module
 */

import { CHUNK, ChunkReader, SnapshotReader } from '../wire/demo.js';
import { WireError } from '../wire/error.js';
import { DeClientInfo, GameData } from '../wire/schema7_gen.js';
import { isValid } from '../wire/objects.js';
import { unpackText } from '../wire/unpacker.js';
import { markText } from './marks.js';
import { clean } from './text.js';
import { MARK, STATE, TEAM, TICKS_PER_SECOND } from './types.js';

/** The maximum number kept of each kind in a recording; the oldest are dropped. */
const MAX_EVENTS = 20_000;

/**
 * Events of one kind, by tick.
 * @template {{ tick: number }} T
 */
export class Track {
	/** @param {number} most the number of kept events */
	constructor(most) {
		this.most = most;
		/** @type {T[]} */
		this.events = [];
	}

	/**
	 * Inserts events, which are sorted, as one block.
	 * @param {T[]} events
	 */
	insert(events) {
		if (events.length === 0) return;
		if (events.length > this.most) events = events.slice(-this.most);
		this.events.splice(this.upTo(events[0].tick), 0, ...events);
		if (this.events.length > this.most) this.events.splice(0, this.events.length - this.most);
	}

	/**
	 * Returns the number of events up to a tick.
	 * @param {number} tick
	 */
	upTo(tick) {
		let lo = 0, hi = this.events.length;
		while (lo < hi) {
			const mid = lo + hi >> 1;
			if (this.events[mid].tick <= tick) lo = mid + 1;
			else hi = mid;
		}
		return lo;
	}
}

/**
 * @typedef {{ tick: number, id: number, emoticon: number }} EmoticonEvent
 * @typedef {{ tick: number, apply: (vote: import('./types.js').Vote) => void }} VoteEvent
 */

/** All events of a recording. */
export class Events {
	/** @param {number} [most] the number of kept events of each kind */
	constructor(most = MAX_EVENTS) {
		/** @type {Track<import('./types.js').ChatLine>} */
		this.chat = new Track(most);
		/** @type {Track<import('./types.js').Kill>} */
		this.kills = new Track(most);
		/** @type {Track<EmoticonEvent>} */
		this.emoticons = new Track(most);
		/** @type {Track<import('./types.js').Broadcast>} */
		this.broadcasts = new Track(most);
		/** @type {Track<VoteEvent>} */
		this.votes = new Track(most);
		/** @type {Track<import('./types.js').Mark>} */
		this.marks = new Track(most);
		/** Grows with every change. */
		this.version = 0;
	}

	/** @param {Reading} r */
	insert(r) {
		for (const name of TRACKS) this[name].insert(/** @type {any} */ (r[name]));
		this.version++;
	}
}

/** @type {['chat', 'kills', 'emoticons', 'broadcasts', 'votes', 'marks']} */
const TRACKS = ['chat', 'kills', 'emoticons', 'broadcasts', 'votes', 'marks'];

/** The events of a part of a recording that begins with a keyframe or continues another part. */
export class Reading {
	constructor() {
		/** @type {import('./types.js').ChatLine[]} */
		this.chat = [];
		/** @type {import('./types.js').Kill[]} */
		this.kills = [];
		/** @type {EmoticonEvent[]} */
		this.emoticons = [];
		/** @type {import('./types.js').Broadcast[]} */
		this.broadcasts = [];
		/** @type {VoteEvent[]} */
		this.votes = [];
		/** @type {import('./types.js').Mark[]} */
		this.marks = [];
		/** @type {string[]} */
		this.names = [];
		/** @type {number[]} */
		this.teams = [];
		this.over = false;
		this.count = 0;
		/**
		 * Texts of the current tick. A server's demo can contain a text once for each client.
		 * @type {Set<string>}
		 */
		this.said = new Set();
		this.saidAt = -1;
	}

	/** Drops the events, but keeps the players. */
	clear() {
		for (const name of TRACKS) this[name] = [];
	}

	/**
	 * Reads the players from a keyframe.
	 * @param {import('../wire/snapshot.js').Snapshot} s
	 * @param {number} tick
	 */
	keyframe(s, tick) {
		for (let i = s.search(DeClientInfo.TYPE << 16); i < s.length && s.keys[i] >>> 16 === DeClientInfo.TYPE; i++) {
			const id = s.keys[i] & 0xffff;
			if (id >= 64 || !isValid(s, i)) continue;
			this.names[id] = clean(unpackText(s.ints, s.offsets[i] + DeClientInfo.Name, 4));
			this.teams[id] = s.ints[s.offsets[i] + DeClientInfo.Team];
		}
		const at = s.find(GameData.TYPE, 0);
		if (at < 0) return;
		const over = (s.ints[at + GameData.StateFlags] & (STATE.ROUND_OVER | STATE.GAME_OVER)) !== 0;
		if (over && !this.over) this.#mark(tick, MARK.ROUND, -1, -1);
		this.over = over;
	}

	/** @param {number} id */
	#name(id) {
		return this.names[id] ?? '';
	}

	/** @param {number} id */
	#team(id) {
		return this.teams[id] ?? TEAM.SPECTATORS;
	}

	/**
	 * @param {number} tick
	 * @param {number} kind
	 * @param {number} id
	 * @param {number} other
	 * @param {string} [text]
	 */
	#mark(tick, kind, id, other, text = markText(kind, '', '', other, 0)) {
		this.marks.push({ tick, kind, id, other, text });
	}

	/**
	 * @param {number} tick
	 * @param {number} id
	 * @param {number} mode
	 * @param {string} text
	 */
	#say(tick, id, mode, text) {
		this.chat.push({ key: tick * 64 + this.count++ % 64, tick, id, name: this.#name(id), team: this.#team(id), mode, text });
	}

	/**
	 * @param {import('../wire/objects.js').Message} m
	 * @param {number} tick
	 */
	message({ name, fields: f }, tick) {
		if (tick !== this.saidAt) {
			this.saidAt = tick;
			this.said.clear();
		}
		const all = `${name} ${Object.values(f)}`;
		if (this.said.has(all)) return;
		if (this.said.size < 1000) this.said.add(all);
		switch (name) {
			case 'Sv_Chat': {
				const text = clean(f.Message);
				this.#say(tick, f.ClientID, f.Mode, text);
				if (f.ClientID >= 0) this.#mark(tick, MARK.CHAT, f.ClientID, -1, `${this.#name(f.ClientID)}: ${text}`);
				break;
			}
			case 'Sv_Team':
				if (f.ClientID >= 0) this.teams[f.ClientID] = f.Team;
				break;
			case 'Sv_KillMsg': {
				const killer = this.#name(f.Killer), victim = this.#name(f.Victim);
				// A negative id is a player of team red or blue who has left.
				const killerTeam = f.Killer < 0 ? -1 - f.Killer : this.#team(f.Killer);
				this.kills.push({
					key: tick * 64 + this.count++ % 64, tick, killer: f.Killer, victim: f.Victim, killerName: killer, victimName: victim,
					killerTeam, victimTeam: this.#team(f.Victim), weapon: f.Weapon, flags: f.ModeSpecial,
				});
				if (f.Weapon === -3) break; // left or changed team
				this.#mark(tick, MARK.KILL, f.Killer, f.Victim, markText(MARK.KILL, f.Killer === f.Victim || f.Weapon < 0 ? '' : killer, victim, -1, 0));
				break;
			}
			case 'Sv_Emoticon':
				this.emoticons.push({ tick, id: f.ClientID, emoticon: f.Emoticon });
				break;
			case 'Sv_Broadcast':
				this.broadcasts.push({ tick, text: f.Message.split('\n').map(clean).join('\n') });
				break;
			case 'Sv_VoteSet': {
				const running = f.Timeout > 0, description = clean(f.Description), reason = clean(f.Reason);
				this.votes.push({ tick, apply: (v) => {
					v.active = running;
					v.description = description;
					v.reason = reason;
					v.caller = f.ClientID;
					v.endTick = tick + f.Timeout * TICKS_PER_SECOND;
					v.yes = v.no = v.total = 0;
				} });
				break;
			}
			case 'Sv_VoteStatus':
				this.votes.push({ tick, apply: (v) => {
					v.yes = f.Yes;
					v.no = f.No;
					v.total = f.Total;
				} });
				break;
			case 'Sv_GameMsg': this.#gameMessage(tick, f.Kind, f.Params); break;
			case 'Sv_RaceFinish':
				if (f.Time >= 0) this.#mark(tick, MARK.FINISH, f.ClientID, -1, markText(MARK.FINISH, this.#name(f.ClientID), '', -1, f.Time));
				break;
			case 'De_ClientEnter':
				if (f.ClientID < 0) break;
				this.names[f.ClientID] = clean(f.Name);
				this.teams[f.ClientID] = f.Team;
				this.#say(tick, -1, 1, `${this.#name(f.ClientID)} entered the game`);
				break;
			case 'De_ClientLeave': {
				const reason = clean(f.Reason);
				this.#say(tick, -1, 1, `${clean(f.Name)} has left the game${reason ? ` (${reason})` : ''}`);
			}
		}
	}

	/**
	 * @param {number} tick
	 * @param {number} kind
	 * @param {number[]} p
	 */
	#gameMessage(tick, kind, p) {
		switch (kind) {
			case 0: this.#say(tick, -1, 1, 'The teams were swapped'); break;
			case 2: this.#say(tick, -1, 1, 'The teams were shuffled'); break;
			case 3: this.#say(tick, -1, 1, 'The teams were balanced'); break;
			case 4: this.#mark(tick, MARK.DROP, -1, -1); break;
			case 5: this.#mark(tick, MARK.RETURN, -1, -1); break;
			case 8: this.#mark(tick, MARK.GRAB, -1, p[0]); break;
			case 9: {
				const text = markText(MARK.CAPTURE, this.#name(p[1]), '', p[0], p[2]);
				this.#say(tick, -1, 1, text);
				this.#mark(tick, MARK.CAPTURE, p[1], p[0], text);
				break;
			}
			case 10: this.#say(tick, -1, 1, `${this.#name(p[0])} paused the game`);
		}
	}
}

/**
 * Reads the events of a part of a recording. It reads only those snapshots that are keyframes.
 * @param {Reading} r
 * @param {ChunkReader} chunks
 * @param {(tick: number, start: number) => void} [onKeyframe] called with the position of the
 *   keyframe's marker
 */
export function readEvents(r, chunks, onKeyframe) {
	const snapshots = new SnapshotReader();
	for (;;) {
		try {
			if (!chunks.advance()) return;
			if (chunks.unknown) continue;
			switch (chunks.kind) {
				case CHUNK.TICK:
					if (chunks.keyframe) onKeyframe?.(chunks.tick, chunks.start);
					break;
				case CHUNK.MESSAGE:
					if (chunks.tick >= 0) r.message(chunks.message(), chunks.tick);
					break;
				case CHUNK.SNAPSHOT: {
					const s = snapshots.read(chunks);
					if (s) r.keyframe(s, chunks.tick);
				}
			}
		} catch (e) {
			if (!(e instanceof WireError)) throw e; // the other messages are read from the next chunk on
		}
	}
}
