// An artificial match in the real page.
import { Viewer } from '/viewer/page/viewer.js';
import { list, moment, player, show, tee } from '/test/moments.js';

/** A match with everything in it, whose tees sway. */
export class MadeUpMatch {
	constructor(map, live) {
		this.map = { name: map, sha256: '', load: async () => new Uint8Array(await (await fetch(`/maps/${map}`)).arrayBuffer()) };
		this.live = live;
		this.firstTick = 0;
		this.lastTick = live ? 500 : 50000; // no test plays to its end
		this.ended = !live;
		this.problem = this.ending = '';
		this.marks = [{ tick: 100, kind: 0, id: 1, other: 2, text: 'tee 1 killed tee 2' }, { tick: 400, kind: 2, id: 3, other: 0, text: 'tee 3 captured the red flag' }];
		this.indexed = 500;
		this.closed = false;
		this.moment = show(1000, 420);
		const players = this.moment.players;
		for (const p of players) Object.assign(p, { active: p.id < 9, team: p.id % 2 });
		players[2].name = '<b>bold</b> & "quoted"';
		players[20] = player(20, { team: -1, name: 'a watcher' });
		this.moment.game.flags = 3;
		this.moment.game.scoreRed = 4;
		const said = (key, id, text) => ({ key, tick: 0, id, name: id < 0 ? '' : players[id].name, team: 0, mode: 1, text });
		this.moment.chat = list([said(1, 1, 'gg'), said(2, -1, "'tee 4' entered the game"), said(3, 2, '<img src=x onerror=alert(1)>')]);
		this.moment.kills = list([{ key: 1, tick: 0, killer: 1, victim: 2, killerName: 'tee 1', victimName: players[2].name, killerTeam: 1, victimTeam: 0, weapon: 3, flags: 1 }]);
	}
	at(tick) {
		const m = this.moment;
		m.tick = tick;
		m.prevTick = Math.floor(tick / 2) * 2;
		m.nextTick = m.prevTick + 2;
		for (let i = 0; i < m.tees.length; i++) m.tees.items[i].x += Math.sin(tick / 20 + i) * 0.5;
		return m;
	}
	setTiles() {}
	close() {
		this.closed = true;
	}
}

/** Opens the match in the page's own viewer. */
export async function start(map, live) {
	const viewer = new Viewer();
	viewer.resolution = null; // tests know where things are
	window.viewer = viewer;
	await viewer.open(new MadeUpMatch(map, live));
	return viewer.message;
}

/** Opens a demo with the images of the original game, and shows its last moment without texts. */
export async function showEnd(url, width, height) {
	const { openFile } = await import('/viewer/match/file.js');
	const viewer = new Viewer();
	viewer.resolution = null; // tests know where things are
	window.viewer = viewer;
	localStorage.clear();
	await viewer.useInstalledImages();
	const match = await openFile(await (await fetch(url)).blob());
	await viewer.open(match);
	await viewer.scene.layers.loaded;
	while (!match.ended) await new Promise(requestAnimationFrame);
	viewer.bar.toggleTexts();
	viewer.clock.playing = false;
	viewer.clock.tick = viewer.clock.last = match.lastTick;
	const places = viewer.scene.atlas.places;
	let ready = 0; // skins are loaded when first seen
	while (ready < 10) {
		await new Promise(requestAnimationFrame);
		ready = viewer.moment?.ready && places.size > 5 && ![...places.values()].includes(null) ? ready + 1 : 0;
	}
	const m = viewer.moment;
	const c = viewer.camera;
	const at = (x, y) => ({ x: (x - c.worldX(0)) / c.unit, y: (y - c.worldY(0)) / c.unit });
	const tees = m.tees.items.slice(0, m.tees.length).map((t) => ({ name: m.players[t.id].name, ...at(t.x, t.y) }));
	return { tees, x: c.x, y: c.y, unit: c.unit };
}

/** Shows a tick of a demo without a map, on a given map. */
export async function showMoment(url, map, tick) {
	const { openFile } = await import('/viewer/match/file.js');
	const viewer = new Viewer();
	viewer.resolution = null; // tests know where things are
	window.viewer = viewer;
	const match = await openFile(await (await fetch(url)).blob());
	match.map.load = async () => new Uint8Array(await (await fetch(map)).arrayBuffer());
	while (!match.ended) await new Promise(requestAnimationFrame);
	await viewer.open(match);
	viewer.clock.playing = false;
	viewer.clock.seek(tick);
	while (viewer.moment?.tick !== tick) await new Promise(requestAnimationFrame);
}

/**
 * Shows a demo. Returns the median script time of a frame and the time of the first picture, in ms.
 */
export async function measure(url, frames) {
	const { openFile } = await import('/viewer/match/file.js');
	const began = performance.now();
	const viewer = new Viewer();
	const draw = viewer.frame.bind(viewer);
	const times = [];
	viewer.frame = (now) => {
		const before = performance.now();
		draw(now);
		if (viewer.moment?.ready) times.push(performance.now() - before);
	};
	const match = await openFile(await (await fetch(url)).blob());
	await viewer.open(match);
	while (times.length < frames) await new Promise(requestAnimationFrame);
	const first = performance.getEntriesByName('first picture')[0].startTime - began;
	return { frame: times.sort((a, b) => a - b)[times.length >> 1], first, tees: viewer.moment.tees.length };
}
