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

/** Shows the match of the server, or one that it keeps. */
function watch() {
	const viewer = new Viewer();
	const match = new URLSearchParams(location.search).get('match') ?? undefined;
	const live = new Live({ match, onmatch: (m) => viewer.open(m), onstatus: (text) => viewer.say(text) });
	viewer.onFile = async (file) => {
		live.close();
		viewer.say('Reading the demo.');
		try {
			await viewer.open(await openFile(file));
		} catch (err) {
			viewer.say(err instanceof Error ? err.message : String(err));
		}
	};
	viewer.useInstalledImages();
}

try {
	if (location.pathname === '/replays') showReplays();
	else watch();
} catch (err) {
	byId('status').textContent = err instanceof Error ? err.message : String(err);
}
