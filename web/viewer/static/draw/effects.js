/**
 * Draws short effects: explosions, smoke, splashes, stars. All are computed from the time since the
 * event and a seed, so they look the same after rewinding. The numbers come from the original
 * client. Thrown particles bounce off the ground (motion.js). Trails come to rest on it.
 *
 * @module
 */

import { EFFECT, PICKUP, TICKS_PER_SECOND, WEAPON } from '../match/types.js';
import { MAX_MOTIONS, Motions, STEP } from './motion.js';
import { WHITE, rgba } from './sprites.js';

/** Kinds of particles. */
export const PARTICLE = Object.freeze({ SMOKE: 0, BALL: 1, SHELL: 2, SPLAT: 3, EXPLOSION: 4, AIR_JUMP: 5, HIT: 6, SLICE: 7 });

/** The number of sprites after which no more trails are drawn, so that the rest has room. */
const MAX_TRAILS = 4000;

const TAU = Math.PI * 2;
const SKID_COLOR = rgba(0.75, 0.75, 0.75);
const SPAWN_COLOR = rgba(0xb5 / 255, 0x50 / 255, 0xcb / 255);

let state = 1;

/** Seeds the random numbers. @param {number} s */
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

// The position of the last computed particle.
let placeX = 0;
let placeY = 0;

/**
 * Computes the position of a particle that started at x, y.
 * @param {number} x @param {number} y
 * @param {number} vx units a second @param {number} vy
 * @param {number} gravity units a second squared
 * @param {number} friction fraction of the speed that is left after each 1/20 s
 * @param {number} t seconds since the start
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

/**
 * Reads the current position of a particle from a motion.
 * @param {import('./motion.js').Motion} w @param {number} i @param {number} t
 */
function place(w, i, t) {
	const rest = t - w.steps * STEP;
	placeX = w.x[i] + w.vx[i] * rest;
	placeY = w.y[i] + w.vy[i] * rest;
}

/**
 * How thrown particles move and look, by EFFECT.
 * @type {Record<number, { friction: number, draw: (e: Effect, t: number, w: import('./motion.js').Motion, style: Style|null, color: Float32Array|null) => void }>}
 */
const THROWN = {
	[EFFECT.EXPLOSION]: { friction: 0.4, draw: smoke },
	[EFFECT.SPAWN]: { friction: 0.7, draw: spawn },
	[EFFECT.DEATH]: { friction: 0.8, draw: splash },
	[EFFECT.AIR_JUMP]: { friction: 0.7, draw: airJump },
	[EFFECT.SKID]: { friction: 0.7, draw: skid },
};

/**
 * @typedef {import('../match/types.js').Effect} Effect
 * @typedef {import('./actors.js').Style} Style
 */

export class Effects {
	/** @param {import('./actors.js').Actors} actors knows the tees' looks and the ground */
	constructor(actors) {
		this.actors = actors;
		this.motions = new Motions();
	}

	/**
	 * Lets the last computed particle rest where the ground begins.
	 * @param {number} x a free place on its way
	 */
	rest(x, y) {
		if (!this.actors.solid(placeX, placeY)) return;
		let [free, solid] = [0, 1];
		const dx = placeX - x;
		const dy = placeY - y;
		for (let i = 0; i < 4; i++) {
			const middle = (free + solid) / 2;
			if (this.actors.solid(x + dx * middle, y + dy * middle)) solid = middle;
			else free = middle;
		}
		placeX = x + dx * free;
		placeY = y + dy * free;
	}

