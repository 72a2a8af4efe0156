import { call } from './api.js';
import { ask, el, toast } from './dom.js';

/**
 * @typedef {object} Row
 * @property {HTMLElement} element
 * @property {string} text in lower case, for searches
 * @property {() => boolean} isChanged whether the value differs from the default
 */

/**
 * Makes the row of a setting.
 * @param {any} s the setting as in the API
 * @param {() => void} onchange called after the value has changed
 * @returns {Row}
 */
export function makeSetting(s, onchange) {
	const id = 'setting-' + s.name;
	const isSwitch = s.number && s.min === 0 && s.max === 1;
	const input = /** @type {HTMLInputElement} */ (el('input', {
		id, type: isSwitch ? 'checkbox' : s.secret ? 'password' : s.number ? 'number' : 'text', 'aria-describedby': id + '-help',
		autocomplete: s.secret ? 'new-password' : 'off', spellcheck: false, min: s.min, max: s.max,
	}));
	const save = /** @type {HTMLButtonElement} */ (el('button', { type: 'submit', class: 'small', hidden: isSwitch, 'aria-label': 'Set ' + s.name }, 'Set'));
	const byDefault = s.secret || s.default === '' ? 'empty' : s.default;
	const reset = el('button', { type: 'button', class: 'small reset', title: `Back to the default: ${byDefault}`, 'aria-label': `Reset ${s.name} to the default, ${byDefault}`, onclick: restore }, 'Reset');
	const form = el('form', { onsubmit: (/** @type {Event} */ e) => { e.preventDefault(); set(isSwitch ? (input.checked ? '1' : '0') : input.value); } },
		s.secret && el('input', { type: 'text', name: 'username', autocomplete: 'username', value: s.name, hidden: true }), input, save, reset);
	const element = el('div', { class: isSwitch ? 'setting switch-row' : 'setting' },
		el('div', {}, el('label', { for: id }, el('code', {}, s.name)), el('span', { class: 'badge' }, 'changed'),
			el('p', { class: 'wrap', id: id + '-help' }, `${s.help}. `, el('span', { class: 'dim' }, facts(s, isSwitch, byDefault)))),
		form);

	const isChanged = () => s.secret ? s.value !== '' : s.value !== s.default;

	function show() {
		if (isSwitch) input.checked = s.value === '1';
		else input.value = s.secret ? '' : s.value;
		input.placeholder = s.secret ? (s.value ? 'set, not shown' : 'not set') : '';
		element.classList.toggle('changed', isChanged());
		edited();
	}

	/** A value that is not edited need not be set. */
	function edited() {
		save.disabled = input.value === (s.secret ? '' : s.value);
	}

	async function restore() {
		const text = s.secret ? 'The password becomes empty.' : `${s.name} becomes ${byDefault}.`;
		if (!await ask(`Reset ${s.name}?`, [], 'Reset', text)) return;
		await set(s.default);
		input.focus();
	}

	/** @param {string} value */
	async function set(value) {
		try {
			const answer = await call('PUT', '/settings/' + encodeURIComponent(s.name), { value });
			s.value = answer.value;
			toast(answer.output?.[0] || `${s.name} is ${s.value || 'empty'} now.`);
		} catch (err) {
			toast(/** @type {Error} */ (err).message, true);
		}
		show();
		onchange();
	}

	input.addEventListener('input', edited);
	if (isSwitch) input.addEventListener('change', () => set(input.checked ? '1' : '0'));
	show();
	return { element, text: `${s.name} ${s.help} ${s.subject}`.toLowerCase(), isChanged };
}

/**
 * The values that a setting may have, in words.
 * @param {any} s
 * @param {boolean} isSwitch
 * @param {string} byDefault
 */
function facts(s, isSwitch, byDefault) {
	if (isSwitch) return `Default: ${byDefault === '1' ? 'on' : 'off'}.`;
	const allowed = s.allowed.charAt(0).toUpperCase() + s.allowed.slice(1);
	return s.secret ? `${allowed}.` : `${allowed}, default ${byDefault}.`;
}
