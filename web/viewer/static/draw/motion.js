/**
 * The motion of particles that bounce off the ground. It is computed from the start in steps of a
 * fixed length, so that it is the same after rewinding. Results are kept, so that a frame costs
 * only the steps since the last.
 *
 * @module
 */

/** The maximum number of particles of an effect, and of effects whose motion is kept. */
const MAX_PARTICLES = 64;
export const MAX_MOTIONS = 192;

/**
 * The length of a step in seconds, the number of steps between two applications of friction, and
 * before the first one: half as many, as on average in the original client.
 */
export const STEP = 1 / 100;
const FRICTION_STEPS = 5;
const FIRST_FRICTION = 2;

/** The motion of an effect's particles. */
export class Motion {
	constructor() {
		this.key = -1;
		/** Start positions. */
		this.fromX = 0;
		this.fromY = 0;
		this.n = 0;
		this.x = new Float32Array(MAX_PARTICLES);
		this.y = new Float32Array(MAX_PARTICLES);
		this.vx = new Float32Array(MAX_PARTICLES);
		this.vy = new Float32Array(MAX_PARTICLES);
		this.gravity = new Float32Array(MAX_PARTICLES);
		/** The fraction of the speed that is left after each 1/20 s. */
		this.friction = 1;
		this.steps = 0;
		this.random = 1;
	}

	/**
	 * Adds a particle at its start.
	 * @param {number} x @param {number} y
	 * @param {number} vx units a second @param {number} vy
	 * @param {number} gravity units a second squared
	 */
	add(x, y, vx, vy, gravity) {
		if (this.n === MAX_PARTICLES) return;
		const i = this.n++;
		this.x[i] = x;
		this.y[i] = y;
		this.vx[i] = vx;
		this.vy[i] = vy;
		this.gravity[i] = gravity;
	}

	/**
	 * Moves the particles to a time.
	 * @param {number} t seconds since the start
	 * @param {import('./actors.js').Actors} actors knows the ground
	 */
	advance(t, actors) {
		const { x, y, vx, vy, gravity, n } = this;
		for (const to = Math.floor(t / STEP); this.steps < to; this.steps++) {
			const k = this.steps % FRICTION_STEPS === FIRST_FRICTION ? this.friction : 1;
			for (let i = 0; i < n; i++) {
				vy[i] += gravity[i] * STEP;
				vx[i] *= k;
				vy[i] *= k;
				const nx = x[i] + vx[i] * STEP;
				const ny = y[i] + vy[i] * STEP;
				if (!actors.solid(nx, ny)) {
					x[i] = nx;
					y[i] = ny;
					continue;
				}
				this.random = (Math.imul(this.random, 1103515245) + 12345) | 0;
				const elasticity = 0.1 + (0.9 * ((this.random >>> 8) & 0xffff)) / 0x10000;
				const across = actors.solid(nx, y[i]), down = actors.solid(x[i], ny);
				if (across || !down) vx[i] *= -elasticity;
				if (down || !across) vy[i] *= -elasticity;
			}
		}
	}
}

/** The motions of the last effects. */
export class Motions {
	constructor() {
		/** @type {Map<number, Motion>} */
		this.byKey = new Map();
		/** @type {Motion[]} */
		this.all = [];
		this.next = 0;
	}

	/** Drops all motions. */
	reset() {
		this.byKey.clear();
		for (const m of this.all) m.key = -1;
	}

	/**
	 * Returns the motion of an effect. A new one has no particles; the caller adds them.
	 * @param {import('../match/types.js').Effect} e
	 * @param {number} t seconds since the event
	 */
	of(e, t) {
		let m = this.byKey.get(e.key);
		if (m && m.steps * STEP <= t + STEP && m.fromX === e.x && m.fromY === e.y) return m;
		if (!m) {
			if (this.all.length < MAX_MOTIONS) this.all.push(m = new Motion());
			else {
				m = this.all[this.next];
				this.next = (this.next + 1) % MAX_MOTIONS;
				this.byKey.delete(m.key);
			}
			this.byKey.set(e.key, m);
		}
		m.key = e.key;
		m.fromX = e.x;
		m.fromY = e.y;
		m.n = m.steps = 0;
		m.random = e.seed | 1;
		return m;
	}
}
