/**
 * The standard skins of Teeworlds 0.7, and the parts that all clients have.
 *
 * @module
 */

/** @typedef {import('../engine/engine.js').Skin} Skin */

/** The names of the parts by SKIN_PART; the first part of a kind is the standard one, empty for none. @type {string[][]} */
export const PARTS = [
	['standard', 'bat', 'bear', 'beaver', 'dog', 'force', 'fox', 'hippo', 'kitty', 'koala', 'monkey', 'mouse', 'piglet', 'raccoon', 'spiky'],
	['', 'bear', 'belly1', 'belly2', 'blush', 'bug', 'cammo1', 'cammo2', 'cammostripes', 'coonfluff', 'donny', 'downdony', 'duodonny', 'fox', 'hipbel',
		'lowcross', 'lowpaint', 'marksman', 'mice', 'mixture1', 'mixture2', 'monkey', 'panda1', 'panda2', 'purelove', 'saddo', 'setisu', 'sidemarks',
		'singu', 'stripe', 'striped', 'stripes', 'stripes2', 'thunder', 'tiger1', 'tiger2', 'toptri', 'triangular', 'tricircular', 'tripledon', 'tritri',
		'twinbelly', 'twincross', 'twintri', 'uppy', 'warpaint', 'warstripes', 'whisker', 'wildpaint', 'wildpatch', 'yinyang'],
	['', 'hair', 'twinbopp', 'twinmello', 'twinpen', 'unibop', 'unimelo', 'unipento'],
	['standard'],
	['standard'],
	['standard', 'colorable', 'negative', 'standardreal'],
];

/** The kinds of parts, by SKIN_PART. */
export const KINDS = ['Body', 'Marking', 'Decoration', 'Hands', 'Feet', 'Eyes'];

/**
 * The standard skins: the name, and for each part its name and its colour; null without one. Hands
 * and feet have one form.
 * @type {[string, string, number | null, string, number | null, string, number | null, number | null, number | null, string, number | null][]}
 */
