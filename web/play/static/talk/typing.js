/**
 * What a line of text remembers while somebody types: the lines before it, and the word that Tab
 * completes.
 *
 * @module
 */

/** The lines that were sent, for the arrow keys. */
export class History {
	/** @param {number} most the number of kept lines */
	constructor(most) {
		this.most = most;
		/** @type {string[]} */
		this.lines = [];
		/** The line that is shown; lines.length for the one that is being typed. */
		this.at = 0;
		this.draft = '';
	}

	/** Adds a line, and moves to its end. @param {string} line */
	add(line) {
		if (line && this.lines.at(-1) !== line) this.lines.push(line);
		if (this.lines.length > this.most) this.lines.shift();
		this.end();
	}

	/** Moves behind the newest line. */
	end() {
		this.at = this.lines.length;
		this.draft = '';
	}

	/**
	 * Moves to another line and returns it.
	 * @param {number} by -1 to an older line, 1 to a newer one
	 * @param {string} typed the text in the line now
	 */
	move(by, typed) {
		if (this.at === this.lines.length) this.draft = typed;
		this.at = Math.min(Math.max(this.at + by, 0), this.lines.length);
		return this.lines[this.at] ?? this.draft;
	}
}

/**
 * The texts that can replace a part of a line.
 * @typedef {object} Choices
 * @property {number} from the start of the part
 * @property {number} to its end
 * @property {string[]} list
 */

/** Tab: each call puts the next choice into the line. */
export class Completion {
	/** @type {{ before: string, after: string, list: string[], at: number, text: string } | null} */
	#state = null;

	/**
	 * Returns the line with the next choice, or null for none.
	 * @param {string} text
	 * @param {number} cursor
	 * @param {number} by 1 for the next choice, -1 for the one before
	 * @param {(text: string, cursor: number) => Choices} find
	 * @returns {{ text: string, cursor: number } | null}
	 */
	next(text, cursor, by, find) {
		let s = this.#state;
		if (!s || s.text !== text) {
			const { from, to, list } = find(text, cursor);
			if (list.length === 0) return null;
			s = this.#state = { before: text.slice(0, from), after: text.slice(to), list, at: by > 0 ? -1 : 0, text };
		}
		s.at = (s.at + by + s.list.length) % s.list.length;
		const head = s.before + s.list[s.at];
		s.text = head + s.after;
		return { text: s.text, cursor: head.length };
	}
}

/**
 * Returns the first n code points of a text.
 * @param {string} text
 * @param {number} n
 */
export function cut(text, n) {
	if (text.length <= n) return text;
	let end = 0;
	for (let i = 0; i < n && end < text.length; i++) end += /** @type {number} */ (text.codePointAt(end)) > 0xffff ? 2 : 1;
	return text.slice(0, end);
}

/** Returns the number of code points of a text. @param {string} text */
export function count(text) {
	let n = 0;
	for (const _ of text) n++;
	return n;
}

/**
 * Sorts what begins with a text before what contains it, without regard to case.
 * @template T
 * @param {Iterable<T>} all
 * @param {string} part
 * @param {(one: T) => string} name
 * @param {number} most the number of results
 * @returns {T[]}
 */
export function matching(all, part, name, most) {
	const low = part.toLowerCase(), begins = [], contains = [];
	for (const one of all) {
		const at = name(one).toLowerCase().indexOf(low);
		if (at === 0) begins.push(one);
		else if (at > 0 && contains.length < most) contains.push(one);
		if (begins.length >= most) break;
	}
	return begins.concat(contains).slice(0, most);
}
