import { call, get, post } from './api.js';
import { el, span, toast } from './dom.js';

/** @returns {import('./main.js').Panel} */
export function bansPanel() {
	const body = el('tbody');
	const find = /** @type {HTMLInputElement} */ (el('input', { type: 'search', placeholder: 'Find a ban', 'aria-label': 'Find a ban' }));
	const note = el('p', { class: 'empty' });
	/** @type {any[]} */
	let bans = [];

	function draw() {
		const fitting = bans.filter((b) => (b.target + ' ' + (b.reason || '')).toLowerCase().includes(find.value.toLowerCase()));
		body.replaceChildren(...fitting.slice(0, 500).map((b) => el('tr', {},
			el('td', { class: 'mono name' }, b.target), el('td', {}, b.until ? span((Date.parse(b.until) - Date.now()) / 1000) : 'for ever'), el('td', { class: 'wrap' }, b.reason || ''),
			el('td', { class: 'actions' }, el('button', { type: 'button', class: 'small', 'aria-label': `Lift the ban of ${b.target}`, onclick: () => lift(b) }, 'Lift')))));
		note.textContent = fitting.length ? '' : find.value ? 'No ban fits.' : 'No bans. To ban a player, use the tab Players.';
		note.hidden = fitting.length > 0;
	}
	find.addEventListener('input', draw);

	async function show() {
		try {
			bans = (await get('/bans')).bans;
			draw();
		} catch (err) {
			bans = [];
			draw();
			note.textContent = /** @type {Error} */ (err).message;
		}
	}

	/** @param {any} b */
	async function lift(b) {
		await call('DELETE', '/bans?target=' + encodeURIComponent(b.target)).then((a) => toast(a.output?.[0] || 'Done.'), (err) => toast(err.message, true));
		show();
	}

	const target = /** @type {HTMLInputElement} */ (el('input', { class: 'wide mono', required: true, maxLength: 200, autocomplete: 'off', placeholder: 'Address, 1.2.3.0/24 or 1.2.3.4-1.2.3.9', 'aria-label': 'Address, network or range to ban' }));
	const minutes = /** @type {HTMLInputElement} */ (el('input', { type: 'number', min: 0, max: 525600, value: '30', required: true }));
	const reason = /** @type {HTMLInputElement} */ (el('input', { class: 'wide', maxLength: 200, autocomplete: 'off', placeholder: 'Reason', 'aria-label': 'Reason' }));

	/** @param {Event} e */
	async function add(e) {
		e.preventDefault();
		try {
			const { output } = await post('/bans', { target: target.value, minutes: Number(minutes.value), reason: reason.value });
			toast(output?.[0] || 'Done.');
			target.value = reason.value = '';
		} catch (err) {
			toast(/** @type {Error} */ (err).message, true);
		}
		show();
	}

	return {
		id: 'bans', title: 'Bans',
		element: el('section', {}, el('form', { class: 'bar', onsubmit: add }, target, el('label', { class: 'minutes' }, minutes, 'minutes, 0 for ever'), reason, el('button', { type: 'submit', class: 'danger' }, 'Ban')),
			el('div', { class: 'bar' }, find),
			el('div', { class: 'scroll' }, el('table', { class: 'cards-on-phone' }, el('thead', {}, el('tr', {}, ...['Target', 'Time left', 'Reason', 'Actions'].map((h) => el('th', { scope: 'col' }, h)))), body), note)),
		show,
	};
}
