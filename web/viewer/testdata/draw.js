// Functions for the tests of draw/.
import { readMap } from '/viewer/draw/mapfile.js';
import { Actors } from '/viewer/draw/actors.js';
import { Camera } from '/viewer/draw/camera.js';
import { Effects } from '/viewer/draw/effects.js';
import { marksOf } from '/viewer/draw/racetiles.js';
import { Looks } from '/viewer/draw/skins.js';
import { Scene } from '/viewer/draw/scene.js';
import { newFrame } from '/viewer/match/moment.js';
import { EFFECT, GAME } from '/viewer/match/types.js';
import { stateText } from '/viewer/page/hud.js';
import { Snapshot } from '/viewer/wire/snapshot.js';
import { list, moment, show, tee } from '/test/moments.js';

/** FNV-1a, as hash/fnv. */
function hash(bytes) {
	let h = 0x811c9dc5;
	for (let i = 0; i < bytes.length; i++) h = Math.imul(h ^ bytes[i], 0x01000193);
	return h >>> 0;
}

const load = async (url) => new Uint8Array(await (await fetch(url)).arrayBuffer());

/** The content of a map, with hashes of large parts. */
export async function describeMap(url) {
	const map = await readMap(await load(url));
	const lines = [`game ${map.game.width}x${map.game.height} ${hash(map.game.tiles)}`];
	for (const [name, data] of Object.entries(map.race)) if (data) lines.push(`${name} ${hash(data)}`);
	for (const i of map.images) lines.push(`image ${i.name} ${i.width}x${i.height} ${i.external} ${i.pixels ? hash(i.pixels) : 0}`);
	for (const e of map.envelopes) for (const p of e.points) lines.push(`point ${p.time} ${p.curve} ${p.values} ${p.tangents.length ? p.tangents : Array(16).fill(0)}`);
	for (const g of map.groups) {
		const isGame = g.layers.includes(map.game);
		const c = g.clip;
		lines.push(isGame ? 'game group' : `group ${g.offsetX} ${g.offsetY} ${g.parallaxX} ${g.parallaxY} ${c ? [c.x, c.y, c.w, c.h] : ''}`);
		for (const l of g.layers) {
			if (l.type === 'tiles') lines.push(`tiles ${l.width}x${l.height} ${l.kind} ${l.detail} ${l.color} ${l.colorEnv} ${l.colorEnvOffset} ${l.image} ${hash(l.tiles)}`);
			else lines.push(`quads ${l.detail} ${l.image} ${hash(new Uint8Array(l.quads.buffer))}`);
		}
	}
	return lines;
}

/** Reads a damaged map repeatedly, and returns the errors that lack a readable text. */
export async function breakMap(url, times) {
	const good = await load(url);
	let seed = 1;
	const random = (n) => (seed = (Math.imul(seed, 1103515245) + 12345) >>> 0, (seed >>> 8) % n);
	const odd = [];
	for (let i = 0; i < times; i++) {
		const b = good.slice(0, random(4) ? good.length : random(good.length));
		for (let n = random(6); n >= 0 && b.length; n--) b[random(random(2) ? Math.min(b.length, 400) : b.length)] = random(2) ? random(256) : [0, 255, 127, 128][random(4)];
		try {
			await readMap(b);
		} catch (err) {
			if (!err.message.startsWith('The map cannot be shown: ')) odd.push(`${i}: ${err.stack}`);
		}
	}
	return odd;
}

/** The drawn DDRace tiles: column, row, area, sign, number and turn of each. */
export async function raceMarks(url) {
	const map = await readMap(await load(url));
	const { data } = marksOf(map);
	const out = [];
	for (let i = 0; i < data.length; i += 4) if (data[i] || data[i + 1]) out.push([i / 4 % map.game.width, Math.floor(i / 4 / map.game.width), ...data.slice(i, i + 4)].join(' '));
	return out;
}

/**
 * Makes an explosion above the ground of a map, and counts the particles inside the ground. Also
 * checks that they are at the same places after rewinding.
 */
export async function explode(url) {
	const map = await readMap(await load(url));
	const actors = Object.assign(new Actors(), { game: map.game });
	const effects = new Effects(actors);
	const style = { n: 0, inGround: 0, low: 0, places: '', particle(kind, x, y) {
		this.n++;
		if (actors.solid(x, y - 1)) this.inGround++;
		this.places += `${x} ${y},`;
	}, star() {} };
	const at = (tick) => {
		style.places = '';
		effects.drawParticles(m, Object.assign(style, { m: m.tick = tick }));
		return style.places;
	};
	let y = 200;
	while (!actors.solid(600, y)) y++;
	const e = (kind, key) => ({ key, kind, tick: 1000, x: 600, y: y - 16, id: -1, angle: 1, amount: 15, sound: -1, seed: 77 });
	const m = moment(1000, { effects: list([e(EFFECT.EXPLOSION, 1), e(EFFECT.DEATH, 2), e(EFFECT.SKID, 3)]) });
	for (let tick = 1000; tick < 1040; tick += 0.7) at(tick);
	const before = at(1020);
	for (let tick = 1000; tick <= 1020; tick += 0.3) at(tick);
	const again = at(1020);
	m.effects.items[2].y -= 200; // off the ground
	m.effects.items[2].key = 4;
	const air = at(1020);
	return { Particles: style.n, InGround: style.inGround, Same: before === again, Skid: before.split(',').length - air.split(',').length };
}

/** The packed colours of eyes, by name. */
export function eyes(...names) {
	return names.map((name, id) => new Looks().of({ id, team: 0, skin: { parts: ['standard', '', '', 'standard', 'standard', name], useCustomColors: Array(6).fill(false), colors: Array(6).fill(0) } }, 0, false).packed[5] & 0xff);
}

