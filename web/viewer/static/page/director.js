/**
 * Controls the camera, which follows a player or stays where the user drags it.
 *
 * @module
 */

import { SPEC, TEAM } from '../match/types.js';

/** @typedef {import('../match/types.js').Moment} Moment */

const MIN_ZOOM = 0.2;
const MAX_ZOOM = 8;

/** An automatically followed player who is dead for this many ticks is replaced by another. */
const PATIENCE = 75;

export class Director {
	/**
	 * The followed client's id; -1 for none.
	 */
	followed = -1;
	/** Whether the player to follow is chosen automatically. */
	auto = true;
	/** The target zoom. */
	zoom = 1;

	/** @param {import('../draw/camera.js').Camera} camera */
	constructor(camera) {
		this.camera = camera;
		this.seenTick = 0;
		this.placed = false;
	}

	/** Stops following. */
	free() {
		this.followed = -1;
		this.auto = false;
	}

	/** @param {number} id */
	follow(id) {
		this.followed = id;
		this.auto = false;
	}

	/**
	 * Follows the next player.
	 * @param {Moment} m
	 * @param {number} by 1 the next, -1 the one before
	 */
	followNext(m, by) {
		for (let i = 1; i <= 64; i++) {
			const id = (this.followed + by * i + 64 * 2) % 64;
			if (m.players[id].active && m.players[id].team !== TEAM.SPECTATORS) return this.follow(id);
		}
	}

	/** @param {number} x @param {number} y in world units */
	move(x, y) {
		this.free();
		this.camera.x += x;
		this.camera.y += y;
	}

	/**
	 * Zooms and keeps the point below the pointer in place.
	 * @param {number} factor above 1 shows more
	 * @param {number} px in pixels
	 * @param {number} py
	 */
	zoomAt(factor, px, py) {
		const c = this.camera;
		const zoom = Math.min(Math.max(c.zoom * factor, MIN_ZOOM), MAX_ZOOM);
		if (this.followed < 0) {
			const [x, y] = [c.worldX(px), c.worldY(py)];
			c.zoom = zoom;
			c.x += x - c.worldX(px);
			c.y += y - c.worldY(py);
		}
		this.zoom = c.zoom = zoom;
	}

	/**
	 * Moves the camera to its position at a moment.
	 * @param {Moment} m
	 * @param {import('../draw/mapfile.js').MapData|null} map
	 */
	update(m, map) {
		if (this.auto) this.choose(m);
		const c = this.camera;
		if (this.followed >= 0) {
			for (let i = 0; i < m.tees.length; i++) {
				const t = m.tees.items[i];
				if (t.id !== this.followed) continue;
				c.x = t.x;
				c.y = t.y;
				this.placed = true;
			}
		} else if (this.auto && m.view.mode !== SPEC.FREE) {
			c.x = m.view.x;
			c.y = m.view.y;
			this.placed = true;
		}
		if (!map) return;
		const [w, h] = [map.game.width * 32, map.game.height * 32];
		if (!this.placed) {
			c.x = w / 2;
			c.y = h / 2;
			this.placed = true;
		}
		c.x = Math.min(Math.max(c.x, -500), w + 500);
		c.y = Math.min(Math.max(c.y, -500), h + 500);
	}

	/**
	 * Chooses the player to follow: the recording player, or the living player with the best score.
	 * @param {Moment} m
	 */
	choose(m) {
		if (m.view.mode === SPEC.PLAYER && m.view.id >= 0) {
			this.followed = m.view.id;
			return;
		}
		let best = -1;
		for (let i = 0; i < m.tees.length; i++) {
			const id = m.tees.items[i].id;
			if (id === this.followed) {
				this.seenTick = m.tick;
				return;
			}
			if (best < 0 || m.players[id].score > m.players[best].score) best = id;
		}
		if (this.followed < 0 || Math.abs(m.tick - this.seenTick) > PATIENCE) this.followed = best;
	}
}
