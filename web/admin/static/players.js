import { get, post } from './api.js';
import { ask, clock, el, span, toast } from './dom.js';

const teams = /** @type {Record<string, string>} */ ({ '-1': 'spectator', 0: 'red / game', 1: 'blue' });

/**
 * Does something to a player and says what came of it.
 * @param {any} player
 * @param {string} what
 * @param {object} [body]
 */
export async function act(player, what, body) {
	try {
		const { output } = await post(`/players/${player.id}/${what}`, body);
		toast(output?.[0] || 'Done.');
	} catch (err) {
		toast(/** @type {Error} */ (err).message, true);
	}
}

/** @param {any} p */
async function kick(p) {
	const v = await ask(`Kick ${p.name}`, [{ name: 'reason', label: 'Reason' }], 'Kick');
	if (v) await act(p, 'kick', { name: p.name, reason: v.reason });
}

/** @param {any} p */
async function ban(p) {
	const v = await ask(`Ban ${p.name}`, [
		{ name: 'minutes', label: 'Minutes, 0 for ever', type: 'number', min: 0, max: 44640, value: '30', required: true },
		{ name: 'reason', label: 'Reason' },
	], 'Ban');
	if (v) await act(p, 'ban', { name: p.name, minutes: Number(v.minutes), reason: v.reason });
}

/** @param {any} p */
async function mute(p) {
	if (p.muted_for) return act(p, 'unmute');
	const v = await ask(`Mute ${p.name}`, [
		{ name: 'seconds', label: 'Seconds', type: 'number', min: 1, max: 2592000, value: '600', required: true },
		{ name: 'reason', label: 'Reason' },
	], 'Mute');
	if (v) await act(p, 'mute', { name: p.name, seconds: Number(v.seconds), reason: v.reason });
}

/** @param {any} p */
async function move(p) {
	const v = await ask(`Move ${p.name}`, [{ name: 'team', label: 'Team', options: Object.entries(teams).sort(), value: String(p.team) }], 'Move');
	if (v) await act(p, 'team', { name: p.name, team: Number(v.team) });
}

/** @returns {import('./main.js').Panel} */
export function playersPanel() {
	const body = el('tbody');
	const head = ['Id', 'Name', 'Clan', 'Team', 'Score', 'Ping', 'Address', 'Client', 'Here for'];
	const table = el('table', { class: 'cards-on-phone' },
		el('thead', {}, el('tr', {}, ...head.map((h) => el('th', { scope: 'col', class: ['Id', 'Score', 'Ping'].includes(h) ? 'number' : '' }, h)), el('th', { scope: 'col' }, el('span', { class: 'dim' }, 'Actions')))),
		body);
	const empty = el('p', { class: 'empty' }, 'Nobody is here.');
	const visits = el('tbody');
	const history = el('div', { class: 'stack', hidden: true },
		el('h2', {}, 'Who was here'),
		el('div', { class: 'scroll' }, el('table', { class: 'cards-on-phone' },
			el('thead', {}, el('tr', {}, ...['Name', 'Clan', 'Address', 'From', 'Until', 'Left because', 'Actions'].map((h) => el('th', { scope: 'col' }, h)))), visits)));

	async function showHistory() {
		try {
			const list = (await get('/history')).visits;
			visits.replaceChildren(...list.slice(0, 300).map((/** @type {any} */ v) => el('tr', {},
				el('td', { class: 'wrap' }, v.name), el('td', {}, v.clan || ''), el('td', { class: 'mono' }, v.address || ''),
				el('td', {}, clock(v.from)), el('td', {}, v.until ? clock(v.until) : 'still here'), el('td', { class: 'wrap' }, v.reason || ''),
				el('td', { class: 'actions' }, v.address && v.until && el('button', { type: 'button', class: 'small danger', 'aria-label': `Ban ${v.address}, ${v.name}`, onclick: () => banAddress(v) }, 'Ban')))));
			history.hidden = false;
		} catch (err) {
			toast(/** @type {Error} */ (err).message, true);
		}
	}

	/** @param {any} p */
	function row(p) {
		const button = (/** @type {string} */ text, /** @type {(p: any) => void} */ f, danger = false) =>
			el('button', { type: 'button', class: 'small' + (danger ? ' danger' : ''), 'aria-label': `${text} ${p.name}`, 'data-action': text + p.id, onclick: () => f(p) }, text);
		const real = p.state !== 'bot';
		return el('tr', {},
			el('td', { class: 'number', 'data-label': 'id' }, String(p.id)),
			el('td', { class: 'wrap' }, p.name || `(${p.state})`, p.level ? el('span', { class: 'badge' }, p.level) : null, p.muted_for ? el('span', { class: 'badge' }, 'muted ' + span(p.muted_for)) : null, real && p.name && p.state !== 'in game' ? el('span', { class: 'badge' }, p.state) : null),
			el('td', {}, p.clan || ''),
			el('td', {}, real ? teams[p.team] : 'bot'),
			el('td', { class: 'number', 'data-label': 'score' }, String(p.score)),
			el('td', { class: 'number', 'data-label': 'ping' }, real ? String(p.latency) : ''),
			el('td', { class: 'mono' }, p.address || ''),
			el('td', { class: 'mono' }, p.version || ''),
			el('td', {}, p.since ? span((Date.now() - Date.parse(p.since)) / 1000) : ''),
			el('td', { class: 'actions' }, ...(real ? [button('Move', move), button(p.muted_for ? 'Unmute' : 'Mute', mute), button('Kick', kick), button('Ban', ban, true)] : [])));
	}

	const element = el('section', {},
		el('div', { class: 'scroll' }, table, empty),
		el('div', { class: 'bar' }, el('button', { type: 'button', onclick: showHistory }, 'Who was here')),
		history);

	/** @param {any[]} players */
	function update(players) {
		// The list changes every second: whoever is at a button stays there.
		const focused = document.activeElement?.getAttribute('data-action');
		body.replaceChildren(...players.map(row));
		if (focused) /** @type {HTMLElement|null} */ (body.querySelector(`[data-action="${CSS.escape(focused)}"]`))?.focus();
		empty.hidden = players.length > 0;
		table.hidden = players.length === 0;
	}

	return {
		id: 'players', title: 'Players', element,
		players: update,
		show: () => { get('/players').then((p) => update(p.players), () => {}); },
	};
}

/** @param {any} v */
async function banAddress(v) {
	const a = await ask(`Ban ${v.address}`, [
		{ name: 'minutes', label: 'Minutes, 0 for ever', type: 'number', min: 0, max: 44640, value: '30', required: true },
		{ name: 'reason', label: 'Reason' },
	], 'Ban', `The address of ${v.name}, who has left.`);
	if (!a) return;
	try {
		const { output } = await post('/bans', { target: v.address, minutes: Number(a.minutes), reason: a.reason });
		toast(output?.[0] || 'Done.');
	} catch (err) {
		toast(/** @type {Error} */ (err).message, true);
	}
}
