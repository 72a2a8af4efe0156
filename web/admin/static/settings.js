import { get } from './api.js';
import { el, toast } from './dom.js';
import { makeSetting } from './setting.js';

/**
 * @typedef {object} Subject
 * @property {string} title
 * @property {HTMLElement} section
 * @property {import('./setting.js').Row[]} rows
 * @property {HTMLElement} jump the button that leads to it
 * @property {HTMLElement} count
 */

/**
 * The settings, one subject at a time. A search and "only changed" look in all subjects.
 * @returns {import('./main.js').Panel}
 */
export function settingsPanel() {
	const find = /** @type {HTMLInputElement} */ (el('input', { type: 'search', placeholder: 'Find a setting', 'aria-label': 'Find a setting' }));
	const changed = /** @type {HTMLInputElement} */ (el('input', { type: 'checkbox', id: 'only-changed' }));
	const found = el('p', { class: 'dim', role: 'status' });
	const jumps = el('nav', { class: 'subjects', 'aria-label': 'Subjects' });
	const choice = /** @type {HTMLSelectElement} */ (el('select', { 'aria-label': 'Subject', class: 'subject-choice' }));
	const list = el('div', { class: 'results' });
	/** @type {Subject[]} */
	let subjects = [];
	let chosen = '';

	/** Shows the settings that fit the controls. */
	function filter() {
		const words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
		const searching = words.length > 0 || changed.checked;
		let total = 0;
		for (const s of subjects) {
			const all = s.rows.filter((r) => r.isChanged());
			const fitting = s.rows.filter((r) => words.every((w) => r.text.includes(w)) && (!changed.checked || r.isChanged()));
			for (const r of s.rows) r.element.hidden = searching && !fitting.includes(r);
			s.section.hidden = searching ? !fitting.length : s.title !== chosen;
			s.count.textContent = searching ? String(fitting.length) : all.length ? `${all.length} changed` : '';
			s.jump.classList.toggle('none', searching && !fitting.length);
			if (!searching && s.title === chosen) s.jump.setAttribute('aria-current', 'true');
			else s.jump.removeAttribute('aria-current');
			total += fitting.length;
		}
		choice.value = searching ? '' : chosen;
		found.textContent = !searching ? '' : total === 1 ? '1 setting' : `${total} settings`;
	}
	find.addEventListener('input', filter);
	changed.addEventListener('input', filter);
	choice.addEventListener('input', () => { if (choice.value) choose(choice.value); });

	/**
	 * Shows a subject, or leads to its results while there is a search.
	 * @param {string} title
	 */
	function choose(title) {
		const s = subjects.find((s) => s.title === title);
		if (!s) return;
		if ((find.value.trim() || changed.checked) && !s.section.hidden) return s.section.scrollIntoView({ block: 'start' });
		chosen = title;
		find.value = '';
		changed.checked = false;
		filter();
		s.section.scrollIntoView({ block: 'nearest' });
	}

	/**
	 * @param {string} title
	 * @param {any[]} settings
	 * @returns {Subject}
	 */
	function makeSubject(title, settings) {
		const rows = settings.map((s) => makeSetting(s, filter));
		const count = el('span', { class: 'number' });
		const jump = el('button', { type: 'button', onclick: () => choose(title) }, title, count);
		const section = el('section', { class: 'subject', 'aria-label': title }, el('h2', {}, title), el('div', { class: 'scroll' }, ...rows.map((r) => r.element)));
		return { title, section, rows, jump, count };
	}

	return {
		id: 'settings', title: 'Settings',
		element: el('section', {}, el('div', { class: 'bar' }, find, el('label', { class: 'switch' }, changed, 'Only changed'), found), jumps, choice, list),
		show: async () => {
			try {
				/** @type {Map<string, any[]>} */
				const bySubject = new Map();
				for (const s of (await get('/settings')).settings) bySubject.set(s.subject, [...bySubject.get(s.subject) ?? [], s]);
				subjects = [...bySubject].map(([title, settings]) => makeSubject(title, settings));
				jumps.replaceChildren(...subjects.map((s) => s.jump));
				choice.replaceChildren(el('option', { value: '' }, 'All subjects'), ...subjects.map((s) => el('option', { value: s.title }, s.title)));
				list.replaceChildren(...subjects.map((s) => s.section));
				if (!subjects.length) list.replaceChildren(el('p', { class: 'empty' }, 'You may not change any settings.'));
				if (!bySubject.has(chosen)) chosen = subjects[0]?.title ?? '';
				filter();
			} catch (err) {
				toast(/** @type {Error} */ (err).message, true);
			}
		},
	};
}
