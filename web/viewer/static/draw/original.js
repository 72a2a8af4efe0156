/**
 * The look of the original game, with the images of an installed copy. Sizes, image parts and
 * drawing order are those of the original client.
 *
 * @module
 */

import { EMOTE, TEAM, WEAPON } from '../match/types.js';
import { WEAPONS } from './anim.js';
import { PARTICLE } from './effects.js';
import { SHAPE, WHITE, fade, hex, rgba } from './sprites.js';
import { shade } from './skins.js';
import { SYMBOL } from './actors.js';

/**
 * A part of an image: position and size in cells of a grid.
 * @typedef {readonly [number, number, number, number]} Cells
 */

/** The weapons in game.png, by WEAPON. @type {readonly Cells[]} */
const BODIES = [[2, 1, 4, 3], [2, 4, 4, 2], [2, 6, 8, 2], [2, 8, 7, 2], [2, 12, 7, 3], [2, 10, 8, 2]];
/** @type {readonly (Cells|null)[]} */
const PROJECTILES = [null, [6, 4, 2, 2], [10, 6, 2, 2], [10, 8, 2, 2], [10, 12, 2, 2], null];
/**
 * The first of three muzzle flashes, and the offset to the next in x and y.
 * @type {Record<number, {cells: Cells, dx: number, dy: number}>}
 */
const MUZZLES = {
	[WEAPON.GUN]: { cells: [8, 4, 3, 2], dx: 4, dy: 0 },
	[WEAPON.SHOTGUN]: { cells: [12, 6, 3, 2], dx: 4, dy: 0 },
	[WEAPON.NINJA]: { cells: [25, 0, 7, 4], dx: 0, dy: 4 },
};
/** Pickups, by PICKUP, with their size. @type {readonly {cells: Cells, size: number}[]} */
const PICKUPS = [
	{ cells: [10, 2, 2, 2], size: 64 }, { cells: [12, 2, 2, 2], size: 64 }, { cells: [2, 8, 7, 2], size: WEAPONS[3].size }, { cells: [2, 6, 8, 2], size: WEAPONS[2].size },
	{ cells: [2, 12, 7, 3], size: WEAPONS[4].size }, { cells: [2, 10, 8, 2], size: 128 }, { cells: [2, 4, 4, 2], size: WEAPONS[1].size }, { cells: [2, 1, 4, 3], size: WEAPONS[0].size },
];
/** Particles in particles.png, by PARTICLE. @type {readonly Cells[]} */
const PARTICLES = [[0, 1, 1, 1], [1, 0, 1, 1], [0, 2, 2, 2], [2, 0, 1, 1], [0, 4, 4, 4], [2, 2, 2, 2], [4, 1, 2, 2], [0, 0, 1, 1]];
/** Eyes, by EMOTE. @type {readonly Cells[]} */
const EYES = [[0, 0, 1, 1], [0, 1, 1, 1], [1, 1, 1, 1], [0, 2, 1, 1], [1, 0, 1, 1], [0, 0, 1, 1]];

/**
 * Outer and inner colours of lasers, by LASER: those of the original game and, for DDRace, of
 * DDNet's client.
 * @type {readonly (readonly [number, number])[]}
 */
const LASERS = [
	[rgba(0.075, 0.075, 0.25), rgba(0.5, 0.5, 1)], [hex(0x1f180b), hex(0x926a40)], [hex(0x002219), hex(0x43c3a3)],
	[rgba(0.075, 0.075, 0.25), rgba(0.5, 0.5, 1)], [hex(0x221f2f), hex(0x7b7290)], [rgba(0.075, 0.075, 0.25), rgba(0.5, 0.5, 1)],
];

/** The folders of skin parts, by SKIN_PART. */
const FOLDERS = ['body', 'marking', 'decoration', 'hands', 'feet', 'eyes'];
const SIZE = 64;

/** The number of kept paths of a folder. */
const MAX_PATHS = 1000;

/** @implements {import('./actors.js').Style} */
export class OriginalStyle {
	/**
	 * @param {import('./sprites.js').Shapes} sprites
	 * @param {import('./atlas.js').Atlas} atlas
	 * @param {import('./actors.js').Style} own draws the tees whose images are not loaded yet
	 */
	constructor(sprites, atlas, own) {
		this.sprites = sprites;
		this.atlas = atlas;
		this.own = own;
		/**
		 * The paths of skin parts, by folder and name, so that no string is built for each frame.
		 * @type {Map<string, string>[]}
		 */
		this.paths = FOLDERS.map(() => new Map());
	}

