/**
 * What covers the match and takes keys and mouse from it: the card, the menu, the chat line, and so
 * on. At most one is open.
 *
 * @module
 */

/** The time between the end of the lock and the Escape that has ended it, in ms. */
const SAME_KEY = 150;

/**
 * @typedef {object} Overlay
 * @property {string} name
 * @property {() => void} show
 * @property {() => void} hide
 * @property {boolean} [pinned] whether Escape does not close it
 * @property {() => Overlay | null} [back] what opens when it closes; null for the match
 */

export class Overlays {
	/**
	 * @param {import('../input/input.js').Input} input
	 * @param {import('../input/mouse.js').Mouse} mouse
	 */
	constructor(input, mouse) {
		this.input = input;
		this.mouse = mouse;
		/** @type {Overlay | null} */
		this.open = null;
		/** What Escape opens during the match. @type {Overlay | null} */
		this.menu = null;
		addEventListener('keydown', (e) => {
			if (e.code !== 'Escape' || this.open?.pinned || document.querySelector('dialog[open]')) return; // a dialog closes itself
			e.preventDefault();
			if (performance.now() - lostAt > SAME_KEY) this.escape();
		});
		// Browsers end the lock at Escape, and most of them do not report the key.
		let lostAt = -SAME_KEY;
		// An overlay ends the lock, too, and a slow browser says so much later.
		mouse.onlost = () => {
			if (this.open) return;
			lostAt = performance.now();
			this.escape();
		};
	}

	/** Closes the open overlay, or opens the menu. */
	escape() {
		if (this.open?.pinned) return;
		if (this.open) this.close();
		else if (this.menu) this.show(this.menu);
	}

	/** Opens an overlay in place of the one that is open. @param {Overlay} overlay */
	show(overlay) {
		if (this.open === overlay) return;
		this.open?.hide();
		this.open = overlay;
		this.input.enabled = false;
		this.input.releaseAll();
		this.mouse.unlock();
		overlay.show();
	}

	/** Closes the open overlay; keys and mouse are the match's again. */
	close() {
		const { open } = this;
		if (!open) return;
		const back = open.back?.();
		if (back) {
			this.show(back);
			return;
		}
		this.open = null;
		this.input.enabled = true;
		open.hide();
		this.mouse.lock();
		this.mouse.canvas.focus();
	}
}
