/**
 * The page's own look of moving things: shapes drawn by code.
 *
 * @module
 */

import { EMOTE, LASER, PICKUP, TEAM, WEAPON } from '../match/types.js';
import { SHAPE, WHITE, fade, hex, rgba } from './sprites.js';
import { PARTICLE } from './effects.js';
import { shade } from './skins.js';
import { drawEmoticon } from './emoticons.js';
import { SYMBOL } from './actors.js';

const { BOX, ELLIPSE, WEDGE, STAR, HEART, SHIELD, GLOW, RING, FLAME, CLOTH, SMOKE } = SHAPE;
const INK = hex(0x17131c);
const STEEL = hex(0xc9d0d8);
const STEEL_LOW = hex(0x8a939e);
const DARK = hex(0x4a4f59);
const DARK_LOW = hex(0x2d3038);
const WOOD = hex(0xb37a46);
const WOOD_LOW = hex(0x7a4d29);
const RED = hex(0xf0524a);
const RED_LOW = hex(0xb0232f);
const BLUE = hex(0x4f8df5);
const BLUE_LOW = hex(0x2250b5);
const GLINT = rgba(1, 1, 1, 0.55);
const SPARK = hex(0xffe27a);
const FIRE = hex(0xff8a2a);
const EMPTY = hex(0xffffff, 0.22);
/** The colours of crosshairs, by WEAPON. */
const CROSSHAIRS = [[0xffffff, 0xe3d3b8], [0xf6ff9e, 0xcfe04f], [0xffe3b0, 0xf0b45a], [0xffb0a8, 0xf0524a], [0xc4dcff, 0x6fa5ff], [0xffe9a0, 0xf5b53a]].map((c) => c.map((v) => hex(v)));

/** The colours of lasers, by LASER. */
const LASERS = [[0x3f6bff, 0x5f7dff, 0xeaf1ff], [0xd9862f, 0xc98a4a, 0xffe9cf], [0x19c79a, 0x43c3a3, 0xd8fff3], [0xff5a8a, 0xf0709a, 0xffe3ec], [0x9a7bff, 0x8f80c8, 0xeee8ff], [0x3f6bff, 0x5f7dff, 0xeaf1ff]]
	.map(([glow, beam, core]) => ({ glow: hex(glow), beam: hex(beam), core: hex(core) }));

/** The ears of bodies. @type {Record<string, 'round'|'pointed'|'hanging'|'spikes'>} */
const EARS = {
	bear: 'round', koala: 'round', mouse: 'round', monkey: 'round', raccoon: 'pointed', kitty: 'pointed', fox: 'pointed', bat: 'pointed',
	dog: 'hanging', beaver: 'round', hippo: 'round', piglet: 'pointed', spiky: 'spikes',
};

/** @implements {import('./actors.js').Style} */
export class OwnStyle {
	/**
	 * @param {import('./sprites.js').Shapes} sprites
	 * @param {Pick<import('./names.js').Names, 'draw'>} names
	 */
	constructor(sprites, names) {
		this.sprites = sprites;
		this.names = names;
		// The frame for shapes: its origin and direction, and whether it is mirrored top to bottom.
		this.x = 0;
		this.y = 0;
		this.angle = 0;
		this.cos = 1;
		this.sin = 0;
		this.flip = 1;
	}

	/** @param {number} x @param {number} y @param {number} angle @param {boolean} flip */
	frame(x, y, angle, flip) {
		this.x = x;
		this.y = y;
		this.angle = angle;
		this.cos = Math.cos(angle);
		this.sin = Math.sin(angle);
		this.flip = flip ? -1 : 1;
	}

	/**
	 * Adds a shape in the frame.
	 * @param {number} kind @param {number} x @param {number} y @param {number} hw @param {number} hh @param {number} angle
	 * @param {number} top @param {number} low @param {number} [p] @param {number} [q]
	 */
	put(kind, x, y, hw, hh, angle, top, low, p = 0, q = 0) {
		y *= this.flip;
		this.sprites.shape(kind, this.x + x * this.cos - y * this.sin, this.y + x * this.sin + y * this.cos, hw, hh * this.flip, this.angle + angle * this.flip, top, low, p, q);
	}