	/** Loads the images that every match needs. */
	async load() {
		await Promise.all(['game.png', 'particles.png', 'emoticons.png', ...['body', 'hands', 'feet', 'eyes'].map((f) => `skins/${f}/standard.png`)].map((n) => this.atlas.load(n)));
	}

	/**
	 * @param {string} image @param {number} gridX @param {number} gridY @param {Cells} c
	 * @param {number} x @param {number} y @param {number} w @param {number} h @param {number} angle @param {number} flip @param {number} color
	 */
	part(image, gridX, gridY, c, x, y, w, h, angle, flip = 0, color = WHITE) {
		const part = this.atlas.part(image, gridX, gridY, c[0], c[1], c[2], c[3]);
		if (part) this.sprites.image(x, y, w / 2, h / 2, angle, part, flip, color);
	}

	/**
	 * Draws a part of game.png, scaled so that its diagonal has a given size.
	 * @param {Cells} c @param {number} x @param {number} y @param {number} size @param {number} angle @param {number} [flip] @param {number} [color]
	 */
	sprite(c, x, y, size, angle, flip = 0, color = WHITE) {
		const f = Math.sqrt(c[2] * c[2] + c[3] * c[3]);
		this.part('game.png', 32, 16, c, x, y, (size * c[2]) / f, (size * c[3]) / f, angle, flip, color);
	}

	/** @param {number} x @param {number} y @param {number} angle */
	hookChain(x, y, angle) {
		this.part('game.png', 32, 16, CHAIN, x, y, 16, 16, angle);
	}

	/** @param {number} x @param {number} y @param {number} angle */
	hookHead(x, y, angle) {
		this.part('game.png', 32, 16, HEAD, x, y, 24, 16, angle);
	}

	/**
	 * The path of the image of a skin part; empty for none.
	 * @param {import('./skins.js').Look} look @param {number} p SKIN_PART
	 */
	path(look, p) {
		const name = look.parts[p];
		if (!name) return '';
		let path = this.paths[p].get(name);
		if (path === undefined) {
			path = `skins/${FOLDERS[p]}/${name}.png`;
			if (!this.atlas.has(path)) path = p === 1 || p === 2 ? '' : `skins/${FOLDERS[p]}/standard.png`;
			if (this.paths[p].size >= MAX_PATHS) this.paths[p].clear();
			this.paths[p].set(name, path);
		}
		return path;
	}

	/**
	 * Reports whether all images of a tee are loaded, and requests the missing ones.
	 * @param {import('./skins.js').Look} look
	 */
	hasImages(look) {
		let all = true;
		for (let p = 0; p < FOLDERS.length; p++) {
			const path = this.path(look, p);
			if (path && !this.atlas.ready(path)) all = false;
		}
		return all;
	}

	/**
	 * Draws a part of a skin.
	 * @param {import('./skins.js').Look} look @param {number} p SKIN_PART @param {number} gridX @param {number} gridY @param {Cells} c
	 * @param {number} x @param {number} y @param {number} w @param {number} h @param {number} angle @param {number} color
	 * @param {boolean} tinted whether the colour replaces the image's colours
	 */
	skin(look, p, gridX, gridY, c, x, y, w, h, angle, color, tinted) {
		const path = this.path(look, p);
		if (!path) return;
		const part = this.atlas.part(path, gridX, gridY, c[0], c[1], c[2], c[3]);
		if (part) this.sprites.add(tinted ? SHAPE.GREY : SHAPE.IMAGE, x, y, w / 2, h / 2, angle, 0, 0, part.u0, part.v0, part.u1, part.v1, color, color);
	}

	/**
	 * @param {number} x @param {number} y @param {number} angle @param {import('./skins.js').Look} look
	 * @param {import('../match/types.js').Player} player @param {boolean} ninja
	 */
	hand(x, y, angle, look, player, ninja) {
		if (!this.hasImages(look)) {
			this.own.hand(x, y, angle, look, player, ninja);
			return;
		}
		this.skin(look, 3, 2, 1, SECOND, x, y, 30, 30, angle, look.tints[3], look.tinted[3]);
		this.skin(look, 3, 2, 1, FIRST, x, y, 30, 30, angle, look.tints[3], look.tinted[3]);
	}

	/** @param {number} weapon @param {number} x @param {number} y @param {number} angle @param {boolean} flip */
	weapon(weapon, x, y, angle, flip) {
		this.sprite(BODIES[weapon], x, y, WEAPONS[weapon].size, angle, flip ? 2 : 0);
	}

