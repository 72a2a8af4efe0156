/**
 * Dead reckoning. Servers send no update of a tee that moves predictably without input. So a
 * character can be of an earlier tick than its snapshot. It is moved up to the snapshot's tick with
 * the arithmetic of the game, in which every operation rounds to 32 bits.
 * @module
 */

import { CharacterCore as Core } from '../wire/schema7_gen.js';
import { MAX_PLAYERS } from './moment.js';

const f = Math.fround;

const SOLID = 1;
const NO_HOOK = 4;

/** The state of a hook that flies. */
const FLYING = 4;

// The default tuning. Servers use it for dead reckoning whatever the match's tuning is.
const GRAVITY = 0.5, FRICTION_GROUND = 0.5, FRICTION_AIR = f(0.95);
const SPEED_GROUND = 10, ACCEL_GROUND = 2, SPEED_AIR = 5, ACCEL_AIR = 1.5;
const HOOK_LENGTH = 380, HOOK_FIRE_SPEED = 80, HOOK_DRAG_ACCEL = 3, HOOK_DRAG_SPEED = 15;
const RAMP_START = 550, RAMP_RANGE = 2000, RAMP_CURVATURE = f(1.4);
const MAX_SPEED = 6000;

/**
 * The maximum number of ticks for which a tee is moved, and the maximum distance in all, in units.
 * The cost grows with both.
 */
const MAX_TICKS = 152;
const MAX_DISTANCE = 20_000;

/** @param {number} v */
function round(v) {
	return Math.trunc(f(v + (v < 0 ? -0.5 : 0.5))) | 0;
}

/** @param {number} x @param {number} y */
function length(x, y) {
	return f(Math.sqrt(f(f(x * x) + f(y * y))));
}

/** @param {number} lo @param {number} hi @param {number} v @param {number} m */
function saturatedAdd(lo, hi, v, m) {
	if (m < 0) return v < lo ? v : Math.max(lo, f(v + m));
	return v > hi ? v : Math.min(hi, f(v + m));
}

/**
 * The distance of a flying hook from its tee, in units; 0 for other hooks.
 * @param {Int32Array} c
 * @param {number} at
 */
function hookWay(c, at) {
	return c[at + Core.HookState] === FLYING ? Math.hypot(c[at + Core.HookX] - c[at + Core.X], c[at + Core.HookY] - c[at + Core.Y]) : 0;
}

/** Moves characters on a map. */
export class Evolver {
	/**
	 * @param {number} width of the game layer in tiles
	 * @param {number} height
	 * @param {Uint8Array} tiles their indices, row by row
	 */
	constructor(width, height, tiles) {
		this.width = width;
		this.height = height;
		this.flags = Uint8Array.from(tiles, (t) => t === 1 ? SOLID : t === 3 ? SOLID | NO_HOOK : 0);
		// The last result for each player, with its input and its tick.
		this.sources = new Int32Array(MAX_PLAYERS * Core.SIZE);
		this.results = new Int32Array(MAX_PLAYERS * Core.SIZE);
		this.reached = new Int32Array(MAX_PLAYERS).fill(-1);
		// The tee being moved.
		this.x = this.y = this.vx = this.vy = this.hookX = this.hookY = this.hookDX = this.hookDY = 0;
		this.direction = this.jumped = this.hookedPlayer = this.hookState = this.hookTick = 0;
		this.way = 0;
	}

	/**
	 * Moves the character at ints[at..] up to a tick if it is of an earlier one.
	 * @param {number} id of the player
	 * @param {Int32Array} ints
	 * @param {number} at
	 * @param {number} tick
	 */
	evolve(id, ints, at, tick) {
		let from = ints[at + Core.Tick];
		if (from <= 0 || from >= tick || tick - from > MAX_TICKS || hookWay(ints, at) > MAX_DISTANCE) return;
		const k = id * Core.SIZE;
		let same = this.reached[id] <= tick && this.reached[id] > from;
		for (let i = 0; same && i < Core.SIZE; i++) same = this.sources[k + i] === ints[at + i];
		if (same) {
			from = this.reached[id];
			for (let i = 0; i < Core.SIZE; i++) ints[at + i] = this.results[k + i];
		} else {
			for (let i = 0; i < Core.SIZE; i++) this.sources[k + i] = ints[at + i];
			this.way = 0;
		}
		this.#read(ints, at);
		for (; from < tick && this.way < MAX_DISTANCE; from++) {
			this.#tick();
			this.#move();
			this.#quantize();
		}
		this.#write(ints, at);
		for (let i = 0; i < Core.SIZE; i++) this.results[k + i] = ints[at + i];
		this.reached[id] = tick;
	}

