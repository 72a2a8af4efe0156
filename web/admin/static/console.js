import { get, post } from './api.js';
import { el } from './dom.js';
import { append, logLine } from './log.js';

/** The kinds of parameters without a name, by their letter. @type {Record<string, string>} */
const KINDS = { i: 'number', f: 'number', s: 'word', r: 'text' };

/**
 * The parameters of a command in words, with brackets around those that may be left out, such as
 * id [minutes] [reason].
 * @param {string} [params] as in the API: i[id] ?i[minutes] r[reason]
 */
export function paramsText(params = '') {
	let optional = false;
	return [...params.matchAll(/(\?)?([ifsr])(?:\[([^\]]*)\])?/g)].map(([, mark, kind, name]) => {
		optional ||= mark === '?';
		return optional ? `[${name || KINDS[kind]}]` : name || KINDS[kind];
	}).join(' ');
}

/** @returns {import('./main.js').Panel} */
export function consolePanel() {
	/** @type {{name: string, params?: string, help: string}[]} */
	let commands = [];
	/** @type {string[]} */
	const past = [];
	let at = 0;
	let chosen = -1;
	const log = el('div', { class: 'log', role: 'log', 'aria-label': 'Output', tabIndex: 0, 'data-empty': 'Type a console line below, such as status. Tab completes a name; the arrow keys recall earlier lines.' });
	const list = el('ul', { class: 'suggestions', role: 'listbox', id: 'suggestions', 'aria-label': 'Commands', hidden: true });
	const input = /** @type {HTMLInputElement} */ (el('input', {
		class: 'wide mono', type: 'text', autocomplete: 'off', spellcheck: false, maxLength: 2047, placeholder: 'status',
		role: 'combobox', 'aria-label': 'Console line', 'aria-controls': 'suggestions', 'aria-expanded': 'false', 'aria-autocomplete': 'list',
	}));
	input.autocapitalize = 'off';

	/** The part of the line before the command that is being typed. */
	const before = () => input.value.slice(0, input.value.lastIndexOf(';') + 1);
	const typed = () => input.value.slice(before().length).trimStart();

	function suggest() {
		const word = typed().split(' ')[0].toLowerCase();
		const known = typed().includes(' ');
		const fitting = !word ? [] : known
			? commands.filter((c) => c.name.toLowerCase() === word)
			: [...commands.filter((c) => c.name.startsWith(word)), ...commands.filter((c) => !c.name.startsWith(word) && c.name.includes(word))].slice(0, 12);
		chosen = -1;
		list.replaceChildren(...fitting.map((c, i) => el('li', { role: 'option', id: 'suggestion-' + i, 'aria-selected': 'false', 'data-name': c.name, onmousedown: (/** @type {Event} */ e) => { e.preventDefault(); complete(c.name); } },
			el('code', {}, `${c.name} ${paramsText(c.params)} `), el('span', { class: 'dim' }, c.help))));
		list.hidden = fitting.length === 0;
		input.setAttribute('aria-expanded', String(!list.hidden));
		input.removeAttribute('aria-activedescendant');
	}

	/** @param {string} name */
	function complete(name) {
		input.value = before() + (before() ? ' ' : '') + name + ' ';
		suggest();
	}

	/** @param {number} by */
	function choose(by) {
		const n = list.childElementCount;
		chosen = (chosen + by + n) % n;
		[...list.children].forEach((li, i) => li.setAttribute('aria-selected', String(i === chosen)));
		list.children[chosen].scrollIntoView({ block: 'nearest' });
		input.setAttribute('aria-activedescendant', 'suggestion-' + chosen);
	}

	/** @param {string} text */
	const say = (text, level = 'info', system = '') => append(log, logLine({ time: new Date().toISOString(), level, system, text }));

	async function run() {
		const line = input.value.trim();
		if (!line) return;
		past.push(line);
		at = past.length;
		input.value = '';
		suggest();
		const echo = logLine({ time: new Date().toISOString(), level: 'info', system: '>', text: line });
		echo.classList.add('typed');
		append(log, echo);
		try {
			const { output, cut, warning } = await post('/command', { line });
			for (const text of output) say(text, text === warning ? 'warn' : 'info');
			if (cut) say('The rest of the output is left out.', 'warn');
			if (!output.length) say('(no output)', 'debug');
		} catch (err) {
			say(/** @type {Error} */ (err).message, 'error');
		}
	}

	input.addEventListener('input', suggest);
	input.addEventListener('blur', () => { list.hidden = true; });
	input.addEventListener('keydown', (e) => {
		const choosing = !list.hidden && !typed().includes(' ');
		if (e.key === 'Enter') {
			if (choosing && chosen >= 0) complete(/** @type {HTMLElement} */ (list.children[chosen]).dataset.name || '');
			else run();
		} else if (e.key === 'Tab' && choosing && !e.shiftKey) {
			complete(/** @type {HTMLElement} */ (list.children[Math.max(chosen, 0)]).dataset.name || '');
		} else if (e.key === 'Escape') {
			list.hidden = true;
		} else if (e.key === 'ArrowDown' && choosing) {
			choose(1);
		} else if (e.key === 'ArrowUp' && choosing && chosen >= 0) {
			choose(-1);
		} else if (e.key === 'ArrowUp' || e.key === 'ArrowDown') {
			at = Math.min(Math.max(at + (e.key === 'ArrowUp' ? -1 : 1), 0), past.length);
			input.value = past[at] || '';
		} else {
			return;
		}
		e.preventDefault();
	});

	return {
		id: 'console', title: 'Console',
		element: el('section', { class: 'fill' }, log,
			el('form', { class: 'stack', onsubmit: (/** @type {Event} */ e) => { e.preventDefault(); run(); } },
				el('div', { class: 'bar' }, input, el('button', { type: 'submit', class: 'primary' }, 'Run')), list)),
		show: () => {
			get('/commands').then((c) => {
				commands = c.commands;
				if (document.activeElement === input && list.hidden) suggest(); // for a user who typed before the list arrived
			}, () => {});
			if (matchMedia('(pointer: fine)').matches) input.focus(); // on a phone, the keyboard would cover the output
		},
	};
}
