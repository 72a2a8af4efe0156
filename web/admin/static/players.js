import { get, post } from './api.js';
import { chatBox } from './chat.js';
import { ask, clock, el, span, toast } from './dom.js';
import { clientText } from './version.js';

const teams = /** @type {Record<string, string>} */ ({ spectators: 'spectator', red: 'red, or the game', blue: 'blue' });

/** Wide windows have room for the visits below the players. */
const ROOMY = matchMedia('(min-width: 105rem)');

/**
 * Applies an action to a player and shows the result.
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
		{ name: 'minutes', label: 'Minutes, 0 for ever', type: 'number', min: 0, max: 525600, value: '30', required: true },
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
	const v = await ask(`Move ${p.name}`, [{ name: 'team', label: 'Team', options: Object.entries(teams).sort(), value: p.team }], 'Move');
	if (v) await act(p, 'team', { name: p.name, team: v.team });
}

/** @returns {import('./main.js').Panel} */
export function playersPanel() {
	const body = el('tbody');
	const head = ['Id', 'Name', 'Clan', 'Team', 'Score', 'Ping', 'Address', 'Client', 'Connected for'];
	const table = el('table', { class: 'cards-on-phone' },
		el('thead', {}, el('tr', {}, ...head.map((h) => el('th', { scope: 'col', class: ['Id', 'Score', 'Ping'].includes(h) ? 'number' : '' }, h)), el('th', { scope: 'col' }, el('span', { class: 'dim' }, 'Actions')))),
		body);
	const empty = el('p', { class: 'empty' }, 'No players are connected.');
	const visits = el('tbody');
	const showVisits = el('button', { type: 'button', 'aria-label': 'Show the visits', onclick: showHistory }, 'Show');
	const history = el('div', { class: 'stack', hidden: true },
		el('div', { class: 'scroll' }, el('table', { class: 'cards-on-phone' },
			el('thead', {}, el('tr', {}, ...['Name', 'Clan', 'Address', 'From', 'Until', 'Reason for leaving', 'Actions'].map((h) => el('th', { scope: 'col' }, h)))), visits)));

	async function showHistory() {
		try {
			const list = (await get('/history')).visits;
			visits.replaceChildren(...list.slice(0, 300).map((/** @type {any} */ v) => el('tr', {},
				el('td', { class: 'wrap name' }, v.name), el('td', {}, v.clan || ''), el('td', { class: 'mono' }, v.address || ''),
				el('td', {}, clock(v.from)), el('td', {}, v.until ? clock(v.until) : 'connected'), el('td', { class: 'wrap' }, v.reason || ''),
				el('td', { class: 'actions' }, v.address && v.until && el('button', { type: 'button', class: 'small danger', 'aria-label': `Ban ${v.address}, ${v.name}`, onclick: () => banAddress(v) }, 'Ban')))));
			history.hidden = false;
			showVisits.textContent = 'Refresh';
			showVisits.setAttribute('aria-label', 'Refresh the visits');
		} catch (err) {
			toast(/** @type {Error} */ (err).message, true);
		}
	}

	/**
	 * A row is created once for a player and then only updated, so that a click during an update
	 * counts.
	 * @typedef {{p: any, row: HTMLElement, cells: HTMLElement[], mute: HTMLElement}} Row
	 */
	/** @type {Map<string, Row>} */
	let rows = new Map();

	/**
	 * @param {any} first
	 * @returns {Row}
	 */
	function make(first) {
		/** @type {(text: string, f: (p: any) => void, danger?: boolean) => HTMLElement} */
		const button = (text, f, danger) => el('button', { type: 'button', class: 'small' + (danger ? ' danger' : ''), 'data-action': text + first.id, onclick: () => f(r.p) }, text);
		const cells = ['number', 'wrap name', '', '', 'number', 'number', 'mono', 'mono', ''].map((c, i) => el('td', { class: c, 'data-label': { 0: 'id', 4: 'score', 5: 'ping', 7: 'client', 8: 'for' }[i] }));
		const muteButton = button('Mute', mute);
		const actions = first.state === 'bot' ? [] : [button('Move', move), muteButton, button('Kick', kick), button('Ban', ban, true)];
		const r = { p: first, row: el('tr', {}, ...cells, el('td', { class: 'actions' }, ...actions)), cells, mute: muteButton };
		return r;
	}

	/**
	 * @param {Row} r
	 * @param {any} p
	 * @param {boolean} teamGame
	 */
	function show(r, p, teamGame) {
		r.p = p;
		const real = p.state !== 'bot';
		const badges = [!real && 'bot', p.level, p.muted_for && 'muted ' + span(p.muted_for), real && p.name && p.state !== 'in game' && p.state].filter(Boolean);
		const texts = [p.id, '', real ? p.clan || '' : '', p.team !== 'red' ? teams[p.team] : teamGame ? 'red' : 'plays', p.score, real ? p.latency : '', p.address || '', clientText(p.version || ''), p.since ? span((Date.now() - Date.parse(p.since)) / 1000) : ''];
		texts.forEach((text, i) => { if (i !== 1 && r.cells[i].textContent !== String(text)) r.cells[i].textContent = String(text); });
		r.cells[1].replaceChildren(p.name || `(${p.state})`, ...badges.map((text) => el('span', { class: 'badge' }, text)));
		r.cells[3].className = teamGame ? 'team-' + p.team : '';
		r.mute.textContent = p.muted_for ? 'Unmute' : 'Mute';
		for (const b of r.row.querySelectorAll('button')) b.setAttribute('aria-label', `${b.textContent} ${p.name}`);
	}

	const chat = chatBox();
	const element = el('section', { class: 'fill' },
		el('div', { class: 'stack' }, el('div', { class: 'scroll' }, table, empty),
			el('div', { class: 'bar' }, el('h2', {}, 'Visits'), showVisits),
			history),
		chat.element);

	/** @param {any[]} players */
	function update(players) {
		const before = rows, teamGame = players.some((p) => p.team === 'blue');
		rows = new Map();
		for (const p of players) {
			const key = `${p.id} ${p.state === 'bot'}`;
			const r = before.get(key) || make(p);
			show(r, p, teamGame);
			rows.set(key, r);
		}
		for (const [key, r] of before) if (!rows.has(key)) r.row.remove();
		[...rows.values()].forEach((r, i) => { if (body.children[i] !== r.row) body.insertBefore(r.row, body.children[i] || null); });
		empty.hidden = players.length > 0;
		table.hidden = players.length === 0;
	}

	return {
		id: 'players', title: 'Players', element,
		players: update,
		log: chat.log,
		show: () => {
			get('/players').then((p) => update(p.players), () => {});
			chat.show();
			if (ROOMY.matches) showHistory();
		},
	};
}

/** @param {any} v */
async function banAddress(v) {
	const a = await ask(`Ban ${v.address}`, [
		{ name: 'minutes', label: 'Minutes, 0 for ever', type: 'number', min: 0, max: 525600, value: '30', required: true },
		{ name: 'reason', label: 'Reason' },
	], 'Ban', `${v.name} has left. The ban is for the address of this player.`);
	if (!a) return;
	try {
		const { output } = await post('/bans', { target: v.address, minutes: Number(a.minutes), reason: a.reason });
		toast(output?.[0] || 'Done.');
	} catch (err) {
		toast(/** @type {Error} */ (err).message, true);
	}
}