	/**
	 * Draws the trails of projectiles, below everything else.
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
			if (style.sprites.n > MAX_TRAILS) break;
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
					this.rest(x, y);
					style.particle(PARTICLE.SMOKE, placeX, placeY, (12 + random() * 8) * (1 - t / life), a, WHITE);
				} else style.particle(PARTICLE.BALL, x, y, 8 * (1 - t / life), 0, WHITE);
			}
		}
		for (let i = 0; i < m.pickups.length; i++) {
			const p = m.pickups.items[i];
			if (style.sprites.n > MAX_TRAILS) break;
			if (p.type === PICKUP.NINJA) this.shine(m, p.key, p.x, p.y, 96, 18, style);
		}
		for (let i = 0; i < m.tees.length; i++) {
			const t = m.tees.items[i];
			if (t.weapon === WEAPON.NINJA) this.shine(m, t.id, t.x + (Math.cos(t.angle) < 0 ? 32 : -32), t.y, 32, 12, style);
		}
	}

	/**
	 * Draws glimmers around valuable things.
	 * @param {import('../match/types.js').Moment} m @param {number} key @param {number} x @param {number} y @param {number} width @param {number} height
	 * @param {import('./actors.js').Style} style
	 */
	shine(m, key, x, y, width, height, style) {
		for (let n = Math.ceil(m.tick - 25); n <= m.tick; n++) {
			seed(key * 4099 + n);
			const t = (m.tick - n) / TICKS_PER_SECOND;
			const fromY = y + (random() - 0.5) * height;
			fly(x + (random() - 0.5) * width, fromY, 0, 0, 500, 0.9, t);
			this.rest(placeX, fromY);
			style.particle(PARTICLE.SLICE, placeX, placeY, 16 * (1 - t / 0.5), (random() + t) * TAU, WHITE);
		}
	}

	/**
	 * Draws explosions and hammer hits, in front of the map.
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
	 * Draws the particles of events, and the stars of damage.
	 * @param {import('../match/types.js').Moment} m
	 * @param {import('./actors.js').Style} style
	 */
	drawParticles(m, style) {
		for (let i = this.#firstThrown(m); i < m.effects.length; i++) {
			const e = m.effects.items[i];
			const t = (m.tick - e.tick) / TICKS_PER_SECOND;
			if (t < 0 || t > 1) continue;
			const thrown = THROWN[e.kind];
			if (!thrown || (e.kind === EFFECT.SKID && !this.actors.solid(e.x, e.y + 16))) continue;
			const colors = e.kind === EFFECT.DEATH && e.id >= 0 && e.id < m.players.length ? this.actors.looks.of(m.players[e.id], m.game.flags, false).colors : null;
			const w = this.motions.of(e, t);
			if (w.n === 0) {
				w.friction = thrown.friction;
				seed(e.seed + 1);
				thrown.draw(e, 0, w, null, colors);
			}
			w.advance(t, this.actors);
			seed(e.seed + 1);
			thrown.draw(e, t, w, style, colors);
		}
		for (let i = 0; i < m.effects.length; i++) {
			const e = m.effects.items[i];
			if (e.kind === EFFECT.DAMAGE) stars(e, (m.tick - e.tick) / TICKS_PER_SECOND, style);
		}
	}

	/**
	 * The first effect whose particles are drawn: at most the last MAX_MOTIONS have any, as the motions
	 * of more are not kept.
	 * @param {import('../match/types.js').Moment} m
	 */
	#firstThrown(m) {
		let i = m.effects.length;
		for (let n = 0; i > 0 && n < MAX_MOTIONS; i--) if (THROWN[m.effects.items[i - 1].kind]) n++;
		return i;
	}
}

/**
 * The distance that a projectile falls because of its weapon's curvature, per second squared.
 * @param {import('../match/types.js').Moment} m
 * @param {number} weapon
 */
function fall(m, weapon) {
	const u = m.tuning;
	if (weapon === WEAPON.GRENADE) return (u.grenadeCurvature / 10000) * u.grenadeSpeed * u.grenadeSpeed;
	if (weapon === WEAPON.SHOTGUN) return (u.shotgunCurvature / 10000) * u.shotgunSpeed * u.shotgunSpeed;
	return (u.gunCurvature / 10000) * u.gunSpeed * u.gunSpeed;
}

