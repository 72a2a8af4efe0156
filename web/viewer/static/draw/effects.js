/**
 * Draws what happens for a moment: explosions, smoke, splashes, stars. All is worked out from the time since
 * it happened and a seed, so it looks the same when one rewinds, and costs nothing to jump to. The numbers
 * are those of the original client, but for its particles that bounce off walls.
 *
 * @module
 */

import { EFFECT, PICKUP, TICKS_PER_SECOND, WEAPON } from '../match/types.js';
import { WHITE, rgba } from './sprites.js';

/** The kinds of particles. */
export const PARTICLE = Object.freeze({ SMOKE: 0, BALL: 1, SHELL: 2, SPLAT: 3, EXPLOSION: 4, AIR_JUMP: 5, HIT: 6, SLICE: 7 });

const TAU = Math.PI * 2;
const SPAWN_COLOR = rgba(0xb5 / 255, 0x50 / 255, 0xcb / 255);

let state = 1;

/** Starts the random numbers. @param {number} s */
function seed(s) {
	state = (Math.imul(s, 0x9e3779b1) ^ 0x5bd1e995) | 0 || 1;
}

/** A random number from 0 to 1. */
function random() {
	state ^= state << 13;
	state ^= state >>> 17;
	state ^= state << 5;
	return (state >>> 0) / 4294967296;
}

// The place of the last particle that was worked out.
let placeX = 0;
let placeY = 0;

/**
 * Works out where a particle is that began at x, y.
 * @param {number} x @param {number} y
 * @param {number} vx units a second @param {number} vy
 * @param {number} gravity units a second squared
 * @param {number} friction what is left of the speed after each 1/20 s
 * @param {number} t seconds since then
 */
function fly(x, y, vx, vy, gravity, friction, t) {
	if (friction >= 1) {
		placeX = x + vx * t;
		placeY = y + vy * t + (gravity * t * t) / 2;
		return;
	}
	const k = 20 * Math.log(friction);
	const e = (Math.exp(k * t) - 1) / k;
	placeX = x + vx * e;
	placeY = y + (vy + gravity / k) * e - (gravity / k) * t;
}

export class Effects {
	/** @param {import('./actors.js').Actors} actors who knows the looks of tees */
	constructor(actors) {
		this.actors = actors;
	}

	/**
	 * Draws what projectiles leave behind, which is below everything.
	 * @param {import('../match/types.js').Moment} m
	 * @param {import('./actors.js').Style} style
	 */
	drawTrails(m, style) {
		for (let i = 0; i < m.projectiles.length; i++) {
			const p = m.projectiles.items[i];
			const age = (m.tick - p.startTick) / TICKS_PER_SECOND;
			const grenade = p.weapon === WEAPON.GRENADE;
			const rate = grenade ? 50 : 100;
			const longest = grenade ? 1 : 0.5;
			const drop = fall(m, p.weapon);
			const first = Math.ceil(Math.max(age - longest, 0) * rate);
			for (let n = first; n <= age * rate; n++) {
				seed(p.key * 977 + n + p.startTick * 31);
				const t = age - n / rate;
				const life = grenade ? 0.5 + random() * 0.5 : 0.25 + random() * 0.25;
				if (t < 0 || t > life) continue;
				const x = p.x - p.vx * TICKS_PER_SECOND * t;
				const y = p.y - p.vy * TICKS_PER_SECOND * t + drop * t * t;
				if (grenade) {
					const a = random() * TAU;
					fly(x, y, Math.cos(a) * 50, Math.sin(a) * 50, random() * -500, 0.7, t);
					style.particle(PARTICLE.SMOKE, placeX, placeY, (12 + random() * 8) * (1 - t / life), a, WHITE);
				} else style.particle(PARTICLE.BALL, x, y, 8 * (1 - t / life), 0, WHITE);
			}
		}
		for (let i = 0; i < m.pickups.length; i++) {
			const p = m.pickups.items[i];
			if (p.type === PICKUP.NINJA) this.shine(m, p.key, p.x, p.y, 96, 18, style);
		}
		for (let i = 0; i < m.tees.length; i++) {
			const t = m.tees.items[i];
			if (t.weapon === WEAPON.NINJA) this.shine(m, t.id, t.x + (Math.cos(t.angle) < 0 ? 32 : -32), t.y, 32, 12, style);
		}
	}

	/**
	 * Draws glimmers around what is precious.
	 * @param {import('../match/types.js').Moment} m @param {number} key @param {number} x @param {number} y @param {number} width @param {number} height
	 * @param {import('./actors.js').Style} style
	 */
	shine(m, key, x, y, width, height, style) {
		for (let n = Math.ceil(m.tick - 25); n <= m.tick; n++) {
			seed(key * 4099 + n);
			const t = (m.tick - n) / TICKS_PER_SECOND;
			fly(x + (random() - 0.5) * width, y + (random() - 0.5) * height, 0, 0, 500, 0.9, t);
			style.particle(PARTICLE.SLICE, placeX, placeY, 16 * (1 - t / 0.5), (random() + t) * TAU, WHITE);
		}
	}

	/**
	 * Draws explosions and hits of hammers, which are in front of the map.
	 * @param {import('../match/types.js').Moment} m
	 * @param {import('./actors.js').Style} style
	 */
	drawExplosions(m, style) {
		for (let i = 0; i < m.effects.length; i++) {
			const e = m.effects.items[i];
			const t = (m.tick - e.tick) / TICKS_PER_SECOND;
			seed(e.seed);
			if (e.kind === EFFECT.EXPLOSION && t >= 0 && t < 0.4) style.particle(PARTICLE.EXPLOSION, e.x, e.y, 150 * (1 - t / 0.4), random() * TAU, WHITE);
			if (e.kind === EFFECT.HAMMER_HIT && t >= 0 && t < 0.3) style.particle(PARTICLE.HIT, e.x, e.y, 120 * (1 - t / 0.3), random() * TAU, WHITE);
		}
	}

