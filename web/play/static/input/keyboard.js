/**
 * The keyboard.
 *
 * @module
 */

import { learnKey } from './labels.js';

/** The keys that a text field leaves to actions. */
const FUNCTION_KEY = /^F\d{1,2}$/;

/** The keys that begin combinations of the browser and the system. */
const MODIFIERS = ['Control', 'Alt', 'Meta'];

/** Keys that stay the browser's unless they are bound. */
const BROWSER = new Set(['Escape', 'F11', 'F12', 'PrintScreen', 'AudioVolumeUp', 'AudioVolumeDown', 'AudioVolumeMute', 'MediaPlayPause']);

export class Keyboard {
	/** @param {import('./actions.js').Actions} actions */
	constructor(actions) {
		this.actions = actions;
		/** The codes of the keys that are down. @type {Set<string>} */
		this.down = new Set();
		addEventListener('keydown', (e) => this.#keydown(e));
		addEventListener('keyup', (e) => this.#keyup(e));
		addEventListener('blur', () => this.releaseAll());
		document.addEventListener('visibilitychange', () => { if (document.hidden) this.releaseAll(); });
		// A page cannot prevent Ctrl+W, so the browser asks before it closes the page of a match.
		addEventListener('beforeunload', (e) => { if (actions.input.enabled && this.#modified()) e.preventDefault(); });
	}

	/**
	 * Calls a function when an action of bindings.js begins, and another one when it ends.
	 * @param {string} name
	 * @param {() => void} begin
	 * @param {() => void} [end]
	 */
	on(name, begin, end) {
		this.actions.on(name, begin, end);
	}

	/** Releases all keys. */
	releaseAll() {
		this.down.clear();
		this.actions.endAll();
	}

	/**
	 * Whether a key is down that begins combinations of the browser, and is not bound itself.
	 * @param {string} [except] the code of a key that does not count
	 */
	#modified(except) {
		return [...this.down].some((code) => code !== except && MODIFIERS.some((m) => code.startsWith(m)) && !this.actions.bindings.action(code));
	}

	/** @param {KeyboardEvent} e */
	#keydown(e) {
		const { actions } = this, { code } = e;
		if (e.isComposing || code === '') return;
		this.down.add(code);
		learnKey(e);
		if (actions.capture) {
			e.preventDefault();
			e.stopImmediatePropagation();
			if (!e.repeat) actions.capture(code);
			return;
		}
		const bound = actions.bindings.action(code);
		if (!FUNCTION_KEY.test(code) && (!actions.input.enabled || isText(e))) return;
		// With Ctrl, the keys of held actions remain the game's: a finger on Ctrl must not stop the tee.
		if (this.#modified(code) && !(bound && actions.input.isHeld(bound))) return;
		if (bound || actions.input.enabled && !isText(e) && !BROWSER.has(code)) e.preventDefault();
		if (bound && !e.repeat) actions.press(code);
	}

	/** @param {KeyboardEvent} e */
	#keyup(e) {
		const { actions } = this, { code } = e;
		this.down.delete(code);
		actions.end(code);
		if (actions.input.enabled && !isText(e) && !BROWSER.has(code)) e.preventDefault(); // Alt opens a menu when it is released
		// macOS does not report keys that are released while Command is down.
		if (code.startsWith('Meta')) this.releaseAll();
	}
}

/** Whether an event belongs to a field for text. @param {Event} e */
export function isText(e) {
	const at = e.composedPath()[0];
	if (!(at instanceof HTMLElement)) return false;
	if (at instanceof HTMLInputElement) return !/^(range|checkbox|radio|button|submit|color)$/.test(at.type);
	return at instanceof HTMLTextAreaElement || at instanceof HTMLSelectElement || at.isContentEditable;
}
