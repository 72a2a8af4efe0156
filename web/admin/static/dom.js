// Small helpers for elements. Nothing here parses HTML: text is inserted as text.

/**
 * Creates an element. Properties that begin with "on" are listeners. Properties with a dash, and role,
 * for and class, are attributes.
 * @param {string} tag
 * @param {Record<string, any>} [props]
 * @param {...(Node|string|null|undefined|false)} children
 * @returns {HTMLElement}
 */
export function el(tag, props = {}, ...children) {
	const e = document.createElement(tag);
	for (const [name, value] of Object.entries(props)) {
		if (value === undefined || value === null || value === false) continue;
		if (name.startsWith('on')) e.addEventListener(name.slice(2), value);
		else if (name === 'class') e.className = value;
		else if (name.includes('-') || name === 'role' || name === 'for' || name === 'list') e.setAttribute(name, value === true ? '' : String(value));
		else /** @type {any} */ (e)[name] = value;
	}
	e.append(...children.filter((c) => c !== null && c !== undefined && c !== false));
	return e;
}

/**
 * @template {HTMLElement} T
 * @param {string} id
 * @returns {T}
 */
export function byId(id) {
	return /** @type {T} */ (document.getElementById(id));
}

let toastTimer = 0;

/**
 * Shows a text at the bottom for a few seconds.
 * @param {string} text
 * @param {boolean} [bad]
 */
export function toast(text, bad = false) {
	const t = byId('toast');
	t.textContent = text;
	t.className = bad ? 'bad' : '';
	t.setAttribute('role', bad ? 'alert' : 'status');
	clearTimeout(toastTimer);
	toastTimer = setTimeout(() => { t.textContent = ''; }, bad ? 8000 : 4000);
}

/**
 * @typedef {object} Field
 * @property {string} name
 * @property {string} label
 * @property {string} [type] of the input
 * @property {string} [value]
 * @property {number} [min]
 * @property {number} [max]
 * @property {boolean} [required]
 * @property {[string, string][]} [options] values and texts, of a select
 */

/**
 * Asks for some values. The promise resolves to the values by name, or to null if the user cancels.
 * @param {string} title
 * @param {Field[]} fields
 * @param {string} action the text of the button
 * @param {string} [text]
 * @returns {Promise<Record<string, string>|null>}
 */
export function ask(title, fields, action, text = '') {
	// A new dialog for each question, since the close event of the previous one may come when the
	// next is already open.
	const dialog = /** @type {HTMLDialogElement} */ (el('dialog', { class: 'ask', 'aria-labelledby': 'dialog-title' }));
	const from = document.activeElement?.getAttribute('data-action');
	return new Promise((resolve) => {
		const inputs = fields.map((f) => {
			const common = { id: 'field-' + f.name, name: f.name };
			const input = f.options
				? el('select', common, ...f.options.map(([value, label]) => el('option', { value }, label)))
				: el('input', { ...common, type: f.type || 'text', required: f.required, maxLength: f.type === 'number' ? undefined : 200, min: f.min, max: f.max, autocomplete: 'off' });
			if (f.value !== undefined) /** @type {any} */ (input).value = f.value;
			return { f, input };
		});
		const form = el('form', {
			method: 'dialog',
			onsubmit: () => { dialog.returnValue = 'ok'; },
		},
		el('h2', { id: 'dialog-title' }, title),
		text && el('p', { class: 'dim wrap' }, text),
		...inputs.map(({ f, input }) => el('div', { class: 'field' }, el('label', { for: input.id }, f.label), input)),
		el('div', { class: 'bar' },
			el('button', { type: 'button', onclick: () => dialog.close('') }, 'Cancel'),
			el('button', { type: 'submit', value: 'ok', class: 'primary' }, action)));
		dialog.append(form);
		document.body.append(dialog);
		dialog.onclose = () => {
			dialog.remove();
			// The button may have been replaced meanwhile.
			if (from && document.activeElement === document.body) /** @type {HTMLElement|null} */ (document.querySelector(`[data-action="${CSS.escape(from)}"]`))?.focus();
			if (dialog.returnValue !== 'ok') return resolve(null);
			resolve(Object.fromEntries(inputs.map(({ f, input }) => [f.name, /** @type {any} */ (input).value])));
		};
		dialog.showModal();
	});
}

/**
 * The time of day of a moment, with the date unless that is today.
 * @param {string} iso
 */
export function clock(iso) {
	const d = new Date(iso);
	const time = d.toLocaleTimeString([], { hour12: false });
	return d.toDateString() === new Date().toDateString() ? time : d.toLocaleDateString() + ' ' + time;
}

/**
 * A time span in words.
 * @param {number} seconds
 */
export function span(seconds) {
	const s = Math.max(0, Math.round(seconds));
	if (s < 60) return s + ' s';
	if (s < 3600) return Math.floor(s / 60) + ' min';
	if (s < 172800) return Math.floor(s / 3600) + ' h ' + Math.floor(s % 3600 / 60) + ' min';
	return Math.floor(s / 86400) + ' days';
}
