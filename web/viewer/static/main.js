/**
 * The page's entry point: its address, and files dropped on it, determine what it shows.
 *
 * @module
 */

import { Download, Interrupted, NotThere, progressText } from './match/download.js';
import { openFile } from './match/file.js';
import { Live } from './match/live.js';
import { showHelp } from './page/bar.js';
import { LIVE_MARGIN } from './page/clock.js';
import { byId } from './page/dom.js';
import { Frame } from './page/frame.js';
import { parsePlace } from './page/link.js';
import { showReplays } from './page/replays.js';
import { Viewer } from './page/viewer.js';

/**
 * The path of the server without a slash at the end: empty unless a proxy serves it below a path.
 */
const ROOT = new URL('..', import.meta.url).pathname.slice(0, -1);
/** The number of attempts to download a demo. Each resumes where the last one ended. */
const TRIES = 5;
/** How long creating the viewer waits for the server's first answer, in ms. */
const PATIENCE = 150;

/** Whether the page is the list of matches. */
const IS_LIST = location.pathname.endsWith('/replays');

/** Shows the server's match, one of its stored matches, or one of its demos. */
async function watch() {
	const query = new URLSearchParams(location.search);
	const demo = query.get('demo');
	/** @type {Live | null} */
	let live = null;
	// Starting to draw keeps a browser busy, so the match is requested first.
	const images = fetch(ROOT + '/viewer/data/index.json');
	images.catch(() => {}); // the viewer reports the error
	/** @type {Viewer | null} */
	let viewer = null;
	/** @type {(viewer: Viewer) => void} */
	let made = () => {};
	/** @type {Promise<Viewer>} */
	const viewing = new Promise((resolve) => { made = resolve; });
	if (!demo) {
		const base = query.has('operator') ? ROOT + '/admin/live' : ROOT; // signed-in operators watch without delay
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
	if (window === parent || !query.has('operator')) new Frame({ root: ROOT, page: demo ? 'replays' : 'watch', help: showHelp, onupdate: (info) => v.describe(info) });
	else document.documentElement.style.setProperty('--frame', '0px'); // the admin page has its own
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
	if (demo) show(() => download(demo, (received, total) => v.say(`Loading the demo: ${progressText(received, total)}.`)));
}

/**
 * Downloads a demo from this server.
 * @param {string} path
 * @param {(received: number, total: number) => void} progress
 */
async function download(path, progress) {
	const url = new URL(path, location.href);
	if (url.origin !== location.origin) throw new Error('This page loads only demos of this server. Download the demo and drop it here.');
	const file = new Download(url.href, { progress });
	for (let tries = 0; ; tries++) {
		try {
			return new Blob([/** @type {Uint8Array<ArrayBuffer>} */ (await file.load())]);
		} catch (err) {
			if (err instanceof NotThere) throw new Error(`The server has no demo ${url.pathname}.`);
			if (!(err instanceof Interrupted) || tries === TRIES) throw new Error(`The demo cannot be loaded: ${err instanceof Error ? err.message : err}.`);
		}
	}
}

if (IS_LIST) new Frame({ root: ROOT, page: 'replays', help: showHelp });
(IS_LIST ? showReplays() : watch()).catch((err) => {
	byId('status').textContent = err instanceof Error ? err.message : String(err);
});