	/** @param {number} width of the outlines that follow, in ink */
	outline(width) {
		this.sprites.line = INK;
		this.sprites.lineWidth = width;
	}

	/** @param {number} x @param {number} y @param {number} angle */
	hookChain(x, y, angle) {
		this.frame(x, y, angle, false);
		this.outline(1.4);
		this.put(BOX, 0, 0, 5.4, 1.6, 0, STEEL, STEEL_LOW, 1.6);
		this.put(BOX, 7, 0, 2.6, 3, 0, STEEL_LOW, DARK, 2);
	}

	/** @param {number} x @param {number} y @param {number} angle */
	hookHead(x, y, angle) {
		this.frame(x, y, angle, false);
		this.outline(1.6);
		this.put(WEDGE, 3, 0, 6.2, 8, Math.PI / 2, STEEL, STEEL_LOW, 0.1, 1);
		this.put(BOX, -6, 0, 4, 2, 0, STEEL_LOW, DARK, 1.5);
	}

	/** @param {number} x @param {number} y @param {number} angle @param {import('./skins.js').Look} look */
	hand(x, y, angle, look) {
		const c = look.packed[3];
		this.outline(1.8);
		this.sprites.shape(ELLIPSE, x, y, 7.6, 6.8, angle, shade(c, 0.18), shade(c, -0.2));
	}

	/** @param {number} weapon @param {number} x @param {number} y @param {number} angle @param {boolean} flip */
	weapon(weapon, x, y, angle, flip) {
		this.frame(x, y, angle, flip);
		this.outline(1.8);
		switch (weapon) {
			case WEAPON.HAMMER:
				this.put(BOX, -14, 0, 22, 3.4, 0, WOOD, WOOD_LOW, 3);
				this.put(BOX, 20, 0, 11, 19, 0, STEEL, STEEL_LOW, 5);
				this.outline(0);
				this.put(BOX, 20, -12, 11, 2.6, 0, DARK, DARK_LOW, 0);
				this.put(BOX, 20, 12, 11, 2.6, 0, DARK, DARK_LOW, 0);
				this.put(BOX, 14, 0, 1.8, 7, 0, GLINT, GLINT, 1.8);
				break;
			case WEAPON.GUN:
				this.put(BOX, -15, 6, 5.4, 9, 0.3, hex(0x9fbf55), hex(0x65852d), 3);
				this.put(BOX, 1, -5, 22, 6, 0, STEEL, STEEL_LOW, 3);
				this.put(BOX, 12, -5.5, 12.5, 3, 0, DARK, DARK_LOW, 1.5);
				this.outline(0);
				this.put(BOX, -4, -8, 14, 1.3, 0, GLINT, GLINT, 1.3);
				break;
			case WEAPON.SHOTGUN:
				this.put(WEDGE, -34, 2, 8, 13, Math.PI / 2 + 0.12, WOOD, WOOD_LOW, 0.6, 2);
				this.put(BOX, 8, -4, 36, 5.6, 0, STEEL, STEEL_LOW, 2.5);
				this.put(BOX, 12, 4, 17, 4.6, 0, WOOD, WOOD_LOW, 3);
				this.put(BOX, 42, -4, 4.5, 7, 0, DARK, DARK_LOW, 2);
				this.outline(0);
				this.put(BOX, 4, -6.8, 28, 1.1, 0, GLINT, GLINT, 1.1);
				break;
			case WEAPON.GRENADE:
				this.put(WEDGE, -32, 2, 8.5, 13, Math.PI / 2 + 0.1, RED, RED_LOW, 0.62, 3);
				this.put(BOX, 6, -1, 30, 9.5, 0, STEEL, STEEL_LOW, 4);
				this.put(BOX, 2, 9, 7, 4, 0, DARK, DARK_LOW, 2);
				this.put(WEDGE, 38, -1, 10.5, 5.5, -Math.PI / 2, RED, RED_LOW, 1.25, 1.5);
				this.outline(0);
				this.put(BOX, 2, -6, 22, 1.5, 0, GLINT, GLINT, 1.5);
				break;
			case WEAPON.LASER:
				this.put(BOX, -33, 2, 7, 12, 0.06, BLUE, BLUE_LOW, 3);
				this.put(BOX, -17, 7, 5, 7, 0.4, BLUE, BLUE_LOW, 2);
				this.put(BOX, 6, -2, 27, 11, 0, STEEL, STEEL_LOW, 6);
				this.put(BOX, 34, -2, 5, 8, 0, DARK, DARK_LOW, 2);
				this.outline(1.2);
				this.put(BOX, 9, 0, 13, 2.8, 0, hex(0x9fe0ff), hex(0x2f7df0), 2.8);
				this.outline(0);
				this.put(BOX, 2, -9, 16, 1.4, 0, GLINT, GLINT, 1.4);
				break;
			default: // the ninja's sword
				this.put(BOX, 18, 0, 34, 3.2, 0, hex(0xf2f6fa), STEEL_LOW, 3);
				this.put(BOX, -16, 0, 2.4, 8, 0, hex(0xe0b13d), hex(0xa8741d), 1.5);
				this.put(BOX, -30, 0, 13, 3.4, 0, DARK, DARK_LOW, 2.5);
		}
	}

