/**
 * Draws moving things: tees, their weapons and hooks, projectiles, lasers, pickups and flags.
 * Positions and rotations follow the original client. The appearance is up to the style.
 *
 * @module
 */

import { EMOTE, GAME, LASER, PICKUP, TICKS_PER_SECOND, WEAPON } from '../match/types.js';
import { Pose, WEAPONS } from './anim.js';
import { drawIce } from './ice.js';
import { Looks } from './skins.js';
import { TILE } from './mapfile.js';

/** @typedef {import('../match/types.js').Moment} Moment */
/** @typedef {import('../match/types.js').Tee} Tee */
/** @typedef {import('./skins.js').Look} Look */

/**
 * The appearance of things. Positions are centres.
 * @typedef {object} Style
 * @property {import('./sprites.js').Shapes} sprites
 * @property {(x: number, y: number, angle: number) => void} hookChain a link
 * @property {(x: number, y: number, angle: number) => void} hookHead
 * @property {(x: number, y: number, angle: number, look: Look, player: import('../match/types.js').Player, ninja: boolean) => void} hand
 * @property {(weapon: number, x: number, y: number, angle: number, flip: boolean) => void} weapon
 * @property {(weapon: number, variant: number, x: number, y: number, angle: number, flip: boolean) => void} muzzle
 * @property {(x: number, y: number, pose: Pose, dirX: number, dirY: number, emote: number, look: Look, tee: Tee, player: import('../match/types.js').Player) => void} tee
 * @property {(emoticon: number, x: number, y: number, width: number, height: number, angle: number, alpha: number) => void} emoticon
 * @property {(weapon: number, x: number, y: number, angle: number) => void} projectile
 * @property {(type: number, x: number, y: number) => void} pickup
 * @property {(team: number, x: number, y: number, time: number) => void} flag
 * @property {(laser: import('../match/types.js').Laser, life: number, tick: number) => void} laser
 * @property {(kind: number, x: number, y: number, size: number, angle: number, color: number) => void} particle
 * @property {(x: number, y: number, angle: number, alpha: number) => void} star
 * @property {(symbol: number, x: number, y: number) => void} symbol SYMBOL, 32 units high
 * @property {(weapon: number, x: number, y: number) => void} ammo a shot, as a sign of ammunition
 * @property {(weapon: number, x: number, y: number) => void} crosshair
 * @property {(look: Look | null) => boolean} ready whether the images of a tee are loaded, or for null
 *   those of all other things; it requests missing ones
 */

/** Symbols that every look draws: see Style.symbol. */
export const SYMBOL = Object.freeze({ HEART: 0, NO_HEART: 1, SHIELD: 2, NO_SHIELD: 3 });

/**
 * How hands hold weapons, by WEAPON: turn, offset along the arm and across it.
 * @type {(readonly number[]|null)[]}
 */
const HANDS = [null, [(-3 * Math.PI) / 4, -15, 4], [-Math.PI / 2, -5, 4], [-Math.PI / 2, -4, 7], null, null];

export class Actors {
	constructor() {
		this.pose = new Pose();
		this.looks = new Looks();
		/** @type {import('./mapfile.js').TileLayer|null} */
		this.game = null;
	}

	/**
	 * Reports whether a point is inside the ground.
	 * @param {number} x
	 * @param {number} y
	 */
	solid(x, y) {
		const g = this.game;
		if (!g) return false;
		const tx = Math.min(Math.max(Math.floor(Math.round(x) / 32), 0), g.width - 1);
		const ty = Math.min(Math.max(Math.floor(Math.round(y) / 32), 0), g.height - 1);
		const t = g.tiles[4 * (ty * g.width + tx)];
		return t === TILE.SOLID || t === TILE.UNHOOKABLE;
	}

