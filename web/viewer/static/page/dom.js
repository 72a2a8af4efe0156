/**
 * Small helpers for the page.
 *
 * @module
 */

/**
 * Creates an element. The text is never parsed as HTML.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {string} [className]
 * @param {string} [text]
 * @returns {HTMLElementTagNameMap[K]}
 */
export function make(tag, className = '', text = '') {
	const e = document.createElement(tag);
	if (className) e.className = className;
	if (text) e.textContent = text;
	return e;
}

/**
 * Sets a text if it differs, since changing it costs much more than comparing.
 * @param {Node} e
 * @param {string} text
 */
export function setText(e, text) {
	if (e.textContent !== text) e.textContent = text;
}

/**
 * Finds an element of the page.
 * @param {string} id
 * @returns {HTMLElement}
 */
export function byId(id) {
	const e = document.getElementById(id);
	if (!e) throw new Error(`The page has no ${id}.`);
	return e;
}

/** Icons of buttons, as paths in a square of 24. Fonts lack them on some systems. */
export const ICON = Object.freeze({
	PAUSE: 'M7 5h4v14H7zM13 5h4v14h-4z',
	PLAY: 'M7 4l13 8-13 8z',
	BACK: 'M11 5v4a7 7 0 1 1-6.6 9.3l2-.7A5 5 0 1 0 11 11v4l-6-5z',
	PLAYERS: 'M4 5h16v3H4zM4 10.5h16v3H4zM4 16h16v3H4z',
	SOUND: 'M4 9h4l5-4v14l-5-4H4zM15.5 8.5a5 5 0 0 1 0 7l-1.2-1.4a3 3 0 0 0 0-4.2zM17.8 6a8.5 8.5 0 0 1 0 12l-1.2-1.4a6.5 6.5 0 0 0 0-9.2z',
	LOOK: 'M12 3a9 9 0 1 0 0 18zM13 3a9 9 0 0 1 0 18v-2a7 7 0 0 0 0-14z',
	LINK: 'M10 14a4 4 0 0 1 0-5.7l3-3a4 4 0 0 1 5.7 5.7l-1.8 1.8-1.4-1.4 1.8-1.8a2 2 0 0 0-2.9-2.9l-3 3a2 2 0 0 0 0 2.9zM14 10a4 4 0 0 1 0 5.7l-3 3A4 4 0 0 1 5.3 13l1.8-1.8 1.4 1.4-1.8 1.8a2 2 0 0 0 2.9 2.9l3-3a2 2 0 0 0 0-2.9z',
	FULL: 'M4 4h6v2H6v4H4zM14 4h6v6h-2V6h-4zM4 14h2v4h4v2H4zM18 14h2v6h-6v-2h4z',
	HELP: 'M12 3a5 5 0 0 1 5 5c0 3.5-4 3.6-4 6.5h-2c0-4.5 4-4.5 4-6.5a3 3 0 0 0-6 0H7a5 5 0 0 1 5-5zM10.8 17h2.5v2.8h-2.5z',
	SPIKES: 'M1 20 4.7 7l3.6 13zM8.3 20 12 4l3.7 16zM15.7 20l3.6-13L23 20z',
	SKULL: 'M12 3c-5 0-8.5 3.3-8.5 7.9 0 2.7 1.2 4.8 3 6.1V21h11v-4c1.8-1.3 3-3.4 3-6.1C20.5 6.3 17 3 12 3zM6.7 11a2.2 2.2 0 1 1 4.4 0 2.2 2.2 0 0 1-4.4 0zM12.9 11a2.2 2.2 0 1 1 4.4 0 2.2 2.2 0 0 1-4.4 0zM12 14l1.3 2.6h-2.6z',
	DOOR: 'M4 3h9v3h-2V5H6v14h5v-1h2v3H4zM14 8l5 4-5 4v-3H9v-2h5z',
	SNOW: 'M11 2h2v20h-2zM20.2 6.1l1 1.7L3.8 17.9l-1-1.8zM3.8 6.1l-1 1.7 17.4 10.1 1-1.8z',
	LOCK: 'M7 10V8a5 5 0 0 1 10 0v2h1v11H6V10zm2 0h6V8a3 3 0 0 0-6 0z',
	SOLO: 'M12 3a4 4 0 1 1 0 8 4 4 0 0 1 0-8zM4 21c0-4.5 3.5-8 8-8s8 3.5 8 8z',
	TEAM: 'M8 5a3.5 3.5 0 1 1 0 7 3.5 3.5 0 0 1 0-7zM16 5a3.5 3.5 0 1 1 0 7 3.5 3.5 0 0 1 0-7zM2 20c0-4 2.5-7 6-7s6 3 6 7zM15.5 20c0-2.5-.7-4.7-2-6.3A5.6 5.6 0 0 1 16 13c3.5 0 6 3 6 7z',
	HOOK: 'M13 2v12a4 4 0 0 1-8 0v-3l-2 2-1.2-1.4L6 7.5l4.2 4.1L9 13l-2-2v3a2 2 0 0 0 4 0V2zM15 6h7v2h-7zM15 10h7v2h-7z',
	JUMP: 'M12 3l7 7h-4v4H9v-4H5zM9 16h6v2H9zM9 20h6v2H9z',
	TARGET: 'M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18zm0 3a6 6 0 1 0 0 12 6 6 0 0 0 0-12zm0 3a3 3 0 1 1 0 6 3 3 0 0 1 0-6z',
	FLAG: 'M6 3h2v1h11l-3 4 3 4H8v9H6z',
	EYE: 'M12 5c5 0 9 4 10 7-1 3-5 7-10 7S3 15 2 12c1-3 5-7 10-7zm0 3a4 4 0 1 0 0 8 4 4 0 0 0 0-8zm0 2a2 2 0 1 1 0 4 2 2 0 0 1 0-4z',
	TICK: 'M4 12.5l2.2-2.2 4 4L18 6.5l2.2 2.2L10.2 18.7z',
	NEXT: 'M8 4l9 8-9 8z',
	PREVIOUS: 'M16 4L7 12l9 8z',
	CROSS: 'M6 4.5l6 6 6-6L19.5 6l-6 6 6 6-1.5 1.5-6-6-6 6L4.5 18l6-6-6-6z',
	MORE: 'M5 10a2 2 0 1 1 0 4 2 2 0 0 1 0-4zM12 10a2 2 0 1 1 0 4 2 2 0 0 1 0-4zM19 10a2 2 0 1 1 0 4 2 2 0 0 1 0-4z',
	DOWNLOAD: 'M11 3h2v9l3.5-3.5L18 10l-6 6-6-6 1.5-1.5L11 12zM4 18h16v3H4z',
	FILE: 'M5 3h9l5 5v13H5zM13 4.5V9h4.5zM11 18v-4H8l4-4 4 4h-3v4z',
});

