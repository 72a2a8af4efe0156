import { call, get, post } from './api.js';
import { ask, clock, el, toast } from './dom.js';

/** @returns {import('./main.js').Panel} */
export function tokensPanel() {
	const body = el('tbody');
	const none = el('p', { class: 'empty' }, 'No tokens. Create one for each program.');
	const fresh = el('div', { class: 'card stack', hidden: true });

	async function show() {
		try {
			const { tokens } = await get('/tokens');
			none.hidden = tokens.length > 0;
			body.replaceChildren(...tokens.map((/** @type {any} */ t) => el('tr', {},
				el('td', { class: 'name' }, t.name), el('td', {}, t.level), el('td', {}, clock(t.created)), el('td', {}, t.expires ? clock(t.expires) : 'never'),
				el('td', { class: 'actions' }, el('button', { type: 'button', class: 'small danger', 'aria-label': `Remove ${t.name}`, onclick: () => remove(t) }, 'Remove')))));
		} catch (err) {
			toast(/** @type {Error} */ (err).message, true);
		}
	}

	/** @param {any} t */
	async function remove(t) {
		const sure = await ask(`Remove the token ${t.name}?`, [], 'Remove', 'The program with this token loses its access.');
		if (!sure) return;
		await call('DELETE', '/tokens?name=' + encodeURIComponent(t.name)).catch((err) => toast(err.message, true));
		fresh.hidden = true;
		show();
	}

	async function add() {
		const v = await ask('New token', [
			{ name: 'name', label: 'Name of the program', required: true },
			{ name: 'level', label: 'Level', options: [['moderator', 'moderator'], ['helper', 'helper'], ['admin', 'admin']] },
			{ name: 'days', label: 'Days until it expires, 0 for never', type: 'number', min: 0, max: 3650, value: '0', required: true },
		], 'Create');
		if (!v) return;
		try {
			const { token } = await post('/tokens', { name: v.name, level: v.level, days: Number(v.days) });
			fresh.replaceChildren(el('h2', {}, `The token of ${v.name}`), el('code', { class: 'wrap' }, token), el('p', { class: 'hint' }, 'Copy the token now: it is not shown again. A program sends it in the header "Authorization: Bearer TOKEN".'));
			fresh.hidden = false;
			show();
		} catch (err) {
			toast(/** @type {Error} */ (err).message, true);
		}
	}

	return {
		id: 'tokens', title: 'Tokens',
		element: el('section', {}, el('div', { class: 'bar' }, el('p', { class: 'dim wide' }, 'Programs use the API with a token instead of a password.'), el('button', { type: 'button', onclick: add }, 'New token')),
			fresh,
			el('div', { class: 'scroll' }, el('table', { class: 'cards-on-phone' }, el('thead', {}, el('tr', {}, ...['Name', 'Level', 'Created', 'Expires', 'Actions'].map((h) => el('th', { scope: 'col' }, h)))), body), none),
			el('div', { class: 'card stack' }, el('h2', {}, 'Use the API'),
				el('code', { class: 'wrap' }, `curl -H "Authorization: Bearer TOKEN" ${new URL('admin/api/players', document.baseURI).href}`),
				el('p', { class: 'hint' }, 'This lists the players. ', el('a', { href: 'admin/api/openapi.json' }, 'openapi.json'), ' describes all requests.'))),
		show, hide: () => { fresh.hidden = true; fresh.replaceChildren(); },
	};
}