	/**
	 * Draws projectiles, pickups, lasers and flags.
	 * @param {Moment} m
	 * @param {Style} style
	 */
	drawItems(m, style) {
		const time = m.tick / TICKS_PER_SECOND;
		for (let i = 0; i < m.projectiles.length; i++) {
			const p = m.projectiles.items[i];
			const angle = p.weapon === WEAPON.GRENADE ? time * Math.PI * 4 + p.key : Math.atan2(p.vy, p.vx);
			style.projectile(p.weapon, p.x, p.y, angle);
		}
		for (let i = 0; i < m.pickups.length; i++) {
			const p = m.pickups.items[i];
			const x = p.type === PICKUP.NINJA ? p.x - 10 : p.x;
			const phase = time * 2 + x / 32 + p.y / 32;
			style.pickup(p.type, x + Math.cos(phase) * 2.5, p.y + Math.sin(phase) * 2.5);
		}
		const counted = countedTick(m);
		for (let i = 0; i < m.lasers.length; i++) {
			const l = m.lasers.items[i];
			const ms = ((counted - l.startTick) * 1000) / TICKS_PER_SECOND;
			style.laser(l, l.kind >= LASER.DOOR ? 1 : 1 - Math.min(Math.max(ms / m.tuning.laserBounceDelay, 0), 1), m.nextTick);
		}
		for (let i = 0; i < m.flags.length; i++) {
			const f = m.flags.items[i];
			style.flag(f.team, f.x, f.y, time);
		}
	}

	/**
	 * Draws the tees, hooks first.
	 * @param {Moment} m
	 * @param {Style} style
	 */
	drawTees(m, style) {
		for (let i = 0; i < m.tees.length; i++) this.drawHook(m, m.tees.items[i], style);
		for (let i = 0; i < m.tees.length; i++) this.drawTee(m, m.tees.items[i], style);
	}

	/** @param {Moment} m @param {Tee} t @param {Style} style */
	drawHook(m, t, style) {
		if (t.hookState <= 0) return;
		const dx = t.x - t.hookX;
		const dy = t.y - t.hookY;
		const length = Math.hypot(dx, dy);
		if (!(length > 0 && length < 1e5)) return;
		const ux = dx / length;
		const uy = dy / length;
		const angle = Math.atan2(uy, ux) + Math.PI;
		style.hookHead(t.hookX, t.hookY, angle);
		for (let f = 16, n = 0; f < length && n < 1024; f += 16, n++) style.hookChain(t.hookX + ux * f, t.hookY + uy * f, angle);
		this.drawHand(m, t, t.x, t.y, -ux, -uy, -Math.PI / 2, 20, 0, style);
	}

	/**
	 * @param {Moment} m @param {Tee} t @param {number} x @param {number} y @param {number} dirX @param {number} dirY
	 * @param {number} turn @param {number} along @param {number} across @param {Style} style
	 */
	drawHand(m, t, x, y, dirX, dirY, turn, along, across, style) {
		const left = dirX < 0;
		const nx = left ? dirY : -dirY;
		const ny = left ? -dirX : dirX;
		const player = m.players[t.id];
		const ninja = t.weapon === WEAPON.NINJA;
		const angle = Math.atan2(dirY, dirX) + (left ? -turn : turn);
		const look = this.looks.of(player, m.game.flags, ninja);
		style.hand(x + dirX * (1 + along) + nx * across, y + dirY * (1 + along) + ny * across, angle, look, player, ninja);
	}

	/** @param {Moment} m @param {Tee} t @param {Style} style */
	drawTee(m, t, style) {
		const player = m.players[t.id];
		const look = this.looks.of(player, m.game.flags, t.weapon === WEAPON.NINJA);
		const dirX = Math.cos(t.angle);
		const dirY = Math.sin(t.angle);
		const pose = this.pose;
		const turning = (t.direction === -1 && t.vx > 0) || (t.direction === 1 && t.vx < 0);
		pose.set(!this.solid(t.nextX, t.nextY + 16), Math.abs(t.nextVX) <= 1 / 256, turning, t.x);
		const sinceAttack = (m.tick - t.attackTick) / TICKS_PER_SECOND;
		if (t.weapon === WEAPON.HAMMER) pose.swingHammer(sinceAttack);
		if (t.weapon === WEAPON.NINJA) pose.swingNinja(sinceAttack);
		if (t.weapon >= 0 && t.weapon < WEAPONS.length) this.drawWeapon(m, t, dirX, dirY, style);
		style.tee(t.x, t.y, pose, dirX, dirY, t.freeze && t.emote === EMOTE.NORMAL ? EMOTE.BLINK : t.emote, look, t, player);
		if (t.freeze) drawIce(style.sprites, t, m.tick);
	}

