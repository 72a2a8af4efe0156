// Functions that the reader tests run in the page.

import { CHUNK, ChunkReader, SnapshotReader, readHeader } from '/viewer/wire/demo.js';
import { WireError } from '/viewer/wire/error.js';
import { OBJECTS } from '/viewer/wire/schema7_gen.js';
import { isValid, readMessage, readObject } from '/viewer/wire/objects.js';
import { EMPTY, applyDelta } from '/viewer/wire/snapshot.js';
import { Unpacker } from '/viewer/wire/unpacker.js';

const load = async (name) => new Uint8Array(await (await fetch(name)).arrayBuffer());

function hash(s) {
	let h = 0x811c9dc5;
	const add = (v) => { h = Math.imul(h ^ v, 16777619); };
	for (let i = 0; i < s.length; i++) {
		add(s.keys[i]);
		add(isValid(s, i) ? 1 : 0);
		for (let p = s.offsets[i]; p < s.offsets[i + 1]; p++) add(s.ints[p]);
	}
	return `${s.length} ${h >>> 0}`;
}

// Runs f. It may throw only a WireError.
function attempt(f) {
	try {
		return f();
	} catch (e) {
		if (!(e instanceof WireError)) throw e;
		return 'error';
	}
}

function transcribeDemo(file, objectsOf) {
	const lines = [];
	const header = attempt(() => readHeader(file));
	if (header === 'error' || header.size + header.mapSize > file.length) return ['error'];
	const chunks = new ChunkReader(file, header.size + header.mapSize);
	const snapshots = new SnapshotReader();
	let n = 0;
	for (;;) {
		const more = attempt(() => chunks.advance());
		if (more === false) break;
		if (more === 'error' || chunks.unknown) {
			lines.push('error');
			continue;
		}
		switch (chunks.kind) {
			case CHUNK.TICK:
				lines.push(`tick ${chunks.tick} ${chunks.keyframe}`);
				break;
			case CHUNK.MESSAGE: {
				const m = attempt(() => chunks.message());
				lines.push(m === 'error' || m.name === '' ? 'no message' : `message ${m.name} ${JSON.stringify(m.fields)}`);
				break;
			}
			default: {
				const s = attempt(() => snapshots.read(chunks));
				lines.push(s === null || s === 'error' ? 'nothing' : `snapshot ${hash(s)}`);
				if (s && s !== 'error' && n++ % objectsOf === 0) {
					for (let i = 0; i < s.length; i++) {
						const type = s.keys[i] >>> 16;
						if (isValid(s, i)) lines.push(`object ${OBJECTS[type].name} ${s.keys[i] & 0xffff} ${JSON.stringify(readObject(type, s.ints, s.offsets[i]))}`);
					}
				}
			}
		}
	}
	if (chunks.cutOff) lines.push('cut off');
	return lines;
}

// Describes a demo, a line for each chunk, with the objects of every objectsOf-th snapshot.
export async function demo(name, objectsOf) {
	return transcribeDemo(await load(name), objectsOf);
}

// The same for consecutive files, each preceded by its size in 4 bytes.
export async function demos(name) {
	const all = await load(name), view = new DataView(all.buffer), lines = [];
	for (let at = 0; at < all.length;) {
		const n = view.getUint32(at);
		lines.push(transcribeDemo(all.subarray(at + 4, at + 4 + n), 1 << 30).join('\n'));
		at += 4 + n;
	}
	return lines;
}

// Applies the deltas of a capture, and describes the results.
export async function deltas(name) {
	const file = await load(name), view = new DataView(file.buffer), lines = [];
	const at = new Map([[-1, EMPTY]]);
	for (let p = 0; p < file.length;) {
		const n = view.getUint32(p + 12, true);
		const s = applyDelta(at.get(view.getInt32(p + 4, true)), new Unpacker().reset(file, p + 16, p + 16 + n));
		at.set(view.getInt32(p, true), s);
		let crc = 0;
		for (const v of s.ints.subarray(0, s.offsets[s.length])) crc = crc + v | 0;
		lines.push(`${hash(s)} ${crc}`);
		p += 16 + n;
	}
	return lines;
}

// Reads consecutive messages, each preceded by its size in 4 bytes.
export async function messages(name) {
	const file = await load(name), view = new DataView(file.buffer), lines = [];
	for (let at = 0; at < file.length;) {
		const n = view.getUint32(at);
		const m = attempt(() => readMessage(file, at + 4, at + 4 + n));
		lines.push(m === 'error' || m.name === '' ? 'no message' : `message ${m.name} ${JSON.stringify(m.fields)}`);
		at += 4 + n;
	}
	return lines;
}

// Reads the integers of a file up to its end or up to a truncated one.
export async function integers(name) {
	const file = await load(name), u = new Unpacker().reset(file, 0, file.length), out = [];
	while (u.left > 0) {
		const v = attempt(() => u.int());
		if (v === 'error') break;
		out.push(v);
	}
	return out;
}
