/**
 * The player's settings, which the browser remembers.
 *
 * @module
 */

/** The browser's storage key. */
const KEY = 'teeyard play';

/**
 * The settings and their defaults. A stored value of another type is ignored.
 */
const DEFAULTS = Object.freeze({
	name: '',
	clan: '',
	/** ISO 3166-1 numeric; -1 for none. */
	country: -1,
	/** Parts, use of their colours, and colours, as in Skin of engine.js; empty for the standard skin. @type {Array<[string, boolean, number]>} */
	skin: [],
	/** 32 hexadecimal digits, with which DDNet servers and this page's server recognize the player. */
	identity: '',
	/** 0.1 to 10. */
	sensitivity: 1,
	/** 0 to 1. */
	volume: 0.7,
	/** Whether the camera moves with the crosshair. */
	dynamicCamera: true,
	/** Whether numbers about the connection are shown. */
	netDisplay: false,
	/** The code of a key or button for each action, as far as it is not the default. @type {Record<string, string[]>} */
	keys: {},
	/** The places of the touch controls, as far as they are not the default. @type {Record<string, [number, number]>} */
	touch: {},
	/** Whether fingers shoot by pushing the aim beyond its ring, or with a button. @type {'ring' | 'button'} */
	touchFire: 'ring',
	/** The size of the touch controls, 0.8 to 1.5. */
	touchSize: 1,
	/** Whether buttons of the touch controls shake the phone. */
	vibration: true,
});

/** @typedef {typeof DEFAULTS} Values */

export class Settings {
	constructor() {
		/** @type {Values} */
		this.values = structuredClone(DEFAULTS);
		/** @type {Set<(name: keyof Values) => void>} */
		this.listeners = new Set();
		let stored = {};
		try {
			stored = JSON.parse(localStorage.getItem(KEY) ?? '{}') ?? {};
		} catch {
			// no storage, or another program's text: the defaults
		}
		for (const name of /** @type {(keyof Values)[]} */ (Object.keys(DEFAULTS))) {
			const value = /** @type {any} */ (stored)[name];
			if (sameType(value, DEFAULTS[name])) /** @type {any} */ (this.values)[name] = value;
		}
		if (!/^[0-9a-f]{32}$/.test(this.values.identity)) this.set('identity', hex(crypto.getRandomValues(new Uint8Array(16))));
	}

	/** @template {keyof Values} K @param {K} name @returns {Values[K]} */
	get(name) {
		return this.values[name];
	}

	/**
	 * Changes a setting, stores all and tells the listeners.
	 * @template {keyof Values} K
	 * @param {K} name
	 * @param {Values[K]} value
	 */
	set(name, value) {
		this.values[name] = value;
		try {
			localStorage.setItem(KEY, JSON.stringify(this.values));
		} catch {
			// a private window: the setting lasts as long as the page
		}
		for (const f of this.listeners) f(name);
	}

	/** Calls f with each setting that changes. @param {(name: keyof Values) => void} f */
	onchange(f) {
		this.listeners.add(f);
	}
}

/** @param {unknown} a @param {unknown} b */
function sameType(a, b) {
	return typeof a === typeof b && a !== null && Array.isArray(a) === Array.isArray(b);
}

/** @param {Uint8Array} bytes */
function hex(bytes) {
	return Array.from(bytes, (b) => b.toString(16).padStart(2, '0')).join('');
}
