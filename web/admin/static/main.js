// The admin page: signing in, the frame, the tabs, and the event stream that they share.

import { call, get, listen, post, whenSignedOut } from './api.js';
import { byId, el, toast } from './dom.js';
import { UNITS, valueText } from './axis.js';
import { ICON, setIcon } from '../../viewer/page/dom.js';
import { Frame } from '../../viewer/page/frame.js';
import { playersPanel } from './players.js';
import { logPanel } from './log.js';
import { consolePanel } from './console.js';
import { mapsPanel } from './maps.js';
import { settingsPanel } from './settings.js';
import { bansPanel } from './bans.js';
import { graphsPanel } from './graphs.js';
import { tokensPanel } from './tokens.js';
import { livePanel } from './live.js';

/**
 * @typedef {object} Panel
 * @property {string} id
 * @property {string} title
 * @property {HTMLElement} element
 * @property {() => void} [show] called when its tab is selected
 * @property {() => void} [hide]
 * @property {(players: any[]) => void} [players]
 * @property {(line: any) => void} [log]
 * @property {(sample: any) => void} [sample]
 */

/** @typedef {{level: string, server: string, version: string, live: boolean}} Me */

/** @type {Panel[]} */
let panels = [];
let shown = '';
/** @type {(() => void)|null} */
let stop = null;

/** The path of the server without a slash at the end, as in the viewer. */
const ROOT = new URL('../..', import.meta.url).pathname.slice(0, -1);
const frame = new Frame({ root: ROOT, page: 'admin' });
const operator = el('span', { class: 'operator', hidden: true });
const signOut = el('button', { type: 'button', class: 'sign-out', id: 'sign-out', 'aria-label': 'Sign out', title: 'Sign out', hidden: true, onclick: leave });
setIcon(signOut, ICON.DOOR);
signOut.append(el('span', {}, 'Sign out'));
frame.name.textContent = location.host;
frame.box.hidden = false;
frame.box.append(operator, signOut);
document.body.prepend(frame.box); // the tab key reaches it first

/** @param {string} text */
function askToSignIn(text = '') {
	stop?.();
	stop = null;
	byId('app').hidden = operator.hidden = signOut.hidden = true;
	byId('panels').replaceChildren();
	byId('sign-in').hidden = false;
	byId('sign-in-error').textContent = text;
	/** @type {HTMLInputElement} */ (byId('password')).focus();
}

byId('sign-in-form').addEventListener('submit', async (e) => {
	e.preventDefault();
	const input = /** @type {HTMLInputElement} */ (byId('password'));
	byId('sign-in-error').textContent = '';
	try {
		const me = await post('/login', { password: input.value });
		input.value = '';
		start(me);
	} catch (err) {
		byId('sign-in-error').textContent = /** @type {Error} */ (err).message;
		input.select();
	}
});

async function leave() {
	await call('POST', '/logout').catch(() => {});
	askToSignIn();
}

/** @param {Me} me */
function start(me) {
	byId('sign-in').hidden = true;
	byId('app').hidden = operator.hidden = signOut.hidden = false;
	frame.name.textContent = me.server || location.host;
	operator.textContent = `operator: ${me.level}`;
	signOut.title = `Sign out (operator: ${me.level})`;
	document.title = `Admin · ${me.server || 'Teeyard'}`;
	panels = [
		playersPanel(), logPanel(), consolePanel(), mapsPanel(), settingsPanel(), bansPanel(), graphsPanel(),
		...(me.live ? [livePanel()] : []),
		...(me.level === 'admin' ? [tokensPanel()] : []),
	];
	const tabs = byId('tabs');
	tabs.replaceChildren(...panels.map((p) => el('button', {
		type: 'button', role: 'tab', id: 'tab-' + p.id, 'aria-controls': 'panel-' + p.id, onclick: () => select(p.id),
	}, p.title)));
	for (const p of panels) {
		p.element.id = 'panel-' + p.id;
		p.element.setAttribute('role', 'tabpanel');
		p.element.setAttribute('aria-labelledby', 'tab-' + p.id);
		p.element.hidden = true;
	}
	byId('panels').replaceChildren(...panels.map((p) => p.element));
	shown = '';
	select(location.hash.slice(1));
	connect(me);
}

byId('tabs').addEventListener('keydown', (e) => {
	const move = { ArrowLeft: -1, ArrowRight: 1, Home: -panels.length, End: panels.length }[e.key];
	if (!move) return;
	e.preventDefault();
	const at = panels.findIndex((p) => p.id === shown);
	const to = Math.abs(move) === 1 ? (at + move + panels.length) % panels.length : move < 0 ? 0 : panels.length - 1;
	select(panels[to].id);
	byId('tab-' + panels[to].id).focus();
});

/** Fades the tabs at an edge beyond which there are more. */
function fadeTabs() {
	const tabs = byId('tabs'), end = tabs.scrollWidth - tabs.clientWidth;
	tabs.classList.toggle('more-left', tabs.scrollLeft > 1);
	tabs.classList.toggle('more-right', tabs.scrollLeft < end - 1);
}
byId('tabs').addEventListener('scroll', fadeTabs);
new ResizeObserver(() => {
	if (shown) byId('tab-' + shown)?.scrollIntoView({ block: 'nearest', inline: 'center' });
	fadeTabs();
}).observe(byId('tabs'));

window.addEventListener('hashchange', () => { if (panels.length) select(location.hash.slice(1)); });

/** @param {string} id */
function select(id) {
	const panel = panels.find((p) => p.id === id) || panels[0];
	if (shown === panel.id) return;
	panels.find((p) => p.id === shown)?.hide?.();
	shown = panel.id;
	for (const p of panels) {
		const on = p === panel;
		const tab = byId('tab-' + p.id);
		tab.setAttribute('aria-selected', String(on));
		tab.tabIndex = on ? 0 : -1;
		p.element.hidden = !on;
	}
	byId('tab-' + panel.id).scrollIntoView({ block: 'nearest', inline: 'center' });
	byId('panels').scrollTop = 0;
	history.replaceState(null, '', '#' + panel.id);
	panel.show?.();
}

/** @param {Me} me */
function connect(me) {
	stop?.();
	let wasAway = false;
	stop = listen({
		log: (line) => panels.forEach((p) => p.log?.(line)),
		players: ({ players }) => panels.forEach((p) => p.players?.(players)),
		sample: (s) => {
			const count = (/** @type {number} */ n, /** @type {string} */ thing) => `${n} ${thing}${n === 1 ? '' : 's'}`;
			byId('summary').replaceChildren(el('span', { class: 'level' }, `operator: ${me.level} · `),
				`${count(s.players, 'player')}, ${count(s.bots, 'bot')} · tick ${valueText(s.tick, UNITS.TIME)}`,
				el('span', { class: 'sent' }, ` · sends ${valueText(s.sent, UNITS.DATA)}`));
			panels.forEach((p) => p.sample?.(s));
		},
		lost: ({ messages }) => toast(`${messages} messages are missing, since this page was too slow`, true),
		state: (on) => {
			byId('connection').textContent = on ? '' : 'Connection lost. Trying again.';
			if (on && wasAway) panels.find((p) => p.id === shown)?.show?.();
			wasAway = !on;
		},
		ended: () => setTimeout(() => connect(me), 3000),
	});
}

whenSignedOut(() => { if (!byId('app').hidden) askToSignIn('You have been signed out.'); });

get('/me').then((me) => me.level ? start(me) : askToSignIn(), (err) => askToSignIn(err.message));