/**
 * Creates a button.
 * @param {string} label its purpose, as the accessible name
 * @param {string} icon an ICON
 * @param {() => void} click
 */
export function button(label, icon, click) {
	const b = make('button');
	b.type = 'button';
	b.title = label;
	b.setAttribute('aria-label', label);
	setIcon(b, icon);
	b.addEventListener('click', click);
	return b;
}

/** The height of icons in world units at which they are as high as a letter of the text around them. */
const UNITS = 26;

/** The greatest height of an icon, in ems. */
const MAX_HEIGHT = 1.5;

/**
 * Creates an element that shows a thing of the game.
 * @param {import('../draw/icons.js').Icon | null} picture null while it is not loaded
 * @param {string} word what it shows, for those who cannot see it; empty for decoration
 * @param {string} [className]
 */
export function icon(picture, word, className = '') {
	const e = make('span', `icon ${className}`);
	describe(e, word);
	if (!picture) return e;
	const k = Math.min(1 / UNITS, MAX_HEIGHT / picture.height);
	e.style.width = `${picture.width * k}em`;
	e.style.height = `${picture.height * k}em`;
	e.style.backgroundImage = `url(${picture.url})`;
	return e;
}

/**
 * Creates an element that shows an ICON.
 * @param {string} shape
 * @param {string} word what it means
 * @param {string} [className]
 */
export function sign(shape, word, className = '') {
	const e = make('span', `sign ${className}`);
	describe(e, word);
	setIcon(e, shape);
	return e;
}

/** @param {HTMLElement} e @param {string} word */
function describe(e, word) {
	if (word) {
		e.setAttribute('role', 'img');
		e.setAttribute('aria-label', word);
		e.title = word;
	} else e.setAttribute('aria-hidden', 'true');
}

/**
 * Sets the icon of a button.
 * @param {HTMLElement} b
 * @param {string} icon an ICON
 */
export function setIcon(b, icon) {
	const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
	svg.setAttribute('viewBox', '0 0 24 24');
	svg.setAttribute('aria-hidden', 'true');
	const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
	path.setAttribute('d', icon);
	svg.append(path);
	b.replaceChildren(svg);
}
