/**
 * The time bar, with marks for events.
 *
 * @module
 */

import { MARK, TICKS_PER_SECOND } from '../match/types.js';
import { formatTicks } from './clock.js';
import { byId, make, setText } from './dom.js';

/** The colour and height of marks, by MARK. @type {readonly [string, number][]} */
const LOOKS = [
	['#ff7a6b', 0.45], ['#ffd35c', 0.7], ['#ffe9a0', 1], ['#9fd0ff', 0.6], ['#d8a25a', 0.5], ['#7f8ba3', 0.25], ['#8fe08a', 1], ['#ffffff', 0.8],
];

/** The maximum distance between pointer and mark, in pixels. */
const NEAR = 6;

export class Timeline {
	/** @param {(tick: number) => void} seek */
	constructor(seek) {
		this.range = /** @type {HTMLInputElement} */ (byId('time'));
		this.canvas = /** @type {HTMLCanvasElement} */ (byId('marks'));
		this.label = byId('now');
		this.tip = make('output', 'tip');
		byId('timeline').append(this.tip);
		this.drawn = '';
		this.first = 0;
		this.last = 1;
		/** @type {import('../match/types.js').Mark[]} */
		this.marks = [];
		this.range.addEventListener('input', () => seek(Number(this.range.value)));
		this.range.addEventListener('pointermove', (e) => this.hint(e.clientX));
		this.range.addEventListener('pointerleave', () => setText(this.tip, ''));
	}

	/**
	 * @param {import('../match/types.js').Match} match
	 * @param {number} tick
	 */
	update(match, tick) {
		this.first = match.firstTick;
		this.last = Math.max(match.lastTick, match.firstTick + 1);
		this.marks = match.marks;
		const range = this.range;
		if (range.min !== String(this.first)) range.min = String(this.first);
		if (range.max !== String(this.last)) range.max = String(this.last);
		range.value = String(Math.round(tick));
		const text = `${formatTicks(tick - this.first)} / ${formatTicks(this.last - this.first)}`;
		if (this.label.textContent !== text) {
			this.label.textContent = text;
			range.setAttribute('aria-valuetext', text);
		}
		this.draw();
	}

	draw() {
		const c = this.canvas;
		const [w, h] = [Math.round(c.clientWidth * devicePixelRatio), Math.round(c.clientHeight * devicePixelRatio)];
		// Live matches grow all the time, so the bar is redrawn only for each pixel of growth.
		const step = Math.max(1, Math.round((this.last - this.first) / Math.max(1, w)));
		const state = `${w} ${h} ${this.marks.length} ${this.first} ${Math.floor(this.last / step)}`;
		if (state === this.drawn || w === 0) return;
		this.drawn = state;
		c.width = w;
		c.height = h;
		const g = /** @type {CanvasRenderingContext2D} */ (c.getContext('2d'));
		for (const m of this.marks) {
			const [color, height] = LOOKS[m.kind] ?? LOOKS[MARK.KILL];
			g.fillStyle = color;
			const x = ((m.tick - this.first) / (this.last - this.first)) * w;
			g.fillRect(Math.round(x) - devicePixelRatio / 2, h * (1 - height), Math.max(1, devicePixelRatio), h * height);
		}
	}

	/**
	 * Shows the text of the mark below the pointer.
	 * @param {number} clientX
	 */
	hint(clientX) {
		const box = this.range.getBoundingClientRect();
		const tick = this.first + ((clientX - box.left) / box.width) * (this.last - this.first);
		const near = (NEAR / box.width) * (this.last - this.first);
		let best = null;
		for (const m of this.marks) {
			if (m.kind !== MARK.CHAT && Math.abs(m.tick - tick) < near && (!best || Math.abs(m.tick - tick) < Math.abs(best.tick - tick))) best = m;
		}
		setText(this.tip, `${formatTicks(tick - this.first)}${best ? ` ${best.text}` : ''}`);
		this.tip.style.setProperty('left', `${Math.min(Math.max(clientX - box.left, 60), box.width - 60)}px`);
	}

	/**
	 * The tick of the next kill or capture mark.
	 * @param {number} tick
	 * @param {number} by 1 after, -1 before
	 */
	nextMark(tick, by) {
		let best = by > 0 ? this.last : this.first;
		for (const m of this.marks) {
			if (m.kind === MARK.CHAT) continue;
			const t = m.tick - 2 * TICKS_PER_SECOND; // to see what leads to it
			if (by > 0 ? t > tick + 5 && t < best : t < tick - 50 && t > best) best = t;
		}
		return best;
	}
}