/**
 * Without a style these functions add the particles to the motion; with one they draw them.
 * @param {Effect} e
 * @param {number} t
 * @param {import('./motion.js').Motion} w
 * @param {Style|null} style
 */
function smoke(e, t, w, style) {
	for (let i = 0; i < 24; i++) {
		const a = random() * TAU;
		const v = (1 + random() * 0.2) * 1000;
		const life = 0.5 + random() * 0.4;
		const size = 32 + random() * 8;
		const gravity = random() * -800;
		const grey = 0.5 + random() * 0.25;
		if (!style) w.add(e.x, e.y, Math.cos(a) * v, Math.sin(a) * v, gravity);
		else if (t <= life) {
			place(w, i, t);
			style.particle(PARTICLE.SMOKE, placeX, placeY, size * (1 - t / life), a, rgba(grey, grey, grey));
		}
	}
}

/** @param {Effect} e @param {number} t @param {import('./motion.js').Motion} w @param {Style|null} style */
function spawn(e, t, w, style) {
	for (let i = 0; i < 32; i++) {
		const a = random() * TAU;
		const v = random() ** 3 * 600;
		const life = 0.3 + random() * 0.3;
		const size = 64 + random() * 32;
		const turn = random() * TAU + random() * t;
		const gravity = random() * -400;
		if (!style) w.add(e.x, e.y, Math.cos(a) * v, Math.sin(a) * v, gravity);
		else if (t <= life) {
			place(w, i, t);
			style.particle(PARTICLE.SHELL, placeX, placeY, size * (1 - t / life), turn, SPAWN_COLOR);
		}
	}
}

/**
 * The remains of a tee.
 * @param {Effect} e @param {number} t @param {import('./motion.js').Motion} w @param {Style|null} style @param {Float32Array|null} colors
 */
function splash(e, t, w, style, colors) {
	for (let i = 0; i < 64; i++) {
		const a = random() * TAU;
		const v = (random() + 0.1) * 900;
		const life = 0.3 + random() * 0.3;
		const size = 24 + random() * 16;
		const turn = random() * TAU + (random() - 0.5) * Math.PI * t;
		const k = 0.75 + random() * 0.25;
		if (!style) w.add(e.x, e.y, Math.cos(a) * v, Math.sin(a) * v, 800);
		else if (t <= life) {
			place(w, i, t);
			style.particle(PARTICLE.SPLAT, placeX, placeY, size * (1 - t / life), turn, colors ? rgba(colors[0] * k, colors[1] * k, colors[2] * k, 0.75) : rgba(k, k, k, 0.75));
		}
	}
}

/** @param {Effect} e @param {number} t @param {import('./motion.js').Motion} w @param {Style|null} style */
function airJump(e, t, w, style) {
	const a = random() * TAU + t * TAU;
	for (let i = 0; i < 2; i++) {
		if (!style) w.add(e.x - 6 + 12 * i, e.y + 16, 0, -200, 500);
		else if (t < 0.5) {
			place(w, i, t);
			style.particle(PARTICLE.AIR_JUMP, placeX, placeY, 48 * (1 - t / 0.5), a, WHITE);
		}
	}
}

/**
 * The smoke below a skidding tee, for the time between two snapshots.
 * @param {Effect} e @param {number} t @param {import('./motion.js').Motion} w @param {Style|null} style
 */
function skid(e, t, w, style) {
	for (let i = 0; i < 3; i++) {
		const a = random() * TAU;
		const life = 0.5 + random() * 0.5;
		const size = 24 + random() * 12;
		const gravity = random() * -500;
		if (!style) w.add(e.x - e.angle * (6 + (e.amount * 2 * i) / 3), e.y + 12, -e.angle * 100 * e.amount + Math.cos(a) * 50, -50 + Math.sin(a) * 50, gravity);
		else if (t <= life) {
			place(w, i, t);
			style.particle(PARTICLE.SMOKE, placeX, placeY, size * (1 - t / life), a, SKID_COLOR);
		}
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
