/**
 * The list of the matches that the server keeps.
 *
 * @module
 */

import { TICKS_PER_SECOND } from '../match/types.js';
import { formatTicks } from './clock.js';
import { byId, make } from './dom.js';

/**
 * A match of /replays.json, which docs/reference/http.md describes.
 * @typedef {object} Replay
 * @property {string} [match]
 * @property {string} [name] file name of a recording
 * @property {string} demo
 * @property {{name: string}} map
 * @property {string} game_type
 * @property {string} start
 * @property {number} length in seconds
 * @property {number} size in bytes
 * @property {{name: string, clan?: string, team?: number, score?: number}[]} [players]
 * @property {number} [num_players] the total, if players is not complete
 * @property {boolean} [has_result] whether players of a recorded file have scores
 * @property {boolean} [race] whether scores are times, in ms
 * @property {number[]} [team_scores]
 * @property {boolean} [finish] whether this is a race up to its finish; players are then the
 *   players who finished
 */

/** The maximum number of players listed for a match. */
const MAX_PLAYERS = 16;

/** The maximum number of players listed with scores, best first. */
const MAX_SCORES = 3;

/**
 * A player's result, as shown after the name.
 * @param {Replay} r
 * @param {number} [score]
 */
function scoreOf(r, score) {
	if (score === undefined || (r.name && !r.has_result)) return '';
	if (!r.race) return ` ${score}`;
	return score < 0 ? '' : ` ${formatTicks(Math.floor(score / 20))}.${String(Math.floor(score / 10) % 100).padStart(2, '0')}`;
}

/** @param {number} bytes */
function sizeText(bytes) {
	return bytes < 1e6 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

/** @param {Replay} r */
function kindOf(r) {
	if (r.name?.endsWith('.twreplay')) return 'replay log';
	return r.name?.endsWith('.teehistorian') ? 'teehistorian' : 'demo';
}

/**
 * Reports whether two recordings are of the same match: they share most of the longer one.
 * @param {Replay} a
 * @param {Replay} b
 */
function isSameMatch(a, b) {
	const [from, to] = [Date.parse(a.start) / 1000, Date.parse(b.start) / 1000];
	const both = Math.min(from + a.length, to + b.length) - Math.max(from, to);
	return !a.finish && !b.finish && a.map.name === b.map.name && both > 0 && both * 2 >= Math.max(a.length, b.length);
}

/**
 * Groups recordings of the same match, the most informative first.
 * @param {Replay[]} replays
 * @returns {Replay[][]}
 */
function matchesOf(replays) {
	/** @type {Replay[][]} */
	const matches = [];
	for (const r of replays) {
		const same = matches.find((m) => isSameMatch(m[0], r) && !m.some((o) => !o.name && !r.name));
		if (same) same.push(r);
		else matches.push([r]);
	}
	const worth = (/** @type {Replay} */ r) => (r.name ? 0 : 2) + (r.has_result ? 1 : 0);
	for (const m of matches) m.sort((a, b) => worth(b) - worth(a));
	return matches;
}

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
	const status = make('p', 'when', 'Loading.');
	status.setAttribute('role', 'status');
	const list = make('ul');
	box.append(make('h1', '', 'Replays'), search, status, list);
	/** @type {{words: string, item: HTMLElement}[]} */
	let items = [];
	try {
		const r = await fetch('replays.json');
		if (!r.ok) throw new Error(`the server answered with status ${r.status}`);
		/** @type {Replay[]} */
		const replays = (await r.json()).replays.concat(await recordings());
		replays.sort((a, b) => b.start.localeCompare(a.start));
		items = matchesOf(replays).map((m) => ({ words: m.map(wordsOf).join('\n'), item: itemOf(m) }));
		list.append(...items.map((i) => i.item));
	} catch (err) {
		status.textContent = `The list cannot be loaded: ${err instanceof Error ? err.message : err}.`;
		return;
	}
	const filter = () => {
		const words = search.value.toLowerCase().split(/\s+/);
		let n = 0;
		for (const i of items) {
			i.item.hidden = !words.every((w) => i.words.includes(w));
			if (!i.item.hidden) n++;
		}
		status.textContent = items.length === 0 ? 'No matches yet. A match appears here after its end if it lasted at least ten seconds and had players.' : n === 1 ? 'One match.' : `${n} matches.`;
	};
	search.addEventListener('input', filter);
	filter();
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

/** @param {Replay} r */
function wordsOf(r) {
	return [r.name ?? '', r.map.name, r.game_type, r.finish ? 'finish' : '', r.start, ...(r.players ?? []).flatMap((p) => [p.name, p.clan ?? ''])].join('\n').toLowerCase();
}

/** @param {Replay} r */
function pageOf(r) {
	return r.match ? `./?match=${encodeURIComponent(r.match)}` : `./?demo=${encodeURIComponent(r.demo.slice(1))}`;
}

/** @param {Replay[]} recordings of a match */
function itemOf([r, ...others]) {
	const li = make('li');
	const kind = r.finish ? 'Finish' : r.game_type;
	const title = make('a', 'name', kind ? `${kind} on ${r.map.name}` : r.map.name);
	title.href = pageOf(r);
	const time = make('time', 'when', new Date(r.start).toLocaleString());
	time.dateTime = r.start;
	const isLog = /\.(twreplay|teehistorian)$/.test(r.name ?? ''); // the size of a log is not the size of its demo
	const download = make('a', '', isLog ? 'Download' : `Download ${sizeText(r.size)}`);
	if (/^\/(b|recordings)\/.+\.demo$/.test(r.demo)) download.href = r.demo.slice(1);
	download.download = '';
	const scores = r.team_scores ? ` · ${r.team_scores.join(' : ')}` : '';
	const facts = make('span', 'when');
	facts.append(time, ` · ${r.length < 1 ? 'less than a second' : formatTicks(r.length * TICKS_PER_SECOND)}${scores}`);
	for (const o of others) {
		const link = make('a', '', kindOf(o));
		link.href = pageOf(o);
		link.title = o.name ?? '';
		facts.append(' · ', link);
	}
	const all = r.players ?? [];
	const players = all.slice(0, MAX_PLAYERS).map((p, n) => (n < MAX_SCORES ? `${p.name}${scoreOf(r, p.score)}` : p.name));
	const more = (r.num_players ?? all.length) - players.length;
	if (more > 0) players.push(`${more} more`);
	if (r.name) players.push(r.name);
	li.append(title, download, facts, make('span'), make('span', 'players', players.join(', ')));
	return li;
}
