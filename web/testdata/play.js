/**
 * A player in a browser that speaks 0.6 or 0.7 with datagrams in WebSocket messages.
 * @module
 */

import { decompress } from '/viewer/wire/huffman.js';
import { GameData, OBJECTS } from '/viewer/wire/schema7_gen.js';
import { Unpacker } from '/viewer/wire/unpacker.js';

const CONTROL = 1, VITAL = 1;

/** The differences between the versions. The sizes belong to objects that are sent without one. */
const VERSIONS = {
	'0.6': {
		net: '0.6 626fce9a778df4d4', header: 3, control: 1, compressed: 8, sizeBits: 4,
		mapChange: 2, conReady: 4, snap: 5, snapEmpty: 6, snapSingle: 7, ready: 14, enterGame: 15, input: 16, startInfo: 20, say: 17, chat: 3, readyToEnter: 8,
		sizes: [0, 10, 6, 5, 4, 3, 8, 4, 15, 22, 5, 17, 3, 2, 2, 2, 2, 3, 3, 3, 3], gameType: 6, over: 1,
	},
	'0.7': {
		net: '0.7 802f1be60a05665f', header: 7, control: 1, compressed: 4, sizeBits: 6,
		mapChange: 2, conReady: 5, snap: 6, snapEmpty: 7, snapSingle: 8, ready: 18, enterGame: 19, input: 20, startInfo: 27, say: 24, chat: 3, readyToEnter: 8,
		sizes: OBJECTS.map((o) => o && !o.dynamic ? o.size : 0), gameType: GameData.TYPE, over: 8,
	},
};

/** @param {number} v */
function int(v) {
	const sign = v < 0 ? 0x40 : 0;
	let u = v < 0 ? ~v : v;
	const b = [sign | u & 0x3f];
	for (u >>>= 6; u > 0; u >>>= 7) {
		b[b.length - 1] |= 0x80;
		b.push(u & 0x7f);
	}
	return b;
}

/** @param {...(number | string)} values */
function pack(...values) {
	return values.flatMap((v) => typeof v === 'number' ? int(v) : [...new TextEncoder().encode(v), 0]);
}

/**
 * Plays until the match is over, and returns what it saw.
 * @param {string} url
 * @param {'0.6' | '0.7'} version
 * @param {string} name
 */
