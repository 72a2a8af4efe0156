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

try {
	const viewer = new Viewer();
	viewer.onFile = (file) => watchFile(viewer, file);
} catch (err) {
	byId('status').textContent = err instanceof Error ? err.message : String(err);
}