	/** @param {number} weapon @param {number} variant @param {number} x @param {number} y @param {number} angle @param {boolean} flip */
	muzzle(weapon, variant, x, y, angle, flip) {
		this.frame(x, y, angle, flip);
		this.outline(0);
		if (weapon === WEAPON.NINJA) {
			this.put(GLOW, -20, 0, 120, 46, 0, hex(0x6fd3ff), hex(0x1b5fd0), 0.6);
			for (let i = -2; i <= 2; i++) this.put(FLAME, 0, i * 9, 70 - Math.abs(i) * 12 + variant * 5, 5, Math.PI + i * 0.05, hex(0xd8f4ff, 0.85), hex(0x66b9f2, 0.85));
			return;
		}
		const long = weapon === WEAPON.GUN ? 24 : 30;
		this.put(GLOW, 0, 0, long * 1.6, long * 1.2, 0, FIRE, FIRE, 1);
		for (let i = -1; i <= 1; i++) this.put(FLAME, i ? -6 : 4, i * 3, i ? long * 0.6 : long + variant * 4, i ? 6 : 8, i * (0.5 + variant * 0.1), FIRE, hex(0xff5a1f));
		this.put(FLAME, 0, 0, long * 0.62, 5, 0, hex(0xfffbe0), SPARK);
	}

	/**
	 * @param {number} x @param {number} y @param {import('./anim.js').Pose} pose @param {number} dirX @param {number} dirY @param {number} emote
	 * @param {import('./skins.js').Look} look @param {import('../match/types.js').Tee} tee @param {import('../match/types.js').Player} player
	 */
	tee(x, y, pose, dirX, dirY, emote, look, tee, player) {
		const s = this.sprites;
		const feet = tee.airJumped ? shade(look.packed[4], -0.5) : look.packed[4];
		const ninja = tee.weapon === WEAPON.NINJA;
		const body = look.packed[0];
		const parts = player.skin.parts;
		const bx = x + pose.body.x;
		const by = y + pose.body.y - 2;
		this.foot(x + pose.backFoot.x - 3.5, y + pose.backFoot.y, pose.backFoot.angle, shade(feet, -0.18));
		this.outline(2);
		const ears = ninja ? undefined : EARS[parts[0]];
		if (ears) this.ears(ears, bx, by, body);
		if (!ninja && parts[2]) this.hair(bx, by, look.packed[2], player.skin.useCustomColors[2] ? look.packed[2] : shade(body, -0.45));
		s.shape(ELLIPSE, bx, by, 22.5, 22, 0, shade(body, 0.16), shade(body, -0.26));
		this.outline(0);
		s.shape(GLOW, bx - 7, by - 11, 17, 12, -0.5, rgba(1, 1, 1, 0.6), rgba(1, 1, 1, 0), 0);
		s.shape(GLOW, bx, by + 17, 17, 6, 0, rgba(1, 1, 1, 0.18), rgba(1, 1, 1, 0), 0);
		if (!ninja && parts[1]) this.marking(parts[1], bx, by, player.skin.useCustomColors[1] ? look.packed[1] : rgba(1, 1, 1, 0.5), dirX);
		if (ninja) s.shape(BOX, bx + dirX * 2, by - 2, 20, 6.5, 0, hex(0xf0c9a0), hex(0xd9a878), 6);
		this.eyes(bx + dirX * 8, by - 1.5 + dirY * 6.4, emote, dirX, dirY, look.packed[5], body);
		this.foot(x + pose.frontFoot.x + 3.5, y + pose.frontFoot.y, pose.frontFoot.angle, feet);
	}

