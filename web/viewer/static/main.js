/**
 * The page: chooses what to show, by its address and by what is dropped on it.
 *
 * @module
 */

import { openFile } from './match/file.js';
import { Live } from './match/live.js';
import { byId } from './page/dom.js';
import { showReplays } from './page/replays.js';
import { Viewer } from './page/viewer.js';

/** The path below which the server is, without a slash at the end: empty, unless a proxy has it elsewhere. */
const ROOT = new URL('..', import.meta.url).pathname.slice(0, -1);

/** Shows the match of the server, one that it keeps, or a demo that it has. */
function watch() {
	const viewer = new Viewer();
	const query = new URLSearchParams(location.search);
	/** @type {Live | null} */
	let live = null;
	const show = async (/** @type {() => Promise<Blob>} */ load) => {
		live?.close();
		viewer.say('Reading the demo.');
		try {
			await viewer.open(await openFile(await load(), ROOT));
		} catch (err) {
			viewer.say(err instanceof Error ? err.message : String(err));
		}
	};
	viewer.onFile = (file) => show(async () => file);
	viewer.useInstalledImages();
	const demo = query.get('demo');
	if (demo) {
		show(() => download(demo));
		return;
	}
	const base = query.has('operator') ? ROOT + '/admin/live' : ROOT; // without delay, for those who have signed in
	live = new Live({ base, match: query.get('match') ?? undefined, following: () => viewer.clock.following, onmatch: (m) => viewer.open(m), onstatus: (text) => viewer.say(text) });
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

try {
	if (location.pathname.endsWith('/replays')) showReplays();
	else watch();
} catch (err) {
	byId('status').textContent = err instanceof Error ? err.message : String(err);
}
