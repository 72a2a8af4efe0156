// Functions that the download tests run in the page.
import { Download } from '/viewer/match/download.js';
import { Playback } from '/viewer/match/playback.js';
import { openFile } from '/viewer/match/file.js';
import { Viewer } from '/viewer/page/viewer.js';

/**
 * Downloads a file in as many attempts as necessary. Returns the result of each attempt and the
 * file's bytes.
 */
export async function tries(url, idle) {
	const said = [];
	const file = new Download(url, { idle, progress: (received, total) => { said.progress = [received, total]; } });
	for (;;) {
		try {
			const bytes = await file.load();
			return { said, progress: said.progress, size: bytes.length, sum: bytes.reduce((a, b) => (a * 31 + b) % 65521, 0) };
		} catch (err) {
			said.push(`${err.constructor.name}: ${err.message}`);
			if (err.constructor.name !== 'Interrupted' || said.length > 9) return { said };
		}
	}
}

/**
 * Opens a demo whose map comes from elsewhere, and notes the viewer's texts until there is a
 * picture.
 */
export async function openWithMap(demo, map, idle) {
	const match = await openFile(await (await fetch(demo)).blob());
	const file = new Download(map, { idle, progress: (received, total) => match.map.onprogress?.(received, total) });
	match.map.load = () => file.load();
	const viewer = window.viewer = new Viewer();
	viewer.retry = 10;
	const said = [];
	const say = viewer.say.bind(viewer);
	viewer.say = (text) => {
		said.push(text);
		say(text);
	};
	await viewer.open(match);
	return said;
}

/** Opens a demo in the viewer and, once it is shown, another one whose map never arrives. */
export async function openNext(demo) {
	const viewer = window.viewer = new Viewer();
	await viewer.open(await openFile(await (await fetch(demo)).blob()));
	while (!viewer.shown) await new Promise(requestAnimationFrame);
	const before = viewer.stage.classList.contains('drawn');
	const next = await openFile(await (await fetch(demo)).blob());
	next.map.load = () => new Promise(() => {});
	viewer.open(next);
	let frames = 0;
	const draw = viewer.scene.draw.bind(viewer.scene);
	viewer.scene.draw = (...args) => {
		frames++;
		draw(...args);
	};
	for (let i = 0; i < 20; i++) await new Promise(requestAnimationFrame);
	return { before, frames, message: viewer.message, drawn: viewer.stage.classList.contains('drawn') };
}