	/** @param {number} x @param {number} y @param {number} turn in turns @param {number} color */
	foot(x, y, turn, color) {
		this.outline(2);
		this.sprites.shape(BOX, x, y + 0.5, 9.6, 5, turn * Math.PI * 2, shade(color, 0.2), shade(color, -0.25), 5);
	}

	/** @param {string} kind @param {number} x @param {number} y @param {number} c */
	ears(kind, x, y, c) {
		const s = this.sprites;
		for (let side = -1; side <= 1; side += 2) {
			if (kind === 'round') {
				s.shape(ELLIPSE, x + side * 18, y - 18, 8.5, 8.5, 0, c, shade(c, -0.2));
				s.shape(ELLIPSE, x + side * 18, y - 18, 4, 4, 0, shade(c, -0.4), shade(c, -0.4));
			} else if (kind === 'pointed') s.shape(WEDGE, x + side * 16, y - 22, 8, 10, side * 0.5, c, shade(c, -0.25), 0.1, 2);
			else if (kind === 'hanging') s.shape(ELLIPSE, x + side * 22, y - 6, 6.5, 14, side * -0.35, shade(c, -0.3), shade(c, -0.45));
			else for (let i = 0; i < 3; i++) s.shape(WEDGE, x + side * (8 + i * 8), y - 25 + i * 7, 5, 8, side * (0.25 + i * 0.4), c, shade(c, -0.25), 0.05, 1);
		}
	}

	/** @param {number} x @param {number} y @param {number} c @param {number} plain */
	hair(x, y, c, plain) {
		void c;
		for (let i = -1; i <= 1; i++) this.sprites.shape(FLAME, x + i * 5, y - 26, 10, 5.5, -Math.PI / 2 + i * 0.45, shade(plain, 0.1), plain);
	}

	/** @param {string} name @param {number} x @param {number} y @param {number} c @param {number} dirX */
	marking(name, x, y, c, dirX) {
		const s = this.sprites;
		if (/stripe|tiger|cammo/.test(name)) {
			for (let i = -1; i <= 1; i++) s.shape(BOX, x + i * 11, y + 13 - Math.abs(i) * 3, 2.6, 7, i * -0.35, c, c, 2.6);
		} else if (/belly|bel|bear|panda|koala|mice|fox|monkey/.test(name)) s.shape(ELLIPSE, x + dirX * 3, y + 11, 14, 10, 0, c, c);
		else if (/don|circ|blush|bug/.test(name)) {
			for (let i = -1; i <= 1; i += 2) s.shape(ELLIPSE, x + i * 14, y + 7, 4.5, 4.5, 0, c, c);
		} else s.shape(WEDGE, x, y + 13, 10, 6, Math.PI, c, c, 0.2, 2);
	}

	/**
	 * @param {number} x @param {number} y @param {number} emote @param {number} dirX @param {number} dirY @param {number} color @param {number} body
	 */
	eyes(x, y, emote, dirX, dirY, color, body) {
		const s = this.sprites;
		this.outline(0);
		const dark = color;
		const inside = (color & 255) > 140 ? INK : WHITE; // inside wide-open eyes
		for (let side = -1; side <= 1; side += 2) {
			const ex = x + side * 4.7;
			switch (emote) {
				case EMOTE.PAIN:
					s.shape(BOX, ex, y - 2.2, 4.4, 1.2, side * -0.6, dark, dark, 1.2);
					s.shape(BOX, ex, y + 2.2, 4.4, 1.2, side * 0.6, dark, dark, 1.2);
					break;
				case EMOTE.HAPPY:
					s.shape(BOX, ex - 1.9, y, 3.2, 1.3, -0.85, dark, dark, 1.3);
					s.shape(BOX, ex + 1.9, y, 3.2, 1.3, 0.85, dark, dark, 1.3);
					break;
				case EMOTE.SURPRISE:
					this.sprites.line = dark;
					this.sprites.lineWidth = 1.5;
					s.shape(ELLIPSE, ex, y, 3.6, 6.2, 0, inside, inside);
					this.outline(0);
					s.shape(ELLIPSE, ex + dirX, y + dirY * 2, 1.7, 2.2, 0, dark, dark);
					break;
				case EMOTE.BLINK:
					s.shape(BOX, ex, y, 3.6, 1.1, 0, dark, dark, 1.1);
					break;
				default:
					s.shape(ELLIPSE, ex, y, 3.7, 6.8, 0, dark, dark);
					s.shape(ELLIPSE, ex - 1 + dirX * 0.8, y - 2.8 + dirY, 1.2, 1.8, 0, rgba(1, 1, 1, 0.85), rgba(1, 1, 1, 0.85));
					if (emote === EMOTE.ANGRY) {
						s.shape(BOX, ex, y - 6, 6, 2.6, side * 0.5, shade(body, 0.05), shade(body, 0.05), 1);
						s.shape(BOX, ex, y - 3.4, 5, 1, side * 0.5, dark, dark, 1);
					}
			}
		}
	}

