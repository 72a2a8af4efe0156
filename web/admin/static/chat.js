import { get, post } from './api.js';
import { el, toast } from './dom.js';
import { append, logLine } from './log.js';

/** The number of earlier lines to load. */
const EARLIER = 100;

/**
 * The chat of the players, with a field to write to all.
 * @returns {{element: HTMLElement, show: () => Promise<void>, log: (line: any) => void}}
 */
export function chatBox() {
	let next = 0;
	const log = el('div', { class: 'log', role: 'log', 'aria-label': 'Chat', tabIndex: 0, 'data-empty': 'No chat lines yet.' });
	const input = /** @type {HTMLInputElement} */ (el('input', { class: 'wide', type: 'text', autocomplete: 'off', maxLength: 200, placeholder: 'Say to all players', 'aria-label': 'Say to all players' }));

	/** @param {any} line */
	function add(line) {
		if (line.seq < next || !['chat', 'teamchat', 'whisper'].includes(line.system)) return;
		next = line.seq + 1;
		append(log, logLine(line));
	}

	async function say() {
		const text = input.value.trim();
		if (!text) return;
		try {
			const { warning } = await post('/command', { line: `say "${text.replace(/[\\"]/g, '\\$&')}"` });
			if (warning) return toast(warning, true);
			input.value = '';
		} catch (err) {
			toast(/** @type {Error} */ (err).message, true);
		}
	}

	return {
		element: el('div', { class: 'chat-box' }, el('h2', {}, 'Chat'), log,
			el('form', { class: 'bar', onsubmit: (/** @type {Event} */ e) => { e.preventDefault(); say(); } }, input, el('button', { type: 'submit' }, 'Say'))),
		show: async () => {
			try {
				(await get(`/log?system=chat&limit=${EARLIER}`)).lines.forEach(add);
			} catch (err) {
				toast(/** @type {Error} */ (err).message, true);
			}
		},
		log: add,
	};
}
