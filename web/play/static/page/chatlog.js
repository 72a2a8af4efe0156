/**
 * The lines of the chat on the page. Floods cost a bounded number of elements and one change of the
 * page for many lines.
 *
 * @module
 */

import { clean } from '../../viewer/match/text.js';
import { make, setText } from '../../viewer/page/dom.js';

/** The number of kept lines. */
const MOST = 250;

/** The time for which a line is shown while nobody types, and between two changes, in ms. */
const FRESH = 16_000, EVERY = 100;

/** The time between two lines that screen readers read, in ms. */
const READ_EVERY = 1000;

/**
 * @typedef {object} Line
 * @property {'all' | 'team' | 'whisper' | 'server' | 'note'} kind note is from the page itself
 * @property {number} id client id of the player, or for whispers of the other player; -1 for none
 * @property {string} name the name of that player; empty for none
 * @property {string} color red, blue, or empty
 * @property {string} text
 * @property {boolean} own whether it is from the player of this page
 * @property {boolean} mention whether it has the name of the player of this page
 */

export class ChatLog {
	/** @param {(line: Line) => void} onpick called for a line of a player that is clicked */
	constructor(onpick) {
		this.box = make('ol', 'lines');
		this.box.setAttribute('role', 'log');
		this.box.setAttribute('aria-live', 'off');
		this.box.setAttribute('aria-label', 'chat');
		this.reader = make('p', 'unseen');
		this.reader.setAttribute('aria-live', 'polite');
		/** @type {Line[]} */
		this.pending = [];
		/** When each line of the box arrived. @type {number[]} */
		this.times = [];
		/** The number of lines of the box that are no longer fresh. */
		this.old = 0;
		this.timer = 0;
		this.readAt = -Infinity;
		/** @type {WeakMap<Element, Line>} */
		this.lines = new WeakMap();
		this.box.addEventListener('click', (e) => {
			const li = /** @type {Element} */ (e.target).closest('li'), line = li && this.lines.get(li);
			if (line && line.id >= 0 && getSelection()?.isCollapsed !== false) onpick(line);
		});
	}

	/** @param {Line} line */
	add(line) {
		this.pending.push({ ...line, name: clean(line.name), text: clean(line.text) });
		if (this.pending.length > MOST) this.pending.shift();
		this.timer ||= setTimeout(() => this.flush(), EVERY);
	}

	/** Puts the lines that wait onto the page. */
	flush() {
		clearTimeout(this.timer);
		this.timer = 0;
		const { box, pending, times } = this, now = performance.now();
		if (pending.length === 0) return;
		const atEnd = box.scrollHeight - box.scrollTop - box.clientHeight < 8;
		this.#read(pending[pending.length - 1], now);
		box.append(...pending.map((line) => this.#element(line)));
		times.push(...pending.map(() => now));
		pending.length = 0;
		const over = times.length - MOST;
		if (over > 0) {
			for (let i = 0; i < over; i++) box.firstChild?.remove();
			times.splice(0, over);
			this.old = Math.max(0, this.old - over);
		}
		if (atEnd) this.scrollToEnd();
	}

	scrollToEnd() {
		this.box.scrollTop = this.box.scrollHeight;
	}

	/** Fades the lines that are no longer fresh. */
	age() {
		for (const until = performance.now() - FRESH; this.old < this.times.length && this.times[this.old] < until; this.old++) {
			this.box.children[this.old].classList.add('old');
		}
	}

	/** Gives a line to screen readers, but not each line of a flood. @param {Line} line @param {number} now */
	#read(line, now) {
		if (now - this.readAt < READ_EVERY) return;
		this.readAt = now;
		setText(this.reader, line.name ? `${line.name}: ${line.text}` : line.text);
	}

	/** @param {Line} line */
	#element(line) {
		const li = make('li', 'to-' + line.kind + (line.mention ? ' mention' : '') + (line.id >= 0 && !line.own ? ' other' : ''));
		if (line.kind === 'whisper') li.append(make('span', 'sign', line.own ? '→ ' : '← '));
		if (line.kind === 'team') li.append(make('span', 'sign', '(team) '));
		if (line.id >= 0) li.append(make('bdi', `name ${line.color}`, line.name || `(${line.id})`), ': ');
		li.append(make('bdi', '', line.text));
		this.lines.set(li, line);
		return li;
	}
}
