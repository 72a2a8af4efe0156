/**
 * Small helpers for the page.
 *
 * @module
 */

/**
 * Makes an element. Text is text, whatever is in it.
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

/**
 * Makes a button.
 * @param {string} label what it does, for everybody
 * @param {string} sign what is on it
 * @param {() => void} click
 */
export function button(label, sign, click) {
	const b = make('button', '', sign);
	b.type = 'button';
	b.title = label;
	b.setAttribute('aria-label', label);
	b.addEventListener('click', click);
	return b;
}