	/** @param {number} emoticon @param {number} x @param {number} y @param {number} width @param {number} height @param {number} angle @param {number} alpha */
	emoticon(emoticon, x, y, width, height, angle, alpha) {
		drawEmoticon(this, emoticon, x, y - 16, width, height, angle, alpha);
	}

	/** @param {number} weapon @param {number} x @param {number} y @param {number} angle */
	projectile(weapon, x, y, angle) {
		this.frame(x, y, angle, false);
		if (weapon === WEAPON.GRENADE) {
			this.outline(1.8);
			this.put(BOX, 0, 0, 13, 7.5, 0, RED, RED_LOW, 4);
			this.outline(0);
			this.put(BOX, 0, 0, 4, 7.5, 0, WHITE, hex(0xc9c9c9), 0);
			this.put(BOX, 0, -4.5, 11, 1.2, 0, GLINT, GLINT, 1.2);
			return;
		}
		this.outline(0);
		this.put(GLOW, 0, 0, 20, 14, 0, FIRE, FIRE, 1);
		this.outline(1.3);
		if (weapon === WEAPON.SHOTGUN) this.put(ELLIPSE, 0, 0, 4.6, 4.6, 0, hex(0xfff0b0), hex(0xffa63d));
		else this.put(BOX, 0, 0, 8, 3.6, 0, hex(0xfff3c2), hex(0xf0a83c), 3.6);
	}

	/** @param {number} type @param {number} x @param {number} y */
	pickup(type, x, y) {
		const s = this.sprites;
		this.outline(0);
		const light = type === PICKUP.HEALTH ? hex(0xff5a5a, 0.5) : type === PICKUP.NINJA ? hex(0x7fd0ff, 0.5) : rgba(1, 1, 1, 0.32);
		s.shape(GLOW, x, y, 44, 44, 0, light, light, 1);
		this.outline(2);
		switch (type) {
			case PICKUP.HEALTH: this.symbol(SYMBOL.HEART, x, y); break;
			case PICKUP.ARMOR: this.symbol(SYMBOL.SHIELD, x, y); break;
			default:
				this.weapon(PICKUP_WEAPONS[type] ?? WEAPON.NINJA, x, y, 0, false);
		}
	}

	/** @param {number} team @param {number} x @param {number} y @param {number} time */
	flag(team, x, y, time) {
		const s = this.sprites;
		const c = team === TEAM.RED ? RED : BLUE;
		const low = team === TEAM.RED ? RED_LOW : BLUE_LOW;
		const px = x - 12;
		this.outline(0);
		s.shape(GLOW, x, y - 30, 70, 70, 0, fade(c, 0.42), c, 1);
		this.outline(1.8);
		s.shape(CLOTH, px + 18, y - 46, 19, 22, 0, shade(c, 0.1), low, time * 5);
		s.shape(BOX, px, y - 28, 2.6, 44, 0, WOOD, WOOD_LOW, 2.4);
		s.shape(ELLIPSE, px, y - 73, 4.4, 4.4, 0, hex(0xffdf80), hex(0xd09a30));
	}

