/**
 * The page: chooses what to show, by its address and by what is dropped on it.
 *
 * @module
 */

import { openFile } from './match/file.js';
import { byId } from './page/dom.js';
import { Viewer } from './page/viewer.js';

/**
 * Opens a demo.
 * @param {Viewer} viewer
 * @param {Blob} file
 */
async function watchFile(viewer, file) {
	viewer.say('Reading the demo.');
	try {
		await viewer.open(await openFile(file));
	} catch (err) {
		viewer.say(err instanceof Error ? err.message : String(err));
	}
}

/** Takes demos that are dropped on the page. @param {Viewer} viewer */
function acceptDrops(viewer) {
	const hint = byId('drop');
	addEventListener('dragover', (e) => {
		e.preventDefault();
		hint.hidden = false;
	});
	addEventListener('dragleave', (e) => { if (!e.relatedTarget) hint.hidden = true; });
	addEventListener('drop', (e) => {
		e.preventDefault();
		hint.hidden = true;
		const file = e.dataTransfer?.files[0];
		if (file) watchFile(viewer, file);
	});
}

try {
	acceptDrops(new Viewer());
} catch (err) {
	byId('status').textContent = err instanceof Error ? err.message : String(err);
}