/** The effects of a character with a velocity, direction and tick, in a snapshot of tick 1000. */
export function skids(...characters) {
	return characters.map(([vx, direction, tick]) => {
		const ints = new Int32Array(22);
		ints.set([tick, 5000, 300, vx * 256, 0, 0, direction, 0, -1]);
		const s = new Snapshot(1, Uint32Array.of(10 << 16), Uint16Array.of(0, 22), ints);
		return newFrame(1000, 998, s).effects.map((e) => [e.kind, e.x, e.angle, e.amount].join(' ')).join();
	});
}

let scene, camera;

/** Puts a scene with a map into the page. */
export async function open(url, name, width, height, images = false) {
	const canvas = document.createElement('canvas');
	canvas.width = width;
	canvas.height = height;
	canvas.style = 'position: fixed; left: 0; top: 0';
	document.body.append(canvas);
	scene = new Scene(canvas);
	scene.showNames = false; // fonts differ
	scene.setMap(await readMap(await load(url)), name);
	if (images) {
		await scene.setImages('/viewer/data/', new Set(await (await fetch('/viewer/data/index.json')).json()), true);
		for (let i = 0; i < 2; i++) { // skins are loaded when first seen
			scene.draw(show(0, 0), new Camera());
			while ([...scene.atlas.places.values()].includes(null)) await new Promise(requestAnimationFrame);
		}
	}
	camera = new Camera();
	camera.resize(width, height);
}

/** Draws everything that can be drawn. */
export async function drawShow(x, y, zoom) {
	Object.assign(camera, { x, y, zoom });
	const m = show(x, y + 50);
	for (let i = 0; i < 3; i++) {
		await new Promise(requestAnimationFrame);
		scene.draw(m, camera);
	}
	return scene.gl.getError();
}

/** Draws a moment. */
export function drawMoment(m, x, y, zoom) {
	Object.assign(camera, { x, y, zoom });
	scene.draw(m, camera);
	return scene.gl.getError();
}

/** Draws a match with many players, and returns the median script time of a frame in ms. */
export async function measure(players, frames) {
	const m = moment(1000);
	const shown = show(1000, 500);
	for (let i = 0; i < players; i++) {
		m.tees.items.push(tee(i, 400 + (i % 16) * 80, 200 + Math.floor(i / 16) * 120, { weapon: i % 6, hookState: i % 2 ? 5 : 0, hookX: 600, hookY: 100, angle: i, attackTick: 999, emoticon: i % 16, emoticonTick: 980 }));
	}
	Object.assign(m, { projectiles: list([]), pickups: shown.pickups, lasers: shown.lasers, flags: shown.flags, effects: shown.effects });
	m.tees.length = players;
	for (let i = 0; i < 64; i++) m.projectiles.items.push({ ...shown.projectiles.items[i % 3], key: i });
	m.projectiles.length = 64;
	Object.assign(camera, { x: 1000, y: 400, zoom: 1.2 });
	scene.showNames = true;
	const times = [];
	for (let i = 0; i < frames; i++) {
		await new Promise(requestAnimationFrame);
		const before = performance.now();
		m.tick = 1000 + (i % 100) / 10;
		scene.draw(m, camera);
		times.push(performance.now() - before);
	}
	scene.showNames = false;
	return times.sort((a, b) => a - b)[Math.floor(frames / 2)];
}

/** Draws frames of the same match as measure, without pauses. */
export function drawMany(players, frames) {
	const m = show(1000, 500);
	const items = m.tees.items;
	m.tees.items = [];
	for (let i = 0; i < players; i++) m.tees.items.push({ ...items[i % items.length], id: i, x: 400 + (i % 16) * 80, emoticon: -1 });
	m.tees.length = players;
	Object.assign(camera, { x: 1000, y: 400, zoom: 1.2 });
	scene.showNames = true;
	for (let i = 0; i < frames; i++) {
		m.tick = 1000 + (i % 100) / 10;
		scene.draw(m, camera);
	}
	scene.showNames = false;
}

/** Draws a part of the map without players. */
export function drawMap(x, y, zoom) {
	Object.assign(camera, { x, y, zoom });
	scene.draw(moment(1000), camera);
	return scene.gl.getError();
}

/** The page's text for a score limit of 20, in a race and elsewhere. */
export function limitTexts() {
	const { game } = moment(1000);
	return [stateText({ ...game, flags: GAME.RACE }), stateText(game)];
}

/**
 * Draws a tee without images, with all except the body's, and with all. Returns the parts of each
 * drawing.
 */
export async function teesWithoutImages() {
	const { OriginalStyle } = await import('/viewer/draw/original.js');
	const { Pose } = await import('/viewer/draw/anim.js');
	let calls = new Set();
	const own = { hand: () => calls.add('own hand'), tee: () => calls.add('own tee') };
	const sprites = { add: () => calls.add('images'), image: () => calls.add('images') };
	const missing = new Set();
	let all = false;
	const atlas = { has: () => true, ready: (name) => all || (!name.includes('/body/') && missing.size === 0), part: () => ({ u0: 0, v0: 0, u1: 1, v1: 1 }) };
	const player = show(0, 0).players[2], look = new Looks().of(player, 0, false);
	const draw = () => {
		const style = new OriginalStyle(sprites, atlas, own);
		calls = new Set();
		style.tee(0, 0, new Pose(), 1, 0, 0, look, tee(2, 0, 0), player);
		style.hand(0, 0, 0, look, player, false);
		return [...calls].join(', ');
	};
	missing.add('all');
	const drawn = [draw()];
	missing.clear();
	drawn.push(draw());
	all = true;
	drawn.push(draw());
	return drawn;
}