	/** @param {Int32Array} c @param {number} at */
	#read(c, at) {
		this.x = c[at + Core.X];
		this.y = c[at + Core.Y];
		this.vx = c[at + Core.VelX] / 256;
		this.vy = c[at + Core.VelY] / 256;
		this.direction = c[at + Core.Direction];
		this.jumped = c[at + Core.Jumped];
		this.hookedPlayer = c[at + Core.HookedPlayer];
		this.hookState = c[at + Core.HookState];
		this.hookTick = c[at + Core.HookTick];
		this.hookX = c[at + Core.HookX];
		this.hookY = c[at + Core.HookY];
		this.hookDX = c[at + Core.HookDX] / 256;
		this.hookDY = c[at + Core.HookDY] / 256;
	}

	/** @param {Int32Array} c @param {number} at */
	#write(c, at) {
		c[at + Core.X] = this.x;
		c[at + Core.Y] = this.y;
		c[at + Core.VelX] = this.vx * 256;
		c[at + Core.VelY] = this.vy * 256;
		c[at + Core.Jumped] = this.jumped;
		c[at + Core.HookedPlayer] = this.hookedPlayer;
		c[at + Core.HookState] = this.hookState;
		c[at + Core.HookTick] = this.hookTick;
		c[at + Core.HookX] = this.hookX;
		c[at + Core.HookY] = this.hookY;
		c[at + Core.HookDX] = this.hookDX * 256;
		c[at + Core.HookDY] = this.hookDY * 256;
	}

	#quantize() {
		this.x = round(this.x);
		this.y = round(this.y);
		this.vx = round(f(this.vx * 256)) / 256;
		this.vy = round(f(this.vy * 256)) / 256;
		this.hookX = round(this.hookX);
		this.hookY = round(this.hookY);
		this.hookDX = round(f(this.hookDX * 256)) / 256;
		this.hookDY = round(f(this.hookDY * 256)) / 256;
	}

	/**
	 * The flags of the tile at a position; outside of the map, of the nearest tile at its border.
	 * @param {number} x
	 * @param {number} y
	 */
	#at(x, y) {
		const column = Math.min(Math.max(round(x), 0) >> 5, this.width - 1), row = Math.min(Math.max(round(y), 0) >> 5, this.height - 1);
		return this.flags[row * this.width + column];
	}

	#tick() {
		const grounded = ((this.#at(this.x + 14, this.y + 19) | this.#at(this.x - 14, this.y + 19)) & SOLID) !== 0;
		this.vy = f(this.vy + GRAVITY);
		const speed = grounded ? SPEED_GROUND : SPEED_AIR, accel = grounded ? ACCEL_GROUND : ACCEL_AIR;
		if (this.direction < 0) this.vx = saturatedAdd(-speed, speed, this.vx, -accel);
		else if (this.direction > 0) this.vx = saturatedAdd(-speed, speed, this.vx, accel);
		else this.vx = f(this.vx * (grounded ? FRICTION_GROUND : FRICTION_AIR));
		if (grounded) this.jumped &= ~2;
		switch (this.hookState) {
			case 0:
				this.hookedPlayer = -1;
				this.hookX = this.x;
				this.hookY = this.y;
				break;
			case 1: case 2: this.hookState++; break;
			case 3: this.hookState = -1; break;
			case FLYING: this.#flyHook();
		}
		if (this.hookState === 5) this.#hang();
		const v = length(this.vx, this.vy);
		if (v > MAX_SPEED) {
			const l = f(1 / v);
			this.vx = f(f(this.vx * l) * MAX_SPEED);
			this.vy = f(f(this.vy * l) * MAX_SPEED);
		}
	}

	#flyHook() {
		let x = f(this.hookX + f(this.hookDX * HOOK_FIRE_SPEED)), y = f(this.hookY + f(this.hookDY * HOOK_FIRE_SPEED));
		if (length(f(this.x - x), f(this.y - y)) > HOOK_LENGTH) {
			this.hookState = 1;
			const dx = f(x - this.x), dy = f(y - this.y), l = f(1 / length(dx, dy));
			x = f(this.x + f(f(dx * l) * HOOK_LENGTH));
			y = f(this.y + f(f(dy * l) * HOOK_LENGTH));
		}
		const wholeX = f(x - this.hookX), wholeY = f(y - this.hookY);
		const n = Math.trunc(f(length(wholeX, wholeY) + 1));
		let wall = 0;
		for (let i = 0; i <= n; i++) {
			const a = f(i / n), px = f(this.hookX + f(wholeX * a)), py = f(this.hookY + f(wholeY * a));
			wall = this.#at(px, py);
			if (wall & SOLID) {
				x = px;
				y = py;
				break;
			}
		}
		if (this.hookState !== FLYING) return;
		if (wall & NO_HOOK) this.hookState = 1;
		else if (wall) this.hookState = 5;
		this.hookX = x;
		this.hookY = y;
	}

	/** Pulls the tee towards its hook. Dead reckoning ignores other tees. */
	#hang() {
		if (this.hookedPlayer !== -1) {
			this.hookedPlayer = -1;
			this.hookState = -1;
			this.hookX = this.x;
			this.hookY = this.y;
		}
		const dx = f(this.hookX - this.x), dy = f(this.hookY - this.y), distance = length(dx, dy);
		if (distance > 46) {
			const l = f(1 / distance);
			let vx = f(f(dx * l) * HOOK_DRAG_ACCEL), vy = f(f(dy * l) * HOOK_DRAG_ACCEL);
			if (vy > 0) vy = f(vy * f(0.3));
			vx = f(vx * (vx < 0 && this.direction < 0 || vx > 0 && this.direction > 0 ? f(0.95) : 0.75));
			vx = f(this.vx + vx);
			vy = f(this.vy + vy);
			const v = length(vx, vy);
			if (v < HOOK_DRAG_SPEED || v < length(this.vx, this.vy)) {
				this.vx = vx;
				this.vy = vy;
			}
		}
		this.hookTick++;
	}

	#move() {
		const speed = f(length(this.vx, this.vy) * 50);
		const ramp = speed < RAMP_START ? 1 : f(1 / f(Math.pow(RAMP_CURVATURE, f(f(speed - RAMP_START) / RAMP_RANGE))));
		if (ramp !== 1) this.vx = f(this.vx * ramp);
		this.#moveBox();
		if (ramp !== 1) this.vx = f(this.vx * f(1 / ramp));
	}

	/** @param {number} x @param {number} y */
	#hits(x, y) {
		return ((this.#at(f(x - 14), f(y - 14)) | this.#at(f(x + 14), f(y - 14)) | this.#at(f(x - 14), f(y + 14)) | this.#at(f(x + 14), f(y + 14))) & SOLID) !== 0;
	}

	#moveBox() {
		const d = length(this.vx, this.vy);
		if (!(d > f(0.00001))) return;
		this.way += d;
		const steps = Math.trunc(d), fraction = f(1 / f(steps + 1));
		let px = this.x, py = this.y;
		for (let i = 0; i <= steps; i++) {
			let x = f(px + f(this.vx * fraction)), y = f(py + f(this.vy * fraction));
			if (this.#hits(x, y)) {
				const fromX = px, fromY = py;
				let hitY = this.#hits(fromX, y), hitX = this.#hits(x, fromY);
				if (!hitY && !hitX) hitX = hitY = true; // exactly onto a corner
				if (hitY) {
					y = fromY;
					this.vy = f(this.vy * -0);
				}
				if (hitX) {
					x = fromX;
					this.vx = f(this.vx * -0);
				}
			}
			px = x;
			py = y;
		}
		this.x = px;
		this.y = py;
	}
}
