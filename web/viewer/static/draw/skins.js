/**
 * The colours of tees.
 *
 * @module
 */

import { GAME, SKIN_PART, TEAM } from '../match/types.js';
import { rgba } from './sprites.js';

/** The minimum lightness of a part, of 255. */
const DARKEST = 61;

/** Hue, saturation and lightness of the teams' colours: spectators, red, blue. */
const TEAM_COLORS = [0xc4c34e, 0x00ff6b, 0x9bff6b];

/** The colours of the standard skin's parts without a custom colour, as 0xRRGGBB, by SKIN_PART. */
const PLAIN = [0xf2b763, 0xffffff, 0xffffff, 0xe8a64e, 0xa8632c, 0x000000];

const INK = rgba(0.05, 0.05, 0.07);

/** Colourable eyes without a colour. */
const NEGATIVE_EYES = rgba(0.92, 0.92, 0.92);
const COLORABLE_EYES = rgba(0.3, 0.3, 0.3);

const NO_TINT = [1, 1, 1, 1];

/** The outfit of ninjas, as in the original's skins/x_ninja.json. */
const NINJA = Object.freeze({
	parts: ['x_ninja', 'uppy', '', 'standard', 'standard', 'x_ninja'],
	useCustomColors: [true, true, false, false, false, false],
	colors: [0, 0xff000040, 0, 0, 0, 0],
});

/** The tee of players without a skin of their own: the standard parts in the colours of the original's skins/default. */
const DEFAULT = Object.freeze({
	parts: ['standard', '', '', 'standard', 'standard', 'standard'],
	useCustomColors: [true, false, false, true, true, false],
	colors: [0x1b6f74, 0, 0, 0x1b759e, 0x1c873e, 0],
});

/** Whether a skin has no form and no colour of its own. @param {import('../match/types.js').Skin} skin */
const isPlain = ({ parts, useCustomColors }) => DEFAULT.parts.every((part, k) => parts[k] === part) && !useCustomColors.includes(true);

/**
 * Colours by the name of the body, for players without a custom colour.
 * @type {Record<string, number>}
 */
const BODIES = {
	standard: 0xf2b763, bear: 0x9c6a3f, beaver: 0xa5683a, dog: 0xd8c3a0, force: 0xc94f4f, fox: 0xe8843c, hippo: 0xa79ac0, kitty: 0xe7c9a6,
	koala: 0xa3abb5, monkey: 0xa66a44, mouse: 0xb8b4b0, piglet: 0xf2a5b0, raccoon: 0x8f959c, spiky: 0x7fbf5f, bat: 0x6f5b7a, x_ninja: 0x32323a,
};

/**
 * The colours of a tee, from 0 to 1.
 * @typedef {object} Look
 * @property {Float32Array} colors red, green, blue, alpha for each part of the own look
 * @property {number[]} packed the same colours packed for Sprites
 * @property {readonly string[]} parts the names of the images
 * @property {number[]} tints the colours of the images, for Sprites
 * @property {boolean[]} tinted whether a colour replaces the image's colours
 */

/**
 * The share of a colour channel for a hue.
 * @param {number} a @param {number} b @param {number} h
 */
function channel(a, b, h) {
	if (h < 0) h += 1;
	if (h > 1) h -= 1;
	if (6 * h < 1) return a + (b - a) * 6 * h;
	if (2 * h < 1) return b;
	if (3 * h < 2) return a + (b - a) * (2 / 3 - h) * 6;
	return a;
}

/**
 * Converts a skin colour into red, green, blue and alpha.
 * @param {number} v alpha, hue, saturation, lightness, 8 bits each
 * @param {boolean} withAlpha
 * @param {Float32Array} out
 * @param {number} at
 */
export function skinColor(v, withAlpha, out, at) {
	const h = ((v >> 16) & 255) / 255;
	const s = ((v >> 8) & 255) / 255;
	const l = DARKEST / 255 + ((v & 255) / 255) * (1 - DARKEST / 255);
	const b = l < 0.5 ? l * (1 + s) : l + s - s * l;
	const a = 2 * l - b;
	out[at] = channel(a, b, h + 1 / 3);
	out[at + 1] = channel(a, b, h);
	out[at + 2] = channel(a, b, h - 1 / 3);
	out[at + 3] = withAlpha ? (v >>> 24) / 255 : 1;
}