	/** @param {import('../match/types.js').Laser} l @param {number} life @param {number} tick */
	laser(l, life, tick) {
		const c = LASERS[l.kind];
		const dx = l.x - l.fromX;
		const dy = l.y - l.fromY;
		const length = Math.hypot(dx, dy);
		this.outline(0);
		if (length > 0) {
			const angle = Math.atan2(dy, dx);
			const x = l.fromX + dx / 2;
			const y = l.fromY + dy / 2;
			const half = length / 2;
			this.sprites.shape(BOX, x, y, half + 6 * life, 13 * life, angle, fade(c.glow, 0.28), fade(c.glow, 0.28), 13 * life);
			this.sprites.shape(BOX, x, y, half, 6.5 * life, angle, c.beam, c.beam, 4 * life);
			this.sprites.shape(BOX, x, y, half, 3.2 * life, angle, c.core, c.core, 2 * life);
		}
		const glow = l.kind >= LASER.DOOR ? 22 : 34 * life + 6;
		this.sprites.shape(GLOW, l.x, l.y, glow, glow, 0, c.beam, c.glow, 1);
		if (l.kind === LASER.DOOR) this.sprites.shape(ELLIPSE, l.x, l.y, 9, 9, 0, c.core, c.beam);
		else this.sprites.shape(STAR, l.x, l.y, 13, 13, tick, c.core, c.beam, 5, 0.5);
	}

	/** @param {number} kind @param {number} x @param {number} y @param {number} size @param {number} angle @param {number} color */
	particle(kind, x, y, size, angle, color) {
		const s = this.sprites;
		const h = size / 2;
		this.outline(0);
		switch (kind) {
			case PARTICLE.SMOKE:
				s.shape(SMOKE, x, y, h * 1.2, h * 1.2, angle, fade(color, 0.62), fade(shade(color, -0.25), 0.62), angle);
				break;
			case PARTICLE.BALL:
				s.shape(ELLIPSE, x, y, h * 0.5, h * 0.5, 0, fade(hex(0xfff0c0), 0.6), fade(hex(0xfff0c0), 0.6));
				break;
			case PARTICLE.SHELL:
				s.shape(GLOW, x, y, h * 0.75, h * 0.75, 0, fade(color, 0.7), color, 0.7);
				s.shape(RING, x, y, h * 0.4, h * 0.4, angle, fade(color, 0.8), fade(color, 0.8), 0.35);
				break;
			case PARTICLE.SPLAT:
				this.outline(0.7);
				s.shape(ELLIPSE, x, y, h * 0.6, h * 0.5, angle, color, shade(color, -0.3));
				break;
			case PARTICLE.EXPLOSION: {
				const grown = 75 - h; // the size shrinks, the wave grows
				s.shape(GLOW, x, y, h * 1.7, h * 1.7, 0, FIRE, hex(0xd02a10), 1);
				s.shape(STAR, x, y, h * 1.05, h * 1.05, angle, FIRE, hex(0xe8471c), 11, 0.62);
				s.shape(STAR, x, y, h * 0.72, h * 0.72, angle + 0.3, SPARK, hex(0xffb23a), 9, 0.6);
				s.shape(ELLIPSE, x, y, h * 0.4, h * 0.4, 0, hex(0xfffbe6), hex(0xfff0b8));
				s.shape(RING, x, y, 40 + grown * 0.95, 40 + grown * 0.95, 0, rgba(1, 0.9, 0.7, h / 150), rgba(1, 0.9, 0.7, h / 150), 0.08);
				break;
			}
			case PARTICLE.AIR_JUMP:
				s.shape(RING, x, y, h * 0.8, h * 0.45, angle * 0.1, fade(WHITE, 0.75), fade(WHITE, 0.35), 0.3);
				break;
			case PARTICLE.HIT:
				s.shape(STAR, x, y, h * 0.9, h * 0.9, angle, hex(0xffffff, 0.95), SPARK, 8, 0.35);
				s.shape(GLOW, x, y, h, h, 0, SPARK, FIRE, 1);
				break;
			default: // a glimmer
				s.shape(STAR, x, y, h, h, angle, hex(0xe8faff), hex(0x9fdcff), 4, 0.25);
		}
	}

	/** @param {number} x @param {number} y @param {number} angle @param {number} alpha */
	star(x, y, angle, alpha) {
		this.sprites.line = fade(INK, alpha);
		this.sprites.lineWidth = 1.6;
		this.sprites.shape(STAR, x, y, 14, 14, angle, fade(hex(0xffe98a), alpha), fade(hex(0xf59a23), alpha), 5, 0.5);
	}

