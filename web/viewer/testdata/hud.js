// Functions for the tests of the texts and icons over the picture.
import { SYMBOL } from '/viewer/draw/actors.js';
import { Icons } from '/viewer/draw/icons.js';
import { Scene } from '/viewer/draw/scene.js';
import { causeOf } from '/viewer/page/hud.js';
import { player } from '/test/moments.js';

/** The words for deaths: [killer, victim, weapon] in a match or a race. */
export function causes(kills, race) {
	return kills.map(([killer, victim, weapon]) => {
		const { byOther, word } = causeOf({ killer, victim, weapon }, race);
		return `${byOther ? 'by another: ' : ''}${word}`;
	});
}

/** The share of painted pixels of an icon, and its size in world units. */
async function measure(icon) {
	const image = new Image();
	image.src = icon.url;
	await image.decode();
	const canvas = new OffscreenCanvas(image.width, image.height), g = canvas.getContext('2d');
	g.drawImage(image, 0, 0);
	const { data } = g.getImageData(0, 0, image.width, image.height);
	let painted = 0;
	for (let i = 3; i < data.length; i += 4) if (data[i] > 128) painted++;
	return { painted: painted / (data.length / 4), width: icon.width, height: icon.height };
}

/** Draws all icons of a look, and measures them. */
export async function allIcons(files) {
	const scene = new Scene(document.createElement('canvas'));
	if (files) await scene.setImages('/viewer/data/', new Set(files), true);
	const icons = new Icons(scene), all = {}, someone = player(3);
	const wanted = {
		...Object.fromEntries([0, 1, 2, 3, 4, 5].map((w) => [`weapon ${w}`, () => icons.weapon(w)])),
		...Object.fromEntries([1, 2, 3, 4].map((w) => [`ammo ${w}`, () => icons.ammo(w)])),
		...Object.fromEntries(Object.entries(SYMBOL).map(([name, s]) => [name, () => icons.symbol(s)])),
		red: () => icons.flag(0), blue: () => icons.flag(1), tee: () => icons.tee(someone, 0),
	};
	let waited = 0;
	for (const [name, make] of Object.entries(wanted)) {
		let icon = make();
		if (!icon) { // the time for icons is over until the next update
			const before = icons.version;
			icons.update();
			waited += icons.version > before ? 1 : 2;
			icon = make();
		}
		all[name] = await measure(icon);
		if (make() !== icon) all[name].again = true;
	}
	icons.update();
	const before = icons.version;
	icons.update();
	return { all, waited, steady: icons.version === before, same: icons.tee(someone, 0) === icons.tee(player(3, { skin: someone.skin }), 0) };
}
