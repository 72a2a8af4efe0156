/**
 * The page: chooses what to show, by its address and by what is dropped on it.
 *
 * @module
 */

import { openFile } from './match/file.js';
import { Live } from './match/live.js';
import { LIVE_MARGIN } from './page/clock.js';
import { byId } from './page/dom.js';
import { parsePlace } from './page/link.js';
import { showReplays } from './page/replays.js';
import { Viewer } from './page/viewer.js';

/** The path below which the server is, without a slash at the end: empty, unless a proxy has it elsewhere. */
const ROOT = new URL('..', import.meta.url).pathname.slice(0, -1);
/** How long making the viewer waits for the server's first answer, in ms. */
const PATIENCE = 150;

/** Shows the match of the server, one that it keeps, or a demo that it has. */
async function watch() {
	const query = new URLSearchParams(location.search);
	const demo = query.get('demo');
	/** @type {Live | null} */
	let live = null;
	// To begin to draw keeps a browser busy for long, during which the match is on its way.
	const images = fetch(ROOT + '/viewer/data/index.json');
	images.catch(() => {}); // the viewer says so
	/** @type {Viewer | null} */
	let viewer = null;
	/** @type {(viewer: Viewer) => void} */
	let made = () => {};
	/** @type {Promise<Viewer>} */
	const viewing = new Promise((resolve) => { made = resolve; });
	if (!demo) {
		const base = query.has('operator') ? ROOT + '/admin/live' : ROOT; // without delay, for those who have signed in
		await new Promise((answered) => {
			setTimeout(answered, PATIENCE);
			live = new Live({
				base, match: query.get('match') ?? undefined,
				following: () => viewer?.clock.following ?? false,
				onmatch: async (m) => {
					const { tick } = parsePlace(location.hash);
					m.prefetch(tick === null && m.live ? m.lastTick - LIVE_MARGIN : m.firstTick + (tick ?? 0));
					answered(null);
					(await viewing).open(m);
				},
				onstatus: async (text) => {
					answered(null);
					(await viewing).say(text);
				},
			});
		});
	}
	const v = viewer = new Viewer();
	made(v);
	const show = async (/** @type {() => Promise<Blob>} */ load) => {
		live?.close();
		v.say('Reading the demo.');
		try {
			await v.open(await openFile(await load(), ROOT));
		} catch (err) {
			v.say(err instanceof Error ? err.message : String(err));
		}
	};
	v.onFile = (file) => show(async () => file);
	v.useInstalledImages(images);
	if (demo) show(() => download(demo));
}

/**
 * Downloads a demo of this server.
 * @param {string} path
 */
async function download(path) {
	const url = new URL(path, location.href);
	if (url.origin !== location.origin) throw new Error('Demos of other servers have to be downloaded, and dropped onto the page.');
	const r = await fetch(url);
	if (!r.ok) throw new Error(`There is no demo ${url.pathname}.`);
	return r.blob();
}

(location.pathname.endsWith('/replays') ? showReplays() : watch()).catch((err) => {
	byId('status').textContent = err instanceof Error ? err.message : String(err);
});
