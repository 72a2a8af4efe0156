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