	/** @param {number} weapon @param {number} variant @param {number} x @param {number} y @param {number} angle @param {boolean} flip */
	muzzle(weapon, variant, x, y, angle, flip) {
		const m = MUZZLES[weapon];
		const c = m.cells;
		const f = Math.sqrt(c[2] * c[2] + c[3] * c[3]);
		const size = weapon === WEAPON.NINJA ? 160 : WEAPONS[weapon].size;
		const part = this.atlas.part('game.png', 32, 16, c[0] + m.dx * variant, c[1] + m.dy * variant, c[2], c[3]);
		if (part) this.sprites.image(x, y, ((size * c[2]) / f) / 2, ((size * c[3]) / f) / 2, angle, part, flip ? 2 : 0);
	}

	/**
	 * @param {number} x @param {number} y @param {import('./anim.js').Pose} pose @param {number} dirX @param {number} dirY @param {number} emote
	 * @param {import('./skins.js').Look} look @param {import('../match/types.js').Tee} tee @param {import('../match/types.js').Player} player
	 */
	tee(x, y, pose, dirX, dirY, emote, look, tee, player) {
		if (!this.hasImages(look)) {
			this.own.tee(x, y, pose, dirX, dirY, emote, look, tee, player);
			return;
		}
		const turn = pose.body.angle * Math.PI * 2;
		const bx = x + pose.body.x;
		const by = y + pose.body.y;
		const feet = tee.airJumped ? shade(look.tints[4], -0.5) : look.tints[4];
		for (let pass = 0; pass < 2; pass++) {
			const outline = pass === 0;
			this.foot(look, x + pose.backFoot.x, y + pose.backFoot.y, pose.backFoot.angle, outline, feet);
			if (player.bot && !outline) this.bot(bx, by, look.tints[0]);
			this.skin(look, 2, 2, 1, outline ? SECOND : FIRST, bx, by, SIZE, SIZE, turn, look.tints[2], look.tinted[2]);
			if (outline) this.skin(look, 0, 2, 2, FIRST, bx, by, SIZE, SIZE, turn, WHITE, look.tinted[0]);
			else {
				this.skin(look, 0, 2, 2, SECOND, bx, by, SIZE, SIZE, turn, look.tints[0], look.tinted[0]);
				this.skin(look, 1, 1, 1, FIRST, bx, by, SIZE, SIZE, turn, look.tints[1], look.tinted[1]);
				this.skin(look, 0, 2, 2, THIRD, bx, by, SIZE, SIZE, turn, WHITE, look.tinted[0]);
				this.skin(look, 0, 2, 2, FOURTH, bx, by, SIZE, SIZE, turn, WHITE, look.tinted[0]);
				const height = emote === EMOTE.BLINK ? SIZE * 0.075 : SIZE * 0.3;
				this.skin(look, 5, 2, 4, EYES[player.bot ? EMOTE.SURPRISE : emote] ?? EYES[0], bx + dirX * 0.125 * SIZE, by + (-0.05 + dirY * 0.1) * SIZE, SIZE * 0.6, height, turn, player.bot ? look.tints[0] : look.tints[5], look.tinted[5]);
			}
			this.foot(look, x + pose.frontFoot.x, y + pose.frontFoot.y, pose.frontFoot.angle, outline, feet);
		}
	}

	/** @param {import('./skins.js').Look} look @param {number} x @param {number} y @param {number} turn @param {boolean} outline @param {number} color */
	foot(look, x, y, turn, outline, color) {
		const size = SIZE / 2.1;
		this.skin(look, 4, 2, 1, outline ? SECOND : FIRST, x, y, size, size, turn * Math.PI * 2, outline ? WHITE : color, look.tinted[4]);
	}

	/** The headdress of bots. @param {number} x @param {number} y @param {number} color */
	bot(x, y, color) {
		const bx = x + 2 / 3;
		const by = y - 16 + 2 / 3;
		this.part('skins/bot.png', 12, 5, BOT_BACK, bx, by, SIZE, SIZE, 0);
		this.part('skins/bot.png', 12, 5, BOT_FRONT, bx, by, SIZE, SIZE, 0);
		this.part('skins/bot.png', 12, 5, BOT_GLOW, bx, by, SIZE, SIZE, 0, 0, color);
	}

	/** @param {number} emoticon @param {number} x @param {number} y @param {number} width @param {number} height @param {number} angle @param {number} alpha */
	emoticon(emoticon, x, y, width, height, angle, alpha) {
		const part = this.atlas.part('emoticons.png', 4, 4, emoticon % 4, emoticon >> 2, 1, 1);
		if (part) this.sprites.image(x, y, width / 2, height / 2, angle, part, 0, fade(WHITE, alpha));
	}

