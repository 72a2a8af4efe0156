import { call, get } from './api.js';
import { el, toast } from './dom.js';

/** @returns {import('./main.js').Panel} */
export function settingsPanel() {
	const find = /** @type {HTMLInputElement} */ (el('input', { type: 'search', placeholder: 'Find a setting', 'aria-label': 'Find a setting' }));
	const changed = /** @type {HTMLInputElement} */ (el('input', { type: 'checkbox', id: 'only-changed' }));
	const list = el('div', { class: 'scroll' });
	/** @type {{s: any, row: HTMLElement}[]} */
	let rows = [];

	function filter() {
		const text = find.value.toLowerCase();
		for (const { s, row } of rows) {
			row.hidden = !(s.name + ' ' + s.help).toLowerCase().includes(text) || changed.checked && !row.classList.contains('changed');
		}
	}
	find.addEventListener('input', filter);
	changed.addEventListener('input', filter);

	/** @param {any} s */
	function make(s) {
		const id = 'setting-' + s.name;
		const isSwitch = s.number && s.min === 0 && s.max === 1;
		const input = /** @type {HTMLInputElement} */ (el('input', {
			id, type: isSwitch ? 'checkbox' : s.secret ? 'password' : s.number ? 'number' : 'text', 'aria-describedby': id + '-help',
			autocomplete: s.secret ? 'new-password' : 'off', min: s.min, max: s.max, placeholder: s.secret && s.value ? 'set' : '',
		}));
		const save = el('button', { type: 'submit', class: 'small', hidden: isSwitch }, 'Set');
		const row = el('div', { class: 'setting' },
			el('div', {}, el('label', { for: id }, el('code', {}, s.name)), el('p', { class: 'dim wrap', id: id + '-help' }, `${s.help}. Values: ${s.allowed}${s.secret ? '' : `, default ${s.default === '' ? 'empty' : s.default}`}`)),
			el('form', { onsubmit: (/** @type {Event} */ e) => { e.preventDefault(); set(); } }, input, save));
		function show() {
			if (isSwitch) input.checked = s.value === '1';
			else input.value = s.secret ? '' : s.value;
			row.classList.toggle('changed', s.secret ? s.value !== '' : s.value !== s.default);
		}
		async function set() {
			try {
				const answer = await call('PUT', '/settings/' + encodeURIComponent(s.name), { value: isSwitch ? (input.checked ? '1' : '0') : input.value });
				s.value = answer.value;
				toast(answer.output?.[0] || `${s.name} is ${answer.value || 'empty'} now.`);
			} catch (err) {
				toast(/** @type {Error} */ (err).message, true);
			}
			show();
		}
		if (isSwitch) input.addEventListener('change', set);
		show();
		return { s, row };
	}

	return {
		id: 'settings', title: 'Settings',
		element: el('section', {}, el('div', { class: 'bar' }, find, changed, el('label', { for: 'only-changed' }, 'only changed settings')), list),
		show: async () => {
			try {
				rows = (await get('/settings')).settings.map(make);
				list.replaceChildren(...rows.map((r) => r.row));
				if (!rows.length) list.replaceChildren(el('p', { class: 'empty' }, 'You may not change any settings.'));
				filter();
			} catch (err) {
				toast(/** @type {Error} */ (err).message, true);
			}
		},
	};
}
