// Functions that the match tests run in the page.

import { openFile } from '/viewer/match/file.js';
import { Piece, Playback } from '/viewer/match/playback.js';

const sleep = (ms) => new Promise((f) => { setTimeout(f, ms); });

async function open(name) {
	return openFile(await (await fetch(name)).blob());
}

// Waits until a whole file has been read.
async function whole(match) {
	while (!match.ended) await sleep(1);
	return match;
}

// Returns the moment at a tick once it is ready.
async function ready(match, tick) {
	for (;;) {
		const m = match.at(tick);
		if (m.ready) return m;
		await sleep(1);
	}
}

const plain = (list) => list.items.slice(0, list.length);

// Returns the moments at some ticks as plain objects.
export async function moments(name, ticks, layer) {
	const match = await whole(await open(name));
	match.setTiles(layer.Width, layer.Height, new Uint8Array(await (await fetch('/tiles')).arrayBuffer()));
	const all = [];
	for (const tick of ticks) {
		const m = await ready(match, tick);
		all.push(JSON.parse(JSON.stringify({
			...m, tees: plain(m.tees), projectiles: plain(m.projectiles), lasers: plain(m.lasers), pickups: plain(m.pickups), flags: plain(m.flags),
			effects: plain(m.effects), players: m.players.filter((p) => p.active), chat: plain(m.chat), kills: plain(m.kills),
		})));
	}
	return { first: match.firstTick, last: match.lastTick, marks: match.marks, moments: all, problem: match.problem };
}

import { Live } from '/viewer/match/live.js';

let live, matches = [], status = '';

// Watches the test's server, with short times.
export function watch(options = {}) {
	live = new Live({ every: 5, onmatch: (m) => matches.push(m), onstatus: (s) => { status = s; }, ...options });
}

export function stop() {
	live.close();
}

// Waits until a tick of the last match is ready, and returns the state of the page. A negative tick
// counts from the end.
export async function show(tick) {
	const m = matches.at(-1);
	if (m) await ready(m, tick < 0 ? m.lastTick + 1 + tick : tick);
	return state();
}

// Requests a tick of the last match without waiting for it.
export function want(tick) {
	matches.at(-1).at(tick);
	return state();
}

// Starts loading a tick of the last match and the map, and then uses the map.
export async function prefetch(tick) {
	const m = matches.at(-1);
	m.prefetch(tick);
	const loading = m.pieces.filter((p) => p.loading).length;
	await m.map.load().catch(() => {});
	return loading;
}

// Returns the marks of the last match.
export function marks() {
	return matches.at(-1).marks;
}

// Returns the state of the page once f accepts it.
export async function until(f) {
	while (!f(state())) await sleep(1);
	return state();
}

export function state() {
	const m = matches.at(-1);
	return {
		Matches: matches.map((one) => one.id), Status: status, Problem: m?.problem, First: m?.firstTick, Last: m?.lastTick, Live: m?.live, Ended: m?.ended,
		Open: m?.pieces.filter((p) => p.frames).length, Marks: m?.marks.length, Tees: m?.filler.moment.tees.length, Map: m?.map.sha256,
	};
}

// Opens a file that the server may have to convert, and reads a moment in its middle.
export async function openOther(name) {
	try {
		const match = await whole(await open(name));
		const m = await ready(match, (match.firstTick + match.lastTick) / 2);
		return { First: match.firstTick, Last: match.lastTick, Tees: m.tees.length, Problem: match.problem };
	} catch (e) {
		return { Problem: e.message };
	}
}

// Opens files, each preceded by its size in 4 bytes, and reads many moments of each. Only a
// WireError may be thrown, and little may stay in memory, whatever the files contain.
export async function abuse(name, seed) {
	const all = new Uint8Array(await (await fetch(name)).arrayBuffer()), view = new DataView(all.buffer);
	const random = () => { seed = Math.imul(seed ^ seed >>> 15, 0x2c1b3c6d) + 0x9e3779b9 | 0; return (seed >>> 0) / 2 ** 32; };
	const result = { Files: 0, Opened: 0, Ready: 0, MostInts: 0, MostEvents: 0 };
	for (let at = 0; at < all.length;) {
		const n = view.getUint32(at), bytes = all.slice(at + 4, at + 4 + n);
		at += 4 + n;
		result.Files++;
		let match;
		try {
			match = await openFile(new Blob([bytes]));
		} catch (e) {
			if (e.name !== 'WireError') throw e;
			continue;
		}
		result.Opened++;
		await whole(match);
		for (let i = 0; i < 20; i++) {
			const tick = match.firstTick + random() * (match.lastTick - match.firstTick) * (i % 4 ? 1 : 2);
			for (let tries = 0; tries < 100 && !match.at(tick).ready && match.pieces.some((p) => p.loading); tries++) await sleep(1);
			if (match.at(tick).ready) result.Ready++;
		}
		result.MostInts = Math.max(result.MostInts, match.pieces.reduce((sum, p) => sum + p.ints, 0));
		for (const t of Object.values(match.events)) result.MostEvents = Math.max(result.MostEvents, t.events?.length ?? 0);
		match.close();
	}
	return result;
}

// Watches a match of many equal pieces to its end.
export async function watchLong(name, ticks) {
	const bytes = new Uint8Array(await (await fetch(name)).arrayBuffer());
	const match = new Playback({ name: '', sha256: '', load: async () => new Uint8Array() });
	let loads = 0;
	for (let tick = 0; tick < ticks; tick += 100) {
		match.add(new Piece(tick, async () => {
			loads++;
			const b = bytes.slice();
			new DataView(b.buffer).setInt32(1, tick); // of the first marker
			return b;
		}, false));
	}
	match.lastTick = ticks - 1;
	let open = 0, ints = 0;
	for (let tick = 0; tick < ticks; tick += 20) {
		await ready(match, tick);
		if (tick % 1000 === 0) {
			open = Math.max(open, match.pieces.filter((p) => p.frames).length);
			ints = Math.max(ints, match.pieces.reduce((sum, p) => sum + p.ints, 0));
		}
	}
	const m = match.filler.moment;
	return { Loads: loads, Open: open, Ints: ints, Events: match.marks.length, Objects: m.tees.items.length + m.projectiles.items.length + m.effects.items.length + m.chat.items.length };
}

// Returns the text at the end of a demo.
export async function ending(name) {
	return (await whole(await open(name))).ending;
}