const STANDARD = [
	['beaver', 'beaver', 0x136955, 'twinbelly', 0xc6203bd1, '', null, 0x108579, 0x118126, 'colorable', 0x17ca2d],
	['bluekitty', 'kitty', 0x8476b8, 'whisker', 0xff826ddb, '', null, 0x7852eb, 0x7852eb, 'standard', null],
	['bluestripe', 'standard', 0x9b747a, 'stripes', null, '', null, 0x0b7500, 0x1dad57, 'standard', null],
	['brownbear', 'bear', 0x108579, 'bear', 0xff116ea8, 'hair', null, 0x108579, 0x118126, 'standard', null],
	['bumbler', 'raccoon', 0x96101d, 'setisu', 0x6022b7dc, '', null, 0x1b8a9e, 0x1c678f, 'colorable', 0x1c6b36],
	['cammo', 'standard', 0x516546, 'cammo2', 0xff4c612d, '', null, 0x0b7500, 0x1dad57, 'standard', null],
	['cammostripes', 'standard', 0x516546, 'cammostripes', 0xff1d8e00, '', null, 0x0b7500, 0x1dad57, 'standard', null],
	['cavebat', 'bat', 0x10a7b9, 'belly2', 0x980a272d, '', null, 0x0a2d48, 0x0e7b9c, 'colorable', 0x08702f],
	['default', 'standard', 0x1b6f74, '', null, '', null, 0x1b759e, 0x1c873e, 'standard', null],
	['force', 'force', 0x181334, 'wildpaint', 0x361e3603, '', null, 0x1b003f, 0x1c0000, 'standard', 0x000000],
	['fox', 'fox', 0x10d26b, 'fox', 0xe310fff2, '', null, 0x10b463, 0x10d272, 'colorable', 0x15ff60],
	['greycoon', 'raccoon', 0x0e0093, 'coonfluff', 0xff170069, '', null, 0x1b00ab, 0x130098, 'standard', 0x108f32],
	['greyfox', 'fox', 0x100a43, 'cammostripes', 0x201715bf, '', null, 0x9c1c13, 0x200c38, 'colorable', 0x1c5a41],
	['hippo', 'hippo', 0xaeb0b7, 'hipbel', 0xb2bf00ff, 'hair', null, 0xbd48a0, 0xd13224, 'standard', 0xc6c42d],
	['koala', 'koala', 0x0000b8, 'twinbelly', 0xff150ce2, '', null, 0x0000b8, 0x950447, 'standard', null],
	['limedog', 'dog', 0x24b9a9, 'whisker', 0xff0099ff, '', null, 0x0cb288, 0x0ecd70, 'negative', 0x13ff19],
	['limekitty', 'kitty', 0x4662c3, 'whisker', 0xff4562e0, '', null, 0x3a68ef, 0x3a68ef, 'standard', null],
	['monkey', 'monkey', 0x15afc4, 'monkey', 0xff168432, 'hair', 0x23e69b, 0x195290, 0x1371af, 'standard', null],
	['paintgre', 'standard', 0x249a6a, 'lowpaint', 0xff34ffff, '', null, 0x27ab8b, 0x20843b, 'standard', null],
	['pandabear', 'bear', 0x96104e, 'panda1', 0xff9e2ae9, 'hair', null, 0x1b009e, 0x1c003e, 'standard', 0x00a0ff],
	['panther', 'kitty', 0xa50000, 'wildpaint', 0x2b00ffff, '', null, 0x1b0010, 0x1c0036, 'negative', 0x20ff3b],
	['pento', 'standard', 0x9eb27b, 'triplate', 0xd100ffff, 'unipento', 0x9eb27b, 0x0000b8, 0x98899d, 'standard', null],
	['piggy', 'piglet', 0xfbdcb4, 'hipbel', 0xab036570, '', null, 0xf9bd93, 0xfcb48f, 'colorable', 0x00ff80],
	['pinky', 'standard', 0xf2c9bb, 'whisker', 0xfff3c6d6, '', null, 0xe589da, 0xe589da, 'standard', null],
	['raccoon', 'raccoon', 0x108579, 'coonfluff', 0xff116e36, '', null, 0x108579, 0x118126, 'standard', 0x17c42d],
	['redbopp', 'standard', 0xf6d86c, 'donny', 0xff02d9ca, 'unibop', 0xf6d86c, 0xf6d86c, 0x7455e9, 'standard', null],
	['redstripe', 'standard', 0xf8d67b, 'stripe', null, '', null, 0x0000b8, 0x950447, 'standard', null],
	['saddo', 'standard', 0x6d6d7f, 'saddo', 0xff6c3644, '', null, 0x378daa, 0x586177, 'standard', null],
	['setisu', 'standard', 0x0cff34, 'setisu', 0xb222ffc6, 'hair', 0x194629, 0x1e933f, 0x199a4c, 'standard', null],
	['snowti', 'kitty', 0x1700ff, 'tiger2', 0xcc1c6b00, '', null, 0x1600ad, 0x1600c0, 'colorable', 0x1c932a],
	['spiky', 'spiky', 0x1c00ff, 'warstripes', 0xff000000, '', null, 0x1b00ff, 0x1c87ff, 'colorable', 0x00001c],
	['swardy', 'spiky', 0x4bab20, 'duodonny', 0x605534bd, '', null, 0x557000, 0x55579c, 'standard', 0x1cb25e],
	['tiger', 'kitty', 0x16d26b, 'tiger1', 0xdc13ffdb, '', null, 0x16b463, 0x16d272, 'colorable', 0x1cff00],
	['tooxy', 'standard', 0x48d67b, 'wildpaint', 0xda410080, 'unimelo', 0xf4008c, 0x0000b8, 0x950447, 'standard', null],
	['toptri', 'standard', 0x5d5fa3, 'toptri', null, '', null, 0x378daa, 0x586177, 'standard', null],
	['twinbop', 'standard', 0xe99eb7, 'duodonny', 0xffe792da, 'twinbopp', 0xe99eb7, 0xe99eb7, 0x0092e0, 'standard', null],
	['twintri', 'standard', 0x349c7c, 'twintri', 0xff28dee3, '', null, 0x0000b9, 0x930448, 'standard', null],
	['warmouse', 'mouse', 0x1c00d5, 'mice', 0xff0000ff, '', null, 0x1b00ff, 0x1c87ff, 'negative', 0x00c81c],
	['warpaint', 'standard', 0x1dad57, 'warpaint', null, '', null, 0x0b7301, 0x1dad57, 'standard', null],
];

/** @param {string} part @param {number | null} color @returns {[string, boolean, number]} */
const part = (part, color) => [part, color !== null, (color ?? 0) | 0];

/** The standard skins by name. @type {{ name: string, skin: Skin }[]} */
export const SKINS = STANDARD.map(([name, body, bodyColor, marking, markingColor, decoration, decorationColor, hands, feet, eyes, eyesColor]) => ({
	name,
	skin: [
		part(body, bodyColor), part(marking, markingColor), part(decoration, decorationColor), part('standard', hands), part('standard', feet), part(eyes, eyesColor),
	],
}));

/** Reports whether a value is a skin. @param {any} v @returns {v is Skin} */
function isSkin(v) {
	return Array.isArray(v) && v.length === KINDS.length &&
		v.every((p) => Array.isArray(p) && typeof p[0] === 'string' && p[0].length < 24 && typeof p[1] === 'boolean' && Number.isInteger(p[2]));
}

/**
 * The skin of the player: the chosen one, or for a new player one that depends on the identity.
 * @param {import('./settings.js').Settings} settings
 * @returns {Skin}
 */
export function skinOf(settings) {
	const skin = settings.get('skin');
	return isSkin(skin) ? skin : SKINS[parseInt(settings.get('identity').slice(0, 4), 16) % SKINS.length].skin;
}

/** The index of a standard skin; -1 for another. @param {Skin} skin */
export function standardIndex(skin) {
	const text = JSON.stringify(skin);
	return SKINS.findIndex((s) => JSON.stringify(s.skin) === text);
}
