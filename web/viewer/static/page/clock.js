/**
 * The current moment: time that runs, stands still, goes back, or follows a live match.
 *
 * @module
 */

import { TICKS_PER_SECOND } from '../match/types.js';

/** The available speeds. */
export const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4, 8];

/**
 * How far behind its newest tick a live match is shown, in ticks. New ticks arrive in segments of
 * two seconds, and late.
 */
export const LIVE_MARGIN = 160;

/** The maximum lateness of the newest tick before the clock waits for it, in ticks. */
const LATE = 150;

/** The gap to the live margin beyond which the clock jumps instead of catching up, in ticks. */
const JUMP = 500;

export class Clock {
	tick = 0;
	speed = 1;
	playing = true;
	/** Whether it follows a live match. */
	following = false;
	first = 0;
	last = 0;
	/** An estimate of the newest tick that grows steadily and not in segments. */
	edge = 0;

	/**
	 * Advances the time.
	 * @param {number} seconds
	 * @param {import('../match/types.js').Match} match
	 * @param {boolean} ready whether the current moment can be shown; the time waits until it can
	 */
	advance(seconds, match, ready) {
		this.first = match.firstTick;
		this.last = match.lastTick;
		if (this.following && match.live && !match.ended) {
			const edge = this.edge + seconds * TICKS_PER_SECOND;
			this.edge = edge > this.last + LATE ? this.last + LATE : Math.max(edge, this.last);
			const behind = this.edge - LIVE_MARGIN - this.tick;
			if (Math.abs(behind) > JUMP) this.tick = this.last - LIVE_MARGIN;
			else if (ready) this.tick += seconds * TICKS_PER_SECOND * (1 + Math.min(Math.max(behind / JUMP, -0.1), 0.1));
		} else if (this.playing && ready) {
			this.tick += seconds * TICKS_PER_SECOND * this.speed;
		}
		this.tick = Math.min(Math.max(this.tick, this.first), Math.max(this.first, this.last));
	}

	/** @param {number} tick */
	seek(tick) {
		this.following = false;
		this.tick = Math.min(Math.max(tick, this.first), this.last);
	}

	/** Goes to the end of a live match and follows it. */
	goLive() {
		this.following = true;
		this.playing = true;
		this.speed = 1;
	}

	toggle() {
		this.playing = !this.playing || this.tick >= this.last;
		if (!this.playing) this.following = false;
		else if (this.tick >= this.last) this.tick = this.first;
	}

	/** @param {number} by 1 faster, -1 slower */
	changeSpeed(by) {
		const i = SPEEDS.indexOf(this.speed) + by;
		this.setSpeed(SPEEDS[Math.min(Math.max(i, 0), SPEEDS.length - 1)]);
	}

	/** @param {number} speed */
	setSpeed(speed) {
		this.speed = speed;
		if (speed !== 1) this.following = false;
	}
}

/**
 * Formats a time as minutes and seconds.
 * @param {number} ticks
 */
export function formatTicks(ticks) {
	const s = Math.max(0, Math.floor(ticks / TICKS_PER_SECOND));
	const pad = (/** @type {number} */ n) => String(n).padStart(2, '0');
	return s < 3600 ? `${Math.floor(s / 60)}:${pad(s % 60)}` : `${Math.floor(s / 3600)}:${pad(Math.floor(s / 60) % 60)}:${pad(s % 60)}`;
}
