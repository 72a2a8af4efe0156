import { call, get, post } from './api.js';
import { ask, el, toast } from './dom.js';

/** The number of maps that the page lists; a search finds the others. */
const MOST_NAMES = 200;

/** @returns {import('./main.js').Panel} */
export function mapsPanel() {
	const now = el('p', { class: 'figure wrap' });
	const next = el('p', { class: 'dim wrap' });
	const choice = /** @type {HTMLInputElement} */ (el('input', { id: 'map', autocomplete: 'off', maxLength: 127, class: 'wide', placeholder: 'Name of a map', oninput: () => showNames() }));
	const names = el('div', { class: 'map-names', role: 'group', 'aria-label': 'Maps of the server' });
	const rotation = /** @type {HTMLInputElement} */ (el('input', { id: 'rotation', autocomplete: 'off', maxLength: 767, class: 'wide' }));
	const about = el('p', { class: 'wrap' });
	const count = el('p', { class: 'dim' });
	const decide = el('div', { class: 'bar', hidden: true },
		el('button', { type: 'button', onclick: () => done(post('/votes/running', { yes: true })) }, 'Pass the vote'),
		el('button', { type: 'button', class: 'danger', onclick: () => done(post('/votes/running', { yes: false })) }, 'Reject the vote'));
	let shownOptions = '';
	/** @type {string[]} */
	let maps = [];
	const options = el('tbody');
	const none = el('p', { class: 'empty' }, 'No vote options. Players can vote for each option that you add.');

	/** Lists the maps with the typed text in their names. */
	function showNames() {
		const typed = choice.value.toLowerCase();
		const fitting = maps.includes(choice.value) ? maps : maps.filter((name) => name.toLowerCase().includes(typed));
		names.replaceChildren(...fitting.slice(0, MOST_NAMES).map((name) => el('button', {
			type: 'button', class: 'small', 'aria-pressed': String(name === choice.value), onclick: () => {
				choice.value = name;
				for (const b of names.children) b.setAttribute('aria-pressed', String(b.textContent === name));
			},
		}, name)));
	}

	/**
	 * @param {Promise<any>} p
	 * @param {boolean} [quiet]
	 */
	async function done(p, quiet = false) {
		try {
			const { output } = await p;
			if (!quiet) toast(output?.[0] || 'Done.');
			await show();
		} catch (err) {
			toast(/** @type {Error} */ (err).message, true);
		}
	}

	/** @param {boolean} at once */
	const change = (at) => { if (choice.value) done(post('/maps', { map: choice.value, now: at })); };

	async function addOption() {
		const v = await ask('Add a vote option', [
			{ name: 'text', label: 'Text that players see', required: true },
			{ name: 'command', label: 'Console line', required: true },
		], 'Add');
		if (v) await done(post('/votes', v));
	}

	async function show() {
		try {
			const [m, v] = await Promise.all([get('/maps'), get('/votes')]);
			now.textContent = `${m.map} · ${m.gametype}`;
			next.textContent = m.next ? `Next: ${m.next}` : 'The map does not change: there is no rotation.';
			if (m.maps.join() !== maps.join()) {
				maps = m.maps;
				showNames();
			}
			if (document.activeElement !== rotation) rotation.value = m.rotation.join(' ');
			const r = v.running;
			about.textContent = r ? `${r.about} (${r.reason})` : '';
			count.textContent = r ? `${r.yes} yes, ${r.no} no, of ${r.total}; ${r.seconds} s left` : 'No vote is running.';
			decide.hidden = !r;
			if (JSON.stringify(v.options) === shownOptions) return; // do not disturb a click that has begun
			shownOptions = JSON.stringify(v.options);
			none.hidden = v.options.length > 0;
			options.replaceChildren(...v.options.map((/** @type {any} */ o) => el('tr', {},
				el('td', { class: 'wrap name' }, o.text), el('td', { class: 'mono wrap' }, o.command || ''),
				el('td', { class: 'actions' }, el('button', { type: 'button', class: 'small danger', 'aria-label': `Remove ${o.text}`, onclick: () => done(call('DELETE', '/votes?text=' + encodeURIComponent(o.text))) }, 'Remove')))));
		} catch (err) {
			toast(/** @type {Error} */ (err).message, true);
		}
	}

	/** @type {number} */
	let timer = 0;
	return {
		id: 'maps', title: 'Maps and votes',
		element: el('section', { class: 'fill' },
			el('div', { class: 'card map' }, el('h2', {}, 'Map'), now, next,
				el('form', { class: 'stack', onsubmit: (/** @type {Event} */ e) => { e.preventDefault(); change(false); } },
					el('label', { for: 'map' }, 'Change to'), choice,
					el('div', { class: 'bar' }, el('button', { type: 'submit', class: 'primary' }, 'Change after scores'), el('button', { type: 'button', onclick: () => change(true) }, 'Change at once'))),
				names),
			el('div', { class: 'stack' },
				el('div', { class: 'cards' },
					el('form', { class: 'card stack', onsubmit: (/** @type {Event} */ e) => { e.preventDefault(); done(call('PUT', '/maps/rotation', { maps: rotation.value.split(/[\s,;]+/).filter(Boolean) })); } },
						el('h2', {}, 'Rotation'), el('label', { for: 'rotation' }, 'Maps to play in turn, separated by spaces'), rotation,
						el('div', {}, el('button', { type: 'submit' }, 'Set the rotation'))),
					el('div', { class: 'card stack' }, el('h2', {}, 'Vote'), about, count, decide)),
				el('div', { class: 'bar' }, el('h2', {}, 'Vote options'), el('span', { class: 'grow' }), el('button', { type: 'button', onclick: addOption }, 'Add')),
				el('div', { class: 'scroll' }, el('table', { class: 'cards-on-phone' }, el('thead', {}, el('tr', {}, ...['Text', 'Console line', 'Actions'].map((h) => el('th', { scope: 'col' }, h)))), options), none))),
		show: () => { show(); clearInterval(timer); timer = setInterval(show, 3000); },
		hide: () => clearInterval(timer),
	};
}