export function play(url, version, name) {
	const v = VERSIONS[version], is7 = version === '0.7';
	const seen = { protocol: '', map: '', snapshots: 0, wrong: 0, first: 0, last: 0, objects: 0, chat: [], over: false, reason: '' };
	const ws = new WebSocket(url, ['binary']);
	ws.binaryType = 'arraybuffer';
	const mine = [1, 2, 3, 4];
	let theirs = [255, 255, 255, 255];
	let ack = 0, sequence = 0, entered = false, spoken = false, timer = 0, prediction = 0;
	/** @type {Map<number, Map<number, number[]>>} */
	const snapshots = new Map([[-1, new Map()]]);
	/** @type {{tick: number, parts: Uint8Array[]}} */
	let collected = { tick: -1, parts: [] };

	/** @param {number} flags @param {number} chunks @param {number[]} payload */
	const send = (flags, chunks, payload) => {
		const head = is7 ? [flags << 2 | ack >> 8, ack & 255, chunks, ...theirs] : [flags << 4 | ack >> 8, ack & 255, chunks];
		ws.send(Uint8Array.from([...head, ...payload, ...(is7 ? [] : theirs)]));
	};
	/** @param {boolean} system @param {number} id @param {number[]} body @param {boolean} vital */
	const message = (system, id, body, vital = true) => {
		const m = [...int(id << 1 | +system), ...body];
		const head = [(vital ? VITAL : 0) << 6 | m.length >> v.sizeBits, m.length & (1 << v.sizeBits) - 1];
		if (vital) {
			sequence = sequence + 1 & 1023;
			head[1] |= sequence >> 2 & (is7 ? 0xc0 : 0xf0);
			head.push(sequence & 255);
		}
		send(0, 1, [...head, ...m]);
	};
	const connect = () => {
		if (is7) send(CONTROL, 0, [5, ...mine, ...new Array(508).fill(0)]);
		else send(CONTROL, 0, [1, ...new TextEncoder().encode('TKEN')]);
	};
	const info = () => message(true, 1, is7 ? pack(v.net, '', 0x0705) : pack(v.net, ''));

	/** @param {Map<number, number[]>} base @param {Uint8Array} data */
	const delta = (base, data) => {
		const u = new Unpacker().reset(data, 0, data.length), next = new Map(base);
		if (u.left === 0) return next;
		const deleted = u.int(), updated = u.int();
		u.int();
		for (let i = 0; i < deleted; i++) next.delete(u.int());
		for (let i = 0; i < updated; i++) {
			const type = u.int(), id = u.int(), n = v.sizes[type] || u.int();
			const old = base.get(type << 16 | id);
			next.set(type << 16 | id, Array.from({ length: n }, (_, k) => u.int() + (old ? old[k] : 0) | 0));
		}
		return next;
	};
	/** @param {number} tick @param {number} from @param {number} crc @param {Uint8Array} data */
	const snapshot = (tick, from, crc, data) => {
		const base = snapshots.get(from);
		if (!base) { seen.wrong++; return; }
		const s = delta(base, data);
		let sum = 0;
		for (const o of s.values()) for (const x of o) sum = sum + x | 0;
		if (sum !== crc) seen.wrong++;
		for (const t of snapshots.keys()) if (t >= 0 && t < from) snapshots.delete(t);
		snapshots.set(tick, s);
		seen.snapshots++;
		seen.first ||= tick;
		seen.last = tick;
		seen.objects = Math.max(seen.objects, s.size);
		for (const [key, o] of s) if (key >> 16 === v.gameType && (o[1] & v.over) !== 0) seen.over = true;
		prediction = Math.max(prediction + 1, tick + 3);
		const [direction, fire] = [tick >> 6 & 1 ? 1 : -1, tick >> 3 & 63];
		message(true, v.input, pack(tick, prediction, 40, direction, 100, -20, tick & 1, fire, tick >> 5 & 1, 0, 0, 0, 0), false);
	};
	/** @param {Uint8Array} b */
	const handle = (b) => {
		const u = new Unpacker().reset(b, 0, b.length), id = u.int();
		if ((id & 1) === 0) {
			if (id >> 1 === v.readyToEnter) message(true, v.enterGame, []);
			else if (id >> 1 === v.chat) {
				for (let i = is7 ? 3 : 2; i > 0; i--) u.int();
				seen.chat.push(u.string());
			}
			return;
		}
		switch (id >> 1) {
			case v.mapChange:
				seen.map = u.string();
				message(true, v.ready, []);
				break;
			case v.conReady:
				message(false, v.startInfo, is7
					? pack(name, '', -1, 'standard', '', '', 'standard', 'standard', 'standard', ...new Array(6).fill(0), ...new Array(6).fill(0))
					: pack(name, '', -1, 'default', 0, 0, 0));
				break;
			case v.snapEmpty: case v.snapSingle: case v.snap: {
				const tick = u.int(), from = tick - u.int();
				const parts = id >> 1 === v.snap ? u.int() : 1, part = id >> 1 === v.snap ? u.int() : 0;
				const crc = id >> 1 === v.snapEmpty ? 0 : u.int(), size = id >> 1 === v.snapEmpty ? 0 : u.int();
				if (collected.tick !== tick) collected = { tick, parts: [] };
				collected.parts[part] = b.slice(u.pos, u.pos + size);
				if (Object.keys(collected.parts).length < parts) break;
				if (id >> 1 === v.snapEmpty) {
					let sum = 0;
					for (const o of snapshots.get(from)?.values() ?? []) for (const x of o) sum = sum + x | 0;
					snapshot(tick, from, sum, new Uint8Array(0));
					break;
				}
				const data = new Uint8Array(collected.parts.reduce((n, p) => n + p.length, 0));
				collected.parts.reduce((at, p) => { data.set(p, at); return at + p.length; }, 0);
				snapshot(tick, from, crc, data);
			}
		}
	};
	/** @param {Uint8Array} b */
	const receive = (b) => {
		const flags = is7 ? b[0] >> 2 : b[0] >> 4;
		let payload = b.slice(v.header);
		if ((flags & v.control) !== 0) {
			switch (payload[0]) {
				case 5: // the token of 0.7
					theirs = [...payload.slice(1, 5)];
					send(CONTROL, 0, [1, ...mine, ...new Array(508).fill(0)]);
					break;
				case 2: // accepted
					if (!is7) {
						theirs = [...payload.slice(5, 9)];
						send(CONTROL, 0, [3]);
					}
					if (!entered) info();
					entered = true;
					break;
				case 4:
					seen.reason = new TextDecoder().decode(payload.slice(1, is7 ? -1 : -5)) || 'closed';
					ws.close();
			}
			return;
		}
		if ((flags & v.compressed) !== 0) {
			const plain = new Uint8Array(2048);
			payload = plain.slice(0, decompress(payload, 0, payload.length, plain));
		}
		for (let i = 0, at = 0; i < b[2]; i++) {
			const vital = (payload[at] >> 6 & VITAL) !== 0;
			const size = (payload[at] & 0x3f) << v.sizeBits | payload[at + 1] & (1 << v.sizeBits) - 1;
			let skip = false;
			if (vital) {
				const s = (payload[at + 1] & (is7 ? 0xc0 : 0xf0)) << 2 | payload[at + 2];
				if (s === (ack + 1 & 1023)) ack = s;
				else skip = true;
			}
			at += vital ? 3 : 2;
			if (!skip) handle(payload.subarray(at, at + size));
			at += size;
		}
	};
	return new Promise((resolve) => {
		ws.onopen = () => {
			seen.protocol = ws.protocol;
			connect();
			timer = setInterval(() => {
				if (seen.over || seen.reason) {
					if (!seen.reason) send(CONTROL, 0, [4]);
					ws.close();
				} else if (seen.snapshots > 10 && !spoken) {
					spoken = true;
					message(false, v.say, is7 ? pack(1, -1, 'hello from ' + version) : pack(0, 'hello from ' + version));
				}
			}, 50);
		};
		ws.onmessage = (m) => receive(new Uint8Array(m.data));
		ws.onclose = () => { clearInterval(timer); resolve(seen); };
	});
}
