import { call, get, post } from './api.js';
import { ask, el, span, toast } from './dom.js';

/** @returns {import('./main.js').Panel} */
export function bansPanel() {
	const body = el('tbody');
	const find = /** @type {HTMLInputElement} */ (el('input', { type: 'search', placeholder: 'Find', 'aria-label': 'Find a ban' }));
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

	async function add() {
		const v = await ask('Ban an address', [
			{ name: 'target', label: 'Address, network (1.2.3.0/24) or range (1.2.3.4-1.2.3.9)', required: true },
			{ name: 'minutes', label: 'Minutes, 0 for ever', type: 'number', min: 0, max: 525600, value: '30', required: true },
			{ name: 'reason', label: 'Reason' },
		], 'Ban');
		if (!v) return;
		await post('/bans', { target: v.target, minutes: Number(v.minutes), reason: v.reason }).then((a) => toast(a.output?.[0] || 'Done.'), (err) => toast(err.message, true));
		show();
	}

	return {
		id: 'bans', title: 'Bans',
		element: el('section', {}, el('div', { class: 'bar' }, find, el('button', { type: 'button', onclick: add }, 'Ban an address')),
			el('div', { class: 'scroll' }, el('table', { class: 'cards-on-phone' }, el('thead', {}, el('tr', {}, ...['Target', 'Still', 'Reason', 'Actions'].map((h) => el('th', { scope: 'col' }, h)))), body), note)),
		show,
	};
}