	/** @param {number} symbol @param {number} x @param {number} y */
	symbol(symbol, x, y) {
		const s = this.sprites;
		this.outline(2);
		switch (symbol) {
			case SYMBOL.HEART:
				s.shape(HEART, x, y, 16, 15.5, 0, hex(0xff6a60), hex(0xd0202f));
				this.outline(0);
				s.shape(ELLIPSE, x - 6.5, y - 6, 3.6, 2.4, -0.6, rgba(1, 1, 1, 0.75), rgba(1, 1, 1, 0.5));
				break;
			case SYMBOL.SHIELD:
				s.shape(SHIELD, x, y, 14, 17, 0, hex(0xeaf0f6), hex(0x8d9aab));
				this.outline(0);
				s.shape(SHIELD, x, y, 10, 13, 0, hex(0xa9b6c6), hex(0x6d7b8d));
				s.shape(BOX, x - 4, y - 3, 1.6, 6, 0, rgba(1, 1, 1, 0.6), rgba(1, 1, 1, 0.2), 1.6);
				break;
			case SYMBOL.NO_HEART: s.shape(HEART, x, y, 16, 15.5, 0, EMPTY, EMPTY); break;
			case SYMBOL.NO_SHIELD: s.shape(SHIELD, x, y, 14, 17, 0, EMPTY, EMPTY);
		}
	}

	/** @param {number} weapon @param {number} x @param {number} y */
	ammo(weapon, x, y) {
		this.frame(x, y, weapon === WEAPON.GRENADE ? 0 : -Math.PI / 2, false);
		this.outline(1.8);
		switch (weapon) {
			case WEAPON.GUN: this.put(BOX, 0, 0, 11, 5.5, 0, hex(0xfff3c2), hex(0xf0a83c), 5); break;
			case WEAPON.SHOTGUN: this.put(ELLIPSE, 0, 0, 7.5, 7.5, 0, hex(0xfff0b0), hex(0xffa63d)); break;
			case WEAPON.GRENADE: this.projectile(weapon, x, y, 0); break;
			case WEAPON.LASER: this.put(BOX, 0, 0, 12, 5.5, 0, hex(0x9fe0ff), hex(0x2f7df0), 3);
		}
	}

	/** @param {number} weapon @param {number} x @param {number} y */
	crosshair(weapon, x, y) {
		this.frame(x, y, weapon === WEAPON.HAMMER || weapon === WEAPON.GRENADE ? Math.PI / 4 : 0, false);
		this.outline(2);
		const [light, low] = CROSSHAIRS[weapon] ?? CROSSHAIRS[0];
		if (weapon === WEAPON.SHOTGUN || weapon === WEAPON.LASER) this.put(RING, 0, 0, 16, 16, 0, light, low, 0.3);
		for (let i = 0; i < 4; i++) {
			const angle = i * Math.PI / 2, dx = Math.cos(angle), dy = Math.sin(angle);
			switch (weapon) {
				case WEAPON.SHOTGUN: break;
				case WEAPON.GRENADE: this.put(BOX, dx * 13, dy * 13, 2.4, 14, angle, light, low, 1.5); break;
				case WEAPON.LASER: this.put(BOX, dx * 14, dy * 14, 7, 2, angle, light, low, 1.5); break;
				case WEAPON.NINJA: this.put(WEDGE, dx * 14, dy * 14, 4.5, 6, angle - Math.PI / 2, light, low, 0.1, 1); break;
				default: this.put(BOX, dx * 14, dy * 14, 7, 2.4, angle, light, low, 2);
			}
		}
		if (weapon !== WEAPON.NINJA) this.put(ELLIPSE, 0, 0, 2.4, 2.4, 0, light, light);
	}

	/** All of this look is there from the start. */
	ready() {
		return true;
	}
}

/** The weapons of pickups, by PICKUP. */
const PICKUP_WEAPONS = [-1, -1, WEAPON.GRENADE, WEAPON.SHOTGUN, WEAPON.LASER, WEAPON.NINJA, WEAPON.GUN, WEAPON.HAMMER];
