import { get } from './api.js';
import { clock, el, toast } from './dom.js';

const levels = ['debug', 'info', 'warn', 'error'];
const maxLines = 2000;
/** The number of lines that the page loads at first: over a slow line, more take seconds. */
const FIRST = 1000;

/**
 * A line of the log.
 * @param {any} l
 */
export function logLine(l) {
	return el('p', { class: `mono ${l.level} ${['chat', 'teamchat', 'whisper'].includes(l.system) ? 'chat' : ''}` },
		el('time', { dateTime: l.time, title: new Date(l.time).toLocaleString() }, clock(l.time)),
		el('span', { class: 'system' }, l.system),
		el('span', {}, l.text));
}

/**
 * Adds lines at the end of a log. The log keeps a limited number of lines, and stays scrolled to
 * its end if it was there.
 * @param {HTMLElement} log
 * @param {...Node} lines
 */
export function append(log, ...lines) {
	const atEnd = log.scrollTop + log.clientHeight >= log.scrollHeight - 8;
	log.append(...lines);
	while (log.childElementCount > maxLines) log.firstElementChild?.remove();
	if (atEnd) log.scrollTop = log.scrollHeight;
}

/** @returns {import('./main.js').Panel} */
export function logPanel() {
	/** @type {any[]} */
	let lines = [];
	let next = 0;
	const text = /** @type {HTMLInputElement} */ (el('input', { type: 'search', placeholder: 'Find', 'aria-label': 'Find in the log' }));
	const level = /** @type {HTMLSelectElement} */ (el('select', { 'aria-label': 'Minimum level' }, ...levels.map((l) => el('option', { value: l }, l === 'debug' ? 'all levels' : l === 'info' ? 'info and above' : l === 'warn' ? 'warnings and errors' : 'errors'))));
	const system = /** @type {HTMLSelectElement} */ (el('select', { 'aria-label': 'Part of the server' }, el('option', { value: '' }, 'all parts')));
	level.value = 'info';
	const log = el('div', { class: 'log', role: 'log', 'aria-label': 'Log', tabIndex: 0, 'data-empty': 'No lines fit.' });

	/** @param {any} l */
	const fits = (l) => levels.indexOf(l.level) >= levels.indexOf(level.value) && (!system.value || l.system === system.value) &&
		(!text.value || l.text.toLowerCase().includes(text.value.toLowerCase()));

	/** @param {any} l */
	function know(l) {
		if (l.seq < next) return false;
		next = l.seq + 1;
		lines.push(l);
		if (lines.length > 2 * maxLines) lines = lines.slice(-maxLines);
		if (![...system.options].some((o) => o.value === l.system)) system.append(el('option', { value: l.system }, l.system));
		return true;
	}

	function redraw() {
		log.replaceChildren(...lines.filter(fits).slice(-maxLines).map(logLine));
		log.scrollTop = log.scrollHeight;
	}
	for (const e of [text, level, system]) e.addEventListener('input', redraw);

	return {
		id: 'log', title: 'Log',
		element: el('section', { class: 'fill' }, el('div', { class: 'bar' }, text, level, system), log),
		log: (l) => { if (know(l) && fits(l) && !log.closest('[hidden]')) append(log, logLine(l)); },
		show: async () => {
			try {
				const all = (await get(`/log?limit=${FIRST}`)).lines;
				lines = [];
				next = 0;
				all.forEach(know);
			} catch (err) {
				toast(/** @type {Error} */ (err).message, true);
			}
			redraw();
		},
	};
}