	/** @param {number} weapon @param {number} x @param {number} y @param {number} angle */
	projectile(weapon, x, y, angle) {
		const c = PROJECTILES[weapon];
		if (c) this.part('game.png', 32, 16, c, x, y, 32, 32, angle);
	}

	/** @param {number} type @param {number} x @param {number} y */
	pickup(type, x, y) {
		const p = PICKUPS[type];
		if (p) this.sprite(p.cells, x, y, p.size, 0);
	}

	/** @param {number} team @param {number} x @param {number} y */
	flag(team, x, y) {
		this.part('game.png', 32, 16, team === TEAM.RED ? RED_FLAG : BLUE_FLAG, x, y - 42 * 0.75, 42, 84, 0);
	}

	/** @param {import('../match/types.js').Laser} l @param {number} life @param {number} tick */
	laser(l, life, tick) {
		const dx = l.x - l.fromX;
		const dy = l.y - l.fromY;
		const length = Math.hypot(dx, dy);
		const [outer, inner] = LASERS[l.kind];
		this.sprites.lineWidth = 0;
		if (length > 0) {
			const angle = Math.atan2(dy, dx);
			const x = l.fromX + dx / 2;
			const y = l.fromY + dy / 2;
			this.sprites.shape(SHAPE.BOX, x, y, length / 2, 7 * life, angle, outer, outer);
			this.sprites.shape(SHAPE.BOX, x, y, length / 2, 5 * life, angle, inner, inner);
		}
		const splat = SPLATS[tick % 3];
		this.part('particles.png', 8, 8, splat, l.x, l.y, 24, 24, tick, 0, outer);
		this.part('particles.png', 8, 8, splat, l.x, l.y, 20, 20, tick, 0, inner);
	}

	/** @param {number} kind @param {number} x @param {number} y @param {number} size @param {number} angle @param {number} color */
	particle(kind, x, y, size, angle, color) {
		const c = kind === PARTICLE.SPLAT ? SPLATS[Math.abs(Math.trunc(angle * 100)) % 3] : PARTICLES[kind];
		this.part('particles.png', 8, 8, c, x, y, size, size, angle, 0, color);
	}

	/** @param {number} x @param {number} y @param {number} angle @param {number} alpha */
	star(x, y, angle, alpha) {
		this.sprite(STAR, x, y, 48, angle, 0, fade(WHITE, alpha));
	}

	/** @param {number} symbol @param {number} x @param {number} y */
	symbol(symbol, x, y) {
		this.part('game.png', 32, 16, SYMBOLS[symbol], x, y, 32, 32, 0);
	}

	/** @param {number} weapon @param {number} x @param {number} y */
	ammo(weapon, x, y) {
		this.projectile(weapon, x, y, 0);
	}

	/** @param {number} weapon @param {number} x @param {number} y */
	crosshair(weapon, x, y) {
		this.sprite([0, weapon === WEAPON.HAMMER ? 0 : BODIES[weapon][1], 2, 2], x, y, 64, 0);
	}

	/** @param {import('./skins.js').Look | null} look */
	ready(look) {
		return look ? this.hasImages(look) : this.atlas.ready('game.png');
	}
}

/** The symbols in game.png, by SYMBOL. @type {Record<number, Cells>} */
const SYMBOLS = { [SYMBOL.HEART]: [21, 0, 2, 2], [SYMBOL.NO_HEART]: [23, 0, 2, 2], [SYMBOL.SHIELD]: [21, 2, 2, 2], [SYMBOL.NO_SHIELD]: [23, 2, 2, 2] };
/** @type {Cells} */ const FIRST = [0, 0, 1, 1];
/** @type {Cells} */ const SECOND = [1, 0, 1, 1];
/** @type {Cells} */ const THIRD = [0, 1, 1, 1];
/** @type {Cells} */ const FOURTH = [1, 1, 1, 1];
/** @type {Cells} */ const CHAIN = [2, 0, 1, 1];
/** @type {Cells} */ const HEAD = [3, 0, 2, 1];
/** @type {Cells} */ const STAR = [15, 0, 2, 2];
/** @type {Cells} */ const BLUE_FLAG = [12, 8, 4, 8];
/** @type {Cells} */ const RED_FLAG = [16, 8, 4, 8];
/** @type {Cells} */ const BOT_GLOW = [0, 0, 4, 4];
/** @type {Cells} */ const BOT_FRONT = [4, 0, 4, 4];
/** @type {Cells} */ const BOT_BACK = [8, 0, 4, 4];
/** @type {readonly Cells[]} */ const SPLATS = [[2, 0, 1, 1], [3, 0, 1, 1], [4, 0, 1, 1]];