/**
 * The colour of a part in a game with teams.
 * @param {boolean} custom
 * @param {number} v colour of the skin
 * @param {number} team TEAM
 * @param {number} part SKIN_PART
 */
export function teamColor(custom, v, team, part) {
	const t = TEAM_COLORS[team + 1];
	const saturation = custom ? (v >> 8) & 255 : 255;
	const lightness = custom ? v & 255 : 255;
	const s = Math.trunc(Math.min(Math.max(((t >> 8) & 255) * 0.8 + saturation * 0.2, 160), 255));
	const l = Math.trunc(Math.min(Math.max((t & 255) * 0.8 + lightness * 0.2, DARKEST), 200));
	const alpha = part === SKIN_PART.MARKING ? v & 0xff000000 : 0;
	return ((t & 0xff0000) | (s << 8) | l | alpha) >>> 0;
}

/** The looks of tees. A look is computed once, and again when the skin or the team changes. */
export class Looks {
	constructor() {
		/** @type {{skin: unknown, team: number, teams: boolean, ninja: boolean, look: Look}[]} */
		this.known = [];
		for (let i = 0; i < 64; i++) {
			const look = { colors: new Float32Array(24), packed: [0, 0, 0, 0, 0, 0], parts: NINJA.parts, tints: [0, 0, 0, 0, 0, 0], tinted: [false, false, false, false, false, false] };
			this.known.push({ skin: null, team: -2, teams: false, ninja: false, look });
		}
	}

	/**
	 * @param {import('../match/types.js').Player} player
	 * @param {number} flags of the game
	 * @param {boolean} ninja whether the tee is a ninja
	 * @returns {Look}
	 */
	of(player, flags, ninja) {
		const k = this.known[player.id];
		const teams = (flags & GAME.TEAMS) !== 0;
		if (k.skin === player.skin && k.team === player.team && k.teams === teams && k.ninja === ninja) return k.look;
		Object.assign(k, { skin: player.skin, team: player.team, teams, ninja });
		const { look } = k;
		const { colors, packed } = look;
		const skin = ninja ? NINJA : isPlain(player.skin) ? DEFAULT : player.skin;
		const inTeam = teams && (player.team === TEAM.RED || player.team === TEAM.BLUE);
		look.parts = skin.parts;
		for (let p = 0; p < 6; p++) {
			const custom = skin.useCustomColors[p];
			look.tinted[p] = teams || custom;
			if (teams) skinColor(teamColor(ninja || custom, skin.colors[p], player.team, p), p === SKIN_PART.MARKING, colors, 4 * p);
			else if (custom) skinColor(skin.colors[p], p === SKIN_PART.MARKING, colors, 4 * p);
			else colors.set(NO_TINT, 4 * p);
			const tint = rgba(colors[4 * p], colors[4 * p + 1], colors[4 * p + 2], colors[4 * p + 3]);
			look.tints[p] = tint;
			// Without an image, the colour must equal the image's.
			if (p === SKIN_PART.EYES && !/colorable|negative/.test(skin.parts[p])) packed[p] = INK;
			else if (inTeam || custom) packed[p] = tint;
			else if (p === SKIN_PART.EYES) packed[p] = /negative/.test(skin.parts[p]) ? NEGATIVE_EYES : COLORABLE_EYES;
			else {
				const rgb = (p === SKIN_PART.BODY && BODIES[skin.parts[p]]) || PLAIN[p];
				colors.set([(rgb >> 16) / 255, ((rgb >> 8) & 255) / 255, (rgb & 255) / 255, 1], 4 * p);
				packed[p] = rgba(colors[4 * p], colors[4 * p + 1], colors[4 * p + 2]);
			}
		}
		return k.look;
	}
}

/**
 * Mixes a packed colour with black or white.
 * @param {number} c
 * @param {number} k from -1, black, to 1, white
 */
export function shade(c, k) {
	const a = c >>> 24;
	const to = k < 0 ? 0 : a;
	const t = Math.abs(k);
	const r = (c & 255) + (to - (c & 255)) * t;
	const g = ((c >> 8) & 255) + (to - ((c >> 8) & 255)) * t;
	const b = ((c >> 16) & 255) + (to - ((c >> 16) & 255)) * t;
	return ((a << 24) | (b << 16) | (g << 8) | r) >>> 0;
}
