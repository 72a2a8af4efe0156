/**
 * What covers the match and takes keys and mouse from it: the card, the menu, the chat line, and so
 * on. At most one is open.
 *
 * @module
 */

/**
 * @typedef {object} Overlay
 * @property {string} name
 * @property {() => void} show
 * @property {() => void} hide
 * @property {boolean} [pinned] whether Escape does not close it
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
			if (e.code !== 'Escape' || this.open?.pinned) return;
			e.preventDefault();
			if (this.open) this.close();
			else if (this.menu) this.show(this.menu);
		});
		// A browser ends the lock at Escape and does not report the key.
		document.addEventListener('pointerlockchange', () => {
			if (!document.pointerLockElement && !this.open && this.menu && this.wasLocked) this.show(this.menu);
			this.wasLocked = document.pointerLockElement !== null;
		});
		this.wasLocked = false;
	}

	/** Opens an overlay in place of the one that is open. @param {Overlay} overlay */
	show(overlay) {
		if (this.open === overlay) return;
		this.open?.hide();
		this.open = overlay;
		this.input.enabled = false;
		this.input.releaseAll();
		if (document.pointerLockElement) document.exitPointerLock();
		overlay.show();
	}

	/** Closes the open overlay; keys and mouse are the match's again. */
	close() {
		const { open } = this;
		if (!open) return;
		this.open = null;
		this.input.enabled = true;
		open.hide();
		this.mouse.lock();
		this.mouse.canvas.focus();
	}
}
