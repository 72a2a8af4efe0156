/**
 * How tees move their bodies, feet and arms: the animations of the original client, with the
 * numbers from its datasrc/content.py. Offsets are in world units, angles in turns.
 *
 * @module
 */

/**
 * A keyframe of an animation: time, x, y, angle.
 * @typedef {[number, number, number, number]} Key
 */

const BASE = Object.freeze({ body: [0, -4, 0], backFoot: [0, 10, 0], frontFoot: [0, 10, 0] });
const IDLE = Object.freeze({ backFoot: [-7, 0, 0], frontFoot: [7, 0, 0] });
const IN_AIR = Object.freeze({ backFoot: [-3, 0, -0.1], frontFoot: [3, 0, -0.1] });

/** @type {Key[]} */
const WALK_BODY = [[0, 0, 0, 0], [0.2, 0, -1, 0], [0.4, 0, 0, 0], [0.6, 0, 0, 0], [0.8, 0, -1, 0], [1, 0, 0, 0]];
/** @type {Key[]} */
const WALK_BACK = [[0, 8, 0, 0], [0.2, -8, 0, 0], [0.4, -10, -4, 0.2], [0.6, -8, -8, 0.3], [0.8, 4, -4, -0.2], [1, 8, 0, 0]];
/** @type {Key[]} */
const WALK_FRONT = [[0, -10, -4, 0.2], [0.2, -8, -8, 0.3], [0.4, 4, -4, -0.2], [0.6, 8, 0, 0], [0.8, 8, 0, 0], [1, -10, -4, 0.2]];
/** @type {Key[]} */
const HAMMER = [[0, 0, 0, -0.1], [0.3, 0, 0, 0.25], [0.4, 0, 0, 0.3], [0.5, 0, 0, 0.25], [1, 0, 0, -0.1]];
/** @type {Key[]} */
const NINJA = [[0, 0, 0, -0.25], [0.1, 0, 0, -0.05], [0.15, 0, 0, 0.35], [0.42, 0, 0, 0.4], [0.5, 0, 0, 0.35], [1, 0, 0, -0.25]];

/** The position of a part. */
class Part {
	x = 0;
	y = 0;
	/** In turns. */
	angle = 0;

	/** @param {readonly number[]} p */
	set(p) {
		this.x = p[0];
		this.y = p[1];
		this.angle = p[2];
	}

	/** @param {readonly number[]} p */
	add(p) {
		this.x += p[0];
		this.y += p[1];
		this.angle += p[2];
	}

	/**
	 * @param {Key[]} keys
	 * @param {number} time 0 to 1
	 */
	addAt(keys, time) {
		for (let i = 1; i < keys.length; i++) {
			const [a, b] = [keys[i - 1], keys[i]];
			if (time > b[0]) continue;
			const k = (time - a[0]) / (b[0] - a[0]);
			this.x += a[1] + (b[1] - a[1]) * k;
			this.y += a[2] + (b[2] - a[2]) * k;
			this.angle += a[3] + (b[3] - a[3]) * k;
			return;
		}
	}
}

/** The positions of a tee's parts, relative to its centre. */
export class Pose {
	body = new Part();
	backFoot = new Part();
	frontFoot = new Part();
	/** The weapon. */
	attach = new Part();

	/**
	 * @param {boolean} inAir
	 * @param {boolean} standing
	 * @param {boolean} turning whether it moves against the direction that it wants
	 * @param {number} x position of the tee, since steps depend on the distance
	 */
	set(inAir, standing, turning, x) {
		this.body.set(BASE.body);
		this.backFoot.set(BASE.backFoot);
		this.frontFoot.set(BASE.frontFoot);
		this.attach.x = this.attach.y = this.attach.angle = 0;
		if (inAir) {
			this.backFoot.add(IN_AIR.backFoot);
			this.frontFoot.add(IN_AIR.frontFoot);
		} else if (standing) {
			this.backFoot.add(IDLE.backFoot);
			this.frontFoot.add(IDLE.frontFoot);
		} else if (!turning) {
			const step = x / 100 - Math.floor(x / 100);
			this.body.addAt(WALK_BODY, step);
			this.backFoot.addAt(WALK_BACK, step);
			this.frontFoot.addAt(WALK_FRONT, step);
		}
	}

	/** @param {number} seconds since the attack */
	swingHammer(seconds) {
		this.attach.addAt(HAMMER, Math.min(Math.max(seconds * 5, 0), 1));
	}

	/** @param {number} seconds since the attack */
	swingNinja(seconds) {
		this.attach.addAt(NINJA, Math.min(Math.max(seconds * 2, 0), 1));
	}
}

/**
 * Positions of weapons, by WEAPON. Sizes and offsets are in world units, the duration of muzzle
 * flashes in ticks.
 * @type {readonly {size: number, x: number, y: number, muzzleX: number, muzzleY: number, muzzleTicks: number}[]}
 */
export const WEAPONS = [
	{ size: 96, x: 4, y: -20, muzzleX: 0, muzzleY: 0, muzzleTicks: 5 },
	{ size: 64, x: 32, y: 0, muzzleX: 50, muzzleY: 6, muzzleTicks: 5 },
	{ size: 96, x: 24, y: -2, muzzleX: 70, muzzleY: 6, muzzleTicks: 5 },
	{ size: 96, x: 24, y: -2, muzzleX: 0, muzzleY: 0, muzzleTicks: 5 },
	{ size: 92, x: 24, y: -2, muzzleX: 0, muzzleY: 0, muzzleTicks: 5 },
	{ size: 96, x: 0, y: 0, muzzleX: 40, muzzleY: -4, muzzleTicks: 5 },
];
