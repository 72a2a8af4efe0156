/**
 * The list of the matches that the server keeps.
 *
 * @module
 */

import { TICKS_PER_SECOND } from '../match/types.js';
import { formatTicks } from './clock.js';
import { ICON, byId, make, setText, sign } from './dom.js';
import { TEAMS, isOfBots, matchesOf, playersOf, resultOf, scoreText } from './results.js';
import { Thumbnails } from './thumbnail.js';

/** @typedef {import('./results.js').Replay} Replay */

/** The maximum number of players listed for a match. */
const MAX_PLAYERS = 16;

/** The browser's storage key for whether matches of bots are listed. */
const BOTS_KEY = 'teeyard bots';

/** What an empty list says. */
const NOTHING = 'A match of ten seconds or more appears here after its end.';

/** @param {number} bytes */
function sizeText(bytes) {
	return bytes < 1e6 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

/** @param {Replay} r */
function kindOf(r) {
	if (r.name?.endsWith('.twreplay')) return 'Replay log';
	return r.name?.endsWith('.teehistorian') ? 'Teehistorian' : 'Demo';
}

/** A match in the list. @typedef {{ words: string, bots: boolean, item: HTMLElement }} Item */

/** Shows the list. */
export async function showReplays() {
	document.body.classList.add('list');
	document.title = 'Replays · Teeyard';
	const box = byId('replays');
	box.hidden = false;
	const search = make('input');
	search.type = 'search';
	search.placeholder = 'Search for players, maps and game types';
	search.setAttribute('aria-label', search.placeholder);
	const bots = make('input'), label = make('label', 'switch'), count = make('span');
	bots.type = 'checkbox';
	bots.checked = localStorage.getItem(BOTS_KEY) === 'shown';
	label.hidden = true;
	label.append(bots, count);
	const status = make('p', 'when', 'Loading.'), tools = make('div', 'tools'), list = make('div', 'days');
	status.setAttribute('role', 'status');
	tools.append(search, label);
	box.append(make('h1', '', 'Replays'), tools, status, list);
	addEventListener('keydown', (e) => {
		if (e.key !== '/' || e.target === search) return;
		e.preventDefault();
		search.focus();
	});
	/** @type {Item[]} */
	let items;
	try {
		items = await load(list);
	} catch (err) {
		status.textContent = `The list cannot be loaded: ${err instanceof Error ? err.message : err}.`;
		return;
	}
	if (items.length === 0) {
		box.replaceChildren(emptyBox());
		return;
	}
	const ofBots = items.filter((i) => i.bots).length;
	label.hidden = ofBots === 0;
	count.textContent = `Show matches of bots only (${ofBots})`;
	const filter = () => {
		const words = search.value.toLowerCase().split(/\s+/);
		let n = 0, folded = 0;
		for (const i of items) {
			const found = words.every((w) => i.words.includes(w)), fold = found && i.bots && !bots.checked;
			i.item.hidden = !found || fold;
			if (fold) folded++;
			else if (found) n++;
		}
		for (const day of list.children) if (day instanceof HTMLElement) day.hidden = !day.querySelector('ul > li:not([hidden])');
		setText(status, statusText(n, folded));
		box.classList.toggle('nothing', n === 0);
	};
	search.addEventListener('input', filter);
	bots.addEventListener('change', () => {
		localStorage.setItem(BOTS_KEY, bots.checked ? 'shown' : 'folded');
		filter();
	});
	filter();
}

/** What the page shows without matches. */
function emptyBox() {
	const empty = make('div', 'vacant'), picture = make('img'), play = make('a', '', 'Play the first match'), text = make('p', '', NOTHING);
	picture.src = 'viewer/empty.svg';
	picture.alt = '';
	picture.width = 480;
	picture.height = 220;
	play.href = 'play';
	text.setAttribute('role', 'status');
	empty.append(picture, make('h1', '', 'No replays yet'), text, play);
	return empty;
}

/** @param {number} shown @param {number} folded */
function statusText(shown, folded) {
	const hidden = folded === 0 ? '' : folded === 1 ? ' One match of bots only is hidden.' : ` ${folded} matches of bots only are hidden.`;
	return (shown === 0 && folded === 0 ? 'No match has all these words.' : shown === 1 ? 'One match.' : `${shown} matches.`) + hidden;
}

/**
 * Loads the matches and lists them by day, the newest first.
 * @param {HTMLElement} list
 */
async function load(list) {
	const r = await fetch('replays.json');
	if (!r.ok) throw new Error(`the server answered with status ${r.status}`);
	/** @type {Replay[]} */
	const replays = (await r.json()).replays.concat(await recordings());
	replays.sort((a, b) => b.start.localeCompare(a.start));
	const thumbnails = new Thumbnails(), maps = new Map();
	for (const { map } of replays) if (map.sha256) maps.set(map.name, map); // recorded files do not name the hash
	let day = '', ul = make('ul');
	return matchesOf(replays).map((m) => {
		const of = dayText(new Date(m[0].start), new Date());
		if (of !== day || !ul.isConnected) {
			day = of;
			const section = make('section'), title = make('h2', '', day);
			ul = make('ul');
			section.append(title, ul);
			list.append(section);
		}
		const item = itemOf(m, (canvas) => thumbnails.add(canvas, { ...maps.get(m[0].map.name), ...m[0].map }));
		ul.append(item);
		return { words: m.map(wordsOf).join('\n'), bots: isOfBots(m[0]), item };
	});
}

/**
 * The server's recorded files, if the viewer may see them.
 * @returns {Promise<Replay[]>}
 */
async function recordings() {
	try {
		const r = await fetch('recordings.json');
		return r.ok ? (await r.json()).recordings : [];
	} catch {
		return [];
	}
}

/**
 * The day of a match, such as Today.
 * @param {Date} day
 * @param {Date} now
 */
export function dayText(day, now) {
	if (isNaN(day.getTime())) return 'Unknown day';
	const midnight = (/** @type {Date} */ d) => new Date(d.getFullYear(), d.getMonth(), d.getDate()).getTime();
	const ago = Math.round((midnight(now) - midnight(day)) / 86_400_000);
	if (ago === 0) return 'Today';
	if (ago === 1) return 'Yesterday';
	return day.toLocaleDateString('en', { weekday: 'long', day: 'numeric', month: 'long', ...now.getFullYear() === day.getFullYear() ? {} : { year: 'numeric' } });
}

/** @param {Replay} r */
function wordsOf(r) {
	const fixed = [r.name ?? '', r.map.name, r.game_type, r.finish ? 'finish' : '', r.start, isOfBots(r) ? 'bots' : ''];
	return [...fixed, ...(r.players ?? []).flatMap((p) => [p.name, p.clan ?? ''])].join('\n').toLowerCase();
}

/** @param {Replay} r */
function pageOf(r) {
	return r.match ? `./?match=${encodeURIComponent(r.match)}` : `./?demo=${encodeURIComponent(r.demo.slice(1))}`;
}

/**
 * @param {Replay[]} recordings of a match
 * @param {(canvas: HTMLCanvasElement) => void} picture draws the map on a canvas
 */
function itemOf([r, ...others], picture) {
	const li = make('li'), canvas = make('canvas', 'map'), about = make('div', 'about');
	canvas.setAttribute('aria-hidden', 'true');
	picture(canvas);
	const kind = r.finish ? 'Finish' : r.game_type;
	const title = make('a', 'title');
	title.href = pageOf(r);
	if (kind) title.append(make('span', 'mode', kind), ' ');
	title.append(make('span', 'name', r.map.name));
	about.append(title, factsOf(r), resultLine(r), playersLine(r));
	li.append(canvas, about, linksOf(r, others));
	return li;
}

/** When a match was, and how long. @param {Replay} r */
function factsOf(r) {
	const facts = make('p', 'when'), start = new Date(r.start), known = !isNaN(start.getTime());
	if (known) {
		const time = make('time', '', start.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' }));
		time.dateTime = r.start;
		time.title = start.toLocaleString();
		facts.append(time, ' · ');
	}
	facts.append(r.length < 1 ? 'less than a second' : formatTicks(r.length * TICKS_PER_SECOND));
	if (isOfBots(r)) facts.append(' · ', make('span', 'badge', 'bots only'));
	return facts;
}

/** How a match ended. @param {Replay} r */
function resultLine(r) {
	const line = make('p', 'result'), { teams, text, winner } = resultOf(r);
	if (teams) {
		teams.forEach((score, team) => {
			const e = make('b', `team ${TEAMS[team].toLowerCase()}${winner === team ? ' won' : ''}`, String(score));
			e.setAttribute('aria-label', `${TEAMS[team]} ${score}`);
			line.append(...team ? [' : '] : [], e);
		});
		line.append(' ');
	}
	if (text) line.append(make('span', 'text', text));
	return line;
}

/** The players, those of the winner first. @param {Replay} r */
function playersLine(r) {
	const list = make('ol', 'players'), all = playersOf(r), { teams } = resultOf(r);
	list.setAttribute('aria-label', 'players');
	for (const p of all.slice(0, MAX_PLAYERS)) {
		const e = make('li', p.bot ? 'bot' : ''), score = scoreText(r, p);
		const team = teams && p.team !== undefined ? ` ${p.team === 1 ? 'blue' : 'red'}` : '';
		e.append(make('span', `name${team}`, p.name));
		if (score) e.append(' ', make('span', 'score', score));
		if (p.bot) e.title = 'a bot';
		list.append(e);
	}
	const more = (r.num_players ?? all.length) - Math.min(all.length, MAX_PLAYERS);
	if (more > 0) list.append(make('li', 'rest', `${more} more`));
	if (r.name) list.append(make('li', 'file', r.name));
	return list;
}

/** @param {Replay} r @param {Replay[]} others recordings of the same match */
function linksOf(r, others) {
	const links = make('p', 'links'), isLog = /\.(twreplay|teehistorian)$/.test(r.name ?? ''); // the size of a log is not the size of its demo
	if (/^\/(b|recordings)\/.+\.demo$/.test(r.demo)) {
		const download = make('a', 'download');
		download.append(sign(ICON.DOWNLOAD, ''), make('span', '', isLog ? 'Demo' : sizeText(r.size)));
		download.href = r.demo.slice(1);
		download.download = '';
		download.title = 'Download the demo';
		download.setAttribute('aria-label', `Download the demo${isLog ? '' : `, ${sizeText(r.size)}`}`);
		links.append(download);
	}
	for (const o of others) {
		const link = make('a', '', kindOf(o));
		link.href = pageOf(o);
		link.title = o.name ?? '';
		links.append(link);
	}
	return links;
}