	/**
	 * Draws what flies away from where something happened, and the stars of damage.
	 * @param {import('../match/types.js').Moment} m
	 * @param {import('./actors.js').Style} style
	 */
	drawParticles(m, style) {
		for (let i = 0; i < m.effects.length; i++) {
			const e = m.effects.items[i];
			const t = (m.tick - e.tick) / TICKS_PER_SECOND;
			if (t < 0 || t > 1) continue;
			seed(e.seed + 1);
			if (e.kind === EFFECT.EXPLOSION) smoke(e, t, style);
			else if (e.kind === EFFECT.SPAWN) spawn(e, t, style);
			else if (e.kind === EFFECT.DEATH) this.splash(m, e, t, style);
			else if (e.kind === EFFECT.AIR_JUMP && t < 0.5) {
				const a = random() * TAU + t * TAU;
				fly(e.x, e.y + 16, 0, -200, 500, 0.7, t);
				style.particle(PARTICLE.AIR_JUMP, placeX - 6, placeY, 48 * (1 - t / 0.5), a, WHITE);
				style.particle(PARTICLE.AIR_JUMP, placeX + 6, placeY, 48 * (1 - t / 0.5), a, WHITE);
			}
		}
		for (let i = 0; i < m.effects.length; i++) {
			const e = m.effects.items[i];
			if (e.kind === EFFECT.DAMAGE) stars(e, (m.tick - e.tick) / TICKS_PER_SECOND, style);
		}
	}

	/**
	 * @param {import('../match/types.js').Moment} m @param {import('../match/types.js').Effect} e @param {number} t @param {import('./actors.js').Style} style
	 */
	splash(m, e, t, style) {
		const colors = e.id >= 0 && e.id < m.players.length ? this.actors.looks.of(m.players[e.id], m.game.flags, false).colors : null;
		for (let i = 0; i < 64; i++) {
			const a = random() * TAU;
			const v = (random() + 0.1) * 900;
			const life = 0.3 + random() * 0.3;
			const size = 24 + random() * 16;
			const turn = random() * TAU + (random() - 0.5) * Math.PI * t;
			const k = 0.75 + random() * 0.25;
			if (t > life) continue;
			fly(e.x, e.y, Math.cos(a) * v, Math.sin(a) * v, 800, 0.8, t);
			const color = colors ? rgba(colors[0] * k, colors[1] * k, colors[2] * k, 0.75) : rgba(k, k, k, 0.75);
			style.particle(PARTICLE.SPLAT, placeX, placeY, size * (1 - t / life), turn, color);
		}
	}
}

/**
 * How far a projectile falls in a second because of its weapon's curvature, for the time squared.
 * @param {import('../match/types.js').Moment} m
 * @param {number} weapon
 */
function fall(m, weapon) {
	const u = m.tuning;
	if (weapon === WEAPON.GRENADE) return (u.grenadeCurvature / 10000) * u.grenadeSpeed * u.grenadeSpeed;
	if (weapon === WEAPON.SHOTGUN) return (u.shotgunCurvature / 10000) * u.shotgunSpeed * u.shotgunSpeed;
	return (u.gunCurvature / 10000) * u.gunSpeed * u.gunSpeed;
}

/** @param {import('../match/types.js').Effect} e @param {number} t @param {import('./actors.js').Style} style */
function smoke(e, t, style) {
	for (let i = 0; i < 24; i++) {
		const a = random() * TAU;
		const v = (1 + random() * 0.2) * 1000;
		const life = 0.5 + random() * 0.4;
		const size = 32 + random() * 8;
		const gravity = random() * -800;
		const grey = 0.5 + random() * 0.25;
		if (t > life) continue;
		fly(e.x, e.y, Math.cos(a) * v, Math.sin(a) * v, gravity, 0.4, t);
		style.particle(PARTICLE.SMOKE, placeX, placeY, size * (1 - t / life), a, rgba(grey, grey, grey));
	}
}

/** @param {import('../match/types.js').Effect} e @param {number} t @param {import('./actors.js').Style} style */
function spawn(e, t, style) {
	for (let i = 0; i < 32; i++) {
		const a = random() * TAU;
		const v = random() ** 3 * 600;
		const life = 0.3 + random() * 0.3;
		const size = 64 + random() * 32;
		const turn = random() * TAU + random() * t;
		const gravity = random() * -400;
		if (t > life) continue;
		fly(e.x, e.y, Math.cos(a) * v, Math.sin(a) * v, gravity, 0.7, t);
		style.particle(PARTICLE.SHELL, placeX, placeY, size * (1 - t / life), turn, SPAWN_COLOR);
	}
}

/** @param {import('../match/types.js').Effect} e @param {number} t @param {import('./actors.js').Style} style */
function stars(e, t, style) {
	const left = 0.75 - t;
	if (t < 0 || left < 0) return;
	seed(e.seed + 2);
	const way = 75 * (1 - Math.min(Math.max((left - 0.6) / 0.15, 0), 1));
	const alpha = Math.min(left * 10, 1);
	for (let i = 0; i < e.amount; i++) {
		const middle = (3 * Math.PI) / 2 + e.angle;
		const a = middle - Math.PI / 3 + (((i + 1) / (e.amount + 2)) * 2 * Math.PI) / 3;
		style.star(e.x - Math.cos(a) * way, e.y - Math.sin(a) * way, (random() - 1) * TAU + left * 2, alpha);
	}
}