	/** @param {Moment} m @param {Tee} t @param {number} dirX @param {number} dirY @param {Style} style */
	drawWeapon(m, t, dirX, dirY, style) {
		const w = WEAPONS[t.weapon];
		const left = dirX < 0;
		const turn = this.pose.attach.angle * Math.PI * 2;
		const since = countedTick(m) - t.attackTick;
		// The muzzle flash varies with the tick.
		const variant = (Math.imul(m.prevTick + t.id * 7, 0x9e3779b1) >>> 16) % 3;
		if (t.weapon === WEAPON.HAMMER || t.weapon === WEAPON.NINJA) {
			const x = t.x + this.pose.attach.x * (t.weapon === WEAPON.HAMMER ? 1 : 0) - (left ? w.x : 0);
			style.weapon(t.weapon, x, t.y + w.y, -Math.PI / 2 + (left ? -turn : turn), left);
			if (t.weapon === WEAPON.NINJA && m.nextTick - t.attackTick <= TICKS_PER_SECOND / 6) {
				const speed = Math.hypot(t.vx, t.vy);
				const ux = speed > 0 ? t.vx / speed : 1;
				const uy = speed > 0 ? t.vy / speed : 0;
				style.muzzle(t.weapon, variant, t.x - ux * w.muzzleX, t.y - uy * w.muzzleX, Math.atan2(uy, ux), false);
			}
			return;
		}
		const recoil = since / 5 < 1 ? Math.sin((since / 5) * Math.PI) : 0;
		const x = t.x + dirX * (w.x - recoil * 10);
		const y = t.y + dirY * (w.x - recoil * 10) + w.y;
		style.weapon(t.weapon, x, y, t.angle, left);
		if (w.muzzleX && since < w.muzzleTicks && t.attackTick > 0) {
			const across = left ? w.muzzleY : -w.muzzleY;
			style.muzzle(t.weapon, variant, x + dirX * w.muzzleX - dirY * across, y + dirY * w.muzzleX + dirX * across, t.angle, left);
		}
		const hand = HANDS[t.weapon];
		if (hand) this.drawHand(m, t, x, y, dirX, dirY, hand[0], hand[1], hand[2], style);
	}

	/**
	 * Draws the symbols above tees' heads.
	 * @param {Moment} m
	 * @param {Style} style
	 */
	drawEmoticons(m, style) {
		for (let i = 0; i < m.tees.length; i++) {
			const t = m.tees.items[i];
			if (m.players[t.id].chatting) style.emoticon(4, t.x + 24, t.y - 40, 64, 64, 0, 1);
			if (t.emoticon < 0) continue;
			const since = (m.tick - t.emoticonTick) / TICKS_PER_SECOND;
			const left = 2 - since;
			if (since <= 0 || left <= 0) continue;
			const height = 64 * Math.min(since / 0.1, 1);
			const wiggle = since < 0.2 ? since / 0.2 : 0;
			style.emoticon(t.emoticon, t.x, t.y - 23 - height / 2, 64, height, (Math.PI / 6) * Math.sin(5 * wiggle), Math.min(left / 0.2, 1));
		}
	}
}

/**
 * The tick from which the original client counts recoil and the age of lasers.
 * @param {Moment} m
 */
export function countedTick(m) {
	const span = m.nextTick - m.prevTick;
	return m.nextTick + (span > 0 ? (m.tick - m.prevTick) / span : 0);
}

/** Reports whether the game has teams. @param {Moment} m */
export function hasTeams(m) {
	return (m.game.flags & GAME.TEAMS) !== 0;
}
